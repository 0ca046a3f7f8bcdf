/* Archives .zip whose files are stored as they are, without a time: same files, same bytes. */
#ifndef LOCI_ZIP_WRITE_H
#define LOCI_ZIP_WRITE_H

#include "err.h"
#include "str.h"

#define ZIP_FILES 65535 /* of one archive; all together below 4 GiB */

/* One that is written file by file. write is called for each piece, in order. */
struct zip_writer {
    err (*write)(void *arg, const void *p, size_t n);
    void *arg;
    struct buf directory; /* begun by zip_begin */
    uint64_t at;
    size_t n;
};
void zip_begin(struct zip_writer *z, struct arena *a);
/* ERR_TOO_LARGE: the archive is full. */
err zip_add(struct zip_writer *z, const char *path, struct bytes content);
err zip_end(struct zip_writer *z);

struct zip_file {
    const char *path;
    struct bytes content;
};
/* The same in memory, in the order given. A pure function. */
struct bytes zip_write(struct arena *a, const struct zip_file *v, size_t n);

#endif
