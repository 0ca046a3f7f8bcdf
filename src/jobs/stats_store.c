/* Counters of all schedulers, and the schedulers themselves; see stats_store.h. */
#include "stats_store.h"

#include "db.h"

#define METRICS_MAX 20000
#define SCHEDULERS_MAX 256

err stats_store_add(struct ctx *c, const struct stat *stats, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "INSERT INTO job_metric (name, subject, detail, value) VALUES ");
    for (size_t i = 0; i < n; i++)
        sql_add(&s, "(?, ?, ?, ?), ", IN(stats[i].name), IN((const char *)stats[i].subject),
                IN((const char *)stats[i].detail), IN(stats[i].value));
    s.text.len -= 2; /* the last comma */
    sql_add(&s, " ON DUPLICATE KEY UPDATE value = IF(name = 'last_success', GREATEST(value, VALUES(value)), "
                "value + VALUES(value))");
    return sql_exec(c, NULL, &s);
}

err stats_store_all(struct ctx *c, struct metric_row **out, size_t *n)
{
    struct metric_row *rows = NULL, r;
    scoped_cursor q = {0};
    size_t got = 0, cap = 0;
    bool found = true;

    TRY(db_query(c, &q, "SELECT name, subject, detail, value FROM job_metric ORDER BY name, subject, detail LIMIT 20000"));
    for (;;) {
        TRY(db_row(&q, c, &found, OUT(&r.name), OUT(&r.subject), OUT(&r.detail), OUT(&r.value)));
        if (!found)
            break;
        if (got == cap) {
            struct metric_row *more = ARENA_ARRAY(c->arena, struct metric_row, cap = cap ? cap * 2 : 128);

            for (size_t i = 0; i < got; i++)
                more[i] = rows[i];
            rows = more;
        }
        rows[got++] = r;
    }
    *out = rows;
    *n = got;
    return ERR_OK;
}

static err count_queue(struct ctx *c, void *arg)
{
    (void)arg;
    TRY(db_exec(c, NULL, "UPDATE job_metric SET value = 0 WHERE name = 'queue'"));
    return db_exec(c, NULL,
                   "INSERT INTO job_metric (name, subject, detail, value) SELECT 'queue', kind, status, COUNT(*) FROM task "
                   "GROUP BY kind, status ON DUPLICATE KEY UPDATE value = VALUES(value)");
}

err stats_store_count_queue(struct ctx *c)
{
    return db_tx(c, count_queue, NULL);
}

/* ---- schedulers */

err scheduler_store_put(struct ctx *c, const struct scheduler_row *s)
{
    return db_exec(c, NULL,
                   "INSERT INTO scheduler (id, host, pid, version, threads, running, skew_us, started_at, heartbeat_at, "
                   "stopping) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON DUPLICATE KEY UPDATE running = VALUES(running), "
                   "skew_us = VALUES(skew_us), heartbeat_at = VALUES(heartbeat_at), stopping = VALUES(stopping)",
                   IN(s->id), IN(s->host), IN(s->pid), IN(s->version), IN(s->threads), IN(s->running), IN(s->skew_us),
                   IN(s->started_at), IN(s->heartbeat_at), IN(s->stopping));
}

err scheduler_store_remove(struct ctx *c, struct uuid id)
{
    return db_exec(c, NULL, "DELETE FROM scheduler WHERE id = ?", IN(id));
}

err scheduler_store_list(struct ctx *c, struct scheduler_row **out, size_t *n)
{
    struct scheduler_row *rows = ARENA_ARRAY(c->arena, struct scheduler_row, SCHEDULERS_MAX);
    scoped_cursor q = {0};
    bool found = true;
    size_t got = 0;

    TRY(db_query(c, &q,
                 "SELECT id, host, pid, version, threads, running, skew_us, started_at, heartbeat_at, stopping "
                 "FROM scheduler ORDER BY id LIMIT 256"));
    while (got < SCHEDULERS_MAX) {
        struct scheduler_row *r = &rows[got];

        TRY(db_row(&q, c, &found, OUT(&r->id), OUT(&r->host), OUT(&r->pid), OUT(&r->version), OUT(&r->threads),
                   OUT(&r->running), OUT(&r->skew_us), OUT(&r->started_at), OUT(&r->heartbeat_at), OUT(&r->stopping)));
        if (!found)
            break;
        got++;
    }
    *out = rows;
    *n = got;
    return ERR_OK;
}

err scheduler_store_bury(struct ctx *c, struct instant silent_since, int64_t *n)
{
    return db_exec(c, n, "DELETE FROM scheduler WHERE heartbeat_at < ?", IN(silent_since));
}
