/* Titles and summaries of communities; see community_text.h. */
#include "community_text.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "community_store.h"
#include "inert.h"
#include "limit.h"
#include "sentences.h"

#define TITLE_NAMES 3
#define SHOWN_NAMES 12
#define RELATIONS 5
#define CHUNKS_READ 12
#define QUOTE_CHARS 240

struct community_words {
    const struct name_graph *g;
    const uint32_t *nodes;
    const char **names; /* of each node, the strongest first */
    uint32_t *order;
    size_t n;
    struct list chunks; /* of struct community_chunk */
};

struct community_strong {
    uint32_t at;
    double strength;
};

static int community_strong_order(const void *a, const void *b)
{
    const struct community_strong *x = a, *y = b;

    return x->strength != y->strength ? (x->strength < y->strength) - (x->strength > y->strength) : (x->at > y->at) - (x->at < y->at);
}

static const char *community_name_of(const struct list *names, struct uuid id)
{
    const struct community_member *v = names->v;

    for (size_t i = 0; i < names->n; i++)
        if (uuid_eq(v[i].node_id, id))
            return v[i].title;
    return "?";
}

static err community_words_read(struct ctx *c, const double *strength, struct community_words *w)
{
    struct community_strong *by = ARENA_ARRAY(c->arena, struct community_strong, w->n + 1);
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, w->n + 1);
    size_t shown = w->n < 200 ? w->n : 200;
    struct list names;

    for (uint32_t i = 0; i < w->n; i++)
        by[i] = (struct community_strong){i, strength[i]};
    qsort(by, w->n, sizeof *by, community_strong_order);
    for (size_t i = 0; i < w->n; i++)
        ids[i] = w->g->ids[w->nodes[by[i].at]];
    TRY(community_store_names(c, ids, shown, &names));
    w->names = ARENA_ARRAY(c->arena, const char *, w->n + 1);
    w->order = ARENA_ARRAY(c->arena, uint32_t, w->n + 1);
    for (size_t i = 0; i < w->n; i++) {
        w->order[i] = w->nodes[by[i].at];
        w->names[i] = i < shown ? community_name_of(&names, ids[i]) : "";
    }
    w->n = shown;
    return community_store_chunks(c, ids, shown, CHUNKS_READ, &w->chunks);
}

static const char *community_named(const struct community_words *w, uint32_t node)
{
    for (size_t i = 0; i < w->n; i++)
        if (w->order[i] == node)
            return w->names[i];
    return NULL;
}

struct community_tie {
    const char *a, *b;
    uint32_t shared;
    double weight;
};

static void community_tie_keep(struct community_tie *best, size_t *n, struct community_tie x)
{
    size_t i = *n < RELATIONS ? (*n)++ : RELATIONS;

    while (i > 0 && best[i - 1].weight < x.weight) {
        if (i < RELATIONS)
            best[i] = best[i - 1];
        i--;
    }
    if (i < RELATIONS)
        best[i] = x;
}

static void community_add_relations(struct buf *b, const struct community_words *w)
{
    struct community_tie best[RELATIONS];
    size_t n = 0;

    for (size_t i = 0; i < w->n; i++)
        for (size_t k = w->g->first[w->order[i]]; k < w->g->first[w->order[i] + 1]; k++) {
            const struct name_link *l = &w->g->links[k];
            const char *other = l->to > w->order[i] ? community_named(w, l->to) : NULL;

            if (other)
                community_tie_keep(best, &n, (struct community_tie){w->names[i], other, l->shared, l->weight});
        }
    for (size_t i = 0; i < n; i++)
        buf_printf(b, "%s%s – %s (%u)", i ? "; " : "Strongest links, by common texts: ", best[i].a, best[i].b, best[i].shared);
    if (n)
        buf_puts(b, ". ");
}

/* How many of the names a sentence holds. */
static size_t community_sentence_names(struct ctx *c, const struct community_words *w, const char *p, size_t n)
{
    const char *text = arena_strndup(c->arena, p, n);
    size_t found = 0;

    for (size_t i = 0; i < w->n && i < SHOWN_NAMES * 4; i++)
        found += *w->names[i] && strcasestr(text, w->names[i]) != NULL;
    return found;
}

static const char *community_best_sentence(struct ctx *c, const struct community_words *w, const struct community_chunk *x)
{
    const char *best = NULL;
    size_t most = 0, n = 0;

    for (const char *p = sentence_next(x->body, &n); p; p = sentence_next(p + n, &n)) {
        size_t names = community_sentence_names(c, w, p, n);

        if (names > most && n <= QUOTE_CHARS) {
            most = names;
            best = arena_strndup(c->arena, p, n);
        }
    }
    return best;
}

static void community_add_quotes(struct ctx *c, struct buf *b, const struct community_words *w, struct uuids *quoted)
{
    const struct community_chunk *v = w->chunks.v;

    quoted->v = ARENA_ARRAY(c->arena, struct uuid, COMMUNITY_QUOTES + 1);
    quoted->n = 0;
    for (size_t i = 0; i < w->chunks.n && quoted->n < COMMUNITY_QUOTES; i++) {
        const char *said = community_best_sentence(c, w, &v[i]);

        if (!said || strstr(buf_str(b), said))
            continue;
        buf_printf(b, "%s“%s” [%s]", quoted->n ? " " : "Quotes: ", said, UUID_STR(v[i].id));
        quoted->v[quoted->n++] = v[i].id;
    }
}

static void community_add_documents(struct buf *b, const struct community_words *w)
{
    const struct community_chunk *v = w->chunks.v;
    size_t n = 0;

    for (size_t i = 0; i < w->chunks.n && n < 4; i++) {
        bool was = false;

        for (size_t k = 0; k < i && !was; k++)
            was = str_eq(v[k].document, v[i].document);
        if (!was)
            buf_printf(b, "%s%.80s", n++ ? ", " : " Documents: ", v[i].document);
    }
    if (n)
        buf_puts(b, ".");
}

err community_text_make(struct ctx *c, const struct name_graph *g, const uint32_t *nodes, const double *strength, size_t n,
                        struct community_text *out)
{
    struct community_words w = {.g = g, .nodes = nodes, .n = n};
    struct buf title, text;

    TRY(community_words_read(c, strength, &w));
    buf_init(&title, c->arena, 256);
    buf_init(&text, c->arena, 2048);
    for (size_t i = 0; i < w.n && i < TITLE_NAMES; i++)
        buf_printf(&title, "%s%s", i ? ", " : "", w.names[i]);
    buf_printf(&text, "%zu names: ", n);
    for (size_t i = 0; i < w.n && i < SHOWN_NAMES; i++)
        buf_printf(&text, "%s%s", i ? ", " : "", w.names[i]);
    buf_puts(&text, n > SHOWN_NAMES ? " and others. " : ". ");
    community_add_quotes(c, &text, &w, &out->quoted);
    buf_puts(&text, out->quoted.n ? " " : "");
    community_add_relations(&text, &w);
    community_add_documents(&text, &w);
    out->title = text_cut(c->arena, buf_str(&title), LIMIT_TITLE, true);
    out->summary = text_cut(c->arena, buf_str(&text), COMMUNITY_SUMMARY, true);
    return ctx_check_size(c);
}
