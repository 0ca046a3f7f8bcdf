/* Skills as Agent Skills for other programs: folders with a SKILL.md, addresses, digests, bytes. Only what is active: a text
 * that is flagged was activated by a reviewer. */
#ifndef LOCI_SKILL_SERVED_H
#define LOCI_SKILL_SERVED_H

#include "ctx.h"
#include "json.h"
#include "list.h"
#include "page.h"
#include "str.h"

#define SERVED_SCHEME "skill://"
#define SERVED_MAIN "SKILL.md"
#define SERVED_URI 1024
#define SERVED_NAME 64  /* of a skill, as the Agent Skills specification has it */
#define SERVED_PAGE 50  /* of a list: each is read and hashed */
#define SERVED_SITE 500 /* of an index */

struct served_file {
    const char *uri, *path, *media, *digest; /* digest: "sha256:" and hex */
    int64_t size;
};
struct served_skill {
    struct uuid id;
    const char *uri, *name, *description;
    const struct json *frontmatter; /* as a reader of YAML has it */
    struct list resources;          /* of struct served_file, SKILL.md first */
    const char *content;            /* of SKILL.md */
};

struct served_filter {
    int64_t limit;
    const char *cursor;
};
/* Of all spaces of skills that the caller may read, newest first. A page may be shorter than it could be. */
err skill_served_list(struct ctx *c, const struct served_filter *f, struct page *out);

struct served_ref {
    const char *uri;
};
/* By the address of its SKILL.md; ERR_NOT_FOUND. */
err skill_served_get(struct ctx *c, const char *uri, struct served_skill *out);

struct served_content {
    const char *uri, *media, *digest, *text, *base64; /* text where it is UTF-8, else base64 */
    int64_t size;
    struct bytes bytes;
};
err skill_served_read(struct ctx *c, const char *uri, struct served_content *out);

/* ---- the site of an account: its own space of skills */

struct served_entry {
    const char *name, *description, *file, *digest; /* file: "name/SKILL.md" or "name.zip" */
    bool is_archive;
};
err skill_served_site(struct ctx *c, struct list *out);
/* SKILL.md of that skill, or its archive; ERR_NOT_FOUND. */
err skill_served_artifact(struct ctx *c, const char *name, bool is_archive, struct bytes *out);

#endif
