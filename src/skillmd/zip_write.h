/* Archives .zip whose files are stored as they are, without a time: same files, same bytes. A pure function. */
#ifndef LOCI_ZIP_WRITE_H
#define LOCI_ZIP_WRITE_H

#include "str.h"

struct zip_file {
    const char *path;
    struct bytes content;
};
/* In the order given; all together below 4 GiB, at most 65,535 files. */
struct bytes zip_write(struct arena *a, const struct zip_file *v, size_t n);

#endif
