/* Counting what of a text was served before; see echo.h. */
#include "echo.h"

#include "echo_store.h"
#include "node.h"
#include "principal.h"
#include "served.h"

struct source {
    struct uuid id;
    size_t chars;
    bool counts;
};

static struct source *source_of(struct source *list, size_t *n, struct uuid id)
{
    for (size_t i = 0; i < *n; i++)
        if (uuid_eq(list[i].id, id))
            return &list[i];
    list[*n] = (struct source){.id = id};
    return &list[(*n)++];
}

/* Which of the sources live where they count. */
static err echo_judge(struct ctx *c, struct source *list, size_t n, struct uuid space_id)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, n + 1), *near;
    struct node_brief *briefs = ARENA_ARRAY(c->arena, struct node_brief, n + 1);
    size_t n_near;

    for (size_t i = 0; i < n; i++)
        ids[i] = list[i].id;
    TRY(node_briefs(c, ids, n, briefs));
    TRY(echo_store_spaces(c, space_id, &near, &n_near));
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n_near; k++)
            list[i].counts |= uuid_eq(briefs[i].space_id, near[k]);
    return ERR_OK;
}

static struct uuid writer(const struct ctx *c)
{
    return c->who && c->who->kind != PRINCIPAL_SYSTEM ? c->who->id : (struct uuid){{0}};
}

err echo_of(struct ctx *c, const char *text, struct uuid space_id, struct echo *out)
{
    return echo_of_agent(c, writer(c), text, space_id, out);
}

err echo_of_agent(struct ctx *c, struct uuid agent_id, const char *text, struct uuid space_id, struct echo *out)
{
    struct served_sentence *sentences;
    struct source *sources;
    size_t n, n_sources = 0, all = 0, served = 0, most = 0;

    *out = (struct echo){0};
    served_find(c, agent_id, text, &sentences, &n);
    sources = ARENA_ARRAY(c->arena, struct source, n + 1);
    for (size_t i = 0; i < n; i++) {
        all += sentences[i].chars;
        if (!uuid_is_nil(sentences[i].node_id))
            source_of(sources, &n_sources, sentences[i].node_id)->chars += sentences[i].chars;
    }
    if (!n_sources)
        return ERR_OK;
    TRY(echo_judge(c, sources, n_sources, space_id));
    for (size_t i = 0; i < n_sources; i++) {
        if (!sources[i].counts)
            continue;
        served += sources[i].chars;
        if (sources[i].chars > most)
            out->of = sources[i].id;
        most = sources[i].chars > most ? sources[i].chars : most;
    }
    out->ratio = (double)served / (double)all;
    if (out->ratio >= ECHO_REFUSED)
        node_touch(c, &out->of, 1);
    return ERR_OK;
}
