/* The queue: promising in a transaction, fair claims, leases, retries, dead letters, the calls of people. */
#include "jobs_world.h"

#include <pthread.h>
#include <stdio.h>

#include "access.h"
#include "db.h"
#include "job_service.h"
#include "task_service.h"
#include "upkeep.h"

/* ---- kinds to try it with */

#define DONE_MAX 400

static struct {
    int done;
    char order[DONE_MAX][48];        /* kind:key, as they were done */
    err result;                      /* of the next tries */
    int retry_after_s;
    bool dead;                       /* a kind was told that its task died */
    void (*meanwhile)(struct ctx *c);
    bool finish_itself;
    const char *large;               /* key of a task that takes more memory than there is */
} seen;

static err finish_body(struct ctx *c, void *arg)
{
    TRY(db_exec(c, NULL, "UPDATE probe SET value = value + 1"));
    return task_finish_in_tx(c, arg);
}

static err work(struct ctx *c, struct task_work *w)
{
    err e;

    for (size_t i = 0; i < w->n && seen.done < DONE_MAX; i++)
        snprintf(seen.order[seen.done++], sizeof *seen.order, "%s:%s", w->kind->name, w->tasks[i].idem_key);
    if (seen.meanwhile)
        seen.meanwhile(c);
    for (size_t i = 0; seen.large && i < w->n; i++)
        if (strcmp(w->tasks[i].idem_key, seen.large) == 0) {
            arena_alloc(c->arena, REQUEST_ARENA_SOFT);
            return db_exec(c, NULL, "UPDATE probe SET value = value + 1");
        }
    if (seen.finish_itself)
        return db_tx(c, finish_body, w);
    if (seen.result == ERR_OK)
        return ERR_OK;
    e = fail(c, seen.result, "no luck");
    c->fault.retry_after_s = seen.retry_after_s;
    return e;
}

static err died(struct ctx *c, const struct task *t, const char *why)
{
    (void)c, (void)t, (void)why;
    seen.dead = true;
    return ERR_OK;
}

static const struct task_kind ERASE = {.name = "erase", .priority = 1, .lease_s = 30, .max_attempts = 3, .parallel = 1,
                                       .batch = 1, .run = work, .died = died};
static const struct task_kind EMBED = {.name = "embed", .priority = 3, .lease_s = 60, .max_attempts = 8, .parallel = 2,
                                       .batch = 4, .flags = TASK_SWEPT, .run = work};
static const struct task_kind REEMBED = {.name = "reembed", .priority = 8, .lease_s = 120, .max_attempts = 8,
                                         .parallel = 1, .batch = 2, .run = work};

static const struct task_kind PROMOTE = {.name = "promote", .priority = 3, .lease_s = 60, .max_attempts = 5, .parallel = 1,
                                         .batch = 1, .run = work};

static const struct task_kind *const KINDS[] = {&run_kind, &slice_kind, &ERASE, &EMBED, &REEMBED, &PROMOTE};
static const struct job_list LIST = {NULL, 0, KINDS, sizeof KINDS / sizeof *KINDS};

#define NOW "2026-11-18T10:00:00Z"

static void fresh(void)
{
    memset(&seen, 0, sizeof seen);
    world_fresh(3, NOW);
}

/* As task_enqueue, but at the engine's time. */
static err promise(struct ctx *c, const struct task_kind *kind, size_t account, const char *key)
{
    struct task_new t = {.kind = kind->name, .account_id = world.accounts[account], .idem_key = key};
    struct uuid id = uuid_new(world.e->fixed_now.us);
    bool full;

    TRY(task_store_add(c, kind, &t, &id, 1, world.e->fixed_now, &full));
    return full ? ERR_RATE : ERR_OK;
}

static const char *state(void)
{
    return world_text("SELECT GROUP_CONCAT(CONCAT_WS(' ', status, attempts, lapses) ORDER BY id) FROM task");
}

static struct uuid only_task(void)
{
    struct uuid id;

    assert_true(uuid_parse(world_text("SELECT id FROM task"), &id));
    return id;
}

/* ---- promising */

struct promising {
    bool undo;
    const char *key;
};

static err promise_body(struct ctx *c, void *arg)
{
    struct promising *p = arg;
    struct task_new t = {.kind = "embed", .account_id = world.accounts[0], .idem_key = p->key};

    TRY(task_enqueue(c, &t));
    return p->undo ? fail(c, ERR_CONFLICT, "never mind") : ERR_OK;
}

static void a_promise_goes_with_its_transaction(void **unused)
{
    struct promising p = {true, "node-1"};

    (void)unused;
    fresh();
    assert_int_equal(db_tx(&world.c, promise_body, &p), ERR_CONFLICT);
    assert_int_equal(world_int("SELECT COUNT(*) FROM task"), 0);
    world_calm();
    p.undo = false;
    OK(db_tx(&world.c, promise_body, &p));
    assert_int_equal(world_int("SELECT COUNT(*) FROM task"), 1);
}

static void *promise_thread(void *arg)
{
    struct promising p = {false, "same"};
    struct ctx c;

    (void)arg;
    stack_ctx(&c, world.app.conf, 0);
    c.app = &world.app;
    for (int i = 0; i < 10; i++)
        if (db_tx(&c, promise_body, &p) != ERR_OK)
            fprintf(stderr, "%s\n", c.fault.message);
    stack_ctx_done(&c);
    return NULL;
}

static void the_same_key_is_one_task(void **unused)
{
    pthread_t threads[8];

    (void)unused;
    fresh();
    for (int i = 0; i < 8; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, promise_thread, NULL), 0);
    for (int i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(world_int("SELECT COUNT(*) FROM task"), 1);
    assert_string_equal(state(), "ready 0 0");
}

static void promise_again(struct ctx *c)
{
    seen.meanwhile = NULL;
    assert_int_equal(promise(c, &EMBED, 0, "node-1"), ERR_OK);
}

static void asked_for_while_running_it_runs_once_more(void **unused)
{
    (void)unused;
    fresh();
    OK(promise(&world.c, &EMBED, 0, "node-1"));
    seen.meanwhile = promise_again;
    assert_true(world_work_once());
    assert_string_equal(state(), "ready 0 0");
    assert_true(world_work_once());
    assert_string_equal(state(), "done 1 0");
    OK(promise(&world.c, &EMBED, 0, "node-1")); /* done within a day: nothing */
    assert_false(world_work_once());
    world_pass(86401);
    OK(promise(&world.c, &EMBED, 0, "node-1"));
    assert_true(world_work_once());
    assert_int_equal(seen.done, 3);
}

static void a_full_queue_refuses_what_no_sweep_would_find(void **unused)
{
    struct task_new erase = {.kind = "erase", .account_id = world.accounts[0], .idem_key = "x"};
    struct task_new embed = {.kind = "embed", .account_id = world.accounts[0], .idem_key = "x"};

    (void)unused;
    fresh();
    erase.account_id = embed.account_id = world.accounts[0];
    OK(db_exec(&world.c, NULL, "INSERT INTO task_group (account_id, kind, ready, counted_at) VALUES (?, 'erase', 200000, '2026-11-18 09:59:59')",
               IN(world.accounts[0])));
    OK(db_exec(&world.c, NULL, "INSERT INTO task_group (account_id, kind, ready, counted_at) VALUES (?, 'embed', 200000, '2026-11-18 09:59:59')",
               IN(world.accounts[0])));
    assert_int_equal(task_enqueue(&world.c, &erase), ERR_RATE);
    assert_non_null(strstr(world.c.fault.message, "'erase'"));
    world_calm();
    OK(task_enqueue(&world.c, &embed));
    assert_int_equal(world_int("SELECT COUNT(*) FROM task"), 0);
    erase.account_id = world.accounts[1];
    OK(task_enqueue(&world.c, &erase));
    OK(upkeep_count(&world.c)); /* counted again, it is not long at all */
    assert_int_equal(world_int("SELECT COUNT(*) FROM task_group"), 0);
}

/* ---- whose turn it is */

static void a_flood_of_one_account_does_not_hold_up_another(void **unused)
{
    (void)unused;
    fresh();
    OK(db_exec(&world.c, NULL,
               "INSERT INTO task (id, account_id, kind, priority, idem_key, run_at, max_attempts, created_at) "
               "SELECT UUID(), ?, 'reembed', 8, CONCAT('a', seq), '2026-11-18 08:00:00', 8, NOW(6) FROM seq_1_to_20000",
               IN(world.accounts[0])));
    OK(promise(&world.c, &ERASE, 1, "b"));
    OK(promise(&world.c, &EMBED, 2, "c"));
    world_work_once();
    assert_string_equal(seen.order[0], "erase:b");
    world_work_once(); /* the backlog has aged up to 3, but 2 was never served */
    world_work_once();
    assert_true(strncmp(seen.order[1], "embed:c", 7) == 0 || strncmp(seen.order[3], "embed:c", 7) == 0);
}

static void equals_take_turns(void **unused)
{
    (void)unused;
    fresh();
    for (int i = 0; i < 6; i++)
        OK(promise(&world.c, &ERASE, 0, arena_printf(world.c.arena, "a%d", i)));
    for (int i = 0; i < 3; i++)
        OK(promise(&world.c, &ERASE, 1, arena_printf(world.c.arena, "b%d", i)));
    for (int i = 0; i < 9; i++)
        assert_true(world_work_once());
    for (int i = 0; i < 6; i += 2)
        assert_true(seen.order[i][6] != seen.order[i + 1][6]);
}

static void patience_is_rewarded_within_the_hour(void **unused)
{
    int at = -1;

    (void)unused;
    fresh();
    OK(promise(&world.c, &REEMBED, 0, "old"));
    for (int minute = 0; minute < 61 && at < 0; minute++) {
        OK(promise(&world.c, &PROMOTE, 1, arena_printf(world.c.arena, "m%d", minute)));
        world_work_once();
        if (strcmp(seen.order[seen.done - 1], "reembed:old") == 0)
            at = minute;
        world_pass(60);
    }
    assert_in_range(at, 1, 60);
}

static void a_backlog_takes_every_other_turn(void **unused)
{
    (void)unused;
    fresh();
    for (int i = 0; i < 24; i++)
        OK(promise(&world.c, &EMBED, 0, arena_printf(world.c.arena, "e%d", i)));
    for (int i = 0; i < 2; i++)
        OK(promise(&world.c, &REEMBED, 1, arena_printf(world.c.arena, "r%d", i)));
    for (int i = 0; i < 3; i++)
        assert_true(world_work_once());
    assert_string_equal(seen.order[0], "embed:e0");
    assert_string_equal(seen.order[4], "reembed:r0");
    assert_string_equal(seen.order[6], "embed:e4");
    assert_true(world_work_once());
    assert_string_equal(seen.order[10], "embed:e8"); /* nothing else waits any more */
    OK(promise(&world.c, &ERASE, 1, "x"));
    assert_true(world_work_once());
    assert_true(world_work_once());
    assert_string_equal(seen.order[14], "erase:x");
    assert_string_equal(seen.order[15], "embed:e12");
}

/* As promise(), by somebody who waits for it. */
static err ask_for(const struct task_kind *kind, size_t account, const char *key)
{
    struct task_new t = {.kind = kind->name, .account_id = world.accounts[account], .idem_key = key, .priority = TASK_ASKED};
    struct uuid id = uuid_new(world.e->fixed_now.us);
    bool full;

    return task_store_add(&world.c, kind, &t, &id, 1, world.e->fixed_now, &full);
}

static void what_was_asked_for_is_next_and_starves_nobody(void **unused)
{
    static const char *const ORDER[] = {"embed:e0",   "embed:e1",   "embed:e2",  "embed:e3",  "reembed:asked0", "embed:e4",
                                        "embed:e5",   "embed:e6",   "embed:e7",  "reembed:asked1", "reembed:asked2", "embed:e8"};
    bool did;

    (void)unused;
    fresh();
    for (int i = 0; i < 12; i++)
        OK(promise(&world.c, &EMBED, 0, arena_printf(world.c.arena, "e%d", i)));
    OK(promise(&world.c, &REEMBED, 0, "due"));
    assert_true(world_work_once());
    for (int i = 0; i < 3; i++) { /* also the threads that are kept for the urgent take it */
        OK(ask_for(&REEMBED, 0, arena_printf(world.c.arena, "asked%d", i)));
        world.e->map_at = 0;
        OK(engine_work(world.e, &world.c, true, &did));
        assert_true(did);
    }
    while (world_work_once())
        ;
    for (size_t i = 0; i < sizeof ORDER / sizeof *ORDER; i++)
        assert_string_equal(seen.order[i], ORDER[i]);
    assert_string_equal(seen.order[seen.done - 1], "reembed:due");
}

static void urgent_threads_leave_the_rest_alone(void **unused)
{
    bool did;

    (void)unused;
    fresh();
    OK(promise(&world.c, &REEMBED, 0, "x"));
    OK(engine_work(world.e, &world.c, true, &did));
    assert_false(did);
    OK(promise(&world.c, &ERASE, 0, "y"));
    world.e->map_at = 0;
    OK(engine_work(world.e, &world.c, true, &did));
    assert_true(did);
}

static void only_so_many_at_once(void **unused)
{
    struct task_claim k = {&ERASE, 1, world.accounts[0], {{1}}, {{2}}, {0}, {0}};
    struct task tasks[4];
    size_t n;

    (void)unused;
    fresh();
    k.account_id = world.accounts[0];
    k.now = world.e->fixed_now;
    k.until.us = k.now.us + 30 * SECOND_US;
    OK(promise(&world.c, &ERASE, 0, "a"));
    OK(promise(&world.c, &ERASE, 0, "b"));
    OK(task_store_claim(&world.c, &k, tasks, &n));
    assert_int_equal(n, 1);
    OK(task_store_claim(&world.c, &k, tasks, &n));
    assert_int_equal(n, 0);
    for (int i = 0; i < 10; i++)
        OK(promise(&world.c, &EMBED, 0, arena_printf(world.c.arena, "e%d", i)));
    k.kind = &EMBED;
    k.priority = 3;
    OK(task_store_claim(&world.c, &k, tasks, &n));
    assert_int_equal(n, 4);
    OK(task_store_claim(&world.c, &k, tasks, &n));
    assert_int_equal(n, 4);
    OK(task_store_claim(&world.c, &k, tasks, &n)); /* two batches are under way */
    assert_int_equal(n, 0);
}

/* ---- leases */

static void lose_lease(struct ctx *c)
{
    (void)c;
    seen.meanwhile = NULL;
    world_sql("UPDATE task SET lease_token = UUID(), status = 'running'");
}

static void a_sleeper_that_wakes_too_late_changes_nothing(void **unused)
{
    (void)unused;
    fresh();
    world_sql("INSERT INTO probe VALUES (UUID(), 1, 0)");
    OK(promise(&world.c, &ERASE, 0, "x"));
    seen.meanwhile = lose_lease;
    seen.finish_itself = true;
    world_work_once();
    assert_int_equal(world_int("SELECT value FROM probe"), 0);
    assert_string_equal(world_text("SELECT status FROM task"), "running");
    world_sql("UPDATE task SET status = 'ready', slot = NULL");
    world_work_once();
    assert_int_equal(world_int("SELECT value FROM probe"), 1);
    assert_string_equal(world_text("SELECT status FROM task"), "done");
}

static void lost_three_times_it_is_poison(void **unused)
{
    int64_t n;

    (void)unused;
    fresh();
    OK(promise(&world.c, &EMBED, 0, "x"));
    for (int i = 1; i <= 3; i++) {
        world_sql("UPDATE task SET status = 'running', attempts = attempts + 1, lease_until = '2026-11-18 09:00:00', "
                  "slot = '0' WHERE status = 'ready'");
        OK(queue_take_back(&world.c, world.e->list, world.e->fixed_now, &n));
        assert_int_equal(n, 1);
        assert_int_equal(world_int("SELECT COUNT(*) FROM task WHERE slot IS NOT NULL"), 0);
    }
    assert_string_equal(state(), "dead 3 3");
    assert_non_null(strstr(world_text("SELECT last_error FROM task"), "suspected_poison"));
    assert_false(world_work_once());
}

static void a_lease_is_renewed(void **unused)
{
    struct lease l = {.lease_s = 30};
    struct uuid id;

    (void)unused;
    fresh();
    OK(promise(&world.c, &ERASE, 0, "x"));
    id = only_task();
    l.ids = &id;
    l.n = 1;
    l.token = uuid_new(1);
    OK(db_exec(&world.c, NULL, "UPDATE task SET status = 'running', lease_token = ?, lease_until = '2026-11-18 10:00:30'",
               IN(l.token)));
    lease_begin(world.e, &l);
    world_pass(20);
    l.renew_at = 0;
    leases_renew(world.e, &world.c);
    assert_string_equal(world_text("SELECT lease_until FROM task"), "2026-11-18 10:00:50.000000");
    assert_false(atomic_load(&l.lost));
    world_sql("UPDATE task SET lease_token = UUID()");
    l.renew_at = 0;
    leases_renew(world.e, &world.c);
    assert_true(atomic_load(&l.lost));
    lease_end(world.e, &l);
}

/* ---- failing */

static void failures_wait_longer_each_time_and_then_are_dead(void **unused)
{
    int64_t wait;

    (void)unused;
    fresh();
    OK(promise(&world.c, &ERASE, 0, "x"));
    seen.result = ERR_PROVIDER;
    world_work_once();
    assert_string_equal(state(), "ready 1 0");
    wait = world_int("SELECT TIMESTAMPDIFF(MICROSECOND, '2026-11-18 10:00:00', run_at) FROM task");
    assert_in_range(wait, 2500000, 7500000);
    assert_false(world_work_once()); /* not before its time */
    world_pass(8);
    world_work_once();
    wait = world_int("SELECT TIMESTAMPDIFF(MICROSECOND, '2026-11-18 10:00:08', run_at) FROM task");
    assert_in_range(wait, 5000000, 15000000);
    world_pass(16);
    world_work_once();
    assert_string_equal(state(), "dead 3 0");
    assert_true(seen.dead);
    assert_int_equal(world_int("SELECT JSON_LENGTH(tries) FROM task"), 3);
    assert_string_equal(world_text("SELECT last_error FROM task"), "no luck");
}

static void a_provider_that_asks_for_patience_gets_it(void **unused)
{
    (void)unused;
    fresh();
    OK(promise(&world.c, &EMBED, 0, "x"));
    seen.result = ERR_RATE;
    seen.retry_after_s = 120;
    world_work_once();
    assert_string_equal(state(), "ready 0 0");
    assert_string_equal(world_text("SELECT run_at FROM task"), "2026-11-18 10:02:00.000000");
    world_pass(119);
    assert_false(world_work_once());
    world_pass(1);
    seen.result = ERR_OK;
    assert_true(world_work_once());
    assert_string_equal(state(), "done 1 0");
}

static void what_cannot_succeed_is_dead_at_once(void **unused)
{
    (void)unused;
    fresh();
    OK(promise(&world.c, &EMBED, 0, "x"));
    seen.result = ERR_INVALID;
    world_work_once();
    assert_string_equal(state(), "dead 1 0");
    OK(promise(&world.c, &EMBED, 0, "x")); /* promised anew it stays with the dead letters */
    assert_false(world_work_once());
}

/* The batch is done again, task by task; the one that is too large is put aside with its reason, the others are done. */
static void what_is_too_large_is_dead_and_takes_nobody_with_it(void **unused)
{
    (void)unused;
    fresh();
    OK(promise(&world.c, &EMBED, 0, "a"));
    OK(promise(&world.c, &EMBED, 0, "b"));
    OK(promise(&world.c, &EMBED, 0, "c"));
    seen.large = "b";
    world_work();
    assert_string_equal(state(), "done 1 0,dead 1 0,done 1 0");
    assert_int_equal(seen.done, 6);
    assert_non_null(strstr(world_text("SELECT last_error FROM task WHERE status = 'dead'"), "more than 256 MiB"));
    OK(promise(&world.c, &ERASE, 0, "b"));
    OK(promise(&world.c, &ERASE, 1, "d"));
    world_work();
    assert_string_equal(state(), "done 1 0,dead 1 0,done 1 0,dead 1 0,done 1 0");
    assert_true(seen.dead);
}

static void stop_now(struct ctx *c)
{
    (void)c;
    seen.meanwhile = NULL;
    atomic_store(&world.e->stopping, true);
}

static void a_stop_counts_no_attempt(void **unused)
{
    (void)unused;
    fresh();
    OK(promise(&world.c, &EMBED, 0, "x"));
    seen.result = ERR_UNAVAILABLE;
    seen.meanwhile = stop_now;
    world_work_once();
    atomic_store(&world.e->stopping, false);
    assert_string_equal(state(), "ready 0 0");
    assert_int_equal(world_int("SELECT COUNT(*) FROM task WHERE slot IS NOT NULL OR owner IS NOT NULL"), 0);
}

/* ---- people */

static void as_person(size_t account, bool is_operator)
{
    OK(access_as_system(&world.c, world.accounts[account], "test"));
    world.c.who->is_operator = is_operator;
}

static void dead_letters_are_tried_again_or_put_aside(void **unused)
{
    struct task_query q = {.status = TASK_DEAD, .kind = "embed", .limit = 100};
    struct uuid id;
    int64_t n;

    (void)unused;
    fresh();
    OK(promise(&world.c, &EMBED, 0, "x"));
    id = only_task();
    as_person(0, false);
    assert_int_equal(task_retry(&world.c, id, false, world.e->fixed_now), ERR_CONFLICT);
    seen.result = ERR_INVALID;
    world_work_once();
    as_person(1, false);
    assert_int_equal(task_retry(&world.c, id, false, world.e->fixed_now), ERR_NOT_FOUND);
    world_calm();
    as_person(0, false);
    OK(task_retry(&world.c, id, false, world.e->fixed_now));
    assert_string_equal(state(), "ready 0 0");
    world_work_once();
    as_person(0, false);
    OK(task_bulk(&world.c, &q, NULL, world.e->fixed_now, &n));
    assert_int_equal(n, 1);
    seen.result = ERR_OK;
    world_work_once();
    assert_string_equal(state(), "done 1 0");
    world_sql("UPDATE task SET status = 'dead'");
    as_person(0, false);
    OK(task_discard(&world.c, id, false, "no longer needed", world.e->fixed_now));
    assert_string_equal(world_text("SELECT CONCAT(status, ' ', last_error) FROM task"), "cancelled no longer needed");
    assert_int_equal(world_int("SELECT COUNT(*) FROM audit_event WHERE kind LIKE 'task.%'"), 3);
}

static void secrets_of_payloads_are_masked(void **unused)
{
    struct task_query q = {.status = -1, .limit = 10};
    const struct task_row *row;
    struct page page;

    (void)unused;
    fresh();
    OK(promise(&world.c, &EMBED, 0, "x"));
    world_sql("UPDATE task SET payload = '{\"id\":\"1\",\"hook\":{\"secret\":\"s3\"},\"list\":[{\"apiToken\":\"t\"}]}'");
    as_person(0, false);
    OK(task_page(&world.c, &q, &page));
    row = page.items;
    assert_string_equal(json_text(world.c.arena, row->payload),
                        "{\"id\":\"1\",\"hook\":{\"secret\":\"********\"},\"list\":[{\"apiToken\":\"********\"}]}");
}

static void ended_tasks_go_after_their_time(void **unused)
{
    int64_t n;

    (void)unused;
    fresh();
    OK(promise(&world.c, &EMBED, 0, "done"));
    world_work_once();
    world_pass(3600);
    OK(upkeep_tasks(&world.c, 1000, &n));
    assert_int_equal(n, 0);
    world_pass(86400);
    OK(upkeep_tasks(&world.c, 1000, &n));
    assert_int_equal(n, 1);
}

static void the_counters_reach_metrics(void **unused)
{
    struct buf text;

    (void)unused;
    fresh();
    OK(promise(&world.c, &EMBED, 0, "x"));
    OK(promise(&world.c, &ERASE, 0, "y"));
    seen.result = ERR_INVALID;
    world_work_once();
    OK(stats_flush(world.e, &world.c));
    OK(upkeep_count(&world.c));
    buf_init(&text, world.c.arena, 1024);
    jobs_metrics(&world.c, &text);
    assert_non_null(strstr(buf_str(&text), "loci_task_dead_total{kind=\"erase\"} 1\n"));
    assert_non_null(strstr(buf_str(&text), "loci_queue_tasks{kind=\"embed\",status=\"ready\"} 1\n"));
    assert_non_null(strstr(buf_str(&text), "loci_queue_tasks{kind=\"erase\",status=\"dead\"} 1\n"));
    assert_non_null(strstr(buf_str(&text), "loci_task_duration_seconds_count{kind=\"erase\"} 1\n"));
    assert_non_null(strstr(buf_str(&text), "loci_scheduler_up 0\n"));
}

/* ---- cost */

/* Rows that the server looked at for one reading of the map, of 20,000 tasks in three groups. */
static void looking_costs_groups_not_tasks(void **unused)
{
    struct task_group *groups;
    int64_t before, after;
    size_t n;

    (void)unused;
    fresh();
    for (int i = 0; i < 3; i++)
        OK(db_exec(&world.c, NULL,
                   "INSERT INTO task (id, account_id, kind, priority, idem_key, run_at, max_attempts, created_at) "
                   "SELECT UUID(), ?, 'reembed', 8, CONCAT('a', seq), '2026-11-18 08:00:00', 8, NOW(6) FROM seq_1_to_7000",
                   IN(world.accounts[i])));
    world_sql("ANALYZE TABLE task");
    before = world_rows_read();
    OK(task_store_map(&world.c, world.e->fixed_now, &groups, &n));
    assert_int_equal(n, 3);
    after = world_rows_read();
    assert_in_range(after - before, 1, 400);
}

/* So many accounts with a task each. */
static void plant_accounts(int64_t n, const char *kind, int64_t priority, const char *run_at)
{
    OK(db_exec(&world.c, NULL,
               "INSERT INTO task (id, account_id, kind, priority, idem_key, run_at, max_attempts, created_at) "
               "SELECT UUID(), UUID(), ?, ?, 'x', ?, 8, NOW(6) FROM seq_1_to_100000 WHERE seq <= ?", IN(kind), IN(priority),
               IN(run_at), IN(n)));
    world_sql("ANALYZE TABLE task");
}

/* Rows read for the map and for one claim from it. */
static void cost_with(int64_t accounts, int64_t *of_map, int64_t *of_claim)
{
    struct task_claim k = {.kind = &REEMBED, .priority = 8, .owner = {{1}}, .token = {{2}}};
    struct task_group *groups;
    struct task tasks[2];
    int64_t begin, mapped;
    size_t n;

    fresh();
    plant_accounts(accounts, "reembed", 8, "2026-11-18 08:00:00");
    begin = world_rows_read();
    OK(task_store_map(&world.c, world.e->fixed_now, &groups, &n));
    mapped = world_rows_read();
    *of_map = mapped - begin;
    k.account_id = groups[n / 2].account_id;
    k.now = world.e->fixed_now;
    k.until.us = k.now.us + 30 * SECOND_US;
    OK(task_store_claim(&world.c, &k, tasks, &n));
    *of_claim = world_rows_read() - mapped;
    assert_int_equal(n, 1);
}

static void a_claim_costs_the_same_with_ten_thousand_accounts(void **unused)
{
    int64_t map_few, few, map_many, many;

    (void)unused;
    cost_with(100, &map_few, &few);
    cost_with(10000, &map_many, &many);
    assert_in_range(many, 1, few + 5);
    assert_in_range(map_many, map_few, 5000);
}

/* A provider is away, and what waits for it belongs to more accounts than the map has room for. */
static void those_that_wait_for_later_hide_nobody(void **unused)
{
    (void)unused;
    fresh();
    plant_accounts(5000, "embed", 3, "2026-11-18 11:00:00");
    OK(promise(&world.c, &REEMBED, 0, "now"));
    assert_true(world_work_once());
    assert_string_equal(seen.order[0], "reembed:now");
    assert_false(world_work_once());
}

static void looking_takes_a_tenth_of_the_time_at_most(void **unused)
{
    bool did;

    (void)unused;
    fresh();
    assert_false(world_work_once());
    world.e->map_cost_us = 3600 * SECOND_US; /* as if there were very many accounts */
    OK(promise(&world.c, &ERASE, 0, "x"));
    queue_stir(world.e);
    OK(engine_work(world.e, &world.c, false, &did));
    assert_false(did);
    world.e->map_cost_us = 0;
    OK(engine_work(world.e, &world.c, false, &did)); /* the hint was not lost */
    assert_true(did);
}

static int open_world(void **unused)
{
    (void)unused;
    world_open(&LIST);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_promise_goes_with_its_transaction),
        cmocka_unit_test(the_same_key_is_one_task),
        cmocka_unit_test(asked_for_while_running_it_runs_once_more),
        cmocka_unit_test(a_full_queue_refuses_what_no_sweep_would_find),
        cmocka_unit_test(a_flood_of_one_account_does_not_hold_up_another),
        cmocka_unit_test(equals_take_turns),
        cmocka_unit_test(patience_is_rewarded_within_the_hour),
        cmocka_unit_test(a_backlog_takes_every_other_turn),
        cmocka_unit_test(what_was_asked_for_is_next_and_starves_nobody),
        cmocka_unit_test(urgent_threads_leave_the_rest_alone),
        cmocka_unit_test(only_so_many_at_once),
        cmocka_unit_test(a_sleeper_that_wakes_too_late_changes_nothing),
        cmocka_unit_test(lost_three_times_it_is_poison),
        cmocka_unit_test(a_lease_is_renewed),
        cmocka_unit_test(failures_wait_longer_each_time_and_then_are_dead),
        cmocka_unit_test(a_provider_that_asks_for_patience_gets_it),
        cmocka_unit_test(what_cannot_succeed_is_dead_at_once),
        cmocka_unit_test(what_is_too_large_is_dead_and_takes_nobody_with_it),
        cmocka_unit_test(a_stop_counts_no_attempt),
        cmocka_unit_test(dead_letters_are_tried_again_or_put_aside),
        cmocka_unit_test(secrets_of_payloads_are_masked),
        cmocka_unit_test(ended_tasks_go_after_their_time),
        cmocka_unit_test(the_counters_reach_metrics),
        cmocka_unit_test(looking_costs_groups_not_tasks),
        cmocka_unit_test(a_claim_costs_the_same_with_ten_thousand_accounts),
        cmocka_unit_test(those_that_wait_for_later_hide_nobody),
        cmocka_unit_test(looking_takes_a_tenth_of_the_time_at_most),
    };

    return cmocka_run_group_tests(tests, open_world, world_close);
}
