/* The loop of those who wait for events; see listen.h. */
#include "listen.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "access.h"
#include "config.h"
#include "listen_impl.h"
#include "log.h"
#include "metrics.h"
#include "serve.h"
#include "systemd.h"

#define TICK_MS 250
#define ASK_US (10 * SECOND_US) /* until a request must be whole */
#define AT_ONCE 64
#define READ_PAGES 20 /* of one account in a row */
#define PAGE_S 5
#define TELL_US (20 * SECOND_US) /* relays are told that somebody listens; it holds for a minute */
#define STOP_US (2 * SECOND_US)  /* to send the last word to each */

static const struct metric LISTENERS = {"loci_event_listeners", METRIC_GAUGE, "open event streams of this loci-web"};

/* What a turn of the loop works with: its own context, and one for pages that several listeners get. Both use one connection. */
struct turn {
    struct listen *l;
    struct ctx c, pages;
    int64_t now_us, second_us;
    bool sure;      /* nothing was missed since the last turn */
    int64_t end_us; /* monotonic; 0: it is not to stop */
};

/* ---- who listens to what */

static struct listened *account_of(struct listen *l, struct uuid account_id)
{
    for (size_t i = 0; i < l->n_accounts; i++)
        if (uuid_eq(l->accounts[i]->account_id, account_id))
            return l->accounts[i];
    return NULL;
}

static void *grown(void *p, size_t n, size_t *cap, size_t size)
{
    if (n < *cap)
        return p;
    *cap = *cap ? *cap * 2 : 64;
    p = reallocarray(p, *cap, size);
    assert(p);
    return p;
}

void listen_join(struct listener *p, struct uuid account_id, int64_t newest)
{
    struct listen *l = p->of;
    struct listened *a = account_of(l, account_id);

    if (!a) {
        a = calloc(1, sizeof *a);
        assert(a);
        a->account_id = account_id;
        l->accounts = grown(l->accounts, l->n_accounts, &l->cap_accounts, sizeof *l->accounts);
        l->accounts[l->n_accounts++] = a;
    }
    if (newest > a->newest)
        a->newest = newest;
    a->listeners++;
    p->account = a;
}

static void leave(struct listen *l, struct listened *a)
{
    if (!a || --a->listeners)
        return;
    for (size_t i = 0; i < l->n_accounts; i++)
        if (l->accounts[i] == a)
            l->accounts[i] = l->accounts[--l->n_accounts];
    free(a);
}

static err full(struct ctx *c, const char *who, int64_t n)
{
    err e = fail(c, ERR_RATE, "too many open event streams %s (limit %lld)", who, (long long)n);

    c->fault.retry_after_s = 10;
    return e;
}

err listen_room(struct ctx *c, const struct listen *l, struct uuid account_id, struct uuid holder)
{
    const struct config *conf = c->app->conf;
    int64_t all = 0, of_account = 0, of_holder = 0;

    for (size_t i = 0; i < l->n; i++)
        if (l->all[i]->account && l->all[i]->phase != LISTENER_ENDING) {
            all++;
            of_account += uuid_eq(l->all[i]->account->account_id, account_id);
            of_holder += uuid_eq(l->all[i]->holder, holder);
        }
    if (of_holder >= conf->events_per_token)
        return full(c, "for this token", of_holder);
    if (of_account >= conf->events_per_account)
        return full(c, "for this account", of_account);
    return all >= conf->events_listeners ? full(c, "for this host", all) : ERR_OK;
}

/* ---- connections */

static void watch(struct listen *l, int fd, uint32_t events, void *ptr)
{
    struct epoll_event e = {.events = events, .data.ptr = ptr};

    (void)!epoll_ctl(l->poll_fd, EPOLL_CTL_ADD, fd, &e);
}

/* false: nobody waits to be taken. */
static bool come(struct listen *l)
{
    struct listener *p;
    int fd = accept4(l->entrance.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

    if (fd < 0)
        return false;
    if ((int64_t)l->n >= l->setup.app->conf->events_listeners + LISTEN_BEYOND) {
        close(fd);
        return true;
    }
    p = calloc(1, sizeof *p);
    assert(p);
    *p = (struct listener){.of = l, .fd = fd, .arena = arena_new(1 << 20), .until_us = clock_monotonic_us() + ASK_US};
    l->all = grown(l->all, l->n, &l->cap, sizeof *l->all);
    l->all[l->n++] = p;
    watch(l, fd, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, p);
    return true;
}

static void go(struct listen *l, struct listener *p)
{
    leave(l, p->account);
    close(p->fd);
    fcgi_wire_done(&p->wire);
    arena_free(p->arena);
    free(p);
}

/* Bytes of its request; of one that is answered already only its end matters. */
static void read_request(struct turn *t, struct listener *p)
{
    char piece[16384];
    ssize_t n;

    while ((n = recv(p->fd, piece, sizeof piece, MSG_DONTWAIT)) > 0 || (n < 0 && errno == EINTR)) {
        enum fcgi_state state = n > 0 && p->phase == LISTENER_ASKING && !p->params ? fcgi_wire_take(&p->wire, piece, (size_t)n) : FCGI_MORE;

        if (state == FCGI_WHOLE)
            p->params = fcgi_wire_params(&p->wire, p->arena);
        if (state == FCGI_BROKEN || (state == FCGI_WHOLE && !p->params)) {
            p->phase = LISTENER_ENDING;
            return;
        }
        if (state == FCGI_WHOLE)
            listener_serve(p, &t->c);
    }
    if (n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK)) {
        p->wire.n_out = p->wire.sent = 0; /* nobody reads it */
        p->phase = LISTENER_ENDING;
    }
}

static void stir(struct turn *t, const struct epoll_event *e)
{
    struct listener *p = e->data.ptr;

    if (e->events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR))
        read_request(t, p);
    if (e->events & EPOLLOUT)
        listener_flush(p);
}

/* Those whose last word is sent. */
static void listen_sweep(struct listen *l)
{
    size_t n = 0, before = l->n;

    for (size_t i = 0; i < l->n; i++)
        if (l->all[i]->phase == LISTENER_ENDING && l->all[i]->wire.sent == l->all[i]->wire.n_out)
            go(l, l->all[i]);
        else
            l->all[n++] = l->all[i];
    l->n = n;
    if (n != before)
        metrics_set(l->setup.app->metrics, &LISTENERS, "", (double)n);
}

/* ---- events */

static void listen_heard(void *arg, struct uuid account_id, int64_t newest)
{
    struct listened *a = account_of(arg, account_id);

    if (a && newest > a->newest)
        a->newest = newest;
}

/* Redis cannot tell, or may have told while nobody heard: MariaDB knows. */
static void ask_bounds(struct turn *t, struct listened *a)
{
    int64_t oldest, newest;

    ctx_begin(&t->pages, PAGE_S);
    t->pages.account_id = a->account_id;
    if (event_bounds(&t->pages, &oldest, &newest) == ERR_OK && newest > a->newest)
        a->newest = newest;
    arena_reset(t->pages.arena);
}

/* Redis away: once more in a second; until then they read MariaDB. */
static void tell_relays(struct turn *t, struct listened *a)
{
    ctx_begin(&t->pages, PAGE_S);
    t->pages.account_id = a->account_id;
    if (event_listen(&t->pages) == ERR_OK)
        a->told_us = t->now_us;
    arena_reset(t->pages.arena);
}

static void listen_to_redis(struct turn *t)
{
    struct listen *l = t->l;
    bool every_second = t->now_us >= t->second_us;

    t->sure = event_ear_drain(l->ear) && t->sure;
    if (!every_second)
        return;
    t->second_us = t->now_us + SECOND_US;
    event_ear_keep(l->ear);
    if (event_ear_fd(l->ear) != l->ear_fd) {
        l->ear_fd = event_ear_fd(l->ear);
        if (l->ear_fd >= 0)
            watch(l, l->ear_fd, EPOLLIN, l->ear);
    }
    for (size_t i = 0; i < l->n_accounts; i++) {
        if (!t->sure)
            ask_bounds(t, l->accounts[i]);
        if (!l->accounts[i]->told_us || t->now_us - l->accounts[i]->told_us >= TELL_US)
            tell_relays(t, l->accounts[i]);
    }
    t->sure = true;
}

/* The smallest number that a stream of the account stands at; false: none is behind. */
static bool listen_behind(const struct turn *t, const struct listened *a, int64_t *from)
{
    bool any = false;

    for (size_t i = 0; i < t->l->n; i++) {
        const struct listener *p = t->l->all[i];

        if (p->account != a || p->phase != LISTENER_STREAM || !listener_is_behind(p, t->now_us))
            continue;
        if (!any || p->at < *from)
            *from = p->at;
        any = true;
    }
    return any;
}

static void listen_hand_out(struct turn *t, struct listened *a, int64_t from, const struct event_page *page)
{
    for (size_t i = 0; i < t->l->n; i++) {
        struct listener *p = t->l->all[i];

        if (p->account != a || p->phase != LISTENER_STREAM || !listener_is_behind(p, t->now_us))
            continue;
        if (page->gone && p->at == from)
            listener_reset(p, a->newest);
        else if (page->n && p->at >= from && p->at < page->rows[page->n - 1].id)
            listener_hear(p, &t->c, page);
    }
}

static void serve_account(struct turn *t, struct listened *a)
{
    struct event_page page;
    int64_t from = 0;

    for (int i = 0; i < READ_PAGES && listen_behind(t, a, &from); i++) {
        err e;

        ctx_begin(&t->pages, PAGE_S);
        t->pages.account_id = a->account_id;
        e = event_read(&t->pages, from, a->newest, EVENT_PAGE, &page);
        if (e == ERR_OK)
            listen_hand_out(t, a, from, &page);
        arena_reset(t->pages.arena);
        if (e != ERR_OK || (!page.n && !page.gone))
            return; /* the next turn tries again */
    }
}

static void serve_all(struct turn *t)
{
    struct listen *l = t->l;

    for (size_t i = 0; i < l->n_accounts; i++)
        serve_account(t, l->accounts[i]);
    for (size_t i = 0; i < l->n; i++)
        if (l->all[i]->phase == LISTENER_WAITING && listener_is_behind(l->all[i], t->now_us))
            listener_serve(l->all[i], &t->c);
}

/* ---- the loop */

/* Those who wait are answered with nothing, and streams end: their clients come back, to the next process. */
static void stop_all(struct turn *t)
{
    struct listen *l = t->l;

    if (!t->end_us) {
        t->end_us = t->now_us + STOP_US;
        epoll_ctl(l->poll_fd, EPOLL_CTL_DEL, l->entrance.fd, NULL);
        entrance_stop(&l->entrance);
        while (l->entrance.path && come(l))
            ;
    }
    for (size_t i = 0; i < l->n; i++)
        listener_stop(l->all[i], &t->c);
}

static void turn(struct turn *t)
{
    struct epoll_event events[AT_ONCE];
    struct listen *l = t->l;
    int n = epoll_wait(l->poll_fd, events, AT_ONCE, TICK_MS);

    t->now_us = clock_monotonic_us();
    l->moment = access_moment(l->setup.app);
    for (int i = 0; i < n; i++) {
        if (events[i].data.ptr == l)
            (void)come(l);
        else if (events[i].data.ptr != l->ear)
            stir(t, &events[i]);
    }
    listen_to_redis(t);
    serve_all(t);
    for (size_t i = 0; i < l->n; i++)
        listener_tick(l->all[i], &t->c, t->now_us);
    if (serve_is_draining())
        stop_all(t);
    listen_sweep(l);
}

static void *listen_run(void *arg)
{
    struct listen *l = arg;
    struct turn t = {.l = l, .c = {.arena = request_arena_new(), .app = l->setup.app}};

    l->setup.thread_begin(&t.c);
    t.pages = t.c;
    t.pages.arena = request_arena_new();
    while (!t.end_us || (l->n && t.now_us < t.end_us))
        turn(&t);
    for (size_t i = 0; i < l->n; i++)
        go(l, l->all[i]);
    l->n = 0;
    l->setup.thread_end(&t.c);
    arena_free(t.pages.arena);
    arena_free(t.c.arena);
    return NULL;
}

/* ---- starting and ending */

struct listen *listen_new(const struct listen_setup *setup)
{
    struct arena *a = arena_new(1 << 20);
    struct listen *l = ARENA_NEW(a, struct listen);
    struct route *route = ARENA_NEW(a, struct route);
    int failed, inherited = systemd_listen_fd_second();

    *l = (struct listen){.setup = *setup, .arena = a, .ear_fd = -1};
    if ((inherited < 0 && !*setup->socket) || !entrance_open(&l->entrance, inherited, setup->socket)) {
        if (*setup->socket)
            log_say(setup->app->log, LOG_ERROR, "cannot listen for events on '%s': %s", setup->socket, strerror(errno));
        arena_free(a);
        return NULL;
    }
    listen_allow_files(setup->app->conf);
    *route = (struct route){setup->op->method, setup->op->path, "event.listen", listener_route, setup->op};
    l->routes = router_new(a);
    router_add(l->routes, route);
    l->poll_fd = epoll_create1(EPOLL_CLOEXEC);
    l->ear = event_ear_new(setup->app->conf, listen_heard, l);
    watch(l, l->entrance.fd, EPOLLIN, l);
    failed = pthread_create(&l->thread, NULL, listen_run, l);
    assert(!failed);
    return l;
}

void listen_free(struct listen *l)
{
    if (!l)
        return;
    serve_drain();
    pthread_join(l->thread, NULL);
    entrance_close(&l->entrance);
    close(l->poll_fd);
    event_ear_free(l->ear);
    free(l->all);
    free(l->accounts);
    arena_free(l->arena);
}
