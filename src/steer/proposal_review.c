/* Proposals on their way: decided, withdrawn, carried out, expired; see proposal.h. */
#include "db.h"
#include "match.h"
#include "notification.h"
#include "principal.h"
#include "proposal.h"
#include "proposal_impl.h"
#include "proposal_store.h"
#include "thing.h"
#include "trust.h"

#define QUALITY_APPROVED .9
#define QUALITY_REJECTED .2

/* ---- who hears of it */

err proposal_tell(struct ctx *c, const struct proposal *p, const struct intervention_answer *a, const char *what)
{
    if (uuid_is_nil(p->target_user_id) || !intervention_tells(a, "notification"))
        return ERR_OK;
    return notification_send(c, &(struct notification_new){
        .user_id = p->target_user_id, .category = "proposal", .severity = enumx_name(&urgency_enumx, (int)p->priority),
        .title = arena_printf(c->arena, "%s: %s", what, p->title), .body = p->description,
        .link = arena_printf(c->arena, "/admin/proposals/%s", UUID_STR(p->id)), .deliver_at = a->deliver_at});
}

static err proposal_tell_later(struct ctx *c, const struct proposal *p, const char *what)
{
    struct intervention_answer a;

    TRY(intervention_resolve(c, &(struct intervention_question){ACTION_PROPOSAL, p->agent_id, p->target_user_id, p->priority}, &a));
    return proposal_tell(c, p, &a, what);
}

/* ---- steps */

static err review_take(struct ctx *c, const struct proposal_step *in, struct proposal *out)
{
    bool found;

    TRY(proposal_store_get(c, in->id, proposal_viewer(c), true, &found, out));
    if (!found)
        return fail(c, ERR_NOT_FOUND, "no such proposal");
    return match_version(c, in->if_version, out->version);
}

/* Who comes second learns what the first decided. */
static err review_wrong_state(struct ctx *c, const struct proposal *p, const char *state)
{
    struct json *decision = json_obj(c->arena);
    err e = fail_reason(c, ERR_CONFLICT, "proposal_state", "the proposal is %s", state);

    json_set_str(c->arena, decision, "status", state);
    json_set_str(c->arena, decision, "reviewed_by", uuid_is_nil(p->reviewed_by) ? NULL : arena_strdup(c->arena, UUID_STR(p->reviewed_by)));
    json_set_str(c->arena, decision, "review_note", p->review_note);
    c->fault.current_value = decision;
    return e;
}

static err review_expect(struct ctx *c, const struct proposal *p, enum proposal_status a, enum proposal_status b)
{
    if (p->status != a && p->status != b)
        return review_wrong_state(c, p, enumx_name(&proposal_status_enumx, (int)p->status));
    if (p->status == REVIEW_PENDING && p->review_deadline.us <= c->now.us) /* the job has not come by yet */
        return review_wrong_state(c, p, "expired");
    return ERR_OK;
}

static err review_move(struct ctx *c, struct proposal *p, enum proposal_status to, const char *verb)
{
    struct proposal was = *p;

    p->status = to;
    if (to != REVIEW_PENDING)
        p->due_at = (struct instant){0};
    return thing_save(c, &PROPOSAL, &(struct thing_change){.verb = verb}, &was, p);
}

static err review_decide_one(struct ctx *c, const struct proposal_step *in, bool approve, struct proposal *out)
{
    TRY(review_take(c, in, out));
    if (uuid_eq(out->agent_id, c->who->id) || uuid_eq(out->created_by, c->who->id))
        return fail(c, ERR_FORBIDDEN, "a proposal is decided by others than the one who made it");
    TRY(review_expect(c, out, REVIEW_PENDING, REVIEW_PENDING));
    out->reviewed_by = c->who->id;
    out->reviewed_at = c->now;
    out->review_note = in->note;
    TRY(review_move(c, out, approve ? REVIEW_APPROVED : REVIEW_REJECTED, approve ? "approve" : "reject"));
    return trust_evidence(c, out->agent_id, "proposal", out->id, approve ? QUALITY_APPROVED : QUALITY_REJECTED);
}

static err proposal_approve_tx(struct ctx *c, const struct proposal_step *in, struct proposal *out)
{
    return review_decide_one(c, in, true, out);
}
DB_TX(proposal_approve, struct proposal_step, struct proposal)

static err proposal_reject_tx(struct ctx *c, const struct proposal_step *in, struct proposal *out)
{
    return review_decide_one(c, in, false, out);
}
DB_TX(proposal_reject, struct proposal_step, struct proposal)

static err proposal_withdraw_tx(struct ctx *c, const struct proposal_step *in, struct proposal *out)
{
    TRY(review_take(c, in, out));
    TRY(review_expect(c, out, REVIEW_PENDING, REVIEW_APPROVED));
    if (in->note)
        out->review_note = in->note;
    return review_move(c, out, REVIEW_WITHDRAWN, "withdraw");
}
DB_TX(proposal_withdraw, struct proposal_step, struct proposal)

static err proposal_implemented_tx(struct ctx *c, const struct proposal_step *in, struct proposal *out)
{
    TRY(review_take(c, in, out));
    TRY(review_expect(c, out, REVIEW_APPROVED, REVIEW_APPROVED));
    out->implemented_at = c->now;
    if (in->note)
        out->review_note = in->note;
    return review_move(c, out, REVIEW_IMPLEMENTED, "implement");
}
DB_TX(proposal_implemented, struct proposal_step, struct proposal)

static err proposal_reopen_tx(struct ctx *c, const struct proposal_step *in, struct proposal *out)
{
    TRY(review_take(c, in, out));
    TRY(review_expect(c, out, REVIEW_EXPIRED, REVIEW_EXPIRED));
    proposal_set_deadline(out, c->now, REVIEW_HOURS);
    TRY(review_move(c, out, REVIEW_PENDING, "reopen"));
    return proposal_tell_later(c, out, "A proposal waits for your review again");
}
DB_TX(proposal_reopen, struct proposal_step, struct proposal)

/* ---- many at once */

err proposal_review_batch(struct ctx *c, const struct proposal_batch *in, struct proposal_batch_answer *out)
{
    struct proposal_batch_item *rows = ARENA_ARRAY(c->arena, struct proposal_batch_item, in->ids.n + 1);
    struct proposal done;

    if (in->decision == DECIDE_REJECT && str_empty(in->note))
        return fail_field(c, "/note", "a rejection says why");
    *out = (struct proposal_batch_answer){.items = {rows, in->ids.n}};
    for (size_t i = 0; i < in->ids.n; i++) {
        struct proposal_step step = {.id = in->ids.v[i], .note = in->note};
        err e = in->decision == DECIDE_APPROVE ? proposal_approve(c, &step, &done) : proposal_reject(c, &step, &done);

        if (e == ERR_UNAVAILABLE || e == ERR_DEADLINE || e == ERR_INTERNAL)
            return e;
        rows[i] = (struct proposal_batch_item){.id = step.id, .http = err_info(e)->http};
        if (e == ERR_OK) {
            rows[i].status = enumx_name(&proposal_status_enumx, (int)done.status);
            out->decided++;
            continue;
        }
        rows[i].code = err_info(e)->slug;
        rows[i].detail = c->fault.message;
        ctx_forgive(c);
        out->failed++;
    }
    return ERR_OK;
}

/* ---- the job */

static err review_expire(struct ctx *c, struct proposal *p)
{
    TRY(review_move(c, p, REVIEW_EXPIRED, "expire"));
    return proposal_tell_later(c, p, "A proposal expired without a review");
}

static err review_remind(struct ctx *c, struct proposal *p)
{
    TRY(proposal_store_due_at(c, p->id, p->review_deadline));
    return proposal_tell_later(c, p, "A proposal expires within a day");
}

err proposal_keep(struct ctx *c, int64_t limit, struct proposals_kept *out)
{
    struct proposal *v;
    struct list rows;

    *out = (struct proposals_kept){0};
    TRY(proposal_store_overdue(c, limit, &rows));
    v = rows.v;
    for (size_t i = 0; i < rows.n; i++) {
        bool over = v[i].review_deadline.us <= c->now.us;

        TRY(over ? review_expire(c, &v[i]) : review_remind(c, &v[i]));
        out->expired += over;
        out->reminded += !over;
    }
    return ERR_OK;
}

err proposal_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    return proposal_store_due(c, above, ids, max, n);
}
