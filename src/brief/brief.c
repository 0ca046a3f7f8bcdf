/* Assembling a brief: every source in its time box, one recall for all, then what fits; see brief.h. */
#include "brief.h"

#include <string.h>

#include "access.h"
#include "agent.h"
#include "audit.h"
#include "brief_impl.h"
#include "brief_store.h"
#include "clock.h"
#include "content.h"
#include "db.h"
#include "edge.h"
#include "evidence.h"
#include "inert.h"
#include "node.h"
#include "principal.h"
#include "simhash.h"

#define SECTION_BOX_US 400000
#define RECALL_HITS_MAX 60
#define QUERY_TAIL 2000 /* characters of messages */
#define LINE_CHARS 300

/* ---- items */

struct brief_item *brief_add(struct ctx *c, struct briefing *b, size_t section, struct uuid id, const char *kind, const char *line)
{
    struct brief_item *item = &b->items[b->n];

    (void)c;
    if (b->n == BRIEF_ITEMS)
        return NULL;
    *item = (struct brief_item){.id = id, .kind = kind, .line = line, .section = section, .tokens = content_tokens(line)};
    b->n++;
    return item;
}

const char *brief_line(struct arena *a, const char *tag, struct uuid id, const char *attrs, const char *text, size_t most)
{
    return arena_printf(a, "<%s id=\"%s\"%s>%s</%s>", tag, UUID_STR(id), attrs, inert_text(a, text_cut(a, text, most, true)), tag);
}

int brief_weight(const struct brief_in *in, size_t section)
{
    const struct json *said = in->sections ? json_get(in->sections, BRIEF_SOURCES[section].name) : NULL;

    if (!said)
        return BRIEF_SOURCES[section].weight;
    return json_is(said, JSON_INT) ? (int)said->i : 0;
}

static err brief_check_sections(struct ctx *c, const struct json *sections)
{
    for (const struct json *m = sections ? sections->first : NULL; m; m = m->next) {
        bool known = false;

        for (size_t s = 0; s < BRIEF_N_SOURCES && !known; s++)
            known = str_eq(m->key, BRIEF_SOURCES[s].name);
        if (!known || !((json_is(m, JSON_INT) && m->i >= 0 && m->i <= 100) || (json_is(m, JSON_BOOL) && !m->b)))
            return fail_field(c, "/sections", "sections is {name: weight from 0 to 100, or false}");
    }
    return ERR_OK;
}

/* ---- the query */

static const char *brief_query(struct ctx *c, const struct brief_in *in)
{
    const struct brief_message *v = in->messages.v;
    struct buf all;
    const char *text;
    size_t n;

    if (in->query)
        return in->query;
    buf_init(&all, c->arena, 1u << 20);
    for (size_t i = 0; i < in->messages.n; i++)
        buf_printf(&all, "%s\n", v[i].content);
    text = buf_str(&all);
    n = strlen(text);
    text += n > QUERY_TAIL ? n - QUERY_TAIL : 0;
    while (((unsigned char)*text & 0xc0) == 0x80)
        text++;
    return *text ? text : NULL;
}

/* ---- one recall for all that is found by the query */

static err brief_recall(struct ctx *c, struct briefing *b)
{
    struct recall_in r;

    if (!b->query)
        return ERR_OK;
    recall_in_defaults(&r);
    r.query = b->query;
    r.limit = RECALL_HITS_MAX;
    r.as_of = b->in->as_of;
    r.as_known_at = b->in->as_known_at;
    r.min_evidence = b->in->min_evidence;
    r.body_chars = LINE_CHARS;
    r.touch = false; /* what is shown in the end counts */
    TRY(recall_run(c, &r, &b->recalled));
    b->has_recalled = true;
    b->out->evidence = b->recalled.evidence ? b->recalled.evidence : "none";
    b->out->degraded = b->recalled.degraded;
    return ERR_OK;
}

static void brief_add_hit(struct ctx *c, struct briefing *b, const struct recall_hit *h, size_t section)
{
    char text[INSTANT_TEXT];
    const char *body = h->body && *h->body ? h->body : h->title ? h->title : "";
    struct instant when = h->valid_from.us ? h->valid_from : h->created_at;
    const char *title = h->title && *h->title && body != h->title ? arena_printf(c->arena, "%s: ", h->title) : "";
    const char *line = arena_printf(c->arena, "<memory id=\"%s\" kind=\"%s\" since=\"%.10s\" band=\"%s\">%s%s</memory>", UUID_STR(h->id),
                                    h->kind, instant_text(when, text), h->band ? h->band : "low", title, body);
    struct brief_item *item = brief_add(c, b, section, h->id, h->kind, line);

    if (item)
        item->simhash = simhash("", body);
}

/* Titles and bodies of hits are inert already. */
static err brief_add_hits(struct ctx *c, struct briefing *b, size_t section)
{
    const struct recall_hit *v = b->recalled.hits.v;
    size_t n = 0;

    for (size_t i = 0; b->has_recalled && i < b->recalled.hits.n && n < BRIEF_SOURCES[section].most; i++)
        if (BRIEF_SOURCES[section].takes(v[i].kind)) {
            brief_add_hit(c, b, &v[i], section);
            n++;
        }
    return ERR_OK;
}

static void brief_say_nearest(struct ctx *c, struct briefing *b)
{
    const struct recall_hit *v = b->recalled.nearest.v;
    struct brief_near *near = ARENA_ARRAY(c->arena, struct brief_near, b->recalled.nearest.n + 1);

    b->out->nearest = (struct list){near, b->recalled.nearest.n};
    for (size_t i = 0; i < b->recalled.nearest.n; i++)
        near[i] = (struct brief_near){v[i].id, v[i].kind, v[i].title ? v[i].title : ""};
}

/* ---- sources, each in its time box; one that fails is named and left out */

static void brief_fail(struct ctx *c, struct briefing *b, const char *section, err e)
{
    struct brief_error *v = b->out->errors.v;

    v[b->out->errors.n++] = (struct brief_error){section, err_info(e)->slug};
    ctx_forgive(c);
}

static void brief_gather(struct ctx *c, struct briefing *b)
{
    int64_t deadline = c->deadline_us;
    err e = brief_recall(c, b);

    b->out->errors.v = ARENA_ARRAY(c->arena, struct brief_error, BRIEF_N_SOURCES + 1);
    if (e != ERR_OK)
        brief_fail(c, b, "recall", e);
    for (size_t s = 0; s < BRIEF_N_SOURCES; s++) {
        int64_t box = clock_monotonic_us() + SECTION_BOX_US;

        if (!brief_weight(b->in, s))
            continue;
        c->deadline_us = deadline && deadline < box ? deadline : box;
        e = BRIEF_SOURCES[s].gather ? BRIEF_SOURCES[s].gather(c, b, s) : brief_add_hits(c, b, s);
        c->deadline_us = deadline;
        if (e != ERR_OK)
            brief_fail(c, b, BRIEF_SOURCES[s].name, e);
    }
}

/* ---- what is left of it */

static err brief_log(struct ctx *c, struct briefing *b)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, b->n + 1);
    struct injection row = {.id = uuid_new(c->now.us), .agent_id = c->who->id, .session_id = b->in->session_id,
                            .stable_hash = b->out->stable->hash, .evidence = b->out->evidence, .tokens = b->out->tokens,
                            .created_at = c->now};
    size_t n = 0;

    for (size_t i = 0; i < b->n; i++)
        if (b->items[i].kept && !uuid_is_nil(b->items[i].id))
            ids[n++] = b->items[i].id;
    node_touch(c, ids, n);
    row.node_ids = (struct uuids){ids, n};
    return brief_store_log(c, &row);
}

static err brief_make(struct ctx *c, const struct brief_in *in, struct brief *out)
{
    struct briefing *b = ARENA_NEW(c->arena, struct briefing);

    *out = (struct brief){.agent_id = c->who->id, .evidence = "none"};
    b->in = in;
    b->out = out;
    b->query = brief_query(c, in);
    if (b->query && str_code_points(b->query, strlen(b->query)) < BRIEF_LONG_QUERY)
        b->query = NULL;
    brief_gather(c, b);
    TRY(brief_dedup(c, b));
    brief_pack(c, b);
    brief_render(c, b);
    brief_say_nearest(c, b);
    return in->preview ? ERR_OK : brief_log(c, b);
}

/* ---- for whom */

/* Whoever asks for another agent sees what that agent may see, and the audit trail says so. */
static err brief_for_agent(struct ctx *c, const struct brief_in *in, struct brief *out)
{
    struct agent_self self;
    err e;

    TRY(agent_stand_in(c, in->agent_id, "context_on_behalf", &self));
    e = brief_make(c, in, out);
    agent_stand_down(c, &self);
    return e;
}

err brief_build(struct ctx *c, const struct brief_in *in, struct brief *out)
{
    TRY(brief_check_sections(c, in->sections));
    if (uuid_is_nil(in->agent_id) || uuid_eq(in->agent_id, c->who->id))
        return brief_make(c, in, out);
    return brief_for_agent(c, in, out);
}
