/* Levels to namespaces; see audience.h. */
#include "audience.h"

#include <stdlib.h>
#include <string.h>

#include "access.h"
#include "audience_store.h"
#include "space.h"
#include "team.h"

ENUMX_DEFINE(audience, AUDIENCE);

static int audience_by_id(const void *a, const void *b)
{
    return uuid_cmp(*(const struct uuid *)a, *(const struct uuid *)b);
}

/* Namespaces whose slug begins with the prefix (or is it, for `global`) and that the caller may read. */
static err with_prefix(struct ctx *c, const char *prefix, struct uuid **ids, size_t *n)
{
    size_t found, kept = 0;

    TRY(audience_store_namespaces(c, prefix, ids, &found));
    for (size_t i = 0; i < found; i++)
        if (access_may_read(c, (*ids)[i]))
            (*ids)[kept++] = (*ids)[i];
    *n = kept;
    return ERR_OK;
}

err audience_readable(struct ctx *c, enum audience level, struct uuid **ids, size_t *n)
{
    TRY(with_prefix(c,
                    level == AUDIENCE_PRIVATE ? "agent:"
                    : level == AUDIENCE_TEAM  ? "team:"
                                              : "global",
                    ids, n));
    qsort(*ids, *n, sizeof **ids, audience_by_id);
    return ERR_OK;
}

err audience_wider(struct ctx *c, enum audience level, struct uuid space_id, struct uuid **ids, size_t *n)
{
    struct uuid *teams = NULL, *global = NULL, *all;
    size_t n_teams = 0, n_global = 0, k = 0;

    if (level == AUDIENCE_PRIVATE)
        TRY(with_prefix(c, "team:", &teams, &n_teams));
    if (level < AUDIENCE_ACCOUNT)
        TRY(with_prefix(c, "global", &global, &n_global));
    all = ARENA_ARRAY(c->arena, struct uuid, n_teams + n_global + 1);
    all[k++] = space_id;
    for (size_t i = 0; i < n_teams; i++)
        all[k++] = teams[i];
    for (size_t i = 0; i < n_global; i++)
        all[k++] = global[i];
    qsort(all, k, sizeof *all, audience_by_id);
    *ids = all;
    *n = k;
    return ERR_OK;
}

static err only_team(struct ctx *c, struct uuid *space_id)
{
    struct uuid *ids;
    size_t n, mine = 0;

    TRY(with_prefix(c, "team:", &ids, &n));
    for (size_t i = 0; i < n; i++)
        if (access_may_write(c, ids[i])) {
            *space_id = ids[i];
            mine++;
        }
    return mine == 1 ? ERR_OK
                     : fail_field(c, "/team_id", "team_id is required: you can write for %zu teams", mine);
}

static err by_slug(struct ctx *c, const char *slug, struct uuid *space_id)
{
    struct space s;

    TRY(space_by_slug(c, SPACE_NAMESPACE, slug, &s));
    *space_id = s.id;
    return ERR_OK;
}

static err of_team(struct ctx *c, struct uuid team_id, struct uuid *space_id)
{
    struct team t;

    if (uuid_is_nil(team_id))
        return only_team(c, space_id);
    TRY(team_get(c, team_id, &t));
    return by_slug(c, arena_printf(c->arena, "team:%s", t.slug), space_id);
}

err audience_check(struct ctx *c, enum audience level, struct uuid team_id)
{
    if (level == AUDIENCE_TEAM || uuid_is_nil(team_id))
        return ERR_OK;
    return fail_field(c, "/team_id", "team_id is allowed only with access_level team");
}

err audience_space(struct ctx *c, enum audience level, struct uuid team_id, struct uuid *space_id)
{
    struct uuid id;

    TRY(audience_check(c, level, team_id));
    if (level == AUDIENCE_PRIVATE && c->who->kind != PRINCIPAL_AGENT)
        return fail_field(c, "/access_level",
                          "only agents have a private namespace; use team, account or global");
    if (level == AUDIENCE_PRIVATE)
        TRY(space_own(c, &id));
    else if (level == AUDIENCE_TEAM)
        TRY(of_team(c, team_id, &id));
    else
        TRY(by_slug(c, "global", &id));
    TRY(access_require(c, id, ACCESS_WRITE));
    *space_id = id;
    return ERR_OK;
}
