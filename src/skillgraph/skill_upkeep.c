/* Upkeep of skills; see skill_upkeep.h. */
#include "skill_upkeep.h"

#include "db.h"
#include "recommendation.h"
#include "skill.h"
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

static err skill_gap_advise(struct ctx *c, const struct skill_missed *m, bool *made)
{
    struct json *evidence = json_obj(c->arena), *config = json_obj(c->arena);

    json_set_str(c->arena, evidence, "topic", m->task);
    json_set_int(c->arena, evidence, "misses", m->misses);
    json_set_str(c->arena, config, "name", arena_strndup(c->arena, m->task, str_first_bytes(m->task, 120)));
    json_set_str(c->arena, config, "description", m->task);
    return recommendation_add(c, &(struct recommendation){
        .recommendation_type = ADVISE_CREATE, .target_kind = "account", .target_id = c->account_id,
        .title = arena_printf(c->arena, "Write a skill: %s", json_get_str(config, "name")),
        .description = "This task was asked again and again, and no skill fits it.", .confidence = .5, .evidence = evidence,
        .recommended_config = config}, made);
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
        TRY(skill_gap_advise(c, &v[i], &made));
        out->looked++;
        out->recommended += made;
    }
    return ERR_OK;
}
