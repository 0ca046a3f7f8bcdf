/* SQL of edits of core blocks and of votes. */
#include "core_block_store.h"

#include "db.h"
#include "principal.h"

#define EDITS 200
#define EDIT_COLUMNS \
    "e.id, e.block_id, e.editor_id, e.editor_kind, e.content, e.state, e.prior_hash, (SELECT COUNT(*) FROM core_vote v WHERE " \
    "v.account_id = e.account_id AND v.edit_id = e.id), e.at, e.resolved_at"

err core_edit_store_add(struct ctx *c, const struct core_edit *e)
{
    return db_exec(c, NULL, "INSERT INTO core_edit (account_id, id, block_id, content, prior_hash, editor_kind, editor_id, state, at) "
                   "VALUES (?,?,?,?,?,?,?,?,?)", IN(c->account_id), IN(e->id), IN(e->block_id), IN(e->content), IN(e->prior_hash),
                   IN(e->editor_kind), IN(e->editor_id), IN(enumx_name(&core_edit_state_enumx, (int)e->state)), IN(e->at));
}

static err core_edit_read(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct core_edit *e = row;
    const char *state;
    int value;

    TRY(db_row(q, c, found, OUT(&e->id), OUT(&e->block_id), OUT(&e->editor_id), OUT(&e->editor_kind), OUT(&e->content), OUT(&state),
               OUT(&e->prior_hash), OUT(&e->votes), OUT(&e->at), OUT_OPT(&e->resolved_at)));
    if (*found && enumx_parse(&core_edit_state_enumx, state, &value))
        e->state = (enum core_edit_state)value;
    return ERR_OK;
}

err core_edit_store_get(struct ctx *c, struct uuid id, bool *found, struct core_edit *out)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT " EDIT_COLUMNS " FROM core_edit e WHERE e.account_id = ? AND e.id = ? FOR UPDATE", IN(c->account_id),
                 IN(id)));
    return core_edit_read(c, &q, found, out);
}

err core_edit_store_resolve(struct ctx *c, struct uuid id, enum core_edit_state state)
{
    return db_exec(c, NULL, "UPDATE core_edit SET state = ?, resolved_at = ? WHERE account_id = ? AND id = ?",
                   IN(enumx_name(&core_edit_state_enumx, (int)state)), IN(c->now), IN(c->account_id), IN(id));
}

err core_edit_store_overtake(struct ctx *c, struct uuid block_id)
{
    return db_exec(c, NULL, "UPDATE core_edit SET state = 'stale', resolved_at = ? WHERE account_id = ? AND block_id = ? AND "
                   "state = 'waiting'", IN(c->now), IN(c->account_id), IN(block_id));
}

err core_edit_store_waiting(struct ctx *c, struct list *out)
{
    void *rows;
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT " EDIT_COLUMNS " FROM core_edit e WHERE e.account_id = ? AND e.state = 'waiting' ORDER BY e.id DESC LIMIT ?",
            IN(c->account_id), IN((int64_t)EDITS));
    TRY(sql_rows(c, &s, EDITS, sizeof(struct core_edit), core_edit_read, &rows, &out->n));
    out->v = rows;
    return ERR_OK;
}

err core_vote_store_add(struct ctx *c, struct uuid edit_id)
{
    return db_exec(c, NULL, "INSERT INTO core_vote (account_id, edit_id, principal_id, principal_kind, at) VALUES (?,?,?,?,?) "
                   "ON DUPLICATE KEY UPDATE at = at", IN(c->account_id), IN(edit_id), IN(c->who->id),
                   IN(enumx_name(&principal_kind_enumx, (int)c->who->kind)), IN(c->now));
}

err core_vote_store_count(struct ctx *c, struct uuid edit_id, int64_t *votes, int64_t *persons)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q, "SELECT COUNT(*), CAST(COALESCE(SUM(principal_kind = 'user'), 0) AS SIGNED) FROM core_vote WHERE account_id = ? "
                 "AND edit_id = ?", IN(c->account_id), IN(edit_id)));
    return db_row(&q, c, &found, OUT(votes), OUT(persons));
}
