/* Tags: short names for what content is about, with a normal form, aliases, and a tier that says who sees them. */
#ifndef LOCI_TAG_H
#define LOCI_TAG_H

#include "ctx.h"
#include "enumx.h"
#include "list.h"
#include "page.h"
#include "thing_table.h"

#define TAGS_OF_ACCOUNT 50000
#define TAGS_AT_ONCE 20     /* of one content */
#define TAG_NAME 64         /* code points */
#define TAXONOMY "taxonomy" /* slug of the space of the account */

#define TAG_TYPE(X) \
    X(TAG_PLAIN, "tag") X(TAG_CATEGORY, "category") X(TAG_CONCEPT, "super_concept") X(TAG_SITE, "site") X(TAG_ANCHOR, "anchor")
ENUMX_DECLARE(tag_type, TAG_TYPE);

#define TAG_TIER(X) X(TAG_OF_USER, "user") X(TAG_TRANSITIONAL, "transitional") X(TAG_UNIVERSE, "universe")
ENUMX_DECLARE(tag_tier, TAG_TIER);

/* node.status */
#define TAG_STATUS(X) \
    X(TAG_PENDING, "pending_review") X(TAG_ACTIVE, "active") X(TAG_REJECTED, "rejected") X(TAG_MERGED, "merged") X(TAG_ARCHIVED, "archived")
ENUMX_DECLARE(tag_status, TAG_STATUS);

struct tag {
    struct uuid id, space_id;
    const char *display, *slug;
    enum tag_type tag_type;
    enum tag_tier tier;
    enum tag_status status;
    struct strs aliases;
    struct uuid merged_into;
    int64_t usage_count, holder_count, version;
    struct instant created_at, updated_at;
};
extern const struct thing TAG;

struct tag_filter {
    int tag_type, tier, status; /* an enum's value, or -1: any; of status: active ones, and for reviewers pending ones */
    const char *q;              /* part of the slug; NULL: any */
    int64_t limit;
    const char *cursor;
};
err taxonomy_list(struct ctx *c, const struct tag_filter *f, struct page *out);
err tag_get(struct ctx *c, struct uuid id, struct tag *out);

/* "Beach  Yoga" → "beach-yoga"; "" where nothing is left. */
const char *tag_slug_of(struct arena *a, const char *display);

/* Inside a transaction: the tags of content in that space. A shared one of the name first; else one of the space's own; else a new one, in
 * the space if not everybody may read that, in the taxonomy if so. out[i] is of names.v[i]; the same name twice is the same tag. */
err tag_of_content(struct ctx *c, struct uuid space_id, enum tag_type type, struct strs names, struct tag *out);
/* One of the account, for who reviews: active at once. */
struct tag_new {
    const char *display;
    enum tag_type tag_type;
};
err tag_create(struct ctx *c, const struct tag_new *in, struct tag *out);

/* Names of the account's own categories that are active and shared. */
err tag_categories(struct ctx *c, struct strs *out);

/* ---- review, with graph.manage; each inside its transaction */

struct tag_merge {
    struct uuid id, into;
};
struct tag_rename {
    struct uuid id;
    const char *display;
};
err tag_approve(struct ctx *c, const struct thing_key *key, struct tag *out);
err tag_reject(struct ctx *c, const struct thing_key *key, struct tag *out);
/* Its content, subjects and aliases become those of the other one. */
err tag_merge(struct ctx *c, const struct tag_merge *in, struct tag *out);
/* The old name stays as an alias. */
err tag_rename(struct ctx *c, const struct tag_rename *in, struct tag *out);

/* ---- for the room */

err tag_missing(struct ctx *c);
err tag_set_status(struct ctx *c, const struct tag *t, enum tag_status to, struct uuid merged_into);
/* Makes one in the taxonomy. */
err tag_mint(struct ctx *c, const struct tag *like, struct tag *out);
/* The space `taxonomy`, made when it is first needed. */
err taxonomy_space(struct ctx *c, struct uuid *id);

#endif
