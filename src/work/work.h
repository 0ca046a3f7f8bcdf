/* Work items: what is to be done, in a tree, with what it waits for. */
#ifndef LOCI_WORK_H
#define LOCI_WORK_H

#include "ctx.h"
#include "enumx.h"
#include "list.h"
#include "page.h"
#include "thing_table.h"

#define WORK_TITLE 300
#define WORK_BODY 65536
#define WORK_LEVEL 32
#define WORK_DEPTH 16       /* of a tree */
#define WORK_TREE_NODES 500 /* of one answer */
#define WORK_LINKS 200      /* that an item shows */

#define WORK_STATUS(X) \
    X(WORK_TODO, "todo") X(WORK_IN_PROGRESS, "in_progress") X(WORK_BLOCKED, "blocked") X(WORK_DONE, "done") X(WORK_DROPPED, "dropped")
ENUMX_DECLARE(work_status, WORK_STATUS);

struct work_item {
    struct uuid id, space_id, target_namespace;
    const char *title, *body, *level;
    enum work_status work_status;
    struct uuid parent_id;
    int64_t ordinal;
    struct uuid assignee;
    struct instant due_at, status_at;
    struct strs tags;
    struct uuids depends_on;
    int64_t children;
    struct uuid author_id;
    int64_t version;
    struct instant created_at, updated_at;
};
extern const struct thing WORK_ITEM;

struct work_change {
    struct thing_change change;
    struct work_item to;
};

struct work_filter {
    int work_status;                  /* of enum work_status, or -1: any */
    const char *level, *parent, *tag; /* parent: an id, or "none": roots */
    const char *q;
    struct uuid assignee, namespace;
    struct instant due_before;
    bool open; /* neither done nor dropped */
    int64_t limit;
    const char *cursor;
};

err work_get(struct ctx *c, struct uuid id, struct work_item *out);
err work_query(struct ctx *c, const struct work_filter *f, struct page *out);
/* Into the agent's own namespace, or the one that is named. */
err work_create(struct ctx *c, const struct work_item *in, struct work_item *out);
err work_update(struct ctx *c, const struct work_change *ch, struct work_item *out);

struct work_move {
    struct uuid id;
    enum work_status to;
    int expected_from; /* of enum work_status, or -1: any */
};
struct work_moved {
    const struct work_item *item;
    enum work_status from;
    bool changed;
    struct strs warnings;
};
/* ERR_CONFLICT, naming the status, where it is not expected_from. */
err work_advance(struct ctx *c, const struct work_move *in, struct work_moved *out);

#define WORK_RELATION(X) X(WORK_DEPENDS_ON, "depends_on") X(WORK_REFERENCES, "references")
ENUMX_DECLARE(work_relation, WORK_RELATION);

struct work_linking {
    struct uuid id;
    const char *slug, *display; /* a tag … */
    struct uuid target_id;      /* … or another memory */
    enum work_relation relation;
};
err work_link(struct ctx *c, const struct work_linking *in, struct work_item *out);
err work_unlink(struct ctx *c, const struct work_linking *in, struct work_item *out);

struct work_node {
    struct uuid id, parent_id, assignee;
    const char *title, *level;
    enum work_status work_status;
    int64_t depth, ordinal;
    struct instant due_at;
};
struct work_count {
    enum work_status work_status;
    int64_t items;
};
struct work_tree {
    struct list items;  /* of struct work_node: each before its parts, in the order of (ordinal, id) */
    struct list counts; /* of struct work_count */
    bool truncated;
};
struct work_tree_in {
    struct uuid id;
    int64_t depth;
};
/* One statement for each level. */
err work_tree(struct ctx *c, const struct work_tree_in *in, struct work_tree *out);

/* Open ones of the caller that are in progress or blocked, the newest change first: for the brief. */
err work_of_caller(struct ctx *c, struct uuid agent_id, size_t max, struct list *out);

#endif
