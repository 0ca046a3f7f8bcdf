/* Where somebody is signed in, for one's own page and for who governs users. */
#include <string.h>

#include "parts_page.h"
#include "session.h"

/* "Firefox on Linux": enough to recognise one's own browsers by. */
static const char *browser_name(struct ctx *c, const char *agent)
{
    static const struct { const char *in, *name; } BROWSERS[] = {
        {"Edg/", "Edge"}, {"OPR/", "Opera"}, {"Firefox/", "Firefox"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"},
        {"curl/", "curl"},
    }, SYSTEMS[] = {
        {"Android", "Android"}, {"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Windows", "Windows"}, {"Mac OS X", "macOS"},
        {"CrOS", "ChromeOS"}, {"Linux", "Linux"},
    };
    const char *browser = NULL, *system = NULL;

    for (size_t i = 0; !browser && i < sizeof BROWSERS / sizeof *BROWSERS; i++)
        browser = strstr(agent, BROWSERS[i].in) ? BROWSERS[i].name : NULL;
    for (size_t i = 0; !system && i < sizeof SYSTEMS / sizeof *SYSTEMS; i++)
        system = strstr(agent, SYSTEMS[i].in) ? SYSTEMS[i].name : NULL;
    if (browser && system)
        return arena_printf(c->arena, "%s on %s", browser, system);
    return browser ? browser : *agent ? agent : "unknown";
}

err put_sessions(struct ctx *c, struct json *m, struct uuid user_id)
{
    struct json *list = put_list(c, m, "sessions");
    struct session *s;
    size_t n;

    TRY(session_list(c, user_id, &s, &n));
    for (size_t i = 0; i < n; i++) {
        struct json *row = add_row(c, list);

        json_set_str(c->arena, row, "id", s[i].id);
        json_set_bool(c->arena, row, "is_current", s[i].current);
        json_set_str(c->arena, row, "ip", s[i].ip);
        json_set_str(c->arena, row, "browser", browser_name(c, s[i].user_agent));
        put_time(c, row, "created_at", s[i].created_at);
        put_time(c, row, "seen_at", s[i].seen_at.us > c->now.us ? c->now : s[i].seen_at);
        put_time(c, row, "ends_at", s[i].ends_at);
    }
    json_set_bool(c->arena, m, "has_others", n > 1);
    return ERR_OK;
}
