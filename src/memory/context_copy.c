/* Copying entries between contexts, and in and out of them; see context_copy.h. */
#include "context_copy.h"

#include <string.h>

#include "context_store.h"
#include "db.h"
#include "entry_impl.h"
#include "portion.h"
#include "vector.h"

#define KEPT_S 2 /* of the request's time, for the answer */
#define KEY_BYTES (ENTRY_KEY * 4 + 1)

/* The content, which was checked when it was written, is taken as it is stored. */
static struct entry_new new_from(struct ctx *c, const struct entry_row *row)
{
    const struct entry *e = &row->entry;
    int source = ENTRY_BY_CALLER;

    if (!e->source_type || !enumx_parse(&entry_source_enumx, e->source_type, &source))
        source = ENTRY_BY_CALLER;
    return (struct entry_new){
        .entry_key = e->entry_key, .entry_type = (int)e->entry_type, .memory_type = (int)e->memory_type, .stored = row,
        .source_type = (enum entry_source)source, .source_id = e->source_id, .context_tags = e->context_tags,
        .task_context = e->task_context ? json_opened(c->arena, e->task_context) : NULL,
        .metadata = json_opened(c->arena, e->metadata), .outcome = e->outcome, .importance_score = e->importance_score,
        .confidence_score = e->confidence_score, .decay_rate = e->decay_rate, .is_pinned = e->is_pinned, .expires_at = e->expires_at};
}

/* Before a transaction begins, so that nothing is read for nothing. */
static err may_be_written(struct ctx *c, const struct context *x, enum access_action action)
{
    if (x->status == SPACE_ARCHIVED)
        return fail(c, ERR_CONFLICT, "the context is archived; unarchive it before changing it");
    return context_require(c, x, ACCESS_WRITE, action);
}

/* ---- from one context to another */

struct copying {
    struct uuid target_id, source_id;
    const char *target_ref;
    struct entry_wanted wanted;
    bool is_first, is_last;
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

/* The next portion of what is wanted, with its contents. */
static err context_copy_read_portion(struct ctx *c, const struct entry_wanted *w, struct entry_row **rows, size_t *n, bool *is_last)
{
    size_t found;

    TRY(entry_store_by_keys(c, w, ENTRIES_AT_ONCE, rows, &found));
    *n = entry_portion(*rows, found);
    *is_last = *n == found && found < ENTRIES_AT_ONCE;
    TRY(entry_store_contents(c, *rows, *n));
    for (size_t i = 0; i < *n; i++)
        entry_present(c, &(*rows)[i]);
    return ERR_OK;
}

static err batch_body(struct ctx *c, void *arg)
{
    struct copying *k = arg;
    struct entry_merged made[ENTRIES_AT_ONCE];
    struct entry_new in[ENTRIES_AT_ONCE];
    struct uuid from[ENTRIES_AT_ONCE], to[ENTRIES_AT_ONCE];
    struct context x;

    k->created = k->updated = 0;
    TRY(entry_lock_context(c, k->target_ref, &x));
    TRY(log_begin(c, k));
    TRY(context_copy_read_portion(c, &k->wanted, &k->rows, &k->n, &k->is_last));
    for (size_t i = 0; i < k->n; i++)
        in[i] = new_from(c, &k->rows[i]);
    TRY(entry_merge_many(c, &x, in, k->n, MERGE_OVERWRITE, made));
    for (size_t i = 0; i < k->n; i++) {
        from[i] = k->rows[i].entry.id;
        to[i] = made[i].id;
        made[i].is_created ? k->created++ : k->updated++;
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
        out->complete = k->is_last;
        if (out->complete || (c->deadline_us && ctx_seconds_left(c) < KEPT_S))
            break;
        memcpy(after, k->rows[k->n - 1].entry.entry_key, strlen(k->rows[k->n - 1].entry.entry_key) + 1);
        portion_next(&part);
    }
    return portion_end(c, &part, e);
}

static err context_copy(struct ctx *c, const struct context *target, const struct context *source, const struct copy_wanted *w,
                        struct copied *out)
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
    return context_copy(c, &made, &x, &(struct copy_wanted){0}, out);
}

static err context_copy_check_types(struct ctx *c, struct strs types)
{
    int v;

    for (size_t i = 0; i < types.n; i++)
        if (!enumx_parse(&entry_type_enumx, types.v[i], &v))
            return fail_field(c, arena_printf(c->arena, "/entry_types/%zu", i), "unknown entry_type '%s'", types.v[i]);
    return ERR_OK;
}

err context_sync(struct ctx *c, const char *ref, const char *source, const struct copy_wanted *w, struct copied *out)
{
    struct context x, from;
    err e;

    TRY(context_copy_check_types(c, w->entry_types));
    TRY(context_find(c, ref, &x));
    TRY(may_be_written(c, &x, LOGGED_CLONE));
    e = context_find(c, source, &from);
    if (e == ERR_NOT_FOUND) {
        ctx_forgive(c);
        return fail_field(c, "/source_context_id", "no such readable context");
    }
    TRY(e);
    if (uuid_eq(x.id, from.id))
        return fail_field(c, "/source_context_id", "source and target are the same context");
    return context_copy(c, &x, &from, w, out);
}

/* ---- out and in */

err context_export_begin(struct ctx *c, const char *ref, struct context *out)
{
    TRY(context_find(c, ref, out));
    access_log_read(c, &(struct access_read){.action = LOGGED_EXPORT, .context_id = out->id});
    return ERR_OK;
}

err context_export_next(struct ctx *c, struct uuid id, const char *after, struct entry **out, size_t *n, bool *more)
{
    struct entry_row *rows;
    bool is_last;

    TRY(context_copy_read_portion(c, &(struct entry_wanted){.space_id = id, .after = after}, &rows, n, &is_last));
    *out = ARENA_ARRAY(c->arena, struct entry, *n + 1);
    for (size_t i = 0; i < *n; i++)
        (*out)[i] = rows[i].entry;
    *more = !is_last;
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

/* How many of the first have different keys. */
static size_t until_key_comes_again(const struct entry_new *in, size_t n)
{
    for (size_t k = 1; k < n; k++)
        for (size_t i = 0; i < k; i++)
            if (str_eq(in[i].entry_key, in[k].entry_key))
                return k;
    return n;
}

static err import_body(struct ctx *c, void *arg)
{
    struct importing *m = arg;
    struct context x;
    bool found;

    m->done = (struct imported){0};
    TRY(entry_lock_context(c, m->x->context_id, &x));
    for (size_t at = 0, k; at < m->n; at += k) {
        struct entry_merged made[ENTRIES_AT_ONCE];

        if (at)
            TRY(context_store_get(c, x.id, NULL, &found, &x)); /* its counters have moved */
        k = until_key_comes_again(m->in + at, m->n - at);
        TRY(entry_merge_many(c, &x, m->in + at, k, m->how, made));
        for (size_t i = 0; i < k; i++) {
            m->done.created += made[i].is_created;
            m->done.updated += !made[i].is_created && made[i].is_changed;
            m->done.unchanged += !made[i].is_changed;
        }
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

/* ---- entries of a context as facts of an agent */

err context_copy_facts(struct ctx *c, const char *target, const char *source, const struct facts_wanted *w, struct imported *out)
{
    struct entry_filter f = {.entry_type = -1, .memory_type = -1, .min_importance = w->min_importance, .order = ENTRY_BY_IMPORTANCE,
                             .limit = w->limit, .is_light = true};
    struct uuid first;
    struct context from, to;
    struct entry_row *rows;
    struct ctx part;
    err e = ERR_OK;
    size_t n;

    TRY(context_find(c, target, &to));
    TRY(context_find(c, source, &from));
    access_log_read(c, &(struct access_read){.action = LOGGED_READ, .context_id = from.id});
    TRY(page_begin(c, NULL, &first));
    TRY(entry_store_list(c, from.id, &f, first, &rows, &n));
    n = n > (size_t)w->limit ? (size_t)w->limit : n;
    portion_begin(c, &part);
    for (size_t at = 0, k; at < n && e == ERR_OK; at += k) {
        struct entry_new in[ENTRIES_AT_ONCE];

        k = entry_portion(rows + at, n - at);
        e = entry_store_contents(&part, rows + at, k);
        for (size_t i = 0; i < k; i++) {
            entry_present(c, &rows[at + i]);
            in[i] = new_from(&part, &rows[at + i]);
            in[i].entry_type = ENTRY_FACT;
            in[i].memory_type = MEMORY_FACTUAL;
            in[i].source_type = ENTRY_BY_CALLER;
            in[i].source_id = NULL;
            in[i].task_context = NULL;
            in[i].outcome = OUTCOME_UNKNOWN;
            in[i].decay_rate = 0;
            in[i].is_pinned = false;
        }
        if (e == ERR_OK)
            e = context_import_many(&part, &to, in, k, w->overwrite ? MERGE_VERSION : MERGE_SKIP, out);
        if (e == ERR_OK)
            portion_next(&part);
    }
    return portion_end(c, &part, e);
}
