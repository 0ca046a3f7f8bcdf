/* locictl grant: who may read, write or manage a space. */
#include <stdio.h>
#include <string.h>

#include "agent.h"
#include "ctl.h"
#include "grant.h"
#include "space.h"
#include "str.h"
#include "user.h"

/* See ctl.h: "agent:assistant" is that agent's namespace, "pool/news" a kind and slug, "global" a namespace; else an id. */
err ctl_find_space(struct ctl *t, const char *text, struct uuid *id)
{
    struct ctx *c = &t->c;
    const char *slash = strchr(text, '/');
    struct space s;
    struct agent a;
    int kind;

    if (uuid_parse(text, id))
        return ERR_OK;
    if (str_starts(text, "agent:")) {
        TRY(agent_by_slug(c, text + 6, &a));
        kind = SPACE_NAMESPACE;
        text = arena_printf(c->arena, "agent:%s", UUID_STR(a.id));
    } else if (slash && enumx_parse(&space_kind_enumx, arena_strndup(c->arena, text, (size_t)(slash - text)), &kind)) {
        text = slash + 1;
    } else if (!slash) {
        kind = SPACE_NAMESPACE;
    } else {
        return fail(c, ERR_INVALID, "--space must be an id, agent:SLUG, global, or KIND/SLUG such as pool/news");
    }
    TRY(space_by_slug(c, (enum space_kind)kind, text, &s));
    *id = s.id;
    return ERR_OK;
}

static const char *ctl_grant_text_of(struct ctl *t, struct uuid id)
{
    return uuid_text(id, arena_alloc(t->c.arena, UUID_TEXT));
}

/* Exactly one of --user, --agent, --role and --everyone. */
static err find_grantee(struct ctl *t, struct grant *in)
{
    const char *email = ctl_option(t, "--user"), *agent = ctl_option(t, "--agent"), *role = ctl_option(t, "--role");
    bool everyone = ctl_flag(t, "--everyone");
    struct user u;
    struct agent a;

    if (!!email + !!agent + !!role + everyone != 1)
        program_die(CTL_USAGE, "locictl: name one of --user, --agent, --role, --everyone\nusage: locictl %s", t->usage);
    in->grantee_kind = email ? GRANTEE_USER : agent ? GRANTEE_AGENT : role ? GRANTEE_ROLE : GRANTEE_EVERYONE;
    in->grantee_id = role ? role : "";
    if (email) {
        TRY(user_by_email(&t->c, email, &u));
        in->grantee_id = ctl_grant_text_of(t, u.id);
    } else if (agent) {
        TRY(agent_by_slug(&t->c, agent, &a));
        in->grantee_id = ctl_grant_text_of(t, a.id);
    }
    return ERR_OK;
}

static int grant_add_command(struct ctl *t)
{
    const char *space = ctl_need(t, "--space"), *level = ctl_need(t, "--level");
    struct grant in = {0};
    struct grant made;
    int word, code;

    if (!enumx_parse(&access_level_enumx, level, &word) || word == ACCESS_NONE)
        program_die(CTL_USAGE, "locictl: --level is read, write or manage");
    in.level = (enum access_level)word;
    ctl_act_in_account(t);
    code = ctl_result(t, ctl_find_space(t, space, &in.space_id));
    if (!code)
        code = ctl_result(t, find_grantee(t, &in));
    if (!code) {
        ctl_no_more(t);
        code = ctl_result(t, grant_add(&t->c, &in, &made));
    }
    if (!code)
        printf("%s\n", UUID_STR(made.id));
    return code;
}

static int grant_list_command(struct ctl *t)
{
    const char *space = ctl_need(t, "--space"), *cursor = NULL;
    struct page page = {0};
    struct uuid id;
    int code;

    ctl_act_in_account(t);
    ctl_no_more(t);
    code = ctl_result(t, ctl_find_space(t, space, &id));
    while (!code) {
        code = ctl_result(t, grant_list(&t->c, id, 100, cursor, &page));
        for (size_t i = 0; !code && i < page.n; i++) {
            const struct grant *g = (struct grant *)page.items + i;

            printf("%s  %-6s  %-8s  %s\n", UUID_STR(g->id), enumx_name(&access_level_enumx, (int)g->level),
                   enumx_name(&grantee_kind_enumx, (int)g->grantee_kind), g->grantee_id);
        }
        cursor = page.next_cursor;
        if (!page.has_more)
            break;
    }
    return code;
}

const struct ctl_command ctl_grant_commands[] = {
    {"grant add", "--account S --space ID|agent:SLUG|global|KIND/SLUG (--user E | --agent A | --role R | --everyone) --level L",
     "grants read, write or manage access to a space", grant_add_command},
    {"grant list", "--account S --space ID|agent:SLUG|global|KIND/SLUG", "lists the grants of a space", grant_list_command},
    {0},
};
