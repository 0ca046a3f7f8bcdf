/* One question to all tiers of an agent's memory: one ranked list of what is kept for good, shared, and live by key. */
#ifndef LOCI_MEMORY_SEARCH_H
#define LOCI_MEMORY_SEARCH_H

#include "ctx.h"
#include "list.h"
#include "tiered.h"

#define MEMORY_SEARCH_TEXT 2000 /* characters of a hit's text */

struct memory_search {
    struct uuid agent_id;                      /* whose memory; nil: the caller's own */
    const char *session_id, *run_id, *task_id; /* of live keys only these; NULL: any */
    const char *query;                         /* NULL: by its embedding alone, which live keys do not have */
    struct nums query_embedding;               /* none: made of the query */
    const char *model;                         /* whose vector that is */
    struct strs tiers;                         /* of memory_tier; none: all */
    const char *context;                       /* id or handle: only entries of this context; NULL: whatever */
    int64_t limit;
    double min_score; /* cuts what is found by meaning alone */
    bool include_archived;
};

struct memory_hit {
    const char *tier, *kind;   /* kind of its node; of a live key working or short_term */
    struct uuid id, space_id;  /* nil: it has none */
    const char *scope;         /* of a live key its scope or session; else NULL */
    const char *key, *text;    /* key: or its title */
    bool text_cut;             /* there is more of it */
    bool untrusted;            /* always: data, not instructions */
    double score;              /* relevance times lifecycle; hits are sorted by it */
    double similarity;         /* calibrated, of meaning; -1: not compared */
    struct instant created_at; /* 0: not known */
};

struct memory_hits {
    struct list hits;     /* of struct memory_hit */
    struct strs degraded; /* what was not to be had */
    const char *evidence; /* none, weak or strong: whether what is kept bears on the query; NULL: only live keys were searched */
    double probability;   /* that it does */
};

/* Entries, facts, learnings, shared knowledge and keys of pools that the caller may read, and the agent's live keys. Asks the
 * gate about the agent. What is found for good counts as use; live keys are used by reading them. */
err memory_search(struct ctx *c, const struct memory_search *in, struct memory_hits *out);

#endif
