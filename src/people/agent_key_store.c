/* SQL of agents' public keys. */
#include "agent_store.h"
#include "db.h"

err agent_key_store_insert(struct ctx *c, const struct agent_key *k)
{
    return db_exec(c, NULL,
        "INSERT INTO agent_key (account_id, id, agent_id, name, public_key, valid_from, valid_to, created_at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        IN(c->account_id), IN(k->id), IN(k->agent_id), IN(k->name), IN(k->key), IN(k->valid_from), IN_OPT(k->valid_to),
        IN(k->created_at));
}

err agent_key_store_count(struct ctx *c, struct uuid agent_id, int64_t *n)
{
    bool found;
    struct uuid id;

    *n = 0;
    {
        scoped_cursor q = {0};

        TRY(db_query(c, &q, "SELECT id FROM agent WHERE account_id = ? AND id = ? FOR UPDATE", IN(c->account_id),
                     IN(agent_id)));
        TRY(db_row(&q, c, &found, OUT(&id)));
    }
    {
        scoped_cursor q = {0};

        TRY(db_query(c, &q,
            "SELECT COUNT(*) FROM agent_key WHERE account_id = ? AND agent_id = ? AND revoked_at IS NULL",
            IN(c->account_id), IN(agent_id)));
        return db_row(&q, c, &found, OUT(n));
    }
}

err agent_key_store_list(struct ctx *c, struct uuid agent_id, int64_t limit, struct uuid before, struct agent_key **rows,
                         size_t *n)
{
    struct agent_key *list = ARENA_ARRAY(c->arena, struct agent_key, (size_t)limit + 1);
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q,
        "SELECT id, agent_id, name, public_key, valid_from, valid_to, revoked_at, created_at FROM agent_key"
        " WHERE account_id = ? AND agent_id = ? AND id < ? ORDER BY id DESC LIMIT ?",
        IN(c->account_id), IN(agent_id), IN(before), IN(limit + 1)));
    for (*n = 0; (int64_t)*n <= limit; ++*n) {
        struct agent_key *k = &list[*n];

        TRY(db_row(&q, c, &found, OUT(&k->id), OUT(&k->agent_id), OUT(&k->name), OUT(&k->key), OUT(&k->valid_from),
                   OUT_OPT(&k->valid_to), OUT_OPT(&k->revoked_at), OUT(&k->created_at)));
        if (!found)
            break;
        k->public_key = b64url_encode(c->arena, k->key.p, k->key.n);
    }
    *rows = list;
    return ERR_OK;
}

err agent_key_store_revoke(struct ctx *c, struct uuid agent_id, struct uuid id, bool *found, int64_t *changed)
{
    struct uuid got;

    {
        scoped_cursor q = {0};

        TRY(db_query(c, &q, "SELECT id FROM agent_key WHERE account_id = ? AND agent_id = ? AND id = ?",
                     IN(c->account_id), IN(agent_id), IN(id)));
        TRY(db_row(&q, c, found, OUT(&got)));
    }
    return db_exec(c, changed,
        "UPDATE agent_key SET revoked_at = ? WHERE account_id = ? AND agent_id = ? AND id = ? AND revoked_at IS NULL",
        IN(c->now), IN(c->account_id), IN(agent_id), IN(id));
}
