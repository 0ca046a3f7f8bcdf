/* Files become texts. Foreign formats are read by loci-extract, a confined child; a file can spoil its own reading and nothing else. */
#ifndef LOCI_INTAKE_H
#define LOCI_INTAKE_H

#include "ctx.h"
#include "intake_format.h"

#define INTAKE_FILE (64 * 1024 * 1024) /* bytes of a file */

struct intake_part {
    const char *name;
    struct bytes bytes;
};

struct intake_text {
    const char *text; /* UTF-8 */
    size_t n;
    bool is_markdown;                    /* headings, tables and fences are marked as Markdown does */
    const char *title, *language, *date; /* as the file says; NULL: it does not */
    int64_t pages;                       /* parted by form feeds; 0: it has none */
    struct intake_part *parts;           /* attachments of a mail */
    size_t n_parts;
};

/* charset: as its sender declares it; NULL: not said. ERR_INVALID with the reason no_text, encrypted, malformed, too_large,
 * extract_timeout, extract_memory or extract_crashed: reading it again would not help. ERR_UNAVAILABLE: the child cannot be started. */
err intake_read(struct ctx *c, enum intake_format f, struct bytes in, const char *charset, struct intake_text *out);

/* The files of a zip archive as parts, by name. */
err intake_unpack(struct ctx *c, struct bytes zip, struct intake_text *out);

/* What the cage of the child is made of, as loci-extract --probe says it. NULL: it cannot be started. */
const char *intake_probe(struct ctx *c);

#endif
