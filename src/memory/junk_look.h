/* What is the matter with one memory, by itself: no other row is asked. */
#ifndef LOCI_JUNK_LOOK_H
#define LOCI_JUNK_LOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "ctx.h"
#include "finding.h"
#include "staleness.h"
#include "str.h"

#define JUNK_CHARS 8000 /* a text longer than this is oversized */
#define JUNK_WORDS 3    /* one of fewer is too short */
#define JUNK_UNUSED_DAYS 30
#define JUNK_UNUSED_IMPORTANCE 0.2
#define JUNK_VECTOR_US (3600 * SECOND_US) /* a vector may be missing so long */

struct junk_row {
    struct uuid id, space_id;
    const char *kind, *title, *body; /* of the body the first JUNK_CHARS + 1 characters */
    int64_t chars;                   /* of the whole body */
    struct stale_facts facts;
    bool is_pinned, is_entry, has_vector;
    double echo;
    double near_copy;       /* similarity to an older one, in a pair that a person should decide about; 0: none */
    bool is_orphan;         /* the row of its kind is missing: no call but those of nodes shows it */
    bool is_contradicted;   /* an edge that stands says that it and another cannot both hold */
    struct bytes text_hash; /* of shared knowledge, as it was when it was written; none otherwise */
    struct instant updated_at;
};

/* value[class] is how bad it is, negative where it is not of that class. */
void junk_look(struct ctx *c, const struct junk_row *r, double value[FINDING_CLASSES]);

#endif
