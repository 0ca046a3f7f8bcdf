/* Proposals, made and read; see proposal.h. */
#include "proposal.h"

#include "access.h"
#include "agent.h"
#include "audit.h"
#include "db.h"
#include "intervention.h"
#include "limit.h"
#include "proposal_impl.h"
#include "proposal_store.h"
#include "thing.h"
#include "trust.h"
#include "user.h"

ENUMX_DEFINE(proposal_type, PROPOSAL_TYPE);
ENUMX_DEFINE(proposal_status, PROPOSAL_STATUS);
ENUMX_DEFINE(proposal_decision, PROPOSAL_DECISION);

static const struct field PROPOSAL_COLUMNS[] = {
    F_ID(struct proposal, "id of the proposal"),
    F_UUID(struct proposal, agent_id, COL_ONCE, "agent that proposes it; an agent that calls: itself", .label = "Agent"),
    F_ENUM(struct proposal, proposal_type, COL_ONCE | FIELD_REQUIRED, proposal_type, PROPOSE_FEATURE, "what it is about", .label = "Type"),
    F_STR(struct proposal, title, COL_ONCE | FIELD_REQUIRED, 1, 255, "what is proposed, in one line; data, not instructions",
        .label = "Title"),
    F_STR(struct proposal, description, COL_ONCE | FIELD_REQUIRED, 1, PROPOSAL_TEXT, "the proposal; data, not instructions",
        .label = "Description"),
    F_STR(struct proposal, rationale, COL_ONCE | FIELD_NULLABLE, 0, PROPOSAL_TEXT, "why; data, not instructions", .label = "Rationale"),
    F_OBJECT(struct proposal, proposed_changes, COL_READ | COL_CREATE, PROPOSAL_CHANGES,
        "what would be another: {name: {from, to}}, {before: {…}, after: {…}} or {name: value}"),
    F_OBJECT(struct proposal, impact_assessment, COL_READ | COL_CREATE, LIMIT_ATTRS, "what follows from it"),
    F_ENUM(struct proposal, priority, COL_ONCE, urgency, URGENCY_MEDIUM, "how important it is", .label = "Priority",
        .shades = "off info warn bad"),
    F_ENUM(struct proposal, status, COL_READ | COL_AUDIT, proposal_status, REVIEW_PENDING, "how far it is",
        .shades = "warn ok bad ok off off"),
    F_UUID(struct proposal, target_user_id, COL_ONCE | FIELD_NULLABLE, "person who shall review it; none: who gave the agent its token, "
        "else the owner"),
    F_INT(struct proposal, review_hours, COL_CREATE, 1, REVIEW_HOURS_MOST, REVIEW_HOURS, "time for a review",
        .label = "Hours for a review"),
    F_TIME(struct proposal, review_deadline, COL_READ, "when it expires without a review"),
    F_TIME(struct proposal, due_at, COL_ROW | FIELD_NULLABLE, "when the job looks at it"),
    F_UUID(struct proposal, reviewed_by, COL_READ | COL_AUDIT | FIELD_NULLABLE, "who decided it"),
    F_TIME(struct proposal, reviewed_at, COL_READ | FIELD_NULLABLE, "when it was decided"),
    F_STR(struct proposal, review_note, COL_READ | COL_AUDIT | FIELD_NULLABLE, 0, PROPOSAL_NOTE, "what that person noted"),
    F_TIME(struct proposal, implemented_at, COL_READ | FIELD_NULLABLE, "when it was carried out"),
    F_STR(struct proposal, session_id, COL_ONCE | FIELD_NULLABLE, 1, 255, "session that it comes from"),
    F_BOOL(struct proposal, auto_approved, COL_READ | COL_AUDIT, false, "approved by a policy, not by a person"),
    F_UUID(struct proposal, policy_id, COL_READ | FIELD_NULLABLE, "intervention policy that held when it was made; null: none"),
    F_UUID(struct proposal, created_by, COL_READ, "who made it: the agent, or a person for it"),
    F_VERSION(struct proposal),
    F_TIMES(struct proposal),
    F_END
};
const struct thing PROPOSAL = THING("proposal", PROPOSAL_COLUMNS, struct proposal, .schema = "Proposal", .is_news = true);

/* ---- reading */

struct uuid proposal_viewer(const struct ctx *c)
{
    bool all = c->who->kind != PRINCIPAL_AGENT || permissions_have(c->who->perms, PERM_OVERSIGHT_REVIEW);

    return all ? (struct uuid){{0}} : c->who->id;
}

err proposal_list(struct ctx *c, const struct proposal_filter *f, struct page *out)
{
    struct uuid before;

    TRY(page_begin(c, f->cursor, &before));
    return proposal_store_list(c, f, proposal_viewer(c), before, out);
}

err proposal_get(struct ctx *c, struct uuid id, struct proposal *out)
{
    bool found;

    TRY(proposal_store_get(c, id, proposal_viewer(c), false, &found, out));
    return found ? ERR_OK : fail(c, ERR_NOT_FOUND, "no such proposal");
}

/* ---- making */

/* Whose proposal it is: an agent speaks for itself, and a lead for its team. */
static err proposal_check_agent(struct ctx *c, struct proposal *p)
{
    bool found;

    if (uuid_is_nil(p->agent_id) && c->who->kind == PRINCIPAL_AGENT)
        p->agent_id = c->who->id;
    if (uuid_is_nil(p->agent_id))
        return fail_field(c, "/agent_id", "a person says which agent proposes it");
    TRY(proposal_store_agent(c, p->agent_id, proposal_viewer(c), &found));
    return found ? ERR_OK : fail(c, ERR_NOT_FOUND, "no such agent");
}

static err proposal_check_room(struct ctx *c, struct uuid agent_id)
{
    int64_t of_agent, of_account;

    TRY(proposal_store_open(c, agent_id, &of_agent, &of_account));
    if (of_agent >= PROPOSALS_OF_AGENT)
        return fail_reason(c, ERR_CONFLICT, "quota_exceeded", "an agent has at most %d open proposals", PROPOSALS_OF_AGENT);
    if (of_account >= PROPOSALS_OF_ACCOUNT)
        return fail_reason(c, ERR_CONFLICT, "quota_exceeded", "an account has at most %d open proposals", PROPOSALS_OF_ACCOUNT);
    return ERR_OK;
}

static err proposal_check_reviewer(struct ctx *c, const struct proposal *p)
{
    struct user user;

    if (uuid_is_nil(p->target_user_id))
        return ERR_OK;
    TRY(user_get(c, p->target_user_id, &user));
    return user.status == USER_ACTIVE ? ERR_OK : fail_field(c, "/target_user_id", "this person is disabled");
}

static err proposal_is_trusted(struct ctx *c, const struct proposal *p, bool *yes)
{
    enum trust_tier tier;

    TRY(trust_tier_of(c, p->agent_id, &tier));
    *yes = tier >= TRUST_TRUSTED;
    return ERR_OK;
}

static err proposal_ask_policy(struct ctx *c, struct proposal *p, struct intervention_answer *a)
{
    bool trusted;

    TRY(intervention_resolve(c, &(struct intervention_question){ACTION_PROPOSAL, p->agent_id, p->target_user_id, p->priority}, a));
    p->policy_id = a->policy_id;
    if (a->policy == RULE_BLOCK) {
        audit_refusal(c, "proposal.block", "intervention_policy", a->policy_id, p->title);
        return fail_reason(c, ERR_FORBIDDEN, "blocked_by_policy", "a policy blocks proposals of this agent");
    }
    if (a->policy != RULE_AUTO_APPROVE || p->priority == URGENCY_CRITICAL)
        return ERR_OK;
    TRY(proposal_is_trusted(c, p, &trusted));
    if (trusted) {
        p->status = REVIEW_APPROVED;
        p->auto_approved = true;
        p->reviewed_at = c->now;
        p->due_at = (struct instant){0};
    }
    return ERR_OK;
}

void proposal_set_deadline(struct proposal *p, struct instant now, int64_t hours)
{
    int64_t first = hours > REVIEW_REMINDER_HOURS ? hours - REVIEW_REMINDER_HOURS : hours;

    p->review_deadline = (struct instant){now.us + hours * HOUR_US};
    p->due_at = (struct instant){now.us + first * HOUR_US};
}

static err proposal_make_tx(struct ctx *c, const struct proposal *in, struct proposal *out)
{
    struct intervention_answer answer;

    *out = *in;
    out->review_hours = out->review_hours ? out->review_hours : REVIEW_HOURS;
    TRY(proposal_check_reviewer(c, out));
    TRY(proposal_check_agent(c, out));
    TRY(proposal_check_room(c, out->agent_id));
    TRY(thing_begin(c, &PROPOSAL, out));
    out->proposed_changes = out->proposed_changes ? out->proposed_changes : json_obj(c->arena);
    out->impact_assessment = out->impact_assessment ? out->impact_assessment : json_obj(c->arena);
    out->created_by = c->who->id;
    proposal_set_deadline(out, c->now, out->review_hours);
    if (uuid_is_nil(out->target_user_id))
        TRY(proposal_store_reviewer(c, out->agent_id, &out->target_user_id));
    TRY(proposal_ask_policy(c, out, &answer));
    TRY(thing_insert(c, &PROPOSAL, out));
    if (out->status == REVIEW_PENDING)
        TRY(proposal_tell(c, out, &answer, "A proposal waits for your review"));
    return ERR_OK;
}
DB_TX(proposal_make, struct proposal, struct proposal)
