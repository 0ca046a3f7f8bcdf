/* locictl migrate, config, doctor, openapi. */
#include <stdio.h>
#include <string.h>

#include "calls.h"
#include "config.h"
#include "ctl.h"
#include "db.h"
#include "health.h"
#include "json.h"
#include "kv.h"
#include "migrate.h"
#include "net.h"
#include "openapi.h"
#include "vector_health.h"

static int migrate_command(struct ctl *t)
{
    bool on_cluster = ctl_flag(t, "--on-cluster");
    struct migrate_report r;
    int code;

    ctl_no_more(t);
    if (!on_cluster && (code = ctl_result(t, migrate_check_alone(&t->c))) != 0)
        return code;
    code = ctl_result(t, migrate_run(&t->c, arena_printf(t->c.arena, "%s/sql", t->p.app.conf->data_dir), &r));
    if (!code)
        printf("%d migrations applied, %d already present; the schema is at %s\n", r.applied, r.present, r.last ? r.last : "nothing");
    return code;
}

static void print_setting(struct ctl *t, const struct json *row)
{
    const char *help = json_get_str(row, "help");

    printf("# %s\n%s = %s    (%s)\n", help, json_get_str(row, "key"), json_text(t->c.arena, json_get(row, "value")),
           json_get_str(row, "source"));
}

static int config_command(struct ctl *t)
{
    bool as_json = ctl_flag(t, "--json");
    struct json *all = config_json(t->c.arena, t->p.app.conf);

    ctl_no_more(t);
    if (as_json) {
        printf("%s", json_text_pretty(t->c.arena, all));
        return 0;
    }
    for (const struct json *row = all->first; row; row = row->next)
        print_setting(t, row);
    return 0;
}

/* The way people come: through the web server, to /readyz. */
static bool ask_web(struct ctl *t)
{
    const char *url = arena_printf(t->c.arena, "%s/readyz", t->p.app.conf->web_public_url), *detail = "answers";
    struct net_answer a = {0};
    bool ok = net_get(&t->c, url, 5, 65536, &a) == ERR_OK && a.status == 200;

    if (!ok)
        detail = a.status ? arena_printf(t->c.arena, "%s says %d", url, a.status) : t->c.fault.message;
    printf("%-5s %-11s %s\n", ok ? "ok" : "DOWN", "web", detail);
    ctx_forgive(&t->c);
    return ok;
}

/* The operator may hear what a client may not: which address, and what the system says. */
static const char *doctor_reason(struct ctl *t, const struct health_part *p)
{
    const char *why = NULL;

    if (!p->ok && strcmp(p->name, "mariadb") == 0)
        why = db_last_error(&t->c);
    else if (!p->ok && strcmp(p->name, "redis") == 0)
        why = kv_why_away(t->c.arena, t->p.app.conf);
    return why && *why ? why : p->detail;
}

static int doctor_command(struct ctl *t)
{
    struct health_part parts[HEALTH_PARTS];
    bool well = true;

    ctl_no_more(t);
    t->p.app.ask_model = vector_health_try;
    health_check(&t->c, parts);
    for (int i = 0; i < HEALTH_PARTS; i++) {
        printf("%-5s %-11s %s\n", parts[i].off ? "off" : parts[i].ok ? "ok" : "DOWN", parts[i].name,
               doctor_reason(t, &parts[i]));
        well &= parts[i].ok || parts[i].off;
    }
    well &= ask_web(t);
    return well ? 0 : CTL_FAILED;
}

static int openapi_command(struct ctl *t)
{
    struct op_table ops = calls_all(t->p.arena);

    ctl_no_more(t);
    printf("%s", json_text_pretty(t->c.arena, openapi_document(t->c.arena, &ops, t->p.app.conf->web_public_url)));
    return 0;
}

const struct ctl_command ctl_system_commands[] = {
    {"migrate", "[--on-cluster]", "creates the schema, or brings it up to date", migrate_command},
    {"config", "[--json]", "the settings in effect and where each comes from; secrets masked", config_command},
    {"doctor", "", "asks every store, and the web server, whether it is well", doctor_command},
    {"openapi", "", "prints the OpenAPI document", openapi_command},
    {0},
};
