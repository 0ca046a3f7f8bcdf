/* Files beside pages: pictures and documents of a vault, found by the names that links give them. */
#ifndef LOCI_ATTACHMENT_H
#define LOCI_ATTACHMENT_H

#include "ctx.h"
#include "field.h"
#include "list.h"
#include "page.h"
#include "thing_table.h"

#define ATTACHMENT_BYTES (16 * 1024 * 1024)
#define ATTACHMENTS 10000                            /* of an account */
#define ATTACHMENTS_BYTES (2 * 1024 * 1024 * 1024LL) /* all together */
#define ATTACHMENT_PATH 500

struct attachment {
    struct uuid id, space_id;
    const char *path, *media;
    const char *name_key; /* of the last part of its path */
    int64_t size_bytes;
    struct bytes hash;
    int64_t version;
    struct instant created_at, updated_at;
};
extern const struct thing ATTACHMENT;

/* Does a link with this target mean a file rather than a page? */
bool attachment_is_name(const char *target);
/* A relative path whose parts are plain names. */
bool attachment_path_is_plain(const char *path);
/* What browsers may show in place. */
bool attachment_is_picture(const struct attachment *a);

/* A new one, or other bytes of the one with this path; *changed: whether they are. space_id: whoever may write there may change it,
 * whoever may read there may read it. */
err attachment_put(struct ctx *c, struct uuid space_id, const char *path, struct bytes content, struct attachment *out, bool *changed);
/* Newest first; of spaces that the caller may read. */
err attachment_list(struct ctx *c, const struct thing_page *in, struct page *out);
/* One that the caller may read: in its space, or because a page that names it can be read. */
err attachment_get(struct ctx *c, struct uuid id, struct attachment *out);
/* One that a page names which everybody may read. */
err attachment_get_public(struct ctx *c, struct uuid id, struct attachment *out);
/* Its bytes from there on, a part of them; none: that was all. */
err attachment_bytes(struct ctx *c, struct uuid id, int64_t from, struct bytes *out);
err attachment_delete(struct ctx *c, const struct thing_key *key);

/* Those that links with these keys (wiki_name_key of a target) may mean; of struct attachment. */
err attachments_named(struct ctx *c, const struct strs *keys, struct list *out);
/* The one that this key means, with the shortest path; NULL: none. */
const struct attachment *attachment_for(struct ctx *c, const struct list *all, const char *key);

#endif
