/* Bodies on disk: files in web.upload_dir that are gone when the request ends. */
#ifndef LOCI_UPLOAD_H
#define LOCI_UPLOAD_H

#include "exchange.h"
#include "op.h"

/* An empty one, open for writing and reading; the caller closes it. */
err upload_open(struct ctx *c, const char **path, int *fd);

/* A posted form with files: its fields, and its file. *file stays NULL where none was chosen. */
err upload_form(struct ctx *c, struct exchange *x, struct json **form, struct upload **file);

#endif
