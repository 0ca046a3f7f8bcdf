/* API tokens: made, shown once, revoked. */
#include "people_html.h"

#include <string.h>

#include "agent.h"
#include "app.h"
#include "config.h"
#include "limit.h"
#include "model.h"
#include "parts_html.h"
#include "user.h"

/* ---- the list */

static void tokens_page_add_owner(struct ctx *c, struct json *row, const struct token *t, const struct names *names)
{
    bool is_agent = uuid_is_nil(t->user_id);
    struct uuid id = is_agent ? t->agent_id : t->user_id;
    const char *name = names_find(names, id);

    json_set_str(c->arena, row, "owner_kind", is_agent ? "agent" : "user");
    json_set_str(c->arena, row, "owner_name", uuid_eq(id, c->who->id) ? "you" : name ? name :
                 arena_printf(c->arena, "%.8s…", UUID_STR(id)));
    json_set_str(c->arena, row, "owner_href", arena_printf(c->arena, "/admin/%s/%s", is_agent ? "agents" : "users",
                                                           UUID_STR(id)));
}

static void add_token(struct ctx *c, struct json *row, const struct token *t, const struct names *names)
{
    put_thing(c, row, &TOKEN, t);
    tokens_page_add_owner(c, row, t, names);
    json_set_bool(c->arena, row, "all_scopes", !t->scopes.v);
    json_set_bool(c->arena, row, "is_core", t->toolset == TOOLSET_CORE);
    put_token_state(c, row, t);
    json_set_bool(c->arena, row, "may_revoke", str_eq(token_state(c, t), "active"));
}

static err tokens_page_add_list(struct ctx *c, struct page_call *p, const struct names *names)
{
    const char *state = page_query(p, "state");
    struct token_filter f = {.with_revoked = str_eq(state, "all"), .limit = LIMIT_PAGE_DEFAULT,
                             .cursor = page_query(p, "cursor")};
    struct json *list = put_list(c, p->model, "tokens"), *states = put_list(c, p->model, "states");
    const struct token *t;
    struct page page;

    TRY(token_list(c, &f, &page));
    t = page.items;
    for (size_t i = 0; i < page.n; i++)
        add_token(c, add_row(c, list), &t[i], names);
    add_choice(c, states, "", "Not revoked", !f.with_revoked);
    add_choice(c, states, "all", "All", f.with_revoked);
    put_listing(c, p, "/admin/tokens", &page);
    return ERR_OK;
}

/* ---- the form */

static err add_owners(struct ctx *c, struct page_call *p)
{
    struct json *list = put_list(c, p->model, "owners");
    const char *own = arena_printf(c->arena, "user:%s", UUID_STR(c->who->id));
    const char *asked = page_query(p, "agent");
    const char *shown = chosen(p, "owner", asked ? arena_printf(c->arena, "agent:%s", asked) : own);
    const struct agent *a;
    struct page page;

    add_choice(c, list, own, "you", str_eq(shown, own));
    if (!page_may(c, PERM_ACCOUNT_MANAGE))
        return ERR_OK;
    TRY(agent_list(c, &(struct agent_filter){.status = AGENT_ACTIVE, .limit = LIMIT_PAGE}, &page));
    a = page.items;
    for (size_t i = 0; i < page.n; i++) {
        const char *value = arena_printf(c->arena, "agent:%s", UUID_STR(a[i].id));

        add_choice(c, list, value, arena_printf(c->arena, "agent %s", a[i].name), str_eq(shown, value));
    }
    return ERR_OK;
}

static bool is_in(const struct strs *list, const char *s)
{
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(list->v[i], s) == 0)
            return true;
    return false;
}

/* What the caller has, area by area: nobody hands on more. */
static void add_areas(struct ctx *c, struct page_call *p)
{
    struct json *areas = put_list(c, p->model, "areas"), *scopes = NULL;
    struct strs perms = permissions_strs(c->arena, c->who->perms), ticked = {0};
    const char *area = "";

    if (p->is_again)
        ticked = page_form_all(c, p, "scope[]");
    for (size_t i = 0; i < perms.n; i++) {
        const char *s = perms.v[i];
        size_t n = strcspn(s, ".");
        struct json *one;

        if (!scopes || strlen(area) != n || strncmp(area, s, n) != 0) {
            area = arena_strndup(c->arena, s, n);
            one = add_row(c, areas);
            json_set_str(c->arena, one, "area", area);
            scopes = put_list(c, one, "scopes");
        }
        one = add_row(c, scopes);
        json_set_str(c->arena, one, "name", s);
        json_set_bool(c->arena, one, "checked", is_in(&ticked, s));
    }
}

static void add_created(struct ctx *c, struct page_call *p)
{
    const char *token = json_get_str(p->once, "token"), *url = c->app->conf->web_public_url;
    struct json *m;

    if (!token)
        return;
    m = json_set(c->arena, p->model, "created", json_obj(c->arena));
    json_set_str(c->arena, m, "name", json_get_str(p->once, "name"));
    json_set_str(c->arena, m, "token", token);
    json_set_str(c->arena, m, "curl", arena_printf(c->arena,
        "curl -H \"Authorization: Bearer %s\" %s/api/v1/spaces", token, url));
    json_set_str(c->arena, m, "mcp", arena_printf(c->arena,
        "claude mcp add --transport http loci %s/mcp --header \"Authorization: Bearer %s\"", url, token));
}

static void add_toolsets(struct ctx *c, struct page_call *p)
{
    struct json *list = put_list(c, p->model, "toolsets");
    const char *shown = chosen(p, "toolset", "core");

    add_choice(c, list, "core", "core: fifteen tools, few tokens", str_eq(shown, "core"));
    add_choice(c, list, "full", "full: all tools it may call", str_eq(shown, "full"));
}

static err tokens(struct ctx *c, struct page_call *p)
{
    struct names *names;

    TRY(names_load(c, &names));
    TRY(tokens_page_add_list(c, p, names));
    TRY(add_owners(c, p));
    add_areas(c, p);
    add_toolsets(c, p);
    put_lifetimes(c, p->model, "lifetimes", chosen(p, "expires_in_days", "90"), "never expires");
    add_created(c, p);
    json_set_bool(c->arena, p->model, "form_open", p->is_again || page_query(p, "agent"));
    return page_show(p, "tokens");
}

/* ---- making and revoking */

static err read_owner(struct ctx *c, const char *text, struct token *t)
{
    struct uuid id;

    if (!text)
        return ERR_OK;
    if (str_starts(text, "user:") && uuid_parse(text + 5, &id))
        t->user_id = id;
    else if (str_starts(text, "agent:") && uuid_parse(text + 6, &id))
        t->agent_id = id;
    else
        return fail_field(c, "/owner", "choose an item of the list");
    return ERR_OK;
}

/* The service knows owners by their ids; the form has one field for both. */
static err said_in_form_words(struct ctx *c, err e)
{
    e = in_words_of(c, e, "/user_id", "/owner");
    e = in_words_of(c, e, "/agent_id", "/owner");
    return in_words_of(c, e, "/expires_at", "/expires_in_days");
}

static err read_toolset(struct ctx *c, const char *text, struct token *t)
{
    int set = TOOLSET_CORE;

    if (text && !enumx_parse(&toolset_enumx, text, &set))
        return fail_field(c, "/toolset", "choose an item of the list");
    t->toolset = (enum toolset)set;
    return ERR_OK;
}

static err tokens_page_create(struct ctx *c, struct page_call *p)
{
    struct token in = {.name = page_form(p, "name"), .scopes = page_form_all(c, p, "scope[]")};
    struct json *once = json_obj(c->arena);
    struct token t;

    TRY(read_owner(c, page_form(p, "owner"), &in));
    TRY(read_toolset(c, page_form(p, "toolset"), &in));
    TRY(form_lifetime(c, p, "expires_in_days", &in.expires_at));
    TRY(said_in_form_words(c, token_create(c, &in, &t)));
    json_set_str(c->arena, once, "name", t.name);
    json_set_str(c->arena, once, "token", t.secret);
    page_once(p, once);
    return page_go(c, p, "/admin/tokens");
}

static err tokens_page_revoke(struct ctx *c, struct page_call *p)
{
    struct uuid id;
    struct token t;

    TRY(page_id(c, p, 0, &id));
    TRY(token_get(c, id, &t));
    TRY(token_revoke(c, &(struct thing_key){.id = id}));
    page_say(c, p, "ok", "Token \"%s\" revoked: it is refused from now on.", t.name);
    return page_go(c, p, "/admin/tokens");
}

const struct page_row tokens_pages[] = {
    {.method = "GET", .path = "/admin/tokens", .name = "page.tokens", .op = "token.list", .run = tokens,
     .nav = {.label = "API tokens", .icon = "tokens", .key = "k"}},
    {.method = "POST", .path = "/admin/tokens", .name = "page.token.create", .run = tokens_page_create, .again = tokens},
    {.method = "POST", .path = "/admin/tokens/:id/revoke", .name = "page.token.revoke", .run = tokens_page_revoke},
    {0},
};
