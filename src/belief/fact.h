/* Facts: what is believed. One writer for all of them, whoever says it: a newer value supersedes the one before. */
#ifndef LOCI_FACT_H
#define LOCI_FACT_H

#include <stdbool.h>
#include <stdint.h>

#include "ctx.h"
#include "enumx.h"
#include "json.h"
#include "node.h"

#define FACT_OUTCOME(X) \
    X(FACT_CREATED, "created") X(FACT_CORROBORATED, "corroborated") X(FACT_SUPERSEDING, "superseding") X(FACT_HELD, "held") \
    X(FACT_CONTESTED, "contested")
ENUMX_DECLARE(fact_outcome, FACT_OUTCOME);

/* One value for one question. The question is a slot: within a space, a subject and what is said of it. */
struct fact_new {
    struct uuid space_id;
    const char *subject, *predicate; /* of an entry: its key, and "value" */
    const struct json *object;       /* the value */
    const char *statement;           /* the same as text: what recall finds */
    const struct json *attrs;        /* NULL: {} */
    double importance, confidence, decay_rate;
    bool is_pinned;
    const char *source_kind, *source_id;
    struct instant expires_at;
};

struct fact_recorded {
    enum fact_outcome outcome;
    struct node node;   /* the fact that is believed now: id, space, kind and version; corroborated: all of it */
    struct uuid before; /* superseding: the fact that was believed */
};

/* n different questions of one space, inside the caller's transaction; the gate is asked. Nothing was believed: a fact. The same value:
   it is corroborated, and
 * another author makes it surer. Another value: a new fact, one version on, from now on true; the one before is true until
 * now, superseded, and joined to it. */
err fact_record(struct ctx *c, const struct fact_new *in, size_t n, struct fact_recorded *out);
/* Whether the facts among these nodes answer their questions: no longer when they are archived or forgotten, again when they come
 * back. Another answers one of them now: ERR_CONFLICT. Inside the caller's transaction. */
err fact_hold(struct ctx *c, const struct uuid *ids, size_t n, bool holds);

#endif
