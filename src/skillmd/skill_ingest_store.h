/* What ingest keeps: where skills came from, files beside them, links to skills that may not be there yet; only this room includes it. */
#ifndef LOCI_SKILL_INGEST_STORE_H
#define LOCI_SKILL_INGEST_STORE_H

#include "skill_file.h"
#include "skill_resource.h"

/* The skill of that file of that source; nil: none. */
struct ingest_known {
    struct uuid id;
    struct bytes hash;
    const char *status;
};
err skill_ingest_store_known(struct ctx *c, struct uuid space, const char *source, const char *path, bool *found, struct ingest_known *out);
err skill_ingest_store_mark(struct ctx *c, struct uuid id, const char *head, struct bytes hash);
/* Active and draft skills of the source whose path is none of these. */
err skill_ingest_store_gone(struct ctx *c, struct uuid space, const char *source, struct strs paths, struct list *out);

err skill_ingest_store_links(struct ctx *c, struct uuid skill_id, const struct skill_link *v, size_t n);
/* Links whose skill is there now, and that have no edge: struct link_due. */
struct link_due {
    struct uuid source, target;
    const char *relation;
    double weight;
};
err skill_ingest_store_due(struct ctx *c, struct uuid space, struct list *out);

err skill_ingest_store_resources(struct ctx *c, struct uuid skill_id, struct list *out);
err skill_ingest_store_resource(struct ctx *c, struct uuid skill_id, const char *path, bool *found, struct skill_resource *out);
err skill_ingest_store_resource_put(struct ctx *c, struct uuid skill_id, const struct skill_resource *r);
err skill_ingest_store_resource_drop(struct ctx *c, struct uuid skill_id, const char *path);

#endif
