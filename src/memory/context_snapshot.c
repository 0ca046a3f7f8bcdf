/* Taking and restoring snapshots; see context_snapshot.h. */
#include "context_snapshot.h"

#include "access.h"
#include "audit.h"
#include "context_snapshot_store.h"
#include "context_store.h"
#include "db.h"
#include "entry_impl.h"
#include "principal.h"

struct work {
    const char *context, *name;
    struct uuid id;
    struct context_snapshot taken;
    struct context_restored restored;
};

static err missing(struct ctx *c)
{
    return fail(c, ERR_NOT_FOUND, "no such snapshot");
}

static err record(struct ctx *c, const char *verb, enum access_action action, const struct context *x, struct uuid id, int64_t entries)
{
    struct json *payload = json_obj(c->arena);

    json_set_str(c->arena, payload, "snapshot_id", arena_strdup(c->arena, UUID_STR(id)));
    json_set_int(c->arena, payload, "entries", entries);
    TRY(context_log(c, action, x->id, payload));
    return audit_add(c, &(struct audit){.kind = verb, .subject_kind = "space", .subject_id = x->id,
                                        .space_id = x->id, .payload = payload});
}

/* ---- taking */

static err take(struct ctx *c, const struct context *x, const char *name, bool is_automatic, struct context_snapshot *out)
{
    struct bytes hash;
    char hex[65];

    *out = (struct context_snapshot){
        .id = uuid_new(c->now.us), .context_id = x->id, .name = name, .is_automatic = is_automatic,
        .author_kind = enumx_name(&principal_kind_enumx, (int)c->who->kind), .author_id = c->who->id, .created_at = c->now};
    TRY(context_snapshot_store_hash(c, x->id, &hash, &out->entry_count));
    if (out->entry_count > SNAPSHOT_ENTRIES)
        return fail(c, ERR_CONFLICT, "a snapshot holds at most %d entries", SNAPSHOT_ENTRIES);
    hex_encode(hash.p, hash.n, hex);
    out->data_hash = arena_strdup(c->arena, hex);
    TRY(context_snapshot_store_take(c, out, x->context_data, hash));
    return record(c, "context.snapshot", LOGGED_SNAPSHOT, x, out->id, out->entry_count);
}

static err create_body(struct ctx *c, void *arg)
{
    struct work *w = arg;
    struct context x;
    int64_t n;

    TRY(entry_lock_context(c, w->context, &x));
    TRY(context_snapshot_store_count(c, x.id, &n));
    if (n >= SNAPSHOTS)
        return fail(c, ERR_CONFLICT, "a context has at most %d snapshots; delete one", SNAPSHOTS);
    return take(c, &x, w->name, false, &w->taken);
}

err context_snapshot_create(struct ctx *c, const char *context, const char *name, struct context_snapshot *out)
{
    struct work w = {.context = context, .name = name};

    TRY(db_tx(c, create_body, &w));
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
        return missing(c);
    TRY(context_snapshot_store_counts(c, x.id, id, counts));
    TRY(context_snapshot_store_changes(c, x.id, id, after, limit, &v, &n));
    PAGE_END_NAME(c, rows, v, n, limit, struct restore_change, key);
    return ERR_OK;
}

err context_snapshot_with(struct ctx *c, struct uuid space_id, struct uuid node_id, int64_t limit, struct context_snapshot **rows, size_t *n)
{
    TRY(access_require(c, space_id, ACCESS_READ));
    return context_snapshot_store_with(c, space_id, node_id, limit, rows, n);
}

static err delete_body(struct ctx *c, void *arg)
{
    const struct work *w = arg;
    struct context x;
    bool done;

    TRY(entry_lock_context(c, w->context, &x));
    TRY(context_snapshot_store_delete(c, x.id, w->id, &done));
    return done ? record(c, "context.snapshot_delete", LOGGED_DELETE, &x, w->id, 0) : missing(c);
}

err context_snapshot_delete(struct ctx *c, const char *context, struct uuid id)
{
    struct work w = {.context = context, .id = id};

    return db_tx(c, delete_body, &w);
}

/* ---- restoring */

static err archive_later(struct ctx *c, const struct context *x, struct work *w)
{
    struct uuid *ids;
    size_t n;

    TRY(context_snapshot_store_later(c, x->id, w->id, &ids, &n));
    for (size_t i = 0; i < n; i++)
        TRY(entry_put_away(c, x, ids[i]));
    w->restored.archived = (int64_t)n;
    return ERR_OK;
}

/* What the entry said at that version: the row of its node, or of a state that was kept. */
static err content_of(struct ctx *c, const struct context *x, const struct snapshot_difference *d, bool *found, struct entry_row *out)
{
    *out = (struct entry_row){0};
    TRY(entry_store_by_id(c, x->id, d->node_id, found, out));
    if (!*found || out->row_version == d->version)
        return ERR_OK;
    *out = (struct entry_row){0};
    TRY(entry_store_state(c, d->node_id, d->version, found, out));
    *found = *found && out->row_version == d->version;
    return ERR_OK;
}

static err restore_one(struct ctx *c, struct context *x, const struct snapshot_difference *d, struct work *w)
{
    struct entry_row content, head;
    struct entry_patch p = {.set = ENTRY_SET_CONTENT};
    struct entry made;
    bool found;

    TRY(content_of(c, x, d, &found, &content));
    if (!found) {
        w->restored.missing_erased++;
        return ERR_OK;
    }
    p.content = json_opened(c->arena, content.entry.content);
    p.content_text = content.entry.content_text;
    TRY(entry_free_key(c, x, d->entry_key, &found, &head));
    if (found) {
        w->restored.restored++;
        return entry_apply(c, x, &head, &p, &made);
    }
    TRY(entry_find(c, x, arena_strdup(c->arena, UUID_STR(d->node_id)), &head));
    TRY(entry_revive(c, x, &head));
    w->restored.revived++;
    return entry_apply(c, x, &head, &p, &made);
}

static err restore_body(struct ctx *c, void *arg)
{
    struct work *w = arg;
    struct snapshot_difference *rows;
    const struct json *data;
    struct context_snapshot s;
    struct context x;
    bool found;
    size_t n;

    w->restored = (struct context_restored){0};
    TRY(entry_lock_context(c, w->context, &x));
    TRY(context_snapshot_store_get(c, x.id, w->id, &found, &s, &data));
    if (!found)
        return missing(c);
    TRY(context_snapshot_store_trim(c, x.id, SNAPSHOTS_AUTOMATIC - 1));
    TRY(take(c, &x, "before-restore", true, &w->taken));
    TRY(archive_later(c, &x, w));
    TRY(context_snapshot_store_differences(c, x.id, w->id, &rows, &n));
    for (size_t i = 0; i < n; i++) {
        TRY(context_store_get(c, x.id, NULL, &found, &x));       /* counters, for what the retention policy allows */
        TRY(restore_one(c, &x, &rows[i], w));
    }
    x.context_data = data;
    TRY(context_store_update(c, &x));
    w->restored.unchanged = s.entry_count - (int64_t)n;
    w->restored.safety_snapshot_id = w->taken.id;
    return record(c, "context.restore", LOGGED_RESTORE, &x, w->id, (int64_t)n);
}

err context_snapshot_restore(struct ctx *c, const char *context, struct uuid id, struct context_restored *out)
{
    struct work w = {.context = context, .id = id};

    TRY(db_tx(c, restore_body, &w));
    *out = w.restored;
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
