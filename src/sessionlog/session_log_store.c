/* SQL of session logs. */
#include "session_log_store.h"

#include "row.h"

#define BLOCKS_MAX 200000

err session_log_store_make(struct ctx *c, const struct session_head *h)
{
    return db_exec(c, NULL, "INSERT IGNORE INTO session_head (account_id, id, space_id, external_id, created_at, updated_at) VALUES "
        "(?, ?, ?, ?, ?, ?)", IN(c->account_id), IN(h->id), IN(h->space_id), IN(h->external_id), IN(c->now), IN(c->now));
}

err session_log_store_get(struct ctx *c, struct uuid space_id, const char *external_id, bool lock, bool *found, struct session_head *out)
{
    if (lock)
        return row_one(c, &SESSION_HEAD, found, out, "SELECT {*} FROM {from} WHERE account_id = ? AND space_id = ? AND external_id = ? "
            "FOR UPDATE", IN(c->account_id), IN(space_id), IN(external_id));
    return row_one(c, &SESSION_HEAD, found, out, "SELECT {*} FROM {from} WHERE account_id = ? AND space_id = ? AND external_id = ?",
        IN(c->account_id), IN(space_id), IN(external_id));
}

err session_log_store_list(struct ctx *c, const struct session_filter *f, struct uuids spaces, struct uuid before, struct page *out)
{
    struct sql s;

    row_select(&s, c->arena, &SESSION_HEAD, "SELECT {*} FROM {from} WHERE account_id = ? AND id < ?", IN(c->account_id), IN(before));
    sql_add_in_uuids(&s, "space_id", spaces.v, spaces.n);
    sql_add(&s, " ORDER BY id DESC LIMIT ?", IN(f->limit + 1));
    return row_page(c, &SESSION_HEAD, &s, f->limit, out);
}

err session_log_store_insert(struct ctx *c, struct uuid session_id, const struct session_message *m, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "INSERT INTO session_log (account_id, session_id, seq, role, name, content, said_at) VALUES ");
    for (size_t i = 0; i < n; i++) {
        if (i)
            sql_add(&s, ", ");
        sql_add(&s, "(?, ?, ?, ?, ?, ?, ?)", IN(c->account_id), IN(session_id), IN(m[i].seq),
            IN(enumx_name(&episode_role_enumx, (int)m[i].role)), IN_OPT(m[i].name), IN(m[i].content), IN(m[i].said_at));
    }
    return sql_exec(c, NULL, &s);
}

err session_log_store_save(struct ctx *c, const struct session_head *h)
{
    return db_exec(c, NULL, "UPDATE session_head SET next_seq = ?, bytes = ?, sealed_seq = ?, closed_at = ?, updated_at = ? WHERE "
        "account_id = ? AND id = ?", IN(h->next_seq), IN(h->bytes), IN(h->sealed_seq), IN_OPT(h->closed_at), IN(c->now),
        IN(c->account_id), IN(h->id));
}

static err session_log_store_read_message(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct session_message *m = row;
    const char *role;
    int value;

    TRY(db_row(q, c, found, OUT(&m->seq), OUT(&role), OUT_OPT(&m->name), OUT(&m->content), OUT(&m->said_at)));
    if (*found && enumx_parse(&episode_role_enumx, role, &value))
        m->role = (enum episode_role)value;
    return ERR_OK;
}

err session_log_store_messages(struct ctx *c, struct uuid session_id, int64_t from, int64_t to, int64_t limit, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT seq, role, name, content, said_at FROM session_log WHERE account_id = ? AND session_id = ? AND seq BETWEEN ? AND ? "
        "ORDER BY seq LIMIT ?", IN(c->account_id), IN(session_id), IN(from), IN(to), IN(limit));
    return sql_rows(c, &s, (size_t)limit, sizeof(struct session_message), session_log_store_read_message, &out->v, &out->n);
}

err session_log_store_drop(struct ctx *c, struct uuid session_id)
{
    return db_exec(c, NULL, "DELETE FROM session_head WHERE account_id = ? AND id = ?", IN(c->account_id), IN(session_id));
}

err session_log_store_seal(struct ctx *c, const struct session_block *b)
{
    return db_exec(c, NULL, "INSERT INTO session_block (account_id, session_id, first_seq, last_seq, newest_at, filter) VALUES "
        "(?, ?, ?, ?, ?, ?)", IN(c->account_id), IN(b->session_id), IN(b->first_seq), IN(b->last_seq), IN(b->newest_at),
        IN(((struct bytes){b->filter, sizeof b->filter})));
}

/* ---- searching */

static err session_log_store_read_place(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct session_place *p = row;

    return db_row(q, c, found, OUT(&p->session_id), OUT(&p->external_id), OUT(&p->first_seq), OUT(&p->last_seq), OUT(&p->newest_at));
}

static void session_log_store_where(struct sql *s, const struct ctx *c, const struct session_search *in, struct uuids spaces)
{
    sql_add(s, " WHERE h.account_id = ?", IN(c->account_id));
    sql_add_in_uuids(s, "h.space_id", spaces.v, spaces.n);
    if (in->session_id)
        sql_add(s, " AND h.external_id = ?", IN(in->session_id));
}

#define OF_BLOCKS " FROM session_head h JOIN session_block b ON b.account_id = h.account_id AND b.session_id = h.id"

/* The server looks at the bits: filters of blocks that cannot have it never leave it. */
err session_log_store_blocks(struct ctx *c, const struct session_search *in, struct uuids spaces, const uint32_t *places, size_t n_places,
                         struct list *out, int64_t *all)
{
    scoped_cursor q = {0};
    struct sql s, count;
    bool found;

    sql_init(&count, c->arena);
    sql_add(&count, "SELECT COUNT(*)" OF_BLOCKS);
    session_log_store_where(&count, c, in, spaces);
    TRY(sql_query(c, &q, &count));
    TRY(db_row(&q, c, &found, OUT(all)));
    sql_init(&s, c->arena);
    sql_add(&s, "SELECT b.session_id, h.external_id, b.first_seq, b.last_seq, b.newest_at" OF_BLOCKS);
    session_log_store_where(&s, c, in, spaces);
    for (size_t i = 0; i < n_places; i++)
        sql_add(&s, " AND ORD(SUBSTR(b.filter, ?, 1)) & ?", IN((int64_t)places[i] / 8 + 1), IN((int64_t)1 << places[i] % 8));
    if (in->to.us)
        sql_add(&s, " AND EXISTS (SELECT 1 FROM session_log l WHERE l.account_id = b.account_id AND l.session_id = b.session_id AND "
            "l.seq = "
            "b.first_seq AND l.said_at < ?)", IN(in->to));
    if (in->from.us)
        sql_add(&s, " AND b.newest_at >= ?", IN(in->from));
    sql_add(&s, " ORDER BY b.newest_at DESC LIMIT ?", IN((int64_t)BLOCKS_MAX));
    return sql_rows(c, &s, BLOCKS_MAX, sizeof(struct session_place), session_log_store_read_place, &out->v, &out->n);
}

err session_log_store_tails(struct ctx *c, const struct session_search *in, struct uuids spaces, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT h.id, h.external_id, h.sealed_seq + 1, h.next_seq - 1, h.updated_at FROM session_head h");
    session_log_store_where(&s, c, in, spaces);
    sql_add(&s, " AND h.next_seq > h.sealed_seq + 1 ORDER BY h.updated_at DESC LIMIT ?", IN((int64_t)BLOCKS_MAX));
    return sql_rows(c, &s, BLOCKS_MAX, sizeof(struct session_place), session_log_store_read_place, &out->v, &out->n);
}
