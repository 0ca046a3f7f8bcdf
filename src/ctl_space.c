/* locictl space: the containers that agents share. */
#include <stdio.h>
#include <string.h>

#include "agent.h"
#include "ctl.h"
#include "db.h"
#include "grant.h"
#include "space_room.h"
#include "str.h"

#define AGENTS_MAX 100

struct letting_in {
    struct grant grants[AGENTS_MAX];
    size_t n;
};

/* Each "--read AGENT" or "--write AGENT" that was typed. */
static err find_agents(struct ctl *t, const char *option, enum access_level level, struct letting_in *in)
{
    const char *slug;
    struct agent a;

    while ((slug = ctl_option(t, option))) {
        if (in->n == AGENTS_MAX)
            return fail(&t->c, ERR_INVALID, "at most %d agents at once", AGENTS_MAX);
        TRY(agent_by_slug(&t->c, slug, &a));
        in->grants[in->n++] = (struct grant){.grantee_kind = GRANTEE_AGENT, .level = level,
                                                 .grantee_id = arena_strdup(t->c.arena, UUID_STR(a.id))};
    }
    return ERR_OK;
}

static err find_owning_agent(struct ctl *t, struct space *in)
{
    const char *slug = ctl_option(t, "--owner");
    struct agent a;

    if (!slug)
        return ERR_OK;
    TRY(agent_by_slug(&t->c, slug, &a));
    in->owner_agent_id = a.id;
    return ERR_OK;
}

struct making {
    struct space in;
    struct letting_in agents;
    struct space made;
};

static err make_space(struct ctx *c, void *arg)
{
    struct making *m = arg;
    struct grant g;

    TRY(space_room_create(c, &m->in, &m->made));
    for (size_t i = 0; i < m->agents.n; i++) {
        struct grant one = m->agents.grants[i];

        one.space_id = m->made.id;
        TRY(grant_add(c, &one, &g));
    }
    return ERR_OK;
}

static int kind_named(const char *word)
{
    int kind;

    if (!enumx_parse(&space_kind_enumx, word, &kind) || (kind != SPACE_CONTEXT && kind != SPACE_POOL))
        program_die(CTL_USAGE, "locictl: --kind is context or pool");
    return kind;
}

static int space_create_command(struct ctl *t)
{
    const char *kind = ctl_option(t, "--kind");
    struct making m = {.in = {.kind = kind ? (enum space_kind)kind_named(kind) : SPACE_CONTEXT, .name = ctl_need(t, "--name"),
                              .slug = ctl_option(t, "--slug"), .description = ctl_option(t, "--description")}};
    int code;

    ctl_act_in_account(t);
    code = ctl_result(t, find_owning_agent(t, &m.in));
    if (!code)
        code = ctl_result(t, find_agents(t, "--read", ACCESS_READ, &m.agents));
    if (!code)
        code = ctl_result(t, find_agents(t, "--write", ACCESS_WRITE, &m.agents));
    if (!code) {
        ctl_no_more(t);
        code = ctl_result(t, db_tx(&t->c, make_space, &m));
    }
    if (!code)
        printf("%s\n", UUID_STR(m.made.id));
    return code;
}

static int kind_asked(const char *word)
{
    int kind;

    if (!enumx_parse(&space_kind_enumx, word, &kind))
        program_die(CTL_USAGE, "locictl: --kind is namespace, context or pool");
    return kind;
}

static int space_list_command(struct ctl *t)
{
    const char *kind = ctl_option(t, "--kind");
    struct space_filter f = {.kind = kind ? kind_asked(kind) : -1, .status = -1, .limit = 100};
    struct page page = {0};
    int code;

    ctl_act_in_account(t);
    ctl_no_more(t);
    do {
        code = ctl_result(t, space_list(&t->c, &f, &page));
        for (size_t i = 0; !code && i < page.n; i++) {
            const struct space *s = (struct space *)page.items + i;

            printf("%s  %-9s  %-8s  %-42s  %s\n", UUID_STR(s->id), enumx_name(&space_kind_enumx, (int)s->kind),
                   enumx_name(&space_status_enumx, (int)s->status), s->slug, s->name);
        }
        f.cursor = page.next_cursor;
    } while (!code && page.has_more);
    return code;
}

const struct ctl_command ctl_space_commands[] = {
    {"space create", "--account S --name N [--kind context|pool] [--slug S] [--description T] [--owner AGENT] [--read AGENT]... [--write AGENT]...",
     "makes a space (a context, if no kind is said) and lets these agents read or write it; prints its id", space_create_command},
    {"space list", "--account S [--kind namespace|context|pool]", "all spaces: id, kind, status, slug, name", space_list_command},
    {0},
};
