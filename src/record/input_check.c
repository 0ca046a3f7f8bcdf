/* See input_check.h. */
#include "input_check.h"

#include <ctype.h>
#include <string.h>

#include "limit.h"
#include "str.h"

err check_name(struct ctx *c, const char *pointer, const char *name)
{
    size_t n = name ? strlen(name) : 0;

    if (n == 0 || !str_is_utf8(name, n) || str_code_points(name, n) > LIMIT_NAME)
        return fail_field(c, pointer, "a name must be 1 to %d characters long", LIMIT_NAME);
    return ERR_OK;
}

err check_slug(struct ctx *c, const char *pointer, const char *slug)
{
    if (!slug || !str_is_slug(slug))
        return fail_field(c, pointer, "a slug must be 1 to %d of a-z 0-9 _ . - and begin with a letter or digit", LIMIT_SLUG);
    return ERR_OK;
}

err check_email(struct ctx *c, const char *pointer, const char *email, const char **out)
{
    size_t n = email ? strlen(email) : 0;
    const char *at = n ? strrchr(email, '@') : NULL;
    char *low;

    if (!at || at == email || !at[1] || n > LIMIT_EMAIL || !str_is_utf8(email, n) || strpbrk(email, " \t\r\n<>"))
        return fail_field(c, pointer, "not an e-mail address");
    low = arena_strdup(c->arena, email);
    for (char *p = low; *p; p++)
        *p = (char)tolower((unsigned char)*p);
    *out = low;
    return ERR_OK;
}
