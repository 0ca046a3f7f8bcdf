/* The threads of loci-scheduler: one that keeps the clock, one that renews leases, one that waits for hints, and workers. */
#ifndef LOCI_SCHEDULER_H
#define LOCI_SCHEDULER_H

#include <stdbool.h>

#include "app.h"
#include "ctx.h"

struct scheduler_setup {
    const struct app *app;
    int threads;                         /* workers, 1 to 64 */
    void (*thread_begin)(struct ctx *c); /* connections of the calling thread */
    void (*thread_end)(struct ctx *c);
    int stop_fd; /* readable: stop */
};

/* Works until it is told to stop, then lets handlers come to their next boundary; false: some did not within 9 seconds, and
 * the process had better end without waiting for them. */
bool scheduler_run(const struct scheduler_setup *s);

#endif
