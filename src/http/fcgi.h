/* The FastCGI server: threads that accept, a clean stop; and the same program as plain CGI. */
#ifndef LOCI_FCGI_H
#define LOCI_FCGI_H

#include <signal.h>

#include "app.h"
#include "router.h"

struct fcgi_server {
    const struct app *app;
    struct router *routes;
    const char *socket; /* path to bind, unless systemd hands a socket over; "": standard input is one */
    int threads;
    /* made and released by each thread around its life: connections to the stores */
    void (*thread_begin)(struct ctx *c);
    void (*thread_end)(struct ctx *c);
    void (*thread_rest)(struct ctx *c); /* after each request; NULL: nothing is done */
    sigset_t stop_signals;              /* blocked in every thread; fcgi_run waits for one of them */
    /* called about once a second by the main thread, for housekeeping */
    void (*tick)(struct ctx *c);
    /* between two of them, when that file can be read; NULL: there is none */
    int (*wake_fd)(const struct app *app);
    void (*wake)(struct ctx *c);
};

/* Started by a plain web server, without a FastCGI socket? Then fcgi_cgi serves the one request. */
bool fcgi_is_cgi(const struct fcgi_server *s);
int fcgi_cgi(const struct fcgi_server *s);

/* Serves until SIGTERM or SIGINT, then finishes what is in flight (up to 8 s). Returns the exit code. */
int fcgi_run(const struct fcgi_server *s);

#endif
