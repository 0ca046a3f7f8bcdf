/* Runs into facts; see fact_write.h. */
#include "fact_write.h"

#include <math.h>
#include <string.h>

#include "edge.h"
#include "entity_root.h"
#include "node.h"
#include "node_many.h"

#define TRUST_STEP 0.005 /* of a fact's trust that is worth a change of its node */

static const struct fact_claim *claim_of_run(const struct reconciling *r, size_t run)
{
    const struct fact_claim *best = NULL;

    for (size_t i = 0; i < r->n_claims; i++)
        if (r->run_of[i] == run && (!best || r->claims[i].confidence > best->confidence))
            best = &r->claims[i];
    return best;
}

static const char *status_of_run(const struct fold_run *run)
{
    static const char *const WORDS[] = {[FOLD_ACTIVE] = NODE_ACTIVE, [FOLD_SUPERSEDED] = "superseded", [FOLD_HELD] = "quarantined",
                                        [FOLD_CONTRADICTED] = "quarantined"};

    return WORDS[run->state];
}

static const char *reason_of_run(const struct fold_run *run)
{
    return run->state == FOLD_HELD ? "held" : run->state == FOLD_CONTRADICTED ? "contradicted" : NULL;
}

static struct uuid successor_of_run(const struct reconciling *r, size_t run)
{
    const struct fold_run *x = &r->fold.runs[run];
    const struct uuid none = {{0}};

    if (x->state != FOLD_SUPERSEDED || x->successor == FOLD_NONE)
        return none;
    for (size_t i = 0; i < r->n_claims; i++) /* ended by hand, by a fact of another slot */
        if (r->run_of[i] == x->successor && !uuid_is_nil(r->claims[i].successor_id))
            return r->claims[i].successor_id;
    return r->ids[x->successor];
}

static const struct json *fact_attrs(struct ctx *c, const struct reconciling *r, const struct fact_claim *k)
{
    struct json *o = json_obj(c->arena);

    json_set_str(c->arena, o, "predicate", r->slot.predicate);
    json_set(c->arena, o, "object", json_raw(c->arena, json_text(c->arena, k->object_json)));
    json_set_str(c->arena, o, "fact_type", enumx_name(&fact_type_enumx, (int)k->fact_type));
    if (k->negative)
        json_set_bool(c->arena, o, "negative", true);
    return o;
}

static err make_fact(struct ctx *c, const struct reconciling *r, size_t run, const char *title)
{
    const struct fold_run *x = &r->fold.runs[run];
    const struct fact_claim *k = claim_of_run(r, run);
    struct node_new n = {NODE_NEW_DEFAULTS, .id = r->ids[run], .space_id = r->slot.space_id, .kind = "fact", .title = title,
        .body = k->statement,
                         .attrs = fact_attrs(c, r, k), .status = status_of_run(x), .valid_from = {x->from}, .valid_to = {x->to}};
    struct fact_insert f = {.id = r->ids[run], .space_id = r->slot.space_id, .subject_id = k->subject_id, .slot_key = r->slot.slot_key,
                            .object_key = k->object_key, .predicate = r->slot.predicate, .object = k->object_json,
                            .object_entity_id = k->object_entity_id, .negative = k->negative, .modality = k->modality, .type = k->fact_type,
                            .veracity = k->veracity};
    struct node made;

    n.confidence = k->confidence;
    n.trust = x->trust;
    n.source_kind = k->author_kind;
    TRY(node_create(c, &n, &made));
    return claim_store_insert_fact(c, &f);
}

/* ---- edges: validity stands on ABOUT */

static err edge_validity(struct ctx *c, const struct reconciling *r, size_t run, bool again)
{
    const struct fold_run *x = &r->fold.runs[run];
    const struct fact_claim *k = claim_of_run(r, run);
    struct json *subject = json_obj(c->arena), *object = json_obj(c->arena);
    struct edge_new e[2];
    size_t n = 1;

    if (again)
        TRY(edge_retire_of(c, r->ids[run], "ABOUT"));
    json_set_str(c->arena, subject, "role", "subject");
    json_set_str(c->arena, object, "role", "object");
    e[0] = (struct edge_new){EDGE_NEW_DEFAULTS, .source_id = r->ids[run], .target_id = r->slot.subject_id, .relation = "ABOUT",
                             .valid_from = {x->from}, .valid_to = {x->to}, .metadata = subject};
    e[1] = e[0];
    if (!uuid_is_nil(k->object_entity_id))
        TRY(entity_root(c, k->object_entity_id, &e[1].target_id));
    e[1].metadata = object;
    n += !uuid_is_nil(k->object_entity_id) && !uuid_eq(e[1].target_id, r->slot.subject_id);
    return edge_record(c, e, n, r->slot.space_id);
}

static err edge_successor(struct ctx *c, const struct reconciling *r, size_t run)
{
    const struct fold_run *x = &r->fold.runs[run];
    struct uuid next = successor_of_run(r, run);
    bool against = x->state == FOLD_HELD || x->state == FOLD_CONTRADICTED || (x->contested && x->state == FOLD_ACTIVE &&
        x->successor != FOLD_NONE);
    struct edge_new e = {EDGE_NEW_DEFAULTS, .source_id = r->ids[run], .valid_from = {x->from}};
    struct json *m = json_obj(c->arena);

    TRY(edge_retire_of(c, r->ids[run], "SUPERSEDED_BY"));
    TRY(edge_retire_of(c, r->ids[run], "CONTRADICTS"));
    if (against) {
        json_set_str(c->arena, m, "resolution", x->state == FOLD_HELD ? "held" : x->state == FOLD_CONTRADICTED ? "decided" : "contested");
        e.relation = "CONTRADICTS";
        e.target_id = r->ids[x->successor];
    } else if (!uuid_is_nil(next)) {
        json_set_str(c->arena, m, "reason", r->fold.runs[x->successor].negative ? "ended" : "newer");
        e.relation = "SUPERSEDED_BY";
        e.target_id = next;
        e.valid_from = (struct instant){x->to};
    } else
        return ERR_OK;
    e.metadata = m;
    return edge_record(c, &e, 1, r->slot.space_id);
}

/* A new fact that was over before we heard of it leads to its successor at once. */
static err link_new_fact(struct ctx *c, const struct reconciling *r, size_t run)
{
    struct node_wish w = {.id = r->ids[run], .what = NODE_WISH_PATCH,
                          .patch = {.set = NODE_SET_SUPERSEDED, .superseded_by = successor_of_run(r, run)}};

    if (!uuid_is_nil(w.patch.superseded_by))
        TRY(node_change_many(c, &w, 1));
    return edge_successor(c, r, run);
}

static err edge_sources(struct ctx *c, const struct reconciling *r, const struct fact_claim *k)
{
    struct edge_new e = {EDGE_NEW_DEFAULTS, .source_id = k->source_id, .target_id = k->fact_id, .relation = "SUPPORTS"};

    if (uuid_is_nil(k->source_id) || !uuid_is_nil(k->successor_id))
        return ERR_OK;
    TRY(edge_retire_between(c, k->source_id, k->fact_id, "SUPPORTS"));
    e.weight = k->confidence;
    return edge_record(c, &e, 1, r->slot.space_id);
}

/* ---- what stands, and what should */

const struct slot_fact *fact_there(const struct reconciling *r, struct uuid id)
{
    for (size_t i = 0; i < r->n_facts; i++)
        if (uuid_eq(r->facts[i].id, id))
            return &r->facts[i];
    return NULL;
}

static err update_fact(struct ctx *c, const struct reconciling *r, size_t run)
{
    const struct fold_run *x = &r->fold.runs[run];
    const struct slot_fact *f = fact_there(r, r->ids[run]);
    const struct fact_claim *k = claim_of_run(r, run);
    struct uuid next = successor_of_run(r, run);
    bool window = f->valid_from.us != x->from || f->valid_to.us != x->to;
    bool belief = !str_eq(f->status, status_of_run(x)) || !uuid_eq(f->superseded_by, next) || f->contested != x->contested ||
                  !str_eq(f->quarantine_reason, reason_of_run(x));
    struct node_wish w = {.id = r->ids[run], .what = NODE_WISH_PATCH};

    w.patch = (struct node_patch){.set = NODE_SET_STATUS | NODE_SET_VALID_FROM | NODE_SET_VALID_TO | NODE_SET_SUPERSEDED | NODE_SET_TRUST |
                                         NODE_SET_CONFIDENCE, .status = status_of_run(x), .valid_from = {x->from}, .valid_to = {x->to},
                                  .superseded_by = next, .trust = x->trust, .confidence = fmax(k->confidence, f->confidence)};
    if (f->loose && (window || belief || fabs(f->trust - x->trust) > TRUST_STEP || w.patch.confidence > f->confidence))
        TRY(node_change_many(c, &w, 1));
    if (window || r->about_anew)
        TRY(edge_validity(c, r, run, true));
    return belief || window ? edge_successor(c, r, run) : ERR_OK;
}

/* Facts whose claims belong to others now, or are withdrawn. */
static err retire_others(struct ctx *c, const struct reconciling *r)
{
    for (size_t i = 0; i < r->n_facts; i++) {
        const struct slot_fact *f = &r->facts[i];
        struct node_wish w = {.id = f->id, .what = NODE_WISH_PATCH};
        bool kept = !f->loose || (str_eq(f->status, "superseded") && f->valid_to.us == f->valid_from.us);

        for (size_t run = 0; run < r->fold.n; run++)
            kept |= uuid_eq(f->id, r->ids[run]);
        if (kept)
            continue;
        w.patch = (struct node_patch){.set = NODE_SET_STATUS | NODE_SET_VALID_TO, .status = "superseded", .valid_to = f->valid_from};
        for (size_t k = 0; k < r->n_claims; k++)
            if (uuid_eq(r->claims[k].fact_id, f->id) && r->run_of[k] != FOLD_NONE) {
                w.patch.set |= NODE_SET_SUPERSEDED;
                w.patch.superseded_by = r->ids[r->run_of[k]];
            }
        TRY(node_change_many(c, &w, 1));
        TRY(edge_retire_of(c, f->id, "ABOUT"));
        TRY(edge_retire_of(c, f->id, "SUPERSEDED_BY"));
        TRY(edge_retire_of(c, f->id, "CONTRADICTS"));
    }
    return ERR_OK;
}

static err flag_facts(struct ctx *c, const struct reconciling *r)
{
    size_t current = FOLD_NONE;

    for (size_t i = 0; i < r->fold.n; i++)
        if (r->fold.runs[i].state == FOLD_ACTIVE && r->fold.runs[i].modality == FOLD_ASSERTED && (!r->fold.runs[i].to ||
            r->fold.runs[i].to > c->now.us))
            current = i;
    TRY(claim_store_none_current(c, r->slot.slot_key));
    for (size_t i = 0; i < r->fold.n; i++) {
        const struct fold_run *x = &r->fold.runs[i];

        TRY(claim_store_flags(c, &(struct fact_flags){.id = r->ids[i], .contested = x->contested, .current = i == current,
            .quarantine_reason = reason_of_run(x), .mention_count = (int64_t)x->claims, .author_count = (int64_t)x->authors}));
    }
    return ERR_OK;
}

/* New facts first: others may point to them. */
err fact_write_runs(struct ctx *c, struct reconciling *r, const char *title)
{
    for (size_t run = 0; run < r->fold.n; run++)
        if (r->is_new[run]) {
            TRY(make_fact(c, r, run, title));
            TRY(edge_validity(c, r, run, false));
        }
    for (size_t run = 0; run < r->fold.n; run++)
        TRY(r->is_new[run] ? link_new_fact(c, r, run) : update_fact(c, r, run));
    TRY(retire_others(c, r));
    for (size_t i = 0; i < r->n_claims; i++) {
        struct fact_claim *k = &r->claims[i];
        size_t run = r->run_of[i];

        if (run == FOLD_NONE || uuid_eq(k->fact_id, r->ids[run]))
            continue;
        k->fact_id = r->ids[run];
        if (!uuid_eq(k->id, r->fresh)) /* that is written by its caller */
            TRY(claim_store_move(c, k->id, k->fact_id));
        TRY(edge_sources(c, r, k));
    }
    return flag_facts(c, r);
}
