/* SQL and Redis commands of private pools. */
#include "private_store.h"

#include "db.h"
#include "kv.h"

err private_store_pool(struct ctx *c, const char *pool_id, struct uuid agent_id, bool *found, struct uuid *id)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q,
                 "SELECT s.id FROM space s JOIN pool p ON p.account_id = s.account_id AND p.space_id = s.id WHERE s.account_id = ? "
                 "AND s.kind = 'pool' AND s.slug = ? AND s.owner_agent_id = ? AND p.pool_type = 'agent_private' AND s.deleted_at IS NULL",
                 IN(c->account_id), IN(pool_id), IN(agent_id)));
    return db_row(&q, c, found, OUT(id));
}

err private_store_used(struct ctx *c, struct uuid pool, struct pool_entry *rows, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q,
                 "SELECT e.entry_key, e.node_id, e.value FROM pool_entry e JOIN node n ON n.account_id = e.account_id AND n.id = e.node_id "
                 "WHERE e.account_id = ? AND e.space_id = ? AND e.deleted_at IS NULL AND (e.expires_at IS NULL OR e.expires_at > ?) "
                 "AND n.access_count >= ? ORDER BY n.access_count DESC, e.entry_key LIMIT ?",
                 IN(c->account_id), IN(pool), IN(c->now), IN((int64_t)REFLECT_USES), IN((int64_t)max)));
    for (*n = 0; *n < max; (*n)++) {
        struct pool_entry *e = &rows[*n];
        const char *value = NULL;
        bool found;

        *e = (struct pool_entry){0};
        TRY(db_row(&q, c, &found, OUT(&e->key), OUT(&e->node_id), OUT(&value)));
        if (!found)
            break;
        e->value = json_opened(c->arena, json_raw(c->arena, value));
    }
    return ERR_OK;
}

static struct kv_arg turn_key(struct ctx *c, struct uuid agent_id)
{
    return kv_fmt(c, "loci:{%s}:reflect:%s", UUID_STR(c->account_id), UUID_STR(agent_id));
}

err private_store_turn(struct ctx *c, struct uuid agent_id, int64_t *left)
{
    struct kv_reply r;

    TRY(kv_eval(c, &r,
                "if redis.call('SET', KEYS[1], 1, 'NX', 'EX', ARGV[1]) then return 0 end\n"
                "return math.max(redis.call('TTL', KEYS[1]), 1)",
                1, turn_key(c, agent_id), kv_i64(c, REFLECT_SECONDS)));
    *left = r.i;
    return ERR_OK;
}

void private_store_give_back(struct ctx *c, struct uuid agent_id)
{
    err e = kv_cmd(c, NULL, kv_text("DEL"), turn_key(c, agent_id));

    (void)e;
}
