/* The engine of the jobs: firing, catching up, waiting for each other, slices, bounds, cancelling, and running on demand. */
#include "jobs_world.h"

#include <pthread.h>
#include <stdio.h>

#include "access.h"
#include "db.h"
#include "job_service.h"
#include "job_store.h"
#include "stats_store.h"

/* ---- jobs to try it with: they add one to each value of a table of their own */

static struct {
    int64_t bad_row;                 /* applying it fails */
    int64_t large_row;               /* applying it takes more memory than there is */
    int64_t rows_seen;
    bool step_fails, step_is_large;
    int calls;
    void (*in_apply)(struct ctx *c);
} probe;

static err probe_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};
    bool found = true;

    *n = 0;
    TRY(db_query(c, &q, "SELECT DISTINCT account_id FROM probe WHERE account_id > ? ORDER BY account_id LIMIT ?",
                 IN(above), IN((int64_t)max)));
    for (;;) {
        TRY(db_row(&q, c, &found, OUT(&ids[*n])));
        if (!found)
            return ERR_OK;
        ++*n;
    }
}

static err probe_select(struct ctx *c, struct slice *s, struct slice_row *rows, size_t *n)
{
    scoped_cursor q = {0};
    int64_t after = 0;
    bool found = true;

    if (s->cursor.p)
        memcpy(&after, s->cursor.p, sizeof after);
    TRY(db_query(c, &q, "SELECT id FROM probe WHERE account_id = ? AND id > ? ORDER BY id LIMIT ?", IN(s->account_id),
                 IN(after), IN(s->limit)));
    for (*n = 0;; ++*n) {
        int64_t id;

        TRY(db_row(&q, c, &found, OUT(&id)));
        if (!found)
            return ERR_OK;
        rows[*n] = (struct slice_row){{arena_memdup(c->arena, &id, sizeof id), sizeof id},
                                      arena_printf(c->arena, "%lld", (long long)id), NULL};
    }
}

static err probe_apply(struct ctx *c, struct slice *s, const struct slice_row *rows, size_t n)
{
    probe.calls++;
    for (size_t i = 0; i < n; i++) {
        int64_t id, changed;

        memcpy(&id, rows[i].cursor.p, sizeof id);
        if (id == probe.bad_row)
            return fail(c, ERR_INVALID, "row %lld is bad", (long long)id);
        if (s->dry)
            slice_would(s, rows[i].id, "one more");
        if (id == probe.large_row)
            arena_alloc(c->arena, REQUEST_ARENA_SOFT);
        TRY(db_exec(c, &changed, "UPDATE probe SET value = value + 1 WHERE account_id = ? AND id = ?", IN(s->account_id),
                    IN(id)));
        s->changed += changed;
    }
    slice_count(s, "touched", (int64_t)n);
    probe.rows_seen += (int64_t)n;
    if (probe.in_apply)
        probe.in_apply(c);
    return ERR_OK;
}

static err nothing_step(struct ctx *c, struct slice *s)
{
    probe.calls++;
    (void)s;
    if (probe.step_is_large) {
        arena_alloc(c->arena, REQUEST_ARENA_SOFT);
        TRY(db_exec(c, NULL, "UPDATE probe SET value = value + 1"));
    }
    return probe.step_fails ? fail(c, ERR_INVALID, "it cannot be done") : ERR_OK;
}

/* Each row in a transaction of its own, and counted with it; one that fails ends the step, as a kill would. */
static err one_by_one_row(struct ctx *c, void *arg)
{
    const struct slice_row *row = arg;
    struct slice *s = row->data;
    int64_t id;

    memcpy(&id, row->cursor.p, sizeof id);
    TRY(db_exec(c, NULL, "UPDATE probe SET value = value + 1 WHERE account_id = ? AND id = ?", IN(s->account_id), IN(id)));
    if (id == probe.bad_row && probe.in_apply)
        probe.in_apply(c);
    else if (id == probe.bad_row)
        return fail(c, ERR_INVALID, "row %lld is bad", (long long)id);
    return slice_count_now(c, s, 1, "touched");
}

static err one_by_one_step(struct ctx *c, struct slice *s)
{
    struct slice_row *rows = ARENA_ARRAY(c->arena, struct slice_row, (size_t)s->limit + 1);
    size_t n;

    TRY(probe_select(c, s, rows, &n));
    for (size_t i = 0; i < n; i++) {
        rows[i].data = s;
        TRY(db_tx(c, one_by_one_row, &rows[i]));
        s->scanned++;
        s->changed++;
        s->scanned_told++;
        s->changed_told++;
        s->cursor = rows[i].cursor;
    }
    s->skipped++; /* what only the batch knows */
    s->more = (int64_t)n == s->limit;
    return ERR_OK;
}

static const struct job_param PARAMS[] = {
    {"days", PARAM_INT, 1, 365, 30, "age"}, {"share", PARAM_NUM, 0, 1, .5, "share"}, {"deep", PARAM_BOOL, 0, 1, 0, ""}, {0}};

static const struct job SWEEP = {.name = "sweep", .description = "adds one", .schedule = "0 4 * * *", .bound = 10000,
                                 .flags = JOB_DRY_RUN, .params = PARAMS, .due = probe_due, .select = probe_select,
                                 .apply = probe_apply};
static const struct job ONE_BY_ONE = {.name = "one_by_one", .description = "adds one", .schedule = "0 4 * * *", .bound = 10000,
                                      .batch = 40, .flags = JOB_OUTSIDE | JOB_STATE, .due = probe_due, .step = one_by_one_step};
static const struct job QUARTER = {.name = "quarter", .description = "nothing", .schedule = "*/15 * * * *",
                                   .flags = JOB_INSTALLATION, .step = nothing_step};
static const struct job QUARTER_TOO = {.name = "quarter_too", .description = "nothing", .schedule = "*/15 * * * *",
                                       .flags = JOB_INSTALLATION, .step = nothing_step};
static const struct job PAGES = {.name = "pages", .description = "nothing", .schedule = "10 0 * * *",
                                 .catchup = CATCHUP_ALL, .flags = JOB_INSTALLATION, .step = nothing_step};
static const struct job WARM = {.name = "warm", .description = "nothing", .schedule = "*/15 * * * *",
                                .catchup = CATCHUP_SKIP, .flags = JOB_INSTALLATION, .step = nothing_step};
static const struct job DECAY = {.name = "decay", .description = "nothing", .schedule = "0 2 * * *",
                                 .time_box_s = 7200, .flags = JOB_INSTALLATION, .step = nothing_step};
static const struct job GROWTH = {.name = "growth", .description = "nothing", .schedule = "0 3 * * *", .after = "decay",
                                  .after_policy = AFTER_SUCCESS, .flags = JOB_INSTALLATION, .step = nothing_step};
static const struct job DEDUP = {.name = "dedup", .description = "nothing", .schedule = "0 3 * * *", .after = "decay",
                                 .flags = JOB_INSTALLATION, .step = nothing_step};
static const struct job ALWAYS = {.name = "always", .description = "adds one", .schedule = "@every 10s", .bound = 1000,
                                  .batch = 100, .due = probe_due, .select = probe_select, .apply = probe_apply};

#define LIST(name, ...) \
    static const struct job *const name##_jobs[] = {__VA_ARGS__}; \
    static const struct task_kind *const name##_kinds[] = {&run_kind, &slice_kind}; \
    static const struct job_list name = {name##_jobs, sizeof name##_jobs / sizeof *name##_jobs, name##_kinds, 2}

LIST(ONLY_SWEEP, &SWEEP);
LIST(ONLY_ONE_BY_ONE, &ONE_BY_ONE);
LIST(ONLY_QUARTER, &QUARTER);
LIST(TWO_QUARTERS, &QUARTER, &QUARTER_TOO);
LIST(ONLY_ALWAYS, &ALWAYS);
LIST(CHAIN, &DECAY, &GROWTH, &DEDUP);
LIST(TIMETABLE, &QUARTER, &PAGES, &WARM, &DECAY, &GROWTH, &DEDUP);

static void fresh(const struct job_list *list, size_t n_accounts, const char *now)
{
    memset(&probe, 0, sizeof probe);
    world.app.jobs = list;
    world_fresh(n_accounts, now);
}

static void plant(size_t account, int64_t n)
{
    OK(db_exec(&world.c, NULL, "INSERT INTO probe (account_id, id) SELECT ?, seq FROM seq_1_to_100000 WHERE seq <= ?",
               IN(world.accounts[account]), IN(n)));
}

static const char *status_of(const char *job)
{
    return world_text(arena_printf(world.c.arena, "SELECT CONCAT(status, IFNULL(CONCAT(' ', reason), '')) FROM job_run "
                                                  "WHERE top = 1 AND job_name = '%s' ORDER BY id DESC LIMIT 1", job));
}

static void as_person(size_t account, bool is_operator)
{
    OK(access_as_system(&world.c, world.accounts[account], "test"));
    world.c.who->is_operator = is_operator;
}

/* ---- firing */

static void a_firing_becomes_one_run(void **unused)
{
    (void)unused;
    fresh(&ONLY_QUARTER, 1, "2026-11-18T10:00:00Z");
    world_work();
    assert_int_equal(world_int("SELECT COUNT(*) FROM job_run"), 0);
    world_now("2026-11-18T10:15:03Z");
    world_work();
    assert_int_equal(world_int("SELECT COUNT(*) FROM job_run WHERE top = 1 AND fire_at = '2026-11-18 10:15:00' "
                               "AND `trigger` = 'cron' AND missed = 0"), 1);
    assert_string_equal(world_text("SELECT next_fire_at FROM job"), "2026-11-18 10:30:00.000000");
    world_pass(5);
    world_work();
    assert_string_equal(status_of("quarter"), "succeeded");
    assert_int_equal(probe.calls, 1);
    world_pass(5);
    world_work();
    assert_int_equal(probe.calls, 1);
}

static void missed_firings_are_made_up_for_in_order(void **unused)
{
    (void)unused;
    fresh(&TIMETABLE, 1, "2026-11-18T01:59:00Z");
    world_now("2026-11-18T15:01:00Z");
    world_sql("UPDATE job SET next_fire_at = '2026-11-18 03:15:00' WHERE name IN ('quarter','warm')");
    world_work();
    assert_int_equal(world_int("SELECT missed FROM job_run WHERE job_name = 'quarter' AND top = 1"), 48);
    assert_string_equal(world_text("SELECT fire_at FROM job_run WHERE job_name = 'quarter' AND top = 1"),
                        "2026-11-18 15:00:00.000000");
    assert_int_equal(world_int("SELECT COUNT(*) FROM job_run WHERE job_name = 'quarter' AND `trigger` = 'catchup'"), 2);
    assert_int_equal(world_int("SELECT COUNT(*) FROM job_run WHERE job_name = 'warm' AND top = 1"), 1);
    assert_int_equal(world_int("SELECT missed FROM job_run WHERE job_name = 'warm' AND top = 1"), 0);
    for (int i = 0; i < 5; i++) {
        world_pass(3);
        world_work();
    }
    assert_string_equal(status_of("decay"), "succeeded");
    assert_string_equal(status_of("growth"), "succeeded");
    assert_int_equal(world_int("SELECT COUNT(*) FROM job_run d JOIN job_run g ON g.job_name = 'growth' AND g.top = 1 "
                               "WHERE d.job_name = 'decay' AND d.top = 1 AND d.started_at < g.started_at"), 1);
}

static void all_missed_days_are_done_one_after_the_other(void **unused)
{
    (void)unused;
    fresh(&TIMETABLE, 1, "2026-11-14T12:00:00Z");
    world_sql("DELETE FROM job WHERE name <> 'pages'");
    world_now("2026-11-17T12:00:00Z");
    for (int i = 0; i < 8; i++) {
        world_work();
        assert_in_range(world_int("SELECT COUNT(*) FROM job_run WHERE top = 1 AND status = 'running'"), 0, 1);
        world_pass(3);
    }
    assert_int_equal(world_int("SELECT COUNT(*) FROM job_run WHERE top = 1 AND status = 'succeeded' "
                               "AND `trigger` = 'catchup'"), 3);
    assert_int_equal(world_int("SELECT COUNT(*) FROM job_run a JOIN job_run b ON a.top = 1 AND b.top = 1 "
                               "AND a.fire_at < b.fire_at AND a.started_at >= b.started_at"), 0);
}

static void at_most_31_days_are_made_up_for(void **unused)
{
    (void)unused;
    fresh(&TIMETABLE, 1, "2026-01-01T12:00:00Z");
    world_sql("DELETE FROM job WHERE name <> 'pages'");
    world_now("2026-04-01T12:00:00Z");
    world_tick();
    assert_int_equal(world_int("SELECT COUNT(*) FROM job_run"), 31);
    assert_string_equal(world_text("SELECT MIN(fire_at) FROM job_run"), "2026-03-02 00:10:00.000000");
}

static void a_run_that_still_goes_is_not_overtaken(void **unused)
{
    (void)unused;
    fresh(&ONLY_QUARTER, 1, "2026-11-18T10:00:00Z");
    world_now("2026-11-18T10:15:00Z");
    world_tick();
    world_now("2026-11-18T10:30:00Z");
    world_tick();
    assert_int_equal(world_int("SELECT COUNT(*) FROM job_run WHERE top = 1 AND status = 'running'"), 1);
    assert_string_equal(status_of("quarter"), "skipped overlap");
    world_sql("UPDATE job SET overlap = 'queue'");
    world_now("2026-11-18T10:45:00Z");
    world_tick();
    world_now("2026-11-18T11:00:00Z");
    world_tick();
    assert_string_equal(status_of("quarter"), "skipped overlap");
    assert_int_equal(world_int("SELECT COUNT(*) FROM job_run WHERE top = 1 AND status = 'waiting'"), 1);
    for (int i = 0; i < 4; i++) {
        world_work();
        world_pass(3);
    }
    assert_int_equal(world_int("SELECT COUNT(*) FROM job_run WHERE top = 1 AND status = 'succeeded'"), 2);
}

static void waiting_for_another_job(void **unused)
{
    (void)unused;
    fresh(&CHAIN, 1, "2026-11-18T01:00:00Z");
    world_now("2026-11-18T02:00:00Z");
    world_tick(); /* decay runs and is not worked on yet */
    world_now("2026-11-18T03:00:00Z");
    world_tick();
    assert_string_equal(status_of("growth"), "waiting");
    assert_string_equal(status_of("dedup"), "waiting");
    probe.step_fails = true;
    world_work();
    world_pass(3);
    world_tick();
    assert_string_equal(status_of("decay"), "failed");
    probe.step_fails = false;
    for (int i = 0; i < 3; i++) {
        world_work();
        world_pass(3);
    }
    assert_string_equal(status_of("growth"), "skipped after_failed");
    assert_string_equal(status_of("dedup"), "succeeded");
}

static void waiting_ends_after_an_hour(void **unused)
{
    (void)unused;
    fresh(&CHAIN, 1, "2026-11-18T01:00:00Z");
    world_now("2026-11-18T02:00:00Z");
    world_tick();
    world_now("2026-11-18T03:00:00Z");
    world_tick();
    world_sql("UPDATE task SET run_at = '2030-01-01'"); /* nobody gets to decay */
    world_now("2026-11-18T04:00:01Z");
    world_tick();
    assert_string_equal(status_of("growth"), "skipped after_timeout");
    assert_string_equal(status_of("dedup"), "running");
}

/* Four schedulers, each with its own connection and the same clock. */
static struct engine *rivals[4];
static pthread_barrier_t in_step;

static void *rival(void *arg)
{
    struct engine *e = arg;
    struct ctx c;

    stack_ctx(&c, world.app.conf, 0);
    c.app = &world.app;
    for (int i = 0; i < 50; i++) {
        pthread_barrier_wait(&in_step);
        e->fixed_now.us += 900 * SECOND_US;
        ctx_begin(&c, 0);
        if (fire_due(e, &c, e->fixed_now) != ERR_OK || start_waiting(e, &c, e->fixed_now) != ERR_OK)
            fprintf(stderr, "%s\n", c.fault.message);
        pthread_barrier_wait(&in_step);
        if (e == rivals[0])
            world_sql("UPDATE job_run SET status = 'succeeded', guard = NULL WHERE status = 'running'");
    }
    stack_ctx_done(&c);
    return NULL;
}

static void four_schedulers_fire_each_once(void **unused)
{
    pthread_t threads[4];

    (void)unused;
    fresh(&TWO_QUARTERS, 1, "2026-11-18T10:00:01Z");
    pthread_barrier_init(&in_step, NULL, 4);
    for (int i = 0; i < 4; i++) {
        rivals[i] = engine_new(&world.app, 1);
        rivals[i]->fixed_now = world.e->fixed_now;
        assert_int_equal(pthread_create(&threads[i], NULL, rival, rivals[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        engine_free(rivals[i]);
    }
    pthread_barrier_destroy(&in_step);
    assert_int_equal(world_int("SELECT COUNT(*) FROM job_run WHERE status = 'succeeded'"), 100);
    assert_int_equal(world_int("SELECT COUNT(DISTINCT job_name, fire_at) FROM job_run"), 100);
    assert_int_equal(world_int("SELECT COUNT(*) FROM task WHERE kind = 'run'"), 100);
}

/* ---- slices */

static void only_accounts_with_something_due_get_a_slice(void **unused)
{
    (void)unused;
    fresh(&ONLY_SWEEP, 4, "2026-11-18T03:00:00Z");
    plant(0, 10);
    plant(2, 20);
    plant(3, 30);
    world_sql("UPDATE account SET status = 'suspended' WHERE slug = 'account-3'");
    world_now("2026-11-18T04:00:00Z");
    world_work();
    world_pass(3);
    world_work();
    assert_string_equal(status_of("sweep"), "succeeded");
    assert_int_equal(world_int("SELECT COUNT(*) FROM job_run WHERE parent_id IS NOT NULL"), 2);
    assert_string_equal(world_text("SELECT CONCAT_WS(' ', scanned, changed, JSON_VALUE(counts, '$.touched'), "
                                   "JSON_VALUE(counts, '$.accounts')) FROM job_run WHERE top = 1"), "30 30 30 2");
    assert_int_equal(world_int("SELECT COUNT(*) FROM task"), 0);
    assert_int_equal(world_int("SELECT COUNT(*) FROM outbox WHERE kind = 'job.ended'"), 2);
}

static void a_run_tells_how_many_accounts_are_done(void **unused)
{
    (void)unused;
    fresh(&ONLY_SWEEP, 3, "2026-11-18T03:00:00Z");
    for (size_t i = 0; i < 3; i++)
        plant(i, 10);
    world_now("2026-11-18T04:00:00Z");
    world_tick();
    assert_true(world_work_once()); /* finds the accounts */
    assert_true(world_work_once()); /* one of them */
    world_pass(3);
    world_tick();
    assert_string_equal(world_text("SELECT CONCAT_WS(' ', status, progress_done, progress_total) FROM job_run WHERE top = 1"),
                        "running 1 3");
}

static void nothing_due_is_a_run_that_says_so(void **unused)
{
    (void)unused;
    fresh(&ONLY_SWEEP, 2, "2026-11-18T03:00:00Z");
    world_now("2026-11-18T04:00:00Z");
    world_work();
    world_pass(3);
    world_work();
    assert_string_equal(status_of("sweep"), "succeeded");
    assert_string_equal(world_text("SELECT counts FROM job_run"), "{\"accounts\":0}");
}

static void an_account_switches_a_job_off_for_itself(void **unused)
{
    struct override_patch off = {.set = OVERRIDE_SET_ENABLED, .reason = "we do it ourselves"};
    struct job_override o;

    (void)unused;
    fresh(&ONLY_SWEEP, 2, "2026-11-18T03:00:00Z");
    plant(0, 5);
    plant(1, 5);
    as_person(0, false);
    OK(job_override_put(&world.c, "sweep", &off, world.e->fixed_now, &o));
    assert_int_equal(o.version, 1);
    world_now("2026-11-18T04:00:00Z");
    world_work();
    assert_int_equal(world_int("SELECT SUM(value) FROM probe"), 5);
    assert_int_equal(world_int("SELECT COUNT(*) FROM job_run WHERE parent_id IS NOT NULL"), 1);
}

static void one_bad_row_among_a_thousand(void **unused)
{
    (void)unused;
    fresh(&ONLY_SWEEP, 1, "2026-11-18T03:00:00Z");
    plant(0, 1000);
    probe.bad_row = 777;
    world_now("2026-11-18T04:00:00Z");
    world_work();
    world_pass(3);
    world_work();
    assert_string_equal(status_of("sweep"), "partial failed_rows");
    assert_string_equal(world_text("SELECT CONCAT_WS(' ', scanned, changed, failed) FROM job_run WHERE top = 1"),
                        "1000 999 1");
    assert_string_equal(world_text("SELECT notes FROM job_run WHERE top = 1"),
                        "[{\"id\":\"777\",\"error\":\"row 777 is bad\"}]");
    assert_int_equal(world_int("SELECT COUNT(*) FROM probe WHERE value = 1"), 999);
    assert_int_equal(world_int("SELECT COUNT(*) FROM probe WHERE value > 1"), 0);
}

static void one_row_that_is_too_large(void **unused)
{
    (void)unused;
    fresh(&ONLY_SWEEP, 1, "2026-11-18T03:00:00Z");
    plant(0, 300);
    probe.large_row = 77;
    world_now("2026-11-18T04:00:00Z");
    world_work();
    world_pass(3);
    world_work();
    assert_string_equal(status_of("sweep"), "partial failed_rows");
    assert_string_equal(world_text("SELECT CONCAT_WS(' ', scanned, changed, failed) FROM job_run WHERE top = 1"), "300 299 1");
    assert_non_null(strstr(world_text("SELECT notes FROM job_run WHERE top = 1"), "more than 256 MiB"));
    assert_int_equal(world_int("SELECT COUNT(*) FROM probe WHERE value = 1"), 299);
}

static void a_step_that_is_too_large_is_a_failure(void **unused)
{
    (void)unused;
    fresh(&ONLY_QUARTER, 1, "2026-11-18T10:00:00Z");
    probe.step_is_large = true;
    world_now("2026-11-18T10:15:00Z");
    world_work();
    world_pass(3);
    world_work();
    assert_string_equal(status_of("quarter"), "failed");
    assert_non_null(strstr(world_text("SELECT error FROM job_run WHERE top = 1"), "more than 256 MiB"));
    assert_int_equal(world_int("SELECT COUNT(*) FROM task WHERE status IN ('ready', 'running')"), 0);
}

static void an_error_outside_rows_is_a_failure(void **unused)
{
    (void)unused;
    fresh(&ONLY_QUARTER, 1, "2026-11-18T10:00:00Z");
    probe.step_fails = true;
    world_now("2026-11-18T10:15:00Z");
    world_work();
    world_pass(3);
    world_work();
    assert_string_equal(status_of("quarter"), "failed");
    assert_string_equal(world_text("SELECT error FROM job_run WHERE top = 1"), "it cannot be done");
}

static void a_bound_is_continued_by_the_next_firing(void **unused)
{
    static const char *const END[] = {"partial bound", "partial bound", "succeeded"};

    (void)unused;
    fresh(&ONLY_SWEEP, 1, "2026-11-17T04:00:00Z");
    plant(0, 25000);
    for (int day = 0; day < 3; day++) {
        world_now(arena_printf(world.c.arena, "2026-11-%dT04:00:00Z", 18 + day));
        world_work();
        world_pass(3);
        world_work();
        assert_string_equal(status_of("sweep"), END[day]);
        /* a hundred more meanwhile, behind the cursor and before it */
        OK(db_exec(&world.c, NULL, "INSERT INTO probe (account_id, id) SELECT ?, -seq - ? FROM seq_1_to_50",
                   IN(world.accounts[0]), IN(day * 50)));
    }
    assert_int_equal(world_int("SELECT COUNT(*) FROM probe WHERE id > 0 AND value = 1"), 25000);
    assert_int_equal(world_int("SELECT COUNT(*) FROM job_state WHERE position IS NULL"), 1);
}

static void a_turn_that_is_over_goes_on_behind_the_others(void **unused)
{
    (void)unused;
    fresh(&ONLY_SWEEP, 1, "2026-11-18T03:00:00Z");
    plant(0, 2000);
    world_now("2026-11-18T04:00:00Z");
    world_tick();
    world_work_once(); /* the run finds its accounts */
    world_sql("UPDATE job SET slice_box_s = 1");
    world.e->fixed_now.us += 0;
    probe.in_apply = NULL;
    world_work();
    world_pass(3);
    world_work();
    assert_string_equal(status_of("sweep"), "succeeded");
    assert_int_equal(world_int("SELECT COUNT(*) FROM probe WHERE value = 1"), 2000);
}

/* ---- stop, crash, cancel */

static void stop_now(struct ctx *c)
{
    (void)c;
    atomic_store(&world.e->stopping, true);
}

static void a_stop_keeps_what_was_done(void **unused)
{
    (void)unused;
    fresh(&ONLY_SWEEP, 1, "2026-11-18T03:00:00Z");
    plant(0, 2000);
    world_now("2026-11-18T04:00:00Z");
    world_tick();
    world_work_once();
    probe.in_apply = stop_now;
    world_work_once();
    assert_string_equal(world_text("SELECT CONCAT_WS(' ', status, attempts, IFNULL(slot, 'free')) FROM task "
                                   "WHERE kind = 'slice'"), "ready 0 free");
    assert_int_equal(world_int("SELECT SUM(value) FROM probe"), 500);
    probe.in_apply = NULL;
    atomic_store(&world.e->stopping, false);
    world_work();
    world_pass(3);
    world_work();
    assert_string_equal(status_of("sweep"), "succeeded");
    assert_int_equal(world_int("SELECT COUNT(*) FROM probe WHERE value = 1"), 2000);
    assert_int_equal(world_int("SELECT scanned FROM job_run WHERE top = 1"), 2000);
}

/* As after kill -9: a batch was committed, the next undone, and nobody let go of the lease. */
static void a_crash_is_taken_over_when_the_lease_is_over(void **unused)
{
    int64_t n;

    (void)unused;
    fresh(&ONLY_SWEEP, 1, "2026-11-18T03:00:00Z");
    plant(0, 2000);
    world_now("2026-11-18T04:00:00Z");
    world_tick();
    world_work_once();
    probe.in_apply = stop_now;
    world_work_once();
    probe.in_apply = NULL;
    atomic_store(&world.e->stopping, false);
    world_sql("UPDATE task SET status = 'running', attempts = 1, lease_token = UUID(), slot = lane, "
              "lease_until = '2026-11-18 04:02:00'");
    world_work();
    assert_int_equal(world_int("SELECT SUM(value) FROM probe"), 500);
    world_now("2026-11-18T04:02:01Z");
    OK(queue_take_back(&world.c, world.e->list, world.e->fixed_now, &n));
    assert_int_equal(n, 1);
    world_work();
    world_pass(3);
    world_work();
    assert_string_equal(status_of("sweep"), "succeeded");
    assert_int_equal(world_int("SELECT COUNT(*) FROM probe WHERE value = 1"), 2000);
    assert_int_equal(world_int("SELECT scanned FROM job_run WHERE top = 1"), 2000);
}

static void steal_lease(struct ctx *c)
{
    (void)c;
    world_sql("UPDATE task SET lease_token = UUID() WHERE kind = 'slice'");
    probe.in_apply = NULL;
}

static void a_worker_that_lost_its_lease_changes_nothing(void **unused)
{
    (void)unused;
    fresh(&ONLY_SWEEP, 1, "2026-11-18T03:00:00Z");
    plant(0, 100);
    world_now("2026-11-18T04:00:00Z");
    world_tick();
    world_work_once();
    probe.in_apply = steal_lease;
    world_work_once();
    assert_int_equal(world_int("SELECT SUM(value) FROM probe"), 0);
    assert_string_equal(world_text("SELECT status FROM task WHERE kind = 'slice'"), "running");
    assert_int_equal(world_int("SELECT SUM(scanned) FROM job_run"), 0);
}

static const char *sums(void)
{
    return world_text("SELECT CONCAT_WS(' ', SUM(scanned), SUM(changed), SUM(skipped), SUM(JSON_VALUE(counts, '$.touched'))) FROM job_run "
                      "WHERE top IS NULL");
}

static void rows_one_by_one_are_counted_with_their_changes(void **unused)
{
    (void)unused;
    for (int i = 0; i < 3; i++) {
        fresh(&ONLY_ONE_BY_ONE, 1, "2026-11-18T03:00:00Z");
        plant(0, 100);
        world_now("2026-11-18T04:00:00Z");
        world_tick();
        world_work_once();
        probe.bad_row = i ? 47 : 0;
        probe.in_apply = i == 2 ? steal_lease : NULL;
        world_work_once();
        assert_string_equal(sums(), i ? "46 46 1 46" : "100 100 3 100");
        assert_int_equal(world_int("SELECT SUM(value) FROM probe"), i ? 46 : 100);
    }
    assert_string_equal(world_text("SELECT status FROM task WHERE kind = 'slice'"), "running");
}

static void a_run_that_nobody_works_on_is_lost(void **unused)
{
    (void)unused;
    fresh(&ONLY_SWEEP, 1, "2026-11-18T03:00:00Z");
    plant(0, 10);
    world_now("2026-11-18T04:00:00Z");
    world_tick();
    world_work_once();
    world_sql("DELETE FROM task");
    world_pass(10);
    world_tick();
    assert_string_equal(status_of("sweep"), "running");
    world_pass(301);
    world_tick();
    assert_string_equal(status_of("sweep"), "lost lost");
    assert_string_equal(world_text("SELECT status FROM job_run WHERE parent_id IS NOT NULL"), "lost");
    world_now("2026-11-19T04:00:00Z");
    world_work();
    world_pass(3);
    world_work();
    assert_string_equal(status_of("sweep"), "succeeded");
}

static struct uuid run_id(void)
{
    struct uuid id;

    assert_true(uuid_parse(world_text("SELECT id FROM job_run WHERE top = 1"), &id));
    return id;
}

static void cancel_it(struct ctx *c)
{
    (void)c;
    world_sql("UPDATE job_run SET cancelled = 1 WHERE top = 1");
}

static void cancelled_between_batches(void **unused)
{
    (void)unused;
    fresh(&ONLY_SWEEP, 2, "2026-11-18T03:00:00Z");
    plant(0, 2000);
    plant(1, 10);
    world_now("2026-11-18T04:00:00Z");
    world_tick();
    world_work_once();
    probe.in_apply = cancel_it;
    world_work();
    world_pass(3);
    world_work();
    assert_string_equal(status_of("sweep"), "cancelled cancelled");
    assert_int_equal(world_int("SELECT SUM(value) FROM probe"), 500);
    assert_int_equal(world_int("SELECT COUNT(*) FROM job_run WHERE parent_id IS NOT NULL AND status = 'cancelled'"), 2);
}

static void cancelled_before_it_begins(void **unused)
{
    (void)unused;
    fresh(&ONLY_SWEEP, 2, "2026-11-18T03:00:00Z");
    plant(0, 20);
    world_now("2026-11-18T04:00:00Z");
    world_tick();
    world_work_once();
    as_person(0, true);
    OK(run_cancel(&world.c, run_id(), true, world.e->fixed_now));
    world_work();
    world_pass(3);
    world_work();
    assert_string_equal(status_of("sweep"), "cancelled cancelled");
    assert_int_equal(world_int("SELECT SUM(value) FROM probe"), 0);
}

/* ---- on demand */

static void run_now_twice(void **unused)
{
    struct run_request r = {.job = "sweep", .dry_run = true};
    struct uuid id, other;
    struct run slice;

    (void)unused;
    fresh(&ONLY_SWEEP, 2, "2026-11-18T10:00:00Z");
    plant(0, 600);
    plant(1, 600);
    as_person(0, false);
    OK(job_run_request(&world.c, &r, world.e->fixed_now, &id));
    assert_int_equal(job_run_request(&world.c, &r, world.e->fixed_now, &other), ERR_CONFLICT);
    world_calm();
    as_person(1, false);
    OK(job_run_request(&world.c, &r, world.e->fixed_now, &other));
    world_work();
    world_pass(3);
    world_work();
    as_person(0, false);
    OK(run_get(&world.c, id, false, &slice));
    assert_int_equal(slice.status, RUN_SUCCEEDED);
    assert_int_equal(slice.scanned, 600);
    assert_int_equal(slice.changed, 600);
    assert_int_equal(slice.notes->len, LIMIT_NOTES);
    assert_int_equal(run_get(&world.c, other, false, &slice), ERR_NOT_FOUND);
    assert_int_equal(world_int("SELECT SUM(value) FROM probe"), 0);
    assert_int_equal(world_int("SELECT COUNT(*) FROM job_state"), 0);
    r.dry_run = false;
    world_calm();
    as_person(0, false);
    OK(job_run_request(&world.c, &r, world.e->fixed_now, &id));
    world_work();
    assert_int_equal(world_int("SELECT SUM(value) FROM probe"), 600);
}

static void an_operator_runs_all(void **unused)
{
    struct run_request r = {.job = "sweep", .everywhere = true};
    struct uuid id, other;

    (void)unused;
    fresh(&ONLY_SWEEP, 2, "2026-11-18T10:00:00Z");
    plant(0, 6);
    plant(1, 6);
    as_person(0, true);
    OK(job_run_request(&world.c, &r, world.e->fixed_now, &id));
    assert_int_equal(job_run_request(&world.c, &r, world.e->fixed_now, &other), ERR_CONFLICT);
    world_calm();
    as_person(1, false);
    r.everywhere = false;
    assert_int_equal(job_run_request(&world.c, &r, world.e->fixed_now, &other), ERR_CONFLICT);
    world_work();
    world_pass(3);
    world_work();
    assert_int_equal(world_int("SELECT SUM(value) FROM probe"), 12);
    assert_string_equal(status_of("sweep"), "succeeded");
    assert_int_equal(world_int("SELECT COUNT(*) FROM job_run WHERE guard IS NOT NULL"), 0);
}

static void parameters_are_checked(void **unused)
{
    const char *why;
    struct json *bad, *good;
    struct run_request r = {.job = "sweep"};
    struct uuid id;

    (void)unused;
    fresh(&ONLY_SWEEP, 1, "2026-11-18T10:00:00Z");
    as_person(0, false);
    assert_int_equal(json_parse(world.c.arena, "{\"days\":0}", 10, &bad, &why), JSON_OK);
    assert_int_equal(json_parse(world.c.arena, "{\"days\":7,\"share\":1,\"deep\":true}", 32, &good, &why), JSON_OK);
    r.params = bad;
    assert_int_equal(job_run_request(&world.c, &r, world.e->fixed_now, &id), ERR_INVALID);
    ctx_forgive(&world.c);
    r.params = good;
    OK(job_run_request(&world.c, &r, world.e->fixed_now, &id));
    assert_null(job_params_fault(world.c.arena, &SWEEP, good));
    assert_string_equal(job_params_fault(world.c.arena, &SWEEP, bad), "days must be a whole number from 1 to 365");
}

static void paused_and_resumed(void **unused)
{
    (void)unused;
    fresh(&ONLY_QUARTER, 1, "2026-11-18T10:00:00Z");
    world_now("2026-11-18T10:15:00Z");
    world_tick();
    as_person(0, true);
    OK(job_pause(&world.c, "quarter", true, "too loud", world.e->fixed_now));
    world_work();
    world_pass(3);
    world_work();
    assert_string_equal(status_of("quarter"), "succeeded"); /* the run under way went on */
    world_now("2026-11-18T12:01:00Z");
    world_work();
    assert_int_equal(probe.calls, 1);
    as_person(0, true);
    OK(job_resume(&world.c, "quarter", true, world.e->fixed_now));
    world_work();
    assert_int_equal(probe.calls, 1);
    world_now("2026-11-18T12:15:00Z");
    world_work();
    assert_int_equal(probe.calls, 2);
    assert_string_equal(world_text("SELECT GROUP_CONCAT(`trigger` ORDER BY id) FROM job_run WHERE top = 1"), "cron,cron");
}

static void an_operators_change_outlives_a_restart(void **unused)
{
    struct job_patch p = {.set = JOB_SET_SCHEDULE, .schedule = "0 6 * * *"};

    (void)unused;
    fresh(&ONLY_SWEEP, 1, "2026-11-18T10:00:00Z");
    as_person(0, true);
    OK(job_update(&world.c, "sweep", &p, world.e->fixed_now));
    OK(jobs_declare(&world.c, world.e->fixed_now));
    assert_string_equal(world_text("SELECT CONCAT(schedule, ' ', next_fire_at) FROM job"),
                        "0 6 * * * 2026-11-19 06:00:00.000000");
    p.schedule = "60 * * * *";
    assert_int_equal(job_update(&world.c, "sweep", &p, world.e->fixed_now), ERR_INVALID);
    assert_non_null(strstr(world.c.fault.fields->detail, "character 1"));
    world_calm();
    as_person(0, true);
    p = (struct job_patch){.time_zone = "Europe/Berlin"};
    assert_int_equal(job_update(&world.c, "sweep", &p, world.e->fixed_now), ERR_INVALID);
    world_calm();
    as_person(0, true);
    p = (struct job_patch){.set = JOB_SET_ENABLED, .if_version = 1};
    assert_int_equal(job_update(&world.c, "sweep", &p, world.e->fixed_now), ERR_PRECONDITION);
}

/* ---- continuous */

static void a_continuous_job_keeps_one_row_an_hour(void **unused)
{
    (void)unused;
    fresh(&ONLY_ALWAYS, 2, "2026-11-18T10:00:05Z");
    plant(0, 30);
    plant(1, 40);
    for (int i = 0; i < 5; i++) {
        world_pass(10);
        world_work();
    }
    assert_int_equal(world_int("SELECT COUNT(*) FROM job_run"), 1);
    assert_string_equal(world_text("SELECT CONCAT_WS(' ', fire_at, status, scanned, changed) FROM job_run"),
                        "2026-11-18 10:00:00.000000 succeeded 350 350");
    /* its times span the hour; how long it worked stands apart */
    assert_int_equal(world_int("SELECT JSON_VALUE(counts, '$.passes') FROM job_run"), 5);
    assert_true(world_int("SELECT JSON_VALUE(counts, '$.worked_us') FROM job_run") > 0);
    probe.bad_row = 3;
    world_now("2026-11-18T11:00:00Z");
    world_work();
    assert_string_equal(world_text("SELECT CONCAT_WS(' ', status, scanned, failed) FROM job_run "
                                   "WHERE fire_at = '2026-11-18 11:00:00'"), "partial 70 2");
    assert_int_equal(world_int("SELECT COUNT(*) FROM job_run"), 2);
}

static void a_full_pass_repeats_at_once(void **unused)
{
    (void)unused;
    fresh(&ONLY_ALWAYS, 1, "2026-11-18T10:00:05Z");
    plant(0, 2500);
    world_pass(10);
    world_tick();
    assert_true(world_work_once());
    assert_int_equal(world_int("SELECT SUM(value) FROM probe"), 1000);
    assert_int_equal(world_int("SELECT next_fire_at <= '2026-11-18 10:00:15' FROM job"), 1);
    world_tick();
    assert_true(world_work_once());
    world_tick();
    assert_true(world_work_once());
    assert_int_equal(world_int("SELECT SUM(value) FROM probe"), 2500);
    world_tick();
    assert_false(world_work_once());
}

static void one_pass_at_a_time(void **unused)
{
    struct due_pass seen;

    (void)unused;
    fresh(&ONLY_ALWAYS, 1, "2026-11-18T10:00:05Z");
    plant(0, 10);
    world_pass(10);
    world_tick();
    seen = world.e->passes[0];
    assert_true(world_work_once());
    world.e->passes[0] = seen; /* another scheduler saw the same firing */
    world.e->n_passes = 1;
    assert_false(world_work_once());
    assert_int_equal(world_int("SELECT SUM(value) FROM probe"), 10);
}

/* ---- history */

static void long_histories_are_listed_by_cursor(void **unused)
{
    struct run_query q = {.status = -1, .trigger = -1, .everywhere = true, .limit = 100};
    struct page page;
    int64_t before;

    (void)unused;
    fresh(&ONLY_QUARTER, 1, "2026-11-18T10:00:00Z");
    world_sql("INSERT INTO job_run (id, job_name, `trigger`, fire_at, status, created_at) "
              "SELECT INSERT(INSERT(LPAD(HEX(seq), 32, '0'), 13, 1, '7'), 17, 1, '8'), 'quarter', 'cron', "
              "'2020-01-01' + INTERVAL seq MINUTE, 'succeeded', NOW(6) FROM seq_1_to_100000");
    as_person(0, true);
    before = world_rows_read();
    OK(run_page(&world.c, &q, &page));
    assert_int_equal(page.n, 100);
    q.cursor = page.next_cursor;
    OK(run_page(&world.c, &q, &page));
    assert_int_equal(page.n, 100);
    q.job = "quarter";
    q.status = RUN_SUCCEEDED;
    OK(run_page(&world.c, &q, &page));
    assert_int_equal(page.n, 100);
    assert_in_range(world_rows_read() - before, 300, 1000);
}

static int open_world(void **unused)
{
    (void)unused;
    world_open(&ONLY_SWEEP);
    return 0;
}

/* A sort locks every row that is due before it takes the first, and another scheduler then finds none. */
static void claiming_a_job_sorts_nothing(void **state)
{
    static const char SORTS[] = "SELECT CAST(SUM(VARIABLE_VALUE) AS SIGNED) FROM information_schema.SESSION_STATUS "
                                "WHERE VARIABLE_NAME IN ('SORT_SCAN', 'SORT_RANGE', 'SORT_PRIORITY_QUEUE_SORTS')";
    struct job_row row;
    int64_t before;
    bool found;

    (void)state;
    world_fresh(1, "2026-03-01T00:00:00Z");
    before = world_int(SORTS);
    OK(job_store_claim(&world.c, world.e->list, (struct instant){4000000000 * SECOND_US}, &row, &found));
    assert_int_equal(world_int(SORTS), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_firing_becomes_one_run),
        cmocka_unit_test(missed_firings_are_made_up_for_in_order),
        cmocka_unit_test(all_missed_days_are_done_one_after_the_other),
        cmocka_unit_test(at_most_31_days_are_made_up_for),
        cmocka_unit_test(a_run_that_still_goes_is_not_overtaken),
        cmocka_unit_test(waiting_for_another_job),
        cmocka_unit_test(waiting_ends_after_an_hour),
        cmocka_unit_test(four_schedulers_fire_each_once),
        cmocka_unit_test(only_accounts_with_something_due_get_a_slice),
        cmocka_unit_test(a_run_tells_how_many_accounts_are_done),
        cmocka_unit_test(nothing_due_is_a_run_that_says_so),
        cmocka_unit_test(an_account_switches_a_job_off_for_itself),
        cmocka_unit_test(one_bad_row_among_a_thousand),
        cmocka_unit_test(an_error_outside_rows_is_a_failure),
        cmocka_unit_test(one_row_that_is_too_large),
        cmocka_unit_test(a_step_that_is_too_large_is_a_failure),
        cmocka_unit_test(a_bound_is_continued_by_the_next_firing),
        cmocka_unit_test(a_turn_that_is_over_goes_on_behind_the_others),
        cmocka_unit_test(a_stop_keeps_what_was_done),
        cmocka_unit_test(a_crash_is_taken_over_when_the_lease_is_over),
        cmocka_unit_test(a_worker_that_lost_its_lease_changes_nothing),
        cmocka_unit_test(rows_one_by_one_are_counted_with_their_changes),
        cmocka_unit_test(a_run_that_nobody_works_on_is_lost),
        cmocka_unit_test(cancelled_between_batches),
        cmocka_unit_test(cancelled_before_it_begins),
        cmocka_unit_test(run_now_twice),
        cmocka_unit_test(an_operator_runs_all),
        cmocka_unit_test(parameters_are_checked),
        cmocka_unit_test(paused_and_resumed),
        cmocka_unit_test(an_operators_change_outlives_a_restart),
        cmocka_unit_test(a_continuous_job_keeps_one_row_an_hour),
        cmocka_unit_test(a_full_pass_repeats_at_once),
        cmocka_unit_test(one_pass_at_a_time),
        cmocka_unit_test(long_histories_are_listed_by_cursor),
        cmocka_unit_test(claiming_a_job_sorts_nothing),
    };

    return cmocka_run_group_tests(tests, open_world, world_close);
}
