/* Structured logs: one JSON object a line on stderr. Never content, never secrets. */
#ifndef LOCI_LOG_H
#define LOCI_LOG_H

#include <stdbool.h>

#include "json.h"
#include "log_queue.h"

enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARN, LOG_ERROR };

struct log {
    enum log_level level;
    int fd;
    const char *program;
    struct log_queue *queue; /* lines below `warn` may wait here a moment; NULL: each is written at once */
};

bool log_level_parse(const char *name, enum log_level *out);
bool log_wants(const struct log *l, enum log_level level);
/* fields: members of an object, added behind ts, level, program and msg; NULL: none. The line is made in a. */
void log_write(struct arena *a, const struct log *l, enum log_level level, const char *msg, const struct json *fields);
/* A line that has only a sentence. */
void log_say(const struct log *l, enum log_level level, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Nothing waits any more; before a process ends without log_queue_free. */
void log_flush(const struct log *l);

#endif
