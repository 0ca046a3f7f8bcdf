/* The registry of relations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "node_kind.h"
#include "relation.h"

static void case_does_not_matter_and_spelling_is_kept(void **state)
{
    (void)state;
    assert_string_equal(relation_find("derived_from")->name, "DERIVED_FROM");
    assert_string_equal(relation_find("DERIVED_FROM")->name, "DERIVED_FROM");
    assert_string_equal(relation_find("References")->name, "references");
    assert_string_equal(relation_find("co_occurs")->name, "CO_OCCURS");
    assert_null(relation_find("nonsense"));
    assert_null(relation_find(""));
    assert_null(relation_find(NULL));
}

static bool kinds_are_known(const char *list)
{
    char word[64];

    while (*list) {
        size_t n = strcspn(list, " ");

        assert_true(n > 0 && n < sizeof word);
        memcpy(word, list, n);
        word[n] = 0;
        if (!node_kind_find(word)) {
            print_error("no kind %s\n", word);
            return false;
        }
        list += n + (list[n] == ' ');
    }
    return true;
}

static void every_row_stands_on_its_own(void **state)
{
    (void)state;
    for (size_t i = 0; relation_at(i); i++) {
        const struct relation *r = relation_at(i);

        assert_true(strlen(r->name) <= RELATION_MAX);
        assert_ptr_equal(relation_find(r->name), r); /* no other row has its name */
        assert_true(*r->help);
        assert_true(kinds_are_known(r->from));
        assert_true(kinds_are_known(r->to));
    }
}

static void ends_are_whole_words(void **state)
{
    const struct relation *about = relation_find("ABOUT"), *skill = relation_find("has_skill"), *any = relation_find("CONTRADICTS");

    (void)state;
    assert_true(relation_takes_from(about, "fact"));
    assert_false(relation_takes_from(about, "entity"));
    assert_true(relation_takes_to(about, "entity"));
    assert_false(relation_takes_to(skill, "ski"));
    assert_false(relation_takes_to(skill, "kill"));
    assert_false(relation_takes_to(skill, ""));
    assert_false(relation_takes_to(skill, NULL));
    assert_true(relation_takes_from(any, "note"));
    assert_true(relation_takes_from(relation_find("SUPPORTS"), "episode"));
    assert_true(relation_takes_from(relation_find("SUPPORTS"), "fact"));
    assert_false(relation_takes_from(relation_find("IN_SCOPE"), "entr"));
    assert_true(relation_takes_from(relation_find("IN_SCOPE"), "entry"));
}

static void free_relations_are_plain_words(void **state)
{
    char longest[RELATION_MAX + 2];

    (void)state;
    memset(longest, 'a', sizeof longest);
    longest[RELATION_MAX] = 0;
    assert_true(relation_is_free("reports_to"));
    assert_true(relation_is_free("a"));
    assert_true(relation_is_free(longest));
    longest[RELATION_MAX] = 'a';
    longest[RELATION_MAX + 1] = 0;
    assert_false(relation_is_free(longest));
    assert_false(relation_is_free(""));
    assert_false(relation_is_free(NULL));
    assert_false(relation_is_free("1st"));
    assert_false(relation_is_free("_x"));
    assert_false(relation_is_free("Reports"));
    assert_false(relation_is_free("reports to"));
    assert_false(relation_is_free("r\xc3\xa9"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(case_does_not_matter_and_spelling_is_kept),
        cmocka_unit_test(every_row_stands_on_its_own),
        cmocka_unit_test(ends_are_whole_words),
        cmocka_unit_test(free_relations_are_plain_words),
    };

    return cmocka_run_group_tests_name("relation", tests, NULL, NULL);
}
