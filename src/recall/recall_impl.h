/* Shared by the stages of a recall: one run, its candidates, and the table of stages. */
#ifndef LOCI_RECALL_IMPL_H
#define LOCI_RECALL_IMPL_H

#include "app.h"
#include "errand.h"
#include "filter.h"
#include "graph_gate.h"
#include "index.h"
#include "keyword.h"
#include "nearest.h"
#include "recall.h"
#include "route.h"
#include "row_map.h"
#include "snapshot.h"
#include "surprise.h"
#include "vector_models.h"

#define POOL 100 /* of each signal's list */
#define STAGES_MAX 20
#define CANDIDATES_MAX 4096 /* what stages may add */

enum signal { SIG_DENSE, SIG_SPARSE, SIG_LENGTH, SIG_RECENT, SIG_SESSION, SIG_GRAPH, SIG_SPREAD, SIG_WINDOW, SIG_RERANK, SIGNALS };
const char *recall_signal_name(enum signal s); /* dense, sparse … */

/* What one signal says of one candidate. share: its part of the relevance; all shares of a candidate add up to that. */
struct mark {
    uint32_t rank; /* in the signal's list, from 1; 0: not in it */
    bool known;    /* raw was computed */
    double raw;    /* in the signal's own unit: cosine, BM25 … */
    double share;
};

enum factor { FACTOR_DECAY, FACTOR_CONFIDENCE, FACTOR_TRUST, FACTORS };

/* A node's text and the rest that the index does not hold; read in one statement for all final candidates. */
struct recall_text {
    const char *title, *body, *status;
    const struct json *attrs;
    struct uuid space_id, superseded_by;
    bool is_forgotten;
    bool body_cut; /* body was cut at what any stage may look at */
};

struct candidate {
    uint32_t row;
    struct uuid id;
    struct mark marks[SIGNALS];
    double relevance;        /* after fusion and what followed; the sum of the shares */
    double factors[FACTORS]; /* each 1 where it does not apply */
    double score;            /* relevance × factors */
    double similarity;       /* calibrated; below 0: no vector */
    double grade;
    const struct recall_text *text; /* NULL: not loaded */
    const char *served;             /* what a hit shows of its body: see serve_text.h; NULL: not decided */
    bool served_cut;
    uint16_t rank_after[STAGES_MAX];  /* of each stage that ran; explain only */
    const double *nats;               /* of each signal, before they became shares: see stage_scale(); explain only, else NULL */
    const char *cut;                  /* NULL: kept; else why it is not among the hits */
    const struct json *note[SIGNALS]; /* what a signal has to explain: terms, path … */
    struct json *extra;               /* what later stages have to explain: entropy, parts of a grade …; NULL: nothing */
};

struct query_vector;

/* What the query seems to want: soft weights, never a class that switches a signal off. Filled by understand; any part
 * may be empty. */
struct understood {
    double route[ROUTES];           /* 0 to 1 each */
    double recency;                 /* weight of the recent signal; 0: it is left out */
    bool has_window;                /* words about time were found: */
    int64_t window_from, window_to; /* what they mean, microseconds; 0: open */
    struct graph_gate gate;         /* names of the query, and whether they open the graph */
    const char *const *hypotheses;  /* HyDE: further texts whose vectors are averaged with the query's */
    size_t n_hypotheses;
    const char *expansion;      /* words added for the sparse signal; NULL: none */
    const char *expanded_by;    /* llm, or rules, or for want of which answer it was rules; NULL: not expanded */
    const struct json *explain; /* goes into the answer as it is */
};

struct analyzer;
struct query_words;
struct render_external;

/* What made the relevance of one candidate comparable with another's. */
struct fused {
    enum recall_fusion fusion;   /* as used */
    double max[SIGNALS];         /* the best raw of each arm; 0: it found nothing */
    struct surprise_scale scale; /* of this query's cosines over the rows searched */
    double known;                /* 0 to 1: how well the model reads the query */
    double mean_length;          /* of the rows that count, in words */
    double unit;                 /* what one nat, or one of what was fused, is as relevance: 1 until all parts are known */
};

struct recall {
    struct ctx *c;
    const struct recall_in *in;
    struct recall_out *out;
    const char *text;                  /* what is looked for */
    bool is_query;                     /* somebody wrote the text as a query; else it is a node's, and has no operators */
    const struct query_vector *vector; /* what it means, if that is given; NULL: made of text */
    struct uuid without;               /* a node that is no candidate; nil: none */
    const struct snapshot *index;
    const char *index_degraded; /* what index_snapshot() says */
    bool may_repeat;            /* searching: it may begin before it is known what has changed in MariaDB … */
    struct index_look *look;    /* … and this is being asked; NULL: index is the newest */
    struct filter filter;
    struct filter counts; /* rows that BM25's statistics are made of */
    struct model_profile model;
    struct understood understood;
    unsigned include; /* of ROW_HIDDEN: these may be found, too */
    uint64_t kinds;   /* asked for, as in struct filter_in; 0: all but scaffold */
    /* The query as each arm has it; NULL: that arm is off or not to be had. */
    struct nearest *dense;
    struct keyword *sparse;
    struct word_search *word_search; /* the search for sparse, which may still go on; see recall_arms.c */
    /* Candidates, each row once. Sorted by score, then id, whenever a stage ends: see recall_sort(). Those with `cut` set
     * stand behind all others. */
    struct candidate *at;
    size_t n, kept; /* kept: those that are not cut; they come first */
    size_t cap;
    struct row_map places;     /* of rows in at */
    struct fused fused;        /* how relevance was computed; set by fuse */
    bool is_fused;             /* before that there is no order */
    bool is_scored;            /* from now on the order is by score */
    bool keep_order;           /* a stage has put them in an order of its own; only cut ones still move */
    struct analyzer *analyzer; /* see serve_text.h */
    const struct query_words *words;
    struct render_external *externals; /* what the web had to say; set by grade */
    size_t n_externals;
    int64_t began_us;
    int64_t search_until_us; /* what is left then is for the stages that are needed; 0: there is no deadline */
    /* Explain only. */
    struct json *stages;
    struct json *stage_note; /* what the stage that runs has to say; taken by recall.c */
    size_t n_stages;
};

/* A stage. wanted NULL: always. needed: no answer is right without it, so it is done even when the time for searching is
 * over; the others are left out then. What it fails with ends the recall, so it fails only where the caller is to blame or memory
 * of ours is damaged; a signal that is not to be had is recall_degraded(). */
struct stage {
    const char *name;
    err (*run)(struct recall *r);
    bool (*wanted)(const struct recall *r);
    bool needed;
};
extern const struct stage RECALL_SEARCH[]; /* these may run twice; ended by a NULL name; in recall_stages.c */
extern const struct stage RECALL_ANSWER[]; /* these follow once; likewise */

/* ---- what stages use (recall_candidates.c) */

/* The candidate of a row the filter lets through; added, with nothing known of it, if it is not there. NULL: the filter
 * does not let it through, or there are too many. Valid until the next call. */
struct candidate *recall_candidate(struct recall *r, uint32_t row);
struct candidate *recall_find(struct recall *r, uint32_t row); /* NULL: not a candidate */
/* Adds rows as candidates, scores both arms exactly for those that are new and fuses them as the others were. */
err recall_admit(struct recall *r, const uint32_t *rows, size_t n);
/* Marks a signal's list, best first. */
void recall_mark_list(struct recall *r, enum signal s, const struct scored *list, size_t n);
/* Adds to a candidate's relevance in the name of a signal, so that the shares keep adding up. */
void recall_add_share(struct candidate *k, enum signal s, double share);
/* Multiplies the relevance and every share of it. */
void recall_scale(struct candidate *k, double by);
/* By score (by relevance while no score was computed), then node id; cut ones last. Before the fusion there is no order. */
void recall_sort(struct recall *r);
/* Takes a candidate out of the hits; the sort at the end of the stage moves it. why is a literal. */
void recall_cut(struct candidate *k, const char *why);
/* high, medium or low: how well a hit answers, whatever the other hits are; by its grade, if it has one. In evidence.c. */
const char *recall_band(const struct recall *r, const struct candidate *k);
/* The first n kept candidates, whose texts are there, as hits. In recall_stages.c. */
struct list recall_hits(struct recall *r, size_t n);
void recall_degraded(struct recall *r, const char *what); /* said once */
/* Texts of the first n (at most 100) kept candidates, in one statement: of those that have none yet. Candidates whose node is
 * gone are cut, and the list is sorted. */
err recall_texts(struct recall *r, size_t n);
uint8_t recall_kind(const struct recall *r, const struct candidate *k); /* number of its kind */
/* The cosine of two rows by their codes; −2 if one has no vector. */
double recall_cosine(const struct recall *r, uint32_t a, uint32_t b);
double recall_recent_weight(const struct recall *r); /* in fuse.c */

/* ---- recall_filter.c: sets filter, counts and kinds */
err recall_filter(struct recall *r);

/* ---- explain.c */
void recall_explain_stage(struct recall *r, const char *name, int64_t took_us, size_t before);
/* What a later stage has to say of a hit, under its name; explain only. */
void recall_explain_extra(struct recall *r, struct candidate *k, const char *stage, struct json *said);
struct json *recall_explain_hit(struct recall *r, const struct candidate *k);
struct json *recall_explain_all(struct recall *r);

/* ---- stages; each in the file named */

err stage_understand(struct recall *r); /* understand.c */
err stage_dense(struct recall *r);      /* recall_arms.c */
err stage_sparse(struct recall *r);
bool wants_sparse(const struct recall *r);
void recall_end_words(struct recall *r); /* gives back what the search for words has taken */
err stage_recent(struct recall *r);
err stage_fuse(struct recall *r);    /* fuse.c */
err stage_scale(struct recall *r);   /* fuse.c: all parts are known: they become shares of a relevance of 0 to 1 */
err stage_session(struct recall *r); /* session.c: conversation structure; changes relevance by shares */
bool wants_session(const struct recall *r);
err stage_graph(struct recall *r); /* graph_signal.c: gate, PPR with the best fused as seeds */
bool wants_graph(const struct recall *r);
err stage_spread(struct recall *r); /* spread_stage.c */
bool wants_spread(const struct recall *r);
err stage_window(struct recall *r); /* time_window.c: prefers what happened when the query says */
bool wants_window(const struct recall *r);
err stage_rerank(struct recall *r); /* rerank_stage.c; calls recall_texts() */
bool wants_rerank(const struct recall *r);
err stage_score(struct recall *r);     /* score.c */
err stage_diversify(struct recall *r); /* diversify_stage.c; cuts and reorders */
bool wants_diversify(const struct recall *r);
err stage_evidence(struct recall *r); /* evidence.c; sets out->evidence, leaves out what nothing speaks for */
err stage_gate(struct recall *r);     /* gate_stage.c; sets out->eviction_report */
bool wants_gate(const struct recall *r);
err stage_grade(struct recall *r); /* grade_stage.c; sets out->grade and candidates' grade */
bool wants_grade(const struct recall *r);
err stage_render(struct recall *r); /* render_stage.c; sets out->bundle */
bool wants_render(const struct recall *r);
err stage_remember(struct recall *r); /* what was served, for the echo guard */
bool wants_remember(const struct recall *r);

#endif
