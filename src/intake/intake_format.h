/* Which format some bytes are in: by their first bytes, then by what the sender says, then by the name. */
#ifndef LOCI_INTAKE_FORMAT_H
#define LOCI_INTAKE_FORMAT_H

#include "str.h"

/* name, media type, what loci-extract calls it (NULL: read in this process) */
#define INTAKE_FORMATS(X) \
    X(INTAKE_TEXT, "text/plain", NULL) X(INTAKE_MARKDOWN, "text/markdown", NULL) X(INTAKE_HTML, "text/html", "html") \
    X(INTAKE_PDF, "application/pdf", "pdf") \
    X(INTAKE_DOCX, "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx") \
    X(INTAKE_ODT, "application/vnd.oasis.opendocument.text", "odt") X(INTAKE_EPUB, "application/epub+zip", "epub") \
    X(INTAKE_PPTX, "application/vnd.openxmlformats-officedocument.presentationml.presentation", "pptx") \
    X(INTAKE_XLSX, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx") X(INTAKE_EML, "message/rfc822", "eml")
#define INTAKE_FORMAT_ENUM(name, media, child) name,
enum intake_format { INTAKE_FORMATS(INTAKE_FORMAT_ENUM) INTAKE_UNKNOWN };

/* media and name may be NULL. INTAKE_UNKNOWN: pictures, archives, .doc: nothing that is read here. */
enum intake_format intake_format_of(struct bytes in, const char *media, const char *name);
enum intake_format intake_format_of_media(const char *media);
const char *intake_media(enum intake_format f); /* NULL: INTAKE_UNKNOWN */
const char *intake_child_name(enum intake_format f);

#endif
