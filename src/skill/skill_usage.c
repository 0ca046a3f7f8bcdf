/* Serving skills and recording outcomes; see skill_usage.h. */
#include "skill_usage.h"

#include "db.h"
#include "edge.h"
#include "node.h"
#include "skill_impl.h"
#include "skill_store.h"
#include "skill_test.h"
#include "skill_usage_store.h"
#include "skill_version_store.h"

ENUMX_DEFINE(skill_outcome, SKILL_OUTCOME);

#define SERVED_LAST (24 * (int64_t)3600 * SECOND_US) /* an outcome without a use is of the last one within a day */

static const struct field SKILL_USAGE_COLUMNS[] = {
    F_ID(struct skill_usage, "id of the use"),
    F_UUID(struct skill_usage, skill_id, COL_READ, "the skill"),
    F_UUID(struct skill_usage, version_id, COL_READ, "the version that was served"),
    F_UUID(struct skill_usage, test_id, COL_READ | FIELD_NULLABLE, "the A/B test that chose it"),
    F_UUID(struct skill_usage, agent_id, COL_READ | FIELD_NULLABLE, "the agent it was served to"),
    F_STR(struct skill_usage, session_id, COL_READ | FIELD_NULLABLE, 0, 0, "the session"),
    F_STR(struct skill_usage, execution_id, COL_READ | FIELD_NULLABLE, 0, 0, "the execution whose outcome it got"),
    F_STR(struct skill_usage, outcome, COL_READ | FIELD_NULLABLE, 0, 0, "success, failure or partial; null: not known yet"),
    F_TIME(struct skill_usage, served_at, COL_READ, "when it was served"),
    F_TIME(struct skill_usage, outcome_at, COL_READ | FIELD_NULLABLE, "when the outcome was recorded"),
    F_INT(struct skill_usage, duration_ms, COL_READ | FIELD_NULLABLE, 0, 0, 0, "how long the execution took"),
    F_STR(struct skill_usage, context_summary, COL_READ | FIELD_NULLABLE, 0, 0, "what it was for, or a note on the outcome"),
    F_END
};
const struct thing SKILL_USAGE = THING("skill_usage", SKILL_USAGE_COLUMNS, struct skill_usage, .schema = "SkillUsage");

/* ---- serving */

static struct uuid skill_serve_agent(const struct ctx *c, struct uuid agent_id)
{
    return uuid_is_nil(agent_id) && c->who->kind == PRINCIPAL_AGENT ? c->who->id : agent_id;
}

struct skill_serve_rows {
    const struct skill_usage *rows;
    size_t n;
};

static err skill_serve_write(struct ctx *c, void *arg)
{
    const struct skill_serve_rows *r = arg;

    TRY(skill_usage_store_insert(c, r->rows, r->n));
    return skill_usage_store_count(c, r->rows, r->n);
}

err skill_serve_choose(struct ctx *c, const struct skill_serving *to, struct skill_served *v, size_t n)
{
    struct uuid agent = skill_serve_agent(c, to->agent_id);

    if (!n)
        return ERR_OK;
    for (size_t i = 0; i < n; i++)
        v[i].version_id = v[i].skill->active_version_id;
    TRY(skill_test_choose(c, to->session_id ? to->session_id : uuid_is_nil(agent) ? NULL : arena_strdup(c->arena, UUID_STR(agent)), v, n));
    return skill_usage_store_texts(c, v, n);
}

err skill_serve_note(struct ctx *c, const struct skill_serving *to, struct skill_served *v, size_t n)
{
    struct skill_usage *rows = ARENA_ARRAY(c->arena, struct skill_usage, n + 1);
    struct uuid agent = skill_serve_agent(c, to->agent_id);

    for (size_t i = 0; i < n; i++) {
        v[i].usage_id = uuid_new(c->now.us);
        rows[i] = (struct skill_usage){.id = v[i].usage_id, .skill_id = v[i].skill->id, .version_id = v[i].version_id,
            .test_id = v[i].test_id, .agent_id = agent, .session_id = to->session_id, .served_at = c->now, .duration_ms = FIELD_NONE,
            .context_summary = to->summary};
    }
    return n ? db_tx(c, skill_serve_write, &(struct skill_serve_rows){rows, n}) : ERR_OK;
}

/* ---- outcomes */

struct skill_crediting {
    const struct skill_outcome_in *in;
    struct skill skill;
    struct skill_usage usage;
    bool is_new; /* the row of the use is to be made */
    struct skill_outcome_out *out;
};

/* The use that is meant, or a new one of the version that is credited. */
static err skill_outcome_find(struct ctx *c, struct skill_crediting *w)
{
    const struct skill_outcome_in *in = w->in;
    struct instant since = {c->now.us - SERVED_LAST};
    struct uuid agent = skill_serve_agent(c, (struct uuid){{0}});
    bool found = false;

    if (uuid_is_nil(in->version_id) && (in->session_id || !uuid_is_nil(agent)))
        TRY(skill_usage_store_last(c, w->skill.id, in->session_id, agent, since, &found, &w->usage));
    w->out->credited = found ? "served" : uuid_is_nil(in->version_id) ? "active" : "version";
    if (found)
        return ERR_OK;
    w->is_new = true;
    w->usage = (struct skill_usage){.id = uuid_new(c->now.us), .skill_id = w->skill.id, .agent_id = agent, .session_id = in->session_id,
        .version_id = uuid_is_nil(in->version_id) ? w->skill.active_version_id : in->version_id, .served_at = c->now};
    return ERR_OK;
}

static void skill_outcome_answer(struct skill_crediting *w, const struct skill_usage *u, bool duplicate)
{
    w->out->skill_id = u->skill_id;
    w->out->version_id = u->version_id;
    w->out->usage_id = u->id;
    w->out->outcome = u->outcome;
    w->out->duplicate = duplicate;
    w->out->effectiveness = w->skill.effectiveness;
}

static err skill_outcome_failure(struct ctx *c, struct skill_crediting *w)
{
    struct json *attrs = json_obj(c->arena);
    struct edge edge;
    struct node node;

    if (!w->in->bad_pattern || !access_may_write(c, w->skill.space_id))
        return ERR_OK;
    json_set_str(c->arena, attrs, "observed_at", instant_text(c->now, arena_alloc(c->arena, INSTANT_TEXT)));
    json_set_str(c->arena, attrs, "evidence_id", arena_strdup(c->arena, UUID_STR(w->usage.id)));
    TRY(node_create(c, &(struct node_new){NODE_NEW_DEFAULTS, .space_id = w->skill.space_id, .kind = "bad_pattern",
        .title = arena_printf(c->arena, "Failure of %s", w->skill.name), .body = w->in->bad_pattern, .attrs = attrs}, &node));
    w->out->bad_pattern_id = node.id;
    return edge_create(c, &(struct edge_new){EDGE_NEW_DEFAULTS, .source_id = w->skill.id, .target_id = node.id,
        .relation = "HAS_FAILURE"}, &edge);
}

static err skill_outcome_write(struct ctx *c, struct skill_crediting *w)
{
    const struct skill_outcome_in *in = w->in;
    enum skill_outcome o = given(in, outcome) ? in->outcome : in->success ? SKILL_SUCCESS : SKILL_FAILURE;
    struct skill_outcomes more = {o == SKILL_SUCCESS, o == SKILL_FAILURE, o == SKILL_PARTIAL};

    w->usage.outcome = enumx_name(&skill_outcome_enumx, (int)o);
    w->usage.outcome_at = c->now;
    w->usage.duration_ms = given(in, duration_ms) ? in->duration_ms : FIELD_NONE;
    w->usage.execution_id = in->execution_id;
    w->usage.context_summary = in->note;
    TRY(w->is_new ? skill_usage_store_insert(c, &w->usage, 1) : skill_usage_store_outcome(c, &w->usage));
    TRY(skill_usage_store_credit(c, &w->usage, &more, &w->skill.effectiveness));
    skill_outcome_answer(w, &w->usage, false);
    if (!uuid_is_nil(w->usage.test_id))
        TRY(skill_test_count(c, &w->usage, &more, &w->out->test));
    return o == SKILL_FAILURE ? skill_outcome_failure(c, w) : ERR_OK;
}

/* The row of the skill is locked first: outcomes of one skill come one after the other. */
static err skill_outcome_credit_tx(struct ctx *c, const struct skill_outcome_in *in, struct skill_outcome_out *out)
{
    struct skill_crediting w = {.in = in, .out = out};
    struct uuid id = in->skill_id;
    struct skill_usage u;
    bool found = false, by_usage = !uuid_is_nil(in->usage_id);

    *out = (struct skill_outcome_out){.credited = "usage"};
    if (by_usage) {
        TRY(skill_usage_store_get(c, in->usage_id, false, &found, &w.usage));
        if (!found)
            return fail(c, ERR_NOT_FOUND, "no such use");
        id = w.usage.skill_id;
    }
    TRY(skill_get(c, id, &w.skill));
    if (!given(in, outcome) && !given(in, success))
        return fail_field(c, "/outcome", "give outcome, or success");
    TRY(skill_store_lock(c, id, &found, &w.skill));
    if (by_usage)
        TRY(skill_usage_store_get(c, in->usage_id, true, &found, &w.usage));
    if (in->execution_id)
        TRY(skill_usage_store_by_execution(c, id, in->execution_id, &found, &u));
    else
        found = false;
    if (found || (by_usage && w.usage.outcome)) {
        skill_outcome_answer(&w, found ? &u : &w.usage, true);
        return ERR_OK;
    }
    if (!by_usage)
        TRY(skill_outcome_find(c, &w));
    return skill_outcome_write(c, &w);
}
DB_TX_INNER(skill_outcome_credit, struct skill_outcome_in, struct skill_outcome_out)

err skill_outcome_record(struct ctx *c, const struct skill_outcome_in *in, struct skill_outcome_out *out)
{
    struct skill_outcome_in of = *in;
    struct skill_version v;

    if (!uuid_is_nil(in->version_id)) {
        TRY(skill_version_get(c, in->version_id, &v));
        if (uuid_is_nil(of.usage_id) && uuid_is_nil(of.skill_id))
            of.skill_id = v.skill_id;
        if (!uuid_is_nil(of.skill_id) && !uuid_eq(of.skill_id, v.skill_id))
            return fail_field(c, "/version_id", "the skill has no such version");
    }
    if (uuid_is_nil(of.usage_id) == uuid_is_nil(of.skill_id))
        return fail_field(c, "/skill_id", "give either usage_id or skill_id");
    return skill_outcome_credit(c, &of, out);
}

err skill_usage_list(struct ctx *c, const struct skill_usage_filter *f, struct page *out)
{
    struct uuid before;
    struct skill s;

    TRY(skill_get(c, f->id, &s));
    TRY(page_begin(c, f->cursor, &before));
    return skill_usage_store_list(c, f, before, out);
}

err skill_usage_between(struct ctx *c, struct uuid skill_id, struct instant from, struct instant to, struct skill_outcomes *out)
{
    return skill_usage_store_between(c, skill_id, from, to, out);
}
