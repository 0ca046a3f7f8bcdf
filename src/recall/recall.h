/* Recall: one call finds what matters to a query among everything the caller may read. */
#ifndef LOCI_RECALL_H
#define LOCI_RECALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctx.h"
#include "enumx.h"
#include "json.h"
#include "list.h"

#define RECALL_LIMIT 100           /* hits of one answer */
#define RECALL_HITS 10             /* unless more or fewer are asked for */
#define RECALL_BODY 360            /* code points of a hit's body, likewise */
#define RECALL_BODY_MAX 20000      /* of one hit's body; who wants more reads the node */
#define RECALL_BATCH_HITS 1000     /* of all queries of a batch together … */
#define RECALL_BATCH_CHARS 4000000 /* … and characters of their bodies: an answer is made in memory */
#define RECALL_QUERY 4096          /* code points */
#define RECALL_BATCH 64            /* queries of one call */
#define RECALL_KINDS 32
#define RECALL_SPACES 256
#define RECALL_TAGS 16

#define RECALL_MODE(X) \
    X(MODE_HYBRID, "hybrid") X(MODE_VECTOR, "vector") X(MODE_KEYWORD, "keyword") X(MODE_GRAPH, "graph") \
    X(MODE_SURGICAL, "surgical")
#define RECALL_FUSION(X) \
    X(FUSION_AUTO, "auto") X(FUSION_SURPRISE, "surprise") X(FUSION_WEIGHTED, "weighted") X(FUSION_RRF, "rrf") X(FUSION_SIMPLE, "simple")
#define RECALL_RERANK(X) \
    X(RERANK_AUTO, "auto") X(RERANK_NONE, "none") X(RERANK_FEATURES, "features") X(RERANK_HTTP, "http") X(RERANK_LLM, "llm")
#define RECALL_EXPAND(X) X(EXPAND_NONE, "none") X(EXPAND_HYDE, "hyde")
#define RECALL_DIVERSIFY(X) X(DIVERSIFY_NONE, "none") X(DIVERSIFY_MMR, "mmr")
#define RECALL_RENDER(X) X(RENDER_JSON, "json") X(RENDER_BUNDLE, "bundle") X(RENDER_BOTH, "both")
#define RECALL_SWITCH(X) X(SWITCH_AUTO, "auto") X(SWITCH_ON, "on") X(SWITCH_OFF, "off")
#define RECALL_TEMPORAL(X) X(TEMPORAL_BOOST, "boost") X(TEMPORAL_FILTER, "filter") X(TEMPORAL_OFF, "off")
#define RECALL_INCLUDE(X) X(INCLUDE_SUPERSEDED, "superseded") X(INCLUDE_FORGOTTEN, "forgotten") X(INCLUDE_ARCHIVED, "archived")
ENUMX_DECLARE(recall_mode, RECALL_MODE);
ENUMX_DECLARE(recall_fusion, RECALL_FUSION);
ENUMX_DECLARE(recall_rerank, RECALL_RERANK);
ENUMX_DECLARE(recall_expand, RECALL_EXPAND);
ENUMX_DECLARE(recall_diversify, RECALL_DIVERSIFY);
ENUMX_DECLARE(recall_render, RECALL_RENDER);
ENUMX_DECLARE(recall_switch, RECALL_SWITCH);
ENUMX_DECLARE(recall_temporal, RECALL_TEMPORAL);
ENUMX_DECLARE(recall_include, RECALL_INCLUDE);

/* ---- the question */

/* One of these words stands in that member of a node's attrs. */
struct recall_any {
    const char *member;
    struct strs words;
};

/* What must hold of every hit. */
struct recall_filters {
    struct strs tags;         /* all of them */
    struct uuid author;       /* nil: any */
    const char *session;      /* NULL: any */
    struct instant from, to;  /* created in [from, to); 0: open */
    const struct json *attrs; /* members that must be equal; NULL: none */
    double min_importance, min_confidence;
    struct list any; /* of struct recall_any; for services, of each of them */
    bool aside;      /* kept copies of working memory and names found in texts, too; for services */
};

/* How much each signal weighs in the fusion; below 0: as it does by itself. */
struct recall_weights {
    double alpha; /* share of dense, the rest is sparse: asks for weighted, unless another fusion is named */
    double dense, sparse, graph, recent;
};

struct recall_spread_options {
    double leak, threshold, min_signal;
    int64_t hops, seeds;
};

struct recall_diversify_options {
    double lambda;                     /* mmr: share of relevance */
    int64_t per_session, per_document; /* at most so many hits; 0: any number */
};

/* Grades, −1 to 1: one hit of upper answers the query; when all are below lower, nothing does. */
struct recall_grade_options {
    double lower, upper;
};

struct fitted;

/* Begin with recall_in_defaults(). */
struct recall_in {
    const char *query;
    struct nums embedding; /* what the query means, by the model that is named; none: made of the query */
    const char *model;     /* whose; another one than the one that serves, or another length: ERR_INVALID */
    struct uuid id;        /* recall_similar: the node, in the place of a query */
    enum recall_mode mode;
    struct strs kinds;                    /* none: all but scaffold */
    struct uuids spaces;                  /* none: all that are readable */
    const struct recall_filters *filters; /* NULL: none */
    int64_t limit;
    int64_t token_budget;              /* 0: none */
    struct instant as_of, as_known_at; /* 0: true whenever; known now */
    bool history;                      /* what was superseded, too */
    struct strs include;               /* of recall_include */
    enum recall_fusion fusion;
    const struct recall_weights *weights; /* NULL: none is given */
    const struct fitted *fitted;          /* NULL: the account's; one that is tried out (fit.h) */
    enum recall_rerank rerank;
    enum recall_expand expand;
    enum recall_switch spread, gate, grade, lifecycle;
    const struct recall_spread_options *spread_options; /* NULL: the defaults */
    const struct recall_grade_options *grade_options;
    bool hitl; /* graded incorrect or ambiguous: a person is asked */
    enum recall_diversify diversify;
    const struct recall_diversify_options *diversify_options;
    double min_score;    /* on the calibrated scale; 0: none */
    double min_evidence; /* probability that the best bears on the query, below which there are no hits; 0: there always are */
    bool keeps_words;    /* min_score never cuts a strong hit by words; for services */
    bool exact;          /* dense: recall over speed */
    bool explain;
    enum recall_render render;
    bool touch;                    /* counts as use */
    enum recall_temporal temporal; /* what words about time do: prefer what is of that time, or ask for it */
    const char *tz;                /* of the caller, for words such as "yesterday"; NULL: UTC */
    int64_t body_chars;            /* of a hit's body, at most; 0: no body */
    bool stable;                   /* bundle: in the order of ids, for prompt caches */
};

/* ---- the answer */

/* The little that every hit says. explain is NULL unless asked for. */
struct recall_hit {
    struct uuid id, space_id;
    const char *kind, *title, *body;
    bool body_cut;  /* there is more of it */
    bool untrusted; /* always: others wrote it */
    const struct json *attrs;
    const char *status;
    double score;      /* final: relevance × lifecycle */
    double relevance;  /* 0 to 1 within this answer */
    double similarity; /* calibrated, of meaning; below 0: the node has no vector */
    const char *band;  /* high, medium or low: how well it answers the query, whatever the other hits are */
    int64_t tokens;
    struct instant created_at, valid_from, valid_to;
    struct uuid superseded_by;
    double grade; /* −1 to 1; only if graded */
    const struct json *explain;
};

struct recall_out {
    struct list hits;                   /* of struct recall_hit */
    struct list nearest;                /* the same, where evidence is below min_evidence and there are no hits */
    const char *evidence;               /* none, weak or strong: does what was found bear on the query? */
    double probability;                 /* that it does */
    int64_t considered;                 /* candidates before anything was cut */
    int64_t vectors_waiting;            /* nodes among those asked for that have no vector yet: words find them, meaning does not */
    const char *mode, *fusion;          /* as used */
    struct strs degraded;               /* what was not to be had: index_loading, embedder … */
    const char *bundle;                 /* NULL unless asked for */
    const struct json *eviction_report; /* NULL: the gate did not run */
    const struct json *grade;           /* verdict, confidence, action …; NULL: not graded */
    const struct json *explain;         /* understood, profile, stages, what was cut; NULL unless asked for */
};

/* Never fails for want of a signal: out->degraded names it. ERR_INVALID for what a field table cannot see. */
err recall_run(struct ctx *c, const struct recall_in *in, struct recall_out *out);
/* Many at once: one snapshot, queries embedded together. ERR_INVALID: more hits or text than one answer may hold. */
err recall_run_many(struct ctx *c, const struct recall_in *in, size_t n, struct recall_out *out);
/* The neighbours of node in->id by meaning and by its words; it is not among them. */
err recall_similar(struct ctx *c, const struct recall_in *in, struct recall_out *out);

/* What the field table of the call has for everything that is left out. */
void recall_in_defaults(struct recall_in *in);

#endif
