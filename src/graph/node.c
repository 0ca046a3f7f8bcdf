/* Reading nodes, and what making them has in common with changing them; see node.h. */
#include "node.h"

#include <stdlib.h>
#include <string.h>

#include "access.h"
#include "app.h"
#include "audit.h"
#include "changes.h"
#include "content.h"
#include "db.h"
#include "limit.h"
#include "node_impl.h"
#include "node_kind.h"
#include "node_row.h"
#include "node_store.h"
#include "outbox.h"
#include "space_room.h"

err node_missing(struct ctx *c, struct uuid id)
{
    return fail(c, ERR_NOT_FOUND, "no node %s", UUID_STR(id));
}

bool node_is_there(const struct ctx *c, const struct node *n)
{
    return !n->forgotten_at.us && strcmp(n->status, NODE_FORGOTTEN) != 0 && (!n->expires_at.us || n->expires_at.us > c->now.us);
}

struct lifecycle node_lifecycle(const struct node *n)
{
    return (struct lifecycle){.score = n->importance, .decay_rate = n->decay_rate, .floor = node_kind_floor(n->kind),
                              .decayed_at = n->decayed_at, .last_access_at = n->last_access_at, .is_pinned = n->is_pinned};
}

void node_set_lifecycle(struct node *n, const struct lifecycle *l)
{
    n->importance = l->score;
    n->decayed_at = l->decayed_at;
    n->last_access_at = l->last_access_at;
    n->is_pinned = l->is_pinned;
}

void node_present(const struct ctx *c, struct node *n)
{
    struct lifecycle l = node_lifecycle(n);

    n->importance_score = lifecycle_round(lifecycle_now(&l, c->now));
}

/* ---- checking */

err node_check_content(struct ctx *c, const char *kind, const char *title, const char *body, const struct json *attrs)
{
    size_t max = node_kind_has(kind, KIND_LONG) ? LIMIT_PAGE_BODY : LIMIT_NODE_BODY;

    if (!*title && !*body)
        return fail_field(c, "/body", "a node needs a title or a body");
    if (str_code_points(title, strlen(title)) > LIMIT_TITLE)
        return fail_field(c, "/title", "title must be at most %d characters long", LIMIT_TITLE);
    if (strlen(body) > max)
        return fail_field(c, "/body", "body must be at most %zu bytes long", max);
    if (attrs && attrs->type != JSON_OBJ)
        return fail_field(c, "/attrs", "attrs must be an object");
    if (attrs && strlen(json_text(c->arena, attrs)) > LIMIT_ATTRS)
        return fail_field(c, "/attrs", "attrs must be at most %d bytes of JSON", LIMIT_ATTRS);
    return ERR_OK;
}

static err node_in_range(struct ctx *c, const char *pointer, double v, double max)
{
    return v >= 0 && v <= max ? ERR_OK : fail_field(c, pointer, "%s must be 0 to %g", pointer + 1, max);
}

err node_check_numbers(struct ctx *c, const struct node *n)
{
    TRY(node_in_range(c, "/importance", n->importance, 1));
    TRY(node_in_range(c, "/confidence", n->confidence, 1));
    TRY(node_in_range(c, "/trust", n->trust, 1));
    TRY(node_in_range(c, "/decay_rate", n->decay_rate, 1000));
    if (n->valid_from.us && n->valid_to.us && n->valid_to.us < n->valid_from.us)
        return fail_field(c, "/valid_to", "valid_to is before valid_from");
    return ERR_OK;
}

static struct node node_fill(struct ctx *c, const struct node_new *in)
{
    const struct node_kind *kind = node_kind_find(in->kind);
    const char *title = in->title ? in->title : "", *body = in->body ? in->body : "";

    return (struct node){
        .id = in->id, .space_id = in->space_id, .kind = in->kind, .title = title, .body = body,
        .attrs = in->attrs ? in->attrs : json_obj(c->arena), .status = in->status ? in->status : NODE_ACTIVE,
        .importance = in->importance, .confidence = in->confidence, .trust = in->trust, .surprise = in->surprise,
        .decay_rate = in->decay_rate >= 0 ? in->decay_rate : lifecycle_rate(kind ? kind->half_life_days : 0),
        .decayed_at = c->now, .is_pinned = in->is_pinned, .source_kind = in->source_kind, .source_id = in->source_id,
        .author_kind = enumx_name(&principal_kind_enumx, (int)c->who->kind), .author_id = c->who->id,
        .occurrences = 1, .version = in->version ? in->version : 1, .valid_from = in->valid_from, .valid_to = in->valid_to,
        .created_at = c->now, .updated_at = c->now, .expires_at = in->expires_at, .changed = true};
}

/* What is computed from the content; apart from fill, so that a node that is refused costs no hash. */
static void node_finish(struct ctx *c, struct node *n)
{
    if (uuid_is_nil(n->id))
        n->id = uuid_new(c->now.us);
    n->content_hash = content_hash(c->arena, n->title, n->body, n->attrs);
    n->tokens = content_tokens(n->title) + content_tokens(n->body);
}

err node_check_place(struct ctx *c, const char *kind, struct uuid space_id)
{
    int of = access_space_kind(c->access, space_id);
    const struct space_room *r = of < 0 ? NULL : space_room_of(c, (enum space_kind)of);

    TRY(access_require(c, space_id, ACCESS_WRITE));
    if (r && r->keeps_nodes && node_kind_has(kind, KIND_GENERIC))
        return fail(c, ERR_CONFLICT, "a %s takes nodes only through its own calls: %s", enumx_name(&space_kind_enumx, of), r->calls);
    return ERR_OK;
}

static err node_check_input(struct ctx *c, const struct node_new *in, const struct node *n)
{
    if (!in->kind || !node_kind_find(in->kind))
        return fail_field(c, "/kind", "unknown node kind '%s'", in->kind ? in->kind : "");
    TRY(node_check_content(c, in->kind, n->title, n->body, in->attrs));
    TRY(node_check_numbers(c, n));
    if (in->expires_at.us && in->expires_at.us <= c->now.us)
        return fail_field(c, "/expires_at", "expires_at is in the past");
    return in->by_room ? access_require(c, in->space_id, ACCESS_WRITE) : node_check_place(c, in->kind, in->space_id);
}

err node_is_generic(struct ctx *c, struct uuid id)
{
    const struct node_kind *k;
    struct node n = {0};
    bool found;

    TRY(node_row_read(c, id, &found, &n));
    k = found && access_may_read(c, n.space_id) ? node_kind_find(n.kind) : NULL;
    return k && k->flags & KIND_OWN ? fail(c, ERR_CONFLICT, "nodes of kind %s are changed with %s", k->name, k->writer) : ERR_OK;
}

err node_check(struct ctx *c, const struct node_new *in)
{
    struct node n = node_fill(c, in);

    return node_check_input(c, in, &n);
}

/* ---- events */

/* Never the content: the trail outlives what is erased. */
static struct json *node_state_of(struct ctx *c, const struct node *n)
{
    struct json *j = json_obj(c->arena);

    json_set_str(c->arena, j, "kind", n->kind);
    json_set_str(c->arena, j, "status", n->status);
    json_set_int(c->arena, j, "version", n->version);
    json_set_int(c->arena, j, "tokens", n->tokens);
    if (n->importance != 0.5)
        json_set(c->arena, j, "importance", json_num(c->arena, n->importance));
    if (n->confidence != 1)
        json_set(c->arena, j, "confidence", json_num(c->arena, n->confidence));
    if (n->is_pinned)
        json_set_bool(c->arena, j, "is_pinned", true);
    return j;
}

struct audit node_audit(struct ctx *c, const char *verb, const struct node *before, const struct node *after)
{
    return (struct audit){.kind = verb, .subject_kind = "node", .subject_id = after->id, .space_id = after->space_id,
                          .before = before ? node_state_of(c, before) : NULL, .after = node_state_of(c, after), .is_news = true};
}

err node_changed(struct ctx *c, const char *verb, const struct node *before, const struct node *after)
{
    struct audit a = node_audit(c, verb, before, after);

    return audit_add(c, &a);
}

struct news {
    struct uuid *ids;
    size_t n;
};

static void node_tell(struct ctx *c, void *arg)
{
    const struct news *w = arg;

    c->app->nodes_written(c, w->ids, w->n);
}

void node_written(struct ctx *c, const struct uuid *ids, size_t n)
{
    struct news *w;

    if (!c->app->nodes_written || !n)
        return;
    if (!db_in_tx(c)) {
        c->app->nodes_written(c, ids, n);
        return;
    }
    w = ARENA_NEW(c->arena, struct news);
    *w = (struct news){arena_memdup(c->arena, ids, n * sizeof *ids), n};
    ctx_after_tx(c, node_tell, w);
}

err node_promise_vectors(struct ctx *c, const struct uuid *ids, size_t n)
{
    return n && c->app->vectors_later ? c->app->vectors_later(c, ids, n) : ERR_OK;
}

err node_prepare(struct ctx *c, const struct node_new *in, struct node *out)
{
    *out = node_fill(c, in);
    TRY(node_check_input(c, in, out));
    node_finish(c, out);
    return ERR_OK;
}

/* ---- reading */

/* An old version goes with its node: it is not there while that is forgotten or over. */
static err node_find(struct ctx *c, struct uuid id, bool *found, struct node *n)
{
    struct node_brief b;
    size_t heads;

    TRY(node_row_read(c, id, found, n));
    *found = *found && access_may_read(c, n->space_id) && node_is_there(c, n);
    if (!*found || strcmp(n->status, NODE_VERSION) != 0)
        return ERR_OK;
    TRY(node_store_briefs(c, &id, 1, &b, &heads));
    *found = heads != 0;
    return ERR_OK;
}

err node_get(struct ctx *c, struct uuid id, struct node *out)
{
    struct node n = {0};
    bool found;

    TRY(node_find(c, id, &found, &n));
    if (!found)
        return node_missing(c, id);
    node_present(c, &n);
    *out = n;
    return ERR_OK;
}

static const char *excerpt_of(struct ctx *c, const char *body)
{
    size_t bytes = str_first_bytes(body, NODE_EXCERPT);

    return body[bytes] ? arena_strndup(c->arena, body, bytes) : body;
}

static void present_rows(struct ctx *c, struct node *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        node_present(c, &rows[i]);
        rows[i].excerpt = excerpt_of(c, rows[i].excerpt);
    }
}

/* Forgotten nodes are listed for those who could bring them back. */
static err spaces_of(struct ctx *c, const struct node_filter *f, struct uuid **ids, size_t *n)
{
    bool forgotten = f->status && strcmp(f->status, NODE_FORGOTTEN) == 0;
    enum access_level level = forgotten ? ACCESS_WRITE : ACCESS_READ;
    size_t k = 0;

    if (!uuid_is_nil(f->space_id)) {
        TRY(access_require(c, f->space_id, level));
        *ids = arena_memdup(c->arena, &f->space_id, sizeof f->space_id);
        *n = 1;
        return ERR_OK;
    }
    *ids = ARENA_ARRAY(c->arena, struct uuid, c->access->n + 1);
    for (size_t i = 0; i < c->access->n; i++)
        if (c->access->spaces[i].level >= level)
            (*ids)[k++] = c->access->spaces[i].space_id;
    *n = k;
    return ERR_OK;
}

err node_list(struct ctx *c, const struct node_filter *f, struct page *out)
{
    struct uuid before, *spaces;
    struct node *rows;
    size_t n, n_spaces;

    if (f->status && strcmp(f->status, NODE_VERSION) == 0)
        return fail_field(c, "/status", "old versions are listed by the versions call of their node");
    TRY(page_begin(c, f->cursor, &before));
    TRY(spaces_of(c, f, &spaces, &n_spaces));
    TRY(node_store_list(c, f, before, spaces, n_spaces, &rows, &n));
    present_rows(c, rows, n);
    PAGE_END(c, out, rows, n, f->limit, struct node, id);
    return ERR_OK;
}

err node_versions(struct ctx *c, struct uuid id, bool with_body, int64_t limit, const char *cursor, struct page *out)
{
    struct node head, *rows;
    struct uuid from;
    size_t n;

    TRY(page_begin(c, cursor, &from));
    TRY(node_get(c, id, &head));
    TRY(node_store_versions(c, id, str_empty(cursor) ? id : from, with_body, limit, &rows, &n));
    present_rows(c, rows, n);
    PAGE_END(c, out, rows, n, limit, struct node, id);
    return ERR_OK;
}

static int node_by_id(const void *a, const void *b)
{
    return uuid_cmp(((const struct node_brief *)a)->id, ((const struct node_brief *)b)->id);
}

err node_briefs(struct ctx *c, const struct uuid *ids, size_t n, struct node_brief *out)
{
    struct node_brief *rows = ARENA_ARRAY(c->arena, struct node_brief, n + 1);
    size_t found = 0;

    if (n)
        TRY(node_store_briefs(c, ids, n, rows, &found));
    qsort(rows, found, sizeof *rows, node_by_id);
    for (size_t i = 0; i < n; i++) {
        struct node_brief key = {.id = ids[i]};
        struct node_brief *hit = bsearch(&key, rows, found, sizeof *rows, node_by_id);

        out[i] = hit && access_may_read(c, hit->space_id) ? *hit : (struct node_brief){0};
    }
    return ERR_OK;
}

#define KINDS_MAX 100

err node_stats(struct ctx *c, struct node_stats *out)
{
    struct node_count *rows = ARENA_ARRAY(c->arena, struct node_count, KINDS_MAX + 1);
    struct node_stats s = {.spaces = (int64_t)c->access->n, .kinds = {rows, 0}};

    TRY(node_store_counts(c, c->access->readable, c->access->n, rows, KINDS_MAX, &s.kinds.n));
    for (size_t i = 0; i < s.kinds.n; i++) {
        s.nodes += rows[i].n;
        s.archived += rows[i].archived;
    }
    *out = s;
    return ERR_OK;
}
