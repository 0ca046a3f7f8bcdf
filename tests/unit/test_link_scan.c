/* The scanner of links: the grammar row by row, what is no link, hostile texts in linear time; names, slugs, plain text and mentions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#undef fail /* ours is another one */

#include "clock.h"
#include "ctx.h"
#include "link_scan.h"
#include "slow.h"
#include "str.h"
#include "wiki_text.h"

static struct arena *arena;

static int begin(void **state)
{
    (void)state;
    arena = arena_new(1u << 30);
    return 0;
}

static int end(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

static struct link_scan scan_of(const char *text)
{
    struct link_scan s;

    link_scan(arena, text, strlen(text), &s);
    return s;
}

/* "target|display" of each link, with ! for embeds and m: for [text](Page.md), separated by " ; ". */
static const char *links_of(const char *text)
{
    struct link_scan s = scan_of(text);
    struct buf b;

    buf_init(&b, arena, 64);
    for (size_t i = 0; i < s.n_links; i++)
        buf_printf(&b, "%s%s%s%s%s%s", i ? " ; " : "", s.links[i].is_embed ? "!" : "", s.links[i].is_markdown ? "m:" : "",
            s.links[i].target,
                   s.links[i].display ? "|" : "", s.links[i].display ? s.links[i].display : "");
    return buf_str(&b);
}

static void expect_links(const char *const (*rows)[2], size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(links_of(rows[i][0]), rows[i][1]))
            print_error("%s\n", rows[i][0]);
        assert_string_equal(links_of(rows[i][0]), rows[i][1]);
    }
}

static void the_grammar(void **state)
{
    static const char *const ROWS[][2] = {
        {"[[B]]", "B"}, {"see [[ B ]] and [[b|x y]]", "B ; b|x y"}, {"[[B|]]", "B"}, {"[[B|a]b]]", "B|a]b"}, {"[[]]", ""}, {"[[ ]]", ""},
        {"[[|x]]", ""}, {"[[a\nb]]", ""}, {"[[a|b\nc]]", ""}, {"[[a]", ""}, {"[a]]", ""}, {"[[[x]]]", "x"}, {"[[a[b]]", ""},
            {"[[a]b]]", ""},
        {"![[E]]", "!E"}, {"![[E#H]]", "!E#H"}, {"[[#Head]]", "#Head"}, {"[[T#H#H2]]", "T#H#H2"}, {"[[T#^block]]", "T#^block"},
        {"[[Folder/T]]", "Folder/T"}, {"[[T.md]]", "T"}, {"[[T.MD#H]]", "T#H"}, {"[[kind:Name]]", "kind:Name"},
        {"[text](T.md)", "m:T|text"}, {"[text](../T.md#H)", "m:T#H|text"}, {"[t](a%20b.md)", "m:a b|t"}, {"[t](<a b.md>)", "m:a b|t"},
        {"[t](T.md \"title\")", "m:T|t"}, {"[t](https://x/T.md)", ""}, {"[t](T.txt)", ""}, {"a <!--> [[b]]", "b"},
        {"[t](mailto:a@b.md)", ""}, {"[t](#Head)", "m:#Head|t"}, {"![t](T.md)", ""},
        {"[a](x.md) [[b]] [c](y.md)", "m:x|a ; b ; m:y|c"}, {"\\[[x]]", ""}, {"\\![[x]]", "x"}, {"`[[x]]` [[y]]", "y"},
        {"``a ` [[x]]`` [[y]]", "y"}, {"` [[x]]", "x"}, {"[[a`b]]`", ""},
        {"[[F#h|`h`]] `[[x]]`", "F#h|h"}, {"[[F|`a\nb`]]", ""}, {"| [[P\\|q]] |", "P|q"}, {"%%[[x]]%% [[y]]", "y"},
            {"%% [[x]]", "x"},
        {"a <!-- [[x]] --> [[y]]", "y"}, {"<!-- [[x]] --> [[y]]", ""}, {"a <b title=\"[[x]]\"> [[y]]", "y"}, {"<https://x/[[a]]>", ""},
            {"[[a]]\n\n[a]: http://x", "a"},
        {"[see [[B]]](C.md)", "m:C|see [[B]]"},
        {"[see [[B]]](https://x)", "B"}, {"[[100%_done]]", "100%_done"}, {"*[[x]]*", "x"}, {"[[*x*]]", "*x*"}, {"[^1]: [[x]]", "x"},
    };

    (void)state;
    expect_links(ROWS, sizeof ROWS / sizeof *ROWS);
}

static void blocks_that_hold_no_links(void **state)
{
    static const char *const ROWS[][2] = {
        {"```\n[[x]]\n```\n[[y]]", "y"}, {"~~~ c\n[[x]]\n~~~~\n[[y]]", "y"}, {"```\n[[x]]", ""}, {"````\n```\n[[x]]\n````\n[[y]]", "y"},
        {"> ```\n> [[x]]\n> ```\n[[y]]", "y"}, {"> ```\n> [[x]]\n\n[[y]]", "y"}, {"- ```\n  [[x]]\n  ```\n- [[y]]", "y"},
        {"a\n\n    [[x]]\n\nb [[y]]", "y"}, {"a\n    [[x]]", "x"}, {"- a\n\n    [[x]]", "x"}, {"- a\n\n      [[x]]", ""},
        {"<div>\n[[x]]\n</div>\n\n[[y]]", "y"}, {"<script>\n[[x]]\n\n[[z]]\n</script>\n[[y]]", "y"},
            {"<!--\n[[x]]\n\n[[z]]\n-->\n[[y]]", "y"},
        {"---\ntitle: [[x]]\n---\n[[y]]", "y"}, {"---\n[[x]]", "x"}, {"`a\n\nb` [[y]]", "y"}, {"%%\n[[x]]\n\n[[z]]\n%%\n[[y]]", "y"},
    };

    (void)state;
    expect_links(ROWS, sizeof ROWS / sizeof *ROWS);
}

static void limits_of_a_link(void **state)
{
    char target[300], text[700];

    (void)state;
    memset(target, 'a', sizeof target);
    snprintf(text, sizeof text, "[[%.255s]]", target);
    assert_int_equal(scan_of(text).n_links, 1);
    snprintf(text, sizeof text, "[[%.256s]]", target);
    assert_int_equal(scan_of(text).n_links, 0);
    snprintf(text, sizeof text, "[[a|%.200s]]", target);
    assert_int_equal(scan_of(text).n_links, 1);
    snprintf(text, sizeof text, "[[a|%.201s]]", target);
    assert_int_equal(scan_of(text).n_links, 0);
}

/* A megabyte of each takes some 50 ms; all of them took ages in scanners that look back. */
static void hostile_texts_are_linear(void **state)
{
    static const char *const PIECES[] = {"[",    "[[",       "[[a|",    "](",      "[](",  "![[",    "`",     "` ``",   "<!--",   "%%",
              "%% %%% ",
                                         "<a \"", "<a '\"",  "> ",      "- ",      "    ", "\\[[",   "a@b.c ", "<a@",   "](a \"",
                                             "```\n",    "[[a]](",
                                         "---\n", "<div>\n", "http://", "[a]: b\n", "[^1]", "[[a]]", "|-",     "1. ",   "]]",
                                                 "<script>", "\xe6\x97\xa5"};

    (void)state;
    for (size_t i = 0; i < sizeof PIECES / sizeof *PIECES; i++) {
        size_t n = strlen(PIECES[i]), times = (size_t)slow_times(1 << 20, 1 << 18, 1 << 15) / n;
        struct arena_mark m = arena_mark(arena);
        char *text = arena_alloc(arena, times * n + 1);
        int64_t from = clock_monotonic_us();
        struct link_scan s;

        for (size_t k = 0; k < times; k++)
            memcpy(text + k * n, PIECES[i], n);
        link_scan(arena, text, times * n, &s);
        wiki_plain(arena, text, &s);
        from = clock_monotonic_us() - from;
        if (from > 3 * SECOND_US)
            print_error("%s\n", PIECES[i]);
        assert_true(from < 3 * SECOND_US);
        arena_rewind(arena, m);
    }
}

static void names_and_slugs(void **state)
{
    (void)state;
    assert_string_equal(wiki_name_key(arena, "  Feature\t  DEVELOPMENT\xc2\xa0guide "), "feature development guide");
    assert_string_equal(wiki_name_key(arena, "STRASSE"), wiki_name_key(arena, "Stra\xc3\x9f"
                                                                              "e"));
    assert_string_equal(wiki_name_key(arena, "e\xcc\x81"), wiki_name_key(arena, "\xc3\x89"));
    assert_string_not_equal(wiki_name_key(arena, "a_b"), wiki_name_key(arena, "aXb"));
    assert_string_equal(wiki_slugify(arena, "\xc3\x9c"
                                            "ber uns"),
                        "uber-uns");
    assert_string_equal(wiki_slugify(arena, "C++"), "c");
    assert_string_equal(wiki_slugify(arena, "<b>x</b>"), "bxb");
    assert_string_equal(wiki_slugify(arena, " -My -- Page- "), "my-page");
    assert_string_equal(wiki_slugify(arena, "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e"), "");
    assert_true(str_starts(wiki_slug_for(arena, "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e"), "page-"));
    assert_int_equal(strlen(wiki_slug_for(arena, "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e")), 13);
    assert_string_equal(wiki_slug_of_target(arena, "Feature Development -  Guide!"), "feature-development---guide");
}

static const char *plain_of(const char *text)
{
    struct link_scan s = scan_of(text);

    return wiki_plain(arena, text, &s);
}

static void plain_text(void **state)
{
    (void)state;
    assert_string_equal(plain_of("# Head\n\nA **bold** [[B|see]] and [[C]] `code`."), "Head\n\nA bold see and C code.");
    assert_string_equal(plain_of("---\na: b\n---\n> quote [text](http://x) <b>y</b> ![pic](p.png)"), "quote text y ");
    assert_string_equal(plain_of("- [ ] task snake_case \\* %%no%%"), "task snake_case  ");
    assert_string_equal(wiki_excerpt(arena, "a\n\n  b"), "a b");
    assert_int_equal(wiki_words("one  two\nthree "), 3);
}

static size_t mentions_of(const char *text, const char *title)
{
    struct wiki_mention m[10];
    struct link_scan s = scan_of(text);

    return wiki_mentions(arena, text, &s, wiki_name_key(arena, title), m, 10);
}

static void mentions_are_whole_words_of_plain_text(void **state)
{
    struct wiki_mention m[2];
    struct link_scan s = scan_of("Art, they said");

    (void)state;
    assert_int_equal(wiki_mentions(arena, s.text, &s, "art", m, 2), 1);
    assert_int_equal(m[0].start, 0);
    assert_int_equal(m[0].end, 3);
    assert_int_equal(mentions_of("party `art` [[art]] [art](u) <i art> https://art.org art_x", "art"), 0);
    assert_int_equal(mentions_of("ART (art) art", "art"), 3);
    assert_int_equal(mentions_of("the feature  development\nGuide.", "Feature Development Guide"), 1);
    assert_int_equal(mentions_of("\xc3\x9c"
                                 "BER UNS",
                                 "\xc3\xbc"
                                 "ber uns"),
                     1);
    assert_int_equal(mentions_of("\xe3\x81\xaf\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe3\x81\xa7",
        "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e"), 1);
    assert_int_equal(mentions_of("we use C++ and C", "C++"), 1);
    assert_int_equal(mentions_of("100%_done", "100%_done"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_grammar, begin, end),
        cmocka_unit_test_setup_teardown(blocks_that_hold_no_links, begin, end),
        cmocka_unit_test_setup_teardown(limits_of_a_link, begin, end),
        cmocka_unit_test_setup_teardown(hostile_texts_are_linear, begin, end),
        cmocka_unit_test_setup_teardown(names_and_slugs, begin, end),
        cmocka_unit_test_setup_teardown(plain_text, begin, end),
        cmocka_unit_test_setup_teardown(mentions_are_whole_words_of_plain_text, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
