/* The rows of attachments and their bytes. */
#ifndef LOCI_ATTACHMENT_STORE_H
#define LOCI_ATTACHMENT_STORE_H

#include "attachment.h"

err attachment_store_by_path(struct ctx *c, const char *path, bool *found, struct attachment *out);
err attachment_store_list(struct ctx *c, struct uuids spaces, struct uuid before, int64_t limit, struct page *out);
err attachment_store_named(struct ctx *c, const struct strs *keys, struct list *out);
/* How many there are, and their bytes together. */
err attachment_store_total(struct ctx *c, int64_t *n, int64_t *bytes);
err attachment_store_put_bytes(struct ctx *c, struct uuid id, struct bytes content);
/* The part that begins there; n = 0: there is none. */
err attachment_store_bytes(struct ctx *c, struct uuid id, int64_t from, struct bytes *out);
/* Does a page name it by one of these keys that lies in one of these spaces, or (is_public) that everybody may read? */
err attachment_store_is_named(struct ctx *c, const struct strs *keys, struct uuids spaces, bool is_public, bool *is);

#endif
