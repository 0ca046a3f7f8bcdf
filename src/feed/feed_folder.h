/* Files below a folder that the operator listed: nothing outside it is reached, whatever its links say. */
#ifndef LOCI_FEED_FOLDER_H
#define LOCI_FEED_FOLDER_H

#include "ctx.h"
#include "str.h"

/* ERR_INVALID: it is not below one of ingest.folders, or cannot be opened. */
err feed_folder_check(struct ctx *c, const char *path);

struct feed_file {
    const char *path; /* below the folder */
    int fd;           /* open for reading; -1: it cannot be opened, and why says the reason */
    const char *why;
};
/* take is called for each file; it may stop the walk by an error. Links are not followed, and taken with why. */
err feed_folder_walk(struct ctx *c, const char *path, size_t most, err (*take)(void *arg, const struct feed_file *f), void *arg);

#endif
