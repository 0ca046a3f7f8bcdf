/* Files of exports and imports, below transfer.dir. */
#ifndef LOCI_TRANSFER_FILE_H
#define LOCI_TRANSFER_FILE_H

#include "ctx.h"
#include "export.h"

/* Where the file of that id is. */
const char *transfer_file(struct ctx *c, struct uuid id);
/* A copy of what is at path. */
err transfer_file_take(struct ctx *c, struct uuid id, const char *path);
void transfer_file_remove(struct ctx *c, struct uuid id);

/* A file that is being written, under another name until it is whole. */
struct transfer_file {
    struct export_to to;
    int fd;
    const char *path, *part;
    int64_t max;
    bool (*should_stop)(void *arg);
    void *stop_arg;
};
/* resume: goes on behind what an earlier try has written, if anything. */
err transfer_file_begin(struct ctx *c, struct uuid id, bool resume, struct transfer_file *f);
err transfer_file_whole(struct ctx *c, struct transfer_file *f);

/* For any file descriptor: all of it, or ERR_UNAVAILABLE. */
err transfer_write_all(struct ctx *c, int fd, const char *p, size_t n);

#endif
