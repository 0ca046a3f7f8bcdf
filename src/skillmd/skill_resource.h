/* Files beside a SKILL.md: scripts, references, assets. Kept byte for byte, read on demand, never run. */
#ifndef LOCI_SKILL_RESOURCE_H
#define LOCI_SKILL_RESOURCE_H

#include "ctx.h"
#include "list.h"
#include "str.h"

#define RESOURCE_FILES 511                             /* of one skill; with its SKILL.md 512, as the extension of MCP allows */
#define RESOURCE_BYTES (16 * 1024 * 1024 - 288 * 1024) /* of them together; likewise 16 MiB */

struct skill_resource {
    const char *path; /* below the folder of the skill */
    int64_t size;
    const char *sha256;         /* hex */
    struct bytes hash, content; /* content: where it was asked for */
};

/* Inside a transaction that may write the skill: exactly these are there from now on. *changed: how many were not. */
err skill_resources_put(struct ctx *c, struct uuid skill_id, const struct skill_resource *v, size_t n, int64_t *changed);
/* Without their bytes, by path; the caller may read the skill. */
err skill_resources_list(struct ctx *c, struct uuid skill_id, struct list *out);
/* One with its bytes; ERR_NOT_FOUND. */
err skill_resource_get(struct ctx *c, const char *skill, const char *path, struct skill_resource *out);

#endif
