/* SQL of facts. */
#include "fact_store.h"

#include "db.h"

err fact_store_current(struct ctx *c, const struct bytes *slot_keys, size_t n, struct fact_row *rows, size_t *found)
{
    scoped_cursor q = {0};
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT f.node_id, f.space_id, f.slot_key, f.object_key, f.mention_count, f.last_seen_at, n.version, n.valid_from "
                "FROM fact f JOIN node n ON n.account_id = f.account_id AND n.id = f.node_id WHERE f.account_id = ? AND f.current = 1 "
                "AND f.slot_key IN (NULL", IN(c->account_id));
    for (size_t i = 0; i < n; i++)
        sql_add(&s, ",?", IN(slot_keys[i]));
    sql_add(&s, ") FOR UPDATE");
    TRY(sql_query(c, &q, &s));
    *found = 0;
    for (bool more;; ++*found) {
        struct fact_row *r = &rows[*found];

        TRY(db_row(&q, c, &more, OUT(&r->node_id), OUT(&r->space_id), OUT(&r->slot_key), OUT(&r->object_key), OUT(&r->mention_count),
                   OUT(&r->last_seen_at), OUT(&r->version), OUT_OPT(&r->valid_from)));
        if (!more)
            return ERR_OK;
    }
}

err fact_store_insert(struct ctx *c, const struct fact_row *rows, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "INSERT INTO fact (account_id, node_id, space_id, slot_key, current, predicate, object_json, object_key, "
                "first_seen_at, last_seen_at) VALUES ");
    for (size_t i = 0; i < n; i++) {
        const struct fact_row *f = &rows[i];

        if (i)
            sql_add(&s, ", ");
        sql_add(&s, "(?,?,?,?,1,?,?,?,?,?)", IN(c->account_id), IN(f->node_id), IN(f->space_id), IN(f->slot_key), IN(f->predicate),
                IN(json_text(c->arena, f->object)), IN(f->object_key), IN(c->now), IN(c->now));
    }
    return sql_exec(c, NULL, &s);
}

err fact_store_mention(struct ctx *c, struct uuid node_id)
{
    return db_exec(c, NULL, "UPDATE fact SET mention_count = mention_count + 1, last_seen_at = ? WHERE account_id = ? AND node_id = ?",
                   IN(c->now), IN(c->account_id), IN(node_id));
}

err fact_store_hold(struct ctx *c, const struct uuid *ids, size_t n, bool holds)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "UPDATE fact SET current = NULLIF(?, 0) WHERE account_id = ?", IN((int64_t)holds), IN(c->account_id));
    sql_add_in_uuids(&s, "node_id", ids, n);
    return sql_exec(c, NULL, &s);
}
