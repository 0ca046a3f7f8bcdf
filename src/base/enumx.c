/* Names of enumeration values; see enumx.h. */
#include "enumx.h"

#include <assert.h>
#include <string.h>

const char *enumx_name(const struct enumx *e, int value)
{
    assert(value >= 0 && (size_t)value < e->n);
    return e->names[value];
}

bool enumx_parse(const struct enumx *e, const char *name, int *out)
{
    for (size_t i = 0; i < e->n; i++)
        if (strcmp(e->names[i], name) == 0) {
            *out = (int)i;
            return true;
        }
    return false;
}
