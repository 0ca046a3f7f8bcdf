/* Who may reach a space: the table and the form that grants, for the pages of spaces, contexts and pools; see parts_html.h. */
#include "graph_html.h"

#include <string.h>

#include "agent.h"
#include "limit.h"
#include "model.h"
#include "parts_html.h"
#include "team.h"
#include "user.h"

static err grant_page_add_grants(struct ctx *c, struct page_call *p, struct uuid space, const char *at, const struct names *names,
                                 const struct page *teams)
{
    struct json *list = put_list(c, p->model, "grants");
    const struct grant *g;
    struct page page;

    TRY(grant_list(c, space, LIMIT_PAGE, page_query(p, "cursor"), &page));
    g = page.items;
    for (size_t i = 0; i < page.n; i++) {
        struct json *row = put_thing(c, add_row(c, list), &GRANT, &g[i]);

        put_grantee(c, row, &g[i], names, teams);
        put_who(c, row, "granted_by", names, NULL, g[i].granted_by);
    }
    json_set(c->arena, p->model, "pager", model_pager(c->arena, at, p->query, page.next_cursor));
    return ERR_OK;
}

/* ---- the form */

struct choices {
    struct ctx *c;
    struct json *list;
    const char *shown;
};

static void add_grantee(struct choices *ch, enum grantee_kind kind, const char *id, const char *name)
{
    const char *word = enumx_name(&grantee_kind_enumx, (int)kind);
    const char *value = arena_printf(ch->c->arena, "%s:%s", word, id);
    const char *text = kind == GRANTEE_EVERYONE ? name : arena_printf(ch->c->arena, "%s %s", word, name);

    add_choice(ch->c, ch->list, value, text, str_eq(value, ch->shown));
}

static err add_grantees(struct ctx *c, struct page_call *p, const struct page *teams)
{
    struct choices ch = {c, put_list(c, p->model, "grantees"), chosen(p, "grantee", "")};
    const struct team *t = teams->items;
    const struct agent *a;
    const struct user *u;
    struct role *roles;
    struct page page;
    size_t n;

    add_choice(c, ch.list, "", "choose …", str_empty(ch.shown)); /* nobody is let in by inattention */
    add_grantee(&ch, GRANTEE_EVERYONE, "", "everyone in the account");
    TRY(role_list(c, &roles, &n));
    for (size_t i = 0; i < n; i++)
        add_grantee(&ch, GRANTEE_ROLE, roles[i].name, roles[i].name);
    for (size_t i = 0; i < teams->n; i++)
        add_grantee(&ch, GRANTEE_TEAM, UUID_STR(t[i].id), t[i].name);
    TRY(agent_list(c, &(struct agent_filter){.status = AGENT_ACTIVE, .limit = LIMIT_PAGE}, &page));
    a = page.items;
    for (size_t i = 0; i < page.n; i++)
        add_grantee(&ch, GRANTEE_AGENT, UUID_STR(a[i].id), a[i].name);
    TRY(user_list(c, &(struct user_filter){.status = USER_ACTIVE, .limit = LIMIT_PAGE}, &page));
    u = page.items;
    for (size_t i = 0; i < page.n; i++)
        add_grantee(&ch, GRANTEE_USER, UUID_STR(u[i].id), u[i].name);
    return ERR_OK;
}

err put_grants(struct ctx *c, struct page_call *p, struct uuid space, const char *at, const struct names *names, const struct page *teams)
{
    struct json *levels = put_list(c, p->model, "levels");
    const char *shown = chosen(p, "level", enumx_name(&access_level_enumx, ACCESS_READ));

    for (int level = ACCESS_READ; level <= ACCESS_MANAGE; level++)
        add_choice(c, levels, enumx_name(&access_level_enumx, level), enumx_name(&access_level_enumx, level),
                   str_eq(enumx_name(&access_level_enumx, level), shown));
    json_set_str(c->arena, p->model, "grants_at", at);
    put_lifetimes(c, p->model, "lifetimes", chosen(p, "expires_in_days", "0"), "never expires");
    TRY(add_grantees(c, p, teams));
    return grant_page_add_grants(c, p, space, at, names, teams);
}

/* ---- what it does */

static err grant_of_form(struct ctx *c, struct page_call *p, struct uuid space)
{
    const char *who = page_form(p, "grantee"), *level_text = page_form(p, "level");
    const char *colon = who ? strchr(who, ':') : NULL;
    struct grant in = {.space_id = space};
    struct grant g;
    int kind, level;

    if (!colon || !enumx_parse(&grantee_kind_enumx, arena_strndup(c->arena, who, (size_t)(colon - who)), &kind))
        return fail_field(c, "/grantee", "choose an item of the list");
    if (!level_text || !enumx_parse(&access_level_enumx, level_text, &level))
        return fail_field(c, "/level", "choose an item of the list");
    in.grantee_kind = (enum grantee_kind)kind;
    in.grantee_id = colon + 1;
    in.level = (enum access_level)level;
    TRY(form_lifetime(c, p, "expires_in_days", &in.expires_at));
    TRY(in_words_of(c, grant_add(c, &in, &g), "/grantee_id", "/grantee"));
    page_say(c, p, "ok", "Access granted, effective from the next request.");
    return ERR_OK;
}

/* ---- forms that stand on the page of the space, or of what is one */

err post_grant(struct ctx *c, struct page_call *p, const char *folder, const char *tab)
{
    struct uuid id;

    TRY(page_id(c, p, 0, &id));
    TRY(grant_of_form(c, p, id));
    return page_go(c, p, "%s/%s%s", folder, UUID_STR(id), tab);
}

err post_ungrant(struct ctx *c, struct page_call *p, const char *folder, const char *tab)
{
    struct uuid id, grant;

    TRY(page_id(c, p, 0, &id));
    TRY(page_id(c, p, 1, &grant));
    TRY(grant_remove(c, id, grant, 0));
    page_say(c, p, "ok", "Grant revoked.");
    return page_go(c, p, "%s/%s%s", folder, UUID_STR(id), tab);
}

/* ---- a page of its own for it */

err put_access_page(struct ctx *c, struct page_call *p, struct uuid space, enum access_level level, enum permission govern,
                    const char *words, const char *at, const struct names *names)
{
    bool may_grant = level == ACCESS_MANAGE && page_may(c, govern);
    struct page teams;

    json_set_str(c->arena, p->model, "access_words", words);
    json_set_bool(c->arena, p->model, "may_grant", may_grant);
    if (!may_grant)
        return ERR_OK;
    TRY(team_list(c, &(struct team_filter){.limit = LIMIT_PAGE}, &teams));
    return put_grants(c, p, space, at, names, &teams);
}
