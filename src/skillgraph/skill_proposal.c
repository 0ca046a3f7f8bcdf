/* Proposals on their way; see skill_proposal.h. */
#include "skill_proposal.h"

#include "access.h"
#include "db.h"
#include "edge.h"
#include "limit.h"
#include "match.h"
#include "relation.h"
#include "skill_proposal_store.h"
#include "tags.h"
#include "thing.h"

ENUMX_DEFINE(skill_proposal_status, SKILL_PROPOSAL_STATUS);

#define CHILD_CONFIDENCE 0.8

static const struct field SKILL_PROPOSAL_COLUMNS[] = {
    F_ID(struct skill_proposal, "id of the proposal"),
    F_STR(struct skill_proposal, name, COL_OPEN | FIELD_REQUIRED, 1, 128, "name of the skill", .label = "Name"),
    F_STR(struct skill_proposal, slug, COL_READ, 0, LIMIT_SLUG, "its slug, made of the name"),
    F_STR(struct skill_proposal, open_slug, COL_ROW | FIELD_NULLABLE, 0, LIMIT_SLUG, "the unique key"),
    F_STR(struct skill_proposal, description, COL_OPEN | FIELD_REQUIRED, 1, SKILL_DESCRIPTION, "what it is for; data, not instructions",
        .label = "Description"),
    F_STR(struct skill_proposal, category, COL_OPEN | FIELD_NULLABLE, 1, LIMIT_SLUG, "its category; needed before it is submitted",
        .label = "Category"),
    F_STR(struct skill_proposal, body, COL_OPEN | FIELD_RAW, 0, SKILL_BODY, "text of the skill; data, not instructions", .preset = "",
        .label = "Text"),
    F_STRS(struct skill_proposal, tags, COL_OPEN, SKILL_TAGS, "tags", .label = "Tags"),
    F_BOOL(struct skill_proposal, needs_editing, COL_READ, false, "the text is a template; a new text clears this"),
    F_NUM(struct skill_proposal, confidence, COL_READ, 0, 1, 0.5, "how sure the research is"),
    F_OBJECT(struct skill_proposal, research_report, COL_READ, LIMIT_ATTRS, "what was found, by source"),
    F_JSON(struct skill_proposal, overlap_analysis, COL_READ, LIMIT_ATTRS, "skills that are near: skill_id, name, similarity"),
    F_JSON(struct skill_proposal, suggested_dependencies, COL_OPEN, LIMIT_ATTRS,
        "what it needs: [{skill_id, or name of a skill that is not there; relation: requires, enhances, composes or DEPENDS_ON}]; "
            "at most 65536 bytes of JSON"),
    F_JSON(struct skill_proposal, skipped_dependencies, COL_READ, LIMIT_ATTRS, "names that no child proposal was made for"),
    F_UUID(struct skill_proposal, parent_proposal_id, COL_READ | FIELD_NULLABLE, "proposal whose skill needs this one"),
    F_INT(struct skill_proposal, depth, COL_READ, 0, PROPOSAL_DEPTH, 0, "how many parents it has"),
    F_ENUM(struct skill_proposal, status, COL_READ | COL_AUDIT, skill_proposal_status, PROPOSAL_DRAFT, "how far it is",
        .shades = "info info warn ok ok bad off off"),
    F_BOOL(struct skill_proposal, auto_approved, COL_READ, false, "approved by policy, not by a person"),
    F_UUID(struct skill_proposal, proposed_by, COL_READ | FIELD_NULLABLE, "principal who proposed it; null: a job"),
    F_UUID(struct skill_proposal, reviewed_by, COL_READ | FIELD_NULLABLE, "principal who reviews or reviewed it"),
    F_TIME(struct skill_proposal, reviewed_at, COL_READ | FIELD_NULLABLE, "when it was approved or rejected"),
    F_STR(struct skill_proposal, rejection_reason, COL_READ | COL_AUDIT | FIELD_NULLABLE, 0, SKILL_REASON, "why it was rejected"),
    F_TIME(struct skill_proposal, submitted_at, COL_READ | FIELD_NULLABLE, "when it was submitted"),
    F_TIME(struct skill_proposal, review_deadline, COL_READ | FIELD_NULLABLE, "when it expires without a review"),
    F_UUID(struct skill_proposal, created_skill_id, COL_READ | COL_AUDIT | FIELD_NULLABLE, "the skill that was made of it"),
    F_VERSION(struct skill_proposal),
    F_TIMES(struct skill_proposal),
    F_END
};
const struct thing SKILL_PROPOSAL = THING("skill_proposal", SKILL_PROPOSAL_COLUMNS, struct skill_proposal, .schema = "SkillProposal",
    .taken = "an open proposal has this name already");

/* ---- who sees it */

static bool proposal_is_visible(const struct ctx *c, const struct skill_proposal *p)
{
    return uuid_eq(p->proposed_by, c->who->id) || (p->status != PROPOSAL_DRAFT && permissions_have(c->who->perms, PERM_SKILLS_REVIEW));
}

err skill_proposal_get(struct ctx *c, struct uuid id, struct skill_proposal *out)
{
    TRY(thing_get(c, &SKILL_PROPOSAL, id, out));
    return proposal_is_visible(c, out) ? ERR_OK : fail(c, ERR_NOT_FOUND, "no such proposal");
}

static err proposal_take(struct ctx *c, const struct thing_key *key, struct skill_proposal *out)
{
    bool found;

    TRY(skill_proposal_store_lock(c, key->id, &found, out));
    if (!found || !proposal_is_visible(c, out))
        return fail(c, ERR_NOT_FOUND, "no such proposal");
    return match_version(c, key->if_version, out->version);
}

err skill_proposal_list(struct ctx *c, const struct skill_proposal_filter *f, struct page *out)
{
    bool reviews = permissions_have(c->who->perms, PERM_SKILLS_REVIEW);
    struct uuid before;

    TRY(page_begin(c, f->cursor, &before));
    return skill_proposal_store_list(c, f, reviews ? (struct uuid){{0}} : c->who->id, before, out);
}

/* ---- making and changing */

static err proposal_check_need(struct ctx *c, const struct json *need, size_t i)
{
    const char *id = json_get_str(need, "skill_id"), *name = json_get_str(need, "name"), *relation = json_get_str(need, "relation");
    const struct relation *r = relation_find(relation ? relation : "requires");
    const char *at = arena_printf(c->arena, "/suggested_dependencies/%zu", i);
    struct skill skill;
    struct uuid uuid;

    if (!json_is(need, JSON_OBJ) || (!id && str_empty(name)))
        return fail_field(c, at, "a dependency is {skill_id or name, relation}");
    if (!r || !relation_takes_from(r, "skill") || !relation_takes_to(r, "skill") || r->flags & REL_OWNED)
        return fail_field(c, at, "relation is requires, enhances, composes, succeeds or DEPENDS_ON");
    if (id && !uuid_parse(id, &uuid))
        return fail_field(c, at, "skill_id is no id");
    return id ? skill_get(c, uuid, &skill) : ERR_OK;
}

static err proposal_check(struct ctx *c, struct skill_proposal *p)
{
    const struct json *needs = json_opened(c->arena, p->suggested_dependencies);
    size_t i = 0;

    if (p->category)
        TRY(skill_category_check(c, "/category", p->category));
    TRY(tags_clean(c, "/tags", p->tags, &p->tags));
    p->slug = skill_slug_of(c->arena, p->name);
    if (!*p->slug)
        return fail_field(c, "/name", "the name needs a letter of a-z or a digit");
    if (!json_is(needs, JSON_ARR) || needs->len > PROPOSAL_NEEDS)
        return fail_field(c, "/suggested_dependencies", "a list of at most %d dependencies", PROPOSAL_NEEDS);
    for (const struct json *n = needs->first; n; n = n->next)
        TRY(proposal_check_need(c, n, i++));
    return ERR_OK;
}

static void proposal_complete(struct ctx *c, struct skill_proposal *p)
{
    p->research_report = p->research_report ? p->research_report : json_obj(c->arena);
    p->overlap_analysis = p->overlap_analysis ? p->overlap_analysis : json_arr(c->arena);
    p->suggested_dependencies = p->suggested_dependencies ? p->suggested_dependencies : json_arr(c->arena);
    p->skipped_dependencies = json_arr(c->arena);
    p->body = p->body ? p->body : "";
}

static err proposal_insert(struct ctx *c, struct skill_proposal *p)
{
    bool needs_editing = p->needs_editing;
    struct skill_proposal given_ = *p;

    proposal_complete(c, p);
    TRY(thing_begin(c, &SKILL_PROPOSAL, p));
    p->needs_editing = needs_editing || !*p->body;
    p->confidence = given_.confidence > 0 ? given_.confidence : .5;
    p->depth = given_.depth;
    p->status = given_.status;
    p->proposed_by = uuid_is_nil(given_.proposed_by) ? c->who->id : given_.proposed_by;
    TRY(proposal_check(c, p));
    p->open_slug = p->slug;
    return thing_insert(c, &SKILL_PROPOSAL, p);
}

static err skill_proposal_make_tx(struct ctx *c, const struct skill_proposal *in, struct skill_proposal *out)
{
    int64_t n;

    TRY(skill_proposal_store_open(c, c->who->id, &n));
    if (n >= PROPOSALS_OPEN)
        return fail_reason(c, ERR_CONFLICT, "quota_exceeded", "at most %d of your proposals can be open", PROPOSALS_OPEN);
    *out = *in;
    return proposal_insert(c, out);
}
DB_TX(skill_proposal_make, struct skill_proposal, struct skill_proposal)

static err proposal_wrong_state(struct ctx *c, const struct skill_proposal *p)
{
    return fail_reason(c, ERR_CONFLICT, "proposal_state", "the proposal is %s", enumx_name(&skill_proposal_status_enumx, (int)p->status));
}

static err skill_proposal_update_tx(struct ctx *c, const struct skill_proposal_change *ch, struct skill_proposal *out)
{
    struct skill_proposal was;

    TRY(proposal_take(c, &(struct thing_key){ch->to.id, ch->change.if_version}, &was));
    if (was.status > PROPOSAL_UNDER_REVIEW)
        return proposal_wrong_state(c, &was);
    *out = was;
    TRY(thing_apply(c, &SKILL_PROPOSAL, ch, out));
    TRY(proposal_check(c, out));
    out->open_slug = out->slug;
    if (changes(ch, body))
        out->needs_editing = !*out->body;
    return thing_save(c, &SKILL_PROPOSAL, &ch->change, &was, out);
}
DB_TX(skill_proposal_update, struct skill_proposal_change, struct skill_proposal)

/* ---- the way */

static err proposal_move(struct ctx *c, struct skill_proposal *p, enum skill_proposal_status to, const char *verb)
{
    struct skill_proposal was = *p;

    p->status = to;
    if (to > PROPOSAL_CREATED)
        p->open_slug = NULL;
    return thing_save(c, &SKILL_PROPOSAL, &(struct thing_change){.verb = verb}, &was, p);
}

static err skill_proposal_submit_tx(struct ctx *c, const struct thing_key *key, struct skill_proposal *out)
{
    TRY(proposal_take(c, key, out));
    if (out->status != PROPOSAL_DRAFT)
        return proposal_wrong_state(c, out);
    if (!out->category)
        return fail_field(c, "/category", "a category is needed before it is submitted");
    out->submitted_at = c->now;
    out->review_deadline = (struct instant){c->now.us + PROPOSAL_HOURS * (int64_t)3600 * SECOND_US};
    return proposal_move(c, out, PROPOSAL_SUBMITTED, "submit");
}
DB_TX(skill_proposal_submit, struct thing_key, struct skill_proposal)

static err skill_proposal_withdraw_tx(struct ctx *c, const struct thing_key *key, struct skill_proposal *out)
{
    TRY(proposal_take(c, key, out));
    if (!uuid_eq(out->proposed_by, c->who->id))
        return fail(c, ERR_FORBIDDEN, "only who proposed it can withdraw it");
    if (out->status > PROPOSAL_UNDER_REVIEW)
        return proposal_wrong_state(c, out);
    return proposal_move(c, out, PROPOSAL_WITHDRAWN, "withdraw");
}
DB_TX(skill_proposal_withdraw, struct thing_key, struct skill_proposal)

static err proposal_review(struct ctx *c, const struct thing_key *key, struct skill_proposal *out)
{
    TRY(proposal_take(c, key, out));
    if (uuid_eq(out->proposed_by, c->who->id))
        return fail(c, ERR_FORBIDDEN, "who proposed it cannot review it");
    if (out->status != PROPOSAL_SUBMITTED && out->status != PROPOSAL_UNDER_REVIEW)
        return proposal_wrong_state(c, out);
    out->reviewed_by = c->who->id;
    return ERR_OK;
}

static err skill_proposal_claim_tx(struct ctx *c, const struct thing_key *key, struct skill_proposal *out)
{
    TRY(proposal_review(c, key, out));
    if (out->status != PROPOSAL_SUBMITTED)
        return proposal_wrong_state(c, out);
    return proposal_move(c, out, PROPOSAL_UNDER_REVIEW, "claim_review");
}
DB_TX(skill_proposal_claim, struct thing_key, struct skill_proposal)

static err skill_proposal_reject_tx(struct ctx *c, const struct skill_rejection *in, struct skill_proposal *out)
{
    TRY(proposal_review(c, &(struct thing_key){.id = in->id}, out));
    out->reviewed_at = c->now;
    out->rejection_reason = in->reason;
    return proposal_move(c, out, PROPOSAL_REJECTED, "reject");
}
DB_TX(skill_proposal_reject, struct skill_rejection, struct skill_proposal)

/* ---- approving */

/* A proposal of its own for what is needed and not there; its review is another one. */
static err proposal_child(struct ctx *c, const struct skill_proposal *parent, const char *name, struct uuid *id)
{
    struct skill_proposal p = {.name = name, .description = arena_printf(c->arena, "Needed by %s.", parent->name),
                               .category = parent->category, .confidence = parent->confidence * CHILD_CONFIDENCE, .needs_editing = true,
                               .parent_proposal_id = parent->id, .depth = parent->depth + 1, .status = PROPOSAL_SUBMITTED,
                               .proposed_by = parent->proposed_by, .submitted_at = c->now,
                               .review_deadline = {c->now.us + PROPOSAL_HOURS * (int64_t)3600 * SECOND_US}};
    err e = proposal_insert(c, &p);

    if (e == ERR_CONFLICT) { /* somebody proposes it already */
        ctx_forgive(c);
        *id = (struct uuid){{0}};
        return ERR_OK;
    }
    TRY(e);
    *id = p.id;
    return ERR_OK;
}

static err proposal_needs(struct ctx *c, struct skill_proposal *p)
{
    const struct json *needs = json_opened(c->arena, p->suggested_dependencies);
    struct json *all = json_arr(c->arena), *skipped = json_arr(c->arena);
    int made = 0;

    for (const struct json *n = needs->first; n; n = n->next) {
        const char *id = json_get_str(n, "skill_id"), *name = json_get_str(n, "name"), *relation = json_get_str(n, "relation");
        struct json *o = json_obj(c->arena);
        struct uuid child = {{0}};

        if (!id && made < PROPOSAL_CHILDREN && p->depth < PROPOSAL_DEPTH)
            TRY(proposal_child(c, p, name, &child));
        made += !uuid_is_nil(child);
        if (!id && uuid_is_nil(child))
            json_push(skipped, json_str(c->arena, name));
        json_set_str(c->arena, o, "skill_id", id);
        json_set_str(c->arena, o, "name", name);
        json_set_str(c->arena, o, "relation", relation ? relation : "requires");
        json_set_str(c->arena, o, "child_proposal_id", uuid_is_nil(child) ? NULL : arena_strdup(c->arena, UUID_STR(child)));
        json_push(all, o);
    }
    p->suggested_dependencies = all;
    p->skipped_dependencies = skipped;
    return ERR_OK;
}

static err skill_proposal_approve_tx(struct ctx *c, const struct thing_key *key, struct skill_proposal *out)
{
    TRY(proposal_review(c, key, out));
    if (out->needs_editing || !*out->body)
        return fail_reason(c, ERR_CONFLICT, "needs_editing", "the text is a template: write the skill first");
    out->reviewed_at = c->now;
    TRY(proposal_needs(c, out));
    return proposal_move(c, out, PROPOSAL_APPROVED, "approve");
}
DB_TX(skill_proposal_approve, struct thing_key, struct skill_proposal)

/* ---- creating */

static err proposal_edge(struct ctx *c, struct uuid source, struct uuid target, const char *relation)
{
    struct edge edge;
    err e = edge_create(c, &(struct edge_new){EDGE_NEW_DEFAULTS, .source_id = source, .target_id = target, .relation = relation}, &edge);

    if (e == ERR_CONFLICT || e == ERR_NOT_FOUND)
        ctx_forgive(c); /* it is there, or the skill is gone */
    else
        TRY(e);
    return ERR_OK;
}

/* Edges of the new skill to what is there; those to children come with the children. */
static err proposal_edges(struct ctx *c, const struct skill_proposal *p, struct uuid skill_id)
{
    const struct json *needs = json_opened(c->arena, p->suggested_dependencies);

    for (const struct json *n = needs->first; n; n = n->next) {
        const char *id = json_get_str(n, "skill_id"), *child = json_get_str(n, "child_proposal_id");
        struct skill_proposal other;
        struct uuid target = {{0}};
        bool found = false;

        if (id && uuid_parse(id, &target))
            found = true;
        else if (child && uuid_parse(child, &target)) {
            TRY(skill_proposal_store_lock(c, target, &found, &other));
            target = found ? other.created_skill_id : target;
        }
        if (found && !uuid_is_nil(target))
            TRY(proposal_edge(c, skill_id, target, json_get_str(n, "relation")));
    }
    return ERR_OK;
}

static err proposal_edge_of_parent(struct ctx *c, const struct skill_proposal *p, struct uuid skill_id)
{
    struct skill_proposal parent;
    const struct json *needs;
    bool found;

    if (uuid_is_nil(p->parent_proposal_id))
        return ERR_OK;
    TRY(skill_proposal_store_lock(c, p->parent_proposal_id, &found, &parent));
    if (!found || uuid_is_nil(parent.created_skill_id))
        return ERR_OK;
    needs = json_opened(c->arena, parent.suggested_dependencies);
    for (const struct json *n = needs->first; n; n = n->next)
        if (str_eq(json_get_str(n, "child_proposal_id"), UUID_STR(p->id)))
            TRY(proposal_edge(c, parent.created_skill_id, skill_id, json_get_str(n, "relation")));
    return ERR_OK;
}

static err skill_proposal_create_tx(struct ctx *c, const struct thing_key *key, struct skill *out)
{
    struct skill_proposal p;

    TRY(proposal_take(c, key, &p));
    if (p.status == PROPOSAL_CREATED)
        return skill_get_whole(c, arena_strdup(c->arena, UUID_STR(p.created_skill_id)), out);
    if (p.status != PROPOSAL_APPROVED)
        return proposal_wrong_state(c, &p);
    TRY(skill_make(c, &(struct skill){.name = p.name, .description = p.description, .category = p.category, .body = p.body, .tags = p.tags,
        .status = SKILL_ACTIVE, .confidence = p.confidence}, SKILL_OF_PROPOSAL, out));
    p.created_skill_id = out->id;
    p.open_slug = NULL;
    TRY(proposal_move(c, &p, PROPOSAL_CREATED, "create_skill"));
    TRY(proposal_edges(c, &p, out->id));
    return proposal_edge_of_parent(c, &p, out->id);
}
DB_TX(skill_proposal_create, struct thing_key, struct skill)

err skill_proposal_expire(struct ctx *c, int64_t limit, int64_t *n)
{
    struct skill_proposal *rows;
    struct list list;

    TRY(skill_proposal_store_overdue(c, limit, &list));
    rows = list.v;
    for (size_t i = 0; i < list.n; i++)
        TRY(proposal_move(c, &rows[i], PROPOSAL_EXPIRED, "expire"));
    *n = (int64_t)list.n;
    return ERR_OK;
}

err skill_proposal_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    return skill_proposal_store_due(c, above, ids, max, n);
}
