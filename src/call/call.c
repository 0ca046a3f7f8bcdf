/* Running one operation; see call.h. */
#include "call.h"

#include <assert.h>
#include <string.h>

#include "app.h"
#include "pace.h"

bool call_may(const struct ctx *c, const struct op *op)
{
    if (op->flags & OP_OPERATOR && !c->who->is_operator)
        return false;
    if (op->flags & OP_OWNER && c->who->kind == PRINCIPAL_AGENT && permissions_have(c->who->scopes, op->perm))
        return true;
    return permissions_have(c->who->perms, op->perm);
}

err call_permit(struct ctx *c, const struct op *op)
{
    assert(c->who);
    if (op->flags & OP_OPERATOR && !c->who->is_operator)
        return fail(c, ERR_FORBIDDEN, "%s is only for operators of the installation", op->name);
    assert(op->perm != PERM_NONE || op->flags & (OP_OPEN | OP_OPERATOR));
    return call_may(c, op) ? ERR_OK : access_permit(c, op->perm);
}

/* Where the input has the version that If-Match names; NULL: nowhere. */
static int64_t *wanted_version(const struct op *op, void *in)
{
    const struct field *f = field_find(op->in, "if_version");

    if (op->use == COL_PATCH)
        return &((struct thing_change *)in)->if_version;
    if (op->use == COL_KEY)
        return &((struct thing_key *)in)->if_version;
    return f ? (int64_t *)((char *)in + f->off) : NULL;
}

static err take_input(struct ctx *c, const struct op *op, const struct json *args, void *in)
{
    int64_t *version = c->if_match ? wanted_version(op, in) : NULL;

    TRY(field_decode(c, op->in, args, in, op->flags & OP_GIVEN));
    if (version)
        *version = c->if_match;
    return ERR_OK;
}

static err call_prepare(struct ctx *c, const struct op *op, const struct json *args, void **in)
{
    TRY(call_permit(c, op));
    if (op->flags & OP_NEEDS_MATCH && !c->if_match)
        return fail(c, ERR_NEEDS_MATCH, "send If-Match with the version you read");
    *in = arena_alloc(c->arena, op->in_size ? op->in_size : 1);
    if (op->in)
        return take_input(c, op, args, *in);
    if (args->first)
        return fail_field(c, arena_printf(c->arena, "/%s", args->first->key), "unknown field '%s'", args->first->key);
    return ERR_OK;
}

static const struct json *page_meta(struct arena *a, const struct page *p)
{
    struct json *meta = json_obj(a);

    json_set_str(a, meta, "next_cursor", p->next_cursor);
    json_set_bool(a, meta, "has_more", p->has_more);
    return meta;
}

static const struct json *page_data(struct arena *a, const struct op *op, const struct page *p)
{
    struct json *rows = json_arr(a);

    for (size_t i = 0; i < p->n; i++)
        json_push(rows, field_encode(a, op->out, (const char *)p->items + i * op->out_size));
    return rows;
}

/* What was to be made was there already. */
static bool was_there(const struct op *op, const void *out)
{
    const struct field *created = field_find(op->out, "created"), *same = field_find(op->out, "duplicate_of");

    if (!(op->flags & OP_FINDS))
        return false;
    if (created)
        return !*(const bool *)((const char *)out + created->off);
    return same && !uuid_is_nil(*(const struct uuid *)((const char *)out + same->off));
}

static void call_answer(struct ctx *c, const struct op *op, const void *out, struct call_result *r)
{
    const struct field *f;
    int64_t revision;

    if (!op->out)
        return;
    if (op->flags & OP_LIST) {
        r->data = page_data(c->arena, op, out);
        r->meta = page_meta(c->arena, out);
        return;
    }
    r->data = field_encode(c->arena, op->out, out);
    r->was_there = was_there(op, out);
    f = field_find(op->out, "id");
    if (f && f->type == FT_UUID)
        memcpy(&r->id, (const char *)out + f->off, sizeof r->id);
    f = op->flags & OP_ETAG ? field_find(op->out, "version") : NULL;
    if (f)
        memcpy(&r->version, (const char *)out + f->off, sizeof r->version);
    f = f ? field_find(op->out, "revision") : NULL;
    if (f) {
        memcpy(&revision, (const char *)out + f->off, sizeof revision);
        r->version += revision;
    }
}

static void *answer_space(struct ctx *c, const struct op *op)
{
    size_t n = op->flags & OP_LIST ? sizeof(struct page) : op->out_size;

    return arena_alloc(c->arena, n ? n : 1);
}

/* What was answered is counted by how it is asked for: recalls, and what writes memory. */
static void note_pace(struct ctx *c, const struct op *op, int64_t began)
{
    if (op->flags & OP_RECALLS)
        pace_note(c->app->pace, c->account_id, PACE_RECALL, clock_monotonic_us() - began);
    else if (!(op->flags & OP_READONLY) && (op->perm == PERM_MEMORY_WRITE || op->perm == PERM_CONTEXT_UPDATE))
        pace_note(c->app->pace, c->account_id, PACE_WRITE, clock_monotonic_us() - began);
}

#define LATE_US SECOND_US /* so long what a call writes may be without being seen before anybody is told */

/* Whether it succeeded or not: a part may have been committed. */
static void note_late(struct ctx *c, const struct op *op, struct instant at)
{
    if (!(op->flags & OP_READONLY) && c->app->wrote_late && clock_now().us - at.us > LATE_US)
        c->app->wrote_late(c->app, &c->account_id, at.us);
}

err call_run(struct ctx *c, const struct op *op, const struct json *args, struct call_result *r)
{
    void *in, *out = answer_space(c, op);
    int64_t began = clock_monotonic_us();
    struct instant at = c->now;
    err e;

    assert(op->run);
    *r = (struct call_result){0};
    TRY(call_prepare(c, op, args, &in));
    e = op->run(c, in, out);
    note_late(c, op, at);
    TRY(e);
    call_answer(c, op, out, r);
    TRY(ctx_check_size(c));
    note_pace(c, op, began);
    return ERR_OK;
}

err call_stream(struct ctx *c, const struct op *op, const struct json *args, struct sink *out)
{
    void *in;

    assert(op->stream);
    TRY(call_prepare(c, op, args, &in));
    return op->stream(c, in, out);
}

err call_take(struct ctx *c, const struct op *op, const struct json *args, const struct upload *file, struct call_result *r)
{
    void *in, *out = answer_space(c, op);
    struct instant at = c->now;
    err e;

    assert(op->take);
    *r = (struct call_result){0};
    TRY(call_prepare(c, op, args, &in));
    e = op->take(c, in, file, out);
    note_late(c, op, at);
    TRY(e);
    call_answer(c, op, out, r);
    return ERR_OK;
}

const struct op *op_find(const struct op_table *t, const char *name)
{
    for (size_t i = 0; i < t->n; i++)
        if (strcmp(t->ops[i]->name, name) == 0)
            return t->ops[i];
    return NULL;
}
