/* Operations of the services around skills: health, evolution, repair, pictures, teams, upkeep. */
#include "skill_bridge.h"
#include "skill_health.h"
#include "skill_repair.h"
#include "skill_research.h"
#include "skill_team.h"
#include "skillgraph_calls.h"

#define TAG .tag = "skills"
#define GRAPH "/api/v1/ai/skill_graph"
#define READS .perm = PERM_SKILLS_READ, .flags = OP_READONLY | OP_IDEMPOTENT

/* ---- health */

static const struct field HEALTH_ROW[] = {
    F_UUID(struct skill_health_row, id, 0, "id of the skill"),
    F_STR(struct skill_health_row, name, 0, 0, 0, "name"),
    F_NUM(struct skill_health_row, effectiveness_now, 0, 0, 1, 0, "how well it does"),
    F_END
};
static const struct field HEALTH_OUT[] = {
    F_NUM(struct skill_health, score, FIELD_NULLABLE, 0, 100, 0, "0 to 100; null: there is no active skill"),
    F_STR(struct skill_health, grade, 0, 0, 0, "A, B, C, D, F or n/a"),
    F_INT(struct skill_health, skills, 0, 0, 0, 0, "active skills that you can read"),
    F_INT(struct skill_health, edges, 0, 0, 0, 0, "edges between them"),
    F_INT(struct skill_health, open_conflicts, 0, 0, 0, 0, "open conflicts"),
    F_NUM(struct skill_health, coverage, 0, 0, 1, 0, "share with a text and a vector"),
    F_NUM(struct skill_health, connectivity, 0, 0, 1, 0, "edges, of three per skill"),
    F_NUM(struct skill_health, freshness, 0, 0, 1, 0, "share used or made within 30 days"),
    F_NUM(struct skill_health, effectiveness, 0, 0, 1, 0, "mean effectiveness, of .9"),
    F_NUM(struct skill_health, conflict, 0, 0, 1, 0, "weight of open conflicts, of four per skill"),
    F_LIST(struct skill_health, best, 0, SKILL_HEALTH_ROWS, HEALTH_ROW, struct skill_health_row, "report: the most effective",
        .schema = "SkillHealthRow"),
    F_LIST(struct skill_health, worst, 0, SKILL_HEALTH_ROWS, HEALTH_ROW, struct skill_health_row, "report: the least effective",
        .schema = "SkillHealthRow"),
    F_LIST(struct skill_health, stale, 0, SKILL_HEALTH_ROWS, HEALTH_ROW, struct skill_health_row, "report: not used for 30 days",
        .schema = "SkillHealthRow"),
    F_LIST(struct skill_health, orphans, 0, SKILL_HEALTH_ROWS, HEALTH_ROW, struct skill_health_row, "report: without an edge for 30 days",
        .schema = "SkillHealthRow"),
    F_END
};
struct health_in {
    bool report;
};
static const struct field HEALTH_IN[] = {
    F_BOOL(struct health_in, report, 0, false, "with the best, the worst, the stale and the lonely ones"),
    F_END
};

OP_CALL(SKILL_HEALTH, struct health_in, struct skill_health, skill_health(c, in->report, out),
        .name = "skill.health", .method = "GET", .path = GRAPH "/health", .tool = "skill_health", TAG,
        .summary = "Says how healthy the skills are together: a score from 0 to 100, and its parts.", READS,
        OP_IN(HEALTH_IN, struct health_in), OP_OUT(HEALTH_OUT, struct skill_health));

static const struct field METRICS_OUT[] = {
    F_UUID(struct skill_metrics, id, 0, "id of the skill"),
    F_STR(struct skill_metrics, name, 0, 0, 0, "name"),
    F_STR(struct skill_metrics, trend, 0, 0, 0, "up, down or stable: the last 7 days against the 7 before"),
    F_NUM(struct skill_metrics, effectiveness, 0, 0, 1, 0, "confidence and outcomes together"),
    F_NUM(struct skill_metrics, effectiveness_now, 0, 0, 1, 0, "the same, lowered while unused"),
    F_NUM(struct skill_metrics, success_rate, FIELD_NULLABLE, 0, 1, 0, "share of outcomes that were good; null: none yet"),
    F_INT(struct skill_metrics, usage_count, 0, 0, 0, 0, "how often it was served"),
    F_INT(struct skill_metrics, success_count, 0, 0, 0, 0, "outcomes: success"),
    F_INT(struct skill_metrics, failure_count, 0, 0, 0, 0, "outcomes: failure"),
    F_INT(struct skill_metrics, partial_count, 0, 0, 0, 0, "outcomes: partial"),
    F_INT(struct skill_metrics, mean_latency_ms, 0, 0, 0, 0, "mean duration"),
    F_INT(struct skill_metrics, versions, 0, 0, 0, 0, "versions"),
    F_INT(struct skill_metrics, open_conflicts, 0, 0, 0, 0, "open conflicts"),
    F_INT(struct skill_metrics, edges, 0, 0, 0, 0, "edges to other skills"),
    F_END
};

OP_CALL(SKILL_METRICS, struct thing_key, struct skill_metrics, skill_metrics(c, in->id, out),
        .name = "skill.metrics", .method = "GET", .path = GRAPH "/skills/:id/metrics", .tool = "skill_metrics", TAG,
        .summary = "Says how one skill does: outcomes, trend, conflicts.", READS, OP_KEY(SKILL), OP_OUT(METRICS_OUT, struct skill_metrics));

OP_CALL(SKILL_EVOLVE, struct thing_key, struct skill_version, skill_evolve(c, in, out),
        .name = "skill.evolve", .method = "POST", .path = GRAPH "/skills/:id/evolve", .tool = "evolve_skill", TAG,
        .summary = "Makes an experimental version of a skill with what learnings say of it; it is not served.",
        .help = "Try it with an A/B test.", .perm = PERM_SKILLS_WRITE, .flags = 0, OP_KEY(SKILL),
        OP_GIVE(SKILL_VERSION, struct skill_version));

/* ---- repair */

static const struct field REPAIR_ID[] = {
    F_UUID(struct skill_conflict_decision, id, FIELD_REQUIRED, "id of the conflict"),
    F_END
};

OP_CALL(SKILL_REPAIR, struct skill_conflict_decision, struct skill_conflict, skill_repair(c, in, out),
        .name = "skill_conflict.repair", .method = "POST", .path = GRAPH "/conflicts/:id/repair", TAG,
        .summary = "Repairs a conflict that a machine may repair: a cycle, or two skills with equal texts.", .perm = PERM_SKILLS_REVIEW,
        .flags = 0, OP_IN(REPAIR_ID, struct skill_conflict_decision), OP_GIVE(SKILL_CONFLICT, struct skill_conflict));

OP_CALL(SKILL_REPAIR_UNDO, struct skill_conflict_decision, struct skill_conflict, skill_repair_undo(c, in, out),
        .name = "skill_conflict.undo", .method = "POST", .path = GRAPH "/conflicts/:id/undo", TAG,
        .summary = "Takes a repair back, within 30 days.", .perm = PERM_SKILLS_REVIEW, .flags = 0,
        OP_IN(REPAIR_ID, struct skill_conflict_decision), OP_GIVE(SKILL_CONFLICT, struct skill_conflict));

static const struct field REPAIRS_OUT[] = {
    F_INT(struct skill_repairs, repaired, 0, 0, 0, 0, "conflicts that were repaired"),
    F_INT(struct skill_repairs, left, 0, 0, 0, 0, "conflicts for people"),
    F_END
};

OP_CALL(SKILL_REPAIR_ALL, struct thing_page, struct skill_repairs, skill_repair_all(c, out),
        .name = "skill_conflict.repair_all", .method = "POST", .path = GRAPH "/conflicts/repair_all", TAG,
        .summary = "Repairs all conflicts that a machine may repair, at most 50.", .perm = PERM_SKILLS_MANAGE, .flags = OP_PORTIONS,
        OP_OUT(REPAIRS_OUT, struct skill_repairs));

/* ---- the graph */

static const struct field PICTURE_IN[] = {
    F_UUID(struct skill_picture_wish, skill_id, FIELD_NULLABLE, "the skill in the middle; default: all"),
    F_INT(struct skill_picture_wish, depth, 0, 1, 3, 2, "steps from it"),
    F_END
};
static const struct field PICTURE_NODE[] = {
    F_UUID(struct skill_picture_node, id, 0, "id of the skill"),
    F_STR(struct skill_picture_node, name, 0, 0, 0, "name"),
    F_STR(struct skill_picture_node, slug, 0, 0, 0, "slug"),
    F_STR(struct skill_picture_node, category, 0, 0, 0, "category"),
    F_NUM(struct skill_picture_node, effectiveness_now, 0, 0, 1, 0, "how well it does"),
    F_INT(struct skill_picture_node, depth, 0, 0, 3, 0, "steps from the skill in the middle"),
    F_END
};
static const struct field PICTURE_EDGE[] = {
    F_UUID(struct skill_picture_edge, id, 0, "id of the edge"),
    F_UUID(struct skill_picture_edge, source_id, 0, "from"),
    F_UUID(struct skill_picture_edge, target_id, 0, "to"),
    F_STR(struct skill_picture_edge, relation, 0, 0, 0, "relation"),
    F_NUM(struct skill_picture_edge, weight, 0, 0, 1, 0, "weight"),
    F_END
};
static const struct field PICTURE_OUT[] = {
    F_LIST(struct skill_picture, nodes, 0, SKILL_PICTURE_NODES, PICTURE_NODE, struct skill_picture_node, "active skills",
        .schema = "SkillNode"),
    F_LIST(struct skill_picture, edges, 0, 0, PICTURE_EDGE, struct skill_picture_edge, "edges between them", .schema = "SkillEdge"),
    F_BOOL(struct skill_picture, has_more, 0, false, "there are more skills than these 500"),
    F_END
};

OP_CALL(SKILL_SUBGRAPH, struct skill_picture_wish, struct skill_picture, skill_picture(c, in, out),
        .name = "skill.subgraph", .method = "GET", .path = GRAPH "/subgraph", .tool = "get_skill_graph", TAG,
        .summary = "Returns the graph of active skills, or what lies around one.", READS, OP_IN(PICTURE_IN, struct skill_picture_wish),
        OP_OUT(PICTURE_OUT, struct skill_picture));

static const struct field CHAIN_LINK[] = {
    F_UUID(struct skill_chain_link, id, 0, "id of the skill"),
    F_STR(struct skill_chain_link, name, 0, 0, 0, "name"),
    F_STR(struct skill_chain_link, slug, 0, 0, 0, "slug"),
    F_ENUM(struct skill_chain_link, status, 0, skill_status, 0, "status"),
    F_INT(struct skill_chain_link, depth, 0, 0, SKILL_CHAIN_DEPTH, 0, "steps from the skill that was asked for"),
    F_END
};
static const struct field CHAIN_OUT[] = {
    F_LIST(struct skill_chain, order, 0, 0, CHAIN_LINK, struct skill_chain_link, "what it needs, in an order that works",
        .schema = "SkillChainLink"),
    F_LIST(struct skill_chain, missing, 0, 0, CHAIN_LINK, struct skill_chain_link, "of these, what is not active",
        .schema = "SkillChainLink"),
    F_STRS(struct skill_chain, cycles, 0, 0, "circles of what is needed"),
    F_END
};

OP_CALL(SKILL_CHAIN, struct thing_key, struct skill_chain, skill_chain(c, in->id, out),
        .name = "skill.dependency_chain", .method = "GET", .path = GRAPH "/dependency_chain/:id", TAG,
        .summary = "Returns what a skill needs, in an order in which it can be done.", READS, OP_KEY(SKILL),
        OP_OUT(CHAIN_OUT, struct skill_chain));

struct suggest_in {
    double threshold;
    bool apply;
};
static const struct field SUGGEST_IN[] = {
    F_NUM(struct suggest_in, threshold, 0, 0.5, 1, 0.7, "similarity from which on two skills are joined"),
    F_BOOL(struct suggest_in, apply, FIELD_REQUIRED, false, "make the edges; false: only say which they would be"),
    F_END
};
static const struct field SUGGESTION_OUT[] = {
    F_UUID(struct skill_suggestion, source_id, 0, "from"),
    F_STR(struct skill_suggestion, source_name, 0, 0, 0, "its name"),
    F_UUID(struct skill_suggestion, target_id, 0, "to"),
    F_STR(struct skill_suggestion, target_name, 0, 0, 0, "its name"),
    F_STR(struct skill_suggestion, relation, 0, 0, 0, "enhances or composes"),
    F_NUM(struct skill_suggestion, confidence, 0, 0, 1, 0, "similarity"),
    F_END
};
static const struct field SUGGESTIONS_OUT[] = {
    F_LIST(struct skill_suggestions, edges, 0, SKILL_SUGGESTIONS, SUGGESTION_OUT, struct skill_suggestion, "edges that are not there",
        .schema = "SkillSuggestion"),
    F_INT(struct skill_suggestions, made, 0, 0, 0, 0, "edges that were made"),
    F_END
};

OP_CALL(SKILL_SUGGEST, struct suggest_in, struct skill_suggestions, skill_suggest_edges(c, in->threshold, in->apply, out),
        .name = "skill.auto_detect", .method = "POST", .path = GRAPH "/auto_detect", TAG,
        .summary = "Suggests edges between skills that are alike, and makes them if wanted.", .perm = PERM_SKILLS_WRITE,
        .flags = OP_IDEMPOTENT | OP_PORTIONS, OP_IN(SUGGEST_IN, struct suggest_in), OP_OUT(SUGGESTIONS_OUT, struct skill_suggestions));

/* ---- teams */

static const struct field COVER_OUT[] = {
    F_STR(struct skill_cover, category, 0, 0, 0, "category"),
    F_INT(struct skill_cover, skills, 0, 0, 0, 0, "skills of members in it"),
    F_INT(struct skill_cover, agents, 0, 0, 0, 0, "members that have any"),
    F_END
};
static const struct field COVERAGE_OUT[] = {
    F_UUID(struct skill_coverage, team_id, 0, "the team"),
    F_INT(struct skill_coverage, agents, 0, 0, 0, 0, "active members"),
    F_INT(struct skill_coverage, skills, 0, 0, 0, 0, "active skills that they have"),
    F_NUM(struct skill_coverage, share, 0, 0, 1, 0, "share of the categories with active skills that are covered"),
    F_LIST(struct skill_coverage, categories, 0, 0, COVER_OUT, struct skill_cover, "categories that are covered", .schema = "SkillCover"),
    F_STRS(struct skill_coverage, missing, 0, 0, "categories that no member has a skill in"),
    F_END
};
struct team_in {
    struct uuid tid;
};
static const struct field TEAM_IN[] = {
    F_UUID(struct team_in, tid, FIELD_REQUIRED, "id of the team"),
    F_END
};

OP_CALL(SKILL_TEAM_COVERAGE, struct team_in, struct skill_coverage, skill_team_coverage(c, in->tid, out),
        .name = "skill.team_coverage", .method = "GET", .path = GRAPH "/team_coverage/:tid", .tool = "team_skill_coverage", TAG,
        .summary = "Says which categories of skills the agents of a team cover.", READS, OP_IN(TEAM_IN, struct team_in),
        OP_OUT(COVERAGE_OUT, struct skill_coverage));

static const struct field TASK_IN[] = {
    F_UUID(struct skill_team_task, tid, FIELD_REQUIRED, "id of the team"),
    F_STR(struct skill_team_task, task_context, FIELD_REQUIRED, 1, 4000, "what is to be done"),
    F_INT(struct skill_team_task, max_members, 0, 1, 20, 5, "agents at most"),
    F_END
};
static const struct field NEED_OUT[] = {
    F_UUID(struct skill_team_need, skill_id, 0, "id of the skill"),
    F_STR(struct skill_team_need, name, 0, 0, 0, "name"),
    F_STR(struct skill_team_need, category, 0, 0, 0, "category"),
    F_INT(struct skill_team_need, holders, 0, 0, 0, 0, "agents that have it"),
    F_END
};
static const struct field PICK_OUT[] = {
    F_UUID(struct skill_team_pick, agent_id, 0, "id of the agent"),
    F_STR(struct skill_team_pick, name, 0, 0, 0, "name"),
    F_INT(struct skill_team_pick, skills, 0, 0, 0, 0, "how much it adds"),
    F_NUM(struct skill_team_pick, trust, 0, 0, 1, 0, "trust"),
    F_UUIDS(struct skill_team_pick, skill_ids, 0, 0, "what it adds"),
    F_END
};
static const struct field TEAM_ANSWER[] = {
    F_LIST(struct skill_team_answer, needed, 0, 0, NEED_OUT, struct skill_team_need, "skills that fit the task", .schema = "SkillNeed"),
    F_LIST(struct skill_team_answer, gaps, 0, 0, NEED_OUT, struct skill_team_need, "of these, what is missing", .schema = "SkillNeed"),
    F_LIST(struct skill_team_answer, agents, 0, 20, PICK_OUT, struct skill_team_pick, "agents, best first", .schema = "SkillPick"),
    F_NUM(struct skill_team_answer, covered, 0, 0, 1, 0, "share of what is needed that is covered"),
    F_END
};

#define TEAM_TASK(NAME, service, op_name, at, summary_) \
    OP_CALL(NAME, struct skill_team_task, struct skill_team_answer, service(c, in, out), .name = op_name, .method = "POST", \
            .path = GRAPH "/" at "/:tid", TAG, .summary = summary_, .perm = PERM_SKILLS_READ, .flags = OP_READONLY | OP_RECALLS, \
            OP_IN(TASK_IN, struct skill_team_task), OP_OUT(TEAM_ANSWER, struct skill_team_answer))

TEAM_TASK(SKILL_TEAM_GAPS, skill_team_gaps, "skill.team_gaps", "team_gaps", "Says which skills for a task a team does not have.");
TEAM_TASK(SKILL_TEAM_SUGGEST, skill_team_suggest, "skill.suggest_agents", "suggest_agents",
    "Names agents outside a team that have what it lacks for a task.");
TEAM_TASK(SKILL_TEAM_COMPOSE, skill_team_compose, "skill.compose_team", "compose_team",
    "Picks as few agents of a team as cover what a task needs.");

/* ---- upkeep */

struct upkeep_in {
    const char *operation;
};
static const struct field UPKEEP_IN[] = {
    F_STR(struct upkeep_in, operation, FIELD_REQUIRED, 1, 32, "full, scan_conflicts, decay, reembed or gaps"),
    F_END
};
struct upkeep_out {
    struct uuids run_ids;
};
static const struct field UPKEEP_OUT[] = {
    F_UUIDS(struct upkeep_out, run_ids, 0, 0, "runs that were started"),
    F_END
};

static err skill_upkeep_start(struct ctx *c, const struct upkeep_in *in, struct upkeep_out *out)
{
    static const struct {
        const char *operation, *job;
    } JOBS[] = {{"scan_conflicts", "skill_conflict_scan"}, {"decay", "skill_stale_decay"}, {"reembed", "skill_stale_decay"},
                {"gaps", "skill_gap_detection"}};
    bool all = str_eq(in->operation, "full");

    out->run_ids.v = ARENA_ARRAY(c->arena, struct uuid, 4);
    for (size_t i = 0; i < 4; i++)
        if (str_eq(in->operation, JOBS[i].operation) || (all && i != 2))
            TRY(skill_job_start(c, JOBS[i].job, &out->run_ids.v[out->run_ids.n++]));
    return out->run_ids.n ? ERR_OK : fail_field(c, "/operation", "operation is full, scan_conflicts, decay, reembed or gaps");
}

OP_CALL(SKILL_OPTIMIZE, struct upkeep_in, struct upkeep_out, skill_upkeep_start(c, in, out),
        .name = "skill.optimize", .method = "POST", .path = GRAPH "/optimize", TAG,
        .summary = "Starts the upkeep of skills now; returns the runs.", .perm = PERM_SKILLS_MANAGE, .flags = 0,
        OP_IN(UPKEEP_IN, struct upkeep_in), OP_OUT(UPKEEP_OUT, struct upkeep_out));

const struct op *const skill_service_calls_table[] = {&SKILL_HEALTH, &SKILL_METRICS, &SKILL_EVOLVE, &SKILL_REPAIR, &SKILL_REPAIR_UNDO,
    &SKILL_REPAIR_ALL, &SKILL_SUBGRAPH, &SKILL_CHAIN, &SKILL_SUGGEST, &SKILL_TEAM_COVERAGE, &SKILL_TEAM_GAPS, &SKILL_TEAM_SUGGEST,
    &SKILL_TEAM_COMPOSE, &SKILL_OPTIMIZE, NULL};
