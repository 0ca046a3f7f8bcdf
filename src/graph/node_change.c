/* Changing nodes: content by versions, everything else in place; see node.h. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "access.h"
#include "content.h"
#include "db.h"
#include "limit.h"
#include "match.h"
#include "node.h"
#include "node_impl.h"
#include "node_kind.h"
#include "node_many.h"
#include "node_store.h"
#include "node_write_store.h"

#define CONTENT NODE_SET_CONTENT

/* One change: what is asked, the row before and after. */
struct change {
    struct uuid id;
    int64_t if_version;
    const char *verb;
    bool even_archived, even_forgotten;
    err (*apply)(struct ctx *c, struct change *h); /* from `before` to `after`; sets `idle` when there is nothing to do */
    const struct node_patch *patch;
    double amount;
    struct uuid space_id; /* where to, for a move */
    bool on;
    bool idle;
    struct node before, after;
};

/* Whether this caller may change the row, which is locked, now. */
static err check_change(struct ctx *c, const struct change *h, bool found)
{
    if (!found || !access_may_read(c, h->before.space_id) || (!h->even_forgotten && !node_is_there(c, &h->before)))
        return node_missing(c, h->id);
    TRY(access_require(c, h->before.space_id, ACCESS_WRITE));
    if (strcmp(h->before.status, NODE_VERSION) == 0)
        return fail(c, ERR_CONFLICT, "this is an old version of node %s; old versions cannot be changed",
                    UUID_STR(h->before.superseded_by));
    TRY(match_version(c, h->if_version, h->before.version));
    if (!h->even_archived && h->before.archived_at.us)
        return fail(c, ERR_CONFLICT, "the node is archived; unarchive it before changing it");
    return ERR_OK;
}

/* From `before` to `after`, nothing written yet. */
static err node_change_apply_change(struct ctx *c, struct change *h)
{
    h->after = h->before;
    h->after.changed = false;
    h->idle = false;
    TRY(h->apply(c, h));
    if (h->idle)
        return ERR_OK;
    h->after.version++;
    h->after.updated_at = c->now;
    if (h->after.changed)
        h->after.previous_id = uuid_new(c->now.us);
    return ERR_OK;
}

/* Its vector is to be made. */
static bool wants_vector_again(const struct change *h)
{
    return memcmp(h->after.content_hash.p, h->before.content_hash.p, NODE_HASH) != 0 || h->before.forgotten_at.us;
}

/* What equals another node now stands beside it; the other one is found by the content. */
static err write_changed_head(struct ctx *c, const struct change *h)
{
    bool is_kept = node_is_found_by_content(&h->after);
    err e = node_write_state(c, &h->after, is_kept, h->before.version);

    if (e != ERR_CONFLICT || !is_kept || !db_was_duplicate(c))
        return e;
    ctx_forgive(c);
    return node_write_state(c, &h->after, false, h->before.version);
}

static err node_change_body(struct ctx *c, void *arg)
{
    struct change *h = arg;
    bool found;

    h->before = (struct node){0};
    TRY(node_store_lock(c, h->id, &found, &h->before));
    TRY(check_change(c, h, found));
    TRY(node_change_apply_change(c, h));
    if (h->idle)
        return ERR_OK;
    if (h->after.changed)
        TRY(node_store_keep_versions(c, &(struct node_kept){h->id, h->after.previous_id}, 1));
    TRY(write_changed_head(c, h));
    if (wants_vector_again(h))
        TRY(node_promise_vectors(c, &h->id, 1));
    return node_changed(c, h->verb, &h->before, &h->after);
}

static err node_change_run(struct ctx *c, struct change *h, struct node *out)
{
    TRY(db_tx(c, node_change_body, h));
    if (wants_vector_again(h))
        node_written(c, &h->id, 1);
    node_present(c, &h->after);
    if (out)
        *out = h->after;
    return ERR_OK;
}

/* ---- update */

static err merged_attrs(struct ctx *c, const struct node *before, const struct json *patch, const struct json **out)
{
    struct json *old;
    const char *why;

    if (json_parse(c->arena, before->attrs->s, strlen(before->attrs->s), &old, &why) != JSON_OK)
        return fail(c, ERR_INTERNAL, "stored attrs cannot be read: %s", why);
    *out = patch ? json_merge_patch(c->arena, old, patch) : old;
    return ERR_OK;
}

static err apply_content(struct ctx *c, struct change *h)
{
    const struct node_patch *p = h->patch;
    struct node *n = &h->after;

    if (p->set & NODE_SET_TITLE)
        n->title = p->title ? p->title : "";
    if (p->set & NODE_SET_BODY)
        n->body = p->body ? p->body : "";
    TRY(merged_attrs(c, &h->before, p->set & (NODE_SET_ATTRS | NODE_SET_LABELS) ? p->attrs : NULL, &n->attrs));
    TRY(node_check_content(c, n->kind, n->title, n->body, n->attrs));
    n->content_hash = content_hash(c->arena, n->title, n->body, n->attrs);
    n->changed = p->set & NODE_SET_OWN || (p->set & CONTENT && memcmp(n->content_hash.p, h->before.content_hash.p, NODE_HASH) != 0);
    if (!n->changed)
        return ERR_OK;
    if (node_kind_has(n->kind, KIND_FIXED))
        return fail(c, ERR_CONFLICT, "nodes of kind %s cannot be edited; create a new one", n->kind);
    n->tokens = content_tokens(n->title) + content_tokens(n->body);
    n->author_kind = enumx_name(&principal_kind_enumx, (int)c->who->kind);
    n->author_id = c->who->id;
    return ERR_OK;
}

static void apply_scores(struct ctx *c, struct change *h)
{
    const struct node_patch *p = h->patch;
    struct node *n = &h->after;
    struct lifecycle l = node_lifecycle(n);

    if (p->set & (NODE_SET_IMPORTANCE | NODE_SET_DECAY_RATE))
        lifecycle_settle(&l, c->now);
    if (p->set & NODE_SET_IMPORTANCE)
        l.score = p->importance;
    if (p->set & NODE_SET_BOOST)
        lifecycle_boost(&l, p->boost, c->now);
    if (p->set & NODE_SET_PINNED && p->is_pinned != n->is_pinned)
        lifecycle_pin(&l, p->is_pinned, c->now);
    node_set_lifecycle(n, &l);
    if (p->set & NODE_SET_DECAY_RATE)
        n->decay_rate = p->decay_rate;
    if (p->set & NODE_SET_CONFIDENCE)
        n->confidence = p->confidence;
    if (p->set & NODE_SET_TRUST)
        n->trust = p->trust;
    if (p->set & NODE_SET_SURPRISE)
        n->surprise = p->surprise;
}

static err apply_times(struct ctx *c, struct change *h)
{
    const struct node_patch *p = h->patch;
    struct node *n = &h->after;

    if (p->set & NODE_SET_EXPIRES && p->expires_at.us && p->expires_at.us <= c->now.us)
        return fail_field(c, "/expires_at", "expires_at is in the past; to remove the node now, delete it");
    if (p->set & NODE_SET_EXPIRES)
        n->expires_at = p->expires_at;
    if (p->set & NODE_SET_VALID_FROM)
        n->valid_from = p->valid_from;
    if (p->set & NODE_SET_VALID_TO)
        n->valid_to = p->valid_to;
    return ERR_OK;
}

static err node_change_apply_patch(struct ctx *c, struct change *h)
{
    const struct node_patch *p = h->patch;

    if (p->set & (CONTENT | NODE_SET_LABELS | NODE_SET_OWN))
        TRY(apply_content(c, h));
    apply_scores(c, h);
    TRY(apply_times(c, h));
    if (p->set & NODE_SET_STATUS)
        h->after.status = p->status;
    if (p->set & NODE_SET_SUPERSEDED)
        h->after.superseded_by = p->superseded_by;
    TRY(node_check_numbers(c, &h->after));
    h->idle = !h->after.changed && !(p->set & ~CONTENT);
    return ERR_OK;
}

err node_update(struct ctx *c, struct uuid id, const struct node_patch *p, struct node *out)
{
    struct change h = {.id = id, .if_version = p->if_version, .verb = "node.update", .apply = node_change_apply_patch, .patch = p};

    return node_change_run(c, &h, out);
}

/* ---- another space */

/* Old states are read by who may read the space of their own row. */
static err apply_move(struct ctx *c, struct change *h)
{
    struct node *old;
    struct uuid *ids;
    size_t n;

    TRY(node_check_place(c, h->before.kind, h->space_id));
    h->idle = uuid_eq(h->before.space_id, h->space_id);
    if (h->idle)
        return ERR_OK;
    h->after.space_id = h->space_id;
    TRY(node_store_versions(c, h->id, h->id, false, LIMIT_NODE_VERSIONS, &old, &n));
    ids = ARENA_ARRAY(c->arena, struct uuid, n + 1);
    for (size_t i = 0; i < n; i++)
        ids[i] = old[i].id;
    return n ? node_write_space(c, ids, n, h->space_id) : ERR_OK;
}

err node_move(struct ctx *c, struct uuid id, struct uuid space_id, int64_t if_version, struct node *out)
{
    struct change h = {.id = id, .if_version = if_version, .verb = "node.move", .apply = apply_move, .space_id = space_id};

    return node_change_run(c, &h, out);
}

/* ---- pin, archive, forget, boost */

static err apply_pin(struct ctx *c, struct change *h)
{
    struct lifecycle l = node_lifecycle(&h->after);

    h->idle = h->before.is_pinned == h->on;
    lifecycle_pin(&l, h->on, c->now);
    if (!h->idle)
        node_set_lifecycle(&h->after, &l);
    return ERR_OK;
}

err node_pin(struct ctx *c, struct uuid id, bool pinned, struct node *out)
{
    struct change h = {.id = id, .verb = pinned ? "node.pin" : "node.unpin", .apply = apply_pin, .on = pinned};

    return node_change_run(c, &h, out);
}

static err node_change_apply_archive(struct ctx *c, struct change *h)
{
    h->idle = (h->before.archived_at.us != 0) == h->on;
    if (h->idle)
        return ERR_OK;
    h->after.status = h->on ? NODE_ARCHIVED : NODE_ACTIVE;
    h->after.archived_at = h->on ? c->now : (struct instant){0};
    return ERR_OK;
}

err node_archive(struct ctx *c, struct uuid id, int64_t if_version, struct node *out)
{
    struct change h = {.id = id, .if_version = if_version, .verb = "node.archive", .apply = node_change_apply_archive, .on = true,
                       .even_archived = true};

    return node_change_run(c, &h, out);
}

err node_unarchive(struct ctx *c, struct uuid id, int64_t if_version, struct node *out)
{
    struct change h = {.id = id, .if_version = if_version, .verb = "node.unarchive", .apply = node_change_apply_archive,
                       .even_archived = true};

    return node_change_run(c, &h, out);
}

static err apply_forget(struct ctx *c, struct change *h)
{
    h->after.status = NODE_FORGOTTEN;
    h->after.forgotten_at = c->now;
    return ERR_OK;
}

err node_forget(struct ctx *c, struct uuid id, int64_t if_version)
{
    struct change h = {.id = id, .if_version = if_version, .verb = "node.forget", .apply = apply_forget,
                       .even_archived = true};

    return node_change_run(c, &h, NULL);
}

/* A node that expired meanwhile stays away: its time is over, not its place. */
static err node_change_apply_restore(struct ctx *c, struct change *h)
{
    h->idle = !h->before.forgotten_at.us;
    if (h->before.expires_at.us && h->before.expires_at.us <= c->now.us)
        return node_missing(c, h->id);
    if (h->idle)
        return ERR_OK;
    h->after.status = h->before.archived_at.us ? NODE_ARCHIVED : NODE_ACTIVE;
    h->after.forgotten_at = (struct instant){0};
    return ERR_OK;
}

err node_restore(struct ctx *c, struct uuid id, struct node *out)
{
    struct change h = {.id = id, .verb = "node.restore", .apply = node_change_apply_restore, .even_archived = true,
                       .even_forgotten = true};

    return node_change_run(c, &h, out);
}

static err apply_boost(struct ctx *c, struct change *h)
{
    struct lifecycle l = node_lifecycle(&h->after);

    lifecycle_boost(&l, h->amount, c->now);
    node_set_lifecycle(&h->after, &l);
    return ERR_OK;
}

err node_boost(struct ctx *c, struct uuid id, double amount, struct node *out)
{
    struct change h = {.id = id, .verb = "node.boost", .apply = apply_boost, .amount = amount};

    return node_change_run(c, &h, out);
}

/* ---- many at once */

/* Back from the archive and from being forgotten, in one step. */
static err apply_revive(struct ctx *c, struct change *h)
{
    if (h->before.expires_at.us && h->before.expires_at.us <= c->now.us)
        return node_missing(c, h->id);
    h->idle = !h->before.forgotten_at.us && !h->before.archived_at.us;
    h->after.status = h->idle ? h->before.status : NODE_ACTIVE;
    h->after.archived_at = h->after.forgotten_at = (struct instant){0};
    return ERR_OK;
}

static struct change change_of(const struct node_wish *w)
{
    struct change h = {.id = w->id, .patch = &w->patch, .if_version = w->patch.if_version, .even_archived = w->what != NODE_WISH_PATCH};

    switch (w->what) {
    case NODE_WISH_PATCH:
        h.verb = "node.update";
        h.apply = node_change_apply_patch;
        break;
    case NODE_WISH_ARCHIVE:
        h.verb = "node.archive";
        h.apply = node_change_apply_archive;
        h.on = true;
        break;
    case NODE_WISH_FORGET:
        h.verb = "node.forget";
        h.apply = apply_forget;
        break;
    case NODE_WISH_REVIVE:
        h.verb = "node.restore";
        h.apply = apply_revive;
        h.even_forgotten = true;
        break;
    }
    return h;
}

static int node_change_by_id(const void *a, const void *b)
{
    return uuid_cmp(((const struct node *)a)->id, ((const struct node *)b)->id);
}

static err lock_all(struct ctx *c, struct change *h, size_t n)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, n);
    struct node *rows = ARENA_ARRAY(c->arena, struct node, n + 1);
    size_t found;

    for (size_t i = 0; i < n; i++)
        ids[i] = h[i].id;
    TRY(node_store_lock_many(c, ids, n, rows, &found));
    qsort(rows, found, sizeof *rows, node_change_by_id);
    for (size_t i = 0; i < n; i++) {
        const struct node *row = bsearch(&(struct node){.id = h[i].id}, rows, found, sizeof *rows, node_change_by_id);

        if (row)
            h[i].before = *row;
        TRY(check_change(c, &h[i], row != NULL));
    }
    return ERR_OK;
}

static err node_change_write_all(struct ctx *c, struct change *h, size_t n)
{
    struct node_kept *kept = ARENA_ARRAY(c->arena, struct node_kept, n);
    struct audit *events = ARENA_ARRAY(c->arena, struct audit, n);
    struct node *rows = ARENA_ARRAY(c->arena, struct node, n);
    size_t n_kept = 0, k = 0;

    for (size_t i = 0; i < n; i++) {
        TRY(node_change_apply_change(c, &h[i]));
        if (h[i].idle)
            continue;
        if (h[i].after.changed)
            kept[n_kept++] = (struct node_kept){h[i].id, h[i].after.previous_id};
        events[k] = node_audit(c, h[i].verb, &h[i].before, &h[i].after);
        rows[k++] = h[i].after;
    }
    if (n_kept)
        TRY(node_store_keep_versions(c, kept, n_kept));
    if (k)
        TRY(node_write_states(c, rows, k));
    TRY(node_find_rows_again(c, rows, k));
    return audit_add_many(c, events, k);
}

err node_change_many(struct ctx *c, struct node_wish *w, size_t n)
{
    struct change *h = ARENA_ARRAY(c->arena, struct change, n + 1);
    struct uuid *written = ARENA_ARRAY(c->arena, struct uuid, n + 1);
    size_t k = 0;

    assert(db_in_tx(c));
    if (!n)
        return ERR_OK;
    for (size_t i = 0; i < n; i++)
        h[i] = change_of(&w[i]);
    TRY(lock_all(c, h, n));
    TRY(node_change_write_all(c, h, n));
    for (size_t i = 0; i < n; i++) {
        w[i].out = h[i].after;
        if (wants_vector_again(&h[i]))
            written[k++] = h[i].id;
    }
    node_written(c, written, k);
    return node_promise_vectors(c, written, k);
}
