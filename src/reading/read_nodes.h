/* Memories by their ids, as text that a model may be shown: cut, escaped, long ones in pages. */
#ifndef LOCI_READ_NODES_H
#define LOCI_READ_NODES_H

#include "ctx.h"
#include "list.h"

#define READ_NODES_MAX 16
#define READ_NODES_CHARS 480    /* code points of each … */
#define READ_NODES_VERBOSE 2000 /* … and where more is wanted */
#define READ_NODES_FULL 524288  /* bytes of a page of all of it */

struct read_nodes_in {
    struct uuids ids;
    bool verbose, full;
    int64_t offset; /* bytes of the stored text; with full */
};

struct read_node {
    struct uuid id, space_id;
    const char *kind, *title, *body, *status, *role, *block_kind; /* title and body are inert */
    bool untrusted, body_cut;
    int64_t chars, next_offset; /* of the stored text; next_offset 0: that was all */
    double trust, confidence;
    struct instant created_at, valid_from, valid_to;
    struct uuid superseded_by;
};

struct read_nodes_out {
    struct list nodes; /* of struct read_node, in the order of the ids */
    struct uuids missing;
};

/* What is not there, or not readable, is named as missing. */
err nodes_read(struct ctx *c, const struct read_nodes_in *in, struct read_nodes_out *out);

#endif
