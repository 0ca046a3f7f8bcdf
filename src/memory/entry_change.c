/* Writing entries: made under a key, changed by versions; see entry.h. */
#include <string.h>

#include "context_store.h"
#include "db.h"
#include "entry_impl.h"
#include "fact.h"
#include "match.h"
#include "random.h"
#include "tags.h"

struct writing {
    const char *context, *ref;
    const struct entry_new *in;      /* entry_put */
    const struct entry_patch *patch; /* entry_update */
    int64_t revert_to;               /* entry_revert */
    struct entry made;
};

err entry_lock_for_restore(struct ctx *c, const char *ref, struct context *out)
{
    struct uuid id;
    bool found;

    TRY(context_find(c, ref, out));
    if (out->status == SPACE_ARCHIVED)
        return fail(c, ERR_CONFLICT, "the context is archived; unarchive it before changing it");
    TRY(context_require(c, out, ACCESS_WRITE, LOGGED_WRITE));
    id = out->id;
    *out = (struct context){0};
    TRY(context_store_lock(c, id, &found, out));
    return found ? ERR_OK : context_missing(c);
}

err entry_lock_context(struct ctx *c, const char *ref, struct context *out)
{
    TRY(entry_lock_for_restore(c, ref, out));
    return context_is_restoring(c, out) ? context_refuse_restoring(c) : ERR_OK;
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

struct fact_new entry_fact_of(struct ctx *c, const struct context *x, const struct entry *e)
{
    return (struct fact_new){
        .space_id = x->id, .subject = e->entry_key, .predicate = "value", .object = json_opened(c->arena, e->content),
        .statement = e->content_text, .attrs = entry_labels(c, e), .importance = e->importance_score, .confidence = e->confidence_score,
        .decay_rate = e->decay_rate, .is_pinned = e->is_pinned, .source_kind = e->source_type, .source_id = e->source_id,
        .expires_at = e->expires_at};
}

struct node_new entry_node_of(struct ctx *c, const struct context *x, const struct entry *e)
{
    struct node_new n = {NODE_NEW_DEFAULTS, .space_id = x->id, .kind = "entry", .title = e->entry_key, .body = e->content_text,
                         .attrs = entry_labels(c, e), .is_pinned = e->is_pinned, .source_kind = e->source_type,
                         .source_id = e->source_id, .expires_at = e->expires_at};

    n.importance = e->importance_score;
    n.confidence = e->confidence_score;
    n.decay_rate = e->decay_rate;
    return n;
}

/* ---- making */

#define MADE_KEY "entry_" /* recall/vectors_store.c knows it, too */
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

/* What is said, or what another row holds. */
static err take_content(struct ctx *c, const struct json *content, const char *text, const struct entry_row *stored, struct entry_row *out)
{
    if (!stored)
        return entry_take_content(c, content, text, out);
    out->entry.content = stored->entry.content;
    out->entry.content_text = stored->entry.content_text;
    out->content_hash = stored->content_hash;
    out->size_bytes = stored->size_bytes;
    return ERR_OK;
}

static const char *source_name(const struct ctx *c, enum entry_source s)
{
    return s == ENTRY_BY_CALLER ? enumx_name(&principal_kind_enumx, (int)c->who->kind) : enumx_name(&entry_source_enumx, (int)s);
}

err entry_plan_new(struct ctx *c, const struct context *x, const struct entry_new *in, struct entry_write *out)
{
    struct entry *e = &out->after.entry;
    struct retention r;

    *out = (struct entry_write){.is_new = true};
    retention_read(json_opened(c->arena, x->retention_policy), &r);
    *e = (struct entry){
        .context_id = x->id, .entry_key = str_empty(in->entry_key) ? made_key(c) : in->entry_key,
        .entry_type = in->entry_type < 0 ? ENTRY_OBSERVATION : (enum entry_type)in->entry_type, .memory_type = memory_of(in), .source_id = in->source_id,
        .task_context = in->task_context, .metadata = in->metadata ? in->metadata : json_obj(c->arena), .outcome = in->outcome,
        .importance_score = in->importance_score, .confidence_score = in->confidence_score, .decay_rate = in->decay_rate,
        .is_pinned = in->is_pinned, .expires_at = in->expires_at, .version = 1};
    e->source_type = source_name(c, in->source_type);
    if (!e->expires_at.us && r.ttl_seconds)
        e->expires_at = (struct instant){c->now.us + r.ttl_seconds * SECOND_US};
    if (str_code_points(e->entry_key, strlen(e->entry_key)) > ENTRY_KEY)
        return fail_field(c, "/entry_key", "entry_key must be at most %d characters long", ENTRY_KEY);
    if (!in->stored && str_eq(e->entry_key, "bulk"))
        return fail_field(c, "/entry_key", "the key 'bulk' is reserved: the path of entries has a call of that name");
    TRY(take_content(c, in->content, in->content_text, in->stored, &out->after));
    TRY(tags_clean(c, "/context_tags", in->context_tags, &e->context_tags));
    TRY(entry_check_object(c, "/metadata", in->metadata));
    return entry_check_object(c, "/task_context", in->task_context);
}

/* One entry is written, and read again for the answer. */
static err write_one(struct ctx *c, const struct context *x, struct entry_write *w, struct entry *out)
{
    struct strs evicted;

    TRY(entry_write_many(c, x, w, 1, &evicted));
    TRY(reload(c, x->id, w->after.entry.id, out));
    out->created = w->is_new;
    out->changed = w->is_content;
    out->evicted = evicted;
    return ERR_OK;
}

/* ---- changing */

static const struct json *entry_change_merged(struct ctx *c, const struct json *old, const struct json *patch)
{
    return json_merge_patch(c->arena, json_opened(c->arena, old), patch);
}

static err entry_change_apply(struct ctx *c, const struct entry_patch *p, struct entry_row *after)
{
    struct entry *e = &after->entry;

    if (p->set & ENTRY_SET_CONTENT)
        TRY(take_content(c, p->content, p->content_text, p->stored, after));
    if (p->set & ENTRY_SET_TAGS)
        TRY(tags_clean(c, "/context_tags", p->context_tags, &e->context_tags));
    if (p->set & ENTRY_SET_METADATA) {
        e->metadata = p->set & ENTRY_SET_METADATA_WHOLE ? p->metadata : entry_change_merged(c, e->metadata, p->metadata);
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

unsigned entry_node_bits(unsigned set)
{
    return (set & ENTRY_SET_IMPORTANCE ? NODE_SET_IMPORTANCE : 0) | (set & ENTRY_SET_CONFIDENCE ? NODE_SET_CONFIDENCE : 0) |
           (set & ENTRY_SET_DECAY_RATE ? NODE_SET_DECAY_RATE : 0) | (set & ENTRY_SET_PINNED ? NODE_SET_PINNED : 0) |
           (set & ENTRY_SET_EXPIRES ? NODE_SET_EXPIRES : 0) |
           (set & (ENTRY_SET_TAGS | ENTRY_SET_METADATA | ENTRY_SET_OUTCOME | ENTRY_SET_TASK) ? NODE_SET_LABELS : 0);
}

struct node_patch entry_node_patch(struct ctx *c, const struct entry_write *w)
{
    const struct entry *e = &w->after.entry;
    struct json *labels = entry_labels(c, e);

    if (e->outcome == OUTCOME_UNKNOWN)
        json_set(c->arena, labels, "outcome", json_new(c->arena, JSON_NULL));
    return (struct node_patch){.set = entry_node_bits(w->patch.set) | (w->is_content ? NODE_SET_BODY | NODE_SET_OWN : 0),
                               .body = e->content_text, .attrs = labels, .importance = e->importance_score,
                               .confidence = e->confidence_score, .decay_rate = e->decay_rate, .is_pinned = e->is_pinned,
                               .expires_at = e->expires_at};
}

err entry_plan_change(struct ctx *c, const struct entry_row *before, const struct entry_patch *p, struct entry_write *out)
{
    if (before->node.archived_at.us)
        return fail(c, ERR_CONFLICT, "the entry is archived; unarchive it before changing it");
    TRY(match_version(c, p->if_version, before->entry.version));
    *out = (struct entry_write){.before = *before, .after = *before, .patch = *p};
    entry_present(c, &out->after);
    TRY(entry_change_apply(c, p, &out->after));
    out->is_content = memcmp(out->after.content_hash.p, before->content_hash.p, NODE_HASH) != 0;
    out->after.entry.version += out->is_content;
    if (out->is_content) { /* a fact becomes another node, whose source is who says it now */
        out->after.entry.source_type = source_name(c, p->source_type);
        out->after.entry.source_id = p->source_id;
    }
    return ERR_OK;
}

err entry_apply(struct ctx *c, const struct context *x, const struct entry_row *before, const struct entry_patch *p, struct entry *out)
{
    struct entry_write w;

    TRY(entry_plan_change(c, before, p, &w));
    return write_one(c, x, &w, out);
}

/* ---- calls */

static struct entry_patch patch_of(const struct entry_new *in)
{
    return (struct entry_patch){
        .set = ENTRY_SET_CONTENT | (in->context_tags.n ? ENTRY_SET_TAGS : 0) | (in->metadata ? ENTRY_SET_METADATA : 0) |
               (in->task_context ? ENTRY_SET_TASK : 0) | (in->expires_at.us ? ENTRY_SET_EXPIRES : 0) |
               (in->outcome != OUTCOME_UNKNOWN ? ENTRY_SET_OUTCOME : 0),
        .content = in->content, .content_text = in->content_text, .stored = in->stored, .context_tags = in->context_tags,
        .metadata = in->metadata, .task_context = in->task_context, .expires_at = in->expires_at, .outcome = in->outcome,
        .source_type = in->source_type, .source_id = in->source_id};
}

/* MERGE_OVERWRITE: the entry shall be what is said here, in all but its types. */
struct entry_patch entry_patch_of(struct ctx *c, const struct entry_new *in, enum entry_merging how)
{
    struct entry_patch p = patch_of(in);

    if (how != MERGE_OVERWRITE)
        return p;
    p.set |= ENTRY_SET_TAGS | ENTRY_SET_METADATA | ENTRY_SET_METADATA_WHOLE | ENTRY_SET_TASK | ENTRY_SET_EXPIRES | ENTRY_SET_OUTCOME |
             ENTRY_SET_IMPORTANCE | ENTRY_SET_CONFIDENCE | ENTRY_SET_DECAY_RATE | ENTRY_SET_PINNED;
    p.metadata = in->metadata ? in->metadata : json_obj(c->arena);
    p.importance_score = in->importance_score;
    p.confidence_score = in->confidence_score;
    p.decay_rate = in->decay_rate;
    p.is_pinned = in->is_pinned;
    return p;
}

static err entry_change_check_types(struct ctx *c, const struct entry_new *in, const struct entry *there)
{
    if (!in->keeps_types)
        return ERR_OK;
    /* observation is what clients send who have nothing to say about it. */
    if (in->entry_type >= 0 && in->entry_type != ENTRY_OBSERVATION && in->entry_type != (int)there->entry_type)
        return fail_field(c, "/entry_type", "the existing entry has entry_type %s, which cannot be changed",
                          enumx_name(&entry_type_enumx, (int)there->entry_type));
    if (in->memory_type >= 0 && in->memory_type != (int)there->memory_type)
        return fail_field(c, "/memory_type", "the existing entry has memory_type %s, which cannot be changed",
                          enumx_name(&memory_type_enumx, (int)there->memory_type));
    return ERR_OK;
}

static err entry_change_put_body(struct ctx *c, void *arg)
{
    struct writing *w = arg;
    struct entry_write write;
    struct entry_row there;
    struct entry_patch p;
    struct context x;
    bool found = false;

    TRY(entry_lock_context(c, w->context, &x));
    if (!str_empty(w->in->entry_key))
        TRY(entry_free_key(c, &x, w->in->entry_key, &found, &there));
    if (found) {
        TRY(entry_change_check_types(c, w->in, &there.entry));
        p = entry_patch_of(c, w->in, MERGE_VERSION);
        return entry_apply(c, &x, &there, &p, &w->made);
    }
    TRY(entry_plan_new(c, &x, w->in, &write));
    return write_one(c, &x, &write, &w->made);
}

err entry_put(struct ctx *c, const char *context, const struct entry_new *in, struct entry *out)
{
    struct writing w = {.context = context, .in = in};

    TRY(db_tx(c, entry_change_put_body, &w));
    *out = w.made;
    return ERR_OK;
}

static err entry_change_update_body(struct ctx *c, void *arg)
{
    struct writing *w = arg;
    struct entry_row there;
    struct context x;

    TRY(entry_lock_context(c, w->context, &x));
    TRY(entry_find_to_change(c, &x, w->ref, &there));
    if (!entry_is_there(c, &there))
        return entry_missing(c);
    return entry_apply(c, &x, &there, w->patch, &w->made);
}

err entry_update(struct ctx *c, const char *context, const char *ref, const struct entry_patch *p, struct entry *out)
{
    struct writing w = {.context = context, .ref = ref, .patch = p};

    TRY(db_tx(c, entry_change_update_body, &w));
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
    TRY(entry_find_to_change(c, &x, w->ref, &there));
    if (!entry_is_there(c, &there))
        return entry_missing(c);
    if (there.entry.version == w->revert_to) {
        state = there;
    } else {
        TRY(entry_store_state(c, there.entry.id, w->revert_to, &found, &state));
        if (!found || w->revert_to > there.entry.version)
            return fail_field(c, "/version", "version %lld of the entry does not exist or is no longer kept", (long long)w->revert_to);
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
