/* The brief: what an agent is told before it works, assembled from every room within a budget of tokens. */
#ifndef LOCI_BRIEF_H
#define LOCI_BRIEF_H

#include "ctx.h"
#include "json.h"
#include "list.h"
#include "page.h"
#include "thing_table.h"

#define BRIEF_QUERY 4096
#define BRIEF_EVIDENCE 0.2 /* below that what was found is left out */
#define BRIEF_MESSAGES 50
#define BRIEF_TOKENS_MIN 256
#define BRIEF_TOKENS_MAX 64000
#define BRIEF_ITEMS 400     /* that are considered */
#define BRIEF_LONG_QUERY 20 /* characters; a shorter one finds nothing worth a recall */

struct brief_message {
    const char *role, *content;
};

struct brief_in {
    const char *query;
    struct list messages;   /* of struct brief_message: their end is the query where none is given */
    struct uuid agent_id;   /* nil: the caller */
    struct uuid subject_id; /* not nil: what is published about it comes first in the section archival */
    const char *session_id, *if_stable;
    int64_t token_budget;
    const struct json *sections; /* {name: weight, or false} */
    struct instant as_of, as_known_at;
    double min_evidence;
    bool preview; /* counts as no use, and is not logged */
};

struct brief_section {
    const char *name;
    int64_t weight, tokens, items;
};
struct brief_evicted {
    struct uuid id, covered_by;
    const char *kind, *section, *reason;
    int64_t tokens;
};
struct brief_error {
    const char *section, *code;
};
struct brief_near {
    struct uuid id;
    const char *kind, *title;
};
/* One of the two halves; text NULL: the caller has it already. */
struct brief_part {
    const char *text, *hash;
    int64_t tokens, bytes;
};
struct brief {
    struct uuid agent_id;
    const struct brief_part *stable, *volatile_part;
    const char *text; /* both */
    struct list sections, evicted, errors, nearest;
    const char *evidence;
    struct strs degraded;
    int64_t token_budget, tokens;
    const char *content_hash;
};

/* ERR_NOT_FOUND for another agent, unless it is the caller's child, or the caller holds memory.manage: the audit trail says so. */
err brief_build(struct ctx *c, const struct brief_in *in, struct brief *out);

struct injection {
    struct uuid id, agent_id;
    const char *session_id, *stable_hash, *evidence;
    int64_t tokens;
    struct uuids node_ids;
    struct instant created_at;
};
extern const struct thing INJECTION;

struct injection_filter {
    const char *session_id;
    struct uuid agent_id, node_id;
    int64_t limit;
    const char *cursor;
};
/* The caller's own; with memory.manage those of all. */
err injection_list(struct ctx *c, const struct injection_filter *f, struct page *out);

/* For the job: accounts that have rows older than 90 days, and one batch of them gone. */
err injection_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);
err injection_purge(struct ctx *c, int64_t limit, int64_t *n);

#endif
