/* Communities: names that belong together, found ahead by a job, each with a summary that quotes its texts. */
#ifndef LOCI_COMMUNITY_H
#define LOCI_COMMUNITY_H

#include "ctx.h"
#include "list.h"
#include "page.h"

#define COMMUNITY_MIN_SIZE 3
#define COMMUNITY_SUMMARY 1200 /* characters */
#define COMMUNITY_QUOTES 3
#define COMMUNITIES_LISTED 500

struct community {
    struct uuid id, space_id, parent_id;
    int64_t level, size;
    const char *title, *summary;
    double edge_weight, density;
    const char *summary_kind, *algorithm;
    bool untrusted, stale; /* stale: names of it have changed since; what it quoted may be gone */
    struct instant written_at;
    double score;   /* of what was asked for */
    int64_t shared; /* its members among those asked for */
};

struct community_member {
    struct uuid node_id;
    const char *title, *entity_type;
    double strength;
    bool untrusted;
};

struct community_view {
    struct community community;
    struct list members; /* of struct community_member, the strongest first */
};

struct community_filter {
    struct uuid knowledge_base_id, node_id; /* nil: any */
    int64_t level;                          /* -1: any */
    int64_t min_size, limit;
    const char *cursor;
};

/* The largest first. */
err community_list(struct ctx *c, const struct community_filter *f, struct page *out);
err community_get(struct ctx *c, struct uuid id, struct community_view *out);
err community_count(struct ctx *c, struct uuids spaces, int64_t *n);
/* Those that hold some of these nodes: of struct community, with `shared`; members: of struct community_hold. */
struct community_hold {
    struct uuid community_id, node_id;
};
err community_holding(struct ctx *c, const struct uuid *nodes, size_t n, struct list *communities, struct list *members);

/* ---- making them */

struct community_rebuild {
    struct uuid space_id;
    int64_t names, found, made, changed, removed, kept;
    bool dry_run;
};
/* Of one space, in one transaction. is_cold: as if none had been there. */
err community_rebuild(struct ctx *c, struct uuid space_id, bool is_cold, bool dry_run, struct community_rebuild *out);
/* Spaces whose names have changed since, at most max: for the job. */
err community_due_spaces(struct ctx *c, struct uuid *ids, size_t max, size_t *n);
err community_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);

#endif
