/* Writing entries: made under a key, changed by versions; see entry.h. */
#include <string.h>

#include "context_store.h"
#include "db.h"
#include "entry_impl.h"
#include "fact.h"
#include "match.h"
#include "merge.h"
#include "random.h"
#include "tags.h"

struct writing {
    const char *context, *ref;
    const struct entry_new *in;          /* entry_put */
    const struct entry_patch *patch;     /* entry_update */
    int64_t revert_to;                   /* entry_revert */
    struct entry made;
};

err entry_lock_context(struct ctx *c, const char *ref, struct context *out)
{
    struct uuid id;
    bool found;

    TRY(context_find(c, ref, out));
    if (out->status == SPACE_ARCHIVED)
        return fail(c, ERR_CONFLICT, "the context is archived; unarchive it before you change it");
    TRY(context_require(c, out, ACCESS_WRITE, LOGGED_WRITE));
    id = out->id;
    *out = (struct context){0};
    TRY(context_store_lock(c, id, &found, out));
    return found ? ERR_OK : context_missing(c);
}

/* The entry as it is now, for the answer. */
static err reload(struct ctx *c, struct uuid space_id, struct uuid id, struct entry *out)
{
    struct entry_row e = {0};
    bool found;

    TRY(entry_store_by_id(c, space_id, id, &found, &e));
    if (!found)
        return entry_missing(c);
    entry_present(c, &e);
    *out = e.entry;
    return ERR_OK;
}

/* ---- a node for it: of its own kind, or a fact */

static struct fact_new fact_of(struct ctx *c, const struct context *x, const struct entry *e)
{
    return (struct fact_new){
        .space_id = x->id, .subject = e->entry_key, .predicate = "value", .object = e->content, .statement = e->content_text,
        .attrs = entry_labels(c, e), .importance = e->importance_score, .confidence = e->confidence_score,
        .decay_rate = e->decay_rate, .is_pinned = e->is_pinned, .source_kind = e->source_type, .source_id = e->source_id,
        .expires_at = e->expires_at};
}

static err make_node(struct ctx *c, const struct context *x, const struct entry *e, struct node *out)
{
    struct node_new n = {NODE_NEW_DEFAULTS, .space_id = x->id, .kind = "entry", .title = e->entry_key, .body = e->content_text,
                         .attrs = entry_labels(c, e), .is_pinned = e->is_pinned, .source_kind = e->source_type,
                         .source_id = e->source_id, .expires_at = e->expires_at};
    struct fact_recorded f;

    if (e->memory_type == MEMORY_FACTUAL) {
        struct fact_new in = fact_of(c, x, e);

        TRY(fact_record(c, &in, &f));
        *out = f.node;
        return ERR_OK;
    }
    n.importance = e->importance_score;
    n.confidence = e->confidence_score;
    n.decay_rate = e->decay_rate;
    return node_create(c, &n, out);
}

/* ---- making */

#define MADE_KEY "entry_"        /* recall/vectors_store.c knows it, too */
#define MADE_BYTES 8

static const char *made_key(struct ctx *c)
{
    uint8_t bytes[MADE_BYTES];
    char hex[2 * sizeof bytes + 1];

    random_fill(bytes, sizeof bytes);
    hex_encode(bytes, sizeof bytes, hex);
    return arena_printf(c->arena, MADE_KEY "%s", hex);
}

bool entry_key_is_made(const char *key)
{
    return str_starts(key, MADE_KEY) && strlen(key) == strlen(MADE_KEY) + 2 * MADE_BYTES &&
           strspn(key + strlen(MADE_KEY), "0123456789abcdef") == 2 * MADE_BYTES;
}

static enum memory_type memory_of(const struct entry_new *in)
{
    if (in->memory_type >= 0)
        return (enum memory_type)in->memory_type;
    return in->entry_type == ENTRY_FACT || in->entry_type == ENTRY_PREFERENCE ? MEMORY_FACTUAL : MEMORY_EXPERIENTIAL;
}

static err fill(struct ctx *c, const struct context *x, const struct entry_new *in, struct entry_row *out)
{
    struct entry *e = &out->entry;
    struct retention r;

    retention_read(json_opened(c->arena, x->retention_policy), &r);
    *e = (struct entry){
        .context_id = x->id, .entry_key = str_empty(in->entry_key) ? made_key(c) : in->entry_key,
        .entry_type = (enum entry_type)in->entry_type, .memory_type = memory_of(in), .source_id = in->source_id,
        .task_context = in->task_context, .metadata = in->metadata ? in->metadata : json_obj(c->arena), .outcome = in->outcome,
        .importance_score = in->importance_score, .confidence_score = in->confidence_score, .decay_rate = in->decay_rate,
        .is_pinned = in->is_pinned, .expires_at = in->expires_at, .version = 1};
    e->source_type = in->source_type == ENTRY_BY_CALLER ? enumx_name(&principal_kind_enumx, (int)c->who->kind)
                                                        : enumx_name(&entry_source_enumx, (int)in->source_type);
    if (!e->expires_at.us && r.ttl_seconds)
        e->expires_at = (struct instant){c->now.us + r.ttl_seconds * SECOND_US};
    if (str_code_points(e->entry_key, strlen(e->entry_key)) > ENTRY_KEY)
        return fail_field(c, "/entry_key", "entry_key must be at most %d characters long", ENTRY_KEY);
    TRY(entry_take_content(c, in->content, in->content_text, out));
    TRY(tags_clean(c, "/context_tags", in->context_tags, &e->context_tags));
    TRY(entry_check_object(c, "/metadata", in->metadata));
    return entry_check_object(c, "/task_context", in->task_context);
}

static err make(struct ctx *c, struct context *x, const struct entry_new *in, struct entry *out)
{
    struct entry_row row = {0};
    struct strs evicted;
    struct node n;

    TRY(fill(c, x, in, &row));
    TRY(make_node(c, x, &row.entry, &n));
    row.entry.id = n.id;
    TRY(entry_store_insert(c, &row));
    row.row_version = row.entry.version;
    TRY(entry_log(c, LOGGED_WRITE, NULL, &row));
    TRY(context_store_count(c, x->id, 1, row.size_bytes));
    TRY(entry_make_room(c, x, n.id, x->entry_count + 1, x->data_size_bytes + row.size_bytes, &evicted));
    TRY(reload(c, x->id, n.id, out));
    out->created = out->changed = true;
    out->evicted = evicted;
    return ERR_OK;
}

/* ---- changing */

static const struct json *merged(struct ctx *c, const struct json *old, const struct json *patch)
{
    return json_merge_patch(c->arena, json_opened(c->arena, old), patch);
}

static err apply(struct ctx *c, const struct entry_patch *p, struct entry_row *after)
{
    struct entry *e = &after->entry;

    if (p->set & ENTRY_SET_CONTENT)
        TRY(entry_take_content(c, p->content, p->content_text, after));
    if (p->set & ENTRY_SET_TAGS)
        TRY(tags_clean(c, "/context_tags", p->context_tags, &e->context_tags));
    if (p->set & ENTRY_SET_METADATA) {
        e->metadata = p->set & ENTRY_SET_METADATA_WHOLE ? p->metadata : merged(c, e->metadata, p->metadata);
        TRY(entry_check_object(c, "/metadata", e->metadata));
    }
    if (p->set & ENTRY_SET_TASK) {
        e->task_context = p->task_context;
        TRY(entry_check_object(c, "/task_context", e->task_context));
    }
    if (p->set & ENTRY_SET_OUTCOME)
        e->outcome = p->outcome;
    if (p->set & ENTRY_SET_IMPORTANCE)
        e->importance_score = p->importance_score;
    if (p->set & ENTRY_SET_CONFIDENCE)
        e->confidence_score = p->confidence_score;
    if (p->set & ENTRY_SET_DECAY_RATE)
        e->decay_rate = p->decay_rate;
    if (p->set & ENTRY_SET_PINNED)
        e->is_pinned = p->is_pinned;
    if (p->set & ENTRY_SET_EXPIRES)
        e->expires_at = p->expires_at;
    return ERR_OK;
}

/* A new value of a fact is a new fact: the entry moves to it. */
static err move_to_fact(struct ctx *c, const struct context *x, const struct entry_row *before, struct entry_row *after)
{
    struct fact_new in = fact_of(c, x, &after->entry);
    struct fact_recorded f;

    TRY(fact_record(c, &in, &f));
    TRY(entry_store_succeed(c, before->entry.id, f.node.id));
    TRY(merge_follow(c, before->entry.id, f.node.id));
    after->entry.id = f.node.id;
    after->entry.version = f.node.version;
    return entry_store_insert(c, after);
}

static unsigned node_bits(unsigned set, bool content)
{
    return (content ? NODE_SET_BODY | NODE_SET_OWN : 0) | (set & ENTRY_SET_TAGS ? NODE_SET_LABELS : 0) |
           (set & ENTRY_SET_IMPORTANCE ? NODE_SET_IMPORTANCE : 0) | (set & ENTRY_SET_CONFIDENCE ? NODE_SET_CONFIDENCE : 0) |
           (set & ENTRY_SET_DECAY_RATE ? NODE_SET_DECAY_RATE : 0) | (set & ENTRY_SET_PINNED ? NODE_SET_PINNED : 0) |
           (set & ENTRY_SET_EXPIRES ? NODE_SET_EXPIRES : 0) |
           (set & (ENTRY_SET_METADATA | ENTRY_SET_OUTCOME | ENTRY_SET_TASK) ? NODE_SET_LABELS : 0);
}

/* In place: the node keeps its id, and old content goes to the node that keeps the state. */
static err change_node(struct ctx *c, const struct entry_patch *p, bool content, const struct entry_row *before, struct entry_row *after)
{
    const struct entry *e = &after->entry;
    struct json *labels = entry_labels(c, e);
    struct node_patch np = {.set = node_bits(p->set, content), .if_version = p->if_version, .body = e->content_text,
                            .attrs = labels, .importance = e->importance_score, .confidence = e->confidence_score,
                            .decay_rate = e->decay_rate, .is_pinned = e->is_pinned, .expires_at = e->expires_at};
    struct node n;

    if (e->outcome == OUTCOME_UNKNOWN)
        json_set(c->arena, labels, "outcome", json_new(c->arena, JSON_NULL));
    TRY(node_update(c, before->entry.id, &np, &n));
    if (content) {
        TRY(entry_store_keep(c, before->entry.id, n.previous_id));
        after->entry.version = n.version;
    }
    return entry_store_update(c, after);
}

err entry_apply(struct ctx *c, const struct context *x, const struct entry_row *before, const struct entry_patch *p, struct entry *out)
{
    struct entry_row after = *before;
    struct strs evicted = {0};
    int64_t more;
    bool content;

    if (before->node.archived_at.us)
        return fail(c, ERR_CONFLICT, "the entry is archived; unarchive it before you change it");
    TRY(match_version(c, p->if_version, before->entry.version));
    entry_present(c, &after);
    after.entry.version = before->row_version;
    TRY(apply(c, p, &after));
    content = memcmp(after.content_hash.p, before->content_hash.p, NODE_HASH) != 0;
    if (content && before->entry.memory_type == MEMORY_FACTUAL)
        TRY(move_to_fact(c, x, before, &after));
    else if (content || node_bits(p->set, false))
        TRY(change_node(c, p, content, before, &after));
    more = after.size_bytes - before->size_bytes;
    if (content)
        after.row_version = after.entry.version;
    if (content || node_bits(p->set, false))
        TRY(entry_log(c, LOGGED_UPDATE, before, &after));
    if (content) {
        TRY(context_store_count(c, x->id, 0, more));
        TRY(entry_make_room(c, x, after.entry.id, x->entry_count, x->data_size_bytes + more, &evicted));
    }
    TRY(reload(c, x->id, after.entry.id, out));
    out->changed = content;
    out->evicted = evicted;
    return ERR_OK;
}

/* ---- calls */

/* What is said to an entry that is there already. */
static struct entry_patch patch_of(const struct entry_new *in)
{
    return (struct entry_patch){
        .set = ENTRY_SET_CONTENT | (in->context_tags.n ? ENTRY_SET_TAGS : 0) | (in->metadata ? ENTRY_SET_METADATA : 0) |
               (in->task_context ? ENTRY_SET_TASK : 0) | (in->expires_at.us ? ENTRY_SET_EXPIRES : 0) |
               (in->outcome != OUTCOME_UNKNOWN ? ENTRY_SET_OUTCOME : 0),
        .content = in->content, .content_text = in->content_text, .context_tags = in->context_tags, .metadata = in->metadata,
        .task_context = in->task_context, .expires_at = in->expires_at, .outcome = in->outcome};
}

/* The entry shall be what is said here, in all but its types. */
static struct entry_patch replacement_of(struct ctx *c, const struct entry_new *in)
{
    struct entry_patch p = patch_of(in);

    p.set |= ENTRY_SET_TAGS | ENTRY_SET_METADATA | ENTRY_SET_METADATA_WHOLE | ENTRY_SET_TASK | ENTRY_SET_EXPIRES | ENTRY_SET_OUTCOME |
             ENTRY_SET_IMPORTANCE | ENTRY_SET_CONFIDENCE | ENTRY_SET_DECAY_RATE | ENTRY_SET_PINNED;
    p.metadata = in->metadata ? in->metadata : json_obj(c->arena);
    p.importance_score = in->importance_score;
    p.confidence_score = in->confidence_score;
    p.decay_rate = in->decay_rate;
    p.is_pinned = in->is_pinned;
    return p;
}

err entry_merge(struct ctx *c, struct context *x, const struct entry_new *in, enum entry_merging how, struct entry *out)
{
    struct entry_patch p = how == MERGE_OVERWRITE ? replacement_of(c, in) : patch_of(in);
    struct entry_row there = {0};
    bool found = false;

    if (!str_empty(in->entry_key))
        TRY(entry_free_key(c, x, in->entry_key, &found, &there));
    if (!found)
        return make(c, x, in, out);
    if (how != MERGE_SKIP)
        return entry_apply(c, x, &there, &p, out);
    entry_present(c, &there);
    *out = there.entry;
    return ERR_OK;
}

static err put_body(struct ctx *c, void *arg)
{
    struct writing *w = arg;
    struct context x;

    TRY(entry_lock_context(c, w->context, &x));
    return entry_merge(c, &x, w->in, MERGE_VERSION, &w->made);
}

err entry_put(struct ctx *c, const char *context, const struct entry_new *in, struct entry *out)
{
    struct writing w = {.context = context, .in = in};

    TRY(db_tx(c, put_body, &w));
    *out = w.made;
    return ERR_OK;
}

static err update_body(struct ctx *c, void *arg)
{
    struct writing *w = arg;
    struct entry_row there;
    struct context x;

    TRY(entry_lock_context(c, w->context, &x));
    TRY(entry_find(c, &x, w->ref, &there));
    if (!entry_is_there(c, &there))
        return entry_missing(c);
    return entry_apply(c, &x, &there, w->patch, &w->made);
}

err entry_update(struct ctx *c, const char *context, const char *ref, const struct entry_patch *p, struct entry *out)
{
    struct writing w = {.context = context, .ref = ref, .patch = p};

    TRY(db_tx(c, update_body, &w));
    *out = w.made;
    return ERR_OK;
}

static err revert_body(struct ctx *c, void *arg)
{
    struct writing *w = arg;
    struct entry_patch p = *w->patch;
    struct entry_row there, state = {0};
    struct context x;
    bool found;

    TRY(entry_lock_context(c, w->context, &x));
    TRY(entry_find(c, &x, w->ref, &there));
    if (!entry_is_there(c, &there))
        return entry_missing(c);
    if (there.row_version <= w->revert_to && w->revert_to <= there.entry.version) {
        state = there;
    } else {
        TRY(entry_store_state(c, there.entry.id, w->revert_to, &found, &state));
        if (!found || w->revert_to > there.entry.version)
            return fail_field(c, "/version", "the entry has no version %lld any more", (long long)w->revert_to);
    }
    p.content = json_opened(c->arena, state.entry.content);
    p.content_text = state.entry.content_text;
    return entry_apply(c, &x, &there, &p, &w->made);
}

err entry_revert(struct ctx *c, const char *context, const char *ref, int64_t version, int64_t if_version, struct entry *out)
{
    struct entry_patch p = {.set = ENTRY_SET_CONTENT, .if_version = if_version};
    struct writing w = {.context = context, .ref = ref, .patch = &p, .revert_to = version};

    TRY(db_tx(c, revert_body, &w));
    *out = w.made;
    return ERR_OK;
}
