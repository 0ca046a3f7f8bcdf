/* SQL of escalations; only escalation.c includes this. */
#ifndef LOCI_ESCALATION_STORE_H
#define LOCI_ESCALATION_STORE_H

#include "escalation.h"
#include "list.h"
#include "str.h"

/* The unresolved escalation of that question, or one resolved without an answer since then; *found. */
err escalation_store_find(struct ctx *c, struct bytes question, struct instant since, bool *found, struct escalation *out);
err escalation_store_seen(struct ctx *c, struct uuid id);
/* Unresolved ones: of the agent, either questions or all else, and of the account. */
err escalation_store_count(struct ctx *c, struct uuid agent_id, bool questions, int64_t *of_agent, int64_t *of_account);
/* The unresolved one with this key, held until the transaction ends. */
err escalation_store_open(struct ctx *c, struct bytes key, bool *found, struct escalation *out);
/* Of that version; *changed 0: somebody else was faster. out: its next version. */
err escalation_store_save(struct ctx *c, struct escalation *e, int64_t *changed);
struct escalation_person {
    struct uuid user_id;
    const char *role;
};
/* Active people: who dealt with the agent last, then who may review, admins and owners. */
err escalation_store_people(struct ctx *c, struct uuid agent_id, struct escalation_person *out, size_t max, size_t *n);
err escalation_store_list(struct ctx *c, const struct escalation_filter *f, struct uuid before, struct page *out);
/* Of that version and unresolved, or *changed is 0. */
err escalation_store_resolve(struct ctx *c, const struct escalation *e, int64_t *changed);

/* Accounts where one is late or a reminder is due; these, held until the transaction ends. */
err escalation_store_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);
err escalation_store_late(struct ctx *c, int64_t limit, struct list *out);
/* *late: how many exhausted ones there are, when a reminder was due; all of them are reminded of next then. */
err escalation_store_remind(struct ctx *c, struct instant next, int64_t *late);
/* Those of these people who are active; who runs the account. */
err escalation_store_active(struct ctx *c, const struct uuid *people, size_t n, struct uuids *out);
err escalation_store_admins(struct ctx *c, size_t max, struct uuids *out);

/* Unresolved ones, and those of them without a taker. */
err escalation_store_health(struct ctx *c, int64_t *open, int64_t *exhausted);

#endif
