/* Counting memory by tier and type; see memory_stats_store.h. */
#include "memory_stats_store.h"

#include "access.h"
#include "db.h"
#include "kv.h"

static err memory_stats_store_read_rows(struct ctx *c, struct sql *s, struct memory_type_stats *rows, size_t *n)
{
    scoped_cursor q = {0};
    bool found;

    TRY(sql_query(c, &q, s));
    for (*n = 0; *n < MEMORY_TYPES; ++*n) {
        TRY(db_row(&q, c, &found, OUT(&rows[*n].name), OUT(&rows[*n].count), OUT(&rows[*n].bytes)));
        if (!found)
            break;
    }
    return ERR_OK;
}

err memory_stats_store_short_term(struct ctx *c, struct uuid agent, struct memory_type_stats *rows, size_t *n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT memory_type, COUNT(*), CAST(COALESCE(SUM(LENGTH(memory_value)), 0) AS SIGNED) FROM short_term_memory"
                " WHERE account_id = ? AND expires_at > ?", IN(c->account_id), IN(c->now));
    if (!uuid_is_nil(agent))
        sql_add(&s, " AND agent_id = ?", IN(agent));
    sql_add(&s, " GROUP BY memory_type ORDER BY 2 DESC, 1");
    return memory_stats_store_read_rows(c, &s, rows, n);
}

err memory_stats_store_long_term(struct ctx *c, struct uuid agent, struct memory_type_stats *rows, size_t *n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT e.memory_type, COUNT(*), CAST(COALESCE(SUM(e.size_bytes), 0) AS SIGNED) FROM space s"
                " JOIN entry e ON e.account_id = s.account_id AND e.space_id = s.id AND e.live = 1"
                " JOIN node n ON n.account_id = e.account_id AND n.id = e.node_id"
                " WHERE s.account_id = ? AND s.kind = 'context' AND s.deleted_at IS NULL AND (s.expires_at IS NULL OR s.expires_at > ?)"
                " AND n.archived_at IS NULL AND n.forgotten_at IS NULL AND (n.expires_at IS NULL OR n.expires_at > ?)",
            IN(c->account_id), IN(c->now), IN(c->now));
    if (!uuid_is_nil(agent))
        sql_add(&s, " AND s.owner_agent_id = ?", IN(agent));
    sql_add(&s, " GROUP BY e.memory_type ORDER BY 2 DESC, 1");
    return memory_stats_store_read_rows(c, &s, rows, n);
}

#define LIVE_NODE " AND n.archived_at IS NULL AND n.forgotten_at IS NULL AND n.status IN ('active','verified') AND (n.expires_at IS NULL OR n.expires_at > ?)"
#define NODES(table) \
    " UNION ALL SELECT '" table "', COUNT(*), CAST(COALESCE(SUM(LENGTH(n.body)), 0) AS SIGNED) FROM " table " k" \
    " JOIN node n ON n.account_id = k.account_id AND n.id = k.id WHERE k.account_id = ?" LIVE_NODE

static void add_readable(struct ctx *c, struct sql *s, bool readable, bool of_pools)
{
    if (readable && of_pools)
        sql_add_in_uuids(s, "p.space_id", c->access->readable, c->access->n);
    else if (readable)
        sql_add_in_uuids(s, "n.space_id", c->access->readable, c->access->n);
}

err memory_stats_store_shared(struct ctx *c, bool readable, struct memory_type_stats *rows, size_t *n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT name, n, bytes FROM (SELECT p.pool_type AS name, CAST(SUM(p.key_count) AS SIGNED) AS n,"
                " CAST(SUM(p.data_size_bytes) AS SIGNED) AS bytes FROM pool p JOIN space s ON s.account_id = p.account_id AND s.id = p.space_id"
                " WHERE p.account_id = ? AND s.deleted_at IS NULL AND (s.expires_at IS NULL OR s.expires_at > ?)",
            IN(c->account_id), IN(c->now));
    add_readable(c, &s, readable, true);
    sql_add(&s, " GROUP BY p.pool_type" NODES("knowledge"), IN(c->account_id), IN(c->now));
    add_readable(c, &s, readable, false);
    sql_add(&s, NODES("learning"), IN(c->account_id), IN(c->now));
    add_readable(c, &s, readable, false);
    sql_add(&s, ") AS counted WHERE n > 0 ORDER BY n DESC, name");
    return memory_stats_store_read_rows(c, &s, rows, n);
}

err memory_stats_store_agents(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT id FROM agent WHERE account_id = ? AND id > ? ORDER BY id LIMIT ?", IN(c->account_id), IN(above),
                 IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}

/* KEYS: the scopes of each agent. ARGV: what all keys begin with. A type is the special key, or what stands before the colon of one. */
static const char WORKING[] =
    "local t = redis.call('TIME')\n"
    "local now = t[1] * 1000 + math.floor(t[2] / 1000)\n"
    "local special = {task_state = 1, conversation_context = 1, scratch_pad = 1, tool = 1, intermediate = 1, shared = 1}\n"
    "local count, bytes, out = {}, {}, {}\n"
    "for _, scopes in ipairs(KEYS) do\n"
    "  for _, s in ipairs(redis.call('ZRANGE', scopes, 0, -1)) do\n"
    "    local flat, size = redis.call('HGETALL', ARGV[1] .. s .. ':len'), {}\n"
    "    for i = 1, #flat, 2 do size[flat[i]] = tonumber(flat[i + 1]) end\n"
    "    for _, k in ipairs(redis.call('ZRANGEBYSCORE', ARGV[1] .. s .. ':idx', now, '+inf')) do\n"
    "      local name = special[k] and k or k:match('^(%l+):')\n"
    "      name = special[name] and name or 'other'\n"
    "      count[name] = (count[name] or 0) + 1\n"
    "      bytes[name] = (bytes[name] or 0) + (size[k] or 0)\n"
    "    end\n"
    "  end\n"
    "end\n"
    "for name, n in pairs(count) do\n"
    "  out[#out + 1] = name\n"
    "  out[#out + 1] = n\n"
    "  out[#out + 1] = bytes[name]\n"
    "end\n"
    "return out\n";

static struct memory_type_stats *memory_stats_store_row_of(struct memory_type_stats *rows, size_t *n, const char *name)
{
    for (size_t i = 0; i < *n; i++)
        if (str_eq(rows[i].name, name))
            return &rows[i];
    rows[*n] = (struct memory_type_stats){.name = name};
    return &rows[(*n)++];
}

err memory_stats_store_working(struct ctx *c, const struct uuid *agents, size_t n_agents, struct memory_type_stats *rows, size_t *n)
{
    const char *base = arena_printf(c->arena, "loci:{%s}:wm:", UUID_STR(c->account_id));
    struct kv_arg *args = ARENA_ARRAY(c->arena, struct kv_arg, n_agents + 1);
    struct kv_reply r;

    for (size_t i = 0; i < n_agents; i++)
        args[i] = kv_fmt(c, "%sa:%s:scopes", base, UUID_STR(agents[i]));
    args[n_agents] = kv_text(base);
    TRY(kv_eval_(c, &r, WORKING, (int)n_agents, args, n_agents + 1));
    for (size_t i = 0; i + 2 < r.n; i += 3) {
        struct memory_type_stats *row = memory_stats_store_row_of(rows, n, r.items[i].s);

        row->count += r.items[i + 1].i;
        row->bytes += r.items[i + 2].i;
    }
    return ERR_OK;
}
