/* Idempotency keys: answered again, refused with another body, held while running, freed after a failure. */
#include "house.h"

#include "config.h"
#include "replay.h"

static const struct bytes BODY = {"{\"a\":1}", 7}, BODY2 = {"{\"a\":2}", 7};

static err begin(const char *key, struct bytes body, struct replay *own, struct replay_answer **found)
{
    return replay_begin(&test, "POST", "/api/v1/nodes", key, body, false, own, found);
}

static void next_request(void)
{
    house_request(&test);
    house_be_system(&test, &house_one);
}

static err insert(struct ctx *c, void *arg)
{
    return db_exec(c, NULL, "INSERT INTO outbox (account_id, id, at, kind) VALUES (?, ?, ?, ?)", IN(c->account_id),
                   IN(uuid_new(c->now.us)), IN(c->now), IN((const char *)arg));
}

static int64_t inserted(const char *kind)
{
    return test_number(arena_printf(test.arena, "SELECT COUNT(*) FROM outbox WHERE kind = '%s'", kind));
}

static void answered_again(void **state)
{
    struct replay own;
    struct replay_answer *found, answer = {.status = 201, .body = {"{\"id\":1}", 8}, .etag = "\"1\"", .location = "/x/1"};

    (void)state;
    OK(begin("again", BODY, &own, &found));
    assert_null(found);
    assert_non_null(test.before_commit);
    OK(db_tx(&test, insert, (char[]){"again"}));
    replay_finish(&test, &own, &answer);
    assert_null(test.before_commit);
    next_request();
    OK(begin("again", BODY, &own, &found));
    assert_non_null(found);
    assert_null(test.before_commit);
    assert_int_equal(found->status, 201);
    assert_true(found->body.n == 8 && memcmp(found->body.p, "{\"id\":1}", 8) == 0);
    assert_string_equal(found->etag, "\"1\"");
    assert_string_equal(found->location, "/x/1");
    assert_int_equal(inserted("again"), 1);
}

static void other_bodies_paths_and_callers(void **state)
{
    struct agent a = house_agent("agent");
    struct replay own;
    struct replay_answer *found, answer = {.status = 200, .body = BODY};

    (void)state;
    OK(begin("other", BODY, &own, &found));
    replay_finish(&test, &own, &answer);
    next_request();
    assert_err(begin("other", BODY2, &own, &found), ERR_INVALID);
    next_request();
    OK(replay_begin(&test, "POST", "/api/v1/edges", "other", BODY2, false, &own, &found));
    assert_null(found);
    replay_abandon(&test, &own);
    house_be(&test, house_agent_token(a.id));
    OK(begin("other", BODY2, &own, &found));
    assert_null(found);
    house_request(&test);
    house_be_system(&test, &house_two);
    OK(begin("other", BODY2, &own, &found));
    assert_null(found);
}

static void still_running(void **state)
{
    struct replay first, second;
    struct replay_answer *found;

    (void)state;
    OK(begin("running", BODY, &first, &found));
    assert_err(begin("running", BODY, &second, &found), ERR_CONFLICT);
    assert_int_equal(test.fault.retry_after_s, 1);
    ctx_forgive(&test);
    assert_err(begin("running", BODY2, &second, &found), ERR_INVALID);
}

/* A lease that is over is taken up; the late first one can then no longer commit. */
static void given_up(void **state)
{
    struct replay first, second;
    struct replay_answer *found, answer = {.status = 200, .body = BODY};
    err (*hook)(struct ctx *, void *);

    (void)state;
    OK(begin("late", BODY, &first, &found));
    hook = test.before_commit;
    next_request();
    test.now.us += (2 * test_conf->http_deadline_s + 1) * SECOND_US;
    OK(begin("late", BODY, &second, &found));
    assert_null(found);
    test.before_commit = hook;
    test.before_commit_arg = &first;
    assert_err(db_tx(&test, insert, (char[]){"late"}), ERR_CONFLICT);
    assert_int_equal(inserted("late"), 0);
    replay_finish(&test, &first, &answer); /* changes nothing: the row is not its own */
    test.before_commit = hook;
    test.before_commit_arg = &second;
    OK(db_tx(&test, insert, (char[]){"late"}));
    OK(db_tx(&test, insert, (char[]){"late"})); /* a second transaction of the same request */
    assert_int_equal(inserted("late"), 2);
}

static void freed_after_failures(void **state)
{
    static const int FREED[] = {401, 429, 500, 502, 503, 504};
    struct replay own;
    struct replay_answer *found;

    (void)state;
    for (size_t i = 0; i < sizeof FREED / sizeof *FREED; i++) {
        next_request();
        OK(begin("failed", BODY, &own, &found));
        assert_null(found);
        replay_finish(&test, &own, &(struct replay_answer){.status = FREED[i], .body = BODY});
    }
    next_request();
    OK(begin("failed", BODY, &own, &found));
    assert_null(found);
    replay_abandon(&test, &own);
    OK(begin("failed", BODY, &own, &found));
    replay_finish(&test, &own, &(struct replay_answer){.status = 422, .body = BODY});
    next_request();
    OK(begin("failed", BODY, &own, &found));
    assert_non_null(found);
    assert_int_equal(found->status, 422);
}

/* Committed, and then the process died, or the answer could not be stored. */
static void answer_lost(void **state)
{
    struct replay own;
    struct replay_answer *found;

    (void)state;
    OK(begin("lost", BODY, &own, &found));
    OK(db_tx(&test, insert, (char[]){"lost"}));
    next_request();
    assert_err(begin("lost", BODY, &own, &found), ERR_CONFLICT);
    next_request();
    test.now.us += 3600 * SECOND_US; /* a lease that is over does not make it run again */
    assert_err(begin("lost", BODY, &own, &found), ERR_CONFLICT);
    next_request();
    OK(begin("lost2", BODY, &own, &found));
    OK(db_tx(&test, insert, (char[]){"lost"}));
    replay_finish(&test, &own, &(struct replay_answer){.status = 500});
    next_request();
    assert_err(begin("lost2", BODY, &own, &found), ERR_CONFLICT);
}

/* An operation in portions that goes on where it stood: the lease keeps two apart, then the repetition runs. */
static void gone_on_with(void **state)
{
    struct replay own;
    struct replay_answer *found;

    (void)state;
    OK(replay_begin(&test, "POST", "/api/v1/sync", "parts", BODY, true, &own, &found));
    OK(db_tx(&test, insert, (char[]){"parts"}));
    next_request();
    assert_err(replay_begin(&test, "POST", "/api/v1/sync", "parts", BODY, true, &own, &found), ERR_CONFLICT);
    assert_int_equal(test.fault.retry_after_s, 1);
    next_request();
    test.now.us += 11 * SECOND_US;
    OK(replay_begin(&test, "POST", "/api/v1/sync", "parts", BODY, true, &own, &found));
    assert_null(found);
    replay_finish(&test, &own, &(struct replay_answer){.status = 200, .body = BODY});
    next_request();
    OK(replay_begin(&test, "POST", "/api/v1/sync", "parts", BODY, true, &own, &found));
    assert_int_equal(found->status, 200);
}

static void secrets_are_not_kept(void **state)
{
    struct replay own;
    struct replay_answer *found;

    (void)state;
    OK(begin("secret", BODY, &own, &found));
    OK(db_tx(&test, insert, (char[]){"secret"}));
    replay_finish(&test, &own, &(struct replay_answer){.status = 201, .body = {"tell nobody", 11}, .is_secret = true});
    assert_int_equal(test_number("SELECT COUNT(*) FROM idempotency_key WHERE body LIKE '%tell nobody%'"), 0);
    next_request();
    assert_err(begin("secret", BODY, &own, &found), ERR_CONFLICT);
}

/* A rolled-back change leaves the key running, which the end of the request frees. */
static err insert_and_fail(struct ctx *c, void *arg)
{
    TRY(insert(c, arg));
    return fail(c, ERR_CONFLICT, "as the test wants");
}

static void rolled_back(void **state)
{
    struct replay own;
    struct replay_answer *found;

    (void)state;
    OK(begin("rolled", BODY, &own, &found));
    assert_err(db_tx(&test, insert_and_fail, (char[]){"rolled"}), ERR_CONFLICT);
    assert_string_equal(test.fault.message, "as the test wants");
    replay_finish(&test, &own, &(struct replay_answer){.status = 503});
    assert_string_equal(test.fault.message, "as the test wants");
    next_request();
    OK(begin("rolled", BODY, &own, &found));
    assert_null(found);
}

static void bad_keys(void **state)
{
    struct replay own;
    struct replay_answer *found;

    (void)state;
    assert_err(begin("", BODY, &own, &found), ERR_INVALID);
    ctx_forgive(&test);
    assert_err(begin("a\nb", BODY, &own, &found), ERR_INVALID);
    ctx_forgive(&test);
    assert_err(begin("\xc3\xa4", BODY, &own, &found), ERR_INVALID);
    ctx_forgive(&test);
    assert_err(begin(test_text_of(256), BODY, &own, &found), ERR_INVALID);
    ctx_forgive(&test);
    OK(begin(test_text_of(255), BODY, &own, &found));
    assert_null(found);
}

static void a_day_later(void **state)
{
    struct replay own;
    struct replay_answer *found;
    int64_t n;

    (void)state;
    OK(begin("old", BODY, &own, &found));
    replay_finish(&test, &own, &(struct replay_answer){.status = 200, .body = BODY});
    next_request();
    test.now.us += (REPLAY_HOURS * 3600 + 1) * SECOND_US;
    OK(begin("old", BODY2, &own, &found)); /* another body: the old one is forgotten */
    assert_null(found);
    replay_finish(&test, &own, &(struct replay_answer){.status = 200, .body = BODY});
    OK(replay_purge(&test, 3, &n));
    assert_int_equal(n, 3);
    OK(replay_purge(&test, 1000, &n));
    assert_true(n > 0);
    OK(replay_purge(&test, 1000, &n));
    assert_int_equal(n, 0);
    assert_true(test_number("SELECT COUNT(*) FROM idempotency_key") >= 1); /* the new one is kept */
}

/* ---- change, key and answer in one transaction */

struct served {
    int runs, status;
    bool replayed;
    bool second_fails, forgives; /* of the operation */
};

/* Two transactions and a statement of its own, as an operation may have them. */
static err operation(struct ctx *c, const char *kind, struct served *s)
{
    err e;

    s->runs++;
    TRY(db_tx(c, insert, (char *)(uintptr_t)kind));
    e = db_tx(c, s->second_fails ? insert_and_fail : insert, (char *)(uintptr_t)kind);
    if (e != ERR_OK && s->forgives)
        ctx_forgive(c);
    else
        TRY(e);
    return insert(c, (char *)(uintptr_t)kind);
}

/* What http/api.c does. */
static void serve(const char *key, const char *kind, struct served *s)
{
    struct replay own = {0};
    struct replay_answer *old, answer;
    bool again = true;
    err e;

    s->status = 0;
    while (again) {
        e = replay_hold(&test, "POST", "/api/v1/nodes", key, BODY, &own, &old);
        if (e != ERR_OK || old) {
            s->replayed = old;
            s->status = old ? old->status : err_info(e)->http;
            return;
        }
        e = operation(&test, kind, s);
        answer = (struct replay_answer){.status = e == ERR_OK ? 201 : err_info(e)->http, .body = {"{}", 2}, .location = "/x/1"};
        e = replay_settle(&test, &own, &answer, &again);
        s->status = e == ERR_OK ? answer.status : err_info(e)->http;
        ctx_forgive(&test);
    }
}

static void serve_next(const char *key, const char *kind, struct served *s)
{
    next_request();
    serve(key, kind, s);
}

static void saved_with_its_answer(void **state)
{
    struct served s = {0};

    (void)state;
    serve("one", "held", &s);
    assert_true(s.status == 201 && !s.replayed && s.runs == 1);
    assert_int_equal(inserted("held"), 3);
    assert_int_equal(test_number("SELECT COUNT(*) FROM idempotency_key WHERE state = 'done' AND status = 201"), 1);
    serve_next("one", "held", &s);
    assert_true(s.status == 201 && s.replayed && s.runs == 1);
    assert_int_equal(inserted("held"), 3);
}

/* A process that dies before the commit leaves nothing: the repetition runs at once. */
static void dead_before_the_commit(void **state)
{
    struct replay own = {0};
    struct replay_answer *old;
    struct served s = {0};

    (void)state;
    OK(replay_hold(&test, "POST", "/api/v1/nodes", "dead", BODY, &own, &old));
    OK(db_tx(&test, insert, (char[]){"dead"}));
    assert_true(db_in_tx(&test));
    house_request(&other);
    house_be_system(&other, &house_one);
    assert_err(replay_hold(&other, "POST", "/api/v1/nodes", "dead", BODY, &(struct replay){0}, &old), ERR_CONFLICT);
    assert_int_equal(other.fault.retry_after_s, 1);
    db_close(test.db); /* as the kernel does with the connections of a killed process */
    test.db = db_open(test_conf);
    serve_next("dead", "dead", &s);
    if (s.status == 409) /* the server has not rolled it back yet */
        do
            serve_next("dead", "dead", &s);
        while (s.status == 409);
    assert_true(s.status == 201 && !s.replayed && s.runs == 1);
    assert_int_equal(inserted("dead"), 3);
}

static void a_part_that_fails_is_undone_alone(void **state)
{
    struct served s = {.second_fails = true, .forgives = true};

    (void)state;
    serve("part", "part", &s);
    assert_int_equal(s.status, 201);
    assert_int_equal(inserted("part"), 2);
    s.forgives = false;
    serve_next("refused", "refused", &s); /* what came before a refusal stays, as without a key */
    assert_int_equal(s.status, 409);
    assert_int_equal(inserted("refused"), 1);
    s.second_fails = false;
    serve_next("refused", "refused", &s);
    assert_true(s.status == 409 && s.replayed);
    assert_int_equal(inserted("refused"), 1);
}

/* Each call to the server fails once, in each way: the change is there with its answer, or neither, and a repetition ends well. */
static void a_failure_at_every_call(void **state)
{
    static const unsigned ERRORS[] = {1213, 1205, 1020, 2006, 2013, 1927, 1047, 1180, 1969};

    (void)state;
    for (size_t i = 0; i < sizeof ERRORS / sizeof *ERRORS; i++) {
        bool reached = true;

        for (int at = 1; reached; at++) {
            const char *name = arena_printf(test.arena, "%u.%d", ERRORS[i], at);
            char key[16];
            struct served s = {0};
            int64_t calls, n;

            strncpy(key, name, sizeof key - 1);
            key[sizeof key - 1] = 0;
            next_request();
            OK(db_ping(&test));
            calls = db_test_calls(test.db);
            db_test_fail_at(test.db, at, ERRORS[i]);
            serve(key, key, &s);
            db_test_fail_at(test.db, 0, 0);
            reached = db_test_calls(test.db) - calls >= at;
            n = inserted(key);
            if (db_in_tx(&test) || n != (s.status == 201 ? 3 : 0))
                BROKEN("error %u at call %d: %d rows, status %d", ERRORS[i], at, (int)n, s.status);
            serve_next(key, key, &s);
            if (s.status != 201 || inserted(key) != 3)
                BROKEN("error %u at call %d: repeated, %d rows, status %d", ERRORS[i], at, (int)inserted(key), s.status);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        HOUSE_CASE(answered_again), HOUSE_CASE(other_bodies_paths_and_callers), HOUSE_CASE(still_running),
        HOUSE_CASE(given_up), HOUSE_CASE(freed_after_failures), HOUSE_CASE(answer_lost), HOUSE_CASE(gone_on_with), HOUSE_CASE(secrets_are_not_kept),
        HOUSE_CASE(rolled_back), HOUSE_CASE(bad_keys), HOUSE_CASE(a_day_later), HOUSE_CASE(saved_with_its_answer),
        HOUSE_CASE(dead_before_the_commit), HOUSE_CASE(a_part_that_fails_is_undone_alone), HOUSE_CASE(a_failure_at_every_call),
    };

    return cmocka_run_group_tests_name("replay", tests, house_begins, house_ends);
}
