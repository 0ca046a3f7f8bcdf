/* Log messages and progress, for clients that ask for them. */
#include <math.h>
#include <string.h>

#include "mcp_impl.h"

static int level_rank(const char *level)
{
    static const char *const LEVELS[] = {"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"};

    for (int i = 0; i < (int)(sizeof LEVELS / sizeof *LEVELS); i++)
        if (str_eq(level, LEVELS[i]))
            return i;
    return -1;
}

/* A client of an older revision says its level once, to a server that keeps no sessions: it gets what is worth saying. */
void mcp_say(struct ctx *c, struct mcp *m, const char *level, struct json *data)
{
    struct json *p;

    if (!m->peer || !m->peer->notify || (m->is_modern && (!m->log_level || level_rank(level) < level_rank(m->log_level))))
        return;
    p = json_obj(c->arena);
    json_set_str(c->arena, p, "level", level);
    json_set_str(c->arena, p, "logger", "loci");
    json_set(c->arena, p, "data", data);
    m->peer->notify(c, m, "notifications/message", p);
}

void mcp_progress(struct ctx *c, struct mcp *m, double done, double total)
{
    struct json *p;

    if (!m->peer || !m->peer->notify || !m->progress)
        return;
    p = json_obj(c->arena);
    json_set(c->arena, p, "progressToken", arena_memdup(c->arena, m->progress, sizeof *m->progress));
    json_set(c->arena, p, "progress", json_num(c->arena, done));
    if (total > 0)
        json_set(c->arena, p, "total", json_num(c->arena, total));
    m->peer->notify(c, m, "notifications/progress", p);
}
