/* loci-web: REST, MCP and pages over FastCGI; the same binary is a CGI program when a plain web server starts it. */
#include "admin.h"
#include "api.h"
#include "call.h"
#include "calls.h"
#include "config.h"
#include "fcgi.h"
#include "index.h"
#include "job.h"
#include "listen.h"
#include "mcp.h"
#include "memory_metrics.h"
#include "node_cache.h"
#include "pages.h"
#include "serving.h"
#include "settle.h"
#include "start.h"
#include "views.h"
#include "watch.h"

static const char USAGE[] =
    "usage: loci-web [--config FILE]\n\nServes Loci's REST API, MCP and pages over FastCGI on web.socket, or on the socket passed by systemd "
    "or spawn-fcgi.\nStarted by a plain web server it answers one request as a CGI program. Stops on SIGTERM.\n\n  --config FILE   settings "
    "(default: $LOCI_CONFIG, then the installed loci.conf)\n  --version       print the version\n";

/* Those who wait for events are served beside the requests. */
static struct listen *start_listening(struct program *p)
{
    struct listen_setup s = {.app = &p->app, .op = op_find(p->app.ops, "event.list"), .socket = listen_socket(p->arena, p->app.conf),
                             .thread_begin = program_thread_begin, .thread_end = program_thread_end};

    return listen_new(&s);
}

int main(int argc, char **argv)
{
    static void (*const GAUGES[])(struct ctx *, struct buf *) = {node_cache_metrics, index_metrics, jobs_metrics, memory_metrics, NULL};
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
    p.app.views = views_load(p.arena, p.app.conf->data_dir, &why);
    if (!p.app.views)
        program_die(2, "loci-web: %s", why);
    server = (struct fcgi_server){.app = &p.app, .routes = router_new(p.arena), .socket = p.app.conf->web_socket,
                                  .threads = (int)p.app.conf->web_threads, .thread_begin = program_thread_begin,
                                  .thread_end = program_thread_end, .thread_rest = program_thread_rest, .tick = serving_tick,
                                  .wake_fd = settle_feed_fd, .wake = settle_hear};
    stays = !fcgi_is_cgi(&server);
    if (stays)
        program_stop_signals(&server.stop_signals);
    serving_begin(&p, stays);
    watch_add_routes(server.routes);
    api_add_routes(server.routes, p.arena, &ops);
    mcp_add_routes(server.routes);
    admin_add_routes(server.routes, p.arena, pages_all());
    if (stays)
        listeners = start_listening(&p);
    code = stays ? fcgi_run(&server) : fcgi_cgi(&server);
    listen_free(listeners);
    serving_end(&p, code);
    program_end(&p);
    return code;
}
