/* SQL and Redis of skills for other programs; only this room includes it. */
#ifndef LOCI_SKILL_SERVED_STORE_H
#define LOCI_SKILL_SERVED_STORE_H

#include "list.h"
#include "skill.h"

/* Active, enabled ones of these spaces with their texts; before: ids below it. slug: only that one, or NULL. */
err skill_served_store_list(struct ctx *c, struct uuids spaces, const char *slug, struct uuid before, int64_t limit, struct page *out);
/* Files of these skills, by skill and path. */
struct served_row {
    struct uuid skill_id;
    const char *path;
    int64_t size;
    struct bytes hash;
};
err skill_served_store_files(struct ctx *c, const struct uuid *ids, size_t n, struct list *out);

/* What an archive of these contents has as digest: kept for a day, so that an index reads no files. NULL: not known. */
err skill_served_store_known(struct ctx *c, const char *of, const char **digest);
err skill_served_store_keep(struct ctx *c, const char *of, const char *digest);

#endif
