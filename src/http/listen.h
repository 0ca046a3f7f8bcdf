/* Those who wait for events: one thread and one poll loop for all of them, on a socket of its own, so that a listener costs a
 * file and a few kilobytes, and never a thread that serves requests. */
#ifndef LOCI_LISTEN_H
#define LOCI_LISTEN_H

#include "app.h"
#include "op.h"

struct listen;

struct listen_setup {
    const struct app *app;
    const struct op *op; /* event.list */
    const char *socket;  /* path to bind, unless systemd hands over a second socket; "": none */
    void (*thread_begin)(struct ctx *c);
    void (*thread_end)(struct ctx *c);
};

/* Where they are served when nothing is set: web.socket with "-events" before ".sock"; "" without one. */
const char *listen_socket(struct arena *a, const struct config *conf);
/* Starts the loop. NULL: there is no such socket (said in the log); then events are answered without waiting. */
struct listen *listen_new(const struct listen_setup *setup);
/* Ends all streams; their clients come back and go on where they were. It has begun when serve_drain() was called. */
void listen_free(struct listen *l);

#endif
