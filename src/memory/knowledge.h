/* Shared knowledge: texts that an agent keeps for itself, for its team or for everyone, and that others rate. */
#ifndef LOCI_KNOWLEDGE_H
#define LOCI_KNOWLEDGE_H

#include <stdbool.h>
#include <stdint.h>

#include "audience.h"
#include "ctx.h"
#include "json.h"
#include "list.h"
#include "page.h"
#include "str.h"
#include "thing_table.h"

#define KNOWLEDGE_TYPE(X) \
    X(KNOWLEDGE_TEXT, "text") X(KNOWLEDGE_MARKDOWN, "markdown") X(KNOWLEDGE_CODE, "code") X(KNOWLEDGE_SNIPPET, "snippet") \
    X(KNOWLEDGE_PROCEDURE, "procedure") X(KNOWLEDGE_FACT, "fact") X(KNOWLEDGE_DEFINITION, "definition") \
    X(KNOWLEDGE_REFERENCE, "reference") X(KNOWLEDGE_GUIDE, "guide")
ENUMX_DECLARE(knowledge_type, KNOWLEDGE_TYPE);

#define KNOWLEDGE_SOURCE(X) \
    X(KNOWLEDGE_BY_AGENT, "agent") X(KNOWLEDGE_BY_WORKFLOW, "workflow") X(KNOWLEDGE_BY_EXTRACTION, "extraction") \
    X(KNOWLEDGE_BY_HAND, "manual") X(KNOWLEDGE_BY_IMPORT, "import")
ENUMX_DECLARE(knowledge_source, KNOWLEDGE_SOURCE);

#define KNOWLEDGE_LIMIT 50   /* rows of a list or search */
#define KNOWLEDGE_SHOWN 4000 /* characters of a row's content */

struct knowledge {
    struct uuid id, space_id, team_id;
    const char *title, *content;
    bool content_cut; /* there is more of it: read it by its id */
    enum knowledge_type content_type;
    enum audience access_level;
    enum knowledge_source source_type;
    const struct json *provenance;
    struct strs tags;
    double quality_score; /* now */
    double rating;        /* average; 0: nobody has rated it */
    int64_t rating_sum, rating_count, usage_count;
    struct instant last_used_at, stale_at;
    const char *status, *author_kind;
    struct uuid author_id, creator_id;
    int64_t version;
    struct instant created_at, updated_at, archived_at;
    double score; /* of a search: how well it fits; 0 in a list */
    double structure;
    double echo_ratio;       /* share of the text that its writer had just been shown */
    struct uuid merged_from; /* knowledge_get: the one that was asked for became this one */
    bool changed;            /* an update's answer: whether the text became another */
    bool force;              /* of one that is created: even what the caller was just shown; needs memory.manage */
    struct instant last_quality_recalc_at;
    struct bytes text_hash, live_key, title_hash; /* of the content alone; of space and content while it is live */
};
extern const struct thing KNOWLEDGE;

struct knowledge_change {
    struct thing_change change;
    struct knowledge to;
};

struct knowledge_filter {
    const char *query;              /* NULL: everything, newest first */
    int content_type, access_level; /* -1: any */
    struct strs tags;               /* all of them */
    bool high_quality;
    int64_t limit;
    const char *cursor; /* without a query */
};

struct knowledge_count {
    const char *name;
    int64_t n;
};

struct knowledge_health {
    int64_t total, archived, high_quality, low_quality, never_used, rated, stale;
    double average_quality, average_rating; /* 0: none */
    struct list by_type, by_level;          /* of struct knowledge_count */
};

/* Equal content, or a text that says the same, in the same or a wider space: ERR_CONFLICT `duplicate`, naming it.
 * What the caller was just shown (echo.h): ERR_CONFLICT `echo`, naming what that was. */
err knowledge_create(struct ctx *c, const struct knowledge *in, struct knowledge *out);
/* For those who make knowledge of something else, with all that stands in *k; inside their transaction. *made false: the text is there,
 * in the same or a wider space. Sets k->id. */
err knowledge_insert(struct ctx *c, struct knowledge *k, bool *made);
/* By id; counts as use. Archived ones are found; for one that was merged away, the one that stayed. */
err knowledge_get(struct ctx *c, struct uuid id, struct knowledge *out);
/* The same without using it, and only the one itself. */
err knowledge_look(struct ctx *c, struct uuid id, struct knowledge *out);
/* The live one with exactly this title among those that the caller may read, changed last; *found false: there is none. */
err knowledge_by_title(struct ctx *c, const char *title, bool *found, struct uuid *id);
/* With a query by a recall, else newest first; what is archived is left out. */
err knowledge_find(struct ctx *c, const struct knowledge_filter *f, struct page *out);
/* Another access_level here only narrows, and wants the right to manage where it is. */
err knowledge_update(struct ctx *c, const struct knowledge_change *ch, struct knowledge *out);
/* To a wider audience: the same node moves. */
err knowledge_promote(struct ctx *c, struct uuid id, enum audience level, struct uuid team_id, struct knowledge *out);
/* 1 to 5; the latest of each principal counts. ERR_INVALID: it is the caller's own. */
err knowledge_rate(struct ctx *c, struct uuid id, int64_t rating, struct knowledge *out);
/* … or back. Back again it may be a duplicate by now: ERR_CONFLICT. */
err knowledge_archive(struct ctx *c, struct uuid id, bool archived, int64_t if_version, struct knowledge *out);
/* Of all that the caller may read. */
err knowledge_health(struct ctx *c, struct knowledge_health *out);

#endif
