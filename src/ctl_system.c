/* locictl migrate, config, openapi. */
#include <stdio.h>
#include <string.h>

#include "calls.h"
#include "config.h"
#include "ctl.h"
#include "json.h"
#include "migrate.h"
#include "openapi.h"
#include "str.h"
#include "wake.h"

#define CLOCK_MOVE_MAX_S (3650LL * 86400)

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

/* "90", "90s", "15m", "12h", "30d"; at most ten years. */
static bool read_span(const char *text, int64_t *us)
{
    static const struct {
        char unit;
        int64_t seconds;
    } UNITS[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}};
    size_t n = strspn(text, "0123456789");
    int64_t factor = text[n] ? 0 : 1, number;
    char digits[12];

    for (size_t i = 0; i < sizeof UNITS / sizeof *UNITS; i++)
        if (text[n] == UNITS[i].unit && !text[n + 1])
            factor = UNITS[i].seconds;
    if (!factor || n == 0 || n >= sizeof digits)
        return false;
    memcpy(digits, text, n);
    digits[n] = 0;
    if (!str_to_i64(digits, &number) || number > CLOCK_MOVE_MAX_S / factor)
        return false;
    *us = number * factor * SECOND_US;
    return true;
}

static int clock_move_command(struct ctl *t)
{
    const char *by = ctl_word(t);
    char now[INSTANT_TEXT];
    int64_t us;

    ctl_no_more(t);
    if (!by || !read_span(by, &us))
        return ctl_result(t, fail(&t->c, ERR_INVALID, "say how far: 90s, 15m, 12h or 30d, at most ten years"));
    if (!*t->p.app.conf->debug_clock_file)
        return ctl_result(t, fail(&t->c, ERR_CONFLICT, "the clock cannot be moved: debug.clock_file is not set"));
    clock_move(us);
    wake_now(&t->c);
    printf("%s\n", instant_text(clock_now(), now));
    return 0;
}

const struct ctl_command ctl_system_commands[] = {
    {"migrate", "[--on-cluster]", "creates the schema, or brings it up to date", migrate_command},
    {"config", "[--json]", "the settings in effect and where each comes from; secrets masked", config_command},
    {"openapi", "", "prints the OpenAPI document", openapi_command},
    {"clock move", "90s|15m|12h|30d", "for tests: moves the clock of all programs with debug.clock_file", clock_move_command},
    {0},
};
