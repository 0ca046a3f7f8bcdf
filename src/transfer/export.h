/* An account as a file of lines: one state of it, in the order in which it is imported. */
#ifndef LOCI_EXPORT_H
#define LOCI_EXPORT_H

#include "ctx.h"
#include "transfer_line.h"

struct export_what {
    bool with_vectors, with_audit;
};

/* Where the lines go, and how far they have come. */
struct export_to {
    err (*write)(struct ctx *c, struct export_to *to, const char *p, size_t n);
    bool (*should_stop)(struct export_to *to); /* NULL: never; then ERR_UNAVAILABLE */
    void *arg;
    /* Where an earlier try ended: after what table (NULL: begin) and row, with that checksum. */
    const struct transfer_table *after_table;
    const struct transfer_value *after;
    struct transfer_chain chain;
    int64_t *counts; /* rows so far of each table of transfer_tables_read(); made when NULL */
    int64_t lines, bytes;
};

/* Writes the caller's account, whole; outside of any transaction. Memory is that of a few rows, however large it is. */
err export_run(struct ctx *c, const struct export_what *what, struct export_to *to);

#endif
