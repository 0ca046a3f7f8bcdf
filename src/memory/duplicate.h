/* Pairs that are nearly the same and were not merged: listed for people, who say merge or keep. */
#ifndef LOCI_DUPLICATE_H
#define LOCI_DUPLICATE_H

#include "merge.h"

#define DUPLICATE_REASON(X) \
    X(DUPLICATE_DETAILS, "details") X(DUPLICATE_PINNED, "pinned") X(DUPLICATE_POLICY, "policy") X(DUPLICATE_UNDONE, "undone")
ENUMX_DECLARE(duplicate_reason, DUPLICATE_REASON);

#define DUPLICATE_STATE(X) X(DUPLICATE_OPEN, "open") X(DUPLICATE_MERGED, "merged") X(DUPLICATE_KEPT, "kept")
ENUMX_DECLARE(duplicate_state, DUPLICATE_STATE);

struct duplicate {
    struct uuid id, space_id, a_id, b_id;                   /* a: the older one */
    const char *kind, *a_title, *a_text, *b_title, *b_text; /* texts: their first characters */
    double similarity;
    enum duplicate_reason reason;
    enum duplicate_state state;
    struct instant found_at, decided_at;
    struct uuid decided_by;
};

/* Pairs that a rule left alone, all in one statement; one that is known stays as it is. */
err duplicate_note(struct ctx *c, const struct duplicate *rows, size_t n);
/* Merges that were undone, and pairs that a person merged: the pair is known under that state from now on. */
err duplicate_decided(struct ctx *c, const struct duplicate *d);
/* known[i]: pairs[i] was noted or decided before; in one statement. */
err duplicate_known(struct ctx *c, const struct uuid *a, const struct uuid *b, size_t n, bool *known);

/* Open ones whose two nodes are live, in spaces that the caller governs (governed.h), newest first. */
err duplicate_list(struct ctx *c, int64_t limit, const char *cursor, struct page *out);
/* They stay two, and are not proposed again. ERR_CONFLICT: it was decided already. */
err duplicate_keep(struct ctx *c, struct uuid id, struct duplicate *out);
/* keeper: which of the two stays; nil: as the rule says. */
err duplicate_merge(struct ctx *c, struct uuid id, struct uuid keeper, struct merge *out);
err duplicate_get(struct ctx *c, struct uuid id, struct duplicate *out);

#endif
