/* The rows of documents and their texts. */
#ifndef LOCI_DOCUMENT_STORE_H
#define LOCI_DOCUMENT_STORE_H

#include "chunk_diff.h"
#include "document.h"

/* Not deleted; locked until the transaction ends. */
err document_store_lock(struct ctx *c, struct uuid id, bool *found, struct document *out);
err document_store_get(struct ctx *c, struct uuid id, bool *found, struct document *out);
/* The live one with one of these unique hashes, of external_id or checksum; the first of those that lie in the base itself. */
err document_store_by_hash(struct ctx *c, const struct bytes *hashes, size_t n, bool is_external, bool *found, struct document *out);
err document_store_list(struct ctx *c, const struct document_filter *f, struct uuids spaces, struct uuid before, struct page *out);

err document_store_put_text(struct ctx *c, struct uuid id, int64_t source_version, const char *text, size_t n);
/* Parts that hold bytes of [from, to), one after the other; *at: bytes before the first. */
err document_store_text(struct ctx *c, struct uuid id, int64_t source_version, int64_t from, int64_t to, struct buf *out, int64_t *at);
err document_store_known(struct ctx *c, struct uuid base, const char *prefix, struct document_known **rows, size_t *n);
err document_store_has_text(struct ctx *c, struct uuid id, int64_t source_version, bool *yes);
/* The file of a version, in parts; whole: at most INTAKE_FILE bytes. */
err document_store_put_original(struct ctx *c, struct uuid id, int64_t source_version, struct bytes file);
err document_store_original(struct ctx *c, struct uuid id, int64_t source_version, struct buf *out);
err document_store_original_part(struct ctx *c, struct uuid id, int64_t source_version, int64_t from, struct bytes *out);
/* The file of a version, for another one. */
err document_store_copy_original(struct ctx *c, struct uuid id, int64_t from_version, int64_t to_version);
/* Texts and files of older versions. */
err document_store_drop_texts(struct ctx *c, struct uuid id, int64_t kept_version);
/* One that is deleted; locked. */
err document_store_lock_deleted(struct ctx *c, struct uuid id, bool *found, struct document *out);

/* Accounts, and documents of an account, that wait or are processed since before that instant. */
err document_store_waiting_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);
err document_store_waiting(struct ctx *c, struct instant since, struct uuid base, struct document *rows, size_t max, size_t *n);
/* ---- chunks */

/* What is known of the chunks that are served, to find them again in a new text. */
err chunk_store_kept(struct ctx *c, struct uuid document_id, struct chunk_kept **rows, size_t *n);
err chunk_store_ids(struct ctx *c, struct uuid document_id, struct uuids *out);
/* All rows of the document become these. */
err chunk_store_replace(struct ctx *c, struct uuid document_id, const struct chunk *rows, size_t n);
/* Those with a sequence number in [from, to), in order. */
err chunk_store_range(struct ctx *c, struct uuid document_id, int64_t from, int64_t to, struct list *out);
/* Those among ids whose documents are not deleted. */
err chunk_store_many(struct ctx *c, const struct uuid *ids, size_t n, struct list *out);

#endif
