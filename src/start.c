/* Starting a program; see start.h. */
#include "start.h"

#include <errno.h>
#include <malloc.h>
#include <mysql.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "access.h"
#include "config.h"
#include "context_snapshot.h"
#include "db.h"
#include "embed.h"
#include "hosts.h"
#include "index.h"
#include "index_pack.h"
#include "jobs_list.h"
#include "kv.h"
#include "libraries.h"
#include "llm_health.h"
#include "metrics.h"
#include "named.h"
#include "relay.h"
#include "simd.h"
#include "space_rooms_list.h"
#include "str.h"
#include "vector_health.h"
#include "webhook_job.h"

#define PROGRAM_ARENA (64u * 1024 * 1024)
#define ACCESS_CACHE_ENTRIES 4096
#define SECRET_MIN 32

void program_stop_signals(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGINT);
    signal(SIGPIPE, SIG_IGN);
    pthread_sigmask(SIG_BLOCK, set, NULL);
}

void program_die(int code, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
    exit(code);
}

static bool is_loopback_url(const char *url)
{
    static const char *const HOSTS[] = {"://127.", "://localhost", "://[::1]"};

    for (size_t i = 0; i < sizeof HOSTS / sizeof *HOSTS; i++)
        if (strstr(url, HOSTS[i]))
            return true;
    return false;
}

static bool is_local(const char *socket, const char *host)
{
    return *socket || str_starts(host, "127.") || str_eq(host, "localhost") || str_eq(host, "::1");
}

/* Who can move the clock can end every session and delete what is kept for a time. */
static void follow_clock(const struct config *conf)
{
    if (!*conf->debug_clock_file)
        return;
    if (!is_loopback_url(conf->web_public_url) || !is_local(conf->db_socket, conf->db_host) ||
        !is_local(conf->redis_socket, conf->redis_host))
        program_die(2, "debug.clock_file is for tests: web.public_url, MariaDB and Redis must be loopback addresses or unix sockets");
    if (!clock_follow(conf->debug_clock_file))
        program_die(2, "debug.clock_file: cannot use '%s': %s", conf->debug_clock_file, strerror(errno));
}

/* A list of hosts that stands in a setting; all_local: each is this machine. */
static void check_hosts(struct program *p, const char *setting, const char *text, int64_t port, bool *all_local)
{
    struct host_name hosts[HOSTS_MAX];
    const char *why;
    size_t n;

    if (!hosts_parse(p->arena, text, (int)port, hosts, &n, &why))
        program_die(2, "%s: %s", setting, why);
    for (size_t i = 0; i < n; i++)
        *all_local &= is_local(hosts[i].socket, hosts[i].host);
    for (size_t i = 0; i < n && p->app.conf->db_tls; i++)
        if (*hosts[i].socket)
            program_die(2, "%s: db.tls requires host:port, not the socket %s", setting, hosts[i].text);
}

static void check_lists(struct program *p)
{
    const struct config *conf = p->app.conf;
    bool local = true;

    check_hosts(p, "db.hosts", conf->db_hosts, conf->db_port, &local);
    check_hosts(p, "redis.sentinels", conf->redis_sentinels, SENTINEL_PORT, &local);
    if (*conf->debug_clock_file && !local)
        program_die(2, "debug.clock_file is for tests: db.hosts and redis.sentinels must be loopback addresses or unix sockets");
}

static void check_config(const struct config *conf)
{
    if (strlen(conf->secret) < SECRET_MIN)
        program_die(2, "security.secret must have at least %d characters; make one with: head -c 32 /dev/urandom | base64",
                    SECRET_MIN);
    if (conf->mcp_conformance_fixtures && !is_loopback_url(conf->web_public_url))
        program_die(2, "mcp.conformance_fixtures is for tests: web.public_url must be a loopback address");
    if (conf->argon_fast && !is_loopback_url(conf->web_public_url))
        program_die(2, "security.argon_fast is for tests: web.public_url must be a loopback address");
    if (conf->db_tls && *conf->db_socket && !*conf->db_hosts)
        program_die(2, "db.tls requires db.host: leave db.socket empty, or turn db.tls off");
    if (!conf->db_tls && (*conf->db_tls_ca || *conf->db_tls_cert || *conf->db_tls_key))
        program_die(2, "db.tls_ca, db.tls_cert and db.tls_key have no effect without db.tls = yes");
}

static void choose_kernels(struct program *p)
{
    char why[256];

    p->app.simd = simd_choose(getenv("LOCI_SIMD"), why, sizeof why);
    if (!p->app.simd)
        program_die(2, "%s: LOCI_SIMD: %s", p->name, why);
}

static void open_embedder(struct program *p)
{
    const char *why;

    p->app.embed = embed_open(p->arena, p->app.conf, p->app.simd, &why);
    if (!p->app.embed)
        program_die(2, "%s: %s", p->name, why);
}

static void start_make_secret(struct program *p)
{
    const char *text = p->app.conf->secret;

    crypto_generichash(p->app.secret, sizeof p->app.secret, (const unsigned char *)text, strlen(text), NULL, 0);
}

/* One that is there but may not be read is found, too, and config_load says so. */
static bool config_is_there(const char *path)
{
    return access(path, R_OK) == 0 || errno == EACCES;
}

/* ../conf/loci.conf beside the program, as ./up lays it out, then the installed one; NULL when neither is there. */
static const char *config_found(struct arena *a)
{
    char exe[4096] = "", *dir;
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    const char *own;

    if (n > 0) {
        dir = strrchr(exe, '/');
        own = arena_printf(a, "%.*s/../conf/loci.conf", (int)(dir - exe), exe);
        if (config_is_there(own))
            return own;
    }
    return config_is_there(LOCI_SYSCONFDIR "/loci.conf") ? LOCI_SYSCONFDIR "/loci.conf" : NULL;
}

/* Takes the common options out of argv; returns the configuration file, or NULL. */
static const char *options(struct program *p, int argc, char **argv, const char *usage)
{
    const char *file = getenv("LOCI_CONFIG");

    p->argv = ARENA_ARRAY(p->arena, char *, (size_t)argc + 1);
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            fputs(usage, stdout);
            exit(0);
        } else if (strcmp(argv[i], "--version") == 0) {
            printf("%s %s\n", p->name, LOCI_VERSION);
            exit(0);
        } else if (strcmp(argv[i], "--config") == 0) {
            if (!argv[i + 1])
                program_die(2, "%s: --config requires a file", p->name);
            file = argv[++i];
        } else {
            p->argv[p->argc++] = argv[i];
        }
    }
    return file ? file : config_found(p->arena);
}

#define MALLOC_HEAPS 4             /* threads share them: glibc would make eight for each processor, each with holes of its own */
#define MALLOC_MAPPED (256 * 1024) /* what is larger goes back to the kernel when it is freed */
#define MALLOC_TRIM (1024 * 1024)

/* glibc's own choice grows with use and never shrinks: after one free of 30 MiB no block below that goes back any more. */
static void bound_malloc(void)
{
    mallopt(M_ARENA_MAX, MALLOC_HEAPS);
    mallopt(M_MMAP_THRESHOLD, MALLOC_MAPPED);
    mallopt(M_TRIM_THRESHOLD, MALLOC_TRIM);
}

void program_start(struct program *p, const char *name, int argc, char **argv, const char *usage)
{
    const char *why = NULL, *file;
    char host[256] = "localhost";

    bound_malloc();
    if (sodium_init() < 0 || mysql_library_init(0, NULL, NULL))
        program_die(2, "%s: libsodium or libmariadb cannot be used here", name);
    *p = (struct program){.name = name, .arena = arena_new(PROGRAM_ARENA)};
    file = options(p, argc, argv, usage);
    p->app.conf = config_load(p->arena, file, &why);
    if (!p->app.conf)
        program_die(2, "%s: %s", name, why);
    check_lists(p);
    follow_clock(p->app.conf);
    check_config(p->app.conf);
    p->log = (struct log){.fd = 2, .program = name};
    if (!log_level_parse(p->app.conf->log_level, &p->log.level))
        program_die(2, "%s: log.level must be debug, info, warn or error, not '%s'", name, p->app.conf->log_level);
    start_make_secret(p);
    choose_kernels(p);
    open_embedder(p);
    gethostname(host, sizeof host - 1);
    p->app.host = arena_strdup(p->arena, host);
    p->app.log = &p->log;
    p->app.metrics = metrics_new();
    p->app.kv_watch = kv_watch_new();
    p->app.jobs = &JOBS_ALL;
    p->app.space_rooms = SPACE_ROOMS_ALL;
    p->app.id_of_agent = named_agent;
    p->app.id_of_space = named_space;
    p->app.ask_model = vector_health;
    p->app.try_model = vector_try;
    p->app.vectors_waiting = vector_count_waiting;
    p->app.events_waiting = relay_count_waiting;
    p->app.try_llm = llm_try;
    p->app.libraries = libraries_list(p->arena);
    p->app.deliver_later = webhook_deliver_later;
    p->app.nodes_erased = index_pack_void;
    p->app.account_replaced = index_replaced;
    p->app.states_held = context_snapshot_holds;
    p->app.access_cache = access_cache_new(ACCESS_CACHE_ENTRIES);
}

void program_end(struct program *p)
{
    db_watch_end();
    log_queue_free(p->log.queue);
    access_cache_free(p->app.access_cache);
    kv_watch_free(p->app.kv_watch);
    metrics_free(p->app.metrics);
    arena_free(p->arena);
    mysql_library_end();
}

void program_thread_begin(struct ctx *c)
{
    c->db = db_open(c->app->conf);
    c->kv = kv_open(c->app->conf);
}

void program_thread_rest(struct ctx *c)
{
    db_rest(c->db);
}

void program_thread_end(struct ctx *c)
{
    db_close(c->db);
    kv_close(c->kv);
    mysql_thread_end();
}
