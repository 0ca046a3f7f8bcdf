/* Recall in pools; see pool_data.h. */
#include "pool_data.h"
#include "pool_entry_store.h"
#include "recall.h"
#include "served.h"

static const struct pool_entry *pool_query_row_of(const struct pool_entry *rows, size_t n, struct uuid node)
{
    for (size_t i = 0; i < n; i++)
        if (uuid_eq(rows[i].node_id, node))
            return &rows[i];
    return NULL;
}

/* What the caller is shown here is no new memory when it writes it down again; the body of the node begins with the key. */
static void pool_query_note_served(struct ctx *c, const struct pool_hit *hits, size_t n)
{
    struct served_text *texts = ARENA_ARRAY(c->arena, struct served_text, n + 1);

    for (size_t i = 0; i < n; i++) {
        const struct json *v = hits[i].value;

        texts[i] = (struct served_text){hits[i].node_id, v->type == JSON_STR ? v->s : json_text(c->arena, v)};
    }
    served_remember(c, texts, n);
}

err pool_recall(struct ctx *c, const struct pool_question *q, struct pool_hits *out)
{
    const char *kind = "pool_entry";
    struct recall_filters filters = {.min_importance = q->min_importance};
    struct recall_in in;
    const struct recall_hit *hit;
    struct recall_out found;
    struct pool_entry *rows;
    struct pool_hit *hits;
    struct uuid *ids;
    size_t n, k = 0;

    recall_in_defaults(&in);
    in.query = q->query;
    in.limit = q->limit;
    in.kinds = (struct strs){&kind, 1};
    in.spaces = q->pools;
    in.filters = &filters;
    in.touch = true;
    in.body_chars = 0;
    TRY(recall_run(c, &in, &found));
    hit = found.hits.v;
    ids = ARENA_ARRAY(c->arena, struct uuid, found.hits.n + 1);
    for (size_t i = 0; i < found.hits.n; i++)
        ids[i] = hit[i].id;
    TRY(pool_entry_store_of_nodes(c, ids, found.hits.n, &rows, &n));
    hits = ARENA_ARRAY(c->arena, struct pool_hit, found.hits.n + 1);
    for (size_t i = 0; i < found.hits.n; i++) {
        const struct pool_entry *e = pool_query_row_of(rows, n, ids[i]);

        if (e)
            hits[k++] = (struct pool_hit){e->key, e->value, hit[i].score, e->version, e->node_id, hit[i].space_id, true};
    }
    pool_query_note_served(c, hits, k);
    out->hits = (struct list){hits, k};
    return ERR_OK;
}

err pool_query(struct ctx *c, const char *ref, const char *query, int64_t limit, struct pool_hits *out)
{
    struct space s;

    TRY(pool_find(c, ref, &s));
    return pool_recall(c, &(struct pool_question){.pools = {&s.id, 1}, .query = query, .limit = limit}, out);
}
