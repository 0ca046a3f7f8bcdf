/* SQL of notifications. */
#include "notification_store.h"

#include "principal.h"

#define OWN_DUE "account_id = ? AND user_id = ? AND deliver_at <= ?"
#define OWN_DUE_IN(c) IN((c)->account_id), IN((c)->who->id), IN((c)->now)

err notification_store_list(struct ctx *c, const struct notification_filter *f, struct uuid before, struct page *out)
{
    struct sql s;

    row_select(&s, c->arena, &NOTIFICATION, "SELECT {*} FROM {from} WHERE " OWN_DUE " AND id < ?", OWN_DUE_IN(c), IN(before));
    if (f->unread)
        sql_add(&s, " AND read_at IS NULL");
    sql_add(&s, " ORDER BY id DESC LIMIT ?", IN(f->limit + 1));
    return row_page(c, &NOTIFICATION, &s, f->limit, out);
}

err notification_store_get(struct ctx *c, struct uuid id, bool *found, struct notification *out)
{
    return row_one(c, &NOTIFICATION, found, out, "SELECT {*} FROM {from} WHERE " OWN_DUE " AND id = ?", OWN_DUE_IN(c), IN(id));
}

err notification_store_read(struct ctx *c, struct uuid id, int64_t *n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "UPDATE notification SET read_at = ? WHERE " OWN_DUE " AND read_at IS NULL", IN(c->now), OWN_DUE_IN(c));
    if (!uuid_is_nil(id))
        sql_add(&s, " AND id = ?", IN(id));
    return sql_exec(c, n, &s);
}

err notification_store_silence(struct ctx *c, struct uuid id)
{
    return db_exec(c, NULL, "UPDATE notification SET read_at = ? WHERE account_id = ? AND id = ?", IN(c->now), IN(c->account_id), IN(id));
}

err notification_store_tell_later(struct ctx *c, struct uuid id)
{
    return db_exec(c, NULL, "UPDATE notification SET tell_at = deliver_at WHERE account_id = ? AND id = ?", IN(c->account_id), IN(id));
}

err notification_store_tell_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT DISTINCT account_id FROM notification WHERE tell_at <= ? AND account_id > ? ORDER BY account_id LIMIT ?",
                 IN(c->now), IN(above), IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}

err notification_store_tell(struct ctx *c, int64_t limit, struct list *due)
{
    const struct notification *v;
    struct sql s;
    struct uuid *ids;

    row_select(&s, c->arena, &NOTIFICATION, "SELECT {*} FROM {from} WHERE tell_at <= ? AND account_id = ? ORDER BY tell_at "
               "LIMIT ? FOR UPDATE", IN(c->now), IN(c->account_id), IN(limit));
    TRY(row_all(c, &NOTIFICATION, &s, (size_t)limit, due));
    if (!due->n)
        return ERR_OK;
    v = due->v;
    ids = ARENA_ARRAY(c->arena, struct uuid, due->n);
    for (size_t i = 0; i < due->n; i++)
        ids[i] = v[i].id;
    sql_init(&s, c->arena);
    sql_add(&s, "UPDATE notification SET tell_at = NULL WHERE account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "id", ids, due->n);
    return sql_exec(c, NULL, &s);
}

err notification_store_count(struct ctx *c, int64_t most, int64_t *n)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q, "SELECT COUNT(*) FROM (SELECT 1 FROM notification WHERE " OWN_DUE " AND read_at IS NULL LIMIT ?) u", OWN_DUE_IN(c),
                 IN(most)));
    return db_row(&q, c, &found, OUT(n));
}

err notification_store_reader(struct ctx *c, struct uuid wanted, struct uuid *id, bool *found)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT id FROM user WHERE account_id = ? AND status = 'active' AND IF(? IS NULL, role = 'owner', id = ?) "
                 "ORDER BY id LIMIT 1", IN(c->account_id), IN_OPT(wanted), IN_OPT(wanted)));
    return db_row(&q, c, found, OUT(id));
}

err notification_store_sent(struct ctx *c, struct instant since, int64_t *n)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q, "SELECT COUNT(*) FROM notification WHERE account_id = ? AND sender_id = ? AND created_at > ? FOR UPDATE",
                 IN(c->account_id), IN(c->who->id), IN(since)));
    return db_row(&q, c, &found, OUT(n));
}

err notification_store_due(struct ctx *c, struct instant before, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT DISTINCT account_id FROM notification WHERE created_at < ? AND account_id > ? ORDER BY account_id LIMIT ?",
                 IN(before), IN(above), IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}

err notification_store_purge(struct ctx *c, struct instant before, int64_t limit, int64_t *n)
{
    return db_exec(c, n, "DELETE FROM notification WHERE account_id = ? AND created_at < ? ORDER BY created_at LIMIT ?",
                   IN(c->account_id), IN(before), IN(limit));
}
