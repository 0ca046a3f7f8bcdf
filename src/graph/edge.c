/* Edges; see edge.h. */
#include "edge.h"

#include <string.h>

#include "access.h"
#include "audit.h"
#include "db.h"
#include "edge_store.h"
#include "limit.h"
#include "match.h"
#include "node.h"
#include "node_write_store.h"
#include "relation.h"

ENUMX_DEFINE(edge_status, EDGE_STATUS);
ENUMX_DEFINE(edge_direction, EDGE_DIRECTION);

static err edge_missing(struct ctx *c, struct uuid id)
{
    return fail(c, ERR_NOT_FOUND, "no edge %s", UUID_STR(id));
}

/* ---- events */

static struct json *edge_state_of(struct ctx *c, const struct edge *e)
{
    struct json *j = json_obj(c->arena);

    json_set_str(c->arena, j, "source_id", arena_strdup(c->arena, UUID_STR(e->source_id)));
    json_set_str(c->arena, j, "target_id", arena_strdup(c->arena, UUID_STR(e->target_id)));
    json_set_str(c->arena, j, "relation", e->relation);
    json_set(c->arena, j, "weight", json_num(c->arena, e->weight));
    json_set(c->arena, j, "confidence", json_num(c->arena, e->confidence));
    json_set_str(c->arena, j, "status", enumx_name(&edge_status_enumx, (int)e->status));
    json_set_int(c->arena, j, "version", e->version);
    return j;
}

static struct audit audit_of(struct ctx *c, const char *verb, struct uuid space_id, const struct edge *before, const struct edge *after)
{
    return (struct audit){.kind = verb, .subject_kind = "edge", .subject_id = after->id, .space_id = space_id,
                          .before = before ? edge_state_of(c, before) : NULL, .after = edge_state_of(c, after), .is_news = true};
}

static err edge_changed(struct ctx *c, const char *verb, struct uuid space_id, const struct edge *before, const struct edge *after)
{
    struct audit a = audit_of(c, verb, space_id, before, after);

    return audit_add(c, &a);
}

/* ---- checks */

static err check_numbers(struct ctx *c, const struct edge *e)
{
    if (!(e->weight >= 0 && e->weight <= 1))
        return fail_field(c, "/weight", "weight must be 0 to 1");
    if (!(e->confidence >= 0 && e->confidence <= 1))
        return fail_field(c, "/confidence", "confidence must be 0 to 1");
    if (e->valid_from.us && e->valid_to.us && e->valid_to.us < e->valid_from.us)
        return fail_field(c, "/valid_to", "valid_to is before valid_from");
    if (e->metadata->type != JSON_RAW && e->metadata->type != JSON_OBJ)
        return fail_field(c, "/metadata", "metadata must be an object");
    if (strlen(json_text(c->arena, e->metadata)) > LIMIT_ATTRS)
        return fail_field(c, "/metadata", "metadata must be at most %d bytes of JSON", LIMIT_ATTRS);
    return ERR_OK;
}

static err check_relation(struct ctx *c, const char *given, bool as_owner, const struct relation **known, const char **name)
{
    *known = relation_find(given);
    *name = *known ? (*known)->name : given;
    if (!*known && !relation_is_free(given))
        return fail_field(c, "/relation", "'%s' is not a relation; a new one is up to %d of a-z 0-9 _ and begins with a letter",
                          given ? given : "", RELATION_MAX);
    if (*known && (*known)->flags & REL_VIRTUAL)
        return fail(c, ERR_CONFLICT, "relation %s is computed and cannot be stored", *name);
    if (!as_owner && *known && (*known)->flags & REL_OWNED)
        return fail(c, ERR_CONFLICT, "owned_relation: %s is maintained by Loci and cannot be written here", *name);
    return ERR_OK;
}

static err check_ends(struct ctx *c, const struct edge_new *in, const struct relation *r, struct uuid *space_id)
{
    struct node_brief ends[2];

    if (uuid_eq(in->source_id, in->target_id))
        return fail_field(c, "/target_id", "an edge must connect two different nodes");
    TRY(node_briefs(c, (const struct uuid[]){in->source_id, in->target_id}, 2, ends));
    for (int i = 0; i < 2; i++)
        if (uuid_is_nil(ends[i].id) || strcmp(ends[i].status, NODE_VERSION) == 0)
            return fail(c, ERR_NOT_FOUND, "no node %s", UUID_STR(i ? in->target_id : in->source_id));
    if (r && !relation_takes_from(r, ends[0].kind))
        return fail_field(c, "/source_id", "%s must start at: %s; the source is %s", r->name, r->from, ends[0].kind);
    if (r && !relation_takes_to(r, ends[1].kind))
        return fail_field(c, "/target_id", "%s must end at: %s; the target is %s", r->name, r->to, ends[1].kind);
    *space_id = ends[0].space_id;
    return access_require(c, *space_id, ACCESS_WRITE);
}

/* ---- making */

static struct edge edge_filled(struct ctx *c, const struct edge_new *in, const char *relation, const struct relation *r)
{
    return (struct edge){.id = uuid_new(c->now.us), .source_id = in->source_id, .target_id = in->target_id, .relation = relation,
                         .weight = in->weight, .confidence = in->confidence,
                         .bidirectional = in->bidirectional || (r && r->flags & REL_SYMMETRIC), .status = EDGE_ACTIVE,
                         .valid_from = in->valid_from, .valid_to = in->valid_to, .recorded_at = c->now, .updated_at = c->now,
                         .metadata = in->metadata ? in->metadata : json_obj(c->arena), .version = 1};
}

struct making {
    const struct edge *rows;
    size_t n;
    struct uuid space_id;
};

static err edge_create_body(struct ctx *c, void *arg)
{
    const struct making *m = arg;
    struct audit *events = ARENA_ARRAY(c->arena, struct audit, m->n);
    struct uuid *targets = ARENA_ARRAY(c->arena, struct uuid, m->n);
    err r = edge_store_insert(c, m->rows, m->n);

    if (r == ERR_CONFLICT && db_was_duplicate(c)) {
        ctx_forgive(c);
        return fail(c, ERR_CONFLICT, "these two nodes have a %s edge already", m->rows->relation);
    }
    TRY(r);
    for (size_t i = 0; i < m->n; i++) {
        targets[i] = m->rows[i].target_id;
        events[i] = audit_of(c, "edge.create", m->space_id, NULL, &m->rows[i]);
    }
    TRY(node_write_references(c, targets, m->n));
    return audit_add_many(c, events, m->n);
}

static struct edge *edges_filled(struct ctx *c, const struct edge_new *in, size_t n)
{
    struct edge *rows = ARENA_ARRAY(c->arena, struct edge, n + 1);

    for (size_t i = 0; i < n; i++)
        rows[i] = edge_filled(c, &in[i], in[i].relation, relation_find(in[i].relation));
    return rows;
}

err edge_record(struct ctx *c, const struct edge_new *in, size_t n, struct uuid space_id)
{
    struct making m = {edges_filled(c, in, n), n, space_id};

    return n ? db_tx(c, edge_create_body, &m) : ERR_OK;
}

err edge_put_many(struct ctx *c, const struct edge_new *in, size_t n)
{
    return n ? edge_store_put(c, edges_filled(c, in, n), n) : ERR_OK;
}

err edge_drop_from(struct ctx *c, const struct uuid *sources, size_t n, const char *relation, struct uuids *targets)
{
    TRY(edge_store_targets(c, sources, n, relation, targets));
    return targets->n ? edge_store_retire(c, &(struct edge_pick){.sources = {sources, n}, .relation = relation}) : ERR_OK;
}

err edge_drop_ends(struct ctx *c, const struct uuid *targets, size_t n)
{
    return n ? edge_store_retire(c, &(struct edge_pick){.targets = {targets, n}}) : ERR_OK;
}

err edge_put_ids(struct ctx *c, const struct edge_new *in, size_t n, struct uuid *ids)
{
    struct edge *rows = edges_filled(c, in, n);

    for (size_t i = 0; i < n; i++)
        ids[i] = rows[i].id;
    return n ? edge_store_put(c, rows, n) : ERR_OK;
}

err edge_around(struct ctx *c, const struct uuid *nodes, size_t n, size_t max, struct list *out)
{
    return edge_store_touching(c, nodes, n, max, out);
}

err edge_drop(struct ctx *c, const struct uuid *ids, size_t n)
{
    return n ? edge_store_retire(c, &(struct edge_pick){.ids = {ids, n}}) : ERR_OK;
}

static err edge_retire_body(struct ctx *c, void *arg)
{
    const struct making *m = arg;
    struct audit *events = ARENA_ARRAY(c->arena, struct audit, m->n + 1);
    struct edge *after = ARENA_ARRAY(c->arena, struct edge, m->n + 1);
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, m->n + 1);

    for (size_t i = 0; i < m->n; i++) {
        ids[i] = m->rows[i].id;
        after[i] = m->rows[i];
        after[i].version++;
        events[i] = audit_of(c, "edge.retire", m->space_id, &m->rows[i], &after[i]);
    }
    TRY(edge_store_retire(c, &(struct edge_pick){.ids = {ids, m->n}}));
    return audit_add_many(c, events, m->n);
}

err edge_retire_owned(struct ctx *c, const struct edge *rows, size_t n, struct uuid space_id)
{
    struct making m = {rows, n, space_id};

    return n ? db_tx(c, edge_retire_body, &m) : ERR_OK;
}

err edge_owned_of(struct ctx *c, const char *relation, const struct uuid *sources, size_t n, struct list *out)
{
    return edge_store_of_sources(c, relation, sources, n, out);
}

err edge_mark_owned(struct ctx *c, const struct edge_mark *marks, size_t n, struct uuid space_id)
{
    struct audit *events = ARENA_ARRAY(c->arena, struct audit, n + 1);
    struct edge *after = ARENA_ARRAY(c->arena, struct edge, n + 1);

    for (size_t i = 0; i < n; i++) {
        after[i] = *marks[i].was;
        after[i].metadata = marks[i].metadata;
        after[i].version++;
        after[i].updated_at = c->now;
        events[i] = audit_of(c, "edge.update", space_id, marks[i].was, &after[i]);
    }
    if (!n)
        return ERR_OK;
    TRY(edge_store_mark(c, after, n));
    return audit_add_many(c, events, n);
}

static err edge_create_as(struct ctx *c, const struct edge_new *in, bool as_owner, struct edge *out)
{
    const struct relation *r;
    const char *relation;
    struct making m;
    struct edge e;

    TRY(check_relation(c, in->relation, as_owner, &r, &relation));
    e = edge_filled(c, in, relation, r);
    m = (struct making){.rows = &e, .n = 1};
    TRY(check_numbers(c, &e));
    TRY(check_ends(c, in, r, &m.space_id));
    TRY(db_tx(c, edge_create_body, &m));
    *out = e;
    return ERR_OK;
}

err edge_create(struct ctx *c, const struct edge_new *in, struct edge *out)
{
    return edge_create_as(c, in, false, out);
}

err edge_create_owned(struct ctx *c, const struct edge_new *in, struct edge *out)
{
    return edge_create_as(c, in, true, out);
}

/* ---- reading */

/* The source's space, or a missing edge where the caller cannot read both ends. */
static err ends_of(struct ctx *c, const struct edge *e, struct uuid *space_id)
{
    struct node_brief ends[2];

    TRY(node_briefs(c, (const struct uuid[]){e->source_id, e->target_id}, 2, ends));
    if (uuid_is_nil(ends[0].id) || uuid_is_nil(ends[1].id))
        return edge_missing(c, e->id);
    *space_id = ends[0].space_id;
    return ERR_OK;
}

err edge_get(struct ctx *c, struct uuid id, struct edge *out)
{
    struct edge e = {0};
    struct uuid space_id;
    bool found;

    TRY(edge_store_get(c, id, &found, &e));
    if (!found)
        return edge_missing(c, id);
    TRY(ends_of(c, &e, &space_id));
    *out = e;
    return ERR_OK;
}

err edge_list(struct ctx *c, const struct edge_filter *f, struct page *out)
{
    struct edge_filter g = *f;
    const struct relation *r = relation_find(f->relation);
    struct node_brief node;
    struct uuid before;
    struct edge *rows;
    size_t n;

    if (r)
        g.relation = r->name;
    TRY(page_begin(c, f->cursor, &before));
    if (!uuid_is_nil(f->node_id)) {
        TRY(node_briefs(c, &f->node_id, 1, &node));
        if (uuid_is_nil(node.id))
            return fail(c, ERR_NOT_FOUND, "no node %s", UUID_STR(f->node_id));
    }
    TRY(edge_store_list(c, &g, before, &rows, &n));
    PAGE_END(c, out, rows, n, f->limit, struct edge, id);
    return ERR_OK;
}

/* ---- changing */

struct change {
    struct uuid id;
    int64_t if_version;
    const struct edge_patch *patch; /* NULL: retire */
    bool as_owner;                  /* for the room that the relation belongs to */
    struct edge before, after;
};

static err edge_take(struct ctx *c, struct change *h, struct uuid *space_id)
{
    const struct relation *r;
    bool found;

    h->before = (struct edge){0};
    TRY(edge_store_lock(c, h->id, &found, &h->before));
    if (!found)
        return edge_missing(c, h->id);
    TRY(ends_of(c, &h->before, space_id));
    TRY(access_require(c, *space_id, ACCESS_WRITE));
    TRY(match_version(c, h->if_version, h->before.version));
    r = relation_find(h->before.relation);
    if (!h->as_owner && r && r->flags & REL_OWNED)
        return fail(c, ERR_CONFLICT, "owned_relation: %s is maintained by Loci and cannot be written here", r->name);
    return h->before.retired_at.us ? fail(c, ERR_CONFLICT, "the edge is retired and cannot be changed") : ERR_OK;
}

static err merged_metadata(struct ctx *c, struct change *h, const struct json *patch)
{
    struct json *old;
    const char *why;

    if (json_parse(c->arena, h->before.metadata->s, strlen(h->before.metadata->s), &old, &why) != JSON_OK)
        return fail(c, ERR_INTERNAL, "stored metadata cannot be read: %s", why);
    h->after.metadata = patch ? json_merge_patch(c->arena, old, patch) : json_obj(c->arena);
    return ERR_OK;
}

static err edge_apply(struct ctx *c, struct change *h)
{
    const struct edge_patch *p = h->patch;
    struct edge *e = &h->after;

    if (p->set & EDGE_SET_WEIGHT)
        e->weight = p->weight;
    if (p->set & EDGE_SET_CONFIDENCE)
        e->confidence = p->confidence;
    if (p->set & EDGE_SET_BIDIRECTIONAL)
        e->bidirectional = p->bidirectional;
    if (p->set & EDGE_SET_STATUS)
        e->status = p->status;
    if (p->set & EDGE_SET_VALID_FROM)
        e->valid_from = p->valid_from;
    if (p->set & EDGE_SET_VALID_TO)
        e->valid_to = p->valid_to;
    if (p->set & EDGE_SET_METADATA)
        TRY(merged_metadata(c, h, p->metadata));
    return check_numbers(c, e);
}

static err edge_change_body(struct ctx *c, void *arg)
{
    struct change *h = arg;
    struct uuid space_id;
    bool done;

    TRY(edge_take(c, h, &space_id));
    h->after = h->before;
    if (h->patch && !h->patch->set)
        return ERR_OK;
    if (h->patch)
        TRY(edge_apply(c, h));
    else
        h->after.retired_at = c->now;
    h->after.version++;
    h->after.updated_at = c->now;
    TRY(edge_store_update(c, &h->after, h->before.version, &done));
    if (!done)
        return match_lost(c, h->if_version);
    return edge_changed(c, h->patch ? "edge.update" : "edge.retire", space_id, &h->before, &h->after);
}

err edge_update(struct ctx *c, struct uuid id, const struct edge_patch *p, struct edge *out)
{
    struct change h = {.id = id, .if_version = p->if_version, .patch = p};

    TRY(db_tx(c, edge_change_body, &h));
    *out = h.after;
    return ERR_OK;
}

err edge_retire(struct ctx *c, struct uuid id, int64_t if_version)
{
    struct change h = {.id = id, .if_version = if_version};

    return db_tx(c, edge_change_body, &h);
}

err edge_update_owned(struct ctx *c, struct uuid id, const struct edge_patch *p)
{
    return db_tx(c, edge_change_body, &(struct change){.id = id, .patch = p, .as_owner = true});
}

err edge_retire_by_owner(struct ctx *c, struct uuid id)
{
    return db_tx(c, edge_change_body, &(struct change){.id = id, .as_owner = true});
}

err edge_retire_of(struct ctx *c, struct uuid source_id, const char *relation)
{
    return edge_store_retire(c, &(struct edge_pick){.sources = {&source_id, 1}, .relation = relation});
}

err edge_retire_between(struct ctx *c, struct uuid source_id, struct uuid target_id, const char *relation)
{
    return edge_store_retire(c, &(struct edge_pick){.sources = {&source_id, 1}, .targets = {&target_id, 1}, .relation = relation});
}
