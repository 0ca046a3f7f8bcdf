/* Goals: made, changed, closed and reopened; see goal.h. goal_keep.c has what the job does. */
#include "goal.h"

#include "access.h"
#include "agent.h"
#include "db.h"
#include "goal_impl.h"
#include "goal_store.h"
#include "match.h"
#include "node.h"
#include "node_kind.h"
#include "reach.h"
#include "sanitize_direct.h"
#include "space.h"
#include "thing.h"

ENUMX_DEFINE(goal_type, GOAL_TYPE);
ENUMX_DEFINE(goal_status, GOAL_STATUS);
ENUMX_DEFINE(goal_children, GOAL_CHILDREN);
ENUMX_DEFINE(goal_wanted, GOAL_WANTED);

#define COL_QUIET (COL_READ | COL_CREATE | COL_PATCH) /* text: no copy of it in the audit trail outlives the goal */
#define LINKED "(SELECT MAX(e.recorded_at) FROM edge e WHERE e.account_id = g.account_id AND e.target_id = g.id AND e.relation = 'serves')"
#define CHECK(what) "JSON_VALUE(g.success_criteria, '$.check." what "')"

#define GOAL_FIELDS \
    F_ID(struct goal, "id of the goal, and of its node"), \
    F_UUID(struct goal, agent_id, COL_ONCE, "the agent; default: that of the goal above, or the caller"), \
    F_UUID(struct goal, space_id, COL_READ, "space of its node: the agent's own namespace"), \
    F_UUID(struct goal, parent_goal_id, COL_ONCE | FIELD_NULLABLE, "goal of the same agent that it is part of"), \
    F_INT(struct goal, depth, COL_READ, 1, GOAL_DEPTH, 1, "levels from the top"), \
    F_STR(struct goal, title, (COL_QUIET & ~COL_ROW) | FIELD_REQUIRED, 1, GOAL_TITLE, "what is to be reached; data, not instructions", \
          .sql = "n.title", .label = "Title"), \
    F_STR(struct goal, description, (COL_QUIET & ~COL_ROW) | FIELD_RAW, 0, GOAL_DESCRIPTION, "more about it", .sql = "n.body", \
          .label = "Description"), \
    F_ENUM(struct goal, goal_type, COL_ONCE | FIELD_REQUIRED, goal_type, GOAL_IMPROVEMENT, "what sort of goal", .label = "Sort"), \
    F_ENUM(struct goal, status, COL_LATER, goal_status, GOAL_PENDING, "pending to active, active to paused and back; open ones to " \
           "achieved, abandoned or failed", .label = "Status", .shades = "info ok warn ok off bad"), \
    F_INT(struct goal, priority, COL_OPEN, 1, 5, 3, "1 is the highest", .label = "Priority", .hint = "1 is the highest, 5 the lowest"), \
    F_NUM(struct goal, progress, COL_LATER, 0, 1, 0, "share that is done; 1: achieved", .label = "Progress", \
          .hint = "0 to 1; 1 closes it as achieved"), \
    F_OBJECT(struct goal, success_criteria, COL_QUIET | FIELD_NULLABLE, GOAL_CRITERIA, \
             "when it is reached; with check {count_of: kind, tag, min} it is, once its space has so many memories of that kind and tag"), \
    F_TIME(struct goal, deadline, COL_OPEN | FIELD_NULLABLE, "when it should be reached", .label = "Deadline"), \
    F_UUID(struct goal, created_by, COL_READ | FIELD_NULLABLE, "agent or user that made it"), \
    F_TIME(struct goal, last_activity_at, COL_READ, "last progress, change of status, linked item or observation", \
           .sql = "GREATEST(g.last_activity_at, COALESCE(" LINKED ", g.last_activity_at))"), \
    F_TIME(struct goal, warned_at, COL_READ | FIELD_NULLABLE, "when it was said that it will be abandoned"), \
    F_TIME(struct goal, due_at, COL_ROW | FIELD_NULLABLE, "when the job has to look at it"), \
    F_STR(struct goal, end_reason, COL_READ | FIELD_NULLABLE, 0, GOAL_REASON, "why it was closed; stale: without activity for too long"), \
    F_STR(struct goal, reason, COL_PATCH | FIELD_NULLABLE, 1, GOAL_REASON, "why it is closed", .label = "Reason"), \
    F_ENUM(struct goal, children, COL_PATCH, goal_children, GOAL_CHILDREN_KEEP, \
           "of a goal that is closed: what becomes of open ones below it", \
           .label = "Goals below it"), \
    F_VERSION(struct goal), \
    F_TIMES(struct goal)

static const struct field GOAL_COLUMNS[] = {GOAL_FIELDS, F_END};
#define GOAL_FROM "goal g JOIN node n ON n.account_id = g.account_id AND n.id = g.id"
const struct thing GOAL = THING("goal", GOAL_COLUMNS, struct goal, .schema = "Goal", .is_news = true, .alias = "g", .from = GOAL_FROM);

static const struct field GOAL_DUE_COLUMNS[] = {
    GOAL_FIELDS,
    F_BOOL(struct goal, is_met, 0, false, "what its check counts is there",
           .sql = "(" CHECK("min") " IS NOT NULL AND (SELECT COUNT(*) FROM node k WHERE k.account_id = g.account_id AND k.space_id = "
                  "g.space_id "
                  "AND k.kind = CONVERT(" CHECK("count_of") " USING ascii) AND k.status = 'active' AND k.archived_at IS NULL AND "
                  "k.forgotten_at IS NULL AND (" CHECK("tag") " IS NULL OR JSON_CONTAINS(k.attrs, JSON_QUOTE(" CHECK("tag") "), "
                  "'$.tags'))) "
                  ">= " CHECK("min") ")"),
    F_END
};
const struct thing GOAL_DUE = THING("goal", GOAL_DUE_COLUMNS, struct goal, .alias = "g", .from = GOAL_FROM);

/* ---- reading */

static err goal_missing(struct ctx *c)
{
    return fail(c, ERR_NOT_FOUND, "no such goal");
}

static err goal_find(struct ctx *c, struct uuid id, struct goal *out)
{
    struct watch_reach r;
    bool found;

    TRY(goal_store_get(c, id, &found, out));
    TRY(watch_reach(c, &r));
    return found && watch_reaches(&r, out->agent_id) ? ERR_OK : goal_missing(c);
}

/* What it says stands in the agent's own memory: whoever neither reads that nor reviews sees the goal without it. */
static void goal_veil(const struct ctx *c, struct goal *g)
{
    if (c->who->kind != PRINCIPAL_USER || access_may_read(c, g->space_id) || permissions_have(c->who->perms, PERM_OVERSIGHT_REVIEW) ||
        uuid_eq(g->created_by, c->who->id))
        return;
    g->title = g->description = "";
    g->success_criteria = NULL;
}

err goal_get(struct ctx *c, struct uuid id, struct goal *out)
{
    TRY(goal_find(c, id, out));
    goal_veil(c, out);
    return ERR_OK;
}

err goal_list(struct ctx *c, const struct goal_filter *f, struct page *out)
{
    struct watch_reach r;
    struct uuid before;

    TRY(watch_reach(c, &r));
    TRY(page_begin(c, f->cursor, &before));
    TRY(goal_store_list(c, f, &r, before, out));
    for (size_t i = 0; i < out->n; i++)
        goal_veil(c, &((struct goal *)out->items)[i]);
    return ERR_OK;
}

/* ---- when the job has to look */

int64_t goal_idle_limit(const struct goal *g)
{
    return (g->status == GOAL_PAUSED ? GOAL_PAUSED_DAYS : GOAL_STALE_DAYS) * DAY_US;
}

/* What has a check is looked at each time. */
static struct instant goal_next(const struct goal *g)
{
    int64_t warning = g->warned_at.us ? 0 : GOAL_WARNING_DAYS * DAY_US;

    if (!goal_is_open(g))
        return (struct instant){0};
    if (json_get(json_get(g->success_criteria, "check"), "min"))
        return g->created_at;
    return (struct instant){g->last_activity_at.us + goal_idle_limit(g) - warning};
}

/* ---- writing */

static const char *goal_node_status(const struct goal *g)
{
    return goal_is_open(g) ? NODE_ACTIVE : "closed"; /* the brief and recall's first choice are what is open */
}

/* The node as the goal says; whoever may change the goal may change it. */
static err goal_write_node(struct ctx *c, const struct goal *was, const struct goal *g)
{
    struct node_patch p = {.title = g->title, .body = g->description, .status = goal_node_status(g)};
    struct node node;

    p.set |= str_eq(was->title, g->title) ? 0 : NODE_SET_TITLE;
    p.set |= str_eq(was->description, g->description) ? 0 : NODE_SET_BODY;
    p.set |= goal_is_open(was) == goal_is_open(g) ? 0 : NODE_SET_STATUS;
    space_widen(c, g->space_id, ACCESS_WRITE);
    return p.set ? node_update(c, g->id, &p, &node) : ERR_OK;
}

err goal_save(struct ctx *c, const struct thing_change *ch, const struct goal *was, struct goal *g)
{
    if (goal_is_open(was) && !goal_is_open(g))
        g->warned_at = (struct instant){0};
    g->due_at = goal_next(g);
    TRY(thing_save(c, &GOAL, ch, was, g));
    return goal_write_node(c, was, g);
}

void goal_active(struct ctx *c, struct goal *g)
{
    g->last_activity_at = c->now;
    g->warned_at = (struct instant){0};
}

/* Closed without being asked. */
err goal_end(struct ctx *c, const struct goal *was, enum goal_status to, const char *why)
{
    struct goal g = *was;

    g.status = to;
    g.end_reason = why;
    g.last_activity_at = c->now;
    return goal_save(c, &(struct thing_change){.verb = "close"}, was, &g);
}

err goal_touch(struct ctx *c, struct uuid id)
{
    struct goal was, g;
    bool found;

    TRY(goal_store_lock(c, id, &found, &was));
    if (!found || !goal_is_open(&was))
        return ERR_OK;
    g = was;
    goal_active(c, &g);
    return goal_save(c, &(struct thing_change){.verb = "observe"}, &was, &g);
}

/* ---- checks */

static err goal_check_criteria(struct ctx *c, const struct goal *g)
{
    const struct json *check = json_get(g->success_criteria, "check");
    const struct json *min = json_get(check, "min"), *tag = json_get(check, "tag");

    if (!check)
        return ERR_OK;
    if (!node_kind_find(json_get_str(check, "count_of")))
        return fail_field(c, "/success_criteria/check/count_of", "count_of must be a kind of memory");
    if (!json_is(min, JSON_INT) || min->i < 1)
        return fail_field(c, "/success_criteria/check/min", "min must be a whole number from 1 on");
    return !tag || json_is(tag, JSON_STR) ? ERR_OK : fail_field(c, "/success_criteria/check/tag", "tag must be text");
}

static err goal_clean(struct ctx *c, struct goal *g)
{
    g->success_criteria = json_opened(c->arena, g->success_criteria);
    TRY(sanitize_direct(c, g->title, &g->title, NULL));
    TRY(sanitize_direct(c, g->description ? g->description : "", &g->description, NULL));
    return goal_check_criteria(c, g);
}

/* Under the agent's row lock. */
static err goal_check_room(struct ctx *c, struct uuid agent_id)
{
    int64_t open;

    TRY(watch_lock_agent(c, agent_id));
    TRY(goal_store_open(c, agent_id, &open));
    return open < GOALS_OPEN ? ERR_OK : fail_reason(c, ERR_CONFLICT, "quota_exceeded", "the agent has %d open goals already", GOALS_OPEN);
}

err goal_whose(struct ctx *c, const char *field, struct uuid id, struct goal *out, struct uuid *agent_id)
{
    struct watch_reach r;
    bool found;

    TRY(watch_reach(c, &r));
    TRY(goal_store_get(c, id, &found, out));
    if (!found || !watch_reaches(&r, out->agent_id) || (!uuid_is_nil(*agent_id) && !uuid_eq(out->agent_id, *agent_id)))
        return fail_field(c, field, "the agent has no such goal");
    *agent_id = out->agent_id;
    return ERR_OK;
}

/* Of whom it is, and below what; where only the goal above it is named, it is of the same agent. */
static err goal_place(struct ctx *c, struct goal *g)
{
    struct goal parent = {0};

    if (!uuid_is_nil(g->parent_goal_id))
        TRY(goal_whose(c, "/parent_goal_id", g->parent_goal_id, &parent, &g->agent_id));
    g->depth = parent.depth + 1;
    TRY(watch_agent(c, g->agent_id, &g->agent_id));
    return g->depth <= GOAL_DEPTH ? ERR_OK : fail(c, ERR_CONFLICT, "goals have at most %d levels", GOAL_DEPTH);
}

/* ---- services */

static err goal_create_tx(struct ctx *c, const struct goal *in, struct goal *out)
{
    struct goal g = *in;
    struct node node;

    TRY(goal_place(c, &g));
    TRY(goal_check_room(c, g.agent_id));
    TRY(space_of_agent(c, g.agent_id, &g.space_id));
    if (uuid_is_nil(g.space_id))
        return fail(c, ERR_CONFLICT, "the agent has no namespace");
    TRY(thing_begin(c, &GOAL, &g));
    TRY(goal_clean(c, &g));
    goal_active(c, &g);
    g.created_by = c->who->id;
    g.due_at = goal_next(&g);
    space_widen(c, g.space_id, ACCESS_WRITE);
    TRY(node_create(c, &(struct node_new){NODE_NEW_DEFAULTS, .id = g.id, .space_id = g.space_id, .kind = "goal", .by_room = true,
                                          .title = g.title, .body = g.description}, &node));
    TRY(thing_insert(c, &GOAL, &g));
    return goal_get(c, g.id, out);
}
DB_TX(goal_create, struct goal, struct goal)

static err goal_take(struct ctx *c, struct uuid id, int64_t if_version, struct goal *out)
{
    bool found;

    TRY(goal_find(c, id, out));
    TRY(goal_store_lock(c, id, &found, out));
    if (!found)
        return goal_missing(c);
    out->success_criteria = json_opened(c->arena, out->success_criteria);
    return match_version(c, if_version, out->version);
}

static err goal_check_move(struct ctx *c, const struct goal *was, const struct goal *g)
{
    bool to_work = g->status == GOAL_ACTIVE, rests = was->status == GOAL_ACTIVE && g->status == GOAL_PAUSED;

    if (!goal_is_open(was))
        return fail_reason(c, ERR_CONFLICT, "closed", "the goal is %s; a person can reopen it",
                           enumx_name(&goal_status_enumx, (int)was->status));
    if (g->status == was->status || !goal_is_open(g) || to_work || rests)
        return ERR_OK;
    return fail(c, ERR_CONFLICT, "a goal that is %s does not become %s", enumx_name(&goal_status_enumx, (int)was->status),
                enumx_name(&goal_status_enumx, (int)g->status));
}

static err goal_close_below(struct ctx *c, const struct goal *parent)
{
    const struct goal *v;
    struct list below;

    TRY(goal_store_below(c, parent->id, &below));
    v = below.v;
    for (size_t i = 0; i < below.n; i++)
        TRY(goal_end(c, &v[i], GOAL_ABANDONED, "the goal above it was closed"));
    return ERR_OK;
}

static err goal_update_tx(struct ctx *c, const struct goal_change *ch, struct goal *out)
{
    struct goal was, g;

    TRY(goal_take(c, ch->to.id, ch->change.if_version, &was));
    g = was;
    TRY(thing_apply(c, &GOAL, ch, &g));
    TRY(goal_check_move(c, &was, &g));
    TRY(goal_clean(c, &g));
    if (changes(ch, progress) && g.progress >= 1 && goal_is_open(&g))
        g.status = GOAL_ACHIEVED;
    if (g.status != was.status || g.progress != was.progress)
        goal_active(c, &g);
    if (!goal_is_open(&g))
        g.end_reason = g.reason;
    TRY(goal_save(c, &ch->change, &was, &g));
    if (!goal_is_open(&g) && g.children == GOAL_CHILDREN_CLOSE)
        TRY(goal_close_below(c, &g));
    return goal_get(c, g.id, out);
}
DB_TX(goal_update, struct goal_change, struct goal)

static err goal_reopen_tx(struct ctx *c, const struct thing_key *key, struct goal *out)
{
    struct goal was, g;

    if (c->who->kind != PRINCIPAL_USER)
        return fail(c, ERR_FORBIDDEN, "only a person reopens a goal");
    TRY(goal_find(c, key->id, &was));
    TRY(goal_check_room(c, was.agent_id));
    TRY(goal_take(c, key->id, key->if_version, &was));
    if (goal_is_open(&was))
        return fail(c, ERR_CONFLICT, "the goal is open");
    g = was;
    g.status = GOAL_ACTIVE;
    g.end_reason = NULL;
    goal_active(c, &g);
    TRY(goal_save(c, &(struct thing_change){.verb = "reopen"}, &was, &g));
    return goal_get(c, g.id, out);
}
DB_TX(goal_reopen, struct thing_key, struct goal)
