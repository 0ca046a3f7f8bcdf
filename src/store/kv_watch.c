/* The connection that is waited on for all; see kv_watch.h. */
#include "kv_watch.h"

#include <assert.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define CUT_MS 5000 /* a network that has taken nothing for so long ends the connection */

struct kv_watch {
    pthread_mutex_t lock;
    _Atomic int64_t since_us; /* 0: there is no connection */
    redisContext *rc;
    uint64_t master;  /* that rc is a connection to */
    const char *told; /* channel that was left word on; NULL: none */
};

struct kv_watch *kv_watch_new(void)
{
    struct kv_watch *w = calloc(1, sizeof *w);

    assert(w);
    pthread_mutex_init(&w->lock, NULL);
    return w;
}

/* Under the lock. */
static void kv_watch_stop(struct kv_watch *w)
{
    if (w->rc)
        redisFree(w->rc);
    w->rc = NULL;
    w->told = NULL;
    atomic_store(&w->since_us, 0);
}

void kv_watch_free(struct kv_watch *w)
{
    if (!w)
        return;
    kv_watch_stop(w);
    pthread_mutex_destroy(&w->lock);
    free(w);
}

void kv_watch_leave(struct kv_watch *w, redisContext *rc, int64_t sent_us)
{
    int cut_ms = CUT_MS;

    if (!w) {
        redisFree(rc);
        return;
    }
    pthread_mutex_lock(&w->lock);
    if (w->rc) {
        redisFree(rc);
    } else {
        /* of no effect on a unix socket, and needed by none */
        (void)!setsockopt(rc->fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &cut_ms, sizeof cut_ms);
        w->rc = rc;
        w->master = kv_master_number();
        atomic_store(&w->since_us, sent_us);
    }
    pthread_mutex_unlock(&w->lock);
}

/* Under the lock. An answer, the end of the connection, or another master: the next command will learn more. */
static void kv_watch_look(struct kv_watch *w)
{
    struct pollfd p = {.events = POLLIN | POLLRDHUP};

    if (!w->rc)
        return;
    p.fd = w->rc->fd;
    if (poll(&p, 1, 0) != 0 || w->master != kv_master_number())
        kv_watch_stop(w);
}

int64_t kv_watch_mute_since(struct kv_watch *w)
{
    int64_t since_us;

    if (!w || !atomic_load(&w->since_us))
        return 0;
    pthread_mutex_lock(&w->lock);
    kv_watch_look(w);
    since_us = atomic_load(&w->since_us);
    pthread_mutex_unlock(&w->lock);
    return since_us;
}

bool kv_watch_leave_word(struct kv_watch *w, const char *channel)
{
    char text[128];
    int n = snprintf(text, sizeof text, "*3\r\n$7\r\nPUBLISH\r\n$%zu\r\n%s\r\n$0\r\n\r\n", strlen(channel), channel);
    bool left;

    assert(n > 0 && (size_t)n < sizeof text);
    pthread_mutex_lock(&w->lock);
    kv_watch_look(w);
    if (w->rc && w->told != channel) {
        w->told = channel;
        if (send(w->rc->fd, text, (size_t)n, MSG_DONTWAIT | MSG_NOSIGNAL) != n)
            kv_watch_stop(w);
    }
    left = w->rc != NULL;
    pthread_mutex_unlock(&w->lock);
    return left;
}
