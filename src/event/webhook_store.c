/* SQL of webhooks and their deliveries; see webhook_store.h. */
#include "webhook_store.h"

#include "row.h"

/* ---- webhooks */

err webhook_store_get(struct ctx *c, struct uuid id, bool *found, struct webhook *w)
{
    return row_get(c, &WEBHOOK_WITH_SECRET, id, found, w);
}

err webhook_store_lock(struct ctx *c, struct uuid id, bool *found, struct webhook *w)
{
    return row_one(c, &WEBHOOK_WITH_SECRET, found, w, "SELECT {*} FROM {from} WHERE account_id = ? AND id = ? FOR UPDATE",
                   IN(c->account_id), IN(id));
}

err webhook_store_count(struct ctx *c, int64_t *n)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q, "SELECT COUNT(*) FROM webhook WHERE account_id = ?", IN(c->account_id)));
    return db_row(&q, c, &found, OUT(n));
}

err webhook_store_list(struct ctx *c, struct uuid before, int64_t limit, struct page *out)
{
    struct sql s;

    row_select(&s, c->arena, &WEBHOOK, "SELECT {*} FROM {from} WHERE w.account_id = ? AND w.id < ? ORDER BY w.id DESC LIMIT ?",
               IN(c->account_id), IN(before), IN(limit + 1));
    return row_page(c, &WEBHOOK, &s, limit, out);
}

err webhook_store_any(struct ctx *c, bool *any)
{
    scoped_cursor q = {0};
    int64_t one;

    TRY(db_query(c, &q, "SELECT 1 FROM webhook WHERE account_id = ? AND status IN ('active','paused') LIMIT 1", IN(c->account_id)));
    return db_row(&q, c, any, OUT(&one));
}

err webhook_store_taking(struct ctx *c, size_t max, struct list *out)
{
    struct sql s;

    row_select(&s, c->arena, &WEBHOOK_WITH_SECRET,
               "SELECT {*} FROM {from} WHERE account_id = ? AND status IN ('active','paused') ORDER BY id LIMIT ? FOR UPDATE",
               IN(c->account_id), IN((int64_t)max));
    return row_all(c, &WEBHOOK_WITH_SECRET, &s, max, out);
}

err webhook_store_succeeded(struct ctx *c, struct uuid id)
{
    return db_exec(c, NULL, "UPDATE webhook SET failing_since = NULL, last_success_at = ? WHERE account_id = ? AND id = ?", IN(c->now),
                   IN(c->account_id), IN(id));
}

err webhook_store_failed(struct ctx *c, struct uuid id, const char *error)
{
    return db_exec(c, NULL,
                   "UPDATE webhook SET failing_since = COALESCE(failing_since, ?), last_failure_at = ?, last_error = ? "
                   "WHERE account_id = ? AND id = ?", IN(c->now), IN(c->now), IN(error), IN(c->account_id), IN(id));
}

err webhook_store_disable(struct ctx *c, struct uuid id, const char *reason)
{
    return db_exec(c, NULL, "UPDATE webhook SET status = 'disabled', reason = ?, version = version + 1, updated_at = ? "
                            "WHERE account_id = ? AND id = ?", IN(reason), IN(c->now), IN(c->account_id), IN(id));
}

err webhook_store_delete_log(struct ctx *c, struct uuid id)
{
    return db_exec(c, NULL, "DELETE FROM webhook_delivery WHERE account_id = ? AND webhook_id = ?", IN(c->account_id), IN(id));
}

err webhook_store_failing(struct ctx *c, struct instant since, struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT id FROM webhook WHERE account_id = ? AND failing_since <= ? AND status <> 'disabled' ORDER BY id LIMIT ?",
                 IN(c->account_id), IN(since), IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}

err webhook_store_upkeep_due(struct ctx *c, struct instant failing, struct uuid before, struct uuid above, struct uuid *ids, size_t max,
                             size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q,
                 "SELECT account_id FROM (SELECT account_id FROM webhook WHERE failing_since <= ? AND status <> 'disabled' AND account_id > ? "
                 "UNION SELECT account_id FROM webhook_delivery WHERE account_id > ? GROUP BY account_id HAVING MIN(id) < ?) d "
                 "ORDER BY account_id LIMIT ?",
                 IN(failing), IN(above), IN(above), IN(before), IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}

/* ---- deliveries */

static struct list delivery_tries(struct ctx *c, const struct webhook_delivery *d)
{
    const struct json *all = json_opened(c->arena, d->log);
    struct webhook_try *rows = ARENA_ARRAY(c->arena, struct webhook_try, WEBHOOK_TRIES);
    size_t n = 0;

    for (const struct json *j = all ? all->first : NULL; j && n < WEBHOOK_TRIES; j = j->next, n++) {
        const char *at = json_get_str(j, "at");

        rows[n] = (struct webhook_try){ .http_status = json_get_int(j, "http_status", 0), .ms = json_get_int(j, "ms", 0),
                                        .error = json_get_str(j, "error") };
        if (at && !instant_parse(at, &rows[n].at))
            rows[n].at = (struct instant){0};
    }
    return (struct list){rows, n};
}

/* The log with one more, as text. */
static const char *tries_text(struct ctx *c, const struct webhook_delivery *d)
{
    const struct webhook_try *rows = d->tries.v;
    struct json *all = json_arr(c->arena);

    for (size_t i = d->tries.n < WEBHOOK_TRIES ? 0 : 1; i <= d->tries.n; i++) {
        struct webhook_try now = {c->now, d->http_status, d->ms, d->error};
        const struct webhook_try *t = i < d->tries.n ? &rows[i] : &now;
        struct json *j = json_obj(c->arena);

        json_set_str(c->arena, j, "at", arena_strdup(c->arena, instant_text(t->at, (char[INSTANT_TEXT]){0})));
        if (t->http_status)
            json_set_int(c->arena, j, "http_status", t->http_status);
        json_set_str(c->arena, j, "error", t->error);
        json_set_int(c->arena, j, "ms", t->ms);
        json_push(all, j);
    }
    return json_text(c->arena, all);
}

static err read_deliveries(struct ctx *c, struct sql *s, size_t max, struct list *out)
{
    struct webhook_delivery *rows;

    TRY(row_all(c, &WEBHOOK_DELIVERY, s, max, out));
    rows = out->v;
    for (size_t i = 0; i < out->n; i++)
        rows[i].tries = delivery_tries(c, &rows[i]);
    return ERR_OK;
}

err delivery_store_insert(struct ctx *c, const struct webhook_delivery *d, size_t n)
{
    struct sql s;

    if (!n)
        return ERR_OK;
    sql_init(&s, c->arena);
    sql_add(&s, "INSERT INTO webhook_delivery (account_id, id, webhook_id, seq, event_id, kind, subject_id, created_at) VALUES ");
    for (size_t i = 0; i < n; i++) {
        if (i)
            sql_add(&s, ", ");
        sql_add(&s, "(?,?,?,?,?,?,?,?)", IN(c->account_id), IN(d[i].id), IN(d[i].webhook_id), IN(d[i].seq), IN(d[i].event_id),
                IN(d[i].kind), IN(d[i].subject_id), IN(d[i].created_at));
    }
    return sql_exec(c, NULL, &s);
}

err delivery_store_get(struct ctx *c, struct uuid id, bool *found, struct webhook_delivery *d)
{
    TRY(row_get(c, &WEBHOOK_DELIVERY, id, found, d));
    if (*found)
        d->tries = delivery_tries(c, d);
    return ERR_OK;
}

err delivery_store_list(struct ctx *c, const struct delivery_filter *f, struct uuid before, struct list *out)
{
    struct sql s;

    row_select(&s, c->arena, &WEBHOOK_DELIVERY, "SELECT {*} FROM {from} WHERE d.account_id = ? AND d.webhook_id = ? AND d.id < ?",
               IN(c->account_id), IN(f->id), IN(before));
    if (f->status != DELIVERY_ANY_ANY)
        sql_add(&s, " AND d.status = ?", IN(enumx_name(&delivery_any_enumx, (int)f->status)));
    sql_add(&s, " ORDER BY d.id DESC LIMIT ?", IN(f->limit + 1));
    return read_deliveries(c, &s, (size_t)f->limit + 1, out);
}

err delivery_store_busy(struct ctx *c, struct uuid webhook_id, const struct uuid *subjects, size_t n, struct uuid *busy, size_t *n_busy)
{
    scoped_cursor q = {0};
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT DISTINCT subject_id FROM webhook_delivery WHERE account_id = ? AND webhook_id = ? AND status = 'pending'",
            IN(c->account_id), IN(webhook_id));
    sql_add_in_uuids(&s, "subject_id", subjects, n);
    TRY(sql_query(c, &q, &s));
    return db_ids(c, &q, busy, n, n_busy);
}

err delivery_store_heads(struct ctx *c, struct uuid webhook_id, struct uuid subject_id, size_t max, struct list *out)
{
    struct sql s;

    row_select(&s, c->arena, &WEBHOOK_DELIVERY,
               "SELECT {*} FROM {from} JOIN (SELECT MIN(seq) AS seq FROM webhook_delivery WHERE account_id = ? AND webhook_id = ?"
               " AND status = 'pending'", IN(c->account_id), IN(webhook_id));
    if (!uuid_is_nil(subject_id))
        sql_add(&s, " AND subject_id = ?", IN(subject_id));
    sql_add(&s, " GROUP BY subject_id) h ON h.seq = d.seq WHERE d.account_id = ? AND d.webhook_id = ? ORDER BY d.seq LIMIT ?",
            IN(c->account_id), IN(webhook_id), IN((int64_t)max));
    return read_deliveries(c, &s, max, out);
}

err delivery_store_tried(struct ctx *c, const struct webhook_delivery *d, bool was_posted)
{
    struct instant done = d->status == DELIVERY_PENDING ? (struct instant){0} : c->now;

    TRY(db_exec(c, NULL,
                "UPDATE webhook_delivery SET status = ?, attempts = ?, http_status = NULLIF(?, 0), error = ?, ms = ?, tried_at = ?, "
                "done_at = ? WHERE account_id = ? AND id = ?",
                IN(enumx_name(&delivery_status_enumx, (int)d->status)), IN(d->attempts), IN(d->http_status), IN_OPT(d->error), IN(d->ms),
                IN(c->now), IN_OPT(done), IN(c->account_id), IN(d->id)));
    if (!was_posted)
        return ERR_OK;
    return db_exec(c, NULL, "UPDATE webhook_delivery SET tries = ? WHERE account_id = ? AND id = ?", IN(tries_text(c, d)),
                   IN(c->account_id), IN(d->id));
}

err delivery_store_promised_again(struct ctx *c, struct uuid id)
{
    return db_exec(c, NULL, "UPDATE webhook_delivery SET round = round + 1 WHERE account_id = ? AND id = ?", IN(c->account_id), IN(id));
}

err delivery_store_again(struct ctx *c, struct uuid id)
{
    return db_exec(c, NULL, "UPDATE webhook_delivery SET status = 'pending', round = round + 1, done_at = NULL WHERE account_id = ? AND id = ?",
                   IN(c->account_id), IN(id));
}

err delivery_store_dead(struct ctx *c, struct uuid webhook_id, size_t max, struct uuid *ids, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT id FROM webhook_delivery WHERE account_id = ? AND webhook_id = ? AND status = 'dead' ORDER BY seq LIMIT ?",
                 IN(c->account_id), IN(webhook_id), IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}

err delivery_store_purge(struct ctx *c, struct uuid before, int64_t limit, int64_t *n)
{
    return db_exec(c, n, "DELETE FROM webhook_delivery WHERE account_id = ? AND id < ? ORDER BY id LIMIT ?", IN(c->account_id),
                   IN(before), IN(limit));
}
