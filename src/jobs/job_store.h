/* SQL of the tables job, job_override and job_state. */
#ifndef LOCI_JOB_STORE_H
#define LOCI_JOB_STORE_H

#include "run.h"

/* ---- the timetable */

/* Inserts a job that is new; of one that is there, follows the code in what no operator has changed. */
err job_store_declare(struct ctx *c, const struct job *job, int64_t position, struct instant next, struct instant now);
err job_store_get(struct ctx *c, const char *name, bool lock, struct job_row *out, bool *found);
err job_store_list(struct ctx *c, struct job_row **out, size_t *n);

struct job_poll {
    struct instant now;          /* the database's clock */
    struct instant next_fire_at; /* the earliest; 0: none */
    bool open;                   /* some run waits or runs */
};
err job_store_poll(struct ctx *c, struct job_poll *out);

/* The most overdue job of the list that is not continuous, locked; others' are skipped. */
err job_store_claim(struct ctx *c, const struct job_list *list, struct instant now, struct job_row *out, bool *found);
err job_store_fired(struct ctx *c, const char *name, struct instant next, struct instant last);
/* Continuous jobs that are due and that nobody works on, most overdue first. */
err job_store_due_passes(struct ctx *c, struct instant now, struct job_row **out, size_t *n);
/* Whether a missed firing of some job of the list has not been claimed yet. */
err job_store_has_due(struct ctx *c, const struct job_list *list, struct instant now, bool *yes);

/* Passes of continuous jobs. *got: it was ours to take. */
err job_store_lease(struct ctx *c, const struct job_row *seen, struct instant now, struct instant next,
                    struct uuid token, struct instant until, bool *got);
err job_store_renew(struct ctx *c, const char *name, struct uuid token, struct instant until, bool *still);
/* at_once 0: the next firing stays as it is. */
err job_store_unlease(struct ctx *c, const char *name, struct uuid token, struct instant at_once);
/* Inside the transaction of the work: whether the lease still holds; it cannot be lost before the commit. */
err job_store_holds(struct ctx *c, const char *name, struct uuid token, bool *yes);

/* paused_at 0: resumed. next: its next firing. */
err job_store_pause(struct ctx *c, const char *name, struct instant paused_at, const char *by, const char *reason,
                    struct instant next, struct instant now);
err job_store_update(struct ctx *c, const struct job_row *row, struct instant now); /* counts the version up */

/* ---- overrides */

err override_store_get(struct ctx *c, const char *job_name, struct job_override *out); /* of c->account_id */
err override_store_list(struct ctx *c, struct job_override **out, size_t *n);
/* version 0: insert, else update of that version; ERR_CONFLICT when it changed meanwhile. */
err override_store_put(struct ctx *c, const struct job_override *o, struct instant now);
/* ids keeps the accounts that exist, are active (unless with_suspended) and have not switched the job off. */
err override_store_filter(struct ctx *c, const char *job_name, bool with_suspended, struct uuid *ids, size_t *n);
err override_store_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);

/* ---- where a job stands */

struct job_state {
    struct bytes cursor;
    struct instant watermark;
    const struct json *extra;
};
err state_store_get(struct ctx *c, struct uuid account_id, const char *job_name, struct job_state *out);
err state_store_put(struct ctx *c, struct uuid account_id, const char *job_name, const struct job_state *s,
                    struct instant now);

#endif
