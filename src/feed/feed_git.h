/* Files of a git repository at a public address: fetched shallow and bare, so nothing in it is run, checked out or followed. */
#ifndef LOCI_FEED_GIT_H
#define LOCI_FEED_GIT_H

#include "ctx.h"
#include "str.h"

#define GIT_FILE (64 * 1024 * 1024)       /* bytes of one file */
#define GIT_TOTAL (512 * 1024 * 1024)     /* of all that are taken */
#define GIT_ON_DISK (1024L * 1024 * 1024) /* of one file that git writes */
#define GIT_SECONDS 300

/* https://host/path, with #branch behind it or not. ERR_INVALID: it is none, or may not be called. */
err feed_git_check(struct ctx *c, const char *location);

struct git_file {
    const char *path;
    struct bytes data;
    const char *why; /* not NULL: it is not taken, and that is why */
};
struct git_walk {
    bool (*wants)(void *arg, const char *path); /* its content is asked for */
    err (*take)(void *arg, const struct git_file *f);
    bool (*should_stop)(void *arg);
    void *arg, *stop_arg;
};
/* take is called for each file that is wanted, and for each that cannot be taken; it may stop the walk by an error. */
err feed_git_walk(struct ctx *c, const char *location, const struct git_walk *w);

#endif
