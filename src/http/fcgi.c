/* Threads over libfcgi; see fcgi.h. Each thread serves one connection at a time, kept ones included. */
#include "fcgi.h"

#include <errno.h>
#include <fcgiapp.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "log.h"
#include "serve.h"
#include "systemd.h"

#define BACKLOG 1024
#define STOP_SECONDS 8

struct worker {
    const struct fcgi_server *server;
    FCGX_Request request;
    pthread_t thread;
    _Atomic bool busy, done;
};

struct pool {
    int listen_fd;
    struct worker *workers;
};

static const char *fcgi_param(struct exchange *x, const char *name)
{
    FCGX_Request *r = x->carrier;

    return FCGX_GetParam(name, r->envp);
}

static ssize_t fcgi_read(struct exchange *x, char *buf, size_t n)
{
    FCGX_Request *r = x->carrier;

    return FCGX_GetStr(buf, n > 1 << 20 ? 1 << 20 : (int)n, r->in);
}

/* libfcgi reports nothing when it flushes to a peer that is gone; the socket does. */
static bool peer_gone(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLRDHUP};

    return poll(&p, 1, 0) > 0 && p.revents & (POLLERR | POLLHUP | POLLRDHUP);
}

static bool fcgi_write(struct exchange *x, const char *p, size_t n)
{
    FCGX_Request *r = x->carrier;

    while (n) {
        int piece = n > 65536 ? 65536 : (int)n;

        if (FCGX_PutStr(p, piece, r->out) != piece || (n > 65536 && peer_gone(r->ipcFd)))
            return false;
        p += piece;
        n -= (size_t)piece;
    }
    return true;
}

static void fcgi_flush(struct exchange *x)
{
    FCGX_FFlush(((FCGX_Request *)x->carrier)->out);
}

static const struct exchange_io FCGI_IO = {fcgi_param, fcgi_read, fcgi_write, fcgi_flush};

static void work(struct worker *w, struct ctx *c)
{
    struct exchange x;

    while (FCGX_Accept_r(&w->request) == 0) {
        atomic_store(&w->busy, true);
        exchange_begin(&x, c->arena, &FCGI_IO, &w->request);
        serve(c, w->server->routes, &x);
        FCGX_Finish_r(&w->request);
        atomic_store(&w->busy, false);
        if (serve_is_draining())
            break;
    }
}

static void *thread_main(void *arg)
{
    struct worker *w = arg;
    struct ctx c = {.arena = request_arena_new(), .app = w->server->app};

    w->server->thread_begin(&c);
    work(w, &c);
    w->server->thread_end(&c);
    arena_free(c.arena);
    atomic_store(&w->done, true);
    return NULL;
}

/* Standard input when a socket waits there (systemd's first is fd 3, spawn-fcgi gives fd 0), else the path is bound. */
static int open_socket(const struct fcgi_server *s)
{
    int fd = systemd_listen_fd();
    mode_t old;

    if (fd >= 0)
        return fd;
    if (!*s->socket)
        return 0;
    unlink(s->socket);
    old = umask(0117);       /* the web server's group may connect */
    fd = FCGX_OpenSocket(s->socket, BACKLOG);
    umask(old);
    return fd;
}

static bool is_listening(int fd)
{
    int on = 0;
    socklen_t n = sizeof on;

    return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &on, &n) == 0 && on;
}

bool fcgi_is_cgi(const struct fcgi_server *s)
{
    return !*s->socket && systemd_listen_fd() < 0 && !is_listening(0) && getenv("REQUEST_METHOD");
}

static bool all_done(const struct pool *p, int n)
{
    for (int i = 0; i < n; i++)
        if (!atomic_load(&p->workers[i].done))
            return false;
    return true;
}

/* Wakes whoever waits for a connection, or for the next request of a kept one; requests in flight go on. */
static void wake(struct pool *p, int n)
{
    shutdown(p->listen_fd, SHUT_RD);
    for (int i = 0; i < n; i++) {
        int fd = p->workers[i].request.ipcFd;

        if (!atomic_load(&p->workers[i].busy) && !atomic_load(&p->workers[i].done) && fd > 2)
            shutdown(fd, SHUT_RD);
    }
}

static void stop(const struct fcgi_server *s, struct pool *p)
{
    log_say(s->app->log, LOG_INFO, "stopping: finishing requests in flight");
    systemd_notify("STOPPING=1");
    serve_drain();
    FCGX_ShutdownPending();
    for (int i = 0; i < STOP_SECONDS * 20 && !all_done(p, s->threads); i++) {
        wake(p, s->threads);
        usleep(50000);
    }
    if (!all_done(p, s->threads))
        log_say(s->app->log, LOG_WARN, "stopped with requests still running after %d s", STOP_SECONDS);
}

static void wait_for_stop(const struct fcgi_server *s)
{
    const struct timespec second = {1, 0};
    struct ctx c = {.arena = request_arena_new(), .app = s->app};

    s->thread_begin(&c);
    while (sigtimedwait(&s->stop_signals, NULL, &second) < 0) {
        ctx_begin(&c, 0);
        s->tick(&c);
        arena_reset(c.arena);
        systemd_notify("WATCHDOG=1");
    }
    s->thread_end(&c);
    arena_free(c.arena);
}

static bool start_threads(const struct fcgi_server *s, struct pool *p)
{
    for (int i = 0; i < s->threads; i++) {
        struct worker *w = &p->workers[i];

        w->server = s;
        if (FCGX_InitRequest(&w->request, p->listen_fd, FCGI_FAIL_ACCEPT_ON_INTR) ||
            pthread_create(&w->thread, NULL, thread_main, w))
            return false;
    }
    return true;
}

int fcgi_run(const struct fcgi_server *s)
{
    struct pool p = {0};
    bool clean;

    errno = 0;
    if (FCGX_Init() || (p.listen_fd = open_socket(s)) < 0) {
        log_say(s->app->log, LOG_ERROR, "cannot listen on '%s': %s", s->socket, errno ? strerror(errno) : "FastCGI does not start");
        return 1;
    }
    if (!is_listening(p.listen_fd)) {
        log_say(s->app->log, LOG_ERROR, "'%s' is not a listening socket; set web.socket", *s->socket ? s->socket : "standard input");
        return 1;
    }
    p.workers = calloc((size_t)s->threads, sizeof *p.workers);
    if (!p.workers || !start_threads(s, &p)) {
        log_say(s->app->log, LOG_ERROR, "cannot start %d threads", s->threads);
        return 1;
    }
    log_say(s->app->log, LOG_INFO, "listening with %d threads", s->threads);
    systemd_notify("READY=1");
    wait_for_stop(s);
    stop(s, &p);
    clean = all_done(&p, s->threads);
    for (int i = 0; clean && i < s->threads; i++)
        pthread_join(p.workers[i].thread, NULL);
    if (!clean) {
        log_flush(s->app->log);
        _exit(0);            /* a thread is stuck in a foreign wait: what was acknowledged is committed */
    }
    free(p.workers);
    if (*s->socket && systemd_listen_fd() < 0)
        unlink(s->socket);
    return 0;
}

static const char *cgi_param(struct exchange *x, const char *name)
{
    (void)x;
    return getenv(name);
}

static ssize_t cgi_read(struct exchange *x, char *buf, size_t n)
{
    (void)x;
    return read(0, buf, n);
}

static bool cgi_write(struct exchange *x, const char *p, size_t n)
{
    (void)x;
    return fwrite(p, 1, n, stdout) == n;
}

int fcgi_cgi(const struct fcgi_server *s)
{
    static const struct exchange_io CGI_IO = {cgi_param, cgi_read, cgi_write, NULL};
    struct ctx c = {.arena = request_arena_new(), .app = s->app};
    struct exchange x;
    bool broken;

    s->thread_begin(&c);
    exchange_begin(&x, c.arena, &CGI_IO, NULL);
    serve(&c, s->routes, &x);
    broken = fflush(stdout) != 0;
    s->thread_end(&c);
    arena_free(c.arena);
    return broken;
}
