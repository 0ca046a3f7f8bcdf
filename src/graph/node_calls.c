/* The operations of nodes. */
#include "node_calls.h"
#include "graph_calls.h"
#include "node.h"
#include "node_kind.h"
#include "space.h"

#define TAG .tag = "nodes"
#define VERSION_MAX 9e15

ENUMX_DEFINE(node_source, NODE_SOURCE);

/* ---- answers */

#define FIELDS \
    F_UUID(struct node, id, 0, "id of the node"), \
    F_UUID(struct node, space_id, 0, "space it lives in"), \
    F_STR(struct node, kind, 0, 0, 32, "what it is"), \
    F_STR(struct node, title, 0, 0, LIMIT_TITLE, "short text"), \
    F_OBJECT(struct node, attrs, 0, LIMIT_ATTRS, "what only this node has"), \
    F_STR(struct node, status, 0, 0, 16, "active, archived, forgotten, version, or a word of its kind"), \
    F_NUM(struct node, importance, 0, 0, 1, 0.5, "stored importance, true at decayed_at"), \
    F_NUM(struct node, importance_score, 0, 0, 1, 0.5, "importance now, after decay"), \
    F_NUM(struct node, confidence, 0, 0, 1, 1, "how sure its author was"), \
    F_NUM(struct node, trust, 0, 0, 1, 0.5, "how far its origin is trusted"), \
    F_NUM(struct node, surprise, 0, -1e9, 1e9, 0, "how unexpected it was"), \
    F_NUM(struct node, decay_rate, 0, 0, 1000, 0, "how fast importance fades, per day"), \
    F_BOOL(struct node, is_pinned, 0, false, "does not fade"), \
    F_INT(struct node, access_count, 0, 0, VERSION_MAX, 0, "reads that counted as use, up to the last flush"), \
    F_INT(struct node, referenced_count, 0, 0, VERSION_MAX, 0, "times another node pointed here"), \
    F_INT(struct node, occurrences, 0, 1, VERSION_MAX, 1, "times the same content came in"), \
    F_INT(struct node, tokens, 0, 0, VERSION_MAX, 0, "estimated tokens of title and body"), \
    F_STR(struct node, source_kind, FIELD_NULLABLE, 0, 32, "where it came from"), \
    F_STR(struct node, source_id, FIELD_NULLABLE, 0, 255, "id there"), \
    F_STR(struct node, author_kind, 0, 0, 8, "user, agent or system"), \
    F_UUID(struct node, author_id, FIELD_NULLABLE, "who wrote this content"), \
    F_INT(struct node, version, 0, 1, VERSION_MAX, 1, "grows with every change"), \
    F_UUID(struct node, previous_id, FIELD_NULLABLE, "row that holds the version before"), \
    F_UUID(struct node, superseded_by, FIELD_NULLABLE, "node that took its place"), \
    F_TIME(struct node, valid_from, FIELD_NULLABLE, "true in the world from"), \
    F_TIME(struct node, valid_to, FIELD_NULLABLE, "true in the world until"), \
    F_TIME(struct node, created_at, 0, "when it was made"), \
    F_TIME(struct node, updated_at, 0, "when it was last changed"), \
    F_TIME(struct node, decayed_at, 0, "instant at which the stored importance was true"), \
    F_TIME(struct node, last_access_at, FIELD_NULLABLE, "last use, up to the last flush"), \
    F_TIME(struct node, expires_at, FIELD_NULLABLE, "invisible from here on"), \
    F_TIME(struct node, archived_at, FIELD_NULLABLE, "when it was archived"), \
    F_TIME(struct node, forgotten_at, FIELD_NULLABLE, "when it was forgotten")

static const struct field NODE_OUT[] = {
    FIELDS,
    F_STR(struct node, body, 0, 0, LIMIT_PAGE_BODY, "the content"),
    F_END
};

static const struct field CREATED_OUT[] = {
    FIELDS,
    F_STR(struct node, body, 0, 0, LIMIT_PAGE_BODY, "the content"),
    F_UUID(struct node, duplicate_of, FIELD_NULLABLE, "the id, where this node was there and says the same: none was written"),
    F_STRS(struct node, not_taken, 0, 8, "what was asked otherwise than that node has it; update changes it"),
    F_END
};

static const struct field CHANGED_OUT[] = {
    FIELDS,
    F_STR(struct node, body, 0, 0, LIMIT_PAGE_BODY, "the content"),
    F_BOOL(struct node, changed, 0, false, "whether the content became another, and the old one a version"),
    F_END
};

static const struct field ROW_OUT[] = {
    FIELDS,
    F_STR(struct node, excerpt, 0, 0, 300, "the first characters of the content"),
    F_STR(struct node, body, FIELD_NULLABLE, 0, LIMIT_PAGE_BODY, "the content, where with_body was asked for"),
    F_END
};

/* ---- create */

const struct field NODE_CREATE_IN[] = {
    F_UUID(struct node_create_in, space_id, FIELD_NULLABLE, "where it shall live; an agent that leaves it out writes to its own "
                                                            "namespace, a person must say it"),
    F_STR(struct node_create_in, kind, FIELD_SLUG, 1, 32, "note (default), entity, episode or goal; other kinds have calls of their own"),
    F_STR(struct node_create_in, title, 0, 0, LIMIT_TITLE, "short text; title or body must be there"),
    F_STR(struct node_create_in, body, FIELD_RAW, 0, LIMIT_NODE_BODY, "the content, up to 262144 bytes"),
    F_OBJECT(struct node_create_in, attrs, FIELD_NULLABLE, LIMIT_ATTRS, "what only this node has"),
    F_NUM(struct node_create_in, importance, 0, 0, 1, 0.5, "how much it matters"),
    F_NUM(struct node_create_in, confidence, 0, 0, 1, 1, "how sure you are"),
    F_NUM(struct node_create_in, decay_rate, FIELD_NULLABLE, 0, 1000, -1, "how fast importance fades, per day; left out: what its kind has"),
    F_BOOL(struct node_create_in, is_pinned, 0, false, "does not fade"),
    F_ENUM(struct node_create_in, source_kind, FIELD_NULLABLE, node_source, NODE_SOURCE_CALLER, "where it came from, if not from the caller"),
    F_STR(struct node_create_in, source_id, FIELD_NULLABLE, 0, 255, "id there"),
    F_TIME(struct node_create_in, valid_from, FIELD_NULLABLE, "true in the world from"),
    F_TIME(struct node_create_in, valid_to, FIELD_NULLABLE, "true in the world until"),
    F_TIME(struct node_create_in, expires_at, FIELD_NULLABLE, "invisible from here on"),
    F_BOOL(struct node_create_in, allow_duplicate, 0, false, "write it although a node of its space and kind says the same"),
    F_END
};

static err check_kind(struct ctx *c, const char *kind)
{
    const struct node_kind *k = node_kind_find(kind);

    if (!k)
        return fail_field(c, "/kind", "'%s' is not a kind of node; this call writes note, entity, episode and goal", kind);
    if (!(k->flags & KIND_GENERIC))
        return fail_field(c, "/kind", "nodes of kind %s are written by %s", kind, k->writer);
    return ERR_OK;
}

err node_new_from(struct ctx *c, const struct node_create_in *in, struct node_new *out)
{
    *out = (struct node_new){
        NODE_NEW_DEFAULTS, .space_id = in->space_id, .kind = in->kind ? in->kind : "note", .title = in->title,
        .body = in->body, .attrs = in->attrs, .source_id = in->source_id, .is_pinned = in->is_pinned,
        .valid_from = in->valid_from, .valid_to = in->valid_to, .expires_at = in->expires_at, .once = !in->allow_duplicate};
    out->importance = in->importance;
    out->confidence = in->confidence;
    out->decay_rate = in->decay_rate;
    out->source_kind = in->source_kind == NODE_SOURCE_CALLER ? enumx_name(&principal_kind_enumx, (int)c->who->kind)
                                                             : enumx_name(&node_source_enumx, (int)in->source_kind);
    TRY(check_kind(c, out->kind));
    return uuid_is_nil(out->space_id) ? space_own(c, &out->space_id) : ERR_OK;
}

static err node_call_create(struct ctx *c, const void *in, void *out)
{
    struct node_new n;

    TRY(node_new_from(c, in, &n));
    return node_create(c, &n, out);
}

static const struct op NODE_CREATE = {
    .name = "node.create", .method = "POST", .path = "/api/v1/nodes", .tool = "remember", TAG,
    .summary = "Write a node: a note, an entity, an episode or a goal.",
    .help = "If an active node of the same space and kind has the same title, body and attrs, nothing is written: the answer is 200 with "
            "that node, and duplicate_of is its id. The node stays as it is; not_taken names the other fields that you sent with "
            "different values. allow_duplicate writes a second node. Episodes are never compared, nor are nodes with valid_from, "
            "valid_to or expires_at.",
    .perm = PERM_MEMORY_WRITE, .flags = OP_CREATES | OP_FINDS | OP_ETAG,
    OP_IN(NODE_CREATE_IN, struct node_create_in), OP_OUT(CREATED_OUT, struct node), .run = node_call_create,
};

/* ---- read */

struct get_in {
    struct uuid id;
    bool touch;
};

static const struct field GET_IN[] = {
    F_UUID(struct get_in, id, FIELD_REQUIRED, "id of the node"),
    F_BOOL(struct get_in, touch, 0, true, "false: this read does not count as use"),
    F_END
};

static err node_call_get(struct ctx *c, const void *in, void *out)
{
    const struct get_in *i = in;
    struct node *n = out;

    TRY(node_get(c, i->id, n));
    if (i->touch && !str_eq(n->status, NODE_VERSION))
        node_use(c, i->id);
    return ERR_OK;
}

static const struct op NODE_GET = {
    .name = "node.get", .method = "GET", .path = "/api/v1/nodes/:id", .tool = "read_memory", TAG,
    .summary = "Read a node.", .help = "Reading counts as use, which keeps importance up; touch=false reads without a trace.",
    .perm = PERM_MEMORY_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_ETAG,
    OP_IN(GET_IN, struct get_in), OP_OUT(NODE_OUT, struct node), .run = node_call_get,
};

static const struct field LIST_IN[] = {
    F_UUID(struct node_filter, space_id, FIELD_NULLABLE, "only nodes of this space"),
    F_STR(struct node_filter, kind, FIELD_SLUG, 1, 32, "only nodes of this kind"),
    F_STR(struct node_filter, status, FIELD_SLUG, 1, 16, "only nodes with this status; forgotten ones show to who may write the space"),
    F_STR(struct node_filter, q, 0, 0, LIMIT_TITLE, "part of the title"),
    F_BOOL(struct node_filter, include_archived, 0, false, "archived nodes too"),
    F_BOOL(struct node_filter, with_body, 0, false, "the whole content of each node"),
    F_PAGE(struct node_filter),
    F_END
};

OP_CALL(NODE_LIST, struct node_filter, struct page, node_list(c, in, out),
        .name = "node.list", .method = "GET", .path = "/api/v1/nodes", .tool = "list_memories", TAG,
        .summary = "List nodes that the caller can read, newest first.", .help = "Lists do not count as use.",
        .perm = PERM_MEMORY_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST,
        OP_IN(LIST_IN, struct node_filter), OP_OUT(ROW_OUT, struct node));

struct versions_in {
    struct uuid id;
    bool with_body;
    int64_t limit;
    const char *cursor;
};

static const struct field VERSIONS_IN[] = {
    F_UUID(struct versions_in, id, FIELD_REQUIRED, "id of the node"),
    F_BOOL(struct versions_in, with_body, 0, false, "the whole content of each version"),
    F_PAGE(struct versions_in),
    F_END
};

OP_CALL(NODE_VERSIONS, struct versions_in, struct page, node_versions(c, in->id, in->with_body, in->limit, in->cursor, out),
        .name = "node.versions", .method = "GET", .path = "/api/v1/nodes/:id/versions", .tool = "memory_history", TAG,
        .summary = "List the older states of a node, newest first.",
        .help = "A version was what the node said until its updated_at. Each can be read by its own id.",
        .perm = PERM_MEMORY_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST,
        OP_IN(VERSIONS_IN, struct versions_in), OP_OUT(ROW_OUT, struct node));

/* ---- change */

struct update_in {
    struct given given;
    struct uuid id;
    int64_t if_version;
    const char *title, *body;
    const struct json *attrs;
    double importance, confidence, decay_rate;
    bool is_pinned;
    struct instant valid_from, valid_to, expires_at;
};

static const struct field UPDATE_IN[] = {
    F_UUID(struct update_in, id, FIELD_REQUIRED, "id of the node"),
    F_INT(struct update_in, if_version, FIELD_NULLABLE, 1, VERSION_MAX, 0, "only if this is its version; the same as If-Match"),
    F_STR(struct update_in, title, 0, 0, LIMIT_TITLE, "short text"),
    F_STR(struct update_in, body, FIELD_RAW, 0, LIMIT_NODE_BODY, "the content, up to 262144 bytes"),
    F_OBJECT(struct update_in, attrs, 0, LIMIT_ATTRS, "merged into attrs (RFC 7396)"),
    F_NUM(struct update_in, importance, FIELD_UNSAID, 0, 1, 0.5, "how much it matters, from now on"),
    F_NUM(struct update_in, confidence, FIELD_UNSAID, 0, 1, 1, "how sure you are"),
    F_NUM(struct update_in, decay_rate, FIELD_UNSAID, 0, 1000, 0, "how fast importance fades, per day"),
    F_BOOL(struct update_in, is_pinned, FIELD_UNSAID, false, "does not fade"),
    F_TIME(struct update_in, valid_from, FIELD_NULLABLE, "true in the world from"),
    F_TIME(struct update_in, valid_to, FIELD_NULLABLE, "true in the world until"),
    F_TIME(struct update_in, expires_at, FIELD_NULLABLE, "invisible from here on; null: never"),
    F_END
};

static unsigned node_call_bits_of(const struct update_in *i)
{
    return (given(i, title) ? NODE_SET_TITLE : 0) | (given(i, body) ? NODE_SET_BODY : 0) |
           (given(i, attrs) ? NODE_SET_ATTRS : 0) | (given(i, importance) ? NODE_SET_IMPORTANCE : 0) |
           (given(i, confidence) ? NODE_SET_CONFIDENCE : 0) | (given(i, decay_rate) ? NODE_SET_DECAY_RATE : 0) |
           (given(i, is_pinned) ? NODE_SET_PINNED : 0) | (given(i, valid_from) ? NODE_SET_VALID_FROM : 0) |
           (given(i, valid_to) ? NODE_SET_VALID_TO : 0) | (given(i, expires_at) ? NODE_SET_EXPIRES : 0);
}

static err node_call_update(struct ctx *c, const void *in, void *out)
{
    const struct update_in *i = in;
    struct node_patch p = {
        .set = node_call_bits_of(i), .if_version = i->if_version, .title = i->title, .body = i->body, .attrs = i->attrs,
        .importance = i->importance, .confidence = i->confidence, .decay_rate = i->decay_rate, .is_pinned = i->is_pinned,
        .valid_from = i->valid_from, .valid_to = i->valid_to, .expires_at = i->expires_at};

    if (p.set & NODE_SET_CONTENT)
        TRY(node_is_generic(c, i->id));
    return node_update(c, i->id, &p, out);
}

static const struct op NODE_UPDATE = {
    .name = "node.update", .method = "PATCH", .path = "/api/v1/nodes/:id", .tool = "update_memory", TAG,
    .summary = "Change a node.",
    .help = "What is left out stays as it is. Another title, body or attrs makes a new version and keeps the old one; equal content "
            "answers changed=false. Episodes are never edited. Archived nodes must be unarchived first.",
    .perm = PERM_MEMORY_WRITE, .flags = OP_ETAG | OP_MATCH | OP_GIVEN,
    OP_IN(UPDATE_IN, struct update_in), OP_OUT(CHANGED_OUT, struct node), .run = node_call_update,
};

struct id_in {
    struct uuid id;
    int64_t if_version;
};

static const struct field ID_IN[] = {
    F_UUID(struct id_in, id, FIELD_REQUIRED, "id of the node"),
    F_END
};

static const struct field MATCH_IN[] = {
    F_UUID(struct id_in, id, FIELD_REQUIRED, "id of the node"),
    F_INT(struct id_in, if_version, FIELD_NULLABLE, 1, VERSION_MAX, 0, "only if this is its version; the same as If-Match"),
    F_END
};

#define CHANGE(verb_, tool_, in_, flags_, summary_, help_, run_) \
    {.name = "node." verb_, .method = "POST", .path = "/api/v1/nodes/:id/" verb_, .tool = (tool_), TAG, .summary = (summary_), .help = (help_), \
     .perm = PERM_MEMORY_WRITE, .flags = OP_IDEMPOTENT | OP_ETAG | (flags_), OP_IN(in_, struct id_in), \
     OP_OUT(NODE_OUT, struct node), .run = (run_)}

static err node_call_archive(struct ctx *c, const void *in, void *out)
{
    const struct id_in *i = in;

    TRY(node_is_generic(c, i->id));
    return node_archive(c, i->id, i->if_version, out);
}

static const struct op NODE_ARCHIVE = CHANGE("archive", NULL, MATCH_IN, OP_MATCH, "Put a node out of the way.",
    "Recall and lists leave it out; it can be read by its id and not be changed until it is unarchived.", node_call_archive);

static err node_call_unarchive(struct ctx *c, const void *in, void *out)
{
    const struct id_in *i = in;

    TRY(node_is_generic(c, i->id));
    return node_unarchive(c, i->id, i->if_version, out);
}

static const struct op NODE_UNARCHIVE = CHANGE("unarchive", NULL, MATCH_IN, OP_MATCH, "Bring an archived node back.", NULL,
                                               node_call_unarchive);

static err node_call_restore(struct ctx *c, const void *in, void *out)
{
    const struct id_in *i = in;

    TRY(node_is_generic(c, i->id));
    return node_restore(c, i->id, out);
}

static const struct op NODE_RESTORE = CHANGE("restore", "restore_memory", ID_IN, 0, "Bring a forgotten node back.", NULL,
                                             node_call_restore);

#define NODE_PINNING(NAME, is_pinned_, verb_, tool_, summary_) \
    OP_CALL(NAME, struct id_in, struct node, node_pin(c, in->id, is_pinned_, out), \
            .name = "node." verb_, .method = "POST", .path = "/api/v1/nodes/:id/" verb_, .tool = tool_, TAG, .summary = summary_, \
            .perm = PERM_MEMORY_WRITE, .flags = OP_IDEMPOTENT | OP_ETAG, OP_IN(ID_IN, struct id_in), OP_OUT(NODE_OUT, struct node))

NODE_PINNING(NODE_PIN, true, "pin", "pin_memory", "Keep a node from fading.");
NODE_PINNING(NODE_UNPIN, false, "unpin", "unpin_memory", "Let a pinned node fade again, from now on.");

static err node_call_forget(struct ctx *c, const void *in, void *out)
{
    const struct id_in *i = in;

    (void)out;
    TRY(node_is_generic(c, i->id));
    return node_forget(c, i->id, i->if_version);
}

static const struct op NODE_FORGET = {
    .name = "node.forget", .method = "DELETE", .path = "/api/v1/nodes/:id", .tool = "forget", TAG,
    .summary = "Forget a node.", .help = "It leaves every read until it is restored; erasing is another call.",
    .perm = PERM_MEMORY_WRITE, .flags = OP_DESTRUCTIVE | OP_MATCH | OP_NO_BODY,
    OP_IN(MATCH_IN, struct id_in), .run = node_call_forget,
};

/* ---- counts */

static const struct field COUNT_OUT[] = {
    F_STR(struct node_count, kind, 0, 0, 32, "kind of node"),
    F_INT(struct node_count, n, 0, 0, VERSION_MAX, 0, "nodes of the kind"),
    F_INT(struct node_count, archived, 0, 0, VERSION_MAX, 0, "those of them that are archived"),
    F_END
};

static const struct field STATS_OUT[] = {
    F_INT(struct node_stats, nodes, 0, 0, VERSION_MAX, 0, "nodes in the spaces that the caller can read"),
    F_INT(struct node_stats, archived, 0, 0, VERSION_MAX, 0, "those of them that are archived"),
    F_INT(struct node_stats, spaces, 0, 0, VERSION_MAX, 0, "spaces that the caller can read"),
    F_LIST(struct node_stats, kinds, 0, 100, COUNT_OUT, struct node_count, "the same by kind"),
    F_END
};

OP_CALL(STATS_GET, void, struct node_stats, node_stats(c, out),
        .name = "stats.get", .method = "GET", .path = "/api/v1/stats", TAG,
        .summary = "Count what the caller can read, by kind.", .perm = PERM_MEMORY_READ, .flags = OP_READONLY | OP_IDEMPOTENT,
        OP_OUT(STATS_OUT, struct node_stats));

const struct op *const node_calls_table[] = {&NODE_CREATE, &NODE_LIST, &node_bulk_op, &NODE_GET, &NODE_UPDATE, &NODE_FORGET, &NODE_VERSIONS,
                                             &NODE_ARCHIVE, &NODE_UNARCHIVE, &NODE_RESTORE, &NODE_PIN, &NODE_UNPIN, &STATS_GET, NULL};
