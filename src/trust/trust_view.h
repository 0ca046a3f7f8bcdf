/* What trust is shown as: of an agent with the reasons, of a team, and what an agent knows and holds. */
#ifndef LOCI_TRUST_VIEW_H
#define LOCI_TRUST_VIEW_H

#include "json.h"
#include "list.h"
#include "trust_score.h"

#define TRUST_HISTORY 50
#define TRUST_GOALS 20
#define TRUST_TEAM 5000 /* members that count */

struct trust_bar {
    enum trust_dimension dimension;
    double now, stored;
};
struct trust_event {
    struct uuid id, execution_id, by_id;
    const char *kind;
    const struct json *inputs, *before, *after;
    struct instant at;
};
/* So many of something. */
struct trust_count {
    const char *what;
    int64_t n;
};

struct trust_goal {
    struct uuid id;
    const char *title, *status;
    double progress;
};

struct trust_view {
    struct uuid agent_id;
    const char *name;
    struct list dimensions; /* of struct trust_bar */
    double overall, overall_stored;
    enum trust_tier tier, earned_tier;
    const char *pinned_tier, *pin_reason; /* NULL: it is not pinned */
    int64_t evaluation_count;
    struct instant last_evaluated_at, tier_since, last_demoted_at, limited_at;
    struct strs why_not_higher;
    struct list goals;      /* open ones that the caller may read, of struct trust_goal */
    struct list open_items; /* of struct trust_count */
    struct list history;    /* of struct trust_event, newest first */
};
err trust_view(struct ctx *c, struct uuid agent_id, struct trust_view *out);

struct team_trust {
    struct uuid team_id;
    int64_t members; /* active ones */
    struct list dimensions;
    double overall;
    enum trust_tier tier;
};
/* Of people, and of the agent that leads it. */
err trust_of_team(struct ctx *c, struct uuid team_id, struct team_trust *out);

struct trust_space {
    struct uuid space_id;
    const char *name, *kind, *level;
};
struct trust_overview {
    struct uuid agent_id;
    const char *name;
    double overall;
    enum trust_tier tier;
    struct instant limited_at, last_active_at;
    struct list memories;   /* what it wrote, by kind, in spaces that the caller may read */
    struct list open_items; /* of struct trust_count */
    struct list spaces;     /* that both may read, at most TRUST_SPACES */
    int64_t spaces_of_agent, tokens;
};
#define TRUST_SPACES 100
#define TRUST_KINDS 100
err trust_overview(struct ctx *c, struct uuid agent_id, struct trust_overview *out);

/* ERR_NOT_FOUND unless the caller is a person, the agent itself, its parent, or the lead of its team. */
err trust_is_seen(struct ctx *c, const struct agent_trust *t);
err trust_is_seen_by_id(struct ctx *c, struct uuid agent_id);

#endif
