/* Vectors of nodes: who gets one, what a sweep finds, changing the model, and queries in all of this. The model is a server
 * of the test that says how long a text is. */
#include "graphtest.h"

#include <math.h>
#include <stdatomic.h>
#include <unistd.h>

#include "account.h"
#include "config.h"
#include "embed.h"
#include "fake_http.h"
#include "kv.h"
#include "metrics.h"
#include "modeltest.h"
#include "near_pairs.h"
#include "node.h"
#include "node_vectors.h"
#include "query_vector.h"
#include "query_vector_cache.h"
#include "simd.h"
#include "slow.h"
#include "vector.h"
#include "vector_feed.h"
#include "vector_models_cache.h"
#include "vector_sweep.h"
#include "vectors_store.h"

static struct fake_http *fake;
static struct config conf;
static _Atomic bool down;
static struct arena *settings_arena;
static const char *model_path = "/nonexistent";

static void run_sql(const char *text)
{
    OK(db_run_text(&test, text, strlen(text)));
}

/* Two numbers for each text: its length and 1. */
static void answer(const struct fake_request *q, struct fake_reply *r)
{
    static char text[1 << 16];
    size_t n = 1;

    text[0] = '[';
    for (const char *p = strstr(q->body, "[\""); p && (p = strchr(p, '"'));) {
        const char *end = p + 1;

        while (*end && *end != '"')
            end += *end == '\\' ? 2 : 1;
        n += (size_t)snprintf(text + n, sizeof text - n, "%s[%zu,1]", n > 1 ? "," : "", (size_t)(end - p - 1));
        p = end[1] == ',' ? end + 1 : NULL;
    }
    snprintf(text + n, sizeof text - n, "]");
    r->body = text;
    r->status = down ? 503 : 200;
    if (down)
        r->headers = "Retry-After: 60\r\n";
}

static void open_embedder(const char *provider, const char *model)
{
    const char *why;

    arena_free(settings_arena); /* what is opened outlives the request of the test */
    settings_arena = arena_new(1u << 20);
    conf = *test_conf;
    conf.embed_provider = provider;
    conf.embed_model = arena_strdup(settings_arena, model);
    conf.embed_model_file = model_path;
    conf.embed_url = fake_http_url(fake);
    conf.embed_api = "tei";
    conf.embed_private_addresses = true;
    conf.embed_timeout_ms = 10000;
    conf.embed_query_ms = 10000;
    test_app.conf = &conf;
    test_app.embed = embed_open(settings_arena, &conf, test_app.simd, &why);
    assert_non_null(test_app.embed);
}

/* A request of the owner, with nothing of the tests before but the cast. */
static void fresh(const char *provider, const char *model)
{
    static const char *const CLEAN[] = {"DELETE FROM `vector`", "DELETE FROM embedding_model", "DELETE FROM node WHERE kind = 'note'",
                                        "UPDATE account SET settings = '{}'"};

    act(OWNER);
    for (size_t i = 0; i < sizeof CLEAN / sizeof *CLEAN; i++)
        run_sql(CLEAN[i]);
    down = false;
    open_embedder(provider, model);
    OK(access_as_system(&test, cast.account_id[OWNER], "test"));
}

static struct uuid a_note(const char *title, const char *body)
{
    struct node n;

    OK(node_create(&test, &(struct node_new){NODE_NEW_DEFAULTS, .space_id = cast.own_space[ALICE], .kind = "note", .title = title,
                                             .body = body}, &n));
    return n.id;
}

static struct vectors_done embed(const struct uuid *ids, size_t n)
{
    struct vectors_done done;

    OK(vectors_embed(&test, &(struct vectors_work){.ids = ids, .n = n}, &done));
    return done;
}

static struct vector_models models(void)
{
    struct vector_models m;

    OK(vector_models_read(&test, &m));
    return m;
}

static bool has_vector(struct uuid id, const char *model, double first)
{
    struct vector v;
    err e = vector_get(&test, id, model, &v);

    ctx_forgive(&test);
    return e == ERR_OK && !v.is_stale && v.dim == 2 && fabs(v.values.v[0] - first / sqrt(first * first + 1)) < 1e-6;
}

static void the_text_of_a_node(void **state)
{
    static const struct {
        struct due_text t;
        const char *text;
    } CASES[] = {
        {{.title = "Title", .body = "Body"}, "Title\nBody"}, {{.title = "", .body = "Body"}, "Body"}, {{.title = "Title", .body = ""}, "Title"},
        {{.title = "Body", .body = "Body goes on"}, "Body goes on"}, {{.title = "T", .body = "B", .speaker = "Ann"}, "Ann: T\nB"},
        {{.title = "B", .body = "B", .speaker = "Ann"}, "Ann: B"},
        {{.title = "8 May", .body = "Hi.", .speaker = "Ann", .is_turn = true}, "Ann: Hi."},
        {{.title = "8 May", .body = "Ann: hi.", .speaker = "Ann", .is_turn = true}, "Ann: hi."},
        {{.title = "8 May", .body = "", .is_turn = true}, "8 May"},
    };

    (void)state;
    act(OWNER);
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        assert_string_equal(vectors_text(test.arena, &CASES[i].t), CASES[i].text);
}

static void nodes_get_theirs_once(void **state)
{
    struct uuid ids[4];
    struct vectors_done d;
    struct node n;

    (void)state;
    fresh("http", "m1");
    ids[0] = a_note("abc", "");
    ids[1] = a_note(" \t", ""); /* nothing in it */
    ids[2] = a_note("abcdefg", "");
    ids[3] = uuid_new(test.now.us); /* no such node */
    d = embed(ids, 4);
    assert_int_equal(d.written, 2);
    assert_int_equal(d.empty, 1);
    assert_true(has_vector(ids[0], "m1", 3) && has_vector(ids[2], "m1", 7));
    assert_false(has_vector(ids[1], "m1", 0));
    assert_string_equal(models().active.row.name, "m1");
    assert_int_equal(models().active.row.dim, 2);
    d = embed(ids, 4); /* the empty one is known to be empty */
    assert_int_equal(d.written + d.empty, 0);
    OK(node_update(&test, ids[0], &(struct node_patch){.set = NODE_SET_TITLE, .title = "abcd"}, &n));
    assert_false(has_vector(ids[0], "m1", 3)); /* stale */
    assert_int_equal(embed(ids, 4).written, 1);
    assert_true(has_vector(ids[0], "m1", 4));
    OK(node_forget(&test, ids[2], 0));
    OK(node_update(&test, ids[0], &(struct node_patch){.set = NODE_SET_BODY, .body = "x"}, &n));
    assert_int_equal(embed(&n.previous_id, 1).written, 0); /* old states have none */
}

static void a_result_that_is_late_is_dropped(void **state)
{
    struct uuid id;
    struct due_text *due;
    struct embedding_model m;
    int64_t written;
    struct node n;
    size_t k;
    const float v[2] = {0.6f, 0.8f};

    (void)state;
    fresh("http", "m1");
    id = a_note("abc", "");
    OK(vector_model_add(&test, &(struct embedding_model){.provider = "http", .name = "m1", .dim = 2, .state = "active"}, &m));
    OK(vectors_store_due(&test, m.id, &id, 1, &due, &k));
    assert_int_equal(k, 1);
    OK(node_update(&test, id, &(struct node_patch){.set = NODE_SET_TITLE, .title = "another"}, &n));
    OK(vector_put_computed(&test, &m, "f32", &(struct vector_new){id, due->content_hash, v}, 1, &written));
    assert_int_equal(written, 0);
    assert_false(has_vector(id, "m1", 3));
    FAILS(vector_model_add(&test, &(struct embedding_model){.provider = "http", .name = "m1", .dim = 3, .state = "active"}, &m),
          ERR_CONFLICT);
}

static size_t missing(struct instant since)
{
    struct vector_sweep s = {.since = since, .limit = 3};
    size_t n = 0;

    do {
        OK(vector_sweep_changed(&test, &s));
        n += s.n;
    } while (s.more);
    return n;
}

static void a_sweep_finds_what_is_missing(void **state)
{
    struct uuid ids[10];
    struct instant before;

    (void)state;
    fresh("http", "m1");
    for (size_t i = 0; i < 10; i++)
        ids[i] = a_note("note", "");
    before = (struct instant){test.now.us - 1};
    assert_int_equal(missing(before), 10);
    embed(ids, 7);
    assert_int_equal(missing(before), 3);
    embed(ids, 10);
    assert_int_equal(missing(before), 0);
    assert_int_equal(missing(test.now), 0);
    open_embedder("none", "");
    a_note("later", "");
    assert_int_equal(missing(before), 0); /* nobody wants them */
    open_embedder("http", "m1");
    assert_int_equal(missing(before), 1);
}

static bool due(const char *job)
{
    struct uuid ids[8];
    size_t n;

    if (job)
        OK(vector_sweep_changed_due(&test, job, (struct uuid){{0}}, ids, 8, &n));
    else
        OK(vector_sweep_moving_due(&test, (struct uuid){{0}}, ids, 8, &n));
    for (size_t i = 0; i < n; i++)
        if (uuid_eq(ids[i], test.account_id))
            return true;
    return false;
}

static void sweep_all(size_t left)
{
    struct vector_sweep s = {.limit = 4};
    size_t n = 0;
    bool building;

    do {
        OK(vector_sweep_building(&test, &s, &building));
        assert_true(building);
        n += s.n;
        if (s.n)
            embed(s.missing, left ? 0 : s.n);
    } while (s.more);
    assert_int_equal(n, left ? left : n);
    if (n == 0)
        OK(vector_sweep_complete(&test));
}

static struct query_vector query(const char *text, struct uuid model)
{
    struct query_vector q;

    OK(query_vectors(&test, model, &text, 1, &q));
    return q;
}

static void another_model(void **state)
{
    struct uuid ids[9], first;
    struct vector_models m;

    (void)state;
    fresh("http", "m1");
    for (size_t i = 0; i < 9; i++)
        ids[i] = a_note("note", "");
    embed(ids, 9);
    first = models().active.row.id;
    assert_false(due(NULL));
    run_sql("UPDATE account SET settings = '{\"embed\":{\"model\":\"m2\"}}'");
    assert_true(due(NULL));
    sweep_all(9); /* all are missing; nothing is known of m2 yet */
    embed(ids, 2);
    m = models();
    assert_string_equal(m.active.row.name, "m1");
    assert_string_equal(m.building.row.name, "m2");
    assert_true(has_vector(ids[0], "m2", 4) && has_vector(ids[0], "m1", 4));
    assert_true(uuid_eq(query("q", (struct uuid){{0}}).model_id, first));
    ids[8] = a_note("new one", ""); /* writes get both */
    embed(&ids[8], 1);
    assert_true(has_vector(ids[8], "m1", 7) && has_vector(ids[8], "m2", 7));
    sweep_all(0); /* makes the rest */
    assert_string_equal(models().active.row.name, "m1");
    sweep_all(0); /* finds none: the switch */
    m = models();
    assert_string_equal(m.active.row.name, "m2");
    assert_string_equal(m.past.row.name, "m1");
    assert_true(uuid_is_nil(m.building.row.id));
    assert_false(due(NULL));
    assert_true(uuid_eq(query("q", (struct uuid){{0}}).model_id, m.active.row.id));
    assert_true(uuid_eq(query("q", first).model_id, first)); /* whose index still has the old ones */
    /* back within the week: nothing has to be made anew */
    run_sql("UPDATE account SET settings = '{}'");
    assert_true(due(NULL));
    sweep_all(0);
    assert_string_equal(models().active.row.name, "m1");
    /* and after it the old vectors go */
    test.now.us += 8 * DAY_US;
    assert_true(due(NULL));
    {
        int64_t n;

        OK(vector_sweep_drop(&test, 4, &n));
        assert_int_equal(n, 4);
        while (n)
            OK(vector_sweep_drop(&test, 4, &n));
    }
    assert_true(uuid_is_nil(models().past.row.id));
    assert_true(has_vector(ids[0], "m1", 4));
}

static void the_watermark_says_who_is_due(void **state)
{
    (void)state;
    fresh("http", "m1");
    a_note("note", "");
    assert_true(due("test_job"));
    run_sql("INSERT INTO job_state (account_id, job_name, watermark, updated_at) SELECT id, 'test_job', "
                          "UTC_TIMESTAMP(6) + INTERVAL 1 DAY, UTC_TIMESTAMP(6) FROM account");
    assert_false(due("test_job"));
    run_sql("UPDATE job_state SET position = 'x'");
    assert_true(due("test_job")); /* a run that is not at its end */
    run_sql("UPDATE account SET settings = '{\"embed\":{\"provider\":\"none\"}}'");
    assert_false(due("test_job"));
}

static void a_server_that_is_away(void **state)
{
    struct vectors_done done;
    struct uuid id;

    (void)state;
    fresh("http", "m1");
    id = a_note("note", "");
    down = true;
    assert_int_equal(vectors_embed(&test, &(struct vectors_work){.ids = &id, .n = 1}, &done), ERR_PROVIDER);
    assert_int_equal(test.fault.retry_after_s, 60); /* the queue waits so long */
    ctx_forgive(&test);
    down = false;
    assert_int_equal(embed(&id, 1).written, 1);
    down = true;
    assert_string_equal(query("away", (struct uuid){{0}}).degraded, "embedder_unavailable");
    down = false; /* not asked again at once */
    assert_string_equal(query("away", (struct uuid){{0}}).degraded, "embedder_unavailable");
}

static void queries(void **state)
{
    struct query_vector q;
    struct uuid id;
    int asked;

    (void)state;
    fresh("http", "q-model");
    test_app.query_vectors = query_vectors_new();
    test_app.model_cache = model_cache_new();
    q = query("abc", (struct uuid){{0}});
    assert_true(!q.values && !q.degraded);  /* no node has a vector: nothing is lost */
    model_cache_free(test_app.model_cache); /* which it would believe for five seconds */
    test_app.model_cache = model_cache_new();
    id = a_note("note", "");
    embed(&id, 1);
    asked = fake_http_count(fake);
    for (int i = 0; i < 3; i++) {
        q = query("abc", (struct uuid){{0}});
        assert_int_equal(q.dim, 2);
        assert_true(fabs((double)q.values[0] - 3 / sqrt(10)) < 1e-6 && !q.degraded);
    }
    assert_int_equal(fake_http_count(fake), asked + 1);
    query_vectors_free(test_app.query_vectors); /* another process: Redis has it */
    test_app.query_vectors = query_vectors_new();
    q = query("abc", (struct uuid){{0}});
    assert_true(fabs((double)q.values[0] - 3 / sqrt(10)) < 1e-6);
    assert_int_equal(fake_http_count(fake), asked + 1);
    q = query(" ", (struct uuid){{0}});
    assert_true(!q.values && !q.degraded);
    {
        const char *const many[] = {"abc", "ab", "", "abcd"};
        struct query_vector v[4];

        OK(query_vectors(&test, (struct uuid){{0}}, many, 4, v));
        assert_int_equal(fake_http_count(fake), asked + 2); /* the two new ones together */
        assert_true(v[0].values && v[1].values && !v[2].values && v[3].values);
    }
    query_vectors_free(test_app.query_vectors);
    model_cache_free(test_app.model_cache);
    test_app.query_vectors = NULL;
    test_app.model_cache = NULL;
    open_embedder("none", "");
    assert_string_equal(query("abc", (struct uuid){{0}}).degraded, "embedder_off");
}

/* ---- the thread */

static void thread_begin(struct ctx *c)
{
    c->db = db_open(test_conf);
    c->kv = kv_open(test_conf);
}

static int64_t thread_calls;

static void thread_end(struct ctx *c)
{
    thread_calls = db_test_calls(c->db);
    db_close(c->db);
    kv_close(c->kv);
}

static void the_thread_empties_its_queue(void **state)
{
    struct uuid ids[200], alone;
    size_t n = 0;

    (void)state;
    fresh("http", "m1");
    test_app.vector_feed = vector_feed_new(&test_app, thread_begin, thread_end);
    test_app.nodes_written = vector_feed_nodes;
    for (; n < 200; n++)
        ids[n] = a_note("note", "");
    act(STRANGER);
    OK(access_as_system(&test, cast.account_id[STRANGER], "test"));
    {
        struct node one;

        OK(node_create(&test, &(struct node_new){NODE_NEW_DEFAULTS, .space_id = cast.own_space[STRANGER], .kind = "note",
                                                 .title = "alone"}, &one));
        alone = one.id;
    }
    for (int i = 0; i < 3000 && !has_vector(alone, "m1", 5); i++)
        usleep(10000);
    assert_true(has_vector(alone, "m1", 5));
    act(OWNER);
    OK(access_as_system(&test, cast.account_id[OWNER], "test"));
    for (size_t i = 0; i < 200; i++) { /* two threads: the last one need not be the last */
        for (int k = 0; k < 3000 && !has_vector(ids[i], "m1", 4); k++)
            usleep(10000);
        assert_true(has_vector(ids[i], "m1", 4));
    }
    for (int i = 0; i < 3000 && vector_feed_waiting_of(test_app.vector_feed, test.account_id); i++)
        usleep(10000);
    assert_int_equal(vector_feed_waiting_of(test_app.vector_feed, test.account_id), 0);
    assert_true(vector_feed_free(test_app.vector_feed));
    test_app.vector_feed = NULL;
    test_app.nodes_written = NULL;
}

static void an_account_without_a_model_is_asked_once(void **state)
{
    int64_t waited = clock_monotonic_us();

    (void)state;
    fresh("none", NULL);
    test_app.vector_feed = vector_feed_new(&test_app, thread_begin, thread_end);
    for (unsigned i = 0; i < 100; i++) {
        struct uuid ids[50];

        for (size_t k = 0; k < 50; k++)
            ids[k] = uuid_new(clock_now().us);
        vector_feed_nodes(&test, ids, 50);
    }
    while (vector_feed_waiting_of(test_app.vector_feed, test.account_id) && clock_monotonic_us() < waited + 30 * SECOND_US)
        usleep(1000);
    for (int i = 0; i < 3000 && vector_feed_waiting_of(test_app.vector_feed, test.account_id); i++)
        usleep(10000);
    assert_int_equal(vector_feed_waiting_of(test_app.vector_feed, test.account_id), 0);
    assert_true(vector_feed_free(test_app.vector_feed));
    assert_true(thread_calls > 0 && thread_calls < 200); /* fewer than one for each 64 of the 5,000: those would be 240 */
    test_app.vector_feed = NULL;
}

/* ---- calibration */

/* embed.model chooses; a name that only a server may know leaves it at the first one. */
static void each_built_in_model_has_its_scale(void **state)
{
    static const struct {
        const char *setting, *name;
        double zero;
    } CASES[] = {{"", "all-minilm-l6-v2", 0.041}, {"use-lite-en", "use-lite-en", 0.178}, {"text-3", "all-minilm-l6-v2", 0.041}};

    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        struct model_profile p;

        fresh("builtin", CASES[i].setting);
        OK(model_profile(&test, &p));
        assert_string_equal(p.provider, "builtin");
        assert_string_equal(p.name, CASES[i].name);
        assert_true(p.scale.at_zero == CASES[i].zero && p.scale.at_half > p.scale.at_zero);
    }
}

static void calibration(void **state)
{
    struct model_profile p = {.scale = {.at_zero = 0.178, .at_half = 0.611}};
    struct vector_models m;
    struct uuid *ids;

    (void)state;
    assert_true(model_calibrated(&p, -1) == 0 && model_calibrated(&p, 0.178) == 0 && model_calibrated(&p, 1) == 1);
    assert_true(fabs(model_calibrated(&p, 0.611) - 0.5) < 1e-12);
    assert_true(fabs(model_calibrated(&p, 0.938) - 0.92) < 1e-3);
    fresh("http", "m1");
    ids = ARENA_ARRAY(test.arena, struct uuid, 1200);
    for (size_t i = 0; i < 1200; i++)
        ids[i] = a_note(&"a note"[i % 6], "");
    OK(model_profile(&test, &p));
    assert_string_equal(p.provider, "http");
    embed(ids, 999);
    OK(vectors_calibrate(&test));
    assert_true(models().active.measured_at.us == 0); /* too few */
    embed(ids, 1200);
    OK(vectors_calibrate(&test));
    m = models();
    assert_true(m.active.measured_at.us != 0);
    assert_true(m.active.at_zero > 0.8 && m.active.at_half > m.active.at_zero && m.active.at_half <= 1.000001);
}

/* ---- the self-test, and what thresholds mean */

/* Cosines of the first text of each pair with the second, on the scale of thresholds. */
static void likenesses(const char *const pairs[][2], size_t n, double *out)
{
    struct embed_model m = embed_default(test_app.embed);
    struct model_profile p;
    struct embedded e;

    OK(model_profile(&test, &p));
    OK(embed_texts(&test, &m, &pairs[0][0], 2 * n, &e));
    for (size_t i = 0; i < n; i++)
        out[i] = model_calibrated(&p, (double)test_app.simd->dot_f32(e.vectors + 2 * i * e.dim, e.vectors + (2 * i + 1) * e.dim, e.dim));
}

#define EIGHT 8
static const char *const SAME[EIGHT][2] = {
    {"The ferry to the island leaves at seven, at noon and at six.", "The ferry to the island leaves at seven, noon and six."},
    {"Backups are taken at three in the night and tried out on the first Monday.",
     "Backups are taken at three at night and are tried out on the first Monday."},
    {"Anna likes short answers with the source next to each claim.", "Anna likes short answers, with the source next to each claim!"},
    {"The staging database listens on port 6543.", "Our staging database listens on port 6543."},
    {"Retry a failed payment three times, then tell the customer.", "Retry a failed payment three times and then tell the customer."},
    {"We decided to drop support for version 2 of the interface.", "It was decided to drop support for version 2 of the interface."},
    {"Restart the worker when its queue is longer than fifty tasks.", "Restart the worker if its queue is longer than fifty tasks."},
    {"Mira is allergic to peanuts and to cats.", "Mira is allergic to peanuts and cats."},
};
static const char *const ONE_TOPIC[EIGHT][2] = {
    {"The ferry to the island leaves at seven.", "Tickets for the ferry can be bought on board."},
    {"Backups are taken at three in the night.", "Restoring a backup takes about an hour."},
    {"Anna likes short answers.", "Anna works in the harbour office."},
    {"The staging database listens on port 6543.", "The database is vacuumed every Sunday."},
    {"Retry a failed payment three times.", "Payments above a thousand euros need a second signature."},
    {"We decided to drop support for version 2.", "Version 3 of the interface has pages and filters."},
    {"Restart the worker when its queue is long.", "Workers write their logs to a file of their own."},
    {"Mira is allergic to peanuts.", "Mira brings salad to the barbecue."},
};

static size_t at_least(const double *v, double least)
{
    size_t n = 0;

    for (size_t i = 0; i < EIGHT; i++)
        n += v[i] >= least;
    return n;
}

/* 0.92: one may be left out for the other; 0.70: they may contradict each other. Each model has its own cosines there. */
static void thresholds_mean_the_same_and_the_self_test_holds(void **state)
{
    static const struct {
        const char *name;
        size_t alike; /* of eight that say the same; the smaller model takes two rewordings for less */
    } MODELS[] = {{"all-minilm-l6-v2", 8}, {"use-lite-en", 6}};

    (void)state;
    if (!modeltest_has_model())
        skip();
    for (size_t i = 0; i < (size_t)slow_times(2, 2, 0); i++) { /* valgrind takes minutes for a hundred texts */
        struct arena *a = arena_new(64u << 20);
        double same[EIGHT], topic[EIGHT];
        struct model_profile p;
        struct embed_scale s;
        struct embed_model m;

        model_path = i ? modeltest_path(a) : modeltest_bert_path(a);
        fresh("builtin", MODELS[i].name);
        test.deadline_us = 0; /* a hundred texts take their time under a sanitizer */
        m = embed_default(test_app.embed);
        OK(model_profile(&test, &p));
        OK(embed_self_test(&test, &m, &s));
        assert_true(fabs(s.unrelated - p.scale.unrelated) < 0.01 && fabs(s.answering - p.scale.answering) < 0.01);
        assert_true(fabs(s.at_zero - p.scale.at_zero) < 0.02 && fabs(s.at_half - p.scale.at_half) < 0.1);
        likenesses(SAME, EIGHT, same);
        likenesses(ONE_TOPIC, EIGHT, topic);
        assert_int_equal(at_least(same, 0.92), MODELS[i].alike);
        assert_int_equal(at_least(same, 0.70), EIGHT);
        assert_int_equal(at_least(topic, 0.70), 0);
        model_path = "/nonexistent";
        arena_free(a);
    }
}

/* At once where the server answers; else the job makes up for it. */
static void a_model_is_tested_when_it_is_registered(void **state)
{
    struct uuid id;

    (void)state;
    fresh("http", "m1");
    id = a_note("four", "");
    embed(&id, 1);
    assert_true(models().active.tested.answering > 0.9 && models().active.tested.unrelated > 0.9);
    run_sql("UPDATE embedding_model SET answering = NULL");
    down = true;
    OK(vectors_calibrate(&test));
    assert_true(models().active.tested.answering <= 0);
    open_embedder("http", "m1"); /* which has not failed a moment ago */
    down = false;
    OK(vectors_calibrate(&test));
    assert_true(models().active.tested.answering > 0.9);
}

static int group_begins(void **state)
{
    fake = fake_http_start(answer);
    return graph_group_begins(state);
}

static int group_ends(void **state)
{
    fake_http_stop(fake);
    return graph_group_ends(state);
}

/* ---- texts that are no nodes yet, beside all nodes of their place one by one */

#define PLACED 60

struct placed {
    struct uuid id;
    int length;
    const char *kind;
};

static struct uuid place(struct placed *p, int length, const char *kind)
{
    char body[64];
    struct node n;

    memset(body, 'x', sizeof body);
    body[length] = 0;
    OK(node_create(&test, &(struct node_new){NODE_NEW_DEFAULTS, .space_id = cast.own_space[ALICE], .kind = kind, .title = "", .body = body},
                   &n));
    *p = (struct placed){n.id, length, kind};
    return n.id;
}

/* The n-th that a patient person would name; nodes are in the order of their ids. */
static const struct placed *named(const struct model_profile *m, const struct placed *all, int length, size_t nth, double least)
{
    const struct placed *best = NULL;
    double best_like = 2, last_like = 2;
    const struct placed *last = NULL;

    for (size_t round = 0; round <= nth; round++, last = best, last_like = best_like) {
        best = NULL;
        best_like = -1;
        for (size_t i = 0; i < PLACED; i++) {
            double a = all[i].length, b = length, like = model_calibrated(m, (a * b + 1) / sqrt((a * a + 1) * (b * b + 1)));

            if (strcmp(all[i].kind, "note") != 0 || like < least || like > last_like + 1e-7 ||
                (fabs(like - last_like) <= 1e-7 && &all[i] <= last))
                continue;
            if (like > best_like + 1e-7) {
                best = &all[i];
                best_like = like;
            }
        }
        if (!best)
            return NULL;
    }
    return best;
}

static void texts_are_compared_with_nodes_and_with_each_other(void **state)
{
    static const int LENGTHS[] = {1, 3, 3, 30, 2, 31, 1};
    enum { N = sizeof LENGTHS / sizeof *LENGTHS };
    struct near_said said[N] = {0};
    struct placed all[PLACED];
    struct uuid ids[PLACED];
    struct model_profile m;

    (void)state;
    fresh("http", "m1");
    for (size_t i = 0; i < PLACED; i++)
        ids[i] = place(&all[i], 1 + (int)(i * i % 41), i % 4 ? "note" : "episode");
    embed(ids, PLACED / 2); /* the others wait for theirs */
    OK(model_profile(&test, &m));
    for (size_t i = 0; i < N; i++)
        said[i] = (struct near_said){.kind = "note", .space_id = cast.own_space[i == 6 ? BOB : ALICE],
                                     .text = arena_printf(test.arena, "%.*s", LENGTHS[i], "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy")};
    OK(near_pairs_said(&test, said, N, 0.97));
    for (size_t i = 0; i < 6; i++) {
        for (size_t k = 0; k < said[i].n; k++) {
            const struct placed *p = named(&m, all, LENGTHS[i], k, 0.97);
            double a = LENGTHS[i], b = p ? p->length : 0;

            assert_non_null(p);
            assert_true(fabs(said[i].similarity[k] - model_calibrated(&m, (a * b + 1) / sqrt((a * a + 1) * (b * b + 1)))) < 1e-4);
        }
        assert_true(said[i].n == NEAR_EACH || !named(&m, all, LENGTHS[i], said[i].n, 0.97));
    }
    assert_int_equal(said[6].n, 0); /* another place */
    assert_null(said[0].before);
    assert_ptr_equal(said[2].before, &said[1]);
    assert_ptr_equal(said[5].before, &said[3]);
    assert_null(said[6].before);
    down = true;
    OK(near_pairs_said(&test, said, N, 0.97));
    for (size_t i = 0; i < N; i++)
        assert_true(!said[i].n && !said[i].before);
    open_embedder("none", "");
    OK(near_pairs_said(&test, said, N, 0.97));
    assert_int_equal(said[0].n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_text_of_a_node), cmocka_unit_test(nodes_get_theirs_once), cmocka_unit_test(a_result_that_is_late_is_dropped),
        cmocka_unit_test(a_sweep_finds_what_is_missing), cmocka_unit_test(another_model), cmocka_unit_test(the_watermark_says_who_is_due),
        cmocka_unit_test(a_server_that_is_away), cmocka_unit_test(queries), cmocka_unit_test(the_thread_empties_its_queue),
        cmocka_unit_test(an_account_without_a_model_is_asked_once),
        cmocka_unit_test(each_built_in_model_has_its_scale),
        cmocka_unit_test(calibration), cmocka_unit_test(thresholds_mean_the_same_and_the_self_test_holds),
        cmocka_unit_test(a_model_is_tested_when_it_is_registered), cmocka_unit_test(texts_are_compared_with_nodes_and_with_each_other),
    };

    return cmocka_run_group_tests(tests, group_begins, group_ends);
}
