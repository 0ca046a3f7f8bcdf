/* Promising, claiming and ending tasks; see task_store.h. */
#include "task_store.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "run_row.h"

#define SLOT_TEXT 12
#define MAP_MAX 2000        /* groups that are due; more urgent ones first */
#define MAP_LOOK_MAX 100000 /* groups looked at for them: those that wait for later hide nobody */
#define LOOK_ROWS 64        /* read at once; more where each is a group of its own */
#define LOOK_ROWS_MAX 1024

/* ---- promising */

/* What becomes of a key that is there already. A row is revived when it is cancelled, or done for longer than a day;
 * status comes before finished_at because later assignments see the values of earlier ones. */
#define REVIVED "(task.status = 'cancelled' OR (task.status = 'done' AND task.finished_at < VALUES(created_at) - INTERVAL 1 DAY))"
#define ON_DUPLICATE \
    " ON DUPLICATE KEY UPDATE again = IF(task.status = 'running', 1, IF(" REVIVED ", 0, again)), " \
    "payload = IF(" REVIVED " OR task.status = 'running', VALUES(payload), payload), " \
    "priority = IF(" REVIVED ", VALUES(priority), priority), run_at = IF(" REVIVED ", VALUES(run_at), run_at), " \
    "attempts = IF(" REVIVED ", 0, attempts), lapses = IF(" REVIVED ", 0, lapses), lane = IF(" REVIVED ", VALUES(lane), lane), " \
    "tries = IF(" REVIVED ", '[]', tries), last_error = IF(" REVIVED ", NULL, last_error), " \
    "run_id = IF(" REVIVED ", VALUES(run_id), run_id), created_at = IF(" REVIVED ", VALUES(created_at), created_at), " \
    "status = IF(" REVIVED ", 'ready', status), finished_at = IF(task.status = 'ready', NULL, finished_at)"

/* Whether the queue of one of the accounts is full; the janitor counts the long ones. */
static err task_store_is_full(struct ctx *c, const struct task_kind *kind, const struct task_new *t, size_t n, bool *full)
{
    struct uuid *accounts = ARENA_ARRAY(c->arena, struct uuid, n);
    scoped_cursor q = {0};
    struct sql s;
    size_t distinct = 0;
    int one;

    for (size_t i = 0; i < n; i++)
        if (!distinct || !uuid_eq(accounts[distinct - 1], t[i].account_id))
            accounts[distinct++] = t[i].account_id;
    sql_init(&s, c->arena);
    sql_add(&s, "SELECT 1 FROM task_group WHERE kind = ? AND ready >= ?", IN(kind->name), IN(LIMIT_TASK_READY));
    sql_add_in_uuids(&s, "account_id", accounts, distinct);
    sql_add(&s, " LIMIT 1");
    TRY(sql_query(c, &q, &s));
    return db_row(&q, c, full, OUT(&one));
}

/* The database's clock, as far ahead as ours was moved (clock_of_db). */
#define DB_NOW "UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND"

err task_store_add(struct ctx *c, const struct task_kind *kind, const struct task_new *t, const struct uuid *ids,
                   size_t n, struct instant now, bool *full)
{
    int64_t moved = clock_moved_us();
    struct sql s;

    *full = false;
    if (n == 0)
        return ERR_OK;
    TRY(task_store_is_full(c, kind, t, n, full));
    if (*full)
        return ERR_OK;
    sql_init(&s, c->arena);
    sql_add(&s, "INSERT INTO task (id, account_id, kind, priority, payload, idem_key, run_at, max_attempts, lane, run_id, "
                "created_at) VALUES ");
    for (size_t i = 0; i < n; i++)
        sql_add(&s,
                "(?, ?, ?, ?, ?, ?, COALESCE(?, " DB_NOW ") + INTERVAL ? SECOND, ?, ?, ?, COALESCE(?, " DB_NOW ")), ",
                IN(ids[i]), IN(t[i].account_id), IN(kind->name), IN(t[i].priority ? t[i].priority : kind->priority),
                IN(t[i].payload ? json_text(c->arena, t[i].payload) : "{}"), IN(t[i].idem_key), IN_OPT(now), IN(moved),
                IN(t[i].delay_s), IN(kind->max_attempts), IN_OPT(t[i].lane), IN_OPT(t[i].run_id), IN_OPT(now), IN(moved));
    s.text.len -= 2; /* the last comma */
    sql_add(&s, ON_DUPLICATE);
    return sql_exec(c, NULL, &s);
}

/* ---- claiming */

struct looking {
    struct task_group last; /* read last */
    struct task_group *due;
    size_t n_due, n_groups;
    int64_t rows; /* to be read at once */
    bool more;
};

/* The groups after the last one, as far as some rows tell. Skipping through the index ourselves costs a look per group in any
 * case; the server's own way of it (GROUP BY) was measured to read every row as long as it remembers the table as empty. */
static err task_store_look(struct ctx *c, struct instant now, struct looking *l)
{
    struct task_group *last = &l->last, g;
    size_t before = l->n_groups;
    scoped_cursor q = {0};
    bool found = true;
    int64_t rows = 0;

    TRY(db_query(c, &q,
                 "SELECT priority, kind, account_id, run_at FROM task FORCE INDEX (task_wait) WHERE status = 'ready' "
                 "AND (priority > ? OR (priority = ? AND kind > ?) OR (priority = ? AND kind = ? AND account_id > ?)) "
                 "ORDER BY status, priority, kind, account_id, run_at LIMIT ?",
                 IN(last->priority), IN(last->priority), IN(last->kind), IN(last->priority), IN(last->kind),
                 IN(last->account_id), IN(l->rows)));
    for (;; rows++) {
        bool is_new;

        TRY(db_row(&q, c, &found, OUT(&g.priority), OUT(&g.kind), OUT(&g.account_id), OUT(&g.oldest)));
        if (!found)
            break;
        is_new = g.priority != last->priority || !str_eq(g.kind, last->kind) || !uuid_eq(g.account_id, last->account_id);
        l->n_groups += is_new;
        if (is_new && g.oldest.us <= now.us && l->n_due < MAP_MAX)
            l->due[l->n_due++] = g;
        *last = g;
    }
    l->more = rows == l->rows;
    l->rows = (int64_t)(l->n_groups - before) > rows / 2 ? LOOK_ROWS_MAX : LOOK_ROWS;
    return ERR_OK;
}

err task_store_map(struct ctx *c, struct instant now, struct task_group **out, size_t *n)
{
    struct looking l = {.last = {.priority = -1, .kind = ""}, .due = ARENA_ARRAY(c->arena, struct task_group, MAP_MAX),
                        .rows = LOOK_ROWS, .more = true};

    while (l.more && l.n_due < MAP_MAX && l.n_groups < MAP_LOOK_MAX)
        TRY(task_store_look(c, now, &l));
    *out = l.due;
    *n = l.n_due;
    return ERR_OK;
}

/* ---- claiming one */

/* The first of the kind's places that nobody holds; "" when all are taken. */
static err free_slot(struct ctx *c, const struct task_claim *claim, char out[SLOT_TEXT])
{
    scoped_cursor q = {0};
    uint64_t taken = 0;
    bool found = true;

    assert(claim->kind->parallel <= 64);
    TRY(db_query(c, &q, "SELECT slot FROM task WHERE account_id = ? AND kind = ? AND slot IS NOT NULL",
                 IN(claim->account_id), IN(claim->kind->name)));
    for (;;) {
        const char *slot;
        int64_t place;

        TRY(db_row(&q, c, &found, OUT(&slot)));
        if (!found)
            break;
        if (str_to_i64(slot, &place) && place >= 0 && place < 64)
            taken |= (uint64_t)1 << place;
    }
    out[0] = 0;
    for (int i = 0; i < claim->kind->parallel && !out[0]; i++)
        if (!(taken >> i & 1))
            snprintf(out, SLOT_TEXT, "%d", i);
    return ERR_OK;
}

/* Locks what may be claimed. In a kind of lanes the lane is the place. */
static err select_ready(struct ctx *c, struct db_cursor *q, const struct task_claim *claim)
{
    const struct task_kind *kind = claim->kind;

    if (kind->parallel)
        return db_query(c, q,
                        "SELECT id, account_id, run_id, idem_key, payload, attempts, NULL FROM task "
                        "WHERE status = 'ready' AND priority = ? AND kind = ? AND account_id = ? AND run_at <= ? "
                        "ORDER BY run_at, id LIMIT ? FOR UPDATE SKIP LOCKED",
                        IN(claim->priority), IN(kind->name), IN(claim->account_id), IN(claim->now), IN(kind->batch));
    return db_query(c, q,
                    "SELECT t.id, t.account_id, t.run_id, t.idem_key, t.payload, t.attempts, t.lane FROM task t "
                    "WHERE t.status = 'ready' AND t.priority = ? AND t.kind = ? AND t.account_id = ? AND t.run_at <= ? "
                    "AND NOT EXISTS (SELECT 1 FROM task o WHERE o.account_id = ? AND o.kind = ? AND o.slot = t.lane) "
                    "ORDER BY t.run_at, t.id LIMIT 1 FOR UPDATE SKIP LOCKED",
                    IN(claim->priority), IN(kind->name), IN(claim->account_id), IN(claim->now), IN(claim->account_id),
                    IN(kind->name));
}

static err read_claimed(struct ctx *c, struct db_cursor *q, struct task *tasks, size_t max, const char **lane, size_t *n)
{
    size_t got = 0;
    bool found = true;

    for (; got < max; got++) {
        struct task *t = &tasks[got];
        const char *payload;

        *t = (struct task){0};
        TRY(db_row(q, c, &found, OUT(&t->id), OUT(&t->account_id), OUT_OPT(&t->run_id), OUT(&t->idem_key), OUT(&payload),
                   OUT(&t->attempts), OUT_OPT(lane)));
        if (!found)
            break;
        t->payload = run_row_json(c, payload, JSON_OBJ);
        t->attempts++;
    }
    *n = got;
    return ERR_OK;
}

static err mark_running(struct ctx *c, const struct task_claim *claim, const struct task *tasks, size_t n,
                        const char *slot)
{
    struct sql s;

    sql_init(&s, c->arena);
    /* of a batch the first holds the place */
    sql_add(&s,
            "UPDATE task SET status = 'running', owner = ?, lease_token = ?, lease_until = ?, attempts = attempts + 1, "
            "started_at = ?, slot = IF(id = ?, ?, NULL) WHERE status = 'ready'",
            IN(claim->owner), IN(claim->token), IN(claim->until), IN(claim->now), IN(tasks[0].id), IN(slot));
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, n);
    for (size_t i = 0; i < n; i++)
        ids[i] = tasks[i].id;
    sql_add_in_uuids(&s, "id", ids, n);
    return sql_exec(c, NULL, &s);
}

err task_store_claim(struct ctx *c, const struct task_claim *claim, struct task *tasks, size_t *n)
{
    const struct task_kind *kind = claim->kind;
    char slot[SLOT_TEXT] = "";
    scoped_cursor q = {0};
    const char *lane = NULL;

    *n = 0;
    if (kind->parallel)
        TRY(free_slot(c, claim, slot));
    if (kind->parallel && !slot[0])
        return ERR_OK;
    TRY(select_ready(c, &q, claim));
    TRY(read_claimed(c, &q, tasks, kind->parallel ? (size_t)kind->batch : 1, &lane, n));
    db_cursor_done(&q);
    if (*n == 0)
        return ERR_OK;
    return mark_running(c, claim, tasks, *n, lane ? lane : slot);
}

/* ---- while it runs */

static void add_held(struct sql *s, const struct uuid *ids, size_t n, struct uuid token)
{
    sql_add(s, " WHERE status = 'running' AND lease_token = ?", IN(token));
    sql_add_in_uuids(s, "id", ids, n);
}

err task_store_renew(struct ctx *c, const struct uuid *ids, size_t n, struct uuid token, struct instant until,
                     int64_t *held)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "UPDATE task SET lease_until = ?", IN(until));
    add_held(&s, ids, n, token);
    return sql_exec(c, held, &s);
}

err task_store_holds(struct ctx *c, struct uuid id, struct uuid token, bool *held)
{
    scoped_cursor q = {0};
    int one;

    TRY(db_query(c, &q, "SELECT 1 FROM task WHERE id = ? AND lease_token = ? AND status = 'running' FOR UPDATE", IN(id),
                 IN(token)));
    return db_row(&q, c, held, OUT(&one));
}

/* ---- ending */

#define LET_GO "slot = NULL, owner = NULL, lease_token = NULL, lease_until = NULL"

err task_store_done(struct ctx *c, const struct task_kind *kind, const struct uuid *ids, size_t n, struct uuid token,
                    struct instant now, int64_t *rows)
{
    int64_t gone = 0, kept = 0;
    struct sql s;

    *rows = 0;
    if (kind->flags & TASK_FORGET) {
        sql_init(&s, c->arena);
        sql_add(&s, "DELETE FROM task");
        add_held(&s, ids, n, token);
        sql_add(&s, " AND NOT again");
        TRY(sql_exec(c, &gone, &s));
    }
    if (gone < (int64_t)n) {
        sql_init(&s, c->arena);
        sql_add(&s,
                "UPDATE task SET finished_at = IF(again, NULL, ?), status = IF(again, 'ready', 'done'), "
                "run_at = IF(again, ?, run_at), attempts = IF(again, 0, attempts), lapses = 0, last_error = NULL, "
                "again = 0, slot = NULL, owner = NULL, lease_until = NULL, lease_token = NULL",
                IN(now), IN(now));
        add_held(&s, ids, n, token);
        TRY(sql_exec(c, &kept, &s));
    }
    *rows = gone + kept;
    return ERR_OK;
}

/* The list of tries with one more. */
static err with_try(struct ctx *c, struct uuid id, const char *error, struct instant now, const char **out)
{
    struct json *all = json_arr(c->arena), *one = json_obj(c->arena);
    const char *text = "[]";
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q, "SELECT tries FROM task WHERE id = ?", IN(id)));
    TRY(db_row(&q, c, &found, OUT(&text)));
    for (const struct json *m = run_row_json(c, text, JSON_ARR)->first; m; m = m->next)
        json_push(all, arena_memdup(c->arena, m, sizeof *m));
    while (all->len >= LIMIT_NOTES) {
        all->first = all->first->next;
        all->len--;
    }
    json_set_str(c->arena, one, "at", instant_text(now, arena_alloc(c->arena, INSTANT_TEXT)));
    json_set_str(c->arena, one, "error", run_row_cut(c, error, 300));
    json_push(all, one);
    *out = json_text(c->arena, all);
    return ERR_OK;
}

err task_store_failed(struct ctx *c, const struct task *t, struct uuid token, const struct task_failure *f,
                      struct instant now, bool *held)
{
    struct instant ended = f->dead ? now : (struct instant){0};
    const char *tries;
    int64_t rows;

    TRY(with_try(c, t->id, f->error, now, &tries));
    TRY(db_exec(c, &rows,
                "UPDATE task SET status = ?, attempts = attempts - ?, run_at = ?, last_error = ?, tries = ?, "
                "finished_at = ?, lapses = 0, " LET_GO " WHERE id = ? AND lease_token = ? AND status = 'running'",
                IN(f->dead ? "dead" : "ready"), IN(f->counted ? 0 : 1), IN(f->run_at),
                IN(run_row_cut(c, f->error, 2000)), IN(tries), IN_OPT(ended), IN(t->id), IN(token)));
    *held = rows == 1;
    return ERR_OK;
}

err task_store_release(struct ctx *c, struct uuid id, struct uuid token, bool behind, struct instant now, bool *held)
{
    int64_t rows;

    TRY(db_exec(c, &rows,
                "UPDATE task SET status = 'ready', attempts = IF(?, 0, attempts - 1), lapses = IF(?, 0, lapses), "
                "run_at = IF(?, ?, run_at), " LET_GO " WHERE id = ? AND lease_token = ? AND status = 'running'",
                IN(behind), IN(behind), IN(behind), IN(now), IN(id), IN(token)));
    *held = rows == 1;
    return ERR_OK;
}
