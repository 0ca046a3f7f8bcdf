/* Work items: made, changed and moved on; see work.h. work_link.c joins them to others. */
#include "work.h"

#include <string.h>

#include "access.h"
#include "audit.h"
#include "db.h"
#include "edge.h"
#include "grant.h"
#include "match.h"
#include "node.h"
#include "sanitize_direct.h"
#include "space.h"
#include "thing.h"
#include "work_store.h"

ENUMX_DEFINE(work_status, WORK_STATUS);

#define COL_IN_NODE (COL_CREATE | COL_PATCH | COL_SHOW)
#define EDGES_OF "FROM edge e WHERE e.account_id = w.account_id AND e.source_id = w.id AND e.retired_at IS NULL AND e.relation = "

static const struct field WORK_COLUMNS[] = {
    F_ID(struct work_item, "id of the item, and of its node"),
    F_UUID(struct work_item, space_id, COL_READ, "space it is in"),
    F_UUID(struct work_item, target_namespace, COL_CREATE | FIELD_NULLABLE | FIELD_SPACE,
           "id or slug of a space; default: that of the parent, else the agent's own namespace"),
    F_STR(struct work_item, title, COL_IN_NODE | FIELD_REQUIRED, 1, WORK_TITLE, "what is to be done", .sql = "n.title", .label = "Title"),
    F_STR(struct work_item, body, COL_IN_NODE | FIELD_RAW, 0, WORK_BODY, "more about it, Markdown", .sql = "n.body", .label = "Text"),
    F_STR(struct work_item, level, COL_OPEN | FIELD_REQUIRED | FIELD_SLUG, 1, WORK_LEVEL, "epic, story, task …",
          .label = "Level", .hint = "Such as epic, story or task"),
    F_ENUM(struct work_item, work_status, COL_READ | COL_AUDIT, work_status, WORK_TODO, "todo, in_progress, blocked, done or dropped",
           .shades = "info ok warn off off"),
    F_UUID(struct work_item, parent_id, COL_OPEN | FIELD_NULLABLE, "item of the same space that it is part of"),
    F_INT(struct work_item, ordinal, COL_OPEN, -1000000, 1000000, 0, "place among the parts of its parent", .label = "Place"),
    F_UUID(struct work_item, assignee, COL_OPEN | FIELD_NULLABLE | FIELD_AGENT, "agent or user who does it; me: the caller"),
    F_TIME(struct work_item, due_at, COL_OPEN | FIELD_NULLABLE, "when it should be done", .label = "Due"),
    F_TIME(struct work_item, status_at, COL_READ, "when it came into its status"),
    F_STRS(struct work_item, tags, COL_SHOW, WORK_LINKS, "slugs of its tags",
           .sql = "(SELECT COALESCE(JSON_ARRAYAGG(t.slug), '[]') FROM edge e JOIN space_tag t ON t.account_id = e.account_id AND "
                  "t.id = e.target_id WHERE e.account_id = w.account_id AND e.source_id = w.id AND e.relation = 'HAS_TAG' AND "
                  "e.retired_at IS NULL)"),
    F_UUIDS(struct work_item, depends_on, COL_SHOW, WORK_LINKS, "items and memories that it waits for",
            .sql = "(SELECT COALESCE(JSON_ARRAYAGG(e.target_id), '[]') " EDGES_OF "'DEPENDS_ON')"),
    F_INT(struct work_item, children, COL_SHOW, 0, 9e15, 0, "parts of it",
          .sql = "(SELECT COUNT(*) FROM work_item k WHERE k.account_id = w.account_id AND k.parent_id = w.id)"),
    F_UUID(struct work_item, author_id, COL_SHOW, "who made it", .sql = "n.author_id"),
    F_VERSION(struct work_item),
    F_TIMES(struct work_item),
    F_END
};
const struct thing WORK_ITEM = THING("work_item", WORK_COLUMNS, struct work_item, .schema = "WorkItem", .alias = "w",
    .from = "work_item w JOIN node n ON n.account_id = w.account_id AND n.id = w.id");

/* ---- reading */

static err work_missing(struct ctx *c)
{
    return fail(c, ERR_NOT_FOUND, "no such work item");
}

err work_get(struct ctx *c, struct uuid id, struct work_item *out)
{
    bool found;

    TRY(work_store_get(c, id, &found, out));
    return found && access_may_read(c, out->space_id) ? ERR_OK : work_missing(c);
}

err work_query(struct ctx *c, const struct work_filter *f, struct page *out)
{
    struct uuids spaces;
    struct uuid before, parent = {{0}};

    TRY(page_begin(c, f->cursor, &before));
    if (f->parent && !str_eq(f->parent, "none") && !uuid_parse(f->parent, &parent))
        return fail_field(c, "/parent_id", "parent_id must be a UUID, or none for items without a parent");
    TRY(access_spaces_in(c, f->namespace, &spaces));
    return work_store_query(c, f, parent, spaces, before, out);
}

err work_of_caller(struct ctx *c, struct uuid agent_id, size_t max, struct list *out)
{
    return work_store_mine(c, agent_id, access_spaces(c), max, out);
}

/* ---- the tree above and below */

/* Levels below the item. */
static err work_height(struct ctx *c, struct uuid id, int *height)
{
    struct uuid *ids = arena_memdup(c->arena, &id, sizeof id);
    const struct work_node *v;
    struct list below;
    size_t n = 1;

    for (*height = 0; n && *height < WORK_DEPTH; ++*height) {
        TRY(work_store_children(c, ids, n, WORK_TREE_NODES, &below));
        v = below.v;
        ids = ARENA_ARRAY(c->arena, struct uuid, below.n + 1);
        for (size_t i = 0; i < below.n; i++)
            ids[i] = v[i].id;
        n = below.n;
        if (!n)
            return ERR_OK;
    }
    return ERR_OK;
}

/* The parent is there, in the same space, not below the item, and the tree is not too deep. */
static err work_check_parent(struct ctx *c, const struct work_item *w)
{
    struct uuid at = w->parent_id;
    struct work_item p;
    int above = 0, below = 0;
    bool found;

    if (uuid_is_nil(at))
        return ERR_OK;
    TRY(work_height(c, w->id, &below));
    for (; !uuid_is_nil(at); above++, at = p.parent_id) {
        TRY(work_store_lock(c, at, &found, &p));
        if (!found || !uuid_eq(p.space_id, w->space_id))
            return fail_field(c, "/parent_id", "there is no such work item in this space");
        if (uuid_eq(at, w->id))
            return fail(c, ERR_CONFLICT, "an item cannot be part of itself");
        if (above + below + 1 >= WORK_DEPTH)
            return fail_field(c, "/parent_id", "a tree of work items has at most %d levels", WORK_DEPTH);
    }
    return ERR_OK;
}

/* ---- making and changing */

static err work_check_assignee(struct ctx *c, struct uuid who)
{
    const char *id = arena_strdup(c->arena, UUID_STR(who));
    bool yes = uuid_is_nil(who);

    if (!yes)
        TRY(grant_can_be_to(c, GRANTEE_AGENT, id, &yes));
    if (!yes)
        TRY(grant_can_be_to(c, GRANTEE_USER, id, &yes));
    return yes ? ERR_OK : fail_field(c, "/assignee", "no such agent or user in this account");
}

static err work_clean(struct ctx *c, struct work_item *w)
{
    TRY(sanitize_direct(c, w->title, &w->title, NULL));
    TRY(sanitize_direct(c, w->body ? w->body : "", &w->body, NULL));
    return work_check_assignee(c, w->assignee);
}

/* Where none is named: beside its parent, else in the agent's own namespace. */
static err work_space(struct ctx *c, const struct work_item *in, struct uuid *space_id)
{
    struct work_item parent;
    err e;

    *space_id = in->target_namespace;
    if (!uuid_is_nil(*space_id))
        return ERR_OK;
    if (uuid_is_nil(in->parent_id))
        return space_own(c, space_id);
    e = work_get(c, in->parent_id, &parent);
    if (e == ERR_NOT_FOUND) {
        ctx_forgive(c);
        return fail_field(c, "/parent_id", "there is no such work item");
    }
    TRY(e);
    *space_id = parent.space_id;
    return ERR_OK;
}

static err work_create_tx(struct ctx *c, const struct work_item *in, struct work_item *out)
{
    struct work_item w = *in;
    struct node node;

    TRY(work_space(c, in, &w.space_id));
    TRY(access_require(c, w.space_id, ACCESS_WRITE));
    TRY(thing_begin(c, &WORK_ITEM, &w));
    w.status_at = c->now;
    TRY(work_clean(c, &w));
    TRY(work_check_parent(c, &w));
    TRY(node_create(c, &(struct node_new){NODE_NEW_DEFAULTS, .id = w.id, .space_id = w.space_id, .kind = "work_item", .by_room = true,
                                          .title = w.title, .body = w.body}, &node));
    TRY(thing_insert(c, &WORK_ITEM, &w));
    return work_get(c, w.id, out);
}
DB_TX(work_create, struct work_item, struct work_item)

static err work_take(struct ctx *c, struct uuid id, int64_t if_version, struct work_item *out)
{
    bool found;

    TRY(work_get(c, id, out));
    TRY(access_require(c, out->space_id, ACCESS_WRITE));
    TRY(work_store_lock(c, id, &found, out));
    if (!found)
        return work_missing(c);
    return match_version(c, if_version, out->version);
}

static err work_update_tx(struct ctx *c, const struct work_change *ch, struct work_item *out)
{
    struct work_item was, w;
    struct node node;

    TRY(work_take(c, ch->to.id, ch->change.if_version, &was));
    w = was;
    TRY(thing_apply(c, &WORK_ITEM, ch, &w));
    TRY(work_clean(c, &w));
    if (!uuid_eq(w.parent_id, was.parent_id))
        TRY(work_check_parent(c, &w));
    TRY(thing_save(c, &WORK_ITEM, &ch->change, &was, &w));
    if (!str_eq(w.title, was.title) || !str_eq(w.body, was.body))
        TRY(node_update(c, w.id, &(struct node_patch){.set = NODE_SET_TITLE | NODE_SET_BODY, .title = w.title, .body = w.body}, &node));
    return work_get(c, w.id, out);
}
DB_TX(work_update, struct work_change, struct work_item)

/* ---- moving on */

static bool work_is_open(const struct work_item *w)
{
    return w->work_status != WORK_DONE && w->work_status != WORK_DROPPED;
}

/* What it waits for and is not done. */
static err work_warnings(struct ctx *c, const struct work_item *w, struct strs *out)
{
    const char **v = ARENA_ARRAY(c->arena, const char *, w->depends_on.n + 1);
    struct work_item other;
    bool found;

    *out = (struct strs){v, 0};
    for (size_t i = 0; i < w->depends_on.n && i < WORK_LINKS; i++) {
        TRY(work_store_get(c, w->depends_on.v[i], &found, &other));
        if (found && access_may_read(c, other.space_id) && work_is_open(&other))
            v[out->n++] = arena_printf(c->arena, "depends on %s, which is %s", UUID_STR(other.id),
                                       enumx_name(&work_status_enumx, (int)other.work_status));
    }
    return ERR_OK;
}

static err work_advance_tx(struct ctx *c, const struct work_move *in, struct work_moved *out)
{
    struct work_item was, *w = ARENA_NEW(c->arena, struct work_item);

    TRY(work_take(c, in->id, 0, &was));
    if (in->expected_from >= 0 && (int)was.work_status != in->expected_from)
        return fail_reason(c, ERR_CONFLICT, "work_status", "the item is %s, not %s", enumx_name(&work_status_enumx, (int)was.work_status),
                           enumx_name(&work_status_enumx, in->expected_from));
    *w = was;
    *out = (struct work_moved){.item = w, .from = was.work_status, .changed = was.work_status != in->to};
    if (in->to == WORK_IN_PROGRESS || in->to == WORK_DONE)
        TRY(work_warnings(c, &was, &out->warnings));
    if (!out->changed)
        return ERR_OK;
    w->work_status = in->to;
    w->status_at = c->now;
    TRY(thing_save(c, &WORK_ITEM, &(struct thing_change){.verb = "advance"}, &was, w));
    TRY(audit_add(c, &(struct audit){.kind = "work_status_change", .subject_kind = "node", .subject_id = w->id, .space_id = w->space_id,
                                     .is_news = true}));
    return work_get(c, w->id, w);
}
DB_TX(work_advance, struct work_move, struct work_moved)
