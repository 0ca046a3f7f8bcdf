/* locictl migrate, config, openapi. */
#include <stdio.h>
#include <string.h>

#include "calls.h"
#include "config.h"
#include "ctl.h"
#include "json.h"
#include "migrate.h"
#include "openapi.h"

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
    {"openapi", "", "prints the OpenAPI document", openapi_command},
    {0},
};
