/* Reading lines; see lines.h. */
#include "lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

static void lines_close_fd(void *fd)
{
    close((int)(intptr_t)fd);
}

bool lines_open(struct lines *l, struct arena *a, const char *path, size_t max)
{
    *l = (struct lines){.fd = open(path, O_RDONLY | O_CLOEXEC), .max = max};
    if (l->fd < 0)
        return false;
    arena_defer(a, lines_close_fd, (void *)(intptr_t)l->fd);
    l->buf = arena_alloc(a, max + 1);
    return true;
}

/* Moves what is left to the front and reads on. */
static bool refill(struct lines *l)
{
    ssize_t got;

    memmove(l->buf, l->buf + l->at, l->have - l->at);
    l->have -= l->at;
    l->at = 0;
    do
        got = read(l->fd, l->buf + l->have, l->max + 1 - l->have);
    while (got < 0 && errno == EINTR);
    if (got > 0)
        l->have += (size_t)got;
    else
        l->ended = true;
    return got > 0;
}

/* The rest of a line that did not fit. */
static void lines_skip(struct lines *l)
{
    for (;;) {
        char *end = memchr(l->buf + l->at, '\n', l->have - l->at);

        l->at = end ? (size_t)(end - l->buf) + 1 : l->have;
        if (end || l->ended)
            return;
        refill(l);
    }
}

static void lines_hand_out(struct lines *l, size_t n, const char **line, size_t *len)
{
    *line = l->buf + l->at;
    *len = n;
    if (n && (*line)[n - 1] == '\r')
        (*len)--;
    l->number++;
}

bool lines_next(struct lines *l, const char **line, size_t *n, bool *too_long)
{
    char *end;

    *too_long = false;
    while (!(end = memchr(l->buf + l->at, '\n', l->have - l->at)) && l->have - l->at <= l->max && !l->ended)
        refill(l);
    if (end) {
        lines_hand_out(l, (size_t)(end - l->buf) - l->at, line, n);
        l->at = (size_t)(end - l->buf) + 1;
        return true;
    }
    if (l->have - l->at > l->max) {
        *too_long = true;
        *line = "";
        *n = 0;
        l->number++;
        lines_skip(l);
        return true;
    }
    if (l->have == l->at)
        return false;
    lines_hand_out(l, l->have - l->at, line, n);
    l->at = l->have;
    return true;
}

int64_t lines_count(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    char buf[65536];
    int64_t count = 0;
    bool open_line = false;
    ssize_t got;

    if (fd < 0)
        return -1;
    while ((got = read(fd, buf, sizeof buf)) > 0 || (got < 0 && errno == EINTR))
        for (ssize_t i = 0; i < got; i++) {
            open_line = buf[i] != '\n';
            count += !open_line;
        }
    close(fd);
    return got < 0 ? -1 : count + open_line;
}
