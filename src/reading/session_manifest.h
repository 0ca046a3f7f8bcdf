/* What was said in a session, turn by turn, as far as the caller may read it. */
#ifndef LOCI_SESSION_MANIFEST_H
#define LOCI_SESSION_MANIFEST_H

#include "ctx.h"
#include "episode.h"
#include "list.h"

#define MANIFEST_LIMIT 200
#define MANIFEST_CHARS 480
#define MANIFEST_VERBOSE 2000

struct manifest_in {
    const char *id;
    bool verbose;
    int64_t limit;
    const char *cursor;
};

struct manifest_turn {
    const char *key; /* its place in the session */
    struct uuid episode_id, space_id;
    int64_t occurrence; /* 1: said for the first time */
    enum episode_role role;
    struct instant captured_at, created_at;
    const char *content; /* inert */
    bool untrusted, content_cut;
    double trust;
};

struct manifest {
    const char *id;
    struct list turns; /* of struct manifest_turn */
    int64_t total_visible;
    struct instant started_at, last_at;
    const char *next_cursor; /* NULL: that was all */
};

/* ERR_NOT_FOUND: nothing that the caller may read was said there. */
err session_manifest(struct ctx *c, const struct manifest_in *in, struct manifest *out);

#endif
