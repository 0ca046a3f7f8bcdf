/* Copying entries between contexts, and in and out of them; see context_copy.h. */
#include "context_copy.h"

#include <string.h>

#include "context_store.h"
#include "db.h"
#include "entry_impl.h"
#include "portion.h"
#include "vector.h"

#define KEPT_S 2                         /* of the request's time, for the answer */
#define KEY_BYTES (ENTRY_KEY * 4 + 1)

/* Opened, JSON is checked, merged and hashed like what a caller says. */
static struct entry_new new_from(struct ctx *c, const struct entry *e)
{
    int source = ENTRY_BY_CALLER;

    if (!e->source_type || !enumx_parse(&entry_source_enumx, e->source_type, &source))
        source = ENTRY_BY_CALLER;
    return (struct entry_new){
        .entry_key = e->entry_key, .entry_type = (int)e->entry_type, .memory_type = (int)e->memory_type, .content = json_opened(c->arena, e->content),
        .content_text = e->content_text, .source_type = (enum entry_source)source, .source_id = e->source_id,
        .context_tags = e->context_tags, .task_context = e->task_context ? json_opened(c->arena, e->task_context) : NULL,
        .metadata = json_opened(c->arena, e->metadata), .outcome = e->outcome, .importance_score = e->importance_score, .confidence_score = e->confidence_score, .decay_rate = e->decay_rate,
        .is_pinned = e->is_pinned, .expires_at = e->expires_at};
}

/* Before a transaction begins, so that nothing is read for nothing. */
static err may_be_written(struct ctx *c, const struct context *x, enum access_action action)
{
    if (x->status == SPACE_ARCHIVED)
        return fail(c, ERR_CONFLICT, "the context is archived; unarchive it before you change it");
    return context_require(c, x, ACCESS_WRITE, action);
}

/* Counters of the context move with each entry, and with them what its retention policy allows. */
static err merge_one(struct ctx *c, struct context *x, const struct entry_new *in, enum entry_merging how, struct entry *out)
{
    bool found;

    TRY(context_store_get(c, x->id, NULL, &found, x));
    return found ? entry_merge(c, x, in, how, out) : context_missing(c);
}

/* ---- from one context to another */

struct copying {
    struct uuid target_id, source_id;
    const char *target_ref;
    struct entry_wanted wanted;
    bool is_first;
    struct entry_row *rows;
    size_t n;
    int64_t created, updated;
};

static err log_begin(struct ctx *c, const struct copying *k)
{
    struct json *said = json_obj(c->arena);

    if (!k->is_first)
        return ERR_OK;
    json_set_str(c->arena, said, "source_context_id", arena_strdup(c->arena, UUID_STR(k->source_id)));
    return context_log(c, LOGGED_CLONE, k->target_id, said);
}

static err batch_body(struct ctx *c, void *arg)
{
    struct copying *k = arg;
    struct uuid *from, *to;
    struct context x;

    k->created = k->updated = 0;
    TRY(entry_lock_context(c, k->target_ref, &x));
    TRY(log_begin(c, k));
    TRY(entry_store_by_keys(c, &k->wanted, COPY_BATCH, &k->rows, &k->n));
    from = ARENA_ARRAY(c->arena, struct uuid, k->n + 1);
    to = ARENA_ARRAY(c->arena, struct uuid, k->n + 1);
    for (size_t i = 0; i < k->n; i++) {
        struct entry_new in;
        struct entry made;

        entry_present(c, &k->rows[i]);
        in = new_from(c, &k->rows[i].entry);
        TRY(merge_one(c, &x, &in, MERGE_OVERWRITE, &made));
        from[i] = k->rows[i].entry.id;
        to[i] = made.id;
        made.created ? k->created++ : k->updated++;
    }
    return vector_copy(c, from, to, k->n);
}

/* Batch by batch, each with memory of its own, until nothing is left or the time is nearly over. */
static err copy_all(struct ctx *c, struct copying *k, struct copied *out)
{
    char after[KEY_BYTES] = "";
    struct ctx part;
    err e;

    portion_begin(c, &part);
    k->wanted.after = after;
    k->is_first = true;
    for (;;) {
        e = db_tx(&part, batch_body, k);
        if (e != ERR_OK)
            break;
        k->is_first = false;
        out->created += k->created;
        out->updated += k->updated;
        out->complete = k->n < COPY_BATCH;
        if (out->complete || (c->deadline_us && ctx_seconds_left(c) < KEPT_S))
            break;
        memcpy(after, k->rows[k->n - 1].entry.entry_key, strlen(k->rows[k->n - 1].entry.entry_key) + 1);
        portion_next(&part);
    }
    return portion_end(c, &part, e);
}

static err copy(struct ctx *c, const struct context *target, const struct context *source, const struct copy_wanted *w, struct copied *out)
{
    struct copying k = {.target_id = target->id, .source_id = source->id, .target_ref = target->context_id,
                        .wanted = {.space_id = source->id, .unlike = target->id, .entry_types = w->entry_types,
                                   .min_importance = w->min_importance}};

    *out = (struct copied){.id = target->id, .context_id = target->context_id};
    access_log_read(c, &(struct access_read){.action = LOGGED_CLONE, .context_id = source->id});
    return copy_all(c, &k, out);
}

static struct uuid owner_of_clone(const struct ctx *c, const struct context *x)
{
    return x->scope == CONTEXT_OF_AGENT && c->who->kind == PRINCIPAL_AGENT ? c->who->id : x->agent_id;
}

err context_clone(struct ctx *c, const char *ref, const char *name, struct copied *out)
{
    struct context x, made;

    TRY(context_find(c, ref, &x));
    TRY(context_create(c, &(struct context_new){
        .name = name, .description = x.description, .context_type = x.context_type, .scope = x.scope,
        .agent_id = owner_of_clone(c, &x), .team_id = x.team_id, .context_data = json_opened(c->arena, x.context_data),
        .metadata = json_opened(c->arena, x.metadata), .retention_policy = json_opened(c->arena, x.retention_policy),
        .expires_at = x.expires_at}, &made));
    space_widen(c, made.id, ACCESS_WRITE);
    return copy(c, &made, &x, &(struct copy_wanted){0}, out);
}

static err check_types(struct ctx *c, struct strs types)
{
    int v;

    for (size_t i = 0; i < types.n; i++)
        if (!enumx_parse(&entry_type_enumx, types.v[i], &v))
            return fail_field(c, arena_printf(c->arena, "/entry_types/%zu", i), "'%s' is no entry_type", types.v[i]);
    return ERR_OK;
}

err context_sync(struct ctx *c, const char *ref, const char *source, const struct copy_wanted *w, struct copied *out)
{
    struct context x, from;
    err e;

    TRY(check_types(c, w->entry_types));
    TRY(context_find(c, ref, &x));
    TRY(may_be_written(c, &x, LOGGED_CLONE));
    e = context_find(c, source, &from);
    if (e == ERR_NOT_FOUND) {
        ctx_forgive(c);
        return fail_field(c, "/source_context_id", "there is no such context that you can read");
    }
    TRY(e);
    if (uuid_eq(x.id, from.id))
        return fail_field(c, "/source_context_id", "a context is in step with itself");
    return copy(c, &x, &from, w, out);
}

/* ---- out and in */

err context_export_begin(struct ctx *c, const char *ref, struct context *out)
{
    TRY(context_find(c, ref, out));
    access_log_read(c, &(struct access_read){.action = LOGGED_EXPORT, .context_id = out->id});
    return ERR_OK;
}

err context_export_next(struct ctx *c, struct uuid id, const char *after, struct entry **out, size_t *n)
{
    struct entry_row *rows;

    TRY(entry_store_by_keys(c, &(struct entry_wanted){.space_id = id, .after = after}, COPY_BATCH, &rows, n));
    *out = ARENA_ARRAY(c->arena, struct entry, *n + 1);
    for (size_t i = 0; i < *n; i++) {
        entry_present(c, &rows[i]);
        (*out)[i] = rows[i].entry;
    }
    return ERR_OK;
}

err context_import_begin(struct ctx *c, const char *ref, struct context *out)
{
    TRY(context_find(c, ref, out));
    return may_be_written(c, out, LOGGED_IMPORT);
}

struct importing {
    const struct context *x;
    const struct entry_new *in;
    size_t n;
    enum entry_merging how;
    struct imported done;
};

static err import_body(struct ctx *c, void *arg)
{
    struct importing *m = arg;
    struct context x;

    m->done = (struct imported){0};
    TRY(entry_lock_context(c, m->x->context_id, &x));
    for (size_t i = 0; i < m->n; i++) {
        struct entry made = {0};

        TRY(merge_one(c, &x, &m->in[i], m->how, &made));
        if (made.created)
            m->done.created++;
        else
            made.changed ? m->done.updated++ : m->done.unchanged++;
    }
    return ERR_OK;
}

err context_import_many(struct ctx *c, const struct context *x, const struct entry_new *in, size_t n, enum entry_merging how,
                        struct imported *out)
{
    struct importing m = {.x = x, .in = in, .n = n, .how = how};

    TRY(db_tx(c, import_body, &m));
    out->created += m.done.created;
    out->updated += m.done.updated;
    out->unchanged += m.done.unchanged;
    return ERR_OK;
}
