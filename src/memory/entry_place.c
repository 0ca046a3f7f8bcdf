/* Where entries are: archived, brought back, forgotten, and who holds a key; see entry.h. */
#include "access.h"
#include "db.h"
#include "entry_impl.h"
#include "match.h"

struct moving {
    const char *context, *ref;
    int64_t if_version;
    double amount; /* entry_boost */
    struct entry moved;
};

err entry_free_key(struct ctx *c, const struct context *x, const char *key, bool *found, struct entry_row *out)
{
    *out = (struct entry_row){0};
    TRY(entry_store_by_key(c, x->id, key, found, out));
    if (!*found || entry_holds(c, out))
        return ERR_OK;
    *found = false;
    return entry_leave_stale(c, x, out, 1);
}

static err entry_place_take(struct ctx *c, struct moving *m, struct context *x, struct entry_row *e)
{
    TRY(entry_lock_context(c, m->context, x));
    return entry_find_to_change(c, x, m->ref, e);
}

static err entry_place_done(struct ctx *c, struct moving *m, const struct context *x, struct uuid id)
{
    struct entry_row e = {0};
    bool found;

    TRY(entry_store_by_id(c, x->id, id, &found, &e));
    if (!found)
        return entry_missing(c);
    entry_present(c, &e);
    m->moved = e.entry;
    return ERR_OK;
}

static err withdraw(struct ctx *c, const struct context *x, const struct entry_row *e)
{
    return e->live ? entry_hold_many(c, x, e, 1, false) : ERR_OK;
}

static err entry_place_archive_body(struct ctx *c, void *arg)
{
    struct moving *m = arg;
    struct context x;
    struct entry_row e;
    struct node n;

    TRY(entry_place_take(c, m, &x, &e));
    TRY(match_version(c, m->if_version, e.entry.version));
    TRY(node_archive(c, e.entry.id, 0, &n));
    TRY(withdraw(c, &x, &e));
    TRY(entry_log(c, LOGGED_ARCHIVE, &e, &e));
    return entry_place_done(c, m, &x, e.entry.id);
}

/* Back under its key, if nobody else has taken it meanwhile. */
static err entry_place_bring_back(struct ctx *c, const struct context *x, const struct entry_row *e)
{
    struct entry_row holder;
    bool found;

    if (e->live)
        return ERR_OK;
    TRY(entry_free_key(c, x, e->entry.entry_key, &found, &holder));
    if (found)
        return fail(c, ERR_CONFLICT, "another entry uses the key '%s' now", e->entry.entry_key);
    return entry_hold_many(c, x, e, 1, true);
}

err entry_revive(struct ctx *c, const struct context *x, struct entry_row *e)
{
    struct uuid id = e->entry.id;
    struct node n;
    bool found;

    if (e->node.forgotten_at.us)
        TRY(node_restore(c, id, &n));
    TRY(node_unarchive(c, id, 0, &n));
    TRY(entry_place_bring_back(c, x, e));
    TRY(entry_log(c, LOGGED_UNARCHIVE, e, e));
    *e = (struct entry_row){0};
    TRY(entry_store_by_id(c, x->id, id, &found, e));
    return found ? ERR_OK : entry_missing(c);
}

static err unarchive_body(struct ctx *c, void *arg)
{
    struct moving *m = arg;
    struct context x;
    struct entry_row e;

    TRY(entry_place_take(c, m, &x, &e));
    TRY(match_version(c, m->if_version, e.entry.version));
    TRY(entry_revive(c, &x, &e));
    return entry_place_done(c, m, &x, e.entry.id);
}

err entry_archive(struct ctx *c, const char *context, const char *ref, bool archived, int64_t if_version, struct entry *out)
{
    struct moving m = {.context = context, .ref = ref, .if_version = if_version};

    TRY(db_tx(c, archived ? entry_place_archive_body : unarchive_body, &m));
    *out = m.moved;
    return ERR_OK;
}

static err forget_body(struct ctx *c, void *arg)
{
    struct moving *m = arg;
    struct context x;
    struct entry_row e;

    TRY(entry_lock_context(c, m->context, &x));
    if (entry_find(c, &x, m->ref, &e) != ERR_OK)
        return entry_find_to_change(c, &x, m->ref, &e);
    if (!entry_is_there(c, &e))
        return entry_missing(c);
    TRY(match_version(c, m->if_version, e.entry.version));
    TRY(node_forget(c, e.entry.id, 0));
    TRY(entry_log(c, LOGGED_DELETE, &e, NULL));
    return withdraw(c, &x, &e);
}

err entry_forget(struct ctx *c, const char *context, const char *ref, int64_t if_version)
{
    struct moving m = {.context = context, .ref = ref, .if_version = if_version};

    return db_tx(c, forget_body, &m);
}

static err boost_body(struct ctx *c, void *arg)
{
    struct moving *m = arg;
    struct context x;
    struct entry_row e;
    struct node n;

    TRY(entry_place_take(c, m, &x, &e));
    TRY(node_boost(c, e.entry.id, m->amount, &n));
    TRY(entry_log(c, LOGGED_UPDATE, &e, &e));
    return entry_place_done(c, m, &x, e.entry.id);
}

err entry_boost(struct ctx *c, const char *context, const char *ref, double amount, struct entry *out)
{
    struct moving m = {.context = context, .ref = ref, .amount = amount};

    TRY(db_tx(c, boost_body, &m));
    *out = m.moved;
    return ERR_OK;
}
