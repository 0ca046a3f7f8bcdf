/* Words over snapshots: what the caller may not read changes nothing, segments and what died in them do not
   either, a rare identifier comes first, turns are found by who said them and when, names of skills as they
   are written, and other languages. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#undef fail /* err.h has one of its own */

#include "app.h"
#include "keyword.h"
#include "recall_tools.h"
#include "small_world.h"

#define MINE 1u /* space 0 */
#define TURNS 600

static uint64_t seed = 7;

static uint32_t dice(uint32_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % n;
}

static struct app app;

static struct ctx ctx_of(struct small_world *w)
{
    return (struct ctx){.arena = w->arena, .app = &app};
}

static const char *a_text(struct small_world *w)
{
    static const char *const WORDS[] = {"river", "the", "stone", "Anna", "walks", "over", "ERR_X", "wi-fi", "2023-05-08", "not",
                                        "running", "Köln", "東京", "bridge", "quota", "v1.2"};
    struct buf b;

    buf_init(&b, w->arena, 200);
    for (uint32_t i = 1 + dice(12); i > 0; i--)
        buf_printf(&b, "%s ", WORDS[dice(1 + dice(sizeof WORDS / sizeof *WORDS))]);
    return buf_str(&b);
}

/* Every hit, its score, and why, as text: node ids, not rows. */
static const char *answer(struct small_world *w, unsigned spaces, const char *query, size_t k)
{
    struct ctx c = ctx_of(w);
    struct filter f = world_filter(w, spaces);
    struct keyword *q = keyword_begin(&c, w->snapshot, &f, &f, query);
    struct keyword_hits hits;
    struct buf b;

    keyword_find(q, k, &hits);
    buf_init(&b, w->arena, 1000);
    for (size_t i = 0; i < hits.n; i++) {
        struct uuid id = snapshot_id(w->snapshot, hits.at[i].row);
        struct scored again = {.row = hits.at[i].row};

        keyword_score(q, &again, 1);
        assert_true(again.score == hits.at[i].score);
        buf_printf(&b, "%u %a %s\n", id.b[13] * 65536u + id.b[14] * 256u + id.b[15], (double)hits.at[i].score,
                   json_text(w->arena, keyword_explain(q, hits.at[i].row)));
    }
    return buf_str(&b);
}

static long first(struct small_world *w, const char *query)
{
    const char *text = answer(w, MINE, query, 1);

    return *text ? strtol(text, NULL, 10) : -1;
}

static const char *const QUERIES[] = {
    "Anna walks over the river", "\"the river\" -quota", "+quota stone", "wi-fi ERR_X", "run*", "the not", "東京 bridge",
    "8 May 2023", "title:river stone", "köln", "v1.2", "nothing of this",
};

/* The same nodes of one space: alone, and among those of others, with languages of their own, in more segments, some
 * replaced and some gone. */
static void what_is_hidden_changes_nothing(void **state)
{
    struct small_world alone = world_new(), among = world_new();

    (void)state;
    for (unsigned i = 0; i < TURNS; i++) {
        const char *title = dice(3) ? "" : a_text(&alone), *body = a_text(&alone);

        world_add(&alone, i, 0, title, body, NULL, 0);
        if (i % 5 == 0) { /* written over below */
            world_add(&among, i, 0, "", a_text(&alone), NULL, 0);
            world_seal(&among);
        }
        segment_builder_language(among.rows, world_space(3), "de");
        world_add(&among, 100000 + i, 1 + dice(3), a_text(&alone), a_text(&alone), NULL, 0);
        if (i % 97 == 0)
            world_seal(&among);
        world_add(&among, i, 0, title, body, NULL, 0);
    }
    world_seal(&alone);
    world_seal(&among);
    assert_true(among.snapshot->n_segments > 5);
    for (size_t i = 0; i < sizeof QUERIES / sizeof *QUERIES; i++) {
        assert_string_equal(answer(&alone, MINE, QUERIES[i], 50), answer(&among, MINE, QUERIES[i], 50));
        assert_string_equal(answer(&alone, MINE, QUERIES[i], 50), answer(&among, MINE, QUERIES[i], 50)); /* remembered */
    }
    assert_string_not_equal(answer(&alone, MINE, QUERIES[0], 50), answer(&among, MINE | 2, QUERIES[0], 50));
    world_free(&alone);
    world_free(&among);
}

static void merged_segments_answer_alike(void **state)
{
    struct small_world w = world_new();
    const char *before[sizeof QUERIES / sizeof *QUERIES];
    size_t places[SNAPSHOT_MERGE_MAX], n, rows;
    struct snapshot *next;

    (void)state;
    for (unsigned i = 0; i < TURNS; i++) {
        world_add(&w, i, i % 2, "", a_text(&w), NULL, 0);
        if (i % 60 == 59)
            world_seal(&w);
    }
    for (size_t i = 0; i < sizeof QUERIES / sizeof *QUERIES; i++)
        before[i] = answer(&w, MINE, QUERIES[i], 50);
    n = snapshot_plan(w.snapshot, SIZE_MAX, places, &rows);
    assert_true(n > 5);
    next = snapshot_replace(w.snapshot, w.snapshot, places, n, snapshot_merge(w.snapshot, SIZE_MAX, places, n));
    assert_non_null(next);
    snapshot_drop(w.snapshot);
    w.snapshot = next;
    for (size_t i = 0; i < sizeof QUERIES / sizeof *QUERIES; i++)
        assert_string_equal(answer(&w, MINE, QUERIES[i], 50), before[i]);
    world_free(&w);
}

static void a_rare_identifier_is_first(void **state)
{
    struct small_world w = world_new();

    (void)state;
    for (unsigned i = 0; i < TURNS; i++)
        world_add(&w, i, 0, i % 2 ? "quota errors" : "", "error quota 93 exceeded, error of the quota", NULL, 0);
    world_add(&w, 5000, 0, "", "in the log of the night there was ERR_QUOTA_93 and nothing else that would help anybody", NULL, 0);
    world_seal(&w);
    assert_int_equal(first(&w, "what does ERR_QUOTA_93 mean? error quota exceeded"), 5000);
    assert_int_equal(first(&w, "err_quota_93"), 5000);
    assert_int_equal(first(&w, "+ERR_QUOTA_93"), 5000);
    world_free(&w);
}

/* ---- what of a node is indexed */

static void add_node(struct small_world *w, unsigned i, struct index_row row, const char *attrs)
{
    struct json *parsed;
    const char *why;

    assert_int_equal(json_parse(w->arena, attrs, strlen(attrs), &parsed, &why), JSON_OK);
    row.id = world_id(i);
    row.space_id = uuid_is_nil(row.space_id) ? world_space(0) : row.space_id;
    row.title = row.title ? row.title : "";
    row.attrs = parsed;
    row.times.created = row.times.created ? row.times.created : 1;
    segment_builder_add(w->rows, &row);
}

static void nodes_are_found_by_all_they_say(void **state)
{
    const int64_t may_2023 = 1683550560000000; /* 8 May 2023 */
    struct small_world w = world_new();

    (void)state;
    add_node(&w, 1, (struct index_row){.kind = "episode", .body = "I went hiking", .times = {.valid_from = may_2023}},
             "{\"speaker\":\"Caroline\"}");
    add_node(&w, 2, (struct index_row){.kind = "episode", .body = "Melanie: me too", .times = {.created = may_2023}},
             "{\"speaker\":\"Melanie\"}");
    add_node(&w, 3, (struct index_row){.kind = "note", .body = "no turn", .times = {.valid_from = may_2023}}, "{}");
    add_node(&w, 4, (struct index_row){.kind = "note", .body = "tagged"}, "{\"tags\":[\"ice-cream\",5,\"summer\"]}");
    add_node(&w, 5, (struct index_row){.kind = "skill", .title = "Who Runs It", .body = "finds owners"},
             "{\"triggers\":[\"who is in charge\"]}");
    add_node(&w, 6, (struct index_row){.kind = "note", .title = "Running", .body = "about jogging"}, "{}");
    add_node(&w, 7, (struct index_row){.kind = "chunk", .body = "die Häuser am Fluss"}, "{\"language\":\"de\"}");
    segment_builder_language(w.rows, world_space(4), "french");
    add_node(&w, 8, (struct index_row){.kind = "chunk", .body = "elles mangeaient", .space_id = world_space(4)}, "{}");
    add_node(&w, 9, (struct index_row){.kind = "chunk", .body = "elles mangeaient encore", .space_id = world_space(4)},
             "{\"language\":\"xx\"}");
    world_seal(&w);
    assert_int_equal(first(&w, "What did Caroline do?"), 1);
    assert_int_equal(first(&w, "Caroline 8 May 2023"), 1);
    assert_int_equal(first(&w, "+May +2023 -Caroline"), 2);
    assert_int_equal(first(&w, "+May +2023 -Caroline -Melanie"), -1);
    assert_int_equal(first(&w, "ice cream"), 4);
    assert_int_equal(first(&w, "summer"), 4);
    assert_int_equal(first(&w, "+title:\"who runs it\""), 5); /* a name has no stop words and no stems */
    assert_int_equal(first(&w, "in charge"), 5);
    assert_int_equal(first(&w, "run"), 6);
    assert_int_equal(first(&w, "haus"), 7);
    assert_int_equal(first(&w, "HÄUSERN"), 7);
    assert_string_equal(answer(&w, MINE, "mangeait", 5), "");
    assert_true(strtol(answer(&w, 1u << 4, "mangeait", 5), NULL, 10) == 8);
    assert_true(strtol(answer(&w, 1u << 4, "+mangeaient +encore", 5), NULL, 10) == 9);
    world_free(&w);
}

/* Rows that a query leaves in a filter. */
static size_t left(struct small_world *w, const char *query, uint32_t only)
{
    struct ctx c = ctx_of(w);
    struct filter f = world_filter(w, MINE), all = f;
    size_t n = 0;

    keyword_narrow(&c, w->snapshot, &all, query, &f);
    for (uint32_t row = 0; row < w->snapshot->n_rows; row++)
        n += filter_has(&f, row);
    assert_int_equal(n, f.count);
    assert_true(n != 1 || only == 0 || filter_has(&f, world_row(w, only)));
    return n;
}

static void what_is_demanded_holds_for_every_signal(void **state)
{
    struct small_world w = world_new();

    (void)state;
    for (unsigned i = 1; i <= 70; i++)
        world_add(&w, i, 0, "", "the red house", NULL, 0);
    world_seal(&w);
    world_add(&w, 71, 0, "", "a blue house", NULL, 0);
    world_add(&w, 72, 1, "", "a blue house of others", NULL, 0);
    world_add(&w, 73, 0, "", "", NULL, 0);
    world_seal(&w);
    assert_int_equal(left(&w, "house", 0), 72);
    assert_int_equal(left(&w, "well-built house - or not", 0), 72);
    assert_int_equal(left(&w, "+house", 0), 71);
    assert_int_equal(left(&w, "house -red +house", 71), 1);
    assert_int_equal(left(&w, "house -\"red house\"", 0), 2);
    assert_int_equal(left(&w, "house −red −blue", 73), 1);
    assert_int_equal(left(&w, "+nowhere house", 0), 0);
    world_free(&w);
}

/* Rows found by the words of a text. */
static size_t found_by_text(struct small_world *w, const char *text)
{
    struct ctx c = ctx_of(w);
    struct filter f = world_filter(w, MINE);
    struct keyword *q = keyword_begin_text(&c, w->snapshot, &f, &f, text);
    struct keyword_hits hits;

    keyword_find(q, 10, &hits);
    return hits.n;
}

static void a_text_has_no_operators(void **state)
{
    static const char *const TEXTS[] = {"house −red", "house -red", "house +nowhere", "house \"nowhere at all\"", "“nowhere” house",
                                        "title:house", "title:\"house\" +red −house", "+house", "−house", "«the house»"};
    struct small_world w = world_new();

    (void)state;
    world_add(&w, 1, 0, "", "the red house", NULL, 0);
    world_add(&w, 2, 0, "", "a blue house, ERR-42", NULL, 0);
    world_seal(&w);
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        if (found_by_text(&w, TEXTS[i]) != 2)
            print_error("%s\n", TEXTS[i]);
        assert_int_equal(found_by_text(&w, TEXTS[i]), 2);
    }
    assert_int_equal(found_by_text(&w, "hous*"), 2);   /* a stem, no prefix … */
    assert_int_equal(found_by_text(&w, "blu* r*"), 0); /* … and here neither */
    assert_int_equal(found_by_text(&w, "ERR-42"), 1);
    assert_int_equal(found_by_text(&w, "the"), 1); /* stop words alone */
    assert_int_equal(found_by_text(&w, ""), 0);
    world_free(&w);
}

/* Of a text that a message quotes the message has all the words; its title is not what was said. */
static void quoted_texts_are_known(void **state)
{
    struct small_world w = world_new();
    struct ctx c = ctx_of(&w);
    struct scored list[3];
    struct keyword *q;
    struct filter f;

    (void)state;
    world_add(&w, 1, 0, "Monday", "the red house by the river was sold", NULL, 0);
    world_add(&w, 2, 0, "", "a red house burns", NULL, 0);
    world_add(&w, 3, 0, "", "nothing of the kind", NULL, 0);
    world_seal(&w);
    f = world_filter(&w, MINE);
    q = keyword_begin(&c, w.snapshot, &f, &f, "Anna: the red house by the river was sold\nWho lives there now?");
    for (unsigned i = 0; i < 3; i++)
        list[i].row = world_row(&w, i + 1);
    keyword_said(q, list, 3);
    assert_true(fabsf(list[0].score - 1) < 1e-6F);
    assert_true(list[1].score > 0.5F && list[1].score < 0.8F);
    assert_true(list[2].score < 1e-6F);
    world_free(&w);
}

static void any_query_is_answered(void **state)
{
    struct small_world w = world_new();
    char *longest = calloc(1, 4 * 4096 + 1);

    (void)state;
    world_add(&w, 1, 0, "", "to be or not to be 🎉", NULL, 0);
    assert_string_equal(answer(&w, MINE, "be", 5), ""); /* nothing was sealed yet */
    world_seal(&w);
    assert_int_equal(first(&w, "to be or not to be"), 1);
    assert_int_equal(first(&w, "or"), 1);
    assert_int_equal(first(&w, "🎉"), 1);
    assert_int_equal(first(&w, "?"), -1);
    assert_int_equal(first(&w, ""), -1);
    assert_string_equal(answer(&w, 2, "be", 5), ""); /* may read nothing */
    for (size_t i = 0; i < 4096; i++)
        memcpy(longest + 4 * i, i % 7 ? "🎉" : "\"be ", 4);
    assert_int_equal(first(&w, longest), 1);
    free(longest);
    world_free(&w);
}

static int begin(void **state)
{
    (void)state;
    app.recall_tools = recall_tools_new();
    return 0;
}

static int end(void **state)
{
    (void)state;
    recall_tools_free(app.recall_tools);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_hidden_changes_nothing),
        cmocka_unit_test(merged_segments_answer_alike),
        cmocka_unit_test(a_rare_identifier_is_first),
        cmocka_unit_test(nodes_are_found_by_all_they_say),
        cmocka_unit_test(what_is_demanded_holds_for_every_signal),
        cmocka_unit_test(a_text_has_no_operators),
        cmocka_unit_test(quoted_texts_are_known),
        cmocka_unit_test(any_query_is_answered),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
