/* Finding agents and spaces by name; see named.h. */
#include "named.h"

#include <string.h>

#include "access.h"
#include "agent.h"
#include "named_store.h"
#include "space.h"
#include "str.h"

#define SAME_SLUG 16 /* there are fewer kinds of space */

err named_agent(struct ctx *c, const char *text, struct uuid *id)
{
    struct agent a;
    err e;

    *id = NAMED_NOTHING;
    if (strcmp(text, "me") == 0) {
        if (c->who->kind != PRINCIPAL_AGENT)
            return fail(c, ERR_INVALID, "\"me\" is only for agents; the caller is not an agent");
        *id = c->who->id;
        return ERR_OK;
    }
    if (!str_is_slug(text))
        return ERR_OK;
    e = agent_by_slug(c, text, &a);
    if (e == ERR_OK)
        *id = a.id;
    else if (e == ERR_NOT_FOUND)
        ctx_forgive(c);
    return e == ERR_NOT_FOUND ? ERR_OK : e;
}

/* The slug of a space for what was said, and the kind; -1: any. */
static err space_slug_of(struct ctx *c, const char *text, const char **slug, int *kind)
{
    const char *slash = strchr(text, '/');
    struct uuid agent;

    *kind = -1;
    *slug = text;
    if (slash && enumx_parse(&space_kind_enumx, arena_strndup(c->arena, text, (size_t)(slash - text)), kind))
        *slug = slash + 1;
    if (!str_starts(*slug, "agent:") || uuid_parse(*slug + 6, &agent))
        return ERR_OK;
    TRY(named_agent(c, *slug + 6, &agent));
    *slug = arena_printf(c->arena, "agent:%s", UUID_STR(agent));
    return ERR_OK;
}

err named_space(struct ctx *c, const char *text, struct uuid *id)
{
    struct named_row rows[SAME_SLUG];
    const char *slug;
    size_t n, found = 0;
    int kind;

    *id = NAMED_NOTHING;
    TRY(space_slug_of(c, text, &slug, &kind));
    TRY(named_store_spaces(c, slug, rows, SAME_SLUG, &n));
    for (size_t i = 0; i < n; i++) {
        if (!access_may_read(c, rows[i].id) || (kind >= 0 && rows[i].kind != kind))
            continue;
        if (rows[i].kind == SPACE_NAMESPACE) { /* of several the one that has no other way to be named */
            *id = rows[i].id;
            return ERR_OK;
        }
        *id = rows[i].id;
        found++;
    }
    return found > 1 ? fail(c, ERR_INVALID, "several spaces are named '%s': add the kind, such as pool/%s", slug, slug) : ERR_OK;
}
