/* The first jobs: what they tidy up, what they leave alone, and that doing it twice is doing it once. */
#include "jobs_world.h"

#include <stdio.h>

#include "db.h"
#include "graph_job.h"
#include "job_service.h"
#include "upkeep.h"

static const struct job *const JOBS[] = {
    &expired_cleanup_job, &replay_cleanup_job, &session_cleanup_job, &queue_janitor_job, &retention_job,
    &version_cleanup_job, &history_cleanup_job,
};
static const struct task_kind *const KINDS[] = {&run_kind, &slice_kind};
static const struct job_list LIST = {JOBS, sizeof JOBS / sizeof *JOBS, KINDS, 2};

#define NOW "2027-03-01T10:00:00Z"

static const char *const TABLES[] = {"node", "token", "space_grant", "space", "idempotency_key", "user"};

static void fresh(void)
{
    for (size_t i = 0; world.e && i < sizeof TABLES / sizeof *TABLES; i++)
        world_sql(arena_printf(world.c.arena, "DELETE FROM %s", TABLES[i]));
    world_fresh(3, NOW);
}

/* Runs the job for all accounts, now, to its end; how many rows it changed. */
static int64_t run(const char *job)
{
    struct run_request r = {.job = job, .everywhere = true};
    struct uuid id;
    struct run done;

    world_calm();
    OK(job_run_request(&world.c, &r, world.e->fixed_now, &id));
    for (int i = 0; i < 3; i++) {
        world_work();
        world_pass(3);
    }
    OK(run_get(&world.c, id, true, &done));
    if (done.status != RUN_SUCCEEDED)
        fail_msg("%s: %s %s", job, enumx_name(&run_status_enumx, (int)done.status), done.error);
    return done.changed;
}

static void node(size_t account, int n, const char *status, const char *expires)
{
    struct uuid id = uuid_new(world.e->fixed_now.us + n), nobody = {{1}};

    OK(db_exec(&world.c, NULL,
               "INSERT INTO node (account_id, id, space_id, kind, body, status, decayed_at, author_kind, author_id, "
               "content_hash, created_at, updated_at, expires_at) VALUES (?, ?, ?, 'note', 'x', ?, NOW(6), 'user', ?, "
               "REPEAT('x', 32), NOW(6), NOW(6), NULLIF(?, ''))",
               IN(world.accounts[account]), IN(id), IN(nobody), IN(status), IN(nobody), IN(expires)));
}

static void expired_nodes_are_archived(void **unused)
{
    (void)unused;
    fresh();
    node(0, 1, "active", "2027-03-01 09:59:59");
    node(0, 2, "active", "2027-03-01 10:59:59");
    node(0, 3, "active", "");
    node(1, 4, "forgotten", "2027-02-01 00:00:00");
    node(1, 5, "version", "2027-02-01 00:00:00");
    node(1, 6, "draft", "2027-02-01 00:00:00");
    assert_int_equal(run("expired_cleanup"), 4);
    assert_string_equal(world_text("SELECT GROUP_CONCAT(status ORDER BY id) FROM node"),
                        "archived,active,active,forgotten,version,archived");
    assert_int_equal(world_int("SELECT COUNT(*) FROM node WHERE expires_at IS NOT NULL"), 1);
    assert_int_equal(world_int("SELECT COUNT(*) FROM node WHERE status = 'archived' AND archived_at IS NOT NULL "
                               "AND version = 2"), 2);
    assert_int_equal(world_int("SELECT COUNT(*) FROM audit_event WHERE kind = 'node.expire' AND is_news"), 2);
    assert_string_equal(world_text("SELECT GROUP_CONCAT(DISTINCT JSON_VALUE(payload, '$.actor')) FROM audit_event "
                                   "WHERE kind = 'node.expire'"), "job:expired_cleanup");
    assert_int_equal(run("expired_cleanup"), 0);
}

static void expired_grants_go_and_expired_tokens_a_week_later(void **unused)
{
    struct uuid user = {{7}}, space = {{8}};

    (void)unused;
    fresh();
    OK(db_exec(&world.c, NULL,
               "INSERT INTO user (account_id, id, email, name, role, created_at, updated_at) "
               "VALUES (?, ?, 'a@b.c', 'x', 'owner', NOW(6), NOW(6))",
               IN(world.accounts[0]), IN(user)));
    OK(db_exec(&world.c, NULL,
               "INSERT INTO space (account_id, id, kind, slug, name, created_at, updated_at) "
               "VALUES (?, ?, 'context', 's', 'x', NOW(6), NOW(6))",
               IN(world.accounts[0]), IN(space)));
    for (int i = 0; i < 3; i++) {
        static const char *const TOKEN[] = {"2027-02-21 00:00:00", "2027-02-28 00:00:00", ""};
        static const char *const GRANT[] = {"2027-03-01 10:00:00", "2027-03-01 10:59:00", ""};
        struct uuid id = uuid_new(world.e->fixed_now.us + i);
        const char *text = arena_printf(world.c.arena, "prefix%02d", i);

        OK(db_exec(&world.c, NULL,
                   "INSERT INTO token (account_id, id, user_id, name, prefix, hash, expires_at, created_at) "
                   "VALUES (?, ?, ?, 'x', ?, REPEAT('x', 32), NULLIF(?, ''), NOW(6))",
                   IN(world.accounts[0]), IN(id), IN(user), IN(text), IN(TOKEN[i])));
        OK(db_exec(&world.c, NULL,
                   "INSERT INTO space_grant (account_id, id, space_id, grantee_kind, grantee_id, level, created_at, "
                   "expires_at) VALUES (?, ?, ?, 'user', ?, 'read', NOW(6), NULLIF(?, ''))",
                   IN(world.accounts[0]), IN(id), IN(space), IN(text), IN(GRANT[i])));
    }
    assert_int_equal(run("expired_cleanup"), 2);
    assert_string_equal(world_text("SELECT GROUP_CONCAT(prefix ORDER BY prefix) FROM token"), "prefix01,prefix02");
    assert_string_equal(world_text("SELECT GROUP_CONCAT(grantee_id ORDER BY 1) FROM space_grant"), "prefix01,prefix02");
    assert_int_equal(run("expired_cleanup"), 0);
}

/* An id as it was made then: uuid_new() never goes backwards. */
static struct uuid id_of(struct instant at, int n)
{
    struct uuid id = {{[6] = 0x70, [8] = 0x80, [15] = (uint8_t)n}};

    for (int i = 0; i < 6; i++)
        id.b[i] = (uint8_t)(at.us / 1000 >> (40 - 8 * i));
    return id;
}

static void old_events_go_unless_they_are_held(void **unused)
{
    (void)unused;
    fresh();
    for (size_t a = 0; a < 3; a++)
        for (int i = 0; i < 4; i++) {
            struct instant at = {world.e->fixed_now.us - (i < 3 ? 500 : 1) * DAY_US};
            struct uuid id = id_of(at, i);

            OK(db_exec(&world.c, NULL,
                       "INSERT INTO audit_event (account_id, id, at, kind, actor_kind, subject_kind, request_id) "
                       "VALUES (?, ?, ?, 'x.y', 'user', 'x', '')", IN(world.accounts[a]), IN(id), IN(at)));
            OK(db_exec(&world.c, NULL, "INSERT INTO outbox (account_id, id, at, kind) VALUES (?, ?, ?, 'x.y')",
                       IN(world.accounts[a]), IN(id), IN(at)));
        }
    world_sql("UPDATE account SET settings = '{\"legal_hold\":true}' WHERE slug = 'account-1'");
    world_sql("UPDATE account SET status = 'suspended' WHERE slug = 'account-2'");
    assert_int_equal(run("retention"), 12);
    assert_int_equal(world_int("SELECT COUNT(*) FROM audit_event WHERE kind = 'x.y'"), 1 + 4 + 1);
    assert_int_equal(world_int("SELECT COUNT(*) FROM outbox WHERE kind = 'x.y'"), 1 + 4 + 1);
    assert_int_equal(world_int("SELECT JSON_VALUE(counts, '$.held') FROM job_run WHERE top = 1"), 1);
    assert_int_equal(run("retention"), 0);
}

static void idempotency_keys_go_after_their_day(void **unused)
{
    (void)unused;
    fresh();
    for (int i = 0; i < 2; i++) {
        struct uuid id = uuid_new(world.e->fixed_now.us + i);

        OK(db_exec(&world.c, NULL,
                   "INSERT INTO idempotency_key (account_id, principal_id, key_hash, request_hash, state, lease_until, "
                   "created_at, expires_at) VALUES (?, ?, REPEAT('x', 32), REPEAT('x', 32), 'done', NOW(6), NOW(6), ?)",
                   IN(world.accounts[0]), IN(id), IN((struct instant){world.e->fixed_now.us + (i ? 1 : -1) * SECOND_US})));
    }
    assert_int_equal(run("replay_cleanup"), 1);
    assert_int_equal(world_int("SELECT COUNT(*) FROM idempotency_key"), 1);
    world_now(NOW);
}

static void history_gets_thinner_and_ends(void **unused)
{
    int64_t n;

    (void)unused;
    fresh();
    /* a run every hour for 20 days, the 5th of each day changed something; and one of a year ago with a slice */
    world_sql("INSERT INTO job_run (id, job_name, `trigger`, fire_at, status, scanned, changed, created_at) "
              "SELECT UUID(), 'expired_cleanup', 'cron', '2027-03-01 09:00:00' - INTERVAL seq HOUR, 'succeeded', "
              "IF(HOUR('2027-03-01 09:00:00' - INTERVAL seq HOUR) = 5, 1, 0), 0, NOW(6) FROM seq_0_to_479");
    world_sql("INSERT INTO job_run (id, job_name, `trigger`, fire_at, status, created_at) VALUES "
              "('01890000-0000-7000-8000-000000000001', 'retention', 'cron', '2026-03-01', 'succeeded', NOW(6))");
    world_sql("INSERT INTO job_run (id, job_name, parent_id, account_id, `trigger`, fire_at, status, created_at) VALUES "
              "(UUID(), 'retention', '01890000-0000-7000-8000-000000000001', UUID(), 'cron', '2026-03-01', 'succeeded', NOW(6))");
    OK(upkeep_history(&world.c, 90, 1, &n));
    assert_int_equal(n, 1);
    OK(upkeep_history(&world.c, 90, 1000, &n));
    assert_int_equal(n, 1);
    OK(upkeep_thin_history(&world.c, &n));
    /* of 13 whole days older than a week 22 of 23 empty rows each, and of the parts of days at both ends */
    assert_int_equal(world_int("SELECT COUNT(*) FROM job_run WHERE scanned = 1"), 20);
    assert_int_equal(world_int("SELECT MAX(n) FROM (SELECT COUNT(*) n FROM job_run WHERE scanned = 0 "
                               "AND fire_at < '2027-02-22 00:00:00' GROUP BY DATE(fire_at)) d"), 1);
    assert_in_range(n, 280, 300);
    OK(upkeep_thin_history(&world.c, &n));
    assert_int_equal(n, 0);
}

/* A note of n old states, the k-th of them known from the k-th minute before NOW until a minute later. */
static struct uuid aged_node(size_t account, int n)
{
    struct uuid before = {0}, head = uuid_new(world.e->fixed_now.us), nobody = {{1}};

    for (int k = n; k >= 0; k--) {
        struct uuid id = k ? uuid_new(world.e->fixed_now.us) : head;
        struct instant until = {world.e->fixed_now.us - (k ? k - 1 : 0) * 60 * SECOND_US};
        struct uuid next = k ? head : (struct uuid){0};

        OK(db_exec(&world.c, NULL,
                   "INSERT INTO node (account_id, id, space_id, kind, title, body, status, decayed_at, author_kind, author_id, "
                   "content_hash, version, previous_id, superseded_by, created_at, updated_at) VALUES (?, ?, ?, 'note', ?, 'x', ?, "
                   "NOW(6), 'user', ?, REPEAT('x', 32), ?, ?, ?, '2020-01-01', ?)",
                   IN(world.accounts[account]), IN(id), IN(nobody), IN((int64_t)k), IN((const char *)(k ? "version" : "active")),
                   IN(nobody), IN(n + 1 - k), IN_OPT(before), IN_OPT(next), IN(until)));
        before = id;
    }
    return head;
}

static int64_t states(struct uuid id)
{
    return world_int(arena_printf(world.c.arena,
                                  "WITH RECURSIVE c (id, older) AS (SELECT id, previous_id FROM node WHERE id = '%s' UNION ALL "
                                  "SELECT v.id, v.previous_id FROM c JOIN node v ON v.id = c.older) SELECT COUNT(*) - 1 FROM c",
                                  UUID_STR(id)));
}

static void the_newest_hundred_states_are_kept(void **unused)
{
    struct uuid few, enough, many, held;

    (void)unused;
    fresh();
    few = aged_node(0, 3);
    enough = aged_node(0, 100);
    many = aged_node(0, 800);
    held = aged_node(1, 120);
    world_sql("UPDATE account SET settings = '{\"legal_hold\":true}' WHERE slug = 'account-1'");
    assert_int_equal(run("version_cleanup"), 700);
    assert_int_equal(states(few), 3);
    assert_int_equal(states(enough), 100);
    assert_int_equal(states(many), 100);
    assert_int_equal(states(held), 120);
    assert_int_equal(world_int("SELECT COUNT(*) FROM node"), 4 + 3 + 100 + 100 + 120);
    /* the last one was made where the one before it ended */
    assert_string_equal(world_text(arena_printf(world.c.arena, "SELECT GROUP_CONCAT(CONCAT_WS(' ', title, created_at)) FROM node "
                                                               "WHERE status = 'version' AND previous_id IS NULL AND superseded_by = '%s'",
                                                UUID_STR(many))), "100 2027-03-01 08:20:00.000000");
    assert_string_equal(world_text("SELECT GROUP_CONCAT(JSON_VALUE(payload, '$.versions')) FROM audit_event WHERE kind = 'node.prune'"),
                        "500,200");
    world_sql("UPDATE account SET settings = '{}'");
    assert_int_equal(run("version_cleanup"), 20);
    assert_int_equal(run("version_cleanup"), 0);
    world_now(NOW);
}

/* What a snapshot holds stays where it is, and what is behind it goes none the less. */
static char held_ids[2000];

static err are_held(struct ctx *c, const struct uuid *ids, size_t n, bool *held)
{
    (void)c;
    for (size_t i = 0; i < n; i++)
        held[i] = strstr(held_ids, UUID_STR(ids[i])) != NULL;
    return ERR_OK;
}

static void held_states_do_not_hold_others(void **unused)
{
    struct uuid many;

    (void)unused;
    fresh();
    many = aged_node(0, 800);
    snprintf(held_ids, sizeof held_ids, "%s", world_text("SELECT GROUP_CONCAT(id) FROM node WHERE status = 'version' AND title % 50 = 0"));
    world.app.states_held = are_held;
    assert_int_equal(run("version_cleanup"), 700 - 14);
    assert_int_equal(states(many), 100 + 14);
    assert_string_equal(world_text("SELECT GROUP_CONCAT(title ORDER BY title + 0) FROM node WHERE status = 'version' AND title + 0 > 100"),
                        "150,200,250,300,350,400,450,500,550,600,650,700,750,800");
    assert_int_equal(run("version_cleanup"), 0);
    world.app.states_held = NULL;
    world_now(NOW);
}

/* The property that every job of the house must have. */
static void twice_is_once(void **unused)
{
    (void)unused;
    fresh();
    for (int i = 0; i < 50; i++)
        node((size_t)(i % 3), i, i % 5 ? "active" : "forgotten", "2027-02-01 00:00:00");
    aged_node(2, 130);
    for (size_t i = 0; i < LIST.n_jobs; i++) {
        run(LIST.jobs[i]->name);
        world_now(NOW);
        if (LIST.jobs[i] != &queue_janitor_job) /* its work is what the run before has left in the queue */
            assert_int_equal(run(LIST.jobs[i]->name), 0);
        world_now(NOW);
        world_sql("DELETE FROM job_run");
    }
}

/* Dry runs of the jobs that change memory leave every table as it was. */
static void dry_is_dry(void **unused)
{
    struct run_request r = {.dry_run = true, .everywhere = true};
    struct uuid id;
    char before[64];

    (void)unused;
    fresh();
    for (int i = 0; i < 20; i++)
        node((size_t)(i % 3), i, "active", "2027-02-01 00:00:00");
    snprintf(before, sizeof before, "%s", world_text("SELECT MD5(GROUP_CONCAT(CONCAT_WS(' ', id, status, version, expires_at, "
                                                      "updated_at) ORDER BY id)) FROM node"));
    r.job = "expired_cleanup";
    OK(job_run_request(&world.c, &r, world.e->fixed_now, &id));
    world_sql("UPDATE job SET enabled = 0");
    for (int i = 0; i < 3; i++) {
        world_work();
        world_pass(3);
    }
    assert_string_equal(world_text("SELECT MD5(GROUP_CONCAT(CONCAT_WS(' ', id, status, version, expires_at, updated_at) "
                                   "ORDER BY id)) FROM node"), before);
    assert_string_equal(world_text("SELECT CONCAT_WS(' ', status, changed, dry_run) FROM job_run WHERE top = 1"),
                        "succeeded 20 1");
    assert_int_equal(world_int("SELECT COUNT(*) FROM audit_event WHERE kind LIKE 'node.%'"), 0);
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
        cmocka_unit_test(expired_nodes_are_archived),
        cmocka_unit_test(expired_grants_go_and_expired_tokens_a_week_later),
        cmocka_unit_test(old_events_go_unless_they_are_held),
        cmocka_unit_test(idempotency_keys_go_after_their_day),
        cmocka_unit_test(history_gets_thinner_and_ends),
        cmocka_unit_test(the_newest_hundred_states_are_kept),
        cmocka_unit_test(held_states_do_not_hold_others),
        cmocka_unit_test(twice_is_once),
        cmocka_unit_test(dry_is_dry),
    };

    return cmocka_run_group_tests(tests, open_world, world_close);
}
