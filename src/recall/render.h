/* The bundle: recalled memories as text for a prompt, fenced as third-party data. */
#ifndef LOCI_RENDER_H
#define LOCI_RENDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clock.h"
#include "inert.h"
#include "str.h"
#include "uuid.h"

/* One memory. title and body are inert; all else becomes so. */
struct render_hit {
    struct uuid id;
    const char *kind, *status, *title, *body;
    double score, similarity; /* similarity below 0: unknown */
    const char *band;         /* how well it answers: grade_band() */
    double grade;
    bool is_graded;
    struct instant created_at;
    /* What a room says of it besides; NULL, false and nil: nothing. */
    const char *role, *predicate, *block_kind;
    bool contested, is_unscored;
    struct uuid superseded_by, against;
};

/* What is not ours: a page of the web. Raw. */
struct render_external {
    const char *title, *url, *body;
};

/* What we say ourselves, outside the fence. */
struct render_head {
    int64_t considered, cut;
    const char *mode, *verdict, *action; /* the last two NULL: not graded */
    const char *evidence;                /* strong, weak or none: then what is shown is only what is nearest */
};

struct render_in {
    struct render_head head;
    const struct render_hit *hits;
    size_t n;
    const struct render_external *externals;
    size_t n_externals;
    bool stable; /* by id, without scores, our words last: the same memories are the same bytes whatever was asked */
};

const char *render_bundle(struct arena *a, const struct render_in *in);

/* Tokens of everything in the bundle but bodies: of the fence and our words, and of one hit's tag with its title. */
int64_t render_frame_tokens(void);
int64_t render_tag_tokens(struct arena *a, const struct render_hit *hit);
int64_t render_external_tokens(struct arena *a, const struct render_external *e);

#endif
