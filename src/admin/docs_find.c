/* Looking through the reference; see docs_find.h. */
#include "docs_find.h"

#include <string.h>
#include <strings.h>

#include "permission.h"

#define DEPTH 4 /* objects within objects, as they are shown */

static bool within(const char *text, const char *word, size_t n)
{
    for (; text && *text; text++)
        if (strncasecmp(text, word, n) == 0)
            return true;
    return false;
}

static bool in_fields(const struct field *table, const char *word, size_t n, int depth)
{
    for (const struct field *f = table; f && f->type != FT_END; f++)
        if (within(f->name, word, n) || (f->sub && depth < DEPTH && in_fields(f->sub, word, n, depth + 1)))
            return true;
    return false;
}

static bool has_word(const struct op *op, const char *word, size_t n)
{
    return within(op->name, word, n) || within(op->path, word, n) || within(op->tool, word, n) || within(op->tag, word, n) ||
           within(op->summary, word, n) || (op->perm && within(enumx_name(&permission_enumx, (int)op->perm), word, n)) ||
           in_fields(op->in, word, n, 0);
}

bool docs_has(const struct op *op, const char *q)
{
    const char *at = q;

    while (*(at += strspn(at, " \t"))) {
        size_t n = strcspn(at, " \t");

        if (!has_word(op, at, n))
            return false;
        at += n;
    }
    return true;
}
