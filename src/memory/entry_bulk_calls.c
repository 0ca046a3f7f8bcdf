/* Writing many entries at once. */
#include "entry_calls.h"
#include "memory_calls.h"

#define BULK_ENTRIES 500
#define BULK_BYTES (1 << 20)

static const struct field ITEM_IN[] = {
    F_ENTRY_PUT(struct entry_put_in),
    F_END
};

struct bulk_in {
    const char *id;
    const struct json *entries;
};

static const struct field BULK_IN[] = {
    F_CONTEXT(struct bulk_in),
    F_JSON(struct bulk_in, entries, FIELD_REQUIRED | FIELD_VALUES, BULK_BYTES,
           "list of up to 500 entries, each as entry.put takes it; at most 1048576 bytes"),
    F_END
};

struct bulk_made {
    struct uuid id;
    const char *entry_key;
    int64_t version;
};

struct bulk_error {
    int64_t index;
    const char *code, *message;
};

struct bulk_out {
    struct list created, errors;
    int64_t total;
};

static const struct field MADE_OUT[] = {
    F_UUID(struct bulk_made, id, 0, "id of the entry"),
    F_STR(struct bulk_made, entry_key, 0, 0, ENTRY_KEY, "its key"),
    F_INT(struct bulk_made, version, 0, 1, CONTEXT_COUNT_MAX, 1, "version; more than 1 if it existed before"),
    F_END
};

static const struct field ERROR_OUT[] = {
    F_INT(struct bulk_error, index, 0, 0, BULK_ENTRIES, 0, "index in the list, from 0"),
    F_STR(struct bulk_error, code, 0, 0, 32, "error code"),
    F_STR(struct bulk_error, message, 0, 0, LIMIT_DESCRIPTION, "error message"),
    F_END
};

static const struct field BULK_OUT[] = {
    F_LIST(struct bulk_out, created, 0, BULK_ENTRIES, MADE_OUT, struct bulk_made, "entries written"),
    F_LIST(struct bulk_out, errors, 0, BULK_ENTRIES, ERROR_OUT, struct bulk_error, "entries not written, with reason"),
    F_INT(struct bulk_out, total, 0, 0, BULK_ENTRIES, 0, "entries in the list"),
    F_END
};

static err put_one(struct ctx *c, const char *context, const struct json *item, struct entry *out)
{
    struct entry_put_in *in = ARENA_NEW(c->arena, struct entry_put_in);
    struct entry_new n;

    if (item->type != JSON_OBJ)
        return fail(c, ERR_INVALID, "an entry must be an object");
    TRY(field_decode(c, ITEM_IN, item, in, false));
    n = entry_new_from(in);
    return entry_put(c, context, &n, out);
}

static void entry_bulk_call_note(struct ctx *c, struct bulk_out *out, int64_t index, err e)
{
    struct bulk_error *errors = out->errors.v;

    errors[out->errors.n++] = (struct bulk_error){
        .index = index, .code = err_info(e)->slug,
        .message = c->fault.message && e != ERR_INTERNAL ? c->fault.message : err_info(e)->meaning};
    ctx_forgive(c);
}

static err entry_bulk_call_bulk(struct ctx *c, const void *in, void *out)
{
    const struct bulk_in *i = in;
    struct bulk_out *o = out;
    struct bulk_made *made = ARENA_ARRAY(c->arena, struct bulk_made, BULK_ENTRIES);
    struct context x;

    TRY(context_get(c, i->id, &x));
    TRY(access_require(c, x.id, ACCESS_WRITE));
    if (i->entries->type != JSON_ARR || i->entries->len > BULK_ENTRIES)
        return fail_field(c, "/entries", "entries must be a list of at most %d", BULK_ENTRIES);
    *o = (struct bulk_out){.created = {made, 0}, .errors = {ARENA_ARRAY(c->arena, struct bulk_error, BULK_ENTRIES), 0}};
    for (const struct json *item = i->entries->first; item; item = item->next, o->total++) {
        struct entry e;
        err r = put_one(c, i->id, item, &e);

        if ((r == ERR_UNAVAILABLE || r == ERR_DEADLINE) && !o->created.n)
            return r;
        if (r != ERR_OK)
            entry_bulk_call_note(c, o, o->total, r);
        else
            made[o->created.n++] = (struct bulk_made){e.id, e.entry_key, e.version};
    }
    return ERR_OK;
}

static const struct op BULK = {
    .name = "entry.bulk", .method = "POST", .path = ENTRIES_PATH "/bulk", CONTEXT_TAG,
    .summary = "Writes up to 500 entries.", .help = "Each is independent: invalid ones are listed in errors and the others are written.",
    .perm = PERM_CONTEXT_UPDATE,
    OP_IN(BULK_IN, struct bulk_in), OP_OUT(BULK_OUT, struct bulk_out), .run = entry_bulk_call_bulk,
};

const struct op *const entry_bulk_calls_table[] = {&BULK, NULL};
