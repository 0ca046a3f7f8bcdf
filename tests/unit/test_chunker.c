/* Chunkers: laws that hold for random texts in many scripts, a slow second implementation of the cuts, edits, and changes of subject. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#undef fail /* ours is another one */

#include "chunker.h"
#include "ctx.h"
#include "str.h"

static struct ctx test;
static uint64_t seed;

static int begin(void **state)
{
    (void)state;
    test = (struct ctx){.arena = request_arena_new()};
    seed = 20261120;
    return 0;
}

static int end(void **state)
{
    (void)state;
    arena_free(test.arena);
    return 0;
}

static size_t below(size_t n)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (size_t)((seed >> 33) % n);
}

/* ---- random texts */

static const char *const WORDS[12][4] = {
    {"harbour", "tide", "of", "pilot"},   {"Hafen", "über", "Straße", "Flut"}, {"гавань", "прилив", "и", "лоцман"},
    {"λιμάνι", "το", "παλίρροια", "ναυς"}, {"नौका", "ज्वार", "का", "घाट"},        {"ميناء", "مد", "في", "سفينة"},
    {"נמל", "גאות", "של", "אוניה"},       {"港口", "潮汐", "引航员", "船"},      {"みなと", "潮", "パイロット", "ふね"},
    {"항구", "조수", "의", "배"},          {"ท่าเรือ", "น้ำขึ้น", "เรือ", "ลม"},    {"naïve", "😀", "e\xcc\x81", "ﬁ"}};
static const char *const STOPS[] = {". ", "! ", "? ", ", ", "; ", "。", "\n", "\n\n", "…\n", ".) "};

static const char *random_text(size_t n_words, bool is_markdown)
{
    struct buf b;
    size_t script = below(12);

    buf_init(&b, test.arena, 1024);
    for (size_t i = 0; i < n_words; i++) {
        if (is_markdown && below(40) == 0)
            buf_printf(&b, "\n%.*s Heading %zu\n", (int)(1 + below(4)), "####", i);
        if (is_markdown && below(120) == 0)
            buf_puts(&b, "\n```\nint x = 1;\n\n# no heading\n```\n");
        buf_puts(&b, WORDS[below(10) ? script : below(12)][below(4)]);
        buf_puts(&b, below(8) ? " " : STOPS[below(sizeof STOPS / sizeof *STOPS)]);
        if (below(200) == 0)
            for (size_t k = below(900); k; k--)
                buf_putc(&b, 'x');
    }
    return buf_str(&b);
}

static struct list cut(const char *text, struct chunk_settings s)
{
    struct list out = {0};

    assert_int_equal(chunker_cut(&test, text, strlen(text), &s, &out), ERR_OK);
    return out;
}

/* ---- laws */

static bool is_white_space_between(const char *text, size_t from, size_t to)
{
    for (; from < to; from++)
        if (!strchr(" \t\n\r\f\v", text[from]))
            return false;
    return true;
}

static void check_laws(const char *text, const struct list *cuts, const struct chunk_settings *s)
{
    const struct chunk_cut *v = cuts->v;
    size_t at = 0;

    for (size_t i = 0; i < cuts->n; i++) {
        size_t own = v[i].start + v[i].overlap;

        assert_true(v[i].start <= own && own < v[i].end && v[i].end <= strlen(text));
        assert_true(own >= at && is_white_space_between(text, at, own)); /* without overlaps they are the whole text */
        assert_true(str_is_utf8(text + v[i].start, v[i].end - v[i].start));
        assert_true(str_is_utf8(text + own, v[i].end - own));
        assert_true((int64_t)str_code_points(text + v[i].start, v[i].end - v[i].start) <= s->size);
        assert_true((int64_t)str_code_points(text + v[i].start, v[i].overlap) <= s->overlap);
        assert_true(i == 0 || v[i].start >= v[i - 1].start);
        at = v[i].end;
    }
    assert_true(is_white_space_between(text, at, strlen(text)));
}

static void random_texts_keep_the_laws(void **state)
{
    (void)state;
    for (int i = 0; i < 1000; i++) {
        int64_t size = 200 + (int64_t)below(1800);
        struct chunk_settings s = {.strategy = below(2) ? CHUNKING_SEMANTIC : CHUNKING_RECURSIVE, .size = size,
                                   .overlap = (int64_t)below((size_t)size / 2 + 1), .is_markdown = below(2)};
        const char *text = random_text(below(1500), s.is_markdown);
        struct list a = cut(text, s), b = cut(arena_strdup(test.arena, text), s);

        check_laws(text, &a, &s);
        assert_int_equal(a.n, b.n);
        for (size_t k = 0; k < a.n; k++)
            assert_true(((struct chunk_cut *)a.v)[k].start == ((struct chunk_cut *)b.v)[k].start &&
                        ((struct chunk_cut *)a.v)[k].end == ((struct chunk_cut *)b.v)[k].end);
        arena_reset(test.arena);
    }
}

/* ---- the oracle: cuts of plain ASCII text, one character at a time, each place judged by itself */

static bool is_space(char ch)
{
    return ch == ' ' || ch == '\n';
}

static bool line_is_blank_above(const char *t, size_t p)
{
    size_t i = p - 1;

    while (i > 0 && t[i - 1] != '\n' && is_space(t[i - 1]))
        i--;
    return i == 0 || t[i - 1] == '\n';
}

static int oracle_rank(const char *t, size_t p)
{
    size_t before = p;

    if (is_space(t[p]))
        return p > 0 && t[p - 1] == '\n' && t[p] == ' ' ? -1 : CUT_NONE; /* -1: an indented line, which the texts do not have */
    if (t[p - 1] == '\n')
        return line_is_blank_above(t, p) ? CUT_BLANK : CUT_LINE;
    if (!is_space(t[p - 1]))
        return CUT_CHARACTER;
    while (before > 0 && (t[before - 1] == ' ' || t[before - 1] == ')'))
        before--;
    if (before > 0 && strchr(".!?", t[before - 1]))
        return t[p] >= 'a' && t[p] <= 'z' ? CUT_WORD : CUT_SENTENCE;
    return before > 0 && strchr(",;:", t[before - 1]) ? CUT_CLAUSE : CUT_WORD;
}

static uint64_t oracle_tie(const char *t, size_t n, size_t p)
{
    size_t from = p < 24 ? 0 : p - 24, to = p + 24 > n ? n : p + 24;

    return hash_bytes(t + from, to - from, 0);
}

static size_t oracle_cut(const char *t, size_t n, size_t from, size_t core)
{
    size_t best = from + core;

    if (from + core >= n)
        return n;
    for (size_t p = from + core; p > from + core / 2; p--) {
        int a = oracle_rank(t, p), b = oracle_rank(t, best);

        if (a > b || (a == b && a > CUT_NONE && oracle_tie(t, n, p) < oracle_tie(t, n, best)))
            best = p;
    }
    return best;
}

static size_t oracle_overlap(const char *t, size_t from, size_t at, size_t overlap)
{
    size_t low = at - from > overlap ? at - overlap : from;

    for (int rank = CUT_SENTENCE; rank >= CUT_WORD; rank -= CUT_SENTENCE - CUT_WORD)
        for (size_t p = low; p < at; p++)
            if (p > 0 && oracle_rank(t, p) >= rank)
                return p;
    return at;
}

static const char *plain_text(size_t n_words)
{
    static const char *const SIGNS[] = {". ", "! ", ", ", "; ", "\n", "\n\n", ".) "};
    struct buf b;

    buf_init(&b, test.arena, 1024);
    for (size_t i = 0; i < n_words; i++) {
        buf_printf(&b, "%s%zu", below(3) ? "word" : "Name", below(50));
        buf_puts(&b, below(7) && i + 1 < n_words ? " " : i + 1 < n_words ? SIGNS[below(7)] : "");
    }
    return buf_str(&b);
}

static void cuts_are_those_of_the_oracle(void **state)
{
    (void)state;
    for (int i = 0; i < 300; i++) {
        const char *t = plain_text(20 + below(600));
        struct chunk_settings s = {.size = 200 + (int64_t)below(400), .overlap = (int64_t)below(100)};
        size_t n = strlen(t), core = (size_t)(s.size - s.overlap), over = 0, k = 0;
        struct list cuts = cut(t, s);

        for (size_t from = 0, to; from < n; from = to, k++) {
            size_t start = over, own = from, stop;

            stop = to = oracle_cut(t, n, from, core);
            while (stop > own && is_space(t[stop - 1]))
                stop--;
            assert_true(k < cuts.n);
            while (is_space(t[start]))
                start++;
            assert_int_equal(((struct chunk_cut *)cuts.v)[k].start, start);
            assert_int_equal(((struct chunk_cut *)cuts.v)[k].end, stop);
            over = to < n ? oracle_overlap(t, from, to, (size_t)s.overlap) : to;
        }
        assert_int_equal(k, cuts.n);
        arena_reset(test.arena);
    }
}

/* ---- edits */

static size_t new_chunks(const char *old, const struct list *a, const char *now, const struct list *b)
{
    const struct chunk_cut *x = a->v, *y = b->v;
    size_t fresh = 0;

    for (size_t i = 0; i < b->n; i++) {
        bool same = false;

        for (size_t k = 0; k < a->n && !same; k++)
            same = y[i].end - y[i].start == x[k].end - x[k].start && !memcmp(now + y[i].start, old + x[k].start, y[i].end - y[i].start);
        fresh += !same;
    }
    return fresh;
}

static void a_changed_word_makes_few_new_chunks(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        struct chunk_settings s = {.strategy = i % 2 ? CHUNKING_SEMANTIC : CHUNKING_RECURSIVE, .size = 500, .overlap = 100};
        const char *old = plain_text(11000), *second = strstr(old + 40, " ");
        const char *now = arena_printf(test.arena, "%.*s changed%s", (int)(second - old), old, second);
        struct list a = cut(old, s), b = cut(now, s);

        assert_true(a.n > 150);
        assert_true(new_chunks(old, &a, now, &b) <= 8);
        arena_reset(test.arena);
    }
}

/* ---- structure */

static void headings_fences_and_tables(void **state)
{
    struct chunk_settings s = {.size = 300, .overlap = 0, .is_markdown = true};
    struct buf b;
    struct list cuts;
    const struct chunk_cut *v;

    (void)state;
    buf_init(&b, test.arena, 4096);
    buf_puts(&b, "# Guide\n\n## Install\n\n");
    for (int i = 0; i < 30; i++)
        buf_printf(&b, "Step %d is easy. ", i);
    buf_puts(&b, "\n\n## Use\n\n```\n");
    for (int i = 0; i < 40; i++)
        buf_printf(&b, "run --with %d; # not a heading\n", i);
    buf_puts(&b, "```\n");
    cuts = cut(buf_str(&b), s);
    v = cuts.v;
    for (size_t i = 0; i < cuts.n; i++) {
        const char *body = arena_strndup(test.arena, b.data + v[i].start, v[i].end - v[i].start);

        assert_true(strstr(body, "Step") == NULL || strstr(body, "run") == NULL);
        if (strstr(body, "Step"))
            assert_string_equal(v[i].heading_path, "Guide › Install");
        if (strstr(body, "run")) {
            assert_string_equal(v[i].heading_path, "Guide › Use");
            assert_true(!strncmp(body, "run", 3) || !strncmp(body, "## Use", 6) || !strncmp(body, "```", 3));
        }
    }
    assert_true(cuts.n >= 5);
}

static void a_change_of_subject_is_a_cut(void **state)
{
    static const char *const SUBJECTS[] = {"The harbour pilot boards every vessel. Vessels wait for the pilot at the harbour. ",
                                           "Bread dough rises with yeast. The baker kneads dough and yeast before baking. ",
                                           "Orbits of planets follow gravity. Gravity bends orbits around planets and stars. "};
    struct chunk_settings s = {.strategy = CHUNKING_SEMANTIC, .size = 2000, .overlap = 200};
    struct list cuts;
    struct buf b;

    (void)state;
    buf_init(&b, test.arena, 4096);
    for (size_t k = 0; k < 3; k++)
        for (int i = 0; i < 10; i++)
            buf_puts(&b, SUBJECTS[k]);
    cuts = cut(buf_str(&b), s);
    assert_int_equal(cuts.n, 3);
    for (size_t k = 0; k < 3; k++)
        assert_true(!strncmp(b.data + ((struct chunk_cut *)cuts.v)[k].start, SUBJECTS[k], 10));
}

static void what_is_too_long_is_refused(void **state)
{
    size_t n = (size_t)200 * (CHUNKS + 1);
    char *text = arena_alloc(test.arena, n + 1);
    struct chunk_settings s = {.size = 200, .overlap = 0};
    struct list out;

    (void)state;
    memset(text, 'x', n);
    text[n] = 0;
    assert_int_equal(chunker_cut(&test, text, n, &s, &out), ERR_TOO_LARGE);
    assert_string_equal(test.fault.reason, "too_many_chunks");
    ctx_forgive(&test);
    assert_int_equal(chunker_cut(&test, text, n - 200, &s, &out), ERR_OK);
    assert_int_equal(out.n, CHUNKS);
    assert_int_equal(chunker_cut(&test, "", 0, &s, &out), ERR_OK);
    assert_int_equal(out.n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(random_texts_keep_the_laws, begin, end),
        cmocka_unit_test_setup_teardown(cuts_are_those_of_the_oracle, begin, end),
        cmocka_unit_test_setup_teardown(a_changed_word_makes_few_new_chunks, begin, end),
        cmocka_unit_test_setup_teardown(headings_fences_and_tables, begin, end),
        cmocka_unit_test_setup_teardown(a_change_of_subject_is_a_cut, begin, end),
        cmocka_unit_test_setup_teardown(what_is_too_long_is_refused, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
