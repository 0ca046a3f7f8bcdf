/* From a C struct to a JSON object, by the same table that publishes it. */
#include "field.h"

#include "str.h"

static struct json *uuid_json(struct arena *a, struct uuid id)
{
    char *s;

    if (uuid_is_nil(id))
        return json_str(a, NULL);
    s = arena_alloc(a, UUID_TEXT);
    uuid_text(id, s);
    return json_str(a, s);
}

static struct json *time_json(struct arena *a, struct instant t)
{
    char *s;

    if (!t.us)
        return json_str(a, NULL);
    s = arena_alloc(a, INSTANT_TEXT);
    instant_text(t, s);
    return json_str(a, s);
}

static struct json *field_encode_array(struct arena *a, const struct field *f, const void *member)
{
    struct json *arr = json_arr(a);

    if (f->type == FT_STRS) {
        const struct strs *s = member;

        if (!s->v && f->flags & FIELD_NULLABLE)
            return json_new(a, JSON_NULL);
        for (size_t i = 0; i < s->n; i++)
            json_push(arr, json_str(a, s->v[i]));
    } else if (f->type == FT_UUIDS) {
        const struct uuids *u = member;

        if (!u->v && f->flags & FIELD_NULLABLE)
            return json_new(a, JSON_NULL);
        for (size_t i = 0; i < u->n; i++)
            json_push(arr, uuid_json(a, u->v[i]));
    } else if (f->type == FT_NUMS) {
        const struct nums *n = member;

        for (size_t i = 0; i < n->n; i++)
            json_push(arr, json_num(a, n->v[i]));
    } else {
        const struct list *l = member;

        for (size_t i = 0; i < l->n; i++)
            json_push(arr, field_encode(a, f->sub, (const char *)l->v + i * f->sub_size));
    }
    return arr;
}

/* Trees are linked by `next`: a value that is already in another tree needs a head of its own. */
static struct json *tree_json(struct arena *a, const struct json *j)
{
    return j ? arena_memdup(a, j, sizeof *j) : json_new(a, JSON_NULL);
}

static struct json *field_encode_one(struct arena *a, const struct field *f, const void *member)
{
    switch (f->type) {
    case FT_STR:
        return json_str(a, *(const char *const *)member);
    case FT_INT:
        return *(const int64_t *)member == FIELD_NONE ? json_new(a, JSON_NULL) : json_int(a, *(const int64_t *)member);
    case FT_NUM:
        return json_num(a, *(const double *)member);
    case FT_BOOL:
        return json_bool(a, *(const bool *)member);
    case FT_ENUM:
        return json_str(a, enumx_name(f->enumx, *(const int *)member));
    case FT_UUID:
        return uuid_json(a, *(const struct uuid *)member);
    case FT_TIME:
        return time_json(a, *(const struct instant *)member);
    case FT_OBJECT:
    case FT_JSON:
        return tree_json(a, *(const struct json *const *)member);
    case FT_OBJ: {
        const void *sub = *(const void *const *)member;

        return sub ? field_encode(a, f->sub, sub) : json_new(a, JSON_NULL);
    }
    case FT_STRS:
    case FT_UUIDS:
    case FT_NUMS:
    case FT_LIST:
        return field_encode_array(a, f, member);
    case FT_BYTES:
    case FT_END:
        break;
    }
    return json_new(a, JSON_NULL);
}

struct json *field_encode(struct arena *a, const struct field *table, const void *out)
{
    struct json *obj = json_obj(a);

    for (const struct field *f = table; f->type != FT_END; f++)
        json_set(a, obj, f->name, field_encode_one(a, f, (const char *)out + f->off));
    return obj;
}

struct json *field_encode_use(struct arena *a, const struct field *table, unsigned use, const void *row)
{
    struct json *obj = json_obj(a);

    for (const struct field *f = table; f->type != FT_END; f++)
        if (f->flags & use)
            json_set(a, obj, f->name, field_encode_one(a, f, (const char *)row + f->off));
    return obj;
}
