/* loci-scheduler: does what is due and what is queued; any number of them may run. */
#include <errno.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "archive_many.h"
#include "config.h"
#include "index.h"
#include "query_vector_cache.h"
#include "recall_tools.h"
#include "relay.h"
#include "scheduler.h"
#include "start.h"
#include "vector_feed.h"
#include "vector_models_cache.h"

#define NICENESS 10 /* on a host that serves requests, too, those go first */

static const char USAGE[] =
    "usage: loci-scheduler [--config FILE]\n\nRuns Loci's scheduled jobs and the tasks of its queue. Any number may run, on any host; each "
    "may be stopped or\nkilled at any time. Stops on SIGTERM within ten seconds.\n\n  --config FILE   settings (default: $LOCI_CONFIG, then "
    "the installed loci.conf)\n  --version       print the version\n";

/* Signals that stop us come as bytes of a file. */
static int stop_signals(void)
{
    sigset_t set;

    program_stop_signals(&set);
    return signalfd(-1, &set, SFD_CLOEXEC);
}

#define INDEX_MB 256 /* accounts whose evaluation sets are run; it takes nothing before the first run */

static void begin_recall(struct app *app)
{
    int64_t mb = app->conf->recall_memory_mb < INDEX_MB ? app->conf->recall_memory_mb : INDEX_MB;
    const struct recall_options o = {.simd = app->simd, .budget = (size_t)mb << 20,
                                     .max_staleness_us = app->conf->recall_max_staleness_ms * 1000, .reload_after_us = RECALL_RELOAD_US};

    app->recall = recall_index_new(&o, app->metrics);
    app->recall_tools = recall_tools_new();
    app->model_cache = model_cache_new();
    app->query_vectors = query_vectors_new();
}

static void end_recall(struct app *app)
{
    query_vectors_free(app->query_vectors);
    model_cache_free(app->model_cache);
    recall_tools_free(app->recall_tools);
    recall_index_free(app->recall);
}

int main(int argc, char **argv)
{
    struct program p;
    struct scheduler_setup setup;
    bool clean;

    setpriority(PRIO_PROCESS, 0, NICENESS);
    program_start(&p, "loci-scheduler", argc, argv, USAGE);
    if (p.argc)
        program_die(2, "loci-scheduler: unknown option '%s'; see --help", p.argv[0]);
    setup = (struct scheduler_setup){.app = &p.app, .threads = (int)p.app.conf->scheduler_threads,
                                     .thread_begin = program_thread_begin, .thread_end = program_thread_end,
                                     .stop_fd = stop_signals()};
    if (setup.stop_fd < 0)
        program_die(1, "loci-scheduler: cannot wait for signals");
    p.app.vector_feed = vector_feed_new(&p.app, program_thread_begin, program_thread_end);
    p.app.nodes_written = vector_feed_nodes;
    p.app.nodes_expired = memory_leave_keys;
    p.app.relay = relay_new(&p.app, program_thread_begin, program_thread_end);
    p.app.news_made = relay_news;
    begin_recall(&p.app);
    clean = scheduler_run(&setup);
    if (!clean || !relay_free(p.app.relay) || !vector_feed_free(p.app.vector_feed))
        _exit(0); /* what is unfinished comes back when its lease is over, vectors by their job */
    end_recall(&p.app);
    program_end(&p);
    return 0;
}
