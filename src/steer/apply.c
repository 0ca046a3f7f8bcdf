/* What each kind of recommendation does, and its way back; see apply.h. */
#include "apply.h"

#include "access.h"
#include "db.h"
#include "edge.h"
#include "intervention.h"
#include "junk.h"
#include "limit.h"
#include "skill.h"
#include "skill_proposal.h"
#include "thing.h"

/* What the room that owns the change asks of a caller, how it is done (back: what an undo needs), and how undone. */
struct applier {
    enum permission perm;
    err (*apply)(struct ctx *c, const struct recommendation *r, const struct json *config, struct json *back);
    err (*undo)(struct ctx *c, const struct json *back);
};

static err apply_id(struct ctx *c, const struct json *from, const char *name, struct uuid *out)
{
    const char *text = json_get_str(from, name);

    return text && uuid_parse(text, out) ? ERR_OK : fail(c, ERR_CONFLICT, "the recommendation does not say %s", name);
}

static void apply_keep(struct ctx *c, struct json *back, const char *name, struct uuid id)
{
    json_set_str(c->arena, back, name, arena_strdup(c->arena, UUID_STR(id)));
}

/* ---- skills */

static err apply_merge(struct ctx *c, const struct recommendation *r, const struct json *config, struct json *back)
{
    struct skill_move m = {.to = SKILL_DEPRECATED, .reason = r->title};
    struct skill done;

    TRY(apply_id(c, config, "merge", &m.id));
    TRY(apply_id(c, config, "keep", &m.replaced_by));
    apply_keep(c, back, "skill_id", m.id);
    return skill_move(c, &m, &done);
}

static err apply_undo_merge(struct ctx *c, const struct json *back)
{
    struct skill_move m = {.to = SKILL_ACTIVE};
    struct skill done;

    TRY(apply_id(c, back, "skill_id", &m.id));
    return skill_move(c, &m, &done);
}

static err apply_connect(struct ctx *c, const struct recommendation *r, const struct json *config, struct json *back)
{
    struct edge_new e = {EDGE_NEW_DEFAULTS, .relation = json_get_str(config, "relation")};
    struct edge made;

    TRY(apply_id(c, config, "source_id", &e.source_id));
    TRY(apply_id(c, config, "target_id", &e.target_id));
    e.confidence = r->confidence;
    TRY(edge_create(c, &e, &made));
    apply_keep(c, back, "edge_id", made.id);
    return ERR_OK;
}

static err apply_undo_connect(struct ctx *c, const struct json *back)
{
    struct uuid id;

    TRY(apply_id(c, back, "edge_id", &id));
    return edge_retire(c, id, 0);
}

/* An experiment is not served by itself. */
static err apply_refine(struct ctx *c, const struct recommendation *r, const struct json *config, struct json *back)
{
    struct skill_change ch = {.to = {.id = r->target_id}, .origin = SKILL_OF_EVOLUTION};
    struct skill was, done;

    TRY(skill_get(c, r->target_id, &was));
    if (!json_get_str(config, "body"))
        return fail(c, ERR_CONFLICT, "the recommendation has no text");
    change_to(&ch, body, json_get_str(config, "body"));
    change_to(&ch, change_type, CHANGE_EXPERIMENTAL);
    change_to(&ch, change_reason, r->title);
    apply_keep(c, back, "skill_id", was.id);
    apply_keep(c, back, "version_id", was.active_version_id);
    return skill_update(c, &ch, &done);
}

/* The version stays, as all do; what was served before is served. */
static err apply_undo_refine(struct ctx *c, const struct json *back)
{
    struct thing_key was = {0};
    struct skill_version v;
    struct skill now;
    struct uuid id;

    TRY(apply_id(c, back, "skill_id", &id));
    TRY(apply_id(c, back, "version_id", &was.id));
    TRY(skill_get(c, id, &now));
    return uuid_eq(now.active_version_id, was.id) ? ERR_OK : skill_version_activate(c, &was, &v);
}

static err apply_create(struct ctx *c, const struct recommendation *r, const struct json *config, struct json *back)
{
    struct skill_proposal p = {.name = json_get_str(config, "name"), .description = json_get_str(config, "description"),
                               .category = json_get_str(config, "category"), .body = json_get_str(config, "body"),
                               .research_report = r->evidence};
    struct skill_proposal made;

    if (!p.name)
        return fail(c, ERR_CONFLICT, "the recommendation has no name");
    p.description = p.description ? p.description : r->title;
    TRY(skill_proposal_make(c, &p, &made));
    apply_keep(c, back, "proposal_id", made.id);
    return ERR_OK;
}

static err apply_undo_create(struct ctx *c, const struct json *back)
{
    struct thing_key key = {0};
    struct skill_proposal p;

    TRY(apply_id(c, back, "proposal_id", &key.id));
    return skill_proposal_withdraw(c, &key, &p);
}

/* ---- policies */

static err apply_policy(struct ctx *c, const struct recommendation *r, const struct json *config, struct json *back)
{
    struct intervention p = {.agent_id = r->agent_id, .conditions = json_get(config, "conditions"), .is_active = true}, made;
    const char *category = json_get_str(config, "action_category"), *rule = json_get_str(config, "policy");
    int c_value, r_value;

    if (!category || !rule || !enumx_parse(&intervention_category_enumx, category, &c_value) ||
        !enumx_parse(&intervention_rule_enumx, rule, &r_value))
        return fail(c, ERR_CONFLICT, "the recommendation names no policy");
    p.action_category = (enum intervention_category)c_value;
    p.policy = (enum intervention_rule)r_value;
    TRY(intervention_create(c, &p, &made));
    apply_keep(c, back, "policy_id", made.id);
    return ERR_OK;
}

static err apply_undo_policy(struct ctx *c, const struct json *back)
{
    struct thing_key key = {0};

    TRY(apply_id(c, back, "policy_id", &key.id));
    return intervention_delete(c, &key);
}

/* ---- memories */

static err apply_hygiene(struct ctx *c, const struct recommendation *r, const struct json *config, struct json *back)
{
    const struct json *list = json_get(config, "node_ids");
    struct uuids ids = {ARENA_ARRAY(c->arena, struct uuid, JUNK_UNDO_MAX), 0};
    bool classes[FINDING_CLASSES];
    struct junk_cleaned done;

    (void)r;
    for (int i = 0; i < FINDING_CLASSES; i++)
        classes[i] = true;
    for (const struct json *j = json_is(list, JSON_ARR) ? list->first : NULL; j && ids.n < JUNK_UNDO_MAX; j = j->next)
        ids.n += json_is(j, JSON_STR) && uuid_parse(j->s, &ids.v[ids.n]);
    TRY(junk_clean(c, classes, &ids, false, &done));
    apply_keep(c, back, "run_id", done.run_id);
    json_set_int(c->arena, back, "archived", done.archived);
    return ERR_OK;
}

static err apply_undo_hygiene(struct ctx *c, const struct json *back)
{
    struct junk_undone done;
    struct uuid id;

    if (!json_get_int(back, "archived", 0))
        return ERR_OK;
    TRY(apply_id(c, back, "run_id", &id));
    return junk_undo(c, id, &done);
}

/* ---- all of them */

static const struct applier APPLIERS[] = {
    [ADVISE_MERGE] = {PERM_SKILLS_WRITE, apply_merge, apply_undo_merge},
    [ADVISE_CONNECT] = {PERM_SKILLS_WRITE, apply_connect, apply_undo_connect},
    [ADVISE_REFINE] = {PERM_SKILLS_WRITE, apply_refine, apply_undo_refine},
    [ADVISE_CREATE] = {PERM_SKILLS_WRITE, apply_create, apply_undo_create},
    [ADVISE_POLICY] = {PERM_OVERSIGHT_MANAGE, apply_policy, apply_undo_policy},
    [ADVISE_QUALITY] = {PERM_NONE, NULL, NULL},
    [ADVISE_HYGIENE] = {PERM_MEMORY_MANAGE, apply_hygiene, apply_undo_hygiene},
};

static err recommendation_apply_tx(struct ctx *c, const struct thing_key *key, struct recommendation *out)
{
    struct json *back = json_obj(c->arena);
    const struct applier *a;

    TRY(recommendation_take(c, key, out));
    if (out->status > ADVICE_APPROVED)
        return recommendation_wrong_state(c, out);
    a = &APPLIERS[out->recommendation_type];
    if (!a->apply)
        return fail_reason(c, ERR_CONFLICT, "nothing_to_apply", "there is nothing to apply: approve it, which acknowledges it");
    TRY(access_permit(c, a->perm));
    TRY(a->apply(c, out, json_opened(c->arena, out->recommended_config), back));
    out->way_back = back;
    out->applied_at = c->now;
    return recommendation_move(c, out, ADVICE_APPLIED, "apply");
}
DB_TX(recommendation_apply, struct thing_key, struct recommendation)

static err recommendation_undo_tx(struct ctx *c, const struct thing_key *key, struct recommendation *out)
{
    const struct applier *a;

    TRY(recommendation_take(c, key, out));
    a = &APPLIERS[out->recommendation_type];
    if (out->status != ADVICE_APPLIED || !out->way_back)
        return recommendation_wrong_state(c, out);
    TRY(access_permit(c, a->perm));
    TRY(a->undo(c, json_opened(c->arena, out->way_back)));
    out->way_back = NULL;
    out->reason = "undone";
    return recommendation_move(c, out, ADVICE_DISMISSED, "undo");
}
DB_TX(recommendation_undo, struct thing_key, struct recommendation)
