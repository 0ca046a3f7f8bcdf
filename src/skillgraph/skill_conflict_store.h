/* SQL of conflicts, and what a scan reads. */
#ifndef LOCI_SKILL_CONFLICT_STORE_H
#define LOCI_SKILL_CONFLICT_STORE_H

#include "list.h"
#include "skill_conflict.h"

err skill_conflict_store_get(struct ctx *c, struct uuid id, bool lock, bool *found, struct skill_conflict *out);
err skill_conflict_store_list(struct ctx *c, const struct skill_conflict_filter *f, struct uuids spaces, struct page *out);
err skill_conflict_store_open(struct ctx *c, int64_t *n);
/* What stands in the way of raising it: it is open, or was decided since then. */
struct skill_conflict_known {
    struct bytes pair_key;
    struct instant decided_at; /* 0: open */
};
err skill_conflict_store_known(struct ctx *c, struct instant since, struct list *out);
/* Those that somebody raised meanwhile are left out; *n: how many were written. */
err skill_conflict_store_insert(struct ctx *c, const struct skill_conflict *rows, size_t n, int64_t *written);
/* Priorities of all open ones, by their age now. */
err skill_conflict_store_weigh(struct ctx *c);

/* Active skills of the account, or of these spaces. */
struct skill_scanned {
    struct uuid id, space_id, parent_skill_id;
    const char *name, *slug, *description, *category, *params, *semver, *body;
    struct instant updated_at;
};
#define SKILL_SCAN_MAX 10000
err skill_scan_store_skills(struct ctx *c, struct uuids spaces, bool all, struct list *out);
struct skill_scan_edge {
    struct uuid id, source_id, target_id;
    const char *relation, *version_req, *target_status;
    double worth; /* weight × confidence */
    bool target_gone;
};
/* Edges between skills that a scan looks at; has_skill with what the agent requires. */
err skill_scan_store_edges(struct ctx *c, struct list *out);

#endif
