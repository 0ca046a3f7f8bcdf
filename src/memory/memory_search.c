/* Recall over what is kept, words over what is live, ranked together; see memory_search.h. */
#include "memory_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "entry_search.h"
#include "live_search.h"
#include "long_term.h"
#include "private_impl.h"
#include "recall.h"
#include "subject.h"
#include "working_write.h"

#define KINDS_MAX 8
#define DEGRADED_MAX 32

struct search {
    const struct memory_search *in;
    bool tiers[TIER_SHARED + 1];
    struct uuid context; /* nil: any */
    struct memory_hit *hits;
    size_t n;
    struct strs degraded;
    const char *evidence; /* of what is kept; NULL: it was not searched */
    double probability;
};

/* ---- what is asked */

static err memory_search_check(struct ctx *c, struct search *s)
{
    const struct memory_search *in = s->in;

    if (str_empty(in->query) && !in->query_embedding.n)
        return fail_field(c, "/query", "give query, or query_embedding with model");
    if (in->query_embedding.n && str_empty(in->model))
        return fail_field(c, "/model", "model is required with query_embedding");
    for (int t = 0; t <= TIER_SHARED; t++)
        s->tiers[t] = !in->tiers.n;
    for (size_t i = 0; i < in->tiers.n; i++) {
        int t;

        if (!enumx_parse(&memory_tier_enumx, in->tiers.v[i], &t))
            return fail_field(c, arena_printf(c->arena, "/tiers/%zu", i), "unknown tier '%s': use working, short_term, long_term or shared",
                              in->tiers.v[i]);
        s->tiers[t] = true;
    }
    return ERR_OK;
}

/* A context has entries only. */
static err narrow(struct ctx *c, struct search *s)
{
    struct context x;

    if (!s->in->context)
        return ERR_OK;
    TRY(context_get(c, s->in->context, &x));
    s->context = x.id;
    s->tiers[TIER_WORKING] = s->tiers[TIER_SHORT_TERM] = s->tiers[TIER_SHARED] = false;
    return ERR_OK;
}

/* ---- what is kept */

static const char *memory_search_tier_of(const char *kind)
{
    return enumx_name(&memory_tier_enumx, str_eq(kind, "entry") || str_eq(kind, "fact") ? TIER_LONG_TERM : TIER_SHARED);
}

static void memory_search_add_kept(struct search *s, const struct recall_out *found)
{
    const struct recall_hit *h = found->hits.v;

    for (size_t i = 0; i < found->hits.n; i++)
        s->hits[s->n++] = (struct memory_hit){
            .tier = memory_search_tier_of(h[i].kind), .kind = h[i].kind, .id = h[i].id, .space_id = h[i].space_id, .key = h[i].title, .text = h[i].body,
            .text_cut = h[i].body_cut, .untrusted = true, .score = h[i].score, .similarity = h[i].similarity < 0 ? -1 : h[i].similarity,
            .created_at = h[i].created_at };
    for (size_t i = 0; i < found->degraded.n && s->degraded.n < DEGRADED_MAX; i++)
        s->degraded.v[s->degraded.n++] = found->degraded.v[i];
}

static struct strs memory_search_kinds_of(struct ctx *c, const struct search *s)
{
    static const struct { enum memory_tier tier; const char *kind; } KINDS[] = {
        { TIER_LONG_TERM, "entry" }, { TIER_LONG_TERM, "fact" }, { TIER_SHARED, "learning" }, { TIER_SHARED, "knowledge" },
        { TIER_SHARED, "pool_entry" },
    };
    struct strs out = {ARENA_ARRAY(c->arena, const char *, KINDS_MAX), 0};

    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++)
        if (s->tiers[KINDS[i].tier])
            out.v[out.n++] = KINDS[i].kind;
    return out;
}

static err log_contexts(struct ctx *c, const struct search *s)
{
    struct uuid *contexts = ARENA_ARRAY(c->arena, struct uuid, s->n + 1);
    size_t n = 0;

    for (size_t i = 0; i < s->n; i++)
        if (str_eq(s->hits[i].tier, enumx_name(&memory_tier_enumx, TIER_LONG_TERM)))
            contexts[n++] = s->hits[i].space_id;
    return entry_search_log(c, s->in->query, uuid_is_nil(s->context) ? NULL : &s->context, contexts, n);
}

static err search_kept(struct ctx *c, struct search *s)
{
    const char *archived = "archived";
    struct recall_in ask;
    struct recall_out found;

    recall_in_defaults(&ask);
    ask.kinds = memory_search_kinds_of(c, s);
    if (!ask.kinds.n)
        return ERR_OK;
    ask.query = s->in->query ? s->in->query : "";
    ask.embedding = s->in->query_embedding;
    ask.model = s->in->model;
    ask.mode = str_empty(s->in->query) ? MODE_VECTOR : MODE_HYBRID;
    ask.limit = s->in->limit;
    ask.min_score = s->in->min_score;
    ask.keeps_words = true;
    ask.body_chars = MEMORY_SEARCH_TEXT;
    ask.touch = true;
    if (s->in->include_archived)
        ask.include = (struct strs){&archived, 1};
    if (!uuid_is_nil(s->context))
        ask.spaces = (struct uuids){&s->context, 1};
    TRY(recall_run(c, &ask, &found));
    memory_search_add_kept(s, &found);
    s->evidence = found.evidence;
    s->probability = found.probability;
    return log_contexts(c, s);
}

/* ---- what is live */

static void add_live(struct ctx *c, struct search *s, const struct list *found)
{
    struct memory_hit *more = ARENA_ARRAY(c->arena, struct memory_hit, s->n + found->n + 1);

    if (s->n)
        memcpy(more, s->hits, s->n * sizeof *more);
    if (found->n)
        memcpy(more + s->n, found->v, found->n * sizeof *more);
    s->hits = more;
    s->n += found->n;
}

static err search_live(struct ctx *c, struct search *s)
{
    struct list found = {0};
    err e = s->tiers[TIER_WORKING] ? live_search_working(c, s->in, &found) : ERR_OK;

    if (e == ERR_UNAVAILABLE) { /* Redis is away: what is in MariaDB is still there */
        ctx_forgive(c);
        s->degraded.v[s->degraded.n++] = "working_memory";
    } else {
        TRY(e);
        add_live(c, s, &found);
    }
    if (!s->tiers[TIER_SHORT_TERM])
        return ERR_OK;
    TRY(live_search_short_term(c, s->in, &found));
    add_live(c, s, &found);
    return ERR_OK;
}

/* ---- together */

/* Ties: the newer id first, then by key, so that two searches agree. */
static int memory_search_by_score(const void *a, const void *b)
{
    const struct memory_hit *x = a, *y = b;
    int ids = uuid_cmp(y->id, x->id);

    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return ids ? ids : strcmp(x->key, y->key);
}

err memory_search(struct ctx *c, const struct memory_search *in, struct memory_hits *out)
{
    struct working_scope scope = {.agent_id = subject_of(c, in->agent_id), .session_id = in->session_id,
                                  .run_id = in->run_id, .task_id = in->task_id};
    struct search s = { .in = in, .hits = ARENA_ARRAY(c->arena, struct memory_hit, RECALL_LIMIT + 1),
                        .degraded = { ARENA_ARRAY(c->arena, const char *, DEGRADED_MAX + 1), 0 } };
    struct uuid pool;
    bool has_pool;

    TRY(working_enter(c, &scope, ACCESS_READ));
    TRY(memory_search_check(c, &s));
    TRY(long_term_open(c, scope.agent_id));
    TRY(private_pool_there(c, scope.agent_id, &has_pool, &pool));
    TRY(narrow(c, &s));
    TRY(search_kept(c, &s));
    if (!str_empty(in->query))
        TRY(search_live(c, &s));
    qsort(s.hits, s.n, sizeof *s.hits, memory_search_by_score);
    out->hits = (struct list){s.hits, s.n < (size_t)in->limit ? s.n : (size_t)in->limit};
    out->degraded = s.degraded;
    out->evidence = s.evidence;
    out->probability = s.probability;
    return ERR_OK;
}
