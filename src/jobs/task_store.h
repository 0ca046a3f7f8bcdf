/* SQL of the tables task and task_group. */
#ifndef LOCI_TASK_STORE_H
#define LOCI_TASK_STORE_H

#include "task_row.h"

/* ---- promising */

/* n of one kind. *full: nothing was written, too many wait already. now 0: the database's clock. */
err task_store_add(struct ctx *c, const struct task_kind *kind, const struct task_new *t, const struct uuid *ids,
                   size_t n, struct instant now, bool *full);

/* ---- claiming */

/* Tasks that wait, by what tells who goes next. */
struct task_group {
    int priority;
    const char *kind;
    struct uuid account_id;
    struct instant oldest; /* run_at of the first */
};
err task_store_map(struct ctx *c, struct instant now, struct task_group **out, size_t *n);

struct task_claim {
    const struct task_kind *kind;
    int priority; /* of the group: it may be older than the kind's present one */
    struct uuid account_id, owner, token;
    struct instant now, until;
};
/* Inside a transaction: up to kind->batch tasks of the group, running from now on. *n 0: none is ready, or all places are
 * taken. ERR_CONFLICT when another claim won the place. */
err task_store_claim(struct ctx *c, const struct task_claim *claim, struct task *tasks, size_t *n);

/* ---- while it runs; all of them touch only rows that still carry the token */

err task_store_renew(struct ctx *c, const struct uuid *ids, size_t n, struct uuid token, struct instant until,
                     int64_t *held);
/* Inside the transaction of the work: keeps the row locked, so that the lease cannot be lost before the commit. */
err task_store_holds(struct ctx *c, struct uuid id, struct uuid token, bool *held);

/* ---- ending; *rows: how many it was for */

err task_store_done(struct ctx *c, const struct task_kind *kind, const struct uuid *ids, size_t n, struct uuid token,
                    struct instant now, int64_t *rows);
struct task_failure {
    const char *error;
    bool dead, counted; /* not counted: the attempt is given back */
    struct instant run_at;
};
err task_store_failed(struct ctx *c, const struct task *t, struct uuid token, const struct task_failure *f,
                      struct instant now, bool *held);
/* Back to ready as if it had not been claimed. behind: at the end of its queue, with all its attempts. */
err task_store_release(struct ctx *c, struct uuid id, struct uuid token, bool behind, struct instant now, bool *held);

/* ---- taking back */

struct task_lapsed {
    struct task task;
    const char *kind;
    int max_attempts, lapses;
};
/* Inside a transaction: locked rows whose lease is over. */
err task_store_lapsed(struct ctx *c, struct instant now, struct task_lapsed *rows, size_t max, size_t *n);
err task_store_take_back(struct ctx *c, const struct task_lapsed *t, bool dead, const char *error, struct instant now);
err task_store_purge(struct ctx *c, enum task_status status, struct instant before, int64_t limit, int64_t *n);
/* Long queues, for the limit on them. */
err task_store_count_groups(struct ctx *c, struct instant now);

/* ---- runs and their tasks */

err task_store_run_alive(struct ctx *c, struct uuid parent_id, bool *yes);
err task_store_cancel_run(struct ctx *c, struct uuid run_id, struct instant now);

/* ---- lists for people */

struct task_filter {
    int status;                /* -1: any */
    const char *kind;          /* NULL: any */
    struct instant older_than; /* created before; 0: any */
    bool everywhere;           /* all accounts */
    struct uuid before;
    int64_t limit;
};
err task_store_list(struct ctx *c, const struct task_filter *f, struct task_row *rows, size_t *n);
err task_store_get(struct ctx *c, struct uuid id, bool everywhere, struct task_row *out, bool *found);
/* Dead ones only: ready again with all attempts, or cancelled with a reason. Bulk: at most limit of the filter. */
err task_store_retry(struct ctx *c, const struct task_filter *f, struct uuid id, struct instant now, int64_t *n);
err task_store_discard(struct ctx *c, const struct task_filter *f, struct uuid id, const char *reason,
                       struct instant now, int64_t *n);

/* By kind, of the account or of all. */
err task_store_summary(struct ctx *c, bool everywhere, struct task_summary **out, size_t *n);

#endif
