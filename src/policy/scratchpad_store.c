/* SQL of scratchpads. */
#include "scratchpad_store.h"

#include "db.h"
#include "principal.h"

#define COLUMNS "SELECT body, version, updated_at, updated_by FROM agent_scratchpad WHERE account_id = ? AND agent_id = ?"

err scratchpad_store_get(struct ctx *c, struct uuid agent_id, bool lock, struct scratchpad *out)
{
    scoped_cursor q = {0};
    bool found;

    *out = (struct scratchpad){.agent_id = agent_id, .body = ""};
    if (lock)
        TRY(db_query(c, &q, COLUMNS " FOR UPDATE", IN(c->account_id), IN(agent_id)));
    else
        TRY(db_query(c, &q, COLUMNS, IN(c->account_id), IN(agent_id)));
    TRY(db_row(&q, c, &found, OUT(&out->body), OUT(&out->version), OUT(&out->updated_at), OUT(&out->updated_by)));
    return ERR_OK;
}

err scratchpad_store_make(struct ctx *c, struct uuid agent_id)
{
    return db_exec(c, NULL, "INSERT IGNORE INTO agent_scratchpad (account_id, agent_id, body, version, updated_at, updated_by) VALUES "
                            "(?, ?, '', 0, ?, ?)", IN(c->account_id), IN(agent_id), IN(c->now), IN(c->who->id));
}

err scratchpad_store_put(struct ctx *c, struct uuid agent_id, const char *body)
{
    return db_exec(c, NULL, "UPDATE agent_scratchpad SET body = ?, version = version + 1, updated_at = ?, updated_by = ? WHERE "
                            "account_id = ? AND agent_id = ?", IN(body), IN(c->now), IN(c->who->id), IN(c->account_id), IN(agent_id));
}

err scratchpad_store_delete(struct ctx *c, struct uuid agent_id)
{
    return db_exec(c, NULL, "DELETE FROM agent_scratchpad WHERE account_id = ? AND agent_id = ?", IN(c->account_id), IN(agent_id));
}

err scratchpad_store_due(struct ctx *c, struct instant before, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT DISTINCT account_id FROM agent_scratchpad WHERE updated_at < ? AND account_id > ? AND "
                        "CHAR_LENGTH(body) > ? ORDER BY account_id LIMIT ?", 
                 IN(before), IN(above), IN((int64_t)SCRATCHPAD_OLD_CHARS), IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}

static err scratchpad_read_old(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct scratchpad_old *o = row;

    return db_row(q, c, found, OUT(&o->agent_id), OUT(&o->body));
}

err scratchpad_store_old(struct ctx *c, struct instant before, size_t max, struct list *out)
{
    struct sql s;
    void *rows;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT agent_id, body FROM agent_scratchpad WHERE account_id = ? AND updated_at < ? AND CHAR_LENGTH(body) > ? ORDER BY "
                "agent_id LIMIT ? FOR UPDATE", IN(c->account_id), IN(before), IN((int64_t)SCRATCHPAD_OLD_CHARS), IN((int64_t)max));
    TRY(sql_rows(c, &s, max, sizeof(struct scratchpad_old), scratchpad_read_old, &rows, &out->n));
    out->v = rows;
    return ERR_OK;
}
