/* Feedback: what people say of the work of agents, unasked or asked for. */
#ifndef LOCI_FEEDBACK_H
#define LOCI_FEEDBACK_H

#include "ctx.h"
#include "enumx.h"
#include "page.h"
#include "thing_table.h"

#define FEEDBACK_TEXT 2000
#define FEEDBACK_CONTEXT 64 /* characters of an id that is not ours */
#define FEEDBACK_REQUESTS 3 /* of one agent to one person that are open */

#define FEEDBACK_TYPE(X) \
    X(FEEDBACK_EXECUTION, "execution_quality") X(FEEDBACK_PROPOSAL, "proposal_quality") X(FEEDBACK_COMMUNICATION, "communication_quality")
ENUMX_DECLARE(feedback_type, FEEDBACK_TYPE);

struct feedback {
    struct uuid id, agent_id, user_id;
    int64_t rating; /* FIELD_NONE: asked for, not given */
    enum feedback_type feedback_type;
    const char *agent_name, *user_name, *context_kind, *context_id, *comment, *message;
    struct instant requested_at;
    bool applied_to_trust;
    int64_t version;
    struct instant created_at, updated_at;
};
extern const struct thing FEEDBACK;

/* By people only: ERR_FORBIDDEN for agents. Given again for the same agent and context, it is changed; trust moves to what the last
 * one alone gives. */
err feedback_give(struct ctx *c, const struct feedback *in, struct feedback *out);
/* By an agent: the person is notified. ERR_CONFLICT: too many wait there, or it was given. */
err feedback_request(struct ctx *c, const struct feedback *in, struct feedback *out);

struct feedback_filter {
    struct uuid agent_id; /* nil: any */
    bool open;            /* only what is asked for and not given */
    int64_t limit;
    const char *cursor;
};
/* A person's own; with oversight.review those of all. An agent's about itself, or about one that it may look after. */
err feedback_list(struct ctx *c, const struct feedback_filter *f, struct page *out);

#endif
