/* SQL of the brief. */
#include "brief_store.h"

#include "row.h"

static err brief_fact_read(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct brief_fact *f = row;

    return db_row(q, c, found, OUT(&f->id), OUT(&f->statement), OUT_OPT(&f->since));
}

err brief_store_facts(struct ctx *c, struct uuids spaces, size_t max, struct list *out)
{
    struct sql s;
    void *rows;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT n.id, n.body, n.valid_from FROM fact f JOIN node n ON n.account_id = f.account_id AND n.id = f.node_id WHERE "
                "f.account_id = ? AND n.status = 'active' AND n.forgotten_at IS NULL AND n.archived_at IS NULL AND f.contested = 0 AND "
                "f.modality = 'asserted' AND (n.valid_to IS NULL OR n.valid_to > ?)", IN(c->account_id), IN(c->now));
    sql_add_in_uuids(&s, "n.space_id", spaces.v, spaces.n);
    sql_add(&s, " ORDER BY f.node_id LIMIT ?", IN((int64_t)max));
    TRY(sql_rows(c, &s, max, sizeof(struct brief_fact), brief_fact_read, &rows, &out->n));
    out->v = rows;
    return ERR_OK;
}

static err brief_row_read(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct brief_row *r = row;

    return db_row(q, c, found, OUT(&r->id), OUT(&r->title), OUT(&r->body), OUT(&r->attrs));
}

err brief_store_kind(struct ctx *c, const char *kind, struct uuids spaces, size_t max, struct list *out)
{
    struct sql s;
    void *rows;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT id, title, body, attrs FROM node FORCE INDEX (node_space) WHERE account_id = ? AND kind = ? AND status = 'active' "
                "AND forgotten_at IS NULL AND archived_at IS NULL", IN(c->account_id), IN(kind));
    sql_add_in_uuids(&s, "space_id", spaces.v, spaces.n);
    sql_add(&s, " ORDER BY id LIMIT ?", IN((int64_t)max));
    TRY(sql_rows(c, &s, max, sizeof(struct brief_row), brief_row_read, &rows, &out->n));
    out->v = rows;
    return ERR_OK;
}

static err brief_turn_read(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct brief_turn *t = row;

    return db_row(q, c, found, OUT(&t->id), OUT(&t->body), OUT(&t->role), OUT(&t->at));
}

err brief_store_turns(struct ctx *c, struct uuid space_id, struct instant before, size_t max, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT n.id, LEFT(n.body, 2000), e.role, e.captured_at FROM node n FORCE INDEX (node_space_time) JOIN episode e ON "
            "e.account_id = n.account_id AND e.id = n.id WHERE n.account_id = ? AND n.space_id = ? AND n.created_at < ? AND n.status = "
            "'active' AND n.forgotten_at IS NULL AND n.archived_at IS NULL ORDER BY n.id DESC LIMIT ?", IN(c->account_id), IN(space_id),
            IN(before), IN((int64_t)max));
    return sql_rows(c, &s, max, sizeof(struct brief_turn), brief_turn_read, &out->v, &out->n);
}

err brief_store_began(struct ctx *c, struct uuid agent_id, const char *session_id, struct instant *at)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q, "SELECT created_at FROM injection WHERE account_id = ? AND session_id = ? AND agent_id = ? ORDER BY id LIMIT 1",
                 IN(c->account_id), IN(session_id), IN(agent_id)));
    return db_row(&q, c, &found, OUT(at));
}

err brief_store_log(struct ctx *c, const struct injection *i)
{
    return row_insert(c, &INJECTION, i);
}

err brief_store_logged(struct ctx *c, const struct injection_filter *f, struct uuid before, struct page *out)
{
    struct sql s;

    row_select(&s, c->arena, &INJECTION, "SELECT {*} FROM {from} WHERE account_id = ? AND id < ?", IN(c->account_id), IN(before));
    if (f->session_id)
        sql_add(&s, " AND session_id = ?", IN(f->session_id));
    if (!uuid_is_nil(f->agent_id))
        sql_add(&s, " AND agent_id = ?", IN(f->agent_id));
    if (!uuid_is_nil(f->node_id))
        sql_add(&s, " AND JSON_CONTAINS(node_ids, JSON_QUOTE(?))", IN(arena_strdup(c->arena, UUID_STR(f->node_id))));
    sql_add(&s, " ORDER BY id DESC LIMIT ?", IN(f->limit + 1));
    return row_page(c, &INJECTION, &s, f->limit, out);
}

err brief_store_due(struct ctx *c, struct instant before, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT DISTINCT account_id FROM injection WHERE created_at < ? AND account_id > ? ORDER BY account_id LIMIT ?",
                 IN(before), IN(above), IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}

err brief_store_purge(struct ctx *c, struct instant before, int64_t limit, int64_t *n)
{
    return db_exec(c, n, "DELETE FROM injection WHERE account_id = ? AND created_at < ? ORDER BY created_at LIMIT ?", IN(c->account_id),
                   IN(before), IN(limit));
}
