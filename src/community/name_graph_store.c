/* SQL of the graph of names; see name_graph_store.h. */
#include "name_graph_store.h"

#include <string.h>

#include "db.h"

#define IS_THERE(t) t ".kind = 'entity' AND " t ".forgotten_at IS NULL AND " t ".status NOT IN ('forgotten','version','archived')"

/* Rows of unknown number, grown as they come: an account may have few or millions. */
static err name_graph_collect(struct ctx *c, struct sql *s, size_t size, err (*read)(struct ctx *c, struct db_cursor *q, bool *found,
                                                                                     void *row),
                              struct list *out)
{
    scoped_cursor q = {0};
    size_t cap = 1024;
    char *v = arena_array(c->arena, cap, size);

    TRY(sql_query(c, &q, s));
    for (out->n = 0;; out->n++) {
        bool found;

        if (out->n == cap) {
            char *more = arena_array(c->arena, cap *= 2, size);

            memcpy(more, v, out->n * size);
            v = more;
        }
        TRY(read(c, &q, &found, v + out->n * size));
        if (!found)
            break;
    }
    out->v = v;
    return ctx_check_size(c);
}

static err name_graph_read_use(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct name_use *r = row;

    return db_row(q, c, found, OUT(&r->chunk_id), OUT(&r->entity_id));
}

err name_graph_store_uses(struct ctx *c, const struct uuid *spaces, size_t n, int64_t max, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT e.source_id, e.target_id FROM node t JOIN edge e ON e.account_id = t.account_id AND e.target_id = t.id AND "
                "e.relation = 'MENTIONS' AND e.retired_at IS NULL WHERE t.account_id = ? AND " IS_THERE("t"), IN(c->account_id));
    sql_add_in_uuids(&s, "t.space_id", spaces, n);
    sql_add(&s, " ORDER BY e.source_id, e.target_id LIMIT ?", IN(max));
    return name_graph_collect(c, &s, sizeof(struct name_use), name_graph_read_use, out);
}

static err name_graph_read_tie(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct name_tie *r = row;

    return db_row(q, c, found, OUT(&r->source_id), OUT(&r->target_id), OUT(&r->weight));
}

err name_graph_store_ties(struct ctx *c, const struct uuid *spaces, size_t n, int64_t max, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT e.source_id, e.target_id, e.weight * e.confidence FROM node a JOIN edge e ON e.account_id = a.account_id AND "
                "e.source_id = a.id AND e.relation <> 'MENTIONS' AND e.retired_at IS NULL AND e.status = 'active' JOIN node b ON "
                "b.account_id = e.account_id AND b.id = e.target_id AND b.space_id = a.space_id AND " IS_THERE("b")
                " WHERE a.account_id = ? AND " IS_THERE("a"), IN(c->account_id));
    sql_add_in_uuids(&s, "a.space_id", spaces, n);
    sql_add(&s, " ORDER BY e.id LIMIT ?", IN(max));
    return name_graph_collect(c, &s, sizeof(struct name_tie), name_graph_read_tie, out);
}
