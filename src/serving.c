/* The process around operations: index, caches, and what happens behind the requests; see serving.h. */
#include "serving.h"

#include <malloc.h>
#include <unistd.h>

#include "access.h"
#include "access_log.h"
#include "block.h"
#include "changes.h"
#include "config.h"
#include "errand.h"
#include "escalation.h"
#include "index.h"
#include "index_health.h"
#include "intervention.h"
#include "junk.h"
#include "kv.h"
#include "net.h"
#include "node.h"
#include "node_cache.h"
#include "pace.h"
#include "pool_job.h"
#include "promote_job.h"
#include "query_vector_cache.h"
#include "recall_tools.h"
#include "relay.h"
#include "settle.h"
#include "speed.h"
#include "trust.h"
#include "vector_feed.h"
#include "vector_models_cache.h"
#include "vectors_job.h"

#define FLUSH_SECONDS 5
#define TRIM_SECONDS 30
#define TRIM_FREE (32u * 1024 * 1024) /* so much is not kept until then: large requests may follow each other */
#define TOUCHES_MAX 65536             /* nodes whose reads wait to be written */

/* Reads are counted in the process and written here, every few seconds and at the end. */
static bool flush_reads(struct ctx *c)
{
    if (node_touch_flush(c) == ERR_OK)
        return true;
    log_say(c->app->log, LOG_WARN, "use counters wait: %s", c->fault.message);
    return false;
}

/* Who reads a context finds it in its access log a second later. */
static bool flush_access_log(struct ctx *c)
{
    if (access_log_flush(c) == ERR_OK)
        return true;
    log_say(c->app->log, LOG_WARN, "the access log waits: %s", c->fault.message);
    return false;
}

/* struct app.settle_own. By the thread of serving_tick(). */
static int64_t settle_own(struct ctx *c, struct uuid account_id)
{
    bool written = flush_access_log(c);

    ctx_forgive(c);
    written = flush_reads(c) && written;
    ctx_forgive(c);
    speed_flush(c);
    return written ? (int64_t)relay_holds(c->app->relay, account_id) : -1;
}

void serving_tick(struct ctx *c)
{
    flush_access_log(c);
    ctx_forgive(c);
    changes_tick(c);
    index_tick(c);
    if (c->now.us / SECOND_US % FLUSH_SECONDS == 0)
        flush_reads(c);
    ctx_forgive(c);
    speed_flush(c);
    settle_tick(c);
    if (c->now.us / SECOND_US % TRIM_SECONDS == 0 || mallinfo2().fordblks > TRIM_FREE)
        malloc_trim(0); /* the holes between what is in use, too */
}

/* After the last request: no thread of ours touches a node any more. */
static void flush_at_end(struct program *p)
{
    struct ctx c = {.arena = request_arena_new(), .app = &p->app};

    program_thread_begin(&c);
    ctx_begin(&c, 2);
    flush_reads(&c);
    ctx_forgive(&c);
    flush_access_log(&c);
    ctx_forgive(&c);
    speed_flush(&c);
    program_thread_end(&c);
    arena_free(c.arena);
}

static struct recall_index *new_index(const struct app *app)
{
    const struct recall_options o = {.simd = app->simd, .budget = (size_t)app->conf->recall_memory_mb << 20,
                                     .max_staleness_us = app->conf->recall_max_staleness_ms * 1000,
                                     .reload_after_us = RECALL_RELOAD_US, .packs = true};

    return recall_index_new(&o, app->metrics);
}

#define HELPERS_MAX 16 /* threads: more requests than that at once keep the processors busy by themselves */

/* Beside a request there is the rest of the processors, unless a recall shall have one thread only. */
static struct helpers *new_helpers(const struct app *app)
{
    long others = sysconf(_SC_NPROCESSORS_ONLN) - 1;

    if (app->conf->recall_scan_threads < 2 || others < 1)
        return NULL;
    return helpers_new(others < HELPERS_MAX ? (size_t)others : HELPERS_MAX);
}

static const struct change_hearer *const HEARERS[] = {&access_cache_hearer, &node_cache_hearer, NULL};

static void begin_caches(struct app *app)
{
    app->ask_index = index_health;
    app->list_indexes = index_health_list;
    app->ask_escalations = escalation_health;
    app->ask_junk = junk_health;
    app->touches = node_touches_new(TOUCHES_MAX);
    app->access_reads = access_reads_new();
    app->pace = pace_new();
    app->node_cache = node_cache_new((size_t)app->conf->cache_node_mb << 20);
    app->feed = changes_feed_new(app->conf);
    app->hearers = HEARERS;
    app->ask_human = escalation_ask_for_recall;
    app->ask_alert = intervention_alert;
    app->trust_evidence = trust_told;
    app->promote_later = promote_later;
    app->embed_later = pool_embed_later;
    app->recall = new_index(app);
    app->recall_tools = recall_tools_new();
    app->model_cache = model_cache_new();
    app->query_vectors = query_vectors_new();
}

/* Said once, at the start: it goes on without them, and asks them again with each request. */
static void say_what_is_away(struct program *p)
{
    const struct config *conf = p->app.conf;
    const char *redis = kv_why_away(p->arena, conf), *db = NULL;

    if (!*conf->db_hosts)
        db = net_why_unreached(p->arena, conf->db_socket, conf->db_host, conf->db_port);
    if (db)
        log_say(&p->log, LOG_WARN, "cannot connect to MariaDB at %s", db);
    if (redis)
        log_say(&p->log, LOG_WARN, "%s; logins and working memory wait for it", redis);
}

void serving_begin(struct program *p, bool stays)
{
    begin_caches(&p->app);
    if (!stays) {
        p->app.vectors_later = vectors_later;
        return;
    }
    say_what_is_away(p);
    block_limit((size_t)p->app.conf->web_request_memory_mb << 20);
    p->app.reads_at_home = true;
    p->app.helpers = new_helpers(&p->app);
    p->app.vector_feed = vector_feed_new(&p->app, program_thread_begin, program_thread_end);
    p->app.nodes_written = vector_feed_nodes;
    index_keep_begin(&p->app, program_thread_begin, program_thread_end);
    p->app.wrote_late = index_wrote_late;
    p->app.relay = relay_new(&p->app, program_thread_begin, program_thread_end);
    p->app.news_made = relay_news;
    p->app.settle_own = settle_own;
    p->app.settle_feed = settle_feed_new(p->app.conf);
    p->log.queue = log_queue_new(p->log.fd);
}

void serving_end(struct program *p, int code)
{
    flush_at_end(p);
    if (!relay_free(p->app.relay) || !vector_feed_free(p->app.vector_feed) || !index_keep_end(p->app.recall)) {
        log_flush(&p->log);
        _exit(code); /* it waits for a server; the jobs find what it leaves */
    }
    helpers_free(p->app.helpers);
    query_vectors_free(p->app.query_vectors);
    model_cache_free(p->app.model_cache);
    recall_tools_free(p->app.recall_tools);
    recall_index_free(p->app.recall);
    node_touches_free(p->app.touches);
    access_reads_free(p->app.access_reads);
    pace_free(p->app.pace);
    changes_feed_free(p->app.feed);
    settle_feed_free(p->app.settle_feed);
    node_cache_free(p->app.node_cache);
}
