/* Tagging content, what a subject met, and tags that fit a text. */
#ifndef LOCI_TAGGING_H
#define LOCI_TAGGING_H

#include "plastic.h"
#include "tag.h"

struct tagging {
    struct uuid node_id;
    struct strs tags;
    enum tag_type tag_type;
};
struct tagged {
    struct uuid node_id;
    struct list tags; /* of struct tag */
    int64_t added;    /* that it did not have */
};
/* The caller may write the node. An agent that tags meets the tags. */
err tag_content(struct ctx *c, const struct tagging *in, struct tagged *out);

struct tag_meeting {
    struct uuid subject_id; /* an agent (nil: the calling one) or a node that the caller may write */
    const char *tag;
};
struct tag_met {
    struct uuid subject_id, tag_id;
    const char *slug;
    double weight;
    int64_t hits, hits_today;
    bool counted;
};
err tag_reinforce(struct ctx *c, const struct tag_meeting *in, struct tag_met *out);

struct tag_holdings {
    struct uuid subject_id;
    struct list tags; /* of struct plastic_held */
};
err tag_holdings(struct ctx *c, struct uuid subject_id, struct tag_holdings *out);

struct tag_question {
    const char *text;
    int64_t top;
};
struct tag_fit {
    struct uuid id;
    const char *slug, *display, *tag_type;
    double score;
};
struct tag_fits {
    struct list tags; /* of struct tag_fit, best first */
};
/* By the words of the tags, whole and part by part, and by meaning. */
err tag_classify(struct ctx *c, const struct tag_question *in, struct tag_fits *out);

/* An owner (an agent, or a space) whose tags mining leaves out, or no longer. */
struct mining_choice {
    struct uuid owner_id; /* nil: the calling agent */
    bool opt_out;
};
err mining_choose(struct ctx *c, const struct mining_choice *in, struct mining_choice *out);

#endif
