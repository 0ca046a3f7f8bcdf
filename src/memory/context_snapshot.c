/* Taking and restoring snapshots; see context_snapshot.h. */
#include "context_snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "access.h"
#include "audit.h"
#include "context_snapshot_store.h"
#include "context_store.h"
#include "db.h"
#include "entry_impl.h"
#include "portion.h"
#include "principal.h"

#define KEPT_S 2           /* of the request's time, for the answer */
#define RESTORE_LEASE_S 60 /* so long others wait for a restore that was broken off */

struct work {
    const char *context, *name;
    struct uuid id;
    struct context_snapshot taken;
};

static err context_snapshot_missing(struct ctx *c)
{
    return fail(c, ERR_NOT_FOUND, "no such snapshot");
}

static err context_snapshot_record(struct ctx *c, const char *verb, enum access_action action, const struct context *x, struct uuid id,
                                   int64_t entries)
{
    struct json *payload = json_obj(c->arena);

    json_set_str(c->arena, payload, "snapshot_id", arena_strdup(c->arena, UUID_STR(id)));
    json_set_int(c->arena, payload, "entries", entries);
    TRY(context_log(c, action, x->id, payload));
    return audit_add(c, &(struct audit){.kind = verb, .subject_kind = "space", .subject_id = x->id,
                                        .space_id = x->id, .payload = payload});
}

/* ---- taking */

static err context_snapshot_take(struct ctx *c, const struct context *x, const char *name, bool is_automatic, struct context_snapshot *out)
{
    struct bytes hash;
    char hex[65];

    *out = (struct context_snapshot){
        .id = uuid_new(c->now.us), .context_id = x->id, .name = name, .is_automatic = is_automatic,
        .author_kind = enumx_name(&principal_kind_enumx, (int)c->who->kind), .author_id = c->who->id, .created_at = c->now};
    TRY(context_snapshot_store_hash(c, x->id, &hash, &out->entry_count));
    if (out->entry_count > SNAPSHOT_ENTRIES)
        return fail(c, ERR_CONFLICT, "a snapshot can have at most %d entries", SNAPSHOT_ENTRIES);
    hex_encode(hash.p, hash.n, hex);
    out->data_hash = arena_strdup(c->arena, hex);
    TRY(context_snapshot_store_take(c, out, x->context_data, hash));
    return context_snapshot_record(c, "context.snapshot", LOGGED_SNAPSHOT, x, out->id, out->entry_count);
}

static err context_snapshot_create_body(struct ctx *c, void *arg)
{
    struct work *w = arg;
    struct context x;
    int64_t n;

    TRY(entry_lock_context(c, w->context, &x));
    TRY(context_snapshot_store_count(c, x.id, &n));
    if (n >= SNAPSHOTS)
        return fail(c, ERR_CONFLICT, "a context can have at most %d snapshots; delete one", SNAPSHOTS);
    return context_snapshot_take(c, &x, w->name, false, &w->taken);
}

err context_snapshot_create(struct ctx *c, const char *context, const char *name, struct context_snapshot *out)
{
    struct work w = {.context = context, .name = name};

    TRY(db_tx(c, context_snapshot_create_body, &w));
    *out = w.taken;
    return ERR_OK;
}

err context_snapshot_list(struct ctx *c, const char *context, int64_t limit, const char *cursor, struct page *out)
{
    struct context_snapshot *rows;
    struct context x;
    struct uuid before;
    size_t n;

    TRY(context_find(c, context, &x));
    TRY(page_begin(c, cursor, &before));
    TRY(context_snapshot_store_list(c, x.id, limit, before, &rows, &n));
    PAGE_END(c, out, rows, n, limit, struct context_snapshot, id);
    return ERR_OK;
}

err context_snapshot_compare(struct ctx *c, const char *context, struct uuid id, int64_t limit, const char *cursor, struct context_snapshot *out,
                             struct restore_counts *counts, struct page *rows)
{
    const struct json *data;
    struct restore_change *v;
    struct context x;
    const char *after;
    bool found;
    size_t n;

    TRY(context_find(c, context, &x));
    TRY(page_begin_name(c, cursor, &after));
    TRY(context_snapshot_store_get(c, x.id, id, &found, out, &data));
    if (!found)
        return context_snapshot_missing(c);
    TRY(context_snapshot_store_counts(c, x.id, id, counts));
    TRY(context_snapshot_store_changes(c, x.id, id, after, limit, &v, &n));
    PAGE_END_NAME(c, rows, v, n, limit, struct restore_change, key);
    return ERR_OK;
}

err context_snapshot_with(struct ctx *c, struct uuid space_id, struct uuid node_id, int64_t limit, struct context_snapshot **rows,
                          size_t *n)
{
    TRY(access_require(c, space_id, ACCESS_READ));
    return context_snapshot_store_with(c, space_id, node_id, limit, rows, n);
}

static err context_snapshot_delete_body(struct ctx *c, void *arg)
{
    const struct work *w = arg;
    struct context x;
    bool done;

    TRY(entry_lock_context(c, w->context, &x));
    TRY(context_snapshot_store_delete(c, x.id, w->id, &done));
    return done ? context_snapshot_record(c, "context.snapshot_delete", LOGGED_DELETE, &x, w->id, 0) : context_snapshot_missing(c);
}

err context_snapshot_delete(struct ctx *c, const char *context, struct uuid id)
{
    struct work w = {.context = context, .id = id};

    return db_tx(c, context_snapshot_delete_body, &w);
}

/* ---- restoring */

/* What is left to do, which the first transaction finds out. */
struct restoring {
    const char *context;
    struct uuid id;
    const struct json *data; /* context_data then */
    struct snapshot_difference *rows;
    struct uuid *later;
    size_t n, at, n_later, at_later; /* how many, and from where on */
    size_t step, step_later;         /* of these, in this transaction */
    struct context_restored portion, out;
};

static bool is_last_portion(const struct restoring *r)
{
    return r->at + r->step == r->n && r->at_later + r->step_later == r->n_later;
}

/* First those that came later go, then the others come back. */
static void plan_portion(struct restoring *r)
{
    int64_t bytes = 0;
    size_t room;

    r->step_later = r->n_later - r->at_later < ENTRIES_AT_ONCE ? r->n_later - r->at_later : ENTRIES_AT_ONCE;
    room = ENTRIES_AT_ONCE - r->step_later;
    for (r->step = 0; r->at + r->step < r->n && r->step < room; r->step++) {
        bytes += r->rows[r->at + r->step].size_bytes;
        if (r->step && bytes > ENTRIES_BYTES)
            break;
    }
}

static int context_snapshot_by_key(const void *a, const void *b)
{
    return strcmp(((const struct entry_row *)a)->entry.entry_key, ((const struct entry_row *)b)->entry.entry_key);
}

/* Those that hold no key come back under theirs; what has expired meanwhile stays away, and its content is dropped from rows. */
static err context_snapshot_revive(struct ctx *c, const struct context *x, const struct snapshot_difference *of, size_t n, struct entry_row *rows, size_t *n_rows,
                                   struct context_restored *out)
{
    struct entry_row *heads, *back = ARENA_ARRAY(c->arena, struct entry_row, n + 1);
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, n + 1);
    size_t n_heads, n_back = 0, kept = 0;

    for (size_t i = 0; i < n; i++)
        ids[i] = of[i].node_id;
    TRY(entry_store_heads(c, x->id, ids, n, &heads, &n_heads));
    qsort(heads, n_heads, sizeof *heads, context_snapshot_by_key);
    for (size_t i = 0; i < *n_rows; i++) {
        const struct entry_row *head = bsearch(&rows[i], heads, n_heads, sizeof *heads, context_snapshot_by_key);
        bool is_over = !head || (head->node.expires_at.us && head->node.expires_at.us <= c->now.us);

        if (is_over)
            out->missing_erased++;
        else
            back[n_back++] = *head;
        if (!is_over)
            rows[kept++] = rows[i];
    }
    *n_rows = kept;
    out->revived += (int64_t)n_back;
    return entry_revive_many(c, x, back, n_back);
}

/* Rows of those whose key somebody holds go first; *n_held: how many. */
static err split_by_holder(struct ctx *c, const struct context *x, struct entry_row *rows, size_t n, size_t *n_held)
{
    const char **keys = ARENA_ARRAY(c->arena, const char *, n + 1);
    struct entry_row *holders, *absent = ARENA_ARRAY(c->arena, struct entry_row, n + 1);
    size_t n_holders, held = 0, away = 0;

    for (size_t i = 0; i < n; i++)
        keys[i] = rows[i].entry.entry_key;
    TRY(entry_store_holders(c, x->id, keys, n, &holders, &n_holders));
    TRY(entry_leave_stale(c, x, holders, n_holders));
    qsort(holders, n_holders, sizeof *holders, context_snapshot_by_key);
    for (size_t i = 0; i < n; i++) {
        const struct entry_row *h = bsearch(&rows[i], holders, n_holders, sizeof *holders, context_snapshot_by_key);

        if (h && entry_holds(c, h))
            rows[held++] = rows[i];
        else
            absent[away++] = rows[i];
    }
    if (away)
        memcpy(rows + held, absent, away * sizeof *rows);
    *n_held = held;
    return ERR_OK;
}

static err context_snapshot_bring_back(struct ctx *c, struct context *x, const struct restoring *r, struct context_restored *out)
{
    const struct snapshot_difference *of = r->rows + r->at;
    struct entry_row *rows = ARENA_ARRAY(c->arena, struct entry_row, ENTRIES_AT_ONCE + 1);
    struct entry_merged *made = ARENA_ARRAY(c->arena, struct entry_merged, ENTRIES_AT_ONCE);
    struct entry_new *in = ARENA_ARRAY(c->arena, struct entry_new, ENTRIES_AT_ONCE);
    size_t n, held, absent;
    bool found;

    TRY(context_snapshot_store_contents(c, r->id, of, r->step, rows, &n));
    out->missing_erased += (int64_t)(r->step - n);
    TRY(split_by_holder(c, x, rows, n, &held));
    out->restored += (int64_t)held;
    absent = n - held;
    if (absent)
        TRY(context_snapshot_revive(c, x, of, r->step, rows + held, &absent, out));
    TRY(context_store_get(c, x->id, NULL, &found, x)); /* counters, for what the retention policy allows */
    for (size_t i = 0; i < held + absent; i++)
        in[i] = (struct entry_new){.entry_key = rows[i].entry.entry_key, .stored = &rows[i]};
    return entry_merge_many(c, x, in, held + absent, MERGE_VERSION, made);
}

/* Archives what came later, and restores what is different, of one portion. */
static err restore_portion(struct ctx *c, struct context *x, struct restoring *r)
{
    r->portion = (struct context_restored){.archived = (int64_t)r->step_later};
    if (r->step_later)
        TRY(entry_leave_by_id(c, x, r->later + r->at_later, r->step_later));
    if (r->step)
        TRY(context_snapshot_bring_back(c, x, r, &r->portion));
    if (!is_last_portion(r))
        return ERR_OK;
    x->context_data = r->data;
    x->restoring_id = x->restoring_safety_id = (struct uuid){{0}};
    x->restoring_until = (struct instant){0};
    TRY(context_store_update(c, x));
    TRY(context_store_restoring(c, x));
    return context_snapshot_record(c, "context.restore", LOGGED_RESTORE, x, r->id, (int64_t)r->n);
}

/* A restore that was broken off goes on; its safety snapshot says what was there before. */
static err begin_restore(struct ctx *c, struct restoring *r, struct context *x)
{
    struct context_snapshot taken;

    if (context_is_restoring(c, x) && !uuid_eq(x->restoring_id, r->id))
        return context_refuse_restoring(c);
    if (!context_is_restoring(c, x)) {
        TRY(context_snapshot_store_trim(c, x->id, SNAPSHOTS_AUTOMATIC - 1));
        TRY(context_snapshot_take(c, x, "before-restore", true, &taken));
        x->restoring_safety_id = taken.id;
    }
    x->restoring_id = r->id;
    x->restoring_until = (struct instant){c->now.us + RESTORE_LEASE_S * SECOND_US};
    r->out = (struct context_restored){.safety_snapshot_id = x->restoring_safety_id};
    return ERR_OK;
}

static err first_body(struct ctx *c, void *arg)
{
    struct restoring *r = arg;
    struct context_snapshot s;
    struct context x;
    bool found;

    r->at = r->at_later = 0;
    TRY(entry_lock_for_restore(c, r->context, &x));
    TRY(context_snapshot_store_get(c, x.id, r->id, &found, &s, &r->data));
    if (!found)
        return context_snapshot_missing(c);
    TRY(begin_restore(c, r, &x));
    TRY(context_snapshot_store_later(c, x.id, r->id, &r->later, &r->n_later));
    TRY(context_snapshot_store_differences(c, x.id, r->id, &r->rows, &r->n));
    r->out.unchanged = s.entry_count - (int64_t)r->n;
    plan_portion(r);
    if (is_last_portion(r))
        return restore_portion(c, &x, r);
    r->portion = (struct context_restored){0};
    r->step = r->step_later = 0;
    return context_store_restoring(c, &x);
}

static err next_body(struct ctx *c, void *arg)
{
    struct restoring *r = arg;
    struct context x;

    TRY(entry_lock_for_restore(c, r->context, &x));
    if (!context_is_restoring(c, &x) || !uuid_eq(x.restoring_id, r->id))
        return fail(c, ERR_CONFLICT, "another restore was started meanwhile; restore again");
    plan_portion(r);
    return restore_portion(c, &x, r);
}

static void add_portion(struct restoring *r)
{
    r->at += r->step;
    r->at_later += r->step_later;
    r->out.restored += r->portion.restored;
    r->out.revived += r->portion.revived;
    r->out.archived += r->portion.archived;
    r->out.missing_erased += r->portion.missing_erased;
    r->out.complete = r->at == r->n && r->at_later == r->n_later;
}

static err give_up_body(struct ctx *c, void *arg)
{
    const struct restoring *r = arg;
    struct context x;

    TRY(entry_lock_for_restore(c, r->context, &x));
    x.restoring_id = x.restoring_safety_id = (struct uuid){{0}};
    x.restoring_until = (struct instant){0};
    return context_store_restoring(c, &x);
}

/* Each portion is a transaction with memory of its own. One that fails ends the restore, and others may write again. */
static err restore_rest(struct ctx *c, struct restoring *r)
{
    struct ctx part;
    err e = ERR_OK;

    portion_begin(c, &part);
    while (e == ERR_OK && !r->out.complete && !(c->deadline_us && ctx_seconds_left(c) < KEPT_S)) {
        portion_next(&part);
        e = db_tx(&part, next_body, r);
        if (e == ERR_OK)
            add_portion(r);
    }
    e = portion_end(c, &part, e);
    if (e != ERR_OK) {
        portion_next(&part);
        (void)!db_tx(&part, give_up_body, r);
    }
    return e;
}

err context_snapshot_restore(struct ctx *c, const char *context, struct uuid id, struct context_restored *out)
{
    struct restoring r = {.context = context, .id = id};

    TRY(db_tx(c, first_body, &r));
    add_portion(&r);
    if (!r.out.complete)
        TRY(restore_rest(c, &r));
    *out = r.out;
    return ERR_OK;
}

err context_snapshot_holds(struct ctx *c, const struct uuid *ids, size_t n, bool *held)
{
    struct uuid *those = ARENA_ARRAY(c->arena, struct uuid, n + 1);
    size_t k = 0;

    if (n)
        TRY(context_snapshot_store_held(c, ids, n, those, &k));
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < k && !held[i]; j++)
            held[i] = uuid_eq(ids[i], those[j]);
    return ERR_OK;
}
