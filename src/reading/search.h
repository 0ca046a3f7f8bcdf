/* Search: what memory has on a query, as text for a prompt and as data. */
#ifndef LOCI_SEARCH_H
#define LOCI_SEARCH_H

#include "ctx.h"
#include "json.h"
#include "list.h"
#include "recall.h"

#define SEARCH_QUERY 4000     /* code points */
#define SEARCH_SNIPPET 360    /* of a hit … */
#define SEARCH_VERBOSE 2000   /* … and of a verbose one */
#define SEARCH_BUDGET 8000    /* tokens of an answer */
#define SEARCH_CORE_BLOCKS 20 /* in front of the hits */

struct find_in {
    const char *query;
    int64_t limit; /* core blocks count */
    bool verbose;
    struct strs kinds;
    struct uuids namespaces;
    const char *session_id;
    struct strs tags, scope;
    bool history; /* what was superseded, too */
    struct instant as_of, as_known_at;
    double min_relevance;
    int64_t token_budget;
    bool explain;
    enum recall_render render;
};

struct find_hit {
    struct uuid id, space_id;
    const char *kind, *title, *body; /* inert */
    bool untrusted, body_cut, contested;
    const char *status, *role, *predicate, *block_kind;
    double score, similarity;
    const char *score_band; /* against the best of this answer */
    struct instant created_at, valid_from, valid_to;
    struct uuid superseded_by, against; /* against: contested by which fact */
};

struct find_out {
    struct list core, hits, nearest; /* of struct find_hit */
    const char *evidence;
    double probability;
    int64_t considered, tokens;
    bool core_over_budget;
    struct strs degraded;
    const char *bundle; /* NULL: not asked for */
    const struct json *report, *explain;
};

err memory_find(struct ctx *c, const struct find_in *in, struct find_out *out);

#endif
