/* SQL and Redis commands of settle.c; see settle_store.h. */
#include "settle_store.h"

#include "db.h"
#include "kv.h"

#define COUNTED_MAX 10000

/* ---- the database */

static void settle_store_add_kinds(struct sql *s, const struct strs *kinds)
{
    if (!kinds->n)
        return;
    sql_add(s, " AND kind IN (?", IN(kinds->v[0]));
    for (size_t i = 1; i < kinds->n; i++)
        sql_add(s, ", ?", IN(kinds->v[i]));
    sql_add(s, ")");
}

err settle_store_tasks(struct ctx *c, struct uuid account_id, const struct strs *kinds, struct instant now, int64_t *due, int64_t *later)
{
    scoped_cursor q = {0};
    struct sql s;
    bool found;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT COALESCE(SUM(is_due), 0), COALESCE(SUM(1 - is_due), 0) FROM (SELECT status = 'running' OR run_at <= ? AS is_due "
                "FROM task WHERE status IN ('ready', 'running')", IN(now));
    if (!uuid_is_nil(account_id))
        sql_add(&s, " AND account_id = ?", IN(account_id));
    settle_store_add_kinds(&s, kinds);
    sql_add(&s, " LIMIT ?) AS t", IN((int64_t)COUNTED_MAX));
    TRY(sql_query(c, &q, &s));
    return db_row(&q, c, &found, OUT(due), OUT(later));
}

/* The hours of continuous jobs are rows, too, but never open ones. */
err settle_store_runs(struct ctx *c, struct uuid account_id, int64_t *open)
{
    scoped_cursor q = {0};
    bool found;

    if (uuid_is_nil(account_id))
        TRY(db_query(c, &q, "SELECT COUNT(*) FROM job_run WHERE top = 1 AND status IN ('waiting', 'running')"));
    else
        TRY(db_query(c, &q,
                     "SELECT (SELECT COUNT(*) FROM job_run WHERE top = 1 AND status IN ('waiting', 'running') AND only_account = ?) + "
                     "(SELECT COUNT(*) FROM job_run WHERE top IS NULL AND status IN ('waiting', 'running') AND account_id = ?)",
                     IN(account_id), IN(account_id)));
    return db_row(&q, c, &found, OUT(open));
}

err settle_store_accounts(struct ctx *c, struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT id FROM account WHERE status = 'active' ORDER BY id LIMIT ?", IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}

/* ---- Redis */

#define WAIT "0.2" /* well below the time after which Redis counts as away */

static struct kv_arg answers_key(struct ctx *c, struct uuid question)
{
    return kv_fmt(c, SETTLE_CHANNEL ":%s", UUID_STR(question));
}

err settle_store_ask(struct ctx *c, struct uuid question, struct uuid account_id, int64_t *asked)
{
    struct kv_reply r;

    TRY(kv_cmd(c, &r, kv_text("PUBLISH"), kv_text(SETTLE_CHANNEL), kv_fmt(c, "%s %s", UUID_STR(question), UUID_STR(account_id))));
    *asked = r.i;
    return ERR_OK;
}

err settle_store_answer(struct ctx *c, struct uuid question, int64_t left)
{
    return kv_eval(c, NULL, "redis.call('RPUSH', KEYS[1], ARGV[1]) return redis.call('EXPIRE', KEYS[1], 60)", 1, answers_key(c, question),
                   kv_i64(c, left));
}

err settle_store_await(struct ctx *c, struct uuid question, bool *got, int64_t *left)
{
    struct kv_reply r;

    TRY(kv_cmd(c, &r, kv_text("BLPOP"), answers_key(c, question), kv_text(WAIT)));
    *got = r.type == KV_LIST && r.n == 2 && str_to_i64(r.items[1].s, left);
    return ERR_OK;
}
