/* Running git without a shell, its settings, hooks and credentials. */
#ifndef LOCI_FEED_GIT_CHILD_H
#define LOCI_FEED_GIT_CHILD_H

#include "feed_git.h"

/* A directory of its own, for one walk. */
struct git_place {
    char dir[64]; /* "": none */
    const char *pin;
    bool is_http; /* an address that the operator listed */
    int64_t until_us;
};
err git_place_open(struct ctx *c, const char *url, struct git_place *p);
void git_place_close(struct git_place *p);

/* git with these arguments (NULL at the end), input from the file in (-1: none); out: its output as an open file, or NULL. */
err git_run(struct ctx *c, const struct git_place *p, const struct git_walk *w, const char *const *args, int in, int *out);

#endif
