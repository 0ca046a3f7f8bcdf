/* Zip files in memory: names are looked up, never made into paths. */
#ifndef LOCI_EXTRACT_ZIP_H
#define LOCI_EXTRACT_ZIP_H

#include "extract.h"

struct zip_entry {
    const char *name;
    uint32_t packed, size, at; /* at: of its local header */
    uint16_t method, flags;
};

struct zip {
    struct extract *x;
    struct zip_entry *entries;
    size_t n;
};

enum extract_fault zip_open(struct extract *x, struct zip *out);
/* The bytes of an entry, with a NUL behind them; EXTRACT_NO_TEXT: there is none of that name. All that is inflated counts against
 * EXTRACT_INFLATED. */
enum extract_fault zip_read(struct zip *z, const char *name, struct bytes *out);
bool zip_has(const struct zip *z, const char *name);

#endif
