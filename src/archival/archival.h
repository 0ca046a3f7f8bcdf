/* Archival memory: what is known of a subject (an agent, an entity), in four short sections whose lines know their sources. */
#ifndef LOCI_ARCHIVAL_H
#define LOCI_ARCHIVAL_H

#include "ctx.h"
#include "enumx.h"
#include "list.h"
#include "str.h"

#define ARCHIVAL_SECTION(X) \
    X(ARCHIVAL_HISTORY, "history") X(ARCHIVAL_PREFERENCES, "preferences") X(ARCHIVAL_PERFORMANCE, "performance") \
    X(ARCHIVAL_NOTES, "notes")
ENUMX_DECLARE(archival_section, ARCHIVAL_SECTION);
#define ARCHIVAL_SECTIONS 4
#define ARCHIVAL_STATE(X) X(ARCHIVAL_PUBLISHED, "published") X(ARCHIVAL_DRAFT, "draft") X(ARCHIVAL_SUPERSEDED, "superseded")
ENUMX_DECLARE(archival_state, ARCHIVAL_STATE);

#define ARCHIVAL_TEXT 2000 /* code points of a section */
#define ARCHIVAL_LINES 200 /* of a section */
#define ARCHIVAL_TEXTS 100 /* of a list */

struct archival_line {
    struct uuid source_id; /* nil: a person wrote it */
    const char *text;
};
struct archival {
    struct uuid id, subject_id, space_id;
    enum archival_section section;
    enum archival_state state;
    bool edited;
    struct bytes sources_hash;
    struct uuid created_by;
    int64_t version;
    struct instant created_at;
    const char *text;  /* its lines, one below the other */
    struct list lines; /* of struct archival_line */
};

struct archival_ref {
    struct uuid subject_id;
};
struct archival_texts {
    struct uuid subject_id;
    struct list sections; /* of struct archival: published ones and drafts, by section */
};
err archival_get(struct ctx *c, const struct archival_ref *in, struct archival_texts *out);
/* Superseded ones, too; the newest first in each section. */
err archival_history(struct ctx *c, const struct archival_ref *in, struct archival_texts *out);

struct archival_refreshed {
    struct uuid subject_id;
    int64_t published, drafts, unchanged; /* sections */
};
/* Collects what is known of the subject where it lives. What a person edited stays: the new text waits as a draft. */
err archival_refresh(struct ctx *c, const struct archival_ref *in, struct archival_refreshed *out);

struct archival_edit {
    struct uuid subject_id;
    enum archival_section section;
    const char *text;
    int64_t if_version;
};
/* A line that stood there before keeps its source. */
err archival_edit(struct ctx *c, const struct archival_edit *in, struct archival *out);
/* The draft takes the place of what is published; ERR_NOT_FOUND: there is none. */
err archival_publish(struct ctx *c, const struct archival_edit *in, struct archival *out);

/* For the brief: what is published about the subject, for a caller who may read it. */
err archival_published(struct ctx *c, struct uuid subject_id, struct list *out);

/* For the job: accounts, and subjects behind that id, that may have something new. */
err archival_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);
err archival_subjects(struct ctx *c, struct uuid behind, int64_t limit, struct list *out);

#endif
