/* SQL of episodes; only files of this room include this. */
#ifndef LOCI_EPISODE_STORE_H
#define LOCI_EPISODE_STORE_H

#include "episode.h"

/* Live ones. */
/* Whether a node has or had the id, whatever became of it. */
err episode_store_is_used(struct ctx *c, struct uuid id, bool *used);
err episode_store_get(struct ctx *c, struct uuid id, bool *found, struct episode *out);
err episode_store_list(struct ctx *c, const struct episode_filter *f, struct uuids spaces, struct uuid before, struct page *out);

/* To be read from the beginning, or never. */
err episode_store_state(struct ctx *c, struct uuid id, enum episode_state state);

/* The episode that has this text in this space from now on: mine, or the one that was first. Inside a transaction; the row is locked. */
err episode_store_claim_text(struct ctx *c, struct uuid space_id, struct bytes text_hash, struct uuid mine, struct uuid *whose);
/* Another one has it now. */
err episode_store_give_text(struct ctx *c, struct uuid space_id, struct bytes text_hash, struct uuid to);
/* The nearest among the newest of the space, at most that many bits away; nil: none. */
err episode_store_near(struct ctx *c, struct uuid space_id, int64_t simhash, int64_t bits, struct uuid *id, int64_t *distance);

struct episode_cut {
    const char *pattern_id, *kind, *cut_text; /* cut_text NULL: not kept */
    int64_t start, end;
};
err episode_store_cuts(struct ctx *c, struct uuid id, const struct episode_cut *cuts, size_t n);

struct episode_occurrence {
    int64_t seq;
    enum episode_role role;
    struct instant captured_at;
    const char *session_id, *author_kind;
    struct uuid author_id;
    double trust;
};
/* Counts it, and answers how often the text was said. */
err episode_store_again(struct ctx *c, struct uuid id, const struct episode_occurrence *o, int64_t *occurrences);

struct provenance {
    struct uuid node_id;
    const char *model_family, *model_version;
    double trust;
    struct uuid key_id; /* nil: not signed */
    const char *signature;
};
err episode_store_provenance(struct ctx *c, const struct provenance *p);

#endif
