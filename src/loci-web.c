/* loci-web: REST and pages over FastCGI; the same binary is a CGI program when a plain web server starts it. */
#include <unistd.h>

#include "access_log.h"
#include "admin.h"
#include "api.h"
#include "call.h"
#include "calls.h"
#include "changes.h"
#include "config.h"
#include "errand.h"
#include "escalation.h"
#include "fcgi.h"
#include "index.h"
#include "index_health.h"
#include "job.h"
#include "junk.h"
#include "listen.h"
#include "mcp.h"
#include "node.h"
#include "node_cache.h"
#include "pages.h"
#include "pool_job.h"
#include "promote_job.h"
#include "query_vector_cache.h"
#include "recall_tools.h"
#include "relay.h"
#include "start.h"
#include "vector_feed.h"
#include "vector_models_cache.h"
#include "views.h"
#include "watch.h"

#define FLUSH_SECONDS 5
#define TOUCHES_MAX 65536        /* nodes whose reads wait to be written */

static const char USAGE[] =
    "usage: loci-web [--config FILE]\n"
    "\n"
    "Serves Loci's REST API, MCP and pages over FastCGI on web.socket, or on the socket that systemd or spawn-fcgi hands\n"
    "over; started by a plain web server it answers one request as a CGI program. Stops on SIGTERM.\n"
    "\n"
    "  --config FILE   settings (default: $LOCI_CONFIG, then the installed loci.conf)\n"
    "  --version       print the version\n";

/* Reads are counted in the process and written here, every few seconds and at the end. */
static void flush_reads(struct ctx *c)
{
    if (node_touch_flush(c) != ERR_OK)
        log_say(c->app->log, LOG_WARN, "use counters wait: %s", c->fault.message);
}

/* Who reads a context finds it in its access log a second later. */
static void flush_access_log(struct ctx *c)
{
    if (access_log_flush(c) != ERR_OK)
        log_say(c->app->log, LOG_WARN, "the access log waits: %s", c->fault.message);
}

static void tick(struct ctx *c)
{
    flush_access_log(c);
    ctx_forgive(c);
    changes_tick(c);
    index_tick(c);
    if (c->now.us / SECOND_US % FLUSH_SECONDS == 0)
        flush_reads(c);
}

/* After the last request: no thread of ours touches a node any more. */
static void flush_at_end(struct program *p)
{
    struct ctx c = {.arena = arena_new(REQUEST_ARENA_CAP), .app = &p->app};

    program_thread_begin(&c);
    ctx_begin(&c, 2);
    flush_reads(&c);
    ctx_forgive(&c);
    flush_access_log(&c);
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

#define HELPERS_MAX 16           /* threads: more requests than that at once keep the processors busy by themselves */

/* Beside a request there is the rest of the processors, unless a recall shall have one thread only. */
static struct helpers *new_helpers(const struct app *app)
{
    long others = sysconf(_SC_NPROCESSORS_ONLN) - 1;

    if (app->conf->recall_scan_threads < 2 || others < 1)
        return NULL;
    return helpers_new(others < HELPERS_MAX ? (size_t)others : HELPERS_MAX);
}

/* A plain CGI program ends with its request; what it wrote the jobs find. */
static void start_memory(struct program *p, bool stays)
{
    p->app.recall = new_index(&p->app);
    p->app.recall_tools = recall_tools_new();
    p->app.model_cache = model_cache_new();
    p->app.query_vectors = query_vectors_new();
    if (!stays)
        return;
    p->app.helpers = new_helpers(&p->app);
    p->app.vector_feed = vector_feed_new(&p->app, program_thread_begin, program_thread_end);
    p->app.nodes_written = vector_feed_nodes;
    p->app.relay = relay_new(&p->app, program_thread_begin, program_thread_end);
    p->app.news_made = relay_news;
    p->log.queue = log_queue_new(p->log.fd);
}

static void end_memory(struct program *p)
{
    helpers_free(p->app.helpers);
    query_vectors_free(p->app.query_vectors);
    model_cache_free(p->app.model_cache);
    recall_tools_free(p->app.recall_tools);
    recall_index_free(p->app.recall);
}

/* Those who wait for events are served beside the requests. */
static struct listen *start_listening(struct program *p)
{
    struct listen_setup s = {.app = &p->app, .op = op_find(p->app.ops, "event.list"), .socket = listen_socket(p->arena, p->app.conf),
                             .thread_begin = program_thread_begin, .thread_end = program_thread_end};

    return listen_new(&s);
}

int main(int argc, char **argv)
{
    static void (*const GAUGES[])(struct ctx *, struct buf *) = {node_cache_metrics, jobs_metrics, NULL};
    struct program p;
    struct op_table ops;
    struct fcgi_server server;
    struct listen *listeners = NULL;
    const char *why;
    bool stays;
    int code;

    program_start(&p, "loci-web", argc, argv, USAGE);
    if (p.argc)
        program_die(2, "loci-web: unknown option '%s'; see --help", p.argv[0]);
    ops = calls_all(p.arena);
    p.app.ops = &ops;
    p.app.gauges = GAUGES;
    p.app.ask_index = index_health;
    p.app.ask_junk = junk_health;
    p.app.touches = node_touches_new(TOUCHES_MAX);
    p.app.access_reads = access_reads_new();
    p.app.node_cache = node_cache_new((size_t)p.app.conf->cache_node_mb << 20);
    p.app.feed = changes_feed_new(p.app.conf);
    p.app.ask_human = escalation_ask_for_recall;
    p.app.promote_later = promote_later;
    p.app.embed_later = pool_embed_later;
    p.app.views = views_load(p.arena, p.app.conf->data_dir, &why);
    if (!p.app.views)
        program_die(2, "loci-web: %s", why);
    server = (struct fcgi_server){.app = &p.app, .routes = router_new(p.arena), .socket = p.app.conf->web_socket,
                                  .threads = (int)p.app.conf->web_threads, .thread_begin = program_thread_begin,
                                  .thread_end = program_thread_end, .tick = tick};
    stays = !fcgi_is_cgi(&server);
    if (stays)
        program_stop_signals(&server.stop_signals);
    start_memory(&p, stays);
    watch_add_routes(server.routes);
    api_add_routes(server.routes, p.arena, &ops);
    mcp_add_routes(server.routes);
    admin_add_routes(server.routes, p.arena, pages_all());
    if (stays)
        listeners = start_listening(&p);
    code = stays ? fcgi_run(&server) : fcgi_cgi(&server);
    listen_free(listeners);
    flush_at_end(&p);
    if (!relay_free(p.app.relay) || !vector_feed_free(p.app.vector_feed)) {
        log_flush(&p.log);
        _exit(code);                 /* it waits for a server; the jobs find what it leaves */
    }
    end_memory(&p);
    node_touches_free(p.app.touches);
    access_reads_free(p.app.access_reads);
    changes_feed_free(p.app.feed);
    node_cache_free(p.app.node_cache);
    program_end(&p);
    return code;
}
