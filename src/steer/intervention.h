/* Intervention policies: whether an action of an agent needs a person, and how people hear of it. */
#ifndef LOCI_INTERVENTION_H
#define LOCI_INTERVENTION_H

#include "ctx.h"
#include "enumx.h"
#include "json.h"
#include "page.h"
#include "recommendation.h"
#include "thing_table.h"

#define INTERVENTION_POLICIES 200 /* of an account: all that may count are read at once */
#define INTERVENTION_CHANNELS 3

#define INTERVENTION_SCOPE(X) X(SCOPE_GLOBAL, "global") X(SCOPE_AGENT, "agent") X(SCOPE_ACTION, "action_type")
ENUMX_DECLARE(intervention_scope, INTERVENTION_SCOPE);

#define INTERVENTION_ACTION_LIST(X) \
    X(ACTION_APPROVAL, "approval") X(ACTION_PROPOSAL, "proposal") X(ACTION_ESCALATION, "escalation") \
    X(ACTION_STATUS, "status_update") X(ACTION_ALERT, "issue_alert") X(ACTION_FEEDBACK, "feedback")
#define INTERVENTION_CATEGORY(X) INTERVENTION_ACTION_LIST(X) X(ACTION_ALL, "*")
ENUMX_DECLARE(intervention_category, INTERVENTION_CATEGORY);

/* The stricter, the later. */
#define INTERVENTION_RULE(X) \
    X(RULE_AUTO_APPROVE, "auto_approve") X(RULE_SILENT, "silent") X(RULE_NOTIFY, "notify_and_proceed") \
    X(RULE_REQUIRE_APPROVAL, "require_approval") X(RULE_BLOCK, "block")
ENUMX_DECLARE(intervention_rule, INTERVENTION_RULE);

struct quiet_hours {
    const char *start, *end, *tz; /* "22:00", "07:00", a zone */
};
struct intervention_conditions {
    int trust_tier_minimum, severity_max;  /* an enum's value, or -1: any */
    const struct quiet_hours *quiet_hours; /* NULL: none */
    int64_t max_daily_notifications;       /* FIELD_NONE: as many as there are */
};

struct intervention {
    struct uuid id, user_id, agent_id;
    enum intervention_scope scope;
    enum intervention_category action_category;
    enum intervention_rule policy;
    int64_t priority;
    const struct json *conditions;
    struct strs preferred_channels;
    bool is_active;
    int64_t version;
    struct instant created_at, updated_at;
};
extern const struct thing INTERVENTION;

struct intervention_change {
    struct thing_change change;
    struct intervention to;
};

struct intervention_filter {
    int action_category; /* an enum's value, or -1: any */
    struct uuid agent_id, user_id;
    bool active; /* only those that count */
    int64_t limit;
    const char *cursor;
};

err intervention_list(struct ctx *c, const struct intervention_filter *f, struct page *out);
err intervention_get(struct ctx *c, struct uuid id, struct intervention *out);
err intervention_create(struct ctx *c, const struct intervention *in, struct intervention *out);
err intervention_update(struct ctx *c, const struct intervention_change *ch, struct intervention *out);
err intervention_delete(struct ctx *c, const struct thing_key *key);
/* Its conditions, checked: a fault is one of the field /conditions/…. */
err intervention_read_conditions(struct ctx *c, const struct json *conditions, struct intervention_conditions *out);

/* ---- what holds for an action (resolve.c) */

struct intervention_question {
    enum intervention_category action_category;
    struct uuid agent_id, user_id; /* nil: none */
    enum urgency severity;
};
struct intervention_considered {
    struct uuid policy_id;
    enum intervention_scope scope;
    enum intervention_category action_category;
    enum intervention_rule policy;
    int64_t priority;
    bool won;
    const char *why;
};
struct intervention_answer {
    enum intervention_rule policy;
    struct strs channels;
    struct uuid policy_id; /* nil: none matches */
    const char *reason;
    struct instant deliver_at; /* quiet hours: notifications wait until then; 0: they do not */
    struct list considered;    /* of struct intervention_considered */
};
err intervention_resolve(struct ctx *c, const struct intervention_question *q, struct intervention_answer *out);
/* The same for callers: ERR_NOT_FOUND for an agent or person of whom they know nothing. */
err intervention_ask(struct ctx *c, const struct intervention_question *q, struct intervention_answer *out);
/* What holds for a notification that the calling agent sends: struct app.ask_alert. */
struct notification_rule;
err intervention_alert(struct ctx *c, const struct uuid *user_id, int severity, struct notification_rule *out);
/* Is this a way to be told that the answer names? */
bool intervention_tells(const struct intervention_answer *a, const char *channel);
/* The end of the quiet hours that `now` is in; 0: it is in none. */
struct instant quiet_hours_end(struct arena *a, const struct quiet_hours *q, struct instant now);

#endif
