/* Work items joined to tags, to what they wait for and to what they are about; and the tree below one. */
#include <string.h>

#include "access.h"
#include "db.h"
#include "edge.h"
#include "node.h"
#include "work.h"
#include "work_store.h"

ENUMX_DEFINE(work_relation, WORK_RELATION);

#define CIRCLE_NODES 2000 /* that are looked at */

/* ---- tags */

static err work_tag_of(struct ctx *c, struct uuid space_id, const struct work_linking *in, bool make, struct uuid *id)
{
    struct json *attrs = json_obj(c->arena);
    struct node node;
    bool found;

    TRY(work_store_tag(c, space_id, in->slug, &found, id));
    if (found || !make)
        return found ? ERR_OK : fail(c, ERR_NOT_FOUND, "no such tag");
    json_set_str(c->arena, attrs, "slug", in->slug);
    TRY(node_create(c, &(struct node_new){NODE_NEW_DEFAULTS, .space_id = space_id, .kind = "tag", .by_room = true, .attrs = attrs,
                                          .title = in->display ? in->display : in->slug}, &node));
    *id = node.id;
    return work_store_make_tag(c, space_id, in->slug, node.id);
}

/* ---- circles */

/* Does the way of DEPENDS_ON from there lead to the item? */
static err work_check_circle(struct ctx *c, struct uuid id, struct uuid from)
{
    struct uuid *seen = ARENA_ARRAY(c->arena, struct uuid, CIRCLE_NODES);
    const struct edge *e;
    struct list next;
    size_t n = 0, done = 0;

    seen[n++] = from;
    while (done < n) {
        size_t end = n;

        for (size_t i = done; i < end; i++)
            if (uuid_eq(seen[i], id))
                return fail(c, ERR_CONFLICT, "the items would wait for each other in a circle");
        TRY(edge_owned_of(c, "DEPENDS_ON", seen + done, end - done, &next));
        e = next.v;
        done = end;
        for (size_t i = 0; i < next.n; i++) {
            bool known = false;

            for (size_t k = 0; k < n && !known; k++)
                known = uuid_eq(seen[k], e[i].target_id);
            if (known)
                continue;
            if (n == CIRCLE_NODES)
                return fail(c, ERR_CONFLICT, "more than %d items depend on each other", CIRCLE_NODES);
            seen[n++] = e[i].target_id;
        }
    }
    return ERR_OK;
}

/* ---- joining */

static const char *work_edge_name(const struct work_linking *in)
{
    return in->slug ? "HAS_TAG" : in->relation == WORK_DEPENDS_ON ? "DEPENDS_ON" : "references";
}

static err work_target(struct ctx *c, const struct work_item *w, const struct work_linking *in, bool make, struct uuid *target)
{
    struct node_brief there;

    if (in->slug)
        return work_tag_of(c, w->space_id, in, make, target);
    if (uuid_is_nil(in->target_id))
        return fail_field(c, "/target_id", "give slug, or target_id and relation");
    *target = in->target_id;
    TRY(node_briefs(c, target, 1, &there));
    if (uuid_is_nil(there.id))
        return fail_field(c, "/target_id", "there is no such memory");
    if (!make || in->relation != WORK_DEPENDS_ON)
        return ERR_OK;
    if (!str_eq(there.kind, "work_item") && !str_eq(there.kind, "skill") && !str_eq(there.kind, "fact"))
        return fail_field(c, "/target_id", "an item depends on work items, skills and facts");
    return work_check_circle(c, w->id, *target);
}

/* Both items are locked, in one order: two that link against each other wait. */
static err work_take_ends(struct ctx *c, const struct work_linking *in, struct work_item *w)
{
    struct uuid ends[2] = {in->id, in->target_id};
    struct work_item other;
    bool found;

    TRY(work_get(c, in->id, w));
    TRY(access_require(c, w->space_id, ACCESS_WRITE));
    if (uuid_cmp(ends[1], ends[0]) < 0)
        ends[0] = in->target_id, ends[1] = in->id;
    for (int i = 0; i < 2; i++)
        if (!uuid_is_nil(ends[i]))
            TRY(work_store_lock(c, ends[i], &found, &other));
    return ERR_OK;
}

static err work_link_tx(struct ctx *c, const struct work_linking *in, struct work_item *out)
{
    struct edge_new e = {EDGE_NEW_DEFAULTS, .source_id = in->id, .relation = work_edge_name(in)};

    TRY(work_take_ends(c, in, out));
    if (out->tags.n + out->depends_on.n >= WORK_LINKS)
        return fail_reason(c, ERR_CONFLICT, "quota_exceeded", "an item can have at most %d links", WORK_LINKS);
    TRY(work_target(c, out, in, true, &e.target_id));
    TRY(edge_retire_between(c, e.source_id, e.target_id, e.relation));
    TRY(edge_record(c, &e, 1, out->space_id));
    return work_get(c, in->id, out);
}
DB_TX(work_link, struct work_linking, struct work_item)

static err work_unlink_tx(struct ctx *c, const struct work_linking *in, struct work_item *out)
{
    struct uuid target;

    TRY(work_take_ends(c, in, out));
    TRY(work_target(c, out, in, false, &target));
    TRY(edge_retire_between(c, in->id, target, work_edge_name(in)));
    return work_get(c, in->id, out);
}
DB_TX(work_unlink, struct work_linking, struct work_item)

/* ---- the tree */

struct work_growing {
    struct work_node *v; /* level by level */
    size_t n, level_at;  /* where the newest level begins */
    bool truncated;
};

static err work_grow(struct ctx *c, struct work_growing *g, int64_t depth)
{
    size_t n = g->n - g->level_at, room = WORK_TREE_NODES - g->n;
    struct uuid *parents = ARENA_ARRAY(c->arena, struct uuid, n + 1);
    const struct work_node *v;
    struct list below;

    for (size_t i = 0; i < n; i++)
        parents[i] = g->v[g->level_at + i].id;
    TRY(work_store_children(c, parents, n, room + 1, &below));
    v = below.v;
    g->level_at = g->n;
    g->truncated |= below.n > room;
    for (size_t i = 0; i < below.n && i < room; i++) {
        g->v[g->n] = v[i];
        g->v[g->n++].depth = depth;
    }
    return ERR_OK;
}

/* Each before its parts. */
static void work_order(const struct work_growing *g, struct uuid parent, int64_t depth, struct list *out)
{
    struct work_node *to = out->v;

    for (size_t i = 1; i < g->n; i++)
        if (g->v[i].depth == depth && uuid_eq(g->v[i].parent_id, parent)) {
            to[out->n++] = g->v[i];
            work_order(g, g->v[i].id, depth + 1, out);
        }
}

static void work_count_tree(struct ctx *c, struct work_tree *t)
{
    struct work_count *counts = ARENA_ARRAY(c->arena, struct work_count, work_status_enumx.n);
    const struct work_node *v = t->items.v;

    t->counts = (struct list){counts, work_status_enumx.n};
    for (size_t i = 0; i < work_status_enumx.n; i++)
        counts[i] = (struct work_count){.work_status = (enum work_status)i};
    for (size_t i = 0; i < t->items.n; i++)
        counts[v[i].work_status].items++;
}

err work_tree(struct ctx *c, const struct work_tree_in *in, struct work_tree *out)
{
    struct work_growing g = {.v = ARENA_ARRAY(c->arena, struct work_node, WORK_TREE_NODES), .n = 1};
    struct work_node *to = ARENA_ARRAY(c->arena, struct work_node, WORK_TREE_NODES);
    struct work_item w;

    TRY(work_get(c, in->id, &w));
    g.v[0] = (struct work_node){.id = w.id, .parent_id = w.parent_id, .assignee = w.assignee, .title = w.title, .level = w.level,
                                .work_status = w.work_status, .ordinal = w.ordinal, .due_at = w.due_at};
    for (int64_t depth = 1; depth <= in->depth && g.n > g.level_at && !g.truncated; depth++)
        TRY(work_grow(c, &g, depth));
    to[0] = g.v[0];
    out->items = (struct list){to, 1};
    out->truncated = g.truncated;
    work_order(&g, w.id, 1, &out->items);
    work_count_tree(c, out);
    return ERR_OK;
}
