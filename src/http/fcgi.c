/* Threads over libfcgi; see fcgi.h. Each thread serves one connection at a time, kept ones included. */
#include "fcgi.h"

#include <assert.h>
#include <errno.h>
#include <fcgiapp.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "entrance.h"
#include "log.h"
#include "serve.h"
#include "systemd.h"

#define STOP_SECONDS 8
#define REQUEST_MS 2000 /* until a new connection has a request, or one that was told that we stop is closed */

struct worker {
    const struct fcgi_server *server;
    struct entrance *entrance;
    FCGX_Request request;
    pthread_t thread;
};

struct pool {
    struct entrance entrance;
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

/* An empty record of standard error. A web server that keeps the connection for later finds bytes on it that it did not ask
 * for, and closes it; one that has just sent a request skips the record and gets its answer. So no request meets a closed
 * connection: docs/decisions/0018. */
static void say_goodbye(int fd)
{
    static const unsigned char STDERR_END[8] = {1, 7, 0, 1};

    (void)!send(fd, STDERR_END, sizeof STDERR_END, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* false: the connection has no request and is to be closed. Its end is found by libfcgi. */
static bool wait_for_request(const struct worker *w, bool is_new)
{
    struct pollfd p[] = {{.fd = w->request.ipcFd, .events = POLLIN}, {.fd = w->entrance->stop_fd, .events = POLLIN}};

    while (poll(p, is_new ? 1 : 2, is_new ? REQUEST_MS : -1) < 0 && errno == EINTR)
        ;
    if (p[0].revents || is_new)
        return p[0].revents != 0;
    say_goodbye(w->request.ipcFd);
    return poll(p, 1, REQUEST_MS) > 0;
}

/* libfcgi is given connections and takes none itself: it would wait in accept() with nobody to wake it. */
static bool take_connection(struct worker *w)
{
    w->request.ipcFd = entrance_take(w->entrance);
    w->request.keepConnection = 1;
    return w->request.ipcFd >= 0;
}

static void fcgi_work(struct worker *w, struct ctx *c)
{
    FCGX_Request *r = &w->request;
    struct exchange x;
    bool is_new;

    while (!(is_new = r->ipcFd < 0) || take_connection(w)) {
        if (!wait_for_request(w, is_new))
            FCGX_Free(r, 1);
        else if (FCGX_Accept_r(r) == 0) {
            exchange_begin(&x, c->arena, &FCGI_IO, r);
            serve(c, w->server->routes, &x);
            FCGX_Finish_r(r);
            if (w->server->thread_rest)
                w->server->thread_rest(c);
        }
    }
}

static void *thread_main(void *arg)
{
    struct worker *w = arg;
    struct ctx c = {.arena = request_arena_new(), .app = w->server->app};

    w->server->thread_begin(&c);
    fcgi_work(w, &c);
    w->server->thread_end(&c);
    arena_free(c.arena);
    return NULL;
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

/* true: every request in flight is finished. */
static bool fcgi_stop(const struct fcgi_server *s, struct pool *p)
{
    struct timespec until = {.tv_sec = clock_monotonic_us() / SECOND_US + STOP_SECONDS};
    bool clean = true;

    log_say(s->app->log, LOG_INFO, "stopping: finishing requests in flight");
    systemd_notify("STOPPING=1");
    serve_drain();
    entrance_stop(&p->entrance);
    for (int i = 0; i < s->threads; i++)
        clean = pthread_clockjoin_np(p->workers[i].thread, NULL, CLOCK_MONOTONIC, &until) == 0 && clean;
    if (!clean)
        log_say(s->app->log, LOG_WARN, "stopped with requests still running after %d s", STOP_SECONDS);
    return clean;
}

/* Until the next tick, a signal to stop (true), or somebody who asks something of the process. */
static bool wait_for_next(const struct fcgi_server *s, int stop_fd, int64_t tick_us, bool *woken)
{
    struct pollfd p[] = {{.fd = stop_fd, .events = POLLIN}, {.fd = s->wake_fd ? s->wake_fd(s->app) : -1, .events = POLLIN}};
    int64_t left = tick_us - clock_monotonic_us();

    poll(p, 2, left > 0 ? (int)(left / 1000) + 1 : 0);
    *woken = p[1].revents;
    return p[0].revents;
}

static void fcgi_wait_for_stop(const struct fcgi_server *s)
{
    int stop_fd = signalfd(-1, &s->stop_signals, SFD_CLOEXEC);
    struct ctx c = {.arena = request_arena_new(), .app = s->app};
    int64_t tick_us = clock_monotonic_us() + SECOND_US;
    bool woken;

    assert(stop_fd >= 0);
    s->thread_begin(&c);
    while (!wait_for_next(s, stop_fd, tick_us, &woken)) {
        ctx_begin(&c, 0);
        if (woken)
            s->wake(&c);
        if (clock_monotonic_us() >= tick_us) {
            s->tick(&c);
            tick_us = clock_monotonic_us() + SECOND_US;
        }
        arena_reset(c.arena);
        systemd_notify("WATCHDOG=1");
    }
    s->thread_end(&c);
    arena_free(c.arena);
    close(stop_fd);
}

static bool start_threads(const struct fcgi_server *s, struct pool *p)
{
    p->workers = calloc((size_t)s->threads, sizeof *p->workers);
    for (int i = 0; p->workers && i < s->threads; i++) {
        struct worker *w = &p->workers[i];

        w->server = s;
        w->entrance = &p->entrance;
        if (FCGX_InitRequest(&w->request, -1, 0) || pthread_create(&w->thread, NULL, thread_main, w))
            return false;
    }
    return p->workers;
}

/* The socket of a service manager (systemd's first is fd 3, spawn-fcgi gives fd 0), else the path is bound. */
static bool open_entrance(const struct fcgi_server *s, struct entrance *e)
{
    int fd = systemd_listen_fd();

    if (fd < 0 && !*s->socket)
        fd = 0;
    if (fd >= 0 && !is_listening(fd)) {
        log_say(s->app->log, LOG_ERROR, "file %d is not a listening socket; set web.socket", fd);
        return false;
    }
    if (FCGX_Init() == 0 && entrance_open(e, fd, s->socket))
        return true;
    log_say(s->app->log, LOG_ERROR, "cannot listen on '%s': %s", s->socket, strerror(errno));
    return false;
}

int fcgi_run(const struct fcgi_server *s)
{
    struct pool p = {0};

    if (!open_entrance(s, &p.entrance))
        return 1;
    if (!start_threads(s, &p)) {
        log_say(s->app->log, LOG_ERROR, "cannot start %d threads", s->threads);
        return 1;
    }
    log_say(s->app->log, LOG_INFO, "listening with %d threads", s->threads);
    systemd_notify("READY=1");
    fcgi_wait_for_stop(s);
    if (!fcgi_stop(s, &p)) {
        log_flush(s->app->log);
        _exit(0); /* a thread is stuck in a foreign wait: what was acknowledged is committed */
    }
    entrance_close(&p.entrance);
    free(p.workers);
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
