/* Rows of the queue and of its schedulers, as the services of this room pass them on. */
#ifndef LOCI_TASK_ROW_H
#define LOCI_TASK_ROW_H

#include "task.h"

/* A row of `task`, for people. */
struct task_row {
    struct uuid id, account_id, run_id;
    const char *kind, *idem_key, *lane;
    int64_t priority;
    enum task_status status;
    const struct json *payload, *tries;
    struct instant run_at;
    int64_t attempts, max_attempts;
    bool again;
    const char *last_error;
    struct instant created_at, started_at, finished_at, lease_until;
};

/* What waits and runs of a kind. */
struct task_summary {
    const char *kind;
    int priority;
    int64_t ready, running, dead;
    struct instant oldest;
};

/* A loci-scheduler that lives, or did a moment ago. */
struct scheduler_row {
    struct uuid id;
    const char *host, *version;
    int64_t pid, threads, running, skew_us;
    struct instant started_at, heartbeat_at;
    bool stopping;
};

#endif
