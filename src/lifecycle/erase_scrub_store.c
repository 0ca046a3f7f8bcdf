/* What may name a node that is erased, found by the schema itself: so a table that comes later is covered, too. */
#include "erase_store.h"

#include <string.h>

#include "db.h"
#include "kv.h"

/* ---- columns of ids */

struct id_column {
    const char *table, *column;
    bool nullable;
};

/* Rows of nodes, their edges and vectors go by themselves; receipts are what stays. */
static err id_column_read(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct id_column *k = row;

    return db_row(q, c, found, OUT(&k->table), OUT(&k->column), OUT(&k->nullable));
}

static err id_columns(struct ctx *c, struct list *out)
{
    void *rows;
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT k.table_name, k.column_name, k.is_nullable = 'YES' FROM information_schema.columns k JOIN "
            "information_schema.columns a ON a.table_schema = k.table_schema AND a.table_name = k.table_name AND a.column_name = "
            "'account_id' WHERE k.table_schema = DATABASE() AND k.data_type = 'uuid' AND k.column_name <> 'account_id' AND k.table_name "
            "NOT IN ('erase_receipt', 'erase_item') AND NOT (k.table_name = 'node' AND k.column_name IN ('id', 'space_id', 'author_id')) "
            "ORDER BY k.table_name, k.column_name");
    TRY(sql_rows(c, &s, 2000, sizeof(struct id_column), id_column_read, &rows, &out->n));
    out->v = rows;
    return ERR_OK;
}

/* Names come from the schema, so they are no text of a caller's. */
static void scrub_begin(struct ctx *c, struct sql *s, const char *head, const struct id_column *k, const struct uuid *ids, size_t n)
{
    sql_init(s, c->arena);
    sql_add_(s, head, NULL, 0);
    sql_add(s, " WHERE account_id = ?", IN(c->account_id));
    sql_add_in_uuids_(s, arena_printf(c->arena, " AND `%s` IN (", k->column), ids, n);
}

static err rows_naming(struct ctx *c, const struct id_column *k, const struct uuid *ids, size_t n, int64_t *rows)
{
    scoped_cursor q = {0};
    struct sql s;
    bool found;

    scrub_begin(c, &s, arena_printf(c->arena, "SELECT COUNT(*) FROM `%s`", k->table), k, ids, n);
    TRY(sql_query(c, &q, &s));
    return db_row(&q, c, &found, OUT(rows));
}

static err clear_rows(struct ctx *c, const struct id_column *k, const struct uuid *ids, size_t n)
{
    struct sql s;

    scrub_begin(c, &s, k->nullable ? arena_printf(c->arena, "UPDATE `%s` SET `%s` = NULL", k->table, k->column)
                                 : arena_printf(c->arena, "DELETE FROM `%s`", k->table), k, ids, n);
    return sql_exec(c, NULL, &s);
}

/* ---- texts that name ids: answers and queries that were kept, and the states in audit events */

static const struct id_text {
    const char *table, *column, *change; /* change NULL: the row goes */
} TEXTS[] = {
    {"audit_event", "before_state", "before_state = NULL"}, {"audit_event", "after_state", "after_state = NULL"},
    {"audit_event", "payload", "payload = NULL"}, {"outbox", "payload", "payload = '{}'"}, {"idempotency_key", "body", NULL},
    {"hybrid_search_result", "merged_results", NULL}, {"hybrid_search_result", "vector_results", NULL},
    {"hybrid_search_result", "keyword_results", NULL}, {"hybrid_search_result", "graph_results", NULL},
    {"access_log", "metadata", "metadata = NULL"}, {"escalation", "context", "context = '{}'"}, {"job_run", "notes", "notes = '[]'"},
    {"recommendation", "evidence", NULL}, {"recommendation", "recommended_config", NULL},
    {"edge", "metadata", "metadata = '{}'"}, {"episode", "origin", "origin = '{}'"},
};
#define IDS_IN_PATTERN 100

static const char *pattern_of(struct ctx *c, const struct uuid *ids, size_t n)
{
    struct buf b;

    buf_init(&b, c->arena, 40 * n + 1);
    for (size_t i = 0; i < n; i++)
        buf_printf(&b, "%s%s", i ? "|" : "", UUID_STR(ids[i]));
    return buf_str(&b);
}

static err scrub_text(struct ctx *c, const struct id_text *t, const char *pattern)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add_(&s, t->change ? arena_printf(c->arena, "UPDATE `%s` SET %s", t->table, t->change) : arena_printf(c->arena, "DELETE FROM `%s`",
             t->table), NULL, 0);
    sql_add_(&s, arena_printf(c->arena, " WHERE account_id = ? AND `%s` REGEXP ?", t->column),
             DB_INS_(IN(c->account_id), IN(pattern)) + 1, 2);
    return sql_exec(c, NULL, &s);
}

static err scrub_texts(struct ctx *c, const struct uuid *ids, size_t n)
{
    for (size_t i = 0; i < n; i += IDS_IN_PATTERN) {
        const char *pattern = pattern_of(c, ids + i, n - i < IDS_IN_PATTERN ? n - i : IDS_IN_PATTERN);

        for (size_t t = 0; t < sizeof TEXTS / sizeof *TEXTS; t++)
            TRY(scrub_text(c, &TEXTS[t], pattern));
    }
    return ERR_OK;
}

/* An event about one of them says that something happened, when and by whom; not to what, and not what was written. */
static err scrub_audit(struct ctx *c, const struct uuid *ids, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "UPDATE audit_event SET before_state = NULL, after_state = NULL, payload = NULL WHERE account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "subject_id", ids, n);
    TRY(sql_exec(c, NULL, &s));
    sql_init(&s, c->arena);
    sql_add(&s, "UPDATE escalation SET resolution = NULL WHERE account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "answer_node_id", ids, n);
    return sql_exec(c, NULL, &s);
}

err erase_store_scrub(struct ctx *c, const struct uuid *ids, size_t n, bool change, int64_t *rows)
{
    const struct id_column *k;
    struct list columns;
    int64_t some;

    *rows = 0;
    TRY(id_columns(c, &columns));
    if (change)
        TRY(scrub_audit(c, ids, n));
    k = columns.v;
    for (size_t i = 0; i < columns.n; i++) {
        TRY(rows_naming(c, &k[i], ids, n, &some));
        *rows += some;
        if (some && change)
            TRY(clear_rows(c, &k[i], ids, n));
    }
    return change ? scrub_texts(c, ids, n) : ERR_OK;
}

/* ---- Redis */

/* KEYS: any of the account. ARGV: ids. Whatever holds one of them goes: a field, a member, an entry, or the key. */
static const char SCRUB[] =
    "local bad, gone = {}, 0\n"
    "for _, id in ipairs(ARGV) do bad[id] = true end\n"
    "local x4, x8, x12 = string.rep('%x', 4), string.rep('%x', 8), string.rep('%x', 12)\n"
    "local shape = x8 .. '%-' .. x4 .. '%-' .. x4 .. '%-' .. x4 .. '%-' .. x12\n"
    "local function hit(v)\n"
    "  for id in string.gmatch(v, shape) do if bad[id] then return true end end\n"
    "  return false\n"
    "end\n"
    "for _, key in ipairs(KEYS) do\n"
    "  local t = redis.call('TYPE', key).ok\n"
    "  if hit(key) then gone = gone + redis.call('DEL', key)\n"
    "  elseif t == 'string' then\n"
    "    if hit(redis.call('GET', key)) then gone = gone + redis.call('DEL', key) end\n"
    "  elseif t == 'hash' then\n"
    "    local all = redis.call('HGETALL', key)\n"
    "    for i = 1, #all, 2 do if hit(all[i]) or hit(all[i + 1]) then gone = gone + redis.call('HDEL', key, all[i]) end end\n"
    "  elseif t == 'zset' or t == 'set' then\n"
    "    local all = t == 'set' and redis.call('SMEMBERS', key) or redis.call('ZRANGE', key, 0, -1)\n"
    "    for _, m in ipairs(all) do if hit(m) then gone = gone + redis.call(t == 'set' and 'SREM' or 'ZREM', key, m) end end\n"
    "  elseif t == 'list' then\n"
    "    for _, m in ipairs(redis.call('LRANGE', key, 0, -1)) do if hit(m) then gone = gone + redis.call('LREM', key, 0, m) end end\n"
    "  elseif t == 'stream' then\n"
    "    for _, e in ipairs(redis.call('XRANGE', key, '-', '+')) do\n"
    "      for _, v in ipairs(e[2]) do if hit(v) then gone = gone + redis.call('XDEL', key, e[1]) break end end\n"
    "    end\n"
    "  end\n"
    "end\n"
    "return gone\n";

static err scrub_keys(struct ctx *c, const struct kv_reply *keys, const struct uuid *ids, size_t n, int64_t *gone)
{
    struct kv_arg *args = ARENA_ARRAY(c->arena, struct kv_arg, keys->n + n + 1);
    struct kv_reply r;

    if (!keys->n)
        return ERR_OK;
    for (size_t i = 0; i < keys->n; i++)
        args[i] = kv_text(keys->items[i].s);
    for (size_t i = 0; i < n; i++)
        args[keys->n + i] = kv_fmt(c, "%s", UUID_STR(ids[i]));
    TRY(kv_eval_(c, &r, SCRUB, (int)keys->n, args, keys->n + n));
    *gone += r.i;
    return ERR_OK;
}

err erase_store_scrub_redis(struct ctx *c, const struct uuid *ids, size_t n, int64_t *gone)
{
    const char *at = "0", *mine = arena_printf(c->arena, "loci:{%s}:*", UUID_STR(c->account_id));
    struct kv_reply r;

    *gone = 0;
    do {
        TRY(kv_cmd(c, &r, kv_text("SCAN"), kv_text(at), kv_text("MATCH"), kv_text(mine), kv_text("COUNT"), kv_text("1000")));
        if (r.type != KV_LIST || r.n != 2)
            return fail(c, ERR_INTERNAL, "Redis answered SCAN with something else");
        at = r.items[0].s;
        TRY(scrub_keys(c, &r.items[1], ids, n, gone));
    } while (strcmp(at, "0") != 0);
    return ERR_OK;
}
