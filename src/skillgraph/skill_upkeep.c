/* Upkeep of skills; see skill_upkeep.h. */
#include "skill_upkeep.h"

#include "db.h"
#include "skill.h"
#include "skill_proposal.h"
#include "skill_upkeep_store.h"

#define STALE_US (30 * (int64_t)DAY_US)

err skill_upkeep_due(struct ctx *c, struct uuid behind, int64_t limit, struct list *out)
{
    return skill_upkeep_store_due(c, behind, limit, out);
}

err skill_upkeep_apply(struct ctx *c, const struct skill_due *rows, size_t n, struct skill_kept *out)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, n + 1);

    *out = (struct skill_kept){0};
    for (size_t i = 0; i < n; i++)
        ids[i] = rows[i].id;
    TRY(skill_upkeep_store_score(c, ids, n, &out->scored));
    TRY(skill_upkeep_store_stale(c, ids, n, (struct instant){c->now.us - STALE_US}, &out->stale));
    for (size_t i = 0; i < n; i++) {
        bool changed;

        TRY(skill_refresh(c, ids[i], &changed));
        out->refreshed += changed;
    }
    return ERR_OK;
}

/* ---- gaps */

err skill_gaps_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    return skill_upkeep_store_accounts(c, above, ids, max, n);
}

static err skill_gap_propose(struct ctx *c, const struct skill_missed *m, bool *made)
{
    struct json *report = json_obj(c->arena);
    struct skill_proposal p = {.name = arena_strndup(c->arena, m->task, str_first_bytes(m->task, 120)), .description = m->task,
                               .needs_editing = true, .research_report = report};
    err e;

    json_set_str(c->arena, report, "topic", m->task);
    json_set_int(c->arena, report, "misses", m->misses);
    e = skill_proposal_of_gap(c, &p);
    *made = e == ERR_OK;
    if (e == ERR_CONFLICT || e == ERR_INVALID) { /* it is proposed already, or its words make no name */
        ctx_forgive(c);
        return ERR_OK;
    }
    return e;
}

err skill_gaps_detect(struct ctx *c, struct skill_gaps *out)
{
    const struct skill_missed *v;
    struct list missed;
    bool made;

    *out = (struct skill_gaps){0};
    TRY(skill_upkeep_store_missed(c, (struct instant){c->now.us - GAP_DAYS * (int64_t)DAY_US}, GAP_MISSES, &missed));
    v = missed.v;
    for (size_t i = 0; i < missed.n; i++) {
        TRY(skill_gap_propose(c, &v[i], &made));
        out->looked++;
        out->proposed += made;
    }
    return ERR_OK;
}
