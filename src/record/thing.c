/* Things by their table of columns; see thing.h. */
#include "thing.h"

#include <string.h>

#include "audit.h"
#include "db.h"
#include "match.h"
#include "row.h"

static struct uuid thing_id_of(const struct thing *t, const void *row)
{
    return *(const struct uuid *)((const char *)row + field_with(t->columns, COL_KEY)->off);
}

static int64_t version_of(const struct thing *t, const void *row)
{
    const struct field *f = field_with(t->columns, COL_VERSION);

    return f ? *(const int64_t *)((const char *)row + f->off) : 0;
}

err thing_get(struct ctx *c, const struct thing *t, struct uuid id, void *row)
{
    bool found;

    TRY(row_get(c, t, id, &found, row));
    return found ? ERR_OK : fail(c, ERR_NOT_FOUND, "no such %s", t->name);
}

err thing_take(struct ctx *c, const struct thing *t, struct uuid id, int64_t if_version, void *row)
{
    TRY(thing_get(c, t, id, row));
    return match_version(c, if_version, version_of(t, row));
}

err thing_note(struct ctx *c, const struct thing *t, const char *verb, struct uuid id, const struct json *before, const struct json *after)
{
    TRY(audit_add(c, &(struct audit){.kind = arena_printf(c->arena, "%s.%s", t->name, verb), .subject_kind = t->name, .subject_id = id,
                                     .before = before, .after = after, .is_news = t->is_news}));
    return t->changed ? t->changed(c) : ERR_OK;
}

static struct json *audited(struct ctx *c, const struct thing *t, const void *row)
{
    return field_encode_use(c->arena, t->columns, COL_AUDIT, row);
}

/* ---- making */

err thing_begin(struct ctx *c, const struct thing *t, void *row)
{
    field_begin_row(c, t->columns, row);
    return field_check(c, t->columns, row);
}

static err exists_already(struct ctx *c, const struct thing *t, const void *row)
{
    const struct field *f = field_with(t->columns, COL_UNIQUE);
    const char *name = f ? *(const char *const *)((const char *)row + f->off) : NULL;

    ctx_forgive(c);
    if (t->taken)
        return fail(c, ERR_CONFLICT, "%s", t->taken);
    if (!name)
        return fail(c, ERR_CONFLICT, "this %s exists already", t->name);
    return fail(c, ERR_CONFLICT, "%s '%s' exists already", t->name, name);
}

err thing_insert(struct ctx *c, const struct thing *t, const void *row)
{
    err e = row_insert(c, t, row);

    if (e != ERR_OK && db_was_duplicate(c))
        return exists_already(c, t, row);
    TRY(e);
    return thing_note(c, t, "create", thing_id_of(t, row), NULL, audited(c, t, row));
}

/* ---- changing */

err thing_apply_(struct ctx *c, const struct thing *t, const struct thing_change *ch, size_t at, const void *to, void *row)
{
    field_apply(t->columns, ch, at, to, row);
    return field_check_change(c, t->columns, ch, at, row);
}

err thing_save(struct ctx *c, const struct thing *t, const struct thing_change *ch, const void *was, void *row)
{
    int64_t changed;
    err e;

    field_touch(c, t->columns, row);
    e = row_update(c, t, row, &changed);
    if (e != ERR_OK && db_was_duplicate(c))
        return exists_already(c, t, row);
    TRY(e);
    if (!changed)
        return match_lost(c, ch->if_version);
    return thing_note(c, t, ch->verb ? ch->verb : "update", thing_id_of(t, row), audited(c, t, was), audited(c, t, row));
}

err thing_remove(struct ctx *c, const struct thing *t, const void *row, int64_t if_version)
{
    int64_t changed;

    TRY(row_delete(c, t, row, &changed));
    if (!changed)
        return match_lost(c, if_version);
    return thing_note(c, t, "delete", thing_id_of(t, row), audited(c, t, row), NULL);
}

/* ---- plain things */

struct thing_work {
    const struct thing *thing;
    const void *in;                    /* struct x, or struct thing_key */
    const struct thing_change *change; /* of `in` */
    size_t at;
    void *out;
};

err thing_list(struct ctx *c, const struct thing *t, const struct thing_page *in, struct page *out)
{
    struct uuid before;

    TRY(page_begin(c, in->cursor, &before));
    return row_list(c, t, before, in->limit, out);
}

static err thing_create_tx(struct ctx *c, void *arg)
{
    const struct thing_work *w = arg;
    void *row = arena_memdup(c->arena, w->in, w->thing->size);

    TRY(thing_begin(c, w->thing, row));
    TRY(thing_insert(c, w->thing, row));
    memcpy(w->out, row, w->thing->size);
    return ERR_OK;
}

err thing_create(struct ctx *c, const struct thing *t, const void *in, void *out)
{
    return db_tx(c, thing_create_tx, &(struct thing_work){.thing = t, .in = in, .out = out});
}

static err thing_update_tx(struct ctx *c, void *arg)
{
    const struct thing_work *w = arg;
    void *was = arena_alloc(c->arena, w->thing->size), *row;

    TRY(thing_take(c, w->thing, thing_id_of(w->thing, w->in), w->change->if_version, was));
    row = arena_memdup(c->arena, was, w->thing->size);
    TRY(thing_apply_(c, w->thing, w->change, w->at, w->in, row));
    TRY(thing_save(c, w->thing, w->change, was, row));
    memcpy(w->out, row, w->thing->size);
    return ERR_OK;
}

err thing_update_(struct ctx *c, const struct thing *t, const struct thing_change *ch, size_t at, const void *to, void *out)
{
    return db_tx(c, thing_update_tx, &(struct thing_work){.thing = t, .in = to, .change = ch, .at = at, .out = out});
}

static err thing_delete_tx(struct ctx *c, void *arg)
{
    const struct thing_work *w = arg;
    const struct thing_key *key = w->in;
    void *row = arena_alloc(c->arena, w->thing->size);

    TRY(thing_take(c, w->thing, key->id, key->if_version, row));
    return thing_remove(c, w->thing, row, key->if_version);
}

err thing_delete(struct ctx *c, const struct thing *t, const struct thing_key *key)
{
    return db_tx(c, thing_delete_tx, &(struct thing_work){.thing = t, .in = key});
}
