/* SQL of the audit trail. */
#include "audit_store.h"

#include <string.h>

#include "like.h"

const char *audit_store_text(struct ctx *c, const struct json *j)
{
    return j ? json_text(c->arena, j) : NULL;
}

err audit_store_insert(struct ctx *c, const struct audit_event *e)
{
    return db_exec(c, NULL, AUDIT_INSERT AUDIT_ROW, AUDIT_VALUES(c, e));
}

err audit_store_insert_many(struct ctx *c, const struct audit_event *e, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, AUDIT_INSERT);
    for (size_t i = 0; i < n; i++) {
        if (i)
            sql_add(&s, ", ");
        sql_add(&s, AUDIT_ROW, AUDIT_VALUES(c, &e[i]));
    }
    return sql_exec(c, NULL, &s);
}

/* The smallest id that an event of that time can have; a minute is left for clocks and counters that ran ahead. */
static struct uuid id_floor(struct instant t, int64_t slack_us)
{
    struct uuid id = {{0}};
    int64_t us = t.us + slack_us;
    uint64_t ms = us > 0 ? (uint64_t)us / 1000 : 0;

    for (int i = 5; i >= 0; i--, ms >>= 8)
        id.b[i] = (uint8_t)(ms & 0xff);
    id.b[6] = 0x70;
    id.b[8] = 0x80;
    return id;
}

static void audit_store_conditions(struct ctx *c, struct sql *s, const struct audit_filter *f)
{
    if (!uuid_is_nil(f->subject_id))
        sql_add(s, " AND subject_id = ?", IN(f->subject_id));
    if (!uuid_is_nil(f->actor_id))
        sql_add(s, " AND actor_id = ?", IN(f->actor_id));
    if (!str_empty(f->kind))
        sql_add(s, " AND kind LIKE ?", IN(like_prefix(c->arena, f->kind)));
    if (f->of_spaces)
        sql_add_in_uuids(s, "space_id", f->spaces.v, f->spaces.n);
    if (f->from.us)
        sql_add(s, " AND at >= ? AND id >= ?", IN(f->from), IN(id_floor(f->from, -60 * SECOND_US)));
    if (f->to.us)
        sql_add(s, " AND at < ? AND id < ?", IN(f->to), IN(id_floor(f->to, 60 * SECOND_US)));
}

static err audit_store_read_row(struct ctx *c, struct db_cursor *q, bool *found, struct audit_event *e)
{
    const char *before = NULL, *after = NULL, *payload = NULL;

    TRY(db_row(q, c, found, OUT(&e->id), OUT(&e->at), OUT(&e->kind), OUT(&e->actor_kind), OUT_OPT(&e->actor_id),
               OUT(&e->subject_kind), OUT_OPT(&e->subject_id), OUT_OPT(&e->space_id), OUT(&e->request_id), OUT(&e->ip),
               OUT_OPT(&before), OUT_OPT(&after), OUT_OPT(&payload)));
    e->before = before ? json_raw(c->arena, before) : NULL;
    e->after = after ? json_raw(c->arena, after) : NULL;
    e->payload = payload ? json_raw(c->arena, payload) : NULL;
    return ERR_OK;
}

err audit_store_list(struct ctx *c, const struct audit_filter *f, struct uuid before, struct audit_event **rows, size_t *n)
{
    struct audit_event *e = ARENA_ARRAY(c->arena, struct audit_event, (size_t)f->limit + 2);
    scoped_cursor q = {0};
    struct sql s;
    bool found;
    size_t k = 0;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT id, at, kind, actor_kind, actor_id, subject_kind, subject_id, space_id, request_id, ip, before_state, "
                "after_state, payload FROM audit_event WHERE account_id = ? AND id < ?", IN(c->account_id), IN(before));
    audit_store_conditions(c, &s, f);
    sql_add(&s, " ORDER BY id DESC LIMIT ?", IN(f->limit + 1));
    TRY(sql_query(c, &q, &s));
    for (;; k++) {
        TRY(audit_store_read_row(c, &q, &found, &e[k]));
        if (!found)
            break;
    }
    *rows = e;
    *n = k;
    return ERR_OK;
}

err audit_store_purge(struct ctx *c, struct instant older_than, int64_t limit, int64_t *n)
{
    return db_exec(c, n, "DELETE FROM audit_event WHERE account_id = ? AND id < ? AND at < ? ORDER BY id LIMIT ?",
                   IN(c->account_id), IN(id_floor(older_than, 60 * SECOND_US)), IN(older_than), IN(limit));
}
