/* Permission strings as sets, and back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "permission.h"

static bool parse(const char *scope, permissions *out)
{
    size_t bad = 99;

    return permissions_parse((struct strs){&scope, 1}, out, &bad);
}

static void one_permission(void **state)
{
    permissions p;

    (void)state;
    assert_true(parse("memory.read", &p));
    assert_true(permissions_have(p, PERM_MEMORY_READ));
    assert_false(permissions_have(p, PERM_MEMORY_WRITE));
    assert_true(permissions_have(0, PERM_NONE));
}

static void areas(void **state)
{
    permissions p;

    (void)state;
    assert_true(parse("memory.*", &p));
    assert_true(permissions_have(p, PERM_MEMORY_READ) && permissions_have(p, PERM_MEMORY_WRITE) &&
                permissions_have(p, PERM_MEMORY_MANAGE) && permissions_have(p, PERM_MEMORY_REVIEW));
    assert_false(permissions_have(p, PERM_RAG_READ));
    assert_true(parse("*", &p));
    assert_true(p == permissions_all());
}

static void nonsense(void **state)
{
    static const char *const BAD[] = {"", "*.*", ".*", "memory", "memory.", "memory.rea", "memory.readx", "mem*", "mem.*",
                                      "MEMORY.READ", "memory.* ", "**"};
    const char *mixed[] = {"memory.read", "graph.read", "nothing.here", "x"};
    permissions p = 42;
    size_t bad = 0;

    (void)state;
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++)
        assert_false(parse(BAD[i], &p));
    assert_false(permissions_parse((struct strs){mixed, 4}, &p, &bad));
    assert_int_equal(bad, 2);
    assert_true(p == 42);
}

static void there_and_back(void **state)
{
    struct arena *a = arena_new(1 << 20);
    struct strs names = permissions_strs(a, permissions_all());
    permissions p;
    size_t bad;

    (void)state;
    assert_int_equal(names.n, permission_enumx.n - 1);
    for (size_t i = 0; i < names.n; i++) {
        const char *dot = strchr(names.v[i], '.');

        assert_non_null(dot); /* area.action */
        assert_null(strchr(dot + 1, '.'));
    }
    assert_true(permissions_parse(names, &p, &bad));
    assert_true(p == permissions_all());
    assert_int_equal(permissions_strs(a, 0).n, 0);
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_permission), cmocka_unit_test(areas), cmocka_unit_test(nonsense),
        cmocka_unit_test(there_and_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
