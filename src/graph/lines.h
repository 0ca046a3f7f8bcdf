/* Lines of a file, one after the other, in a buffer of fixed size. */
#ifndef LOCI_LINES_H
#define LOCI_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"

struct lines {
    int fd;
    char *buf;
    size_t max, have, at;
    bool ended;
    int64_t number; /* of the line given out last, from 1 */
};

/* false: the file cannot be opened. max: the longest line that is given out whole. The file closes with the arena. */
bool lines_open(struct lines *l, struct arena *a, const char *path, size_t max);
/* The next line without its line end, valid until the next call; false at the end or when reading fails (errno is set).
 * *too_long: it was longer than max, and is skipped. */
bool lines_next(struct lines *l, const char **line, size_t *n, bool *too_long);
/* How many lines a file has; -1: it cannot be read. */
int64_t lines_count(const char *path);

#endif
