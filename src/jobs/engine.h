/* What the threads of a scheduler share: its clock, the map of what waits, the leases it holds, and its counters. */
#ifndef LOCI_ENGINE_H
#define LOCI_ENGINE_H

#include <pthread.h>
#include <stdatomic.h>

#include "job_store.h"
#include "task_store.h"

#define SERVED_SLOTS 1024 /* accounts whose last turn is remembered */
#define PASSES_MAX 64
#define STATS_MAX 512
#define URGENT_PRIORITY 3 /* a quarter of the threads takes nothing less urgent */

/* A promise to end a piece of work in time, renewed by a thread of its own. */
struct lease {
    struct lease *next;
    const char *job_name;   /* a pass of a continuous job; NULL: tasks */
    const struct uuid *ids; /* of the tasks */
    size_t n;
    struct uuid token;
    int lease_s;
    int64_t renew_at; /* monotonic */
    atomic_bool lost;
};

/* A continuous job that was due when the clock was last read. */
struct due_pass {
    const struct job *job;
    struct instant next_fire_at;
};

/* Where the counts of a continuous job go, and whom its next pass begins with. */
struct hour {
    const struct job *job;
    struct instant begin;
    struct uuid row, above;
    int64_t told_at;           /* monotonic: last sign of life in the row */
    int64_t passes, worked_us; /* since then: how often, and how long in all */
};

struct stat {
    const char *name; /* a literal */
    char subject[65], detail[65];
    double value;
};

/* Whose turn it is: neither a backlog nor what was asked for has two in a row while anything else waits. */
enum turn { TURN_ANY, TURN_SWEPT, TURN_ASKED };

struct engine {
    const struct app *app;
    const struct job_list *list;
    struct uuid id;
    int threads;
    struct instant fixed_now; /* tests: the time stands still here; 0: it runs */
    atomic_bool stopping;
    atomic_int running; /* threads at work */

    pthread_mutex_t lock; /* of all that follows */
    pthread_cond_t wake;
    struct instant db_now;                /* the database's clock, as read at db_now_at (monotonic) */
    int64_t db_now_at, moved_us, skew_us; /* moved_us: how far tests had moved the clock then */
    struct task_group *map;               /* what waits; kinds are the engine's own strings */
    size_t n_map;
    int64_t map_at, map_cost_us; /* when it was read (0: never), and how long that took */
    bool map_old;                /* a hint came: there is something that is not in it */
    atomic_bool map_hot;         /* work was done or a hint came: look again soon */
    struct due_pass passes[PASSES_MAX];
    size_t n_passes;
    struct hour hours[PASSES_MAX];
    struct {
        struct uuid account;
        int64_t at;
    } served[SERVED_SLOTS];
    enum turn last_turn;
    struct lease *leases;
    struct stat stats[STATS_MAX];
    size_t n_stats;
};

/* app->jobs: jobs and kinds of the program, run_kind and slice_kind among them. */
struct engine *engine_new(const struct app *app, int threads);
void engine_free(struct engine *e);

/* ---- time: the database's, carried on by the monotonic clock between two readings */

void engine_set_clock(struct engine *e, struct instant db_now);
struct instant engine_now(struct engine *e);

/* ---- who the work is done as */

/* The system principal of an account (nil: of the installation), named for the audit trail; c->now is the database's. */
err engine_become(struct engine *e, struct ctx *c, struct uuid account_id, const char *name);

/* ---- leases */

void lease_begin(struct engine *e, struct lease *l);
void lease_end(struct engine *e, struct lease *l);
/* Renews what a third of its lease has passed of; called about once a second by a thread that does nothing else. */
void leases_renew(struct engine *e, struct ctx *c);

/* ---- counters, flushed into job_metric */

void stat_add(struct engine *e, const char *name, const char *subject, const char *detail, double value);
err stats_flush(struct engine *e, struct ctx *c);

/* ---- what a thread does; each returns without waiting */

/* Reads the clock, fires what is due, starts what waited for its turn, folds what runs. */
err engine_tick(struct engine *e, struct ctx *c);
/* One pass or one batch of tasks; *did: there was something. urgent_only: nothing beyond URGENT_PRIORITY. */
err engine_work(struct engine *e, struct ctx *c, bool urgent_only, bool *did);

/* ---- the parts of it */

err fire_due(struct engine *e, struct ctx *c, struct instant now); /* cron */
err start_waiting(struct engine *e, struct ctx *c, struct instant now);
err fold_runs(struct engine *e, struct ctx *c, struct instant now, int64_t *folded);
err queue_take_back(struct ctx *c, const struct job_list *list, struct instant now, int64_t *n); /* lapsed leases */
err queue_refresh(struct engine *e, struct ctx *c);
/* A hint came: the map is read again at once, and once more a little later. */
void queue_stir(struct engine *e);
err queue_work(struct engine *e, struct ctx *c, bool urgent_only, bool *did);
err pass_work(struct engine *e, struct ctx *c, bool *did); /* continuous jobs */
/* Makes the task that gives a run its slices; inside the transaction that starts the run. */
err run_launch(struct ctx *c, const struct run *r, struct instant now);
/* The task of a slice that exists; inside the transaction that made it. */
err slice_launch(struct ctx *c, const struct run *parent, const struct uuid *accounts, const struct uuid *ids, size_t n,
                 struct instant now);

#endif
