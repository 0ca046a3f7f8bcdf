/* What the files of the listeners' loop share; nobody else includes this. */
#ifndef LOCI_LISTEN_IMPL_H
#define LOCI_LISTEN_IMPL_H

#include <pthread.h>

#include "entrance.h"
#include "event.h"
#include "event_hear.h"
#include "exchange.h"
#include "fcgi_wire.h"
#include "listen.h"
#include "router.h"

#define LISTEN_BEYOND 256                 /* connections beyond the listeners: they are told that there are too many */
#define LISTEN_BACKLOG_BYTES (256 * 1024) /* not yet read by the client: then it gets nothing more until it has read */

enum listener_phase {
    LISTENER_ASKING,                 /* its request is not whole */
    LISTENER_WAITING,                /* a long poll that has no answer yet */
    LISTENER_STREAM,
    LISTENER_ENDING                  /* what is in its wire is still sent */
};

/* What the loop knows of an account that somebody listens to. */
struct listened {
    struct uuid account_id;
    int64_t newest; /* number of its newest event */
    size_t listeners;
    int64_t told_us; /* monotonic; when the relays were told that somebody listens */
};

struct listener {
    struct listen *of;
    struct listened *account; /* NULL: not let in yet */
    int fd;
    enum listener_phase phase;
    struct fcgi_wire wire;
    struct arena *arena; /* as long as it is there: its parameters and filter */
    struct fcgi_pair *params;
    struct event_wish wish;
    struct uuid holder;                   /* of its credential: the token, or the person */
    int64_t at;                           /* everything up to this number it has, or was not for it */
    bool is_over;                         /* the time of a long poll */
    uint64_t moment;                      /* of the last look at what it may read */
    int64_t looked_us, beat_us, until_us; /* monotonic */
    int64_t not_before_us;                /* nobody could say whether it is still let in: asked again then */
};

struct listen {
    struct listen_setup setup;
    struct arena *arena; /* of this */
    struct router *routes;
    struct entrance entrance;
    int poll_fd, ear_fd;
    pthread_t thread;
    struct event_ear *ear;
    uint64_t moment; /* of access (access_moment), in this turn of the loop */
    struct listener **all;
    size_t n, cap;
    struct listened **accounts;
    size_t n_accounts, cap_accounts;
};

/* ---- listener.c: one of them. c: the loop's, for this one to begin */

/* Its request is whole, or, for a long poll, may have an answer now. */
void listener_serve(struct listener *p, struct ctx *c);
/* Sends what of the page it has not had and may hear; its credential is looked at before. */
void listener_hear(struct listener *p, struct ctx *c, const struct event_page *page);
/* It is told that what it asks for is no longer kept. */
void listener_reset(struct listener *p, int64_t newest);
/* What is to be done at times: a word every twenty seconds, the end of a wait, a look at whether it is still let in. */
void listener_tick(struct listener *p, struct ctx *c, int64_t now_us);
/* The process stops: a long poll is answered with nothing, a stream ends. */
void listener_stop(struct listener *p, struct ctx *c);
/* Sends what the socket takes. */
void listener_flush(struct listener *p);
bool listener_is_behind(const struct listener *p, int64_t now_us);
void listener_route(struct ctx *c, struct exchange *x, const struct route *r);

/* ---- listen.c */

/* It listens to the account from now on. */
void listen_join(struct listener *p, struct uuid account_id, int64_t newest);
/* ERR_RATE when there are too many. */
err listen_room(struct ctx *c, const struct listen *l, struct uuid account_id, struct uuid holder);

/* ---- listen_socket.c */

/* Files are what listeners cost: as many as may come. */
void listen_allow_files(const struct config *conf);

#endif
