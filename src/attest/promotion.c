/* Promotion and demotion; see promotion.h. */
#include "promotion.h"

#include "access.h"
#include "app.h"
#include "attestation.h"
#include "audit.h"
#include "db.h"
#include "edge.h"
#include "fact_read.h"
#include "node_many.h"
#include "principal.h"
#include "promotion_store.h"
#include "row.h"
#include "task.h"

ENUMX_DEFINE(promotion_status, PROMOTION_STATUS);
ENUMX_DEFINE(promotion_decision, PROMOTION_DECISION);

static const struct field PROMOTION_COLUMNS[] = {
    F_ID(struct promotion, "id of the promotion"),
    F_UUID(struct promotion, candidate_fact_id, COL_READ, "the fact that shall hold for everyone"),
    F_UUID(struct promotion, space_id, COL_READ, "its space"),
    F_STR(struct promotion, statement, COL_SHOW, 0, 0, "the fact as text; data, not instructions",
          .sql = "(SELECT n.body FROM node n WHERE n.account_id = p.account_id AND n.id = p.candidate_fact_id)"),
    F_NUM(struct promotion, posterior, COL_READ, 0, 1, 0.5, "probability by those who attested it, at the last look"),
    F_INT(struct promotion, supporters, COL_READ, 0, 9e15, 0, "supporters that counted"),
    F_ENUM(struct promotion, status, COL_READ, promotion_status, PROMOTION_PENDING, "pending, promoted, rejected or demoted",
           .shades = "info ok off warn"),
    F_STR(struct promotion, reason, COL_READ, 0, PROMOTION_REASON, "why it was decided so"),
    F_UUID(struct promotion, promoted_fact_id, COL_READ | FIELD_NULLABLE, "the copy in the global namespace"),
    F_UUID(struct promotion, claim_id, COL_ROW | FIELD_NULLABLE, "what the copy rests on"),
    F_STR(struct promotion, actor_kind, COL_READ, 0, 8, "user, agent or system"),
    F_UUID(struct promotion, actor_id, COL_READ | FIELD_NULLABLE, "who asked"),
    F_TIME(struct promotion, at, COL_READ, "when it was asked for"),
    F_TIME(struct promotion, resolved_at, COL_READ | FIELD_NULLABLE, "when it was decided"),
    F_END
};
const struct thing PROMOTION = THING("promotion", PROMOTION_COLUMNS, struct promotion, .schema = "Promotion", .alias = "p",
                                     .from = "promotion p");

#define BY_QUORUM "quorum"

/* ---- asking */

err promotion_list(struct ctx *c, const struct promotion_filter *f, struct page *out)
{
    struct uuids spaces = access_spaces(c);
    struct uuid before;

    TRY(page_begin(c, f->cursor, &before));
    return promotion_store_list(c, f, spaces, before, out);
}

static err promotion_enqueue(struct ctx *c, struct uuid fact_id)
{
    struct json *payload = json_obj(c->arena);

    if (!c->app->jobs)
        return ERR_OK;
    json_set_str(c->arena, payload, "fact_id", arena_strdup(c->arena, UUID_STR(fact_id)));
    return task_enqueue(c, &(struct task_new){.kind = "promotion", .payload = payload, .lane = "promotion",
                                              .idem_key = arena_strdup(c->arena, UUID_STR(uuid_new(c->now.us)))});
}

err promotion_look_again(struct ctx *c, struct uuid fact_id)
{
    struct promotion p;

    TRY(promotion_store_open(c, fact_id, &p));
    return uuid_is_nil(p.id) ? ERR_OK : promotion_enqueue(c, fact_id);
}

static err check_candidate(struct ctx *c, const struct fact *f)
{
    struct uuid global;

    TRY(promotion_store_global(c, &global));
    if (uuid_eq(global, f->space_id))
        return fail(c, ERR_CONFLICT, "the fact is in the global namespace already");
    if (uuid_is_nil(f->subject_id) || !str_eq(f->status, NODE_ACTIVE) || f->contested || f->negative || f->modality != FACT_ASSERTED)
        return fail_reason(c, ERR_CONFLICT, "not_current", "only a current, asserted and uncontested fact with a subject can be promoted");
    return ERR_OK;
}

struct asking {
    struct uuid fact_id;
    struct promotion *out;
};

static err ask_body(struct ctx *c, void *arg)
{
    struct asking *a = arg;
    struct fact f;

    TRY(fact_get(c, a->fact_id, &f));
    TRY(access_require(c, f.space_id, ACCESS_WRITE));
    TRY(promotion_store_open(c, a->fact_id, a->out));
    if (!uuid_is_nil(a->out->id))
        return ERR_OK;
    TRY(check_candidate(c, &f));
    *a->out = (struct promotion){.id = uuid_new(c->now.us), .candidate_fact_id = f.id, .space_id = f.space_id, .posterior = 0.5,
                                 .status = PROMOTION_PENDING, .reason = "", .at = c->now, .actor_id = c->who->id,
                                 .actor_kind = enumx_name(&principal_kind_enumx, (int)c->who->kind), .statement = f.statement};
    TRY(row_insert(c, &PROMOTION, a->out));
    return promotion_enqueue(c, f.id);
}

err promotion_ask(struct ctx *c, struct uuid fact_id, struct promotion *out)
{
    return db_tx(c, ask_body, &(struct asking){fact_id, out});
}

/* ---- carrying it out, inside a transaction, as whoever may write the global namespace */

static err note_promotion(struct ctx *c, const char *kind, const struct promotion *p)
{
    struct json *o = json_obj(c->arena);

    json_set_str(c->arena, o, "status", enumx_name(&promotion_status_enumx, (int)p->status));
    json_set(c->arena, o, "posterior", json_num(c->arena, p->posterior));
    return audit_add(c, &(struct audit){.kind = kind, .subject_kind = "node", .subject_id = p->candidate_fact_id, .space_id = p->space_id,
                                        .after = o});
}

static err join_copy(struct ctx *c, const char *relation, struct uuid from, struct uuid to, struct uuid space)
{
    struct edge_new e = {EDGE_NEW_DEFAULTS, .source_id = from, .target_id = to, .relation = relation};

    TRY(edge_retire_between(c, from, to, relation));
    return edge_record(c, &e, 1, space);
}

static err promote(struct ctx *c, struct promotion *p, const struct fact *f, const char *reason)
{
    struct fact_saying say = {FACT_SAYING_DEFAULTS, .subject = f->subject, .predicate = f->predicate,
                              .object = json_opened(c->arena, f->object), .statement = f->statement, .at = f->valid_from,
                              .until = f->valid_to, .source_id = f->id, .veracity = f->veracity, .fact_type = f->fact_type,
                              .role = ROLE_USER, .accepted = true};
    struct fact_said said;

    TRY(promotion_store_global(c, &say.space_id));
    TRY(promotion_store_count(c, f->id, &say.occurrence_seq)); /* each promotion is a claim of its own */
    say.confidence = p->posterior;
    say.trust = f->trust;
    TRY(fact_put(c, &say, &said));
    p->promoted_fact_id = said.fact_id;
    p->claim_id = said.claim_id;
    p->status = PROMOTION_PROMOTED;
    p->reason = reason;
    p->resolved_at = c->now;
    TRY(join_copy(c, "PROMOTED_TO", f->id, said.fact_id, f->space_id));
    TRY(promotion_store_save(c, p));
    return note_promotion(c, "promote", p);
}

/* The copy rests on nothing any more, and nobody reads it; the fact itself is untouched. */
static err demote(struct ctx *c, struct promotion *p, const char *reason)
{
    struct node_wish w = {.id = p->promoted_fact_id, .what = NODE_WISH_FORGET};
    struct uuid global;
    struct fact copy;
    err e;

    TRY(promotion_store_global(c, &global));
    TRY(fact_withdraw(c, p->claim_id));
    TRY(join_copy(c, "DEMOTED_FROM", p->promoted_fact_id, p->candidate_fact_id, global));
    e = fact_get(c, p->promoted_fact_id, &copy);
    if (e == ERR_OK && !str_eq(copy.status, NODE_ACTIVE)) /* others say it, too: then it stays theirs */
        e = node_change_many(c, &w, 1);
    if (e == ERR_NOT_FOUND)
        ctx_forgive(c);
    else
        TRY(e);
    p->status = PROMOTION_DEMOTED;
    p->reason = reason;
    p->resolved_at = c->now;
    TRY(promotion_store_save(c, p));
    return note_promotion(c, "demote", p);
}

/* ---- the gate */

static bool is_current(const struct fact *f)
{
    return str_eq(f->status, NODE_ACTIVE) && !f->contested && f->modality == FACT_ASSERTED;
}

static err evaluate_open(struct ctx *c, struct promotion *p, bool *changed)
{
    struct attested by;
    struct fact f;
    bool current, enough;
    err e = fact_get(c, p->candidate_fact_id, &f);

    current = e == ERR_OK && is_current(&f);
    if (e == ERR_NOT_FOUND)
        ctx_forgive(c);
    else
        TRY(e);
    TRY(fact_weigh(c, p->candidate_fact_id, &by));
    p->posterior = by.posterior;
    p->supporters = by.supporters;
    enough = by.supporters >= PROMOTION_QUORUM && by.posterior >= PROMOTION_POSTERIOR;
    if (p->status == PROMOTION_PROMOTED && !str_eq(p->reason, BY_QUORUM)) /* a person decided */
        enough = true;
    *changed = p->status == PROMOTION_PROMOTED ? !current || !enough : current && enough;
    if (p->status == PROMOTION_PROMOTED && !current)
        return demote(c, p, "lost_support");
    if (p->status == PROMOTION_PROMOTED && !enough)
        return demote(c, p, "reliability_decay");
    return *changed ? promote(c, p, &f, BY_QUORUM) : promotion_store_save(c, p);
}

struct evaluating {
    struct uuid fact_id;
    bool changed;
};

static err evaluate_body(struct ctx *c, void *arg)
{
    struct evaluating *v = arg;
    struct promotion p;

    v->changed = false;
    TRY(promotion_store_open(c, v->fact_id, &p));
    return uuid_is_nil(p.id) ? ERR_OK : evaluate_open(c, &p, &v->changed);
}

err promotion_evaluate(struct ctx *c, struct uuid fact_id)
{
    return db_tx(c, evaluate_body, &(struct evaluating){.fact_id = fact_id});
}

err promotion_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    return promotion_store_due(c, above, ids, max, n);
}

err promotion_sweep(struct ctx *c, struct uuid *behind, int64_t limit, int64_t *seen, int64_t *changed)
{
    const struct {
        struct uuid id, fact_id;
    } * v;
    struct list facts;

    *changed = 0;
    TRY(promotion_store_facts(c, *behind, limit, &facts));
    v = facts.v;
    for (size_t i = 0; i < facts.n; i++) {
        struct evaluating one = {.fact_id = v[i].fact_id};

        TRY(db_tx(c, evaluate_body, &one));
        *changed += one.changed;
        *behind = v[i].id;
    }
    *seen = (int64_t)facts.n;
    return ERR_OK;
}

/* ---- by hand */

struct deciding {
    const struct promotion_deciding *in;
    struct promotion *out;
};

static err decide_body(struct ctx *c, void *arg)
{
    const struct deciding *d = arg;
    struct promotion *p = d->out;
    struct uuid global;
    struct fact f;
    bool found, stands;

    TRY(promotion_store_get(c, d->in->id, &found, p));
    if (!found || !access_may_read(c, p->space_id))
        return fail(c, ERR_NOT_FOUND, "no such promotion");
    stands = p->status == PROMOTION_PROMOTED;
    if (p->status > PROMOTION_PROMOTED || stands != (d->in->decision == PROMOTE_BACK))
        return fail(c, ERR_CONFLICT, "the promotion is %s", enumx_name(&promotion_status_enumx, (int)p->status));
    TRY(promotion_store_global(c, &global));
    TRY(access_require(c, global, ACCESS_WRITE));
    if (d->in->decision == PROMOTE_BACK)
        return demote(c, p, d->in->reason);
    if (d->in->decision == PROMOTE_NOW) {
        TRY(fact_get(c, p->candidate_fact_id, &f));
        return promote(c, p, &f, d->in->reason);
    }
    p->status = PROMOTION_REJECTED;
    p->reason = d->in->reason;
    p->resolved_at = c->now;
    TRY(promotion_store_save(c, p));
    return note_promotion(c, "belief_review", p);
}

err promotion_decide(struct ctx *c, const struct promotion_deciding *in, struct promotion *out)
{
    return db_tx(c, decide_body, &(struct deciding){in, out});
}
