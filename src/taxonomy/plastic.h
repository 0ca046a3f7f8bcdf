/* Weights that learn: formulas, and what use and nights do to them. */
#ifndef LOCI_PLASTIC_H
#define LOCI_PLASTIC_H

#include "ctx.h"
#include "list.h"

#define PLASTIC_FIRST .2    /* of a subject's first meeting with a tag */
#define PLASTIC_STEP .1     /* share of what is missing to 1 that a meeting adds */
#define PLASTIC_DAY 3       /* meetings of one day that count */
#define PLASTIC_DECAY .05   /* per day, of subjects */
#define PLASTIC_FLOOR .1    /* below it a subject's edge is out of recall */
#define PLASTIC_NIGHT .05   /* what a night adds that follows a day of use, and what seeing two tags together adds */
#define TOGETHER_DECAY .005 /* per day, of two tags */
#define TOGETHER_FLOOR .01  /* below it they have no edge */
#define TOGETHER_RUN 20     /* times that a pair counts in one day */

/* w after so many days: w × (1 − decay)^days. */
double plastic_now(double weight, double decay_rate, int64_t since_us);
/* w + share × (1 − w), times over. */
double plastic_stronger(double weight, double share, int64_t times);
/* When a weight of that moment will be at its floor. */
struct instant plastic_decays_at(double weight, double decay_rate, double floor, struct instant at);

/* How a subject and a tag stand to each other. */
struct plastic_edge {
    struct uuid edge_id, subject_id, tag_id;
    double weight; /* now */
    int64_t hits, hits_today;
    bool is_new, counted; /* counted: false when the day had enough */
};
/* Inside a transaction: the subject met the tag. */
err plastic_meet(struct ctx *c, struct uuid subject_id, struct uuid tag_id, struct plastic_edge *out);

/* A tag that a subject met. */
struct plastic_held {
    struct uuid tag_id;
    const char *slug, *display, *state, *tag_type, *tier;
    double weight; /* now */
    int64_t hits;
    struct instant last_hit_at;
};

/* Two tags that were seen together n times. */
struct plastic_pair {
    struct uuid a, b; /* a < b */
    int64_t times;
};
/* Inside a transaction: each time adds so much of what is missing to 1, as often as the day allows. */
err plastic_together(struct ctx *c, const struct plastic_pair *pairs, size_t n, double share);

/* The nightly job, at most limit rows each inside its transaction: what was used gets stronger once a day; what fell below its floor
 * is out of recall (subjects) or history (pairs). */
err plastic_boost(struct ctx *c, int64_t limit, int64_t *n);
err plastic_decay(struct ctx *c, int64_t limit, int64_t *n);

#endif
