/* Permission strings as sets of bits, and back. */
#include "permission.h"

#include <assert.h>
#include <string.h>

#include "str.h"

ENUMX_DEFINE(permission, PERMISSION);

permissions permissions_all(void)
{
    static_assert(PERM_ERASE_RUN < 63, "a permission is a bit of a uint64_t");
    /* Bit 0 is PERM_NONE, which is no permission. */
    return (((permissions)1 << permission_enumx.n) - 1) & ~(permissions)1;
}

/* "memory.*" gives all of the area; false when the area does not exist. */
static bool add_area(const char *scope, permissions *set)
{
    size_t n = strlen(scope);
    bool any = false;

    if (n < 3 || strcmp(scope + n - 2, ".*") != 0)
        return false;
    for (size_t i = 1; i < permission_enumx.n; i++)
        if (strncmp(permission_enumx.names[i], scope, n - 1) == 0) {
            *set = permissions_add(*set, (enum permission)i);
            any = true;
        }
    return any;
}

static bool permission_add_scope(const char *scope, permissions *set)
{
    int p;

    if (str_eq(scope, "*")) {
        *set = permissions_all();
        return true;
    }
    if (str_empty(scope) || !enumx_parse(&permission_enumx, scope, &p))
        return scope && add_area(scope, set);
    *set = permissions_add(*set, (enum permission)p);
    return true;
}

bool permissions_parse(struct strs scopes, permissions *out, size_t *bad)
{
    permissions set = 0;

    for (size_t i = 0; i < scopes.n; i++)
        if (!permission_add_scope(scopes.v[i], &set)) {
            *bad = i;
            return false;
        }
    *out = set;
    return true;
}

struct strs permissions_strs(struct arena *a, permissions set)
{
    struct strs out = {ARENA_ARRAY(a, const char *, permission_enumx.n), 0};

    for (size_t i = 1; i < permission_enumx.n; i++)
        if (permissions_have(set, (enum permission)i))
            out.v[out.n++] = permission_enumx.names[i];
    return out;
}
