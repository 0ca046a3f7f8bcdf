/* Pages without a server: forms as arguments of an operation, what travels sealed, paths one may be sent to, schedules in
 * words, and paths that only pages answer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail

#include <sodium.h>
#include <string.h>

#include "app.h"
#include "frame.h"
#include "jobs_html.h"
#include "page_call.h"
#include "router.h"
#include "seal.h"

struct bed {
    struct app app;
    struct principal who;
    struct ctx c;
};

static int set_up(void **state)
{
    static struct bed bed;

    assert_true(sodium_init() >= 0);
    bed = (struct bed){.who = {.perms = permissions_all()}};
    memset(bed.app.secret, 7, sizeof bed.app.secret);
    bed.c = (struct ctx){.arena = request_arena_new(), .app = &bed.app, .who = &bed.who, .now = {1000 * SECOND_US}};
    *state = &bed;
    return 0;
}

static int tear_down(void **state)
{
    arena_free(((struct bed *)*state)->c.arena);
    return 0;
}

/* ---- a form as arguments */

struct sample {
    struct given given;
    const char *name, *note, *kind;
    int64_t size;
    bool loud;
    struct strs tags;
    struct instant until;
};

static const struct field THING_IN[] = {
    F_STR(struct sample, name, FIELD_REQUIRED, 1, 10, "name"),
    F_STR(struct sample, note, FIELD_NULLABLE, 0, 100, "note"),
    F_STR(struct sample, kind, 0, 1, 10, "kind"),
    F_INT(struct sample, size, 0, 1, 9, 5, "size"),
    F_BOOL(struct sample, loud, 0, false, "loud"),
    F_STRS(struct sample, tags, 0, 4, "tags"),
    F_TIME(struct sample, until, FIELD_NULLABLE, "until"),
    F_END
};

static struct sample seen;
static int64_t seen_match;

static err keep(struct ctx *c, const void *in, void *out)
{
    (void)out;
    seen = *(const struct sample *)in;
    seen_match = c->if_match;
    return ERR_OK;
}

static const struct op MAKE = {.name = "thing.make", .method = "POST", .path = "/t", .perm = PERM_MEMORY_WRITE,
                               .flags = OP_GIVEN, OP_IN(THING_IN, struct sample), .run = keep};
static const struct op CREATE = {.name = "thing.create", .method = "POST", .path = "/u", .perm = PERM_MEMORY_WRITE,
                                 .in = THING_IN, .in_size = sizeof(struct sample), .run = keep};
static const struct op *const OPS[] = {&MAKE, &CREATE};
static const struct op_table TABLE = {OPS, 2};

static err post(struct bed *b, const char *op, const char *form, const struct json *extra)
{
    struct page_call p = {0};
    struct json *pairs;

    b->app.ops = &TABLE;
    ctx_forgive(&b->c);
    b->c.if_match = 0;
    assert_int_equal(exchange_pairs(&b->c, form, strlen(form), "the form", &pairs), ERR_OK);
    p.form = pairs;
    return page_run(&b->c, &p, op, extra, NULL);
}

static void test_form_becomes_arguments(void **state)
{
    struct bed *b = *state;

    assert_int_equal(post(b, "thing.make", "csrf_token=x&name=+Nora+&note=&size=7&loud=1&tags=a&tags=b&until=2026-11-20T10%3A30"
                          "&if_version=4&unknown=1", NULL), ERR_OK);
    assert_string_equal(seen.name, "Nora");
    assert_null(seen.note);
    assert_true(given(&seen, note)); /* emptied, not left alone */
    assert_false(given(&seen, kind));
    assert_int_equal(seen.size, 7);
    assert_true(seen.loud);
    assert_int_equal(seen.tags.n, 2);
    assert_string_equal(seen.tags.v[1], "b");
    assert_int_equal(seen.until.us, 1795170600 * SECOND_US);
    assert_int_equal(seen_match, 4);
    assert_int_equal(post(b, "thing.make", "name=x&tags=one&until=2026-11-20", NULL), ERR_OK);
    assert_int_equal(seen.tags.n, 1);
    assert_int_equal(seen.size, 5);
    assert_int_equal(seen.until.us, 1795132800 * SECOND_US);
    assert_int_equal(post(b, "thing.make", "name=x&name=last", NULL), ERR_OK);
    assert_string_equal(seen.name, "last");
}

static void test_extra_wins_and_faults_are_named(void **state)
{
    struct bed *b = *state;
    struct json *extra = json_obj(b->c.arena);

    json_set_str(b->c.arena, extra, "name", "ours");
    assert_int_equal(post(b, "thing.make", "name=theirs&size=3", extra), ERR_OK);
    assert_string_equal(seen.name, "ours");
    assert_int_equal(post(b, "thing.make", "size=many&name=", NULL), ERR_INVALID);
    assert_int_equal(b->c.fault.n_fields, 2);
    assert_int_equal(post(b, "thing.make", "name=x&if_version=zero", NULL), ERR_BAD_REQUEST);
    /* a change to nothing is refused, a thing made without it takes the default */
    assert_int_equal(post(b, "thing.make", "name=x&kind=", NULL), ERR_INVALID);
    assert_int_equal(post(b, "thing.create", "name=x&kind=", NULL), ERR_OK);
    assert_null(seen.kind);
}

static void test_reading_a_form(void **state)
{
    struct bed *b = *state;
    struct page_call p = {.params = {"nonsense", "01998a3c-0000-7000-8000-000000000001"}};
    struct json *pairs;
    struct strs all;
    struct uuid id;

    assert_int_equal(exchange_pairs(&b->c, "a=1&b=&c=2&c=3", 14, "x", &pairs), ERR_OK);
    p.query = pairs;
    assert_string_equal(page_query(&p, "a"), "1");
    assert_null(page_query(&p, "b"));
    assert_null(page_query(&p, "none"));
    assert_null(page_form(&p, "a")); /* nothing was posted */
    p.form = pairs;
    all = page_form_all(&b->c, &p, "c");
    assert_int_equal(all.n, 2);
    assert_int_equal(page_form_all(&b->c, &p, "a").n, 1);
    assert_int_equal(page_form_all(&b->c, &p, "none").n, 0);
    assert_int_equal(page_id(&b->c, &p, 0, &id), ERR_NOT_FOUND);
    assert_int_equal(page_id(&b->c, &p, 1, &id), ERR_OK);
}

/* ---- the seal */

static void test_seal(void **state)
{
    struct bed *b = *state;
    struct json *what = json_obj(b->c.arena);
    const struct json *back;
    char *sealed;

    json_set_str(b->c.arena, what, "token", "loci_secret");
    sealed = arena_strdup(b->c.arena, seal(&b->c, "session", what));
    assert_null(strstr(sealed, "loci_secret"));
    assert_null(strpbrk(sealed, "; ,=\"")); /* fits a cookie */
    back = seal_open(&b->c, "session", sealed, 60 * SECOND_US);
    assert_string_equal(json_get_str(back, "token"), "loci_secret");
    assert_null(seal_open(&b->c, "another", sealed, 60 * SECOND_US));
    b->c.now.us += 61 * SECOND_US;
    assert_null(seal_open(&b->c, "session", sealed, 60 * SECOND_US));
    b->c.now.us -= 61 * SECOND_US;
    for (size_t i = 0; i < strlen(sealed); i++) {
        char was = sealed[i];

        sealed[i] = was == 'A' ? 'B' : 'A';
        assert_null(seal_open(&b->c, "session", sealed, 60 * SECOND_US));
        sealed[i] = was;
    }
    b->app.secret[0] ^= 1;
    assert_null(seal_open(&b->c, "session", sealed, 60 * SECOND_US));
    assert_null(seal_open(&b->c, "session", "", 60 * SECOND_US));
    assert_null(seal_open(&b->c, "session", "!", 60 * SECOND_US));
    assert_null(seal_open(&b->c, "session", NULL, 60 * SECOND_US));
}

/* ---- the frame */

static void test_local_paths(void **state)
{
    static const char *const GOOD[] = {"/", "/admin", "/admin?a=b&c=//d", "/ü"};
    static const char *const BAD[] = {"", "admin", "//evil.example", "/\\evil.example", "/a\\b", "https://evil.example", "/a\r\nb",
                                      "/a\x7f"};
    char *long_path;

    struct bed *b = *state;
    for (size_t i = 0; i < sizeof GOOD / sizeof *GOOD; i++)
        assert_string_equal(frame_local_path(GOOD[i]), GOOD[i]);
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++)
        assert_null(frame_local_path(BAD[i]));
    assert_null(frame_local_path(NULL));
    long_path = arena_alloc(b->c.arena, 4000);
    memset(long_path, '/', 1);
    memset(long_path + 1, 'a', 3000);
    assert_null(frame_local_path(long_path));
}

static void test_sentences_and_secrets(void **state)
{
    struct bed *b = *state;

    assert_string_equal(frame_sentence(&b->c, "no such space"), "No such space.");
    assert_string_equal(frame_sentence(&b->c, "Really?"), "Really?");
    assert_string_equal(frame_sentence(&b->c, NULL), "The request failed.");
    assert_true(frame_same_secret("abc", "abc"));
    assert_false(frame_same_secret("abc", "abd"));
    assert_false(frame_same_secret("abc", "abcd"));
    assert_false(frame_same_secret("", ""));
    assert_false(frame_same_secret(NULL, NULL));
    assert_false(frame_same_secret("abc", NULL));
}

static void nothing(struct ctx *c, struct exchange *x, const struct route *r)
{
    (void)c;
    (void)x;
    (void)r;
}

static void test_who_answers_otherwise(void **state)
{
    static const struct route PAGES = {"GET", "/admin", "pages", nothing, NULL};
    struct bed *b = *state;
    struct router *r = router_new(b->c.arena);

    assert_null(router_other(r, "/admin"));
    router_otherwise(r, &PAGES);
    assert_ptr_equal(router_other(r, "/admin"), &PAGES);
    assert_ptr_equal(router_other(r, "/admin/x/y"), &PAGES);
    assert_null(router_other(r, "/administration"));
    assert_null(router_other(r, "/api/v1/admin"));
}

/* ---- schedules */

static void test_schedules_in_words(void **state)
{
    static const char *const WORDS[][2] = {
        {"@every 30s", "every 30 seconds"}, {"@every 1m", "every minute"}, {"@every 1h30m", "custom schedule"},
        {"@hourly", "every hour"}, {"@daily", "every day at 00:00 UTC"}, {"0 4 * * *", "every day at 04:00 UTC"},
        {"15 2 * * 7", "every Sunday at 02:15 UTC"}, {"0 3 1 * *", "on day 1 of each month at 03:00 UTC"},
        {"*/5 * * * *", "every 5 minutes"}, {"* * * * *", "every minute"}, {"10 * * * *", "every hour, 10 min past"},
        {"10 */6 * * *", "every 6 hours, 10 min past"}, {"0 4 * jan *", "custom schedule"},
        {"0 4 1 * 1", "custom schedule"}, {"0,30 4 * * *", "custom schedule"}, {"", "custom schedule"},
        {"0 4 * *", "custom schedule"},
    };
    struct bed *b = *state;

    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
        assert_string_equal(schedule_words(&b->c, WORDS[i][0]), WORDS[i][1]);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(test_form_becomes_arguments), CASE(test_extra_wins_and_faults_are_named), CASE(test_reading_a_form),
        CASE(test_seal), CASE(test_local_paths), CASE(test_sentences_and_secrets), CASE(test_who_answers_otherwise),
        CASE(test_schedules_in_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
