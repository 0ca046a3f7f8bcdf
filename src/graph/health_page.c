/* Settings and health: whether all is well, versions, vector kernels, and the effective configuration. */
#include "graph_page.h"

#include <ctype.h>
#include <string.h>

#include "app.h"
#include "config.h"
#include "machine.h"
#include "model.h"
#include "parts_page.h"

static void add_overall(struct ctx *c, struct json *m, const struct health_part parts[HEALTH_PARTS])
{
    bool ready = health_ready(parts);

    json_set(c->arena, m, "overall", model_badge(c->arena, ready ? "ok" : "bad", ready ? "all is well" : "not ready"));
}

static void add_version(struct ctx *c, struct json *list, const char *name, const char *value)
{
    struct json *one = add_row(c, list);

    json_set_str(c->arena, one, "name", name);
    json_set_str(c->arena, one, "value", value);
}

static void add_machine(struct ctx *c, struct json *m, const struct health_part parts[HEALTH_PARTS])
{
    struct json *versions = put_list(c, m, "versions"), *simd = json_set(c->arena, m, "simd", json_obj(c->arena)), *list;
    struct machine machine = machine_describe(c);

    add_version(c, versions, "Loci", machine.loci);
    for (int i = 0; i < HEALTH_PARTS; i++)
        if (strcmp(parts[i].name, "mariadb") == 0 && parts[i].ok)
            add_version(c, versions, "MariaDB", parts[i].detail);
    add_version(c, versions, "Compiler", machine.compiler);
    add_version(c, versions, "Host", machine.host);
    json_set_str(c->arena, simd, "used", machine.kernels);
    json_set_bool(c->arena, simd, "forced", machine.kernels_forced);
    list = put_list(c, simd, "available");
    for (size_t i = 0; i < machine.kernels_available.n; i++)
        json_push(list, json_str(c->arena, machine.kernels_available.v[i]));
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

    health_check(c, parts);
    json_set(c->arena, p->model, "health", health_lights(c, parts, NULL));
    add_overall(c, p->model, parts);
    add_machine(c, p->model, parts);
    add_config(c, p->model);
    return page_show(p, "settings");
}

const struct page_row health_pages[] = {
    {.method = "GET", .path = "/admin/settings", .name = "page.settings", .perm = PERM_ACCOUNT_READ, .run = health_page,
     .nav = {.label = "Settings", .icon = "settings", .key = "h"}},
    {0},
};
