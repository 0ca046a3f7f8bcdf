/* The official specification's cases: the whole core and inheritance, read from the shared copy. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"
#include "json.h"
#include "mustache.h"

#define CAP (64u * 1024 * 1024)

static const char *spec_folder(struct arena *a)
{
    const char *set = getenv("LOCI_MUSTACHE_SPEC"), *src = getenv("srcdir");

    return set ? set : arena_printf(a, "%s/../shared/mustache-spec", src ? src : ".");
}

static struct json *read_cases(struct arena *a, const char *folder, const char *file)
{
    const char *path = arena_printf(a, "%s/%s.json", folder, file), *why = "";
    char *text = arena_alloc(a, 256 * 1024);
    struct json *j = NULL;
    FILE *f = fopen(path, "r");
    size_t n;

    if (!f)
        return NULL;
    n = fread(text, 1, 256 * 1024, f);
    fclose(f);
    if (json_parse(a, text, n, &j, &why) != JSON_OK)
        fail_msg("%s: %s", path, why);
    return json_get(j, "tests");
}

static void add(struct mustache_set *set, const char *name, const struct json *text)
{
    const char *why = "";

    if (!mustache_add(set, name, name, text->s, text->len, &why))
        fail_msg("%s", why);
}

/* Renders the case twice: a program is not changed by being run. */
static int run_case(struct arena *a, const char *file, const struct json *t)
{
    struct mustache_set *set = mustache_set_new(a);
    const struct json *partials = json_get(t, "partials");
    const char *why = "", *expected = json_get_str(t, "expected");
    struct buf out;

    add(set, "", json_get(t, "template"));
    for (const struct json *p = partials ? partials->first : NULL; p; p = p->next)
        add(set, p->key, p);
    if (!mustache_link(set, false, &why))
        fail_msg("%s", why);
    for (int i = 0; i < 2; i++) {
        buf_init(&out, a, 64);
        assert_int_equal(mustache_render(mustache_find(set, ""), &mustache_json, json_get(t, "data"), &out), MUSTACHE_OK);
        if (strcmp(buf_str(&out), expected) == 0)
            continue;
        print_error("%s: %s\n  expected: [%s]\n  got:      [%s]\n", file, json_get_str(t, "name"), expected, buf_str(&out));
        return 1;
    }
    return 0;
}

static void check_files(const char *const *files, int cases)
{
    struct arena *a = arena_new(CAP);
    const char *folder = spec_folder(a);
    int seen = 0, failed = 0;

    for (; *files; files++) {
        const struct json *tests = read_cases(a, folder, *files);

        if (!tests) {
            print_error("NOT CHECKED: no specification at %s; set LOCI_MUSTACHE_SPEC to its folder\n", folder);
            arena_free(a);
            skip();
        }
        for (const struct json *t = tests->first; t; t = t->next, seen++)
            failed += run_case(a, *files, t);
    }
    print_message("%d cases, %d failed\n", seen, failed);
    assert_int_equal(failed, 0);
    assert_int_equal(seen, cases);
    arena_free(a);
}

static void core(void **state)
{
    static const char *const FILES[] = {"comments", "delimiters", "interpolation", "inverted", "partials", "sections", NULL};

    (void)state;
    check_files(FILES, 136);
}

static void inheritance(void **state)
{
    static const char *const FILES[] = {"~inheritance", NULL};

    (void)state;
    check_files(FILES, 27);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(core), cmocka_unit_test(inheritance)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
