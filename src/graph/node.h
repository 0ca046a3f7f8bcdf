/* Nodes: anything that can be remembered and recalled. */
#ifndef LOCI_NODE_H
#define LOCI_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctx.h"
#include "json.h"
#include "lifecycle.h"
#include "list.h"
#include "page.h"
#include "str.h"

#define NODE_HASH 32

/* Words of node.status that every kind knows; a kind may have more. */
#define NODE_ACTIVE "active"
#define NODE_ARCHIVED "archived"
#define NODE_FORGOTTEN "forgotten"
#define NODE_VERSION "version" /* an older state of another row */
#define NODE_NAMED "named"     /* an entity that texts name and nobody told: found by who asks for names */

struct node {
    struct uuid id, space_id;
    const char *kind, *title, *body; /* body is NULL in lists unless asked for */
    const char *excerpt;             /* lists: the first characters of body */
    const struct json *attrs;
    const char *status;
    double importance;       /* true at decayed_at */
    double importance_score; /* now, with 4 digits */
    double confidence, trust, surprise, decay_rate;
    int64_t access_count, referenced_count, occurrences, tokens;
    struct instant last_access_at, decayed_at;
    bool is_pinned;
    const char *source_kind, *source_id;
    const char *author_kind;
    struct uuid author_id;
    struct bytes content_hash; /* NODE_HASH bytes */
    int64_t version;
    struct uuid previous_id, superseded_by;
    struct instant valid_from, valid_to, created_at, updated_at, expires_at, archived_at, forgotten_at;
    bool changed;             /* an update's answer: whether the content became another */
    struct uuid duplicate_of; /* a create's answer: this node was there, and says the same; nil: it was made */
    struct strs not_taken;    /* … and these members of it, which the caller wanted otherwise, are as they were */
};

/* What lifecycle.h computes with, the floor of its kind included. */
struct lifecycle node_lifecycle(const struct node *n);

/* A node to be. Begin with NODE_NEW_DEFAULTS. */
struct node_new {
    struct uuid id; /* nil: made */
    struct uuid space_id;
    const char *kind, *title, *body;
    const struct json *attrs; /* NULL: {} */
    const char *status;       /* NULL: active */
    double importance, confidence, trust, surprise;
    double decay_rate; /* negative: what its kind has */
    bool is_pinned;
    int64_t version; /* 0: 1; more where it takes the place of another node */
    const char *source_kind, *source_id;
    struct instant valid_from, valid_to, expires_at;
    bool once;    /* where a node says the same already, that is the answer, and none is made */
    bool by_room; /* the room of the space writes it, whatever its kind is */
};
#define NODE_NEW_DEFAULTS .importance = 0.5, .confidence = 1.0, .trust = 0.5, .decay_rate = -1.0

#define NODE_SET_TITLE 1u /* the first three are content: changing them makes a version */
#define NODE_SET_BODY 2u
#define NODE_SET_ATTRS 4u /* merged: RFC 7396 */
#define NODE_SET_IMPORTANCE 8u
#define NODE_SET_CONFIDENCE 16u
#define NODE_SET_DECAY_RATE 32u
#define NODE_SET_PINNED 64u
#define NODE_SET_EXPIRES 128u
#define NODE_SET_VALID_FROM 256u
#define NODE_SET_VALID_TO 512u
#define NODE_SET_STATUS 1024u /* a word of its kind; archive, forget and restore have calls of their own */
#define NODE_SET_TRUST 2048u
#define NODE_SET_SURPRISE 4096u
#define NODE_SET_LABELS 8192u /* attrs, merged, that are no content: no version is made of it */
#define NODE_SET_OWN 16384u   /* content in its kind's own table became another: a version, though these be the same */
#define NODE_SET_SUPERSEDED 32768u
#define NODE_SET_BOOST 65536u /* importance now + boost, clamped to 0..1 */
#define NODE_SET_CONTENT (NODE_SET_TITLE | NODE_SET_BODY | NODE_SET_ATTRS)

struct node_patch {
    unsigned set;
    int64_t if_version; /* 0 or less: any */
    const char *title, *body, *status;
    const struct json *attrs;
    double importance, confidence, decay_rate, trust, surprise, boost;
    bool is_pinned;
    struct instant expires_at, valid_from, valid_to;
    struct uuid superseded_by;
};

struct node_filter {
    struct uuid space_id;      /* nil: all that are readable */
    const char *kind, *status; /* NULL: any kind; whatever is not archived, forgotten or an old version */
    const char *q;             /* part of the title */
    bool include_archived, with_body;
    struct instant made_from, made_to; /* from ≤ made < to, by its id; 0: open */
    int64_t limit;
    const char *cursor;
};

/* All of these ask the gate. They serve every kind: a room that has a table of its own for its kind calls them inside its
 * transaction (db_tx joins) and adds its row. Each writes its audit event `node.<verb>`, which is news. */
err node_create(struct ctx *c, const struct node_new *in, struct node *out);
/* n nodes in one transaction with multi-row statements, each with its events; ids[i] is the id of in[i], or of the node that said
 * the same before (was_there[i]; may be NULL). All or none. */
err node_create_many(struct ctx *c, const struct node_new *in, size_t n, struct uuid *ids, bool *was_there);
/* n nodes were put in place as they are, by an import: their content finds them. Inside its transaction. */
err node_find_by_content(struct ctx *c, const struct uuid *ids, size_t n);
/* Whether a node could be created as it stands: kind, sizes, space. What node_create asks first. */
err node_check(struct ctx *c, const struct node_new *in);
/* ERR_CONFLICT where content and place of this node are changed by calls of its own room alone (KIND_OWN). */
err node_is_generic(struct ctx *c, struct uuid id);
/* Archived and old versions are found, forgotten and expired ones are not. Does not count as use: see node_touch. */
err node_get(struct ctx *c, struct uuid id, struct node *out);
err node_list(struct ctx *c, const struct node_filter *f, struct page *out);
/* Old states of a node, newest first, without bodies unless asked for. The row of a version was the head until its
 * updated_at. */
err node_versions(struct ctx *c, struct uuid id, bool with_body, int64_t limit, const char *cursor, struct page *out);
/* A changed title, body or attrs saves the state before as a row of status `version`; other changes only count the
 * version up. Archived nodes and old versions: ERR_CONFLICT. if_version is not the current one: ERR_PRECONDITION. */
err node_update(struct ctx *c, struct uuid id, const struct node_patch *p, struct node *out);
err node_pin(struct ctx *c, struct uuid id, bool pinned, struct node *out);
err node_archive(struct ctx *c, struct uuid id, int64_t if_version, struct node *out);
err node_unarchive(struct ctx *c, struct uuid id, int64_t if_version, struct node *out);
/* Soft: out of every read until node_restore. */
err node_forget(struct ctx *c, struct uuid id, int64_t if_version);
err node_restore(struct ctx *c, struct uuid id, struct node *out);
/* importance now ± amount, clamped to 0..1. */
err node_boost(struct ctx *c, struct uuid id, double amount, struct node *out);

/* To another space, in which the caller may write as well; its old states go with it. */
err node_move(struct ctx *c, struct uuid id, struct uuid space_id, int64_t if_version, struct node *out);

/* The little that an edge or a picture needs of a node. */
struct node_brief {
    struct uuid id, space_id; /* id nil: no such node, or not visible to the caller */
    const char *kind, *title, *status;
};
/* out[i] for ids[i], in one statement. Archived nodes and old versions are there, forgotten and expired ones are not. */
err node_briefs(struct ctx *c, const struct uuid *ids, size_t n, struct node_brief *out);

/* Counts per kind over the readable spaces; old versions and forgotten nodes do not count. */
struct node_count {
    const char *kind;
    int64_t n, archived;
};
struct node_stats {
    int64_t nodes, archived, spaces;
    struct list kinds; /* of struct node_count */
};
err node_stats(struct ctx *c, struct node_stats *out);

/* ---- use ------------------------------------------------------------------------------------------------------- */

/* Reads that count as use (by id, by a recall, injected into a prompt) are gathered in the process and written every few
 * seconds. A flush settles importance by lifecycle_touch, at the instant of the use; it moves neither version nor updated_at. */
struct node_touches;
struct node_touches *node_touches_new(size_t max_nodes);
void node_touches_free(struct node_touches *t);
/* Adds to struct app.touches; without one (locictl) nothing is counted. */
void node_touch(struct ctx *c, const struct uuid *ids, size_t n);
/* The same for a node that was asked for by its id: kinds with KIND_USES count these apart, in the table node_use. */
void node_use(struct ctx *c, struct uuid id);
/* How often each of the nodes was read in this process and is not written yet; false: none of them was. Whoever puts these
 * beside rows read before asks node_flushes() before and after: another number, and something was written in between. */
bool node_waiting_uses(struct ctx *c, const struct uuid *ids, size_t n, int64_t *uses);
int64_t node_flushes(struct ctx *c);
/* Uses of another node that are counted as this one's from now on (negative: no longer), named: those of them by its id.
 * Inside a transaction whose change of the node has asked the gate. */
err node_count_uses(struct ctx *c, struct uuid id, int64_t uses, int64_t named);
/* Its uses by id, of kinds with KIND_USES; else 0. */
err node_named_uses(struct ctx *c, const struct node *n, int64_t *named);
/* Writes what was gathered, for all accounts; what could not be written is kept for the next time. */
err node_touch_flush(struct ctx *c);

#endif
