/* Forms with files (multipart/form-data, RFC 7578), out of a body that lies in memory. */
#ifndef LOCI_MULTIPART_H
#define LOCI_MULTIPART_H

#include "ctx.h"
#include "json.h"

#define MULTIPART_PARTS 200

/* The file of a form; those of further fields are passed over. */
struct multipart_file {
    const char *field, *name; /* name: what the browser calls it; field NULL: no file was chosen */
    const char *bytes;        /* in the body */
    size_t n;
};

/* media: the request's Content-Type. *form gets the fields that are no files, as exchange_pairs() has them. */
err multipart_read(struct ctx *c, const char *media, const char *body, size_t n, struct json **form, struct multipart_file *file);

#endif
