/* A part of a request's work that another thread of the process does meanwhile, if one has nothing else to do. */
#ifndef LOCI_ERRAND_H
#define LOCI_ERRAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Threads that wait for errands (struct app.helpers): a fixed number, however many requests there are. */
struct helpers;

struct helpers *helpers_new(size_t n);
/* The same, of threads that run only while a processor has nothing else to do. */
struct helpers *helpers_new_idle(size_t n);
/* No errand of theirs may be open any more. NULL is fine. */
void helpers_free(struct helpers *h);

/* What run(arg) touches belongs to it alone from errand_begin() to errand_end(): an arena of its own, no connection. */
struct errand {
    void (*run)(void *arg);
    void *arg;
    /* For errand.c. */
    struct helpers *by; /* NULL: no helper has it */
    struct errand *next;
    enum { ERRAND_OPEN, ERRAND_TAKEN, ERRAND_DONE } state;
};

/* Offers it to the helpers, of whom one may be idle, or will be before it has to end; never waits. h NULL: there are none. */
void errand_begin(struct helpers *h, struct errand *e);
/* Returns when it is done. If nobody has begun it, the caller does it himself: so an errand never waits for others. */
void errand_end(struct errand *e);
/* The same, but the caller waits so long for a helper to begin it: for work that others' requests come before. */
void errand_end_patiently(struct errand *e, int64_t patience_us);
/* The same as errand_end() for one whose result nobody wants: not begun, it is not done. Nothing happens to one that has ended. */
void errand_drop(struct errand *e);

#endif
