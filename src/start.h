/* What all three programs do first: options, configuration, secret, log, and a context with its connections. */
#ifndef LOCI_START_H
#define LOCI_START_H

#include <signal.h>

#include "app.h"
#include "arena.h"
#include "ctx.h"
#include "log.h"

struct program {
    struct app app;
    struct arena *arena; /* lives as long as the process */
    struct log log;
    const char *name;
    int argc; /* what is left behind the common options */
    char **argv;
};

/* Common options: --config FILE (or LOCI_CONFIG), --help, --version. usage is printed for --help. Prints what is wrong
 * and exits with 2 when it cannot go on. */
void program_start(struct program *p, const char *name, int argc, char **argv, const char *usage);
void program_end(struct program *p);

/* Connections of the calling thread; they connect at first use. */
void program_thread_begin(struct ctx *c);
void program_thread_rest(struct ctx *c); /* between two requests */
void program_thread_end(struct ctx *c);

/* A program that stays waits for SIGTERM and SIGINT in one place. Before its first thread: each inherits that they are
 * blocked, or one of them would end the process at once. */
void program_stop_signals(sigset_t *set);

/* A message for the one who started the program, then exit. */
_Noreturn void program_die(int code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
