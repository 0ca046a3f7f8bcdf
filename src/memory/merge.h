/* Two memories that say the same become one, and can become two again: the loser is archived with its row and vector, and who
 * asks for it by id or key gets the keeper. Entries (facts among them), learnings and shared knowledge. */
#ifndef LOCI_MERGE_H
#define LOCI_MERGE_H

#include "ctx.h"
#include "enumx.h"
#include "list.h"
#include "node.h"
#include "page.h"

#define MERGE_RULE(X) X(MERGE_SIMILAR, "similar") X(MERGE_REVIEW, "review")
ENUMX_DECLARE(merge_rule, MERGE_RULE);

struct merge {
    struct uuid id, space_id, keeper_id, loser_id;
    const char *kind, *keeper_title, *loser_title;
    double similarity;
    enum merge_rule rule; /* found by the job to be the same, or decided by a person */
    const char *actor_kind;
    struct uuid actor_id;
    struct instant merged_at, undone_at;
};

struct merge_wish {
    struct uuid a, b;
    double similarity;
    enum merge_rule rule;
    struct uuid keeper; /* which of the two stays; nil: as the rule says */
    /* MERGE_SIMILAR: what the two said when they were compared (alike_text); other texts by now: ERR_CONFLICT. */
    const char *text_a, *text_b;
};

/* Unless the wish names one, the pinned one stays, else the more important, else the older. It takes the higher importance and confidence, the uses and
 * tags of the other. ERR_CONFLICT: they are not two live ones of one space and kind. */
err merge_nodes(struct ctx *c, const struct merge_wish *w, struct merge *out);
/* The loser is back as it was, and the keeper gives back its share: scores only where nobody touched them since. The pair is not
 * merged by itself again. ERR_CONFLICT while a later merge of the keeper stands. */
err merge_undo(struct ctx *c, struct uuid id, struct merge *out);
/* Of the spaces that the caller governs (governed.h), newest first. */
err merge_list(struct ctx *c, bool include_undone, int64_t limit, const char *cursor, struct page *out);

/* A fact that got a new value is another node from now on: its merges are that one's. new_ids[i] takes the place of old_ids[i]. In
 * the transaction of the change. */
err merge_follow(struct ctx *c, const struct uuid *old_ids, const struct uuid *new_ids, size_t n);
/* Where a node went that was merged away, by all merges that stand: *keeper nil: nowhere. */
err merge_keeper_of(struct ctx *c, struct uuid loser_id, struct uuid *keeper);
/* The same for a key of a space that nobody holds; *loser: who held it. */
err merge_keeper_of_key(struct ctx *c, struct uuid space_id, const char *key, struct uuid *loser, struct uuid *keeper);

#endif
