/* Fitting an account's profile of fusion to queries whose right answers are known. */
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

/* One profile that was tried, on the queries named. */
struct fit_row {
    const char *on; /* "all", "ordinary" or "skills" */
    size_t n;
    struct fitted profile;
    struct fit_figure figure;
};

struct fit {
    const char *model;
    bool was_own;             /* the present profile is the account's own */
    struct fit_row now, best; /* over all queries */
    bool is_better;           /* best is, by more than chance and rounding explain */
    double margin;            /* of Recall@5 that it takes */
    size_t missing;           /* relevant nodes that the account does not have */
    struct list tried;        /* of struct fit_row */
};

/* Runs every query with each profile of a small grid; writes nothing. Queries for the kind skill alone fit the share of skills, all
 * others that of the rest; a group below FIT_QUERIES leaves its part as it is. queries are put in another order. ERR_INVALID:
 * too few; ERR_UNAVAILABLE: a signal is not to be had, so figures would mean nothing. */
err fit_run(struct ctx *c, struct fit_query *queries, size_t n, struct fit *out);
/* The settings of the account get the best profile, or lose theirs; the audit trail tells. */
err fit_store(struct ctx *c, const struct fit *f);
err fit_reset(struct ctx *c);

#endif
