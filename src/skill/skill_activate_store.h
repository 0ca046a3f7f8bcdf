/* SQL of activation. */
#ifndef LOCI_SKILL_ACTIVATE_STORE_H
#define LOCI_SKILL_ACTIVATE_STORE_H

#include "ctx.h"
#include "list.h"
#include "str.h"

struct skill_need {
    struct uuid skill, needs;
};
/* What these skills require; of struct skill_need. */
err skill_activate_store_needs(struct ctx *c, const struct uuid *ids, size_t n, struct list *out);
/* Which of these were served to the session. */
err skill_activate_store_in_session(struct ctx *c, const char *session_id, const struct uuid *ids, size_t n, struct uuids *out);
/* A task that nothing was found for; counted. */
err skill_activate_store_miss(struct ctx *c, struct bytes task_hash, const char *task, struct uuid agent_id);

#endif
