/* Settings and health: whether all is well, versions, vector kernels, and the effective configuration. */
#include "graph_html.h"

#include <ctype.h>
#include <string.h>

#include "account.h"
#include "app.h"
#include "config.h"
#include "machine.h"
#include "model.h"
#include "parts_html.h"

/* ---- lights */

static const char *part_name(const char *name)
{
    static const struct { const char *name, *text; } NAMES[] = {
        {"mariadb", "MariaDB"}, {"redis", "Redis"}, {"migrations", "Migrations"}, {"model", "Embedding model"},
        {"index", "Recall index"}, {"escalations", "Escalations"},
    };

    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        if (strcmp(NAMES[i].name, name) == 0)
            return NAMES[i].text;
    return name;
}

static void health_page_add_light(struct ctx *c, struct json *list, const struct health_part *p, const char *href)
{
    struct json *one = add_row(c, list);

    json_set_str(c->arena, one, "name", part_name(p->name));
    json_set_str(c->arena, one, "state", p->off ? "off" : p->ok ? "ok" : p->needed ? "bad" : "warn");
    json_set_str(c->arena, one, "text", p->detail);
    json_set_str(c->arena, one, "detail", p->off || !p->us ? NULL : arena_printf(c->arena, p->ok ? "answered in %.1f ms"
                                                                                           : "failed after %.1f ms", (double)p->us / 1000));
    json_set_str(c->arena, one, "href", href);
}

struct json *health_lights(struct ctx *c, const struct health_part *parts, size_t n, const char *href)
{
    struct health_part index = {.name = "index", .ok = true}, asked = {.name = "escalations"};
    struct json *list = json_arr(c->arena);

    for (size_t i = 0; i < n; i++)
        health_page_add_light(c, list, &parts[i], href);
    if (c->app->ask_index && c->app->ask_index(c, &index) == ERR_OK)
        health_page_add_light(c, list, &index, href);
    if (c->app->ask_escalations && page_may(c, PERM_OVERSIGHT_READ) && c->app->ask_escalations(c, &asked) == ERR_OK)
        health_page_add_light(c, list, &asked, "/admin/escalations?status=exhausted");
    ctx_forgive(c);
    return list;
}

#define INDEXES_SHOWN 50
#define OUTCOME_BYTES 500 /* of what a test says: it travels in a cookie */

static void add_overall(struct ctx *c, struct json *m, const struct health_part *parts, size_t n)
{
    bool ready = health_ready(parts, n), bad = false;

    for (const struct json *light = json_get(m, "health")->first; light; light = light->next)
        bad = bad || str_eq(json_get_str(light, "state"), "bad");
    json_set(c->arena, m, "overall", model_badge(c->arena, ready && !bad ? "ok" : "bad",
                                                 !ready ? "not ready" : bad ? "needs attention" : "all OK"));
}

static void add_version(struct ctx *c, struct json *list, const char *name, const char *value)
{
    struct json *one = add_row(c, list);

    json_set_str(c->arena, one, "name", name);
    json_set_str(c->arena, one, "value", value);
}

static void add_machine(struct ctx *c, struct json *m, const struct health_part *parts, size_t n)
{
    struct json *versions = put_list(c, m, "versions"), *simd = json_set(c->arena, m, "simd", json_obj(c->arena)), *list;
    struct machine machine = machine_describe(c);

    add_version(c, versions, "Loci", machine.loci);
    for (size_t i = 0; i < n; i++)
        if (strcmp(parts[i].name, "mariadb") == 0 && parts[i].ok)
            add_version(c, versions, "MariaDB", parts[i].detail);
    if (machine.redis)
        add_version(c, versions, "Redis", machine.redis);
    for (const struct library *l = c->app->libraries; l && l->name; l++)
        add_version(c, versions, l->name, l->version);
    add_version(c, versions, "Compiler", machine.compiler);
    add_version(c, versions, "Host", machine.host);
    json_set_str(c->arena, simd, "used", machine.kernels);
    json_set_bool(c->arena, simd, "forced", machine.kernels_forced);
    list = put_list(c, simd, "available");
    for (size_t i = 0; i < machine.kernels_available.n; i++)
        json_push(list, json_str(c->arena, machine.kernels_available.v[i]));
}

/* ---- the recall index: one's own account, for operators all that are in memory */

static const char *account_name(const struct ctx *c, const struct account *all, size_t n, struct uuid id)
{
    for (size_t i = 0; i < n; i++)
        if (uuid_eq(all[i].id, id))
            return all[i].slug;
    return uuid_eq(id, c->account_id) ? c->who->account_slug : "deleted account";
}

static err add_index(struct ctx *c, struct json *m)
{
    struct health_index rows[INDEXES_SHOWN];
    struct account *accounts = NULL;
    size_t n, n_accounts = 0;
    struct json *list;

    if (!c->app->list_indexes)
        return ERR_OK;
    c->app->list_indexes(c, c->who->is_operator, rows, INDEXES_SHOWN, &n);
    if (c->who->is_operator && n)
        TRY(account_list(c, &accounts, &n_accounts));
    list = put_list(c, json_set(c->arena, m, "index", json_obj(c->arena)), "rows");
    for (size_t i = 0; i < n; i++) {
        struct json *row = add_row(c, list);

        json_set_str(c->arena, row, "account", account_name(c, accounts, n_accounts, rows[i].account_id));
        json_set_str(c->arena, row, "nodes", model_count(c->arena, rows[i].nodes));
        json_set_str(c->arena, row, "bytes", model_bytes(c->arena, rows[i].bytes));
        json_set_str(c->arena, row, "age", rows[i].reading ? NULL : model_duration(c->arena, rows[i].age_us));
        put_badge(c, row, rows[i].reading ? "info" : "ok", rows[i].reading ? "loading" : rows[i].codes_only ? "codes only" : "whole");
    }
    return ERR_OK;
}

/* ---- providers, which one may ask now whether they answer */

static const struct provider {
    const char *key, *name;
} PROVIDERS[] = {{"model", "Embedding model"}, {"llm", "Language model"}};

#define N_PROVIDERS (sizeof PROVIDERS / sizeof *PROVIDERS)

/* What the installation uses; where it is, operators know. */
static const char *provider_text(struct ctx *c, const char *key, const struct health_part *parts, size_t n)
{
    const struct config *conf = c->app->conf;

    for (size_t i = 0; i < n; i++)
        if (strcmp(parts[i].name, key) == 0)
            return parts[i].detail;
    if (!*conf->llm_url || !*conf->llm_model)
        return "not configured: rules are used instead";
    return c->who->is_operator ? arena_printf(c->arena, "%s at %s", conf->llm_model, conf->llm_url) : conf->llm_model;
}

static void add_providers(struct ctx *c, struct page_call *p, const struct health_part *parts, size_t n)
{
    struct json *list = put_list(c, p->model, "providers");
    const char *tested = json_get_str(p->once, "provider");

    for (size_t i = 0; i < N_PROVIDERS; i++) {
        struct json *row = add_row(c, list);
        bool is_llm = strcmp(PROVIDERS[i].key, "llm") == 0;

        json_set_str(c->arena, row, "key", PROVIDERS[i].key);
        json_set_str(c->arena, row, "name", PROVIDERS[i].name);
        json_set_str(c->arena, row, "text", provider_text(c, PROVIDERS[i].key, parts, n));
        json_set_bool(c->arena, row, "may_test", page_may(c, PERM_ACCOUNT_MANAGE) && (is_llm ? *c->app->conf->llm_url != 0 : true));
        json_set(c->arena, row, "result", str_eq(tested, PROVIDERS[i].key) ? arena_memdup(c->arena, p->once, sizeof *p->once)
                                                                           : json_new(c->arena, JSON_NULL));
    }
}

/* Asks one of them, and tells the next page what came of it. */
static err test_provider(struct ctx *c, struct page_call *p)
{
    const char *key = page_form(p, "provider");
    bool is_llm = str_eq(key, "llm");
    err (*ask)(struct ctx *, struct health_part *) = is_llm ? c->app->try_llm : c->app->try_model;
    struct health_part part = {.detail = ""};
    struct json *once = json_obj(c->arena);
    int64_t began = clock_monotonic_us();
    err e;

    if (!is_llm && !str_eq(key, "model"))
        return fail_field(c, "/provider", "choose an item of the list");
    e = ask ? ask(c, &part) : fail(c, ERR_UNAVAILABLE, "this program uses no model");
    if (e != ERR_OK)
        part.detail = c->fault.message ? c->fault.message : err_info(e)->meaning;
    json_set_str(c->arena, once, "provider", key);
    json_set_str(c->arena, once, "text", arena_strndup(c->arena, part.detail, strnlen(part.detail, OUTCOME_BYTES)));
    json_set_str(c->arena, once, "took", arena_printf(c->arena, "%.1f ms", (double)(clock_monotonic_us() - began) / 1000));
    json_set(c->arena, once, "status", e != ERR_OK ? model_badge(c->arena, "bad", "does not answer")
             : part.off ? model_badge(c->arena, "off", "off") : model_badge(c->arena, "ok", "answers"));
    put_time(c, once, "at", c->now);
    ctx_forgive(c);
    page_once(p, once);
    return page_go(c, p, "/admin/settings#providers");
}

/* ---- backups: what there is, and what there is not */

static err last_export(struct ctx *c, const struct page_call *p, struct json **out)
{
    struct json *limit = json_obj(c->arena);
    const struct json *last;
    struct call_result r;
    struct instant at;

    *out = json_new(c->arena, JSON_NULL);
    json_set_int(c->arena, limit, "limit", 1);
    TRY(page_run(c, p, "export.list", limit, &r));
    last = r.data->first;
    if (!last)
        return ERR_OK;
    *out = json_obj(c->arena);
    json_set_str(c->arena, *out, "state", json_get_str(last, "status"));
    json_set_str(c->arena, *out, "bytes", model_bytes(c->arena, json_get_int(last, "bytes", 0)));
    put_time(c, *out, "at", instant_parse(json_get_str(last, "created_at"), &at) ? at : c->now);
    return ERR_OK;
}

static err add_backup(struct ctx *c, struct page_call *p)
{
    struct json *m = json_set(c->arena, p->model, "backup", json_obj(c->arena)), *last = json_new(c->arena, JSON_NULL);
    bool may_export = page_may(c, PERM_EXPORT_RUN);

    if (may_export)
        TRY(last_export(c, p, &last));
    json_set_bool(c->arena, m, "may_export", may_export);
    json_set(c->arena, m, "last", last);
    return ERR_OK;
}

/* ---- the configuration, which shows what belongs to the whole installation: for operators */

static const char *plain(struct ctx *c, const struct json *j)
{
    if (json_is(j, JSON_STR))
        return j->len ? j->s : NULL;
    return json_is(j, JSON_BOOL) ? (j->b ? "yes" : "no") : json_text(c->arena, j);
}

/* The environment's name of "db.socket" is LOCI_DB_SOCKET. */
static const char *variable(struct ctx *c, const char *key)
{
    char *v = arena_printf(c->arena, "LOCI_%s", key);

    for (char *p = v; *p; p++)
        *p = *p == '.' ? '_' : (char)toupper((unsigned char)*p);
    return v;
}

static struct json *section_of(struct ctx *c, struct json *sections, const char *key)
{
    const char *name = arena_strndup(c->arena, key, strcspn(key, "."));
    struct json *last = sections->last;

    if (!last || !str_eq(json_get_str(last, "section"), name)) {
        last = add_row(c, sections);
        json_set_str(c->arena, last, "section", name);
        put_list(c, last, "keys");
    }
    return json_get(last, "keys");
}

static void add_config(struct ctx *c, struct json *m)
{
    const struct json *all = config_json(c->arena, c->app->conf);
    struct json *sections;

    json_set_str(c->arena, m, "config_file", c->app->conf->file);
    if (!c->who->is_operator)
        return;
    sections = put_list(c, m, "config");
    for (const struct json *k = all->first; k; k = k->next) {
        const char *key = json_get_str(k, "key"), *source = json_get_str(k, "source");
        struct json *row = add_row(c, section_of(c, sections, key));

        json_set_str(c->arena, row, "key", key + strcspn(key, ".") + 1);
        json_set_str(c->arena, row, "value", plain(c, json_get(k, "value")));
        json_set_str(c->arena, row, "source", strrchr(source, '/') ? strrchr(source, '/') + 1 : source);
        json_set_bool(c->arena, row, "is_default", str_eq(source, "default"));
        json_set_str(c->arena, row, "default", plain(c, json_get(k, "default")));
        json_set_str(c->arena, row, "help", json_get_str(k, "help"));
        json_set_str(c->arena, row, "variable", variable(c, key));
    }
}

static err health_page(struct ctx *c, struct page_call *p)
{
    struct health_part parts[HEALTH_PARTS];
    size_t n = health_check(c, parts);

    json_set(c->arena, p->model, "health", health_lights(c, parts, n, NULL));
    add_overall(c, p->model, parts, n);
    add_machine(c, p->model, parts, n);
    add_providers(c, p, parts, n);
    TRY(add_index(c, p->model));
    TRY(add_backup(c, p));
    add_config(c, p->model);
    return page_show(p, "settings");
}

const struct page_row health_pages[] = {
    {.method = "GET", .path = "/admin/settings", .name = "page.settings", .perm = PERM_ACCOUNT_READ, .run = health_page,
     .nav = {.label = "Settings", .icon = "settings", .key = "h"}},
    {.method = "POST", .path = "/admin/settings/test", .name = "page.settings.test", .perm = PERM_ACCOUNT_MANAGE, .run = test_provider,
     .again = health_page},
    {0},
};
