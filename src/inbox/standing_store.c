/* The figures of an account in one statement; see standing.h. */
#include "standing.h"

#include "access.h"
#include "db.h"
#include "principal.h"

#define UNRESOLVED "status NOT IN ('resolved','auto_resolved')"

static err standing_read(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct standing_figure *f = row;

    return db_row(q, c, found, OUT(&f->what), OUT(&f->which), OUT(&f->n));
}

/* "… AND agent_id = ?" for an agent: nil is nobody's. */
static void standing_own(struct ctx *c, struct sql *s, const char *group)
{
    if (c->who->kind == PRINCIPAL_AGENT)
        sql_add(s, " AND agent_id = ?", IN(c->who->id));
    sql_add_(s, group, NULL, 0);
}

static void standing_escalations(struct ctx *c, struct sql *s)
{
    sql_add(s, "SELECT 'escalations' AS what, severity AS which, COUNT(*) AS n FROM escalation WHERE account_id = ? AND " UNRESOLVED,
            IN(c->account_id));
    standing_own(c, s, " GROUP BY severity");
    sql_add(s, " UNION ALL SELECT 'overdue', severity, COUNT(*) FROM escalation WHERE account_id = ? AND next_escalation_at < ? AND "
               UNRESOLVED,
            IN(c->account_id), IN(c->now));
    standing_own(c, s, " GROUP BY severity");
    sql_add(s, " UNION ALL SELECT 'exhausted', severity, COUNT(*) FROM escalation WHERE account_id = ? AND exhausted_at IS NOT NULL AND "
               UNRESOLVED,
            IN(c->account_id));
    standing_own(c, s, " GROUP BY severity");
}

static void standing_proposals(struct ctx *c, struct sql *s)
{
    sql_add(s, " UNION ALL SELECT 'proposals', priority, COUNT(*) FROM proposal WHERE account_id = ? AND status = 'pending_review'",
            IN(c->account_id));
    standing_own(c, s, " GROUP BY priority");
    sql_add(s, " UNION ALL SELECT 'proposals_overdue', priority, COUNT(*) FROM proposal WHERE account_id = ? AND "
               "status = 'pending_review' AND review_deadline < ?",
            IN(c->account_id), IN(c->now));
    standing_own(c, s, " GROUP BY priority");
    sql_add(s, " UNION ALL SELECT 'recommendations', recommendation_type, COUNT(*) FROM recommendation WHERE account_id = ? AND status = "
               "'pending' AND (space_id IS NULL OR (1 = 1",
            IN(c->account_id));
    sql_add_in_uuids(s, "space_id", c->access->readable, c->access->n);
    sql_add(s, "))");
    standing_own(c, s, " GROUP BY recommendation_type");
}

static void standing_watched(struct ctx *c, struct sql *s)
{
    sql_add(s, " UNION ALL SELECT 'goals', status, COUNT(*) FROM goal WHERE account_id = ? AND status IN ('pending','active','paused')",
            IN(c->account_id));
    standing_own(c, s, " GROUP BY status");
    sql_add(s, " UNION ALL SELECT 'observations', severity, COUNT(*) FROM observation WHERE account_id = ? AND status = 'open'",
            IN(c->account_id));
    standing_own(c, s, " GROUP BY severity");
    sql_add(s, " UNION ALL SELECT 'tiers', tier, COUNT(*) FROM (SELECT a.id AS agent_id, COALESCE(t.pinned_tier, t.tier, 'supervised') AS "
               "tier FROM agent a LEFT JOIN agent_trust t ON t.account_id = a.account_id AND t.agent_id = a.id WHERE a.account_id = ? AND "
               "a.status = 'active') w WHERE 1 = 1",
            IN(c->account_id));
    standing_own(c, s, " GROUP BY tier");
}

err standing_get(struct ctx *c, struct standing *out)
{
    struct sql s;

    *out = (struct standing){0};
    sql_init(&s, c->arena);
    standing_escalations(c, &s);
    standing_proposals(c, &s);
    standing_watched(c, &s);
    return sql_rows(c, &s, STANDING_FIGURES, sizeof(struct standing_figure), standing_read, &out->figures.v, &out->figures.n);
}
