/* Filters over snapshots of segments: against a plain list of the same nodes, through replacing, deleting and merging. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#undef fail /* err.h has one of its own */

#include "filter.h"
#include "mentions.h"
#include "str.h"

#define NODES 3000
#define SPACES 7
#define NOW 1000000

/* The oracle: a node is what was said of it last. */
struct truth {
    bool exists;
    unsigned space, kind, flags, tag, session, author;
    int64_t from, to, expires, created, known_from, known_to;
    float confidence;
};

static struct truth truth[NODES];
static const char *const KINDS[] = {"note", "episode", "fact", "tag", "chunk", "unknown kind"};
static struct arena *arena;
static uint64_t seed = 42;

static uint32_t dice(uint32_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % n;
}

static struct uuid id_of(unsigned i)
{
    struct uuid id = {{0x01, 0x02}};

    id.b[14] = (uint8_t)(i >> 8);
    id.b[15] = (uint8_t)i;
    return id;
}

static struct uuid space_of(unsigned i)
{
    return (struct uuid){{0x55, (uint8_t)(i * 7 + 1)}};
}

static struct truth any_truth(void)
{
    static const unsigned FLAGS[] = {0, 0, 0, 0, 0, ROW_ARCHIVED, ROW_FORGOTTEN, ROW_SUPERSEDED, ROW_VERSION, ROW_PINNED};

    return (struct truth){
        .exists = true, .space = dice(SPACES), .kind = dice(6), .flags = FLAGS[dice(10)], .tag = dice(4), .session = dice(5),
        .author = 1 + dice(3), .from = dice(3) ? 0 : dice(NOW), .to = dice(3) ? 0 : dice(2 * NOW),
        .expires = dice(8) ? 0 : 1 + dice(2 * NOW), .created = 1 + dice(NOW), .known_from = 1 + dice(NOW),
        .known_to = dice(4) ? 0 : dice(2 * NOW), .confidence = (float)dice(100) / 100};
}

static void add(struct segment_builder *b, unsigned i)
{
    const struct truth *t = &truth[i];
    struct json *attrs = json_obj(arena);
    struct json *tags = json_set(arena, attrs, "tags", json_arr(arena));

    json_push(tags, json_str(arena, arena_printf(arena, "t%u", t->tag)));
    if (t->session)
        json_set_str(arena, attrs, "session", arena_printf(arena, "s%u", t->session));
    segment_builder_add(b, &(struct index_row){
        .id = id_of(i), .space_id = space_of(t->space), .author_id = {{(uint8_t)t->author}}, .kind = KINDS[t->kind],
        .title = "", .body = arena_printf(arena, "Node Number%u of Berlin", i), .attrs = attrs, .flags = t->flags,
        .scores = {.importance = 0.5f, .confidence = t->confidence},
        .times = {.created = t->created, .valid_from = t->from, .valid_to = t->to, .expires = t->expires,
                  .known_from = t->known_from, .known_to = t->known_to}});
}

/* Some random nodes become others; as one segment. */
static struct segment *change_some(unsigned share)
{
    struct segment_builder *b = segment_builder_new(NULL);
    struct segment *s;

    for (unsigned i = 0; i < NODES; i++)
        if (dice(share) == 0) {
            truth[i] = any_truth();
            add(b, i);
        }
    s = segment_build(b);
    segment_builder_free(b);
    return s;
}

static struct snapshot *step(struct snapshot *s, unsigned share)
{
    struct uuid gone[NODES / 50];
    size_t n = 0;
    struct snapshot_change change = {.add = change_some(share), .gone = gone};
    struct snapshot *next;

    for (unsigned i = 0; i < NODES && n < NODES / 50; i++)
        if (dice(100) == 0) {
            truth[i].exists = false;
            gone[n++] = id_of(i);
        }
    change.n_gone = n;
    next = snapshot_next(s, &change);
    snapshot_drop(s);
    return next;
}

static bool passes(const struct truth *t, const struct filter_in *in, unsigned spaces)
{
    unsigned hidden = ROW_HIDDEN & ~in->include;

    if (in->as_known_at)
        hidden &= ~(unsigned)(ROW_VERSION | ROW_SUPERSEDED);
    if (in->as_of)
        hidden &= ~(unsigned)ROW_SUPERSEDED;
    if (!t->exists || !(spaces >> t->space & 1) || (t->flags & hidden))
        return false;
    if (in->kinds ? !(in->kinds >> segment_kind(KINDS[t->kind]) & 1) : t->kind == 3 || t->kind == 5)
        return false;
    if (t->expires && t->expires <= in->now)
        return false;
    if (in->as_of && ((t->from && t->from > in->as_of) || (t->to && t->to <= in->as_of)))
        return false;
    if (in->as_known_at && (t->known_from > in->as_known_at || (t->known_to && t->known_to <= in->as_known_at)))
        return false;
    if ((in->created_from && t->created < in->created_from) || (in->created_to && t->created >= in->created_to))
        return false;
    if (!uuid_is_nil(in->author) && in->author.b[0] != t->author)
        return false;
    if (in->session && (!t->session || in->session[1] != (char)('0' + t->session)))
        return false;
    if (in->n_facets && in->facets[0] != facet_key("tags", arena_printf(arena, "t%u", t->tag)))
        return false;
    return in->min_confidence <= (double)t->confidence;
}

static void compare(const struct snapshot *s, const struct filter_in *in, unsigned spaces)
{
    struct filter f;
    size_t n = 0;

    filter_make(arena, s, in, &f);
    for (unsigned i = 0; i < NODES; i++) {
        uint32_t row = snapshot_find(s, id_of(i));
        bool wanted = passes(&truth[i], in, spaces);

        assert_int_equal(row != NO_ROW, truth[i].exists);
        if (row == NO_ROW)
            continue;
        assert_true(uuid_eq(snapshot_id(s, row), id_of(i)));
        assert_int_equal(filter_has(&f, row), wanted);
        n += wanted;
    }
    assert_int_equal(f.count, n);
}

static void ask_all(const struct snapshot *s)
{
    struct uuid readable[SPACES];
    uint32_t facet = facet_key("tags", "t2");
    unsigned spaces = dice(1u << SPACES), n = 0;
    struct filter_in in = {.readable = readable, .now = NOW};

    for (unsigned i = 0; i < SPACES; i++)
        if (spaces >> i & 1)
            readable[n++] = space_of(i);
    in.n_readable = n;
    compare(s, &in, spaces);
    in.include = dice(16);
    in.kinds = 1ull << segment_kind(KINDS[dice(6)]) | 1ull << segment_kind("note");
    compare(s, &in, spaces);
    in.as_of = 1 + dice(NOW);
    compare(s, &in, spaces);
    in.as_known_at = 1 + dice(NOW);
    compare(s, &in, spaces);
    in = (struct filter_in){.readable = readable, .n_readable = n, .now = NOW, .min_confidence = 0.5, .session = "s3"};
    compare(s, &in, spaces);
    in = (struct filter_in){.readable = readable, .n_readable = n, .now = NOW, .facets = &facet, .n_facets = 1};
    in.author = (struct uuid){{2}};
    compare(s, &in, spaces);
    in.created_from = NOW / 4;
    in.created_to = NOW / 2;
    compare(s, &in, spaces);
    in = (struct filter_in){.readable = readable, .n_readable = n, .now = NOW, .spaces = readable, .n_spaces = n ? 1 : 0};
    if (n)
        compare(s, &in, spaces & -spaces);
    arena_reset(arena);
}

static void filters_find_what_a_plain_list_finds(void **state)
{
    struct snapshot *s = snapshot_new((struct uuid){{0}}, NULL), *then, *next;
    size_t places[SNAPSHOT_MERGE_MAX], rows, n, merges = 0;
    struct segment *merged;

    (void)state;
    for (unsigned round = 0; round < 60; round++) {
        s = step(s, round == 0 ? 1 : 1 + dice(400));
        if (round % 4 == 0)
            ask_all(s);
        n = snapshot_plan(s, DENSE_CELLS_FROM, places, &rows);
        if (!n)
            continue;
        then = snapshot_hold(s);
        merged = snapshot_merge(then, DENSE_CELLS_FROM, places, n);
        s = step(s, 200); /* what changes while it is merged */
        next = snapshot_replace(s, then, places, n, merged);
        assert_non_null(next);
        snapshot_drop(then);
        snapshot_drop(s);
        s = next;
        merges++;
        ask_all(s);
    }
    assert_true(merges > 2);
    assert_true(s->n_segments < 16);
    snapshot_drop(s);
}

static void nothing_readable_is_nothing(void **state)
{
    struct snapshot *s = snapshot_new((struct uuid){{0}}, NULL);
    struct filter f;

    (void)state;
    filter_make(arena, s, &(struct filter_in){.now = NOW}, &f);
    assert_int_equal(f.count, 0);
    s = step(s, 1);
    filter_make(arena, s, &(struct filter_in){.now = NOW}, &f);
    assert_int_equal(f.count, 0);
    snapshot_drop(s);
}

static void names_go_with_their_rows(void **state)
{
    struct snapshot *s = snapshot_new((struct uuid){{0}}, NULL);
    const struct segment *g;
    uint32_t berlin;

    (void)state;
    s = step(s, 1);
    g = s->segments[0];
    berlin = segment_find_entity(g, mention_key("berlin", 6));
    assert_int_not_equal(berlin, NO_ROW);
    assert_string_equal(g->names + g->entity_name[berlin], "berlin");
    assert_int_equal(g->entity_at[berlin + 1] - g->entity_at[berlin], g->n);
    assert_int_equal(segment_find_entity(g, mention_key("hamburg", 7)), NO_ROW);
    snapshot_drop(s);
}

static int begins(void **state)
{
    (void)state;
    arena = arena_new(256u * 1024 * 1024);
    return 0;
}

static int ends(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filters_find_what_a_plain_list_finds),
        cmocka_unit_test(nothing_readable_is_nothing),
        cmocka_unit_test(names_go_with_their_rows),
    };

    return cmocka_run_group_tests(tests, begins, ends);
}
