/* The jobs of memory when there is more than one run may do: each run ends at its bound and says so, the next goes on from there, no
 * row is done twice, and none is missed, although more come in meanwhile, in front and behind. The jobs here are those of the
 * house with small bounds and batches. */
#include "jobs_world.h"

#include "db.h"
#include "decay_job.h"
#include "job_service.h"
#include "junk_job.h"
#include "knowledge_job.h"
#include "promote_job.h"
#include "rot_job.h"

#define NOW "2027-03-01T10:00:00Z"
#define LONG_AGO "2026-11-01" /* 120 days before */
#define BOUND 50
#define BATCH 15
#define ROWS 130
#define LATE 20 /* come in between the first run and the second */

static struct job jobs[6];
static const struct job *listed[6];
static struct job_list list = {listed, 6, (const struct task_kind *const[]){&run_kind, &slice_kind, &promote_kind}, 3};

/* ---- rows; the n-th of an account in the order of the jobs */

#define ID(n) "CONCAT('01900000-0000-7000-8000-', LPAD(HEX(" n "), 12, '0'))"
#define SPACE "01900000-0000-7000-9000-000000000001"
#define AGENT "01900000-0000-7000-9000-000000000002"

static void sql(const char *statement)
{
    world_calm();
    world_sql(statement);
}

#define ACCOUNT "(SELECT id FROM account WHERE slug = 'account-0')"
#define SEQ " FROM seq_0_to_999 WHERE seq >= %d AND seq < %d AND seq %% 2 = %d"

static void nodes(const char *kind, int from, int to, int odd)
{
    sql(arena_printf(world.c.arena,
                     "INSERT INTO node (account_id, id, space_id, kind, title, body, decay_rate, decayed_at, author_kind, author_id, "
                     "content_hash, created_at, updated_at) SELECT " ACCOUNT ", " ID("seq") ", '" SPACE "', '%s', CONCAT('n', seq), "
                     "CONCAT('text ', seq), 0.001, '" LONG_AGO "', 'agent', '" AGENT "', UNHEX(SHA2(seq, 256)), '" LONG_AGO "', '" LONG_AGO "'" SEQ,
                     kind, from, to, odd));
}

static void entries(int from, int to, int odd)
{
    nodes("entry", from, to, odd);
    sql(arena_printf(world.c.arena,
                     "INSERT INTO entry (account_id, node_id, space_id, entry_key, live, version, entry_type, memory_type, content, "
                     "content_hash, size_bytes) SELECT " ACCOUNT ", " ID("seq") ", '" SPACE "', CONCAT('n', seq), 1, 1, 'observation', "
                     "'experiential', '\"x\"', UNHEX(SHA2(seq, 256)), 3" SEQ, from, to, odd));
}

static void learnings(int from, int to, int odd)
{
    nodes("learning", from, to, odd);
    sql(arena_printf(world.c.arena,
                     "INSERT INTO learning (account_id, id, category, scope, extraction_method, learned_at, text_hash) SELECT " ACCOUNT ", "
                     ID("seq") ", 'pattern', 'global', 'manual', '" LONG_AGO "', UNHEX(SHA2(seq, 256))" SEQ, from, to, odd));
}

static void knowledge(int from, int to, int odd)
{
    nodes("knowledge", from, to, odd);
    sql(arena_printf(world.c.arena,
                     "INSERT INTO knowledge (account_id, id, access_level, source_type, creator_id, structure, quality_score, "
                     "last_quality_recalc_at, text_hash) SELECT " ACCOUNT ", " ID("seq") ", 'global', 'manual', '" AGENT "', 0.5, 0, "
                     "'" LONG_AGO "', UNHEX(SHA2(seq, 256))" SEQ, from, to, odd));
}

static void short_terms(int from, int to, int odd)
{
    sql(arena_printf(world.c.arena,
                     "INSERT INTO short_term_memory (account_id, id, agent_id, memory_key, memory_value, memory_type, expires_at, "
                     "access_count, content_hash, created_at, updated_at) SELECT " ACCOUNT ", " ID("seq") ", '" AGENT "', CONCAT('n', seq), "
                     "CONCAT('\"text ', seq, '\"'), 'observation', '2027-03-02', 3, UNHEX(SHA2(seq, 256)), '" LONG_AGO "', '" LONG_AGO "'" SEQ,
                     from, to, odd));
}

static const struct {
    const struct job *job;
    void (*plant)(int from, int to, int odd);
    const char *done;                /* how many are done */
} CASES[] = {
    {&rot_detection_job, entries, "SELECT COUNT(*) FROM node WHERE status = 'archived' AND version = 2"},
    {&memory_decay_job, entries, "SELECT COUNT(*) FROM node WHERE decayed_at > '2027-02-28' AND version = 1"},
    {&learning_decay_job, learnings, "SELECT COUNT(*) FROM node WHERE decayed_at > '2027-02-28' AND version = 1"},
    {&memory_consolidation_job, short_terms, "SELECT COUNT(*) FROM short_term_memory s JOIN node n ON n.id = s.promoted_node_id "
                                             "AND BINARY n.title = BINARY s.memory_key WHERE promote_state = 'promoted' AND n.version = 1"},
    {&shared_knowledge_maintenance_job, knowledge, "SELECT COUNT(*) FROM knowledge WHERE last_quality_recalc_at > '2027-02-28' "
                                                   "AND quality_score > 0"},
};
#define N_CASES (sizeof CASES / sizeof *CASES)

/* ---- runs */

static void fresh(void)
{
    static const char *const TABLES[] = {"recommendation", "memory_finding", "memory_census", "short_term_memory", "knowledge", "learning", "entry",
                                         "context", "node", "space_grant", "space", "agent"};

    for (size_t i = 0; world.e && i < sizeof TABLES / sizeof *TABLES; i++)
        world_sql(arena_printf(world.c.arena, "DELETE FROM %s", TABLES[i]));
    world_fresh(2, NOW);
    sql("INSERT INTO agent (account_id, id, slug, name, created_at, updated_at) SELECT id, '" AGENT "', 'a', 'A', NOW(6), NOW(6) FROM account "
        "WHERE slug = 'account-0'");
    sql("INSERT INTO space (account_id, id, kind, slug, name, created_at, updated_at) SELECT id, '" SPACE "', 'context', 's', 'S', NOW(6), "
        "NOW(6) FROM account WHERE slug = 'account-0'");
    sql("INSERT INTO context (account_id, space_id, context_type, scope, last_modified_at) SELECT id, '" SPACE "', 'agent_memory', 'account', "
        "NOW(6) FROM account WHERE slug = 'account-0'");
}

static struct run run(const char *name, bool dry)
{
    struct run_request r = {.job = name, .everywhere = true, .dry_run = dry};
    struct uuid id;
    struct run done;

    world_calm();
    OK(job_run_request(&world.c, &r, world.e->fixed_now, &id));
    for (int i = 0; i < 3; i++) {
        world_work();
        world_pass(3);
    }
    OK(run_get(&world.c, id, true, &done));
    if (done.failed || done.error)
        fail_msg("%s: %lld failed: %s %s", name, (long long)done.failed, done.error ? done.error : "",
                 json_text(world.c.arena, done.notes));
    return done;
}

static void a_bound_is_continued(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < N_CASES; i++) {
        const char *name = CASES[i].job->name;
        int64_t changed = 0;
        struct run r;

        fresh();
        CASES[i].plant(200, 200 + 2 * ROWS, 0);
        r = run(name, false);
        if (r.status != RUN_PARTIAL || r.scanned != BOUND || r.changed != BOUND)
            fail_msg("%s: %s, %lld scanned, %lld changed", name, enumx_name(&run_status_enumx, (int)r.status), (long long)r.scanned,
                     (long long)r.changed);
        changed += r.changed;
        CASES[i].plant(100, 100 + LATE, 0);                         /* in front of where it stands */
        CASES[i].plant(200 + 2 * ROWS, 200 + 2 * (ROWS + LATE), 0); /* behind */
        do {
            r = run(name, false);
            assert_true(r.scanned <= BOUND);
            changed += r.changed;
        } while (r.status == RUN_PARTIAL);
        assert_int_equal(r.status, RUN_SUCCEEDED);
        changed += run(name, false).changed;
        if (changed != ROWS + LATE / 2 + LATE || world_int(CASES[i].done) != changed)
            fail_msg("%s: %lld changes, %lld rows are done", name, (long long)changed, (long long)world_int(CASES[i].done));
        assert_int_equal(run(name, false).changed, 0);
    }
}

/* The audit changes no memory and begins anew after its end: one sweep over as many runs as it takes looks at each once, and counts
 * at its end what there is. */
static void an_audit_goes_on_where_it_ended(void **unused)
{
    int64_t scanned = 0;
    struct run r;

    (void)unused;
    fresh();
    entries(200, 200 + 2 * ROWS, 0);
    for (int i = 0; i < 2; i++) {
        r = run("junk_audit", false);
        assert_int_equal(r.status, RUN_PARTIAL);
        assert_int_equal(r.scanned, BOUND);
        scanned += r.scanned;
    }
    assert_int_equal(world_int("SELECT COUNT(*) FROM memory_finding WHERE class = 'no_vector'"), scanned);
    assert_int_equal(world_int("SELECT COUNT(*) FROM memory_census"), 0);
    entries(100, 100 + LATE, 0); /* in front: the next sweep's */
    entries(200 + 2 * ROWS, 200 + 2 * (ROWS + LATE), 0);
    do {
        r = run("junk_audit", false);
        scanned += r.scanned;
    } while (r.status == RUN_PARTIAL);
    assert_int_equal(r.status, RUN_SUCCEEDED);
    assert_int_equal(scanned, ROWS + LATE);
    assert_int_equal(world_int("SELECT found FROM memory_census WHERE class = 'no_vector'"), ROWS + LATE);
    assert_int_equal(world_int("SELECT found FROM memory_census WHERE class = 'nodes'"), ROWS + LATE + LATE / 2);
    for (scanned = 0; scanned < ROWS + LATE + LATE / 2; scanned += r.scanned)
        r = run("junk_audit", false);
    assert_int_equal(world_int("SELECT found FROM memory_census WHERE class = 'no_vector'"), scanned);
}

/* A dry run counts what a run would do, and moves nothing, not even where the next one begins. */
static void dry_is_dry(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < N_CASES; i++) {
        const char *name = CASES[i].job->name;

        fresh();
        CASES[i].plant(200, 220, 0);
        assert_int_equal(run(name, true).scanned, 10);
        assert_int_equal(world_int(CASES[i].done), 0);
        assert_int_equal(run(name, false).changed, 10);
        assert_int_equal(world_int(CASES[i].done), 10);
    }
}

static int open_world(void **unused)
{
    (void)unused;
    for (size_t i = 0; i <= N_CASES; i++) {
        jobs[i] = i < N_CASES ? *CASES[i].job : junk_audit_job;
        jobs[i].bound = BOUND;
        jobs[i].batch = BATCH;
        listed[i] = &jobs[i];
    }
    world_open(&list);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_bound_is_continued), cmocka_unit_test(an_audit_goes_on_where_it_ended),
                                       cmocka_unit_test(dry_is_dry)};

    return cmocka_run_group_tests(tests, open_world, world_close);
}
