/* Repairs and their undoing; see skill_repair.h. */
#include "skill_repair.h"

#include "db.h"
#include "edge.h"
#include "skill.h"
#include "skill_conflict_store.h"
#include "thing.h"

#define UNDO_US (30 * (int64_t)DAY_US)

static const char *repair_id(struct ctx *c, struct uuid id)
{
    return arena_strdup(c->arena, UUID_STR(id));
}

/* ---- what is done; details say what an undo needs */

static err repair_cycle(struct ctx *c, const struct skill_conflict *x, struct json *details)
{
    struct edge e;

    TRY(edge_get(c, x->edge_id, &e));
    json_set_str(c->arena, details, "source_id", repair_id(c, e.source_id));
    json_set_str(c->arena, details, "target_id", repair_id(c, e.target_id));
    json_set_str(c->arena, details, "relation", e.relation);
    json_set(c->arena, details, "weight", json_num(c->arena, e.weight));
    json_set(c->arena, details, "confidence", json_num(c->arena, e.confidence));
    return edge_retire(c, e.id, 0);
}

/* More used, then more effective, then older. */
static bool repair_is_better(const struct skill *a, const struct skill *b)
{
    if (a->usage_count != b->usage_count)
        return a->usage_count > b->usage_count;
    if (a->effectiveness != b->effectiveness)
        return a->effectiveness > b->effectiveness;
    return uuid_cmp(a->id, b->id) < 0;
}

static err repair_overlap(struct ctx *c, const struct skill_conflict *x, struct json *details)
{
    struct skill a, b, done;
    bool keeps_a;

    TRY(skill_get_whole(c, repair_id(c, x->skill_a), &a));
    TRY(skill_get_whole(c, repair_id(c, x->skill_b), &b));
    if (!str_eq(a.body, b.body))
        return fail_reason(c, ERR_CONFLICT, "not_repairable", "the texts differ by now");
    keeps_a = repair_is_better(&a, &b);
    json_set_str(c->arena, details, "deprecated", repair_id(c, keeps_a ? b.id : a.id));
    return skill_move(c, &(struct skill_move){.id = keeps_a ? b.id : a.id, .to = SKILL_DEPRECATED, .replaced_by = keeps_a ? a.id : b.id},
        &done);
}

static err repair_take(struct ctx *c, const struct skill_conflict_decision *in, struct skill_conflict *out)
{
    bool found;

    TRY(skill_conflict_get(c, in->id, out));
    return skill_conflict_store_get(c, in->id, true, &found, out);
}

static err skill_repair_tx(struct ctx *c, const struct skill_conflict_decision *in, struct skill_conflict *out)
{
    struct json *details = json_obj(c->arena);
    struct skill_conflict was;

    TRY(repair_take(c, in, &was));
    if (was.status > CONFLICT_ACKNOWLEDGED || !was.auto_resolvable)
        return fail_reason(c, ERR_CONFLICT, "not_repairable", "people decide this conflict");
    *out = was;
    if (was.conflict_type == CONFLICT_DEPENDENCY)
        TRY(repair_cycle(c, &was, details));
    else
        TRY(repair_overlap(c, &was, details));
    out->status = CONFLICT_RESOLVED;
    out->resolution_strategy = was.conflict_type == CONFLICT_DEPENDENCY ? "retire_edge" : "merge";
    out->resolution_details = details;
    out->open_key = (struct bytes){0};
    out->resolved_at = c->now;
    out->resolved_by = c->who->id;
    return thing_save(c, &SKILL_CONFLICT, &(struct thing_change){.verb = "repair"}, &was, out);
}
DB_TX(skill_repair, struct skill_conflict_decision, struct skill_conflict)

err skill_repair_all(struct ctx *c, struct skill_repairs *out)
{
    struct skill_conflict_filter f = {.status = -1, .conflict_type = -1, .severity = -1, .limit = LIMIT_PAGE};
    const struct skill_conflict *v;
    struct skill_conflict done;
    struct page page;

    *out = (struct skill_repairs){0};
    TRY(skill_conflict_list(c, &f, &page));
    v = page.items;
    for (size_t i = 0; i < page.n; i++) {
        err e = v[i].auto_resolvable && out->repaired < REPAIRS_AT_ONCE
                    ? skill_repair(c, &(struct skill_conflict_decision){.id = v[i].id}, &done) : ERR_CONFLICT;

        if (e == ERR_OK)
            out->repaired++;
        else if (e == ERR_CONFLICT || e == ERR_FORBIDDEN || e == ERR_NOT_FOUND) {
            ctx_forgive(c); /* it changed meanwhile, or is for people: the others go on */
            out->left++;
        } else
            return e;
    }
    return ERR_OK;
}

/* ---- undoing */

static err undo_cycle(struct ctx *c, const struct json *details)
{
    struct edge_new e = {EDGE_NEW_DEFAULTS, .relation = json_get_str(details, "relation")};
    struct edge made;

    if (!uuid_parse(json_get_str(details, "source_id"), &e.source_id) || !uuid_parse(json_get_str(details, "target_id"), &e.target_id))
        return fail(c, ERR_INTERNAL, "the repair does not say what it retired");
    e.weight = json_number(json_get(details, "weight"));
    e.confidence = json_number(json_get(details, "confidence"));
    return edge_create(c, &e, &made);
}

static err undo_overlap(struct ctx *c, const struct json *details)
{
    struct skill_move back = {.to = SKILL_ACTIVE};
    struct skill done;

    if (!uuid_parse(json_get_str(details, "deprecated"), &back.id))
        return fail(c, ERR_INTERNAL, "the repair does not say what it deprecated");
    return skill_move(c, &back, &done);
}

static err skill_repair_undo_tx(struct ctx *c, const struct skill_conflict_decision *in, struct skill_conflict *out)
{
    const struct json *details;
    struct skill_conflict was;

    TRY(repair_take(c, in, &was));
    if (was.status != CONFLICT_RESOLVED || !(str_eq(was.resolution_strategy, "retire_edge") || str_eq(was.resolution_strategy, "merge")))
        return fail_reason(c, ERR_CONFLICT, "not_repaired", "no repair is to be undone");
    if (c->now.us - was.resolved_at.us > UNDO_US)
        return fail_reason(c, ERR_CONFLICT, "too_late", "a repair can be undone for 30 days");
    *out = was;
    details = json_opened(c->arena, was.resolution_details);
    TRY(str_eq(was.resolution_strategy, "merge") ? undo_overlap(c, details) : undo_cycle(c, details));
    out->status = CONFLICT_DISMISSED;
    out->resolution_strategy = "undone";
    out->resolved_at = c->now;
    return thing_save(c, &SKILL_CONFLICT, &(struct thing_change){.verb = "undo_repair"}, &was, out);
}
DB_TX(skill_repair_undo, struct skill_conflict_decision, struct skill_conflict)
