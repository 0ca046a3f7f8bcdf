/* What the files of the document service share; nobody else includes this. */
#ifndef LOCI_DOCUMENT_IMPL_H
#define LOCI_DOCUMENT_IMPL_H

#include "document.h"
#include "section.h"

err document_missing(struct ctx *c);
err document_show_access(struct ctx *c, struct document *d);
/* As `verb` in the audit trail; d becomes its next version. */
err document_save(struct ctx *c, const char *verb, const struct document *was, struct document *d);
/* Another list of readers for a document that is locked: it moves with its chunks and names; *d is as it is then. Asks for the level
 * manage of the base. */
err document_restrict(struct ctx *c, const struct json *access, struct document *d);
/* The newest failures of it, with one more. */
const struct json *document_errors_with(struct ctx *c, const struct document *d, const char *stage, const char *code, const char *message);
/* What document_add would make of in->content: name, format and findings in *d, and the text as it would be kept. */
err document_judge_text(struct ctx *c, const struct document_new *in, const struct knowledge_base *base, struct document *d,
                        const char **text);
/* Its processing as a task, in the transaction of the change. turn: another number promises it again. */
err document_promise(struct ctx *c, const struct document *d, int64_t turn);
err document_promise_later(struct ctx *c, const struct document *d, int64_t turn, int64_t delay_s);
/* Their names were let go with them. */
err document_name_again(struct ctx *c, const struct document *d);
/* Secrets redacted, private data as the base says, orders to a model flagged; *d learns what was found. ERR_INVALID: it cannot be
 * judged. */
err document_sanitize(struct ctx *c, struct document *d, const char *pii, const char **text);
/* The text behind its front matter, whose keys go to into. */
const char *document_front_matter(struct ctx *c, const char *text, struct json *into);
/* How a text is kept: NFC, lines that end with LF, no control characters; offsets count this. */
const char *document_clean(struct ctx *c, const char *text);
/* What a text calls itself: its first heading or line. */
const char *document_title_of(struct ctx *c, const char *text);
struct bytes document_checksum_of(struct ctx *c, const void *p, size_t n);
/* Another text of a document that is locked, as in says it; with source_url alone it is fetched again. */
err document_give_content(struct ctx *c, const struct document *there, const struct document_new *in, struct document *out);
void document_set_hashes(struct ctx *c, struct document *d, bool may_be_copy);

/* ---- where its text comes from (document_source.c) */

/* Fetches and extracts what is not there yet; *d is read again. ERR_INVALID with a reason: it cannot be had. *gone: its address
 * answers that it is gone. */
err document_source_ready(struct ctx *c, struct document *d, const char **stage, bool *gone);

#endif
