/* The page Facts and policies: domains, what is believed in them and what must be obeyed; one policy; one domain with its grants. */
#include "domain.h"
#include "fact_read.h"
#include "limit.h"
#include "parts_html.h"
#include "policy.h"
#include "policy_html.h"

#define FACTS_SHOWN 25
#define DOMAINS_SHOWN 100

static err policies_put_domains(struct ctx *c, struct page_call *p, struct json *form)
{
    struct json *options = json_arr(c->arena), *names = put_list(c, p->model, "domain_choices");
    const char *now = page_query(p, "domain");
    const struct domain *v;
    struct page page;

    TRY(domain_list(c, &(struct thing_page){.limit = DOMAINS_SHOWN}, &page));
    put_things(c, p->model, "domains", &DOMAIN, &page);
    v = page.items;
    add_choice(c, names, "", "all", !now);
    for (size_t i = 0; i < page.n; i++) {
        add_choice(c, names, v[i].name, v[i].label, str_eq(v[i].name, now));
        if (v[i].access >= ACCESS_WRITE)
            add_choice(c, options, v[i].name, v[i].label, str_eq(v[i].name, chosen(p, "domain", now)));
    }
    json_set_bool(c->arena, p->model, "may_write", options->first != NULL);
    json_set(c->arena, p->model, "writable", json_raw(c->arena, json_text(c->arena, options)));
    form_choices(c, form, "domain", options);
    return ERR_OK;
}

static err policies_put_facts(struct ctx *c, struct page_call *p)
{
    struct fact_filter f = {.q = page_query(p, "q"), .domain = page_query(p, "domain"), .limit = FACTS_SHOWN};
    struct page page;

    TRY(fact_list(c, &f, &page));
    put_things(c, p->model, "facts", &FACT, &page);
    return ERR_OK;
}

static err policies_put_suggestions(struct ctx *c, struct page_call *p)
{
    struct json *rows = put_list(c, p->model, "suggestions");
    const struct policy_suggestion *v;
    struct policy_suggestions s;

    TRY(policy_suggest(c, &s));
    v = s.suggestions.v;
    for (size_t i = 0; i < s.suggestions.n; i++) {
        struct json *row = add_row(c, rows);

        json_set_str(c->arena, row, "domain", v[i].domain);
        json_set_str(c->arena, row, "topic", v[i].topic);
        json_set_int(c->arena, row, "facts", v[i].facts);
    }
    return ERR_OK;
}

static err policies_page(struct ctx *c, struct page_call *p)
{
    struct policy_filter f = {.active = -1, .domain = page_query(p, "domain"), .q = page_query(p, "q"), .stale = page_query(p, "stale"),
                              .limit = LIMIT_PAGE_DEFAULT, .cursor = page_query(p, "cursor")};
    struct page page;
    struct json *form;

    TRY(policy_list(c, &f, &page));
    put_things(c, p->model, "policies", &POLICY, &page);
    put_listing(c, p, "/admin/policies", &page);
    form = put_form(c, p, "fields", &POLICY, COL_CREATE, NULL);
    TRY(policies_put_domains(c, p, form));
    TRY(policies_put_facts(c, p));
    TRY(policies_put_suggestions(c, p));
    json_set_bool(c->arena, p->model, "stale", f.stale);
    json_set_bool(c->arena, p->model, "form_open", p->is_again);
    return page_show(p, "policies");
}

/* ---- one policy */

static err policy_put_sources(struct ctx *c, struct json *rows, const struct uuids *ids)
{
    for (size_t i = 0; i < ids->n; i++) {
        struct fact f;
        err e = fact_get(c, ids->v[i], &f);

        if (e == ERR_NOT_FOUND) {
            ctx_forgive(c);
            continue;
        }
        TRY(e);
        put_thing(c, add_row(c, rows), &FACT, &f);
    }
    return ERR_OK;
}

static err policy_page(struct ctx *c, struct page_call *p)
{
    struct policy row;
    struct uuid id;

    TRY(page_id(c, p, 0, &id));
    TRY(policy_get(c, id, &row));
    put_thing(c, json_set(c->arena, p->model, "policy", json_obj(c->arena)), &POLICY, &row);
    TRY(policy_put_sources(c, put_list(c, p->model, "sources"), &row.source_fact_ids));
    put_form(c, p, "fields", &POLICY, COL_PATCH, &row);
    json_set_bool(c->arena, p->model, "may_edit", access_may_write(c, row.space_id) && page_may(c, PERM_POLICY_WRITE) &&
                  str_eq(row.status, "active"));
    return page_show(p, "policy");
}

/* ---- one domain */

static err domain_put_grants(struct ctx *c, struct page_call *p, const char *name)
{
    struct json *grants = put_list(c, p->model, "grants"), *others = put_list(c, p->model, "others"), *row;
    const struct domain_grant *g;
    const struct domain_guest *o;
    struct domain_grants all;

    TRY(domain_grants_get(c, name, &all));
    g = all.grants.v;
    o = all.others.v;
    for (size_t i = 0; i < all.grants.n; i++) {
        row = add_row(c, grants);
        json_set_str(c->arena, row, "role", g[i].agent_role);
        json_set_str(c->arena, row, "permission", enumx_name(&access_level_enumx, (int)g[i].permission));
    }
    for (size_t i = 0; i < all.others.n; i++) {
        row = add_row(c, others);
        json_set_str(c->arena, row, "kind", o[i].grantee_kind);
        json_set_str(c->arena, row, "who", o[i].grantee_id);
        json_set_str(c->arena, row, "level", enumx_name(&access_level_enumx, (int)o[i].level));
    }
    return ERR_OK;
}

static err domain_page(struct ctx *c, struct page_call *p)
{
    struct json *levels = put_list(c, p->model, "levels");
    const char *level = chosen(p, "permission", "read");
    struct domain d;
    bool may;

    TRY(domain_get(c, p->params[0], &d));
    put_thing(c, json_set(c->arena, p->model, "domain", json_obj(c->arena)), &DOMAIN, &d);
    may = d.access >= ACCESS_MANAGE && page_may(c, PERM_POLICY_MANAGE);
    json_set_bool(c->arena, p->model, "may_manage", may);
    for (int i = ACCESS_NONE; i <= ACCESS_WRITE; i++)
        add_choice(c, levels, enumx_name(&access_level_enumx, i), enumx_name(&access_level_enumx, i),
                   str_eq(level, enumx_name(&access_level_enumx, i)));
    if (may)
        TRY(domain_put_grants(c, p, d.name));
    return page_show(p, "memory_domain");
}

const struct page_row policy_pages[] = {
    {.method = "GET", .path = "/admin/policies", .name = "page.policies", .op = "policy.list", .perm = PERM_POLICY_READ,
     .run = policies_page, .nav = {.label = "Facts and policies", .icon = "audit", .key = "c"}},
    {.method = "POST", .path = "/admin/policies", .name = "page.policy.create", .perm = PERM_POLICY_WRITE, .does = "policy.create",
     .said = "Policy created.", .go = "/admin/policies/:made", .again = policies_page},
    {.method = "POST", .path = "/admin/policies/facts", .name = "page.fact.record", .perm = PERM_BELIEF_WRITE, .does = "fact.record",
     .said = "Fact recorded.", .go = "/admin/policies", .again = policies_page},
    {.method = "POST", .path = "/admin/policies/domains", .name = "page.domain.create", .perm = PERM_POLICY_MANAGE,
     .does = "domain.create", .said = "Domain created. Grant it to the roles that need it.", .go = "/admin/policies/domains/:made",
     .again = policies_page},
    {.method = "GET", .path = "/admin/policies/domains/:name", .name = "page.domain", .op = "domain.get", .perm = PERM_POLICY_READ,
     .run = domain_page},
    {.method = "POST", .path = "/admin/policies/domains/:name/grants", .name = "page.domain.grant", .perm = PERM_POLICY_MANAGE,
     .does = "domain.grant", .said = "Saved. It holds from the next request on.", .go = "/admin/policies/domains/:name",
     .again = domain_page},
    {.method = "POST", .path = "/admin/policies/domains/:name/delete", .name = "page.domain.delete", .perm = PERM_POLICY_MANAGE,
     .does = "domain.delete", .said = "Domain deleted.", .go = "/admin/policies", .again = domain_page},
    {.method = "GET", .path = "/admin/policies/:id", .name = "page.policy", .op = "policy.get", .perm = PERM_POLICY_READ,
     .run = policy_page},
    {.method = "POST", .path = "/admin/policies/:id", .name = "page.policy.update", .perm = PERM_POLICY_WRITE, .does = "policy.update",
     .said = "Saved.", .go = "/admin/policies/:id", .again = policy_page},
    {.method = "POST", .path = "/admin/policies/:id/supersede", .name = "page.policy.supersede", .perm = PERM_POLICY_WRITE,
     .does = "policy.supersede", .said = "Superseded.", .go = "/admin/policies/:id", .again = policy_page},
    {0},
};
