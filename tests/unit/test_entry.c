/* Entries against a simple model: random writes, archives, reverts and snapshots, and the one formula of their scores. */
#include "graphtest.h"

#include <math.h>
#include <string.h>

#include "context.h"
#include "context_snapshot.h"
#include "entry.h"
#include "random.h"
#include "relevance.h"

#define KEYS 6
#define STEPS 400

static uint64_t seed = 20261118;

static int dice(int n)
{
    return (int)(random_next(&seed) % (uint64_t)n);
}

static double chance(void)
{
    return (double)(random_next(&seed) >> 11) / 9007199254740992.0;
}

/* Its handle outlives the request. */
static struct context a_context(void)
{
    static char handle[CONTEXT_HANDLE];
    struct context x;

    OK(context_create(&test, &(struct context_new){.name = "c", .scope = CONTEXT_OF_AGENT}, &x));
    snprintf(handle, sizeof handle, "%s", x.context_id);
    x.context_id = handle;
    return x;
}

static struct entry put(const struct context *x, const char *key, int value, int type)
{
    struct entry_new n = {ENTRY_NEW_DEFAULTS, .entry_key = key, .content = json_int(test.arena, value)};
    struct entry e;

    n.entry_type = type;
    OK(entry_put(&test, x->context_id, &n, &e));
    return e;
}

/* ---- scores */

static void scores_are_importance_confidence_and_recency(void **state)
{
    (void)state;
    act(ALICE);
    for (int i = 0; i < 5000; i++) {
        double importance = chance(), confidence = chance(), rate = dice(5) ? chance() * 0.2 : 0, days = chance() * 400;
        struct node n = {.kind = "entry", .importance = importance, .confidence = confidence, .decay_rate = rate,
                         .decayed_at = {test.now.us - (int64_t)(days * (double)DAY_US)}, .is_pinned = dice(8) == 0};
        double faded = n.is_pinned ? 1 : exp(-rate * days);

        assert_true(fabs(relevance_score(&test, &n) - importance * confidence * faded) <= 0.00005001);
    }
}

static void lists_go_by_what_answers_show(void **state)
{
    struct context x;
    struct page page;
    double before = 2;

    (void)state;
    act(ALICE);
    x = a_context();
    for (int i = 0; i < 60; i++) {
        struct entry_new n = {.entry_type = ENTRY_OBSERVATION, .memory_type = -1, .content = json_int(test.arena, i),
                              .importance_score = chance(), .confidence_score = chance(), .decay_rate = chance() * 0.1,
                              .is_pinned = dice(6) == 0};
        struct entry e;

        n.entry_key = arena_printf(test.arena, "k%d", i);
        OK(entry_put(&test, x.context_id, &n, &e));
    }
    days_pass(17);
    act(ALICE);
    OK(entry_list(&test, x.context_id, &(struct entry_filter){.entry_type = -1, .memory_type = -1, .order = ENTRY_BY_RELEVANCE,
                                                              .limit = 100}, &page));
    assert_int_equal(page.n, 60);
    for (size_t i = 0; i < page.n; i++) {
        const struct entry *e = (const struct entry *)page.items + i;

        assert_true(e->effective_relevance_score <= before + 0.0001);
        before = e->effective_relevance_score;
    }
}

/* ---- against a model */

struct model {
    int value[KEYS];         /* 0: no live entry under the key */
    struct uuid aside[KEYS]; /* an archived or forgotten one */
    int aside_value[KEYS];
};

static const char *key_of(int k)
{
    return arena_printf(test.arena, "key %d", k);
}

static int type_of(int k)
{
    return k % 2 ? ENTRY_FACT : ENTRY_PLAN;
}

static void compare(const struct context *x, const struct model *m)
{
    struct context now;
    int64_t live = 0, bytes = 0;

    for (int k = 0; k < KEYS; k++) {
        struct entry e;

        if (!m->value[k]) {
            FAILS(entry_get(&test, x->context_id, key_of(k), &e), ERR_NOT_FOUND);
            continue;
        }
        OK(entry_get(&test, x->context_id, key_of(k), &e));
        assert_int_equal(strtol(e.content->s, NULL, 10), m->value[k]);
        assert_string_equal(e.content_text, e.content->s);
        live++;
        bytes += (int64_t)strlen(e.content->s);
    }
    OK(context_get(&test, x->context_id, &now));
    assert_int_equal(now.entry_count, live);
    assert_int_equal(now.data_size_bytes, bytes);
}

/* Takes away the entry, and remembers it unless another is remembered. */
static void put_aside(const struct context *x, struct model *m, int k, bool forget)
{
    struct entry e;

    OK(entry_get(&test, x->context_id, key_of(k), &e));
    if (forget)
        OK(entry_forget(&test, x->context_id, key_of(k), 0));
    else
        OK(entry_archive(&test, x->context_id, key_of(k), true, 0, &e));
    m->aside[k] = e.id;
    m->aside_value[k] = m->value[k];
    m->value[k] = 0;
}

static void bring_back(const struct context *x, struct model *m, int k)
{
    const char *id = arena_strdup(test.arena, UUID_STR(m->aside[k]));
    struct entry e;

    if (m->value[k]) {
        FAILS(entry_archive(&test, x->context_id, id, false, 0, &e), ERR_CONFLICT);
        return;
    }
    OK(entry_archive(&test, x->context_id, id, false, 0, &e));
    m->value[k] = m->aside_value[k];
    m->aside[k] = (struct uuid){{0}};
}

static void write_one(const struct context *x, struct model *m, int k)
{
    int value = 1 + dice(500);
    struct entry e = put(x, key_of(k), value, type_of(k));

    assert_int_equal(e.created, m->value[k] == 0);
    assert_int_equal(e.changed, m->value[k] != value);
    m->value[k] = value;
}

static void undo(const struct context *x, struct model *m, int k)
{
    struct page page;
    struct entry e;

    OK(entry_history(&test, x->context_id, key_of(k), 100, NULL, &page));
    if (!page.n)
        return;
    const struct entry *old = (const struct entry *)page.items + dice((int)page.n);
    int value = (int)strtol(old->content->s, NULL, 10);

    OK(entry_revert(&test, x->context_id, key_of(k), old->version, 0, &e));
    assert_int_equal(e.changed, m->value[k] != value);
    m->value[k] = value;
}

static void any_order_of_writes_ends_where_the_model_does(void **state)
{
    struct context_snapshot taken = {0};
    struct context_restored restored;
    struct model m = {0}, then = {0};
    struct context x;

    (void)state;
    act(ALICE);
    x = a_context();
    for (int i = 0; i < STEPS; i++) {
        int k = dice(KEYS), what = dice(20);

        act(ALICE);
        if (what < 9)
            write_one(&x, &m, k);
        else if (what < 12 && m.value[k])
            put_aside(&x, &m, k, what == 11);
        else if (what < 14 && !uuid_is_nil(m.aside[k]))
            bring_back(&x, &m, k);
        else if (what < 17 && m.value[k])
            undo(&x, &m, k);
        else if (what == 17) {
            if (!uuid_is_nil(taken.id))
                OK(context_snapshot_delete(&test, x.context_id, taken.id));
            OK(context_snapshot_create(&test, x.context_id, "s", &taken));
            then = m;
        } else if (what == 18 && !uuid_is_nil(taken.id)) {
            OK(context_snapshot_restore(&test, x.context_id, taken.id, &restored));
            assert_int_equal(restored.missing_erased, 0);
            memcpy(m.value, then.value, sizeof m.value);
            memset(m.aside, 0, sizeof m.aside);
        }
        compare(&x, &m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_are_importance_confidence_and_recency),
        cmocka_unit_test(lists_go_by_what_answers_show),
        cmocka_unit_test(any_order_of_writes_ends_where_the_model_does),
    };

    return cmocka_run_group_tests(tests, graph_group_begins, graph_group_ends);
}
