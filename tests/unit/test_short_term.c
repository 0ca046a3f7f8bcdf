/* Short-term memory against a simple model: whatever is written, read, refreshed, promoted and tidied up in whatever order, what
 * is there, how often it was used and what became of it is what the model says. */
#include "graphtest.h"

#include "context.h"
#include "entry.h"
#include "long_term.h"
#include "promote.h"
#include "short_term.h"

#define SESSIONS 2
#define KEYS 3
#define VALUES 3
#define STEPS 5000

struct row {
    bool exists;
    int seq; /* rows are promoted in the order in which they were made */
    int value;
    int64_t ttl, expires, created, count, version;
    enum promote_state state;
};

static struct row rows[SESSIONS][KEYS];
/* What long-term memory says under the key and since which session, and under the sessions' own keys; -1: nothing. */
static struct {
    int value, session;
} entries[KEYS];
static int own[SESSIONS][KEYS];
static int64_t now; /* seconds since the beginning */
static int made;
static uint64_t dice;
static int64_t promised, deleted, promotions, duplicates; /* what has happened so far */

static int roll(int n)
{
    dice = dice * 6364136223846793005u + 1442695040888963407u;
    return (int)((dice >> 33) % (uint64_t)n);
}

static struct short_term_key key_of(int s, int k)
{
    static const char *const SESSION[] = {"a", "b"}, *const KEY[] = {"one", "two", "three"};

    return (struct short_term_key){cast.id[ALICE], SESSION[s], KEY[k]};
}

static bool is_live(const struct row *r)
{
    return r->exists && r->expires > now;
}

static void write_one(int s, int k)
{
    struct row *r = &rows[s][k];
    struct short_term out;
    int value = roll(VALUES);
    int64_t ttl = 60 + roll(300);

    if (!r->exists)
        *r = (struct row){.exists = true, .seq = made++, .value = value, .created = now};
    if (r->expires <= now) {
        r->count = 0;
        r->created = now;
        r->state = PROMOTE_NONE;
    }
    if (r->value != value)
        r->state = PROMOTE_NONE;
    r->value = value;
    r->ttl = ttl;
    r->expires = now + ttl;
    r->version++;
    OK(short_term_write(&test, &(struct short_term_new){.at = key_of(s, k), .value = json_int(test.arena, value),
                                                        .type = SHORT_OBSERVATION, .ttl_s = ttl}, &out));
    assert_int_equal(out.version, r->version);
    assert_int_equal(out.expires_at.us, test.now.us + ttl * SECOND_US);
}

static void read_one(int s, int k, bool peek)
{
    struct row *r = &rows[s][k];
    struct short_term_key at = key_of(s, k);
    struct short_term out;
    bool found;

    OK(short_term_read(&test, &at, peek, &found, &out));
    assert_int_equal(found, is_live(r));
    if (!found)
        return;
    if (!peek && ++r->count >= SHORT_TERM_USES && r->state == PROMOTE_NONE)
        r->state = PROMOTE_QUEUED;
    assert_int_equal(out.access_count, r->count);
    assert_int_equal(out.version, r->version);
    assert_int_equal(out.promote_state, r->state);
    assert_int_equal(json_opened(test.arena, out.memory_value)->i, r->value);
}

static void refresh_one(int s, int k)
{
    struct row *r = &rows[s][k];
    struct short_term_key at = key_of(s, k);
    struct short_term out;
    bool found;

    OK(short_term_read(&test, &at, true, &found, &out));
    if (!found)
        return;
    OK(short_term_refresh(&test, cast.id[ALICE], out.id, &out));
    r->expires = now + r->ttl;
    assert_int_equal(out.expires_at.us, test.now.us + r->ttl * SECOND_US);
}

static bool is_due(const struct row *r)
{
    return r->exists && r->count >= SHORT_TERM_USES && (r->state == PROMOTE_NONE || r->state == PROMOTE_QUEUED);
}

static struct row *first_due(int *session, int *k)
{
    struct row *first = NULL;

    for (int s = 0; s < SESSIONS; s++)
        for (int i = 0; i < KEYS; i++)
            if (is_due(&rows[s][i]) && (!first || rows[s][i].seq < first->seq)) {
                first = &rows[s][i];
                *session = s;
                *k = i;
            }
    return first;
}

/* Where a row of the session says it: under the key, unless another session's other content is there. */
static int *place_of(int s, int k, int value)
{
    if (entries[k].value < 0)
        entries[k].session = s;
    return entries[k].session == s || entries[k].value == value ? &entries[k].value : &own[s][k];
}

static void promote_all(void)
{
    struct uuid ids[SESSIONS * KEYS + 1];
    const char *why;
    struct row *r;
    size_t n, i = 0;
    int s = 0, k = 0, *place;

    OK(promote_due(&test, &(struct promote_filter){0}, ids, SESSIONS * KEYS + 1, &n));
    while ((r = first_due(&s, &k))) {
        enum promotion want, done;

        place = place_of(s, k, r->value);
        want = *place == r->value ? PROMOTION_DUPLICATE : PROMOTION_MADE;
        assert_true(i < n);
        OK(promote_one(&test, &(struct promote_look){.id = ids[i]}, &done, &why));
        assert_int_equal(done, want);
        OK(promote_one(&test, &(struct promote_look){.id = ids[i]}, &done, &why)); /* twice is once */
        assert_int_equal(done, PROMOTION_NONE);
        promotions += want == PROMOTION_MADE;
        duplicates += want == PROMOTION_DUPLICATE;
        r->state = want == PROMOTION_MADE ? PROMOTE_PROMOTED : PROMOTE_DUPLICATE;
        *place = r->value;
        i++;
    }
    assert_int_equal(i, n);
}

struct tidying {
    size_t promised;
    int64_t deleted;
};

static err tidy_body(struct ctx *c, void *arg)
{
    struct promise rows_promised[SESSIONS * KEYS + 1];
    struct tidying *t = arg;

    TRY(promote_queue_expired(c, SESSIONS * KEYS + 1, rows_promised, &t->promised));
    return promote_delete_expired(c, SESSIONS * KEYS + 1, &t->deleted);
}

static void tidy(void)
{
    struct tidying t, want = {0};

    for (int s = 0; s < SESSIONS; s++)
        for (int k = 0; k < KEYS; k++) {
            struct row *r = &rows[s][k];

            if (!r->exists || is_live(r) || (is_due(r) && r->state == PROMOTE_QUEUED))
                continue;
            want.promised += is_due(r);
            want.deleted += !is_due(r);
            if (is_due(r))
                r->state = PROMOTE_QUEUED;
            else
                *r = (struct row){0};
        }
    OK(db_tx(&test, tidy_body, &t));
    assert_int_equal(t.promised, want.promised);
    assert_int_equal(t.deleted, want.deleted);
    promised += (int64_t)t.promised;
    deleted += t.deleted;
}

static void compare(void)
{
    struct context x;
    int64_t live = 0;

    OK(context_ensure(&test, cast.id[ALICE], CONTEXT_LONG_TERM, &x));
    for (int k = 0; k < KEYS; k++) {
        struct entry e;

        live += entries[k].value >= 0;
        for (int s = 0; s < SESSIONS; s++)
            live += own[s][k] >= 0;
        if (entries[k].value < 0) {
            FAILS(entry_get(&test, x.context_id, key_of(0, k).key, &e), ERR_NOT_FOUND);
            continue;
        }
        OK(entry_get(&test, x.context_id, key_of(0, k).key, &e));
        assert_int_equal(json_opened(test.arena, e.content)->i, entries[k].value);
        for (int s = 0; s < SESSIONS; s++) {
            if (own[s][k] < 0)
                continue;
            OK(entry_get(&test, x.context_id, long_term_session_key(&test, key_of(s, k).key, key_of(s, k).session_id), &e));
            assert_int_equal(json_opened(test.arena, e.content)->i, own[s][k]);
        }
    }
    assert_int_equal(test_number("SELECT COUNT(*) FROM entry WHERE live = 1"), live);
    for (int s = 0; s < SESSIONS; s++)
        for (int k = 0; k < KEYS; k++)
            read_one(s, k, true);
}

static void step(struct instant begin)
{
    int s = roll(SESSIONS), k = roll(KEYS);

    test.now.us = begin.us + now * SECOND_US;
    switch (roll(14)) {
    case 0:
    case 1:
    case 2: write_one(s, k); break;
    case 3: refresh_one(s, k); break;
    case 4: read_one(s, k, true); break;
    case 5: now += roll(3) ? roll(60) : 400; break; /* now and then everything expires */
    case 6:
        if (!roll(3))
            promote_all();
        break;
    case 7: tidy(); break;
    default: read_one(s, k, false); break;
    }
}

static void the_model_agrees(void **unused)
{
    struct instant begin;

    (void)unused;
    act(ALICE);
    begin = test.now;
    for (int k = 0; k < KEYS; k++)
        entries[k].value = own[0][k] = own[1][k] = -1;
    dice = 20261118; /* the same steps each time */
    for (int i = 0; i < STEPS; i++) {
        test.deadline_us = 0;
        step(begin);
        test.now.us = begin.us + now * SECOND_US;
        if (i % 50 == 0)
            compare();
    }
    compare();
    assert_true(promised >= 10 && deleted >= 10 && promotions >= 10 && duplicates >= 10);
}

/* A failure is counted, told, and given up after five; then the row is kept for a week beyond its end. */
static void failures_end(void **unused)
{
    struct short_term_key at = {cast.id[BOB], NULL, "nothing"};
    struct tidying t;
    struct short_term s;
    enum promotion done;
    const char *why;
    bool found;

    (void)unused;
    act(BOB);
    OK(short_term_write(&test, &(struct short_term_new){.at = at, .value = json_new(test.arena, JSON_NULL)}, &s));
    for (int i = 0; i < SHORT_TERM_USES; i++)
        OK(short_term_read(&test, &at, false, &found, &s));
    for (int i = 1; i <= PROMOTE_ATTEMPTS; i++) {
        OK(promote_one(&test, &(struct promote_look){.id = s.id}, &done, &why));
        assert_int_equal(done, PROMOTION_FAILED);
        OK(short_term_read(&test, &at, true, &found, &s));
        assert_int_equal(s.promote_attempts, i);
        assert_string_equal(s.promote_error, why);
    }
    assert_int_equal(s.promote_state, PROMOTE_FAILED);
    OK(promote_one(&test, &(struct promote_look){.id = s.id}, &done, &why));
    assert_int_equal(done, PROMOTION_NONE);
    test.now.us = s.expires_at.us + (PROMOTE_FAILED_DAYS * DAY_US - SECOND_US);
    OK(db_tx(&test, tidy_body, &t));
    assert_int_equal(test_number("SELECT COUNT(*) FROM short_term_memory WHERE promote_state = 'failed'"), 1);
    test.now.us += 2 * SECOND_US;
    OK(db_tx(&test, tidy_body, &t));
    assert_int_equal(test_number("SELECT COUNT(*) FROM short_term_memory WHERE promote_state = 'failed'"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {CASE(the_model_agrees), CASE(failures_end)};

    return cmocka_run_group_tests_name("short_term", tests, graph_group_begins, graph_group_ends);
}
