/* What the files of escalations share; only escalation*.c include this. */
#ifndef LOCI_ESCALATION_IMPL_H
#define LOCI_ESCALATION_IMPL_H

#include "escalation.h"
#include "escalation_store.h"

/* ERR_NOT_FOUND also of another agent's. */
err escalation_find(struct ctx *c, struct uuid id, struct escalation *out);
/* A new one: its chain, its clock, and the first person is told. Inside a transaction. */
err escalation_put(struct ctx *c, struct escalation *e);
/* Saves what was changed and says so; ERR_CONFLICT when somebody else was faster. */
err escalation_save(struct ctx *c, struct escalation *e, const char *verb, const struct json *said);
/* Whoever is asked now is told. */
err escalation_tell(struct ctx *c, const struct escalation *e);
/* Where the clock ends that starts then. */
struct instant escalation_clock(const struct escalation *e, struct instant from);
int64_t escalation_hours(enum escalation_severity severity);
/* [{user_id, role}] of the people who are asked about this agent, the first first. */
err escalation_chain(struct ctx *c, struct uuid agent_id, const struct json **out);
size_t escalation_people(const struct json *chain, struct uuid *ids, size_t max);

/* A worse one begins its clock now. */
void escalation_change_severity(struct ctx *c, struct escalation *e, enum escalation_severity severity, int64_t hours);
struct json *escalation_ids(struct ctx *c, const struct uuid *ids, size_t n); /* a list of texts */
size_t escalation_ids_of(const struct json *list, struct uuid *ids, size_t max);

#endif
