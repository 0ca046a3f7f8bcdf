/* The extractor: the tests that the rules bring, the rules of the spec, and a labelled set with a bar. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "clock.h"
#include "rule_extract.h"
#include "str.h"

static struct arena *arena;
static struct extract_rules *rules;
static const struct extract_context CONTEXT = {.speaker = "Speaker", .captured_at = 1717200000000000}; /* 2024-06-01 */

static char *read_file(const char *name)
{
    const char *srcdir = getenv("srcdir");
    FILE *f = fopen(arena_printf(arena, "%s/%s", srcdir ? srcdir : ".", name), "r");
    char *text = arena_alloc(arena, 1 << 20);

    assert_non_null(f);
    text[fread(text, 1, (1 << 20) - 1, f)] = 0;
    fclose(f);
    return text;
}

static int setup(void **state)
{
    struct extract_fault faults[8];
    size_t n;

    (void)state;
    arena = arena_new(256u << 20);
    rules = extract_rules_read(arena, read_file("rules/en.rules"), faults, 8, &n);
    for (size_t i = 0; i < n && i < 8; i++)
        printf("rules/en.rules:%d: %s\n", faults[i].line, faults[i].why);
    return n != 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

static struct extracted read_text(const char *text)
{
    return extract(arena, rules, text, strlen(text), &CONTEXT);
}

static void rules_pass_their_own_tests(void **state)
{
    struct extract_fault faults[100];
    size_t n = extract_rules_test(arena, rules, faults, 100);

    (void)state;
    for (size_t i = 0; i < n && i < 100; i++) {
        struct extracted x = read_text(faults[i].why);

        printf("rules/en.rules:%d: %s => %s | %s | %s\n", faults[i].line, faults[i].why, x.n ? x.claims[0].subject : "-",
               x.n ? x.claims[0].predicate : "-", x.n ? x.claims[0].object : "-");
    }
    assert_int_equal(n, 0);
    assert_true(extract_rules_count(rules) >= 60);
}

static void bad_rules_are_named(void **state)
{
    static const char TEXT[] = "rule a predicate=uses\n match <s> use <o>\nend\nrule b predicate=uses\n match use <o>\nend\n"
                               "rule c predicate=uses\n match <s> use <o>\n test + \"Ann uses Vim.\" => Ann | uses | "
                                   "Emacs\nend\nnonsense\n";
    struct extract_fault faults[4];
    size_t n;
    struct extract_rules *r = extract_rules_read(arena, TEXT, faults, 4, &n);

    (void)state;
    assert_int_equal(n, 2);
    assert_int_equal(faults[0].line, 5);
    assert_int_equal(faults[1].line, 11);
    assert_int_equal(extract_rules_count(r), 2);
    assert_int_equal(extract_rules_test(arena, r, faults, 4), 1);
    assert_int_equal(faults[0].line, 9);
}

static void one(const char *text, const char *subject, const char *predicate, const char *object, bool negative,
    enum extract_modality modality)
{
    struct extracted x = read_text(text);

    if (x.n != 1 || strcmp(x.claims[0].subject, subject) || strcmp(x.claims[0].predicate, predicate) || strcmp(x.claims[0].object,
        object) ||
        x.claims[0].negative != negative || x.claims[0].modality != modality)
        fail_msg("%s: %zu claims, %s | %s | %s %d %d", text, x.n, x.n ? x.claims[0].subject : "", x.n ? x.claims[0].predicate : "",
                 x.n ? x.claims[0].object : "", x.n ? x.claims[0].negative : 0, x.n ? (int)x.claims[0].modality : 0);
}

static void none(const char *text)
{
    struct extracted x = read_text(text);

    if (x.n)
        fail_msg("%s: %s | %s | %s", text, x.claims[0].subject, x.claims[0].predicate, x.claims[0].object);
}

static void phenomena(void **state)
{
    struct extracted x;

    (void)state;
    one("Alice no longer uses Vim.", "Alice", "uses", "Vim", true, EXTRACT_ASSERTED);
    one("Bob doesn't like fish.", "Bob", "likes", "fish", true, EXTRACT_ASSERTED);
    one("Bob stopped using Emacs.", "Bob", "uses", "Emacs", true, EXTRACT_ASSERTED);
    one("Bob used to live in Rome.", "Bob", "lives_in", "Rome", true, EXTRACT_ASSERTED);
    one("Bob lived in Rome.", "Bob", "lives_in", "Rome", false, EXTRACT_PAST);
    one("Bob will move to Oslo.", "Bob", "lives_in", "Oslo", false, EXTRACT_PLANNED);
    one("I live in Graz.", "Speaker", "lives_in", "Graz", false, EXTRACT_ASSERTED);
    one("The port of Harbour is 8080.", "Harbour", "port_is", "8080", false, EXTRACT_ASSERTED);
    one("Bob's wife is Carla.", "Bob", "married_to", "Carla", false, EXTRACT_ASSERTED);
    one("My favorite color is green.", "Speaker", "favorite_color", "green", false, EXTRACT_ASSERTED);
    none("Is Bob based in Rome?");
    none("If Bob moved to Rome");
    none("Bob might use Go.");
    none("```\nAlice uses Vim.\n```");
    none("> Alice uses Vim.");
    x = read_text("Alice uses Vim, Emacs and Nano.");
    assert_int_equal(x.n, 3);
    x = read_text("Alice lives in Paris and works at Acme.");
    assert_int_equal(x.n, 2);
    assert_string_equal(x.claims[1].subject, "Alice");
    x = read_text("Alice lives in Paris. She works at Acme.");
    assert_int_equal(x.n, 2);
    assert_string_equal(x.claims[1].subject, "Alice");
    x = read_text("Alice met Bob. Carla left. She likes tea.");
    for (size_t i = 0; i < x.n; i++)
        assert_string_not_equal(x.claims[i].predicate, "likes");
}

static void dates(void **state)
{
    struct extracted x = read_text("Bob worked at Acme from 2019 to 2021.");
    char text[INSTANT_TEXT];

    (void)state;
    assert_int_equal(x.n, 1);
    assert_int_equal(x.claims[0].modality, EXTRACT_PAST);
    assert_string_equal(instant_text((struct instant){x.claims[0].at}, text), "2019-01-01T00:00:00.000000Z");
    assert_string_equal(instant_text((struct instant){x.claims[0].until}, text), "2022-01-01T00:00:00.000000Z");
    x = read_text("Bob has lived in Oslo since March 2020.");
    assert_int_equal(x.n, 1);
    assert_int_equal(x.claims[0].modality, EXTRACT_ASSERTED);
    assert_string_equal(instant_text((struct instant){x.claims[0].at}, text), "2020-03-01T00:00:00.000000Z");
    x = read_text("In 2023, Bob moved to Bergen.");
    assert_int_equal(x.n, 1);
    assert_string_equal(x.claims[0].object, "Bergen");
    assert_string_equal(instant_text((struct instant){x.claims[0].at}, text), "2023-01-01T00:00:00.000000Z");
    x = read_text("Bob moved to Bergen yesterday.");
    assert_string_equal(instant_text((struct instant){x.claims[0].at}, text), "2024-05-31T00:00:00.000000Z");
}

/* ---- the labelled set: "sentence => s | p | o ; s | p | o", or "- sentence" for a trap */

struct score {
    size_t sentences, traps, sprung, wanted, found, right;
};

static bool is_wanted(char *labels, const struct extract_claim *k)
{
    char *line = arena_printf(arena, "%s | %s | %s", k->subject, k->predicate, k->object), *at = strstr(labels, line);
    size_t n = strlen(line);

    if (!at || (at[n] && at[n] != ' ' && at[n] != ';'))
        return false;
    memset(at, '#', n); /* counts once */
    return true;
}

static void score_line(struct score *s, char *line)
{
    char *labels = strstr(line, " => ");
    bool trap = *line == '-';
    struct extracted x;

    if (labels)
        *labels = 0;
    x = read_text(trap ? line + 2 : line);
    s->sentences++;
    s->traps += trap;
    s->sprung += trap && x.n;
    if (trap && x.n)
        printf("trap: %s => %s | %s | %s\n", line, x.claims[0].subject, x.claims[0].predicate, x.claims[0].object);
    s->found += x.n;
    for (char *p = labels ? labels + 4 : NULL; p; p = strchr(p, ';') ? strchr(p, ';') + 1 : NULL)
        s->wanted++;
    for (size_t i = 0; i < x.n && labels; i++) {
        bool right = is_wanted(labels + 4, &x.claims[i]);

        s->right += right;
        if (!right)
            printf("wrong: %s => %s | %s | %s\n", line, x.claims[i].subject, x.claims[i].predicate, x.claims[i].object);
    }
    if (labels && !x.n && getenv("LOCI_SHOW"))
        printf("missed: %s\n", line);
}

static void the_labelled_set_is_read_well(void **state)
{
    char *text = read_file("tests/unit/extract_set.txt"), *save = NULL;
    struct score s = {0};
    double precision, recall;

    (void)state;
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
        if (*line && *line != '#')
            score_line(&s, line);
    precision = (double)s.right / (double)s.found;
    recall = (double)s.right / (double)s.wanted;
    printf("%zu sentences, %zu traps (%zu sprung), precision %.3f, recall %.3f\n", s.sentences, s.traps, s.sprung, precision, recall);
    assert_true(s.sentences >= 400 && s.traps >= 100);
    assert_int_equal(s.sprung, 0);
    assert_true(precision >= 0.90 && recall >= 0.60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_pass_their_own_tests), cmocka_unit_test(bad_rules_are_named), cmocka_unit_test(phenomena),
        cmocka_unit_test(dates),                      cmocka_unit_test(the_labelled_set_is_read_well),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
