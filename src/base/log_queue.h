/* Lines of a log that are written together, a few times a hundredth of a second apart: for programs with many. */
#ifndef LOCI_LOG_QUEUE_H
#define LOCI_LOG_QUEUE_H

#include <stdbool.h>
#include <stddef.h>

struct log_queue;

/* Starts the thread that writes. free: ends it, and writes what waits. */
struct log_queue *log_queue_new(int fd);
void log_queue_free(struct log_queue *q);

/* Behind all lines before it; now: it is written, with all of them, before this returns. */
void log_queue_add(struct log_queue *q, const char *line, size_t n, bool now);

/* Writes all of it, or what can be written: a log that is gone must not stop the service. */
void log_queue_put(int fd, const char *p, size_t n);

#endif
