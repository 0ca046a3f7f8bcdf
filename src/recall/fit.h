/* Fitting how far an account believes meaning beside words to queries whose right answers are known. */
#ifndef LOCI_FIT_H
#define LOCI_FIT_H

#include "fitted.h"

#define FIT_QUERIES 20 /* fewer say nothing */

struct fit_query {
    const char *query;
    struct uuids relevant; /* each once, at least one */
    struct strs kinds;     /* as in struct recall_in */
};

struct fit_figure {
    double recall5, ndcg10; /* means over the queries */
};

struct fit_row {
    struct fitted profile;
    struct fit_figure figure;
};

struct fit {
    const char *model;
    bool was_own; /* the present profile is the account's own */
    struct fit_row now, best;
    bool is_better;    /* best is, by more than chance and rounding explain */
    double margin;     /* of Recall@5 that it takes */
    size_t missing;    /* relevant nodes that the account does not have */
    struct list tried; /* of struct fit_row */
};

/* Runs every query with each of a few profiles; writes nothing. ERR_INVALID: too few; ERR_UNAVAILABLE: a signal is not to be had,
 * so figures would mean nothing. */
err fit_run(struct ctx *c, const struct fit_query *queries, size_t n, struct fit *out);
/* The settings of the account get the best profile, or lose theirs; the audit trail tells. */
err fit_store(struct ctx *c, const struct fit *f);
err fit_reset(struct ctx *c);

#endif
