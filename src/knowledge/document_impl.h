/* What the files of the document service share; nobody else includes this. */
#ifndef LOCI_DOCUMENT_IMPL_H
#define LOCI_DOCUMENT_IMPL_H

#include "document.h"

err document_missing(struct ctx *c);
/* As `verb` in the audit trail; d becomes its next version. */
err document_save(struct ctx *c, const char *verb, const struct document *was, struct document *d);
/* Its processing as a task, in the transaction of the change. turn: another number promises it again. */
err document_promise(struct ctx *c, const struct document *d, int64_t turn);
/* How a text is kept: NFC, lines that end with LF, no control characters; offsets count this. */
const char *document_clean(struct ctx *c, const char *text);
/* What a text calls itself: its first heading or line. */
const char *document_title_of(struct ctx *c, const char *text);

#endif
