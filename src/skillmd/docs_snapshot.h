/* The registry as Markdown: what the caller may read, as files that are the same as long as nothing changes. */
#ifndef LOCI_DOCS_SNAPSHOT_H
#define LOCI_DOCS_SNAPSHOT_H

#include "ctx.h"
#include "list.h"
#include "str.h"

struct docs_file {
    const char *path, *sha256;
    struct bytes content;
    int64_t size;
};
/* By path. Skills in the format of ingest; private namespaces never. */
err docs_snapshot(struct ctx *c, struct list *out);
/* The same as an archive. */
err docs_archive(struct ctx *c, struct bytes *zip);
/* A skill with its files, as an archive of its folder's inside; only one that is served and was not flagged. */
err skill_archive(struct ctx *c, const char *ref, struct bytes *zip);

#endif
