/* Making, asking and comparing JSON trees. */
#include <math.h>
#include <string.h>

#include "json.h"
#include "json_names.h"

struct json *json_new(struct arena *a, enum json_type type)
{
    struct json *j = ARENA_NEW(a, struct json);

    j->type = (uint8_t)type;
    return j;
}

struct json *json_obj(struct arena *a)
{
    return json_new(a, JSON_OBJ);
}

struct json *json_arr(struct arena *a)
{
    return json_new(a, JSON_ARR);
}

struct json *json_str(struct arena *a, const char *s)
{
    struct json *j = json_new(a, s ? JSON_STR : JSON_NULL);

    j->s = s;
    j->len = s ? (uint32_t)strlen(s) : 0;
    return j;
}

struct json *json_int(struct arena *a, int64_t v)
{
    struct json *j = json_new(a, JSON_INT);

    j->i = v;
    return j;
}

struct json *json_num(struct arena *a, double v)
{
    struct json *j = json_new(a, isfinite(v) ? JSON_NUM : JSON_NULL);

    if (j->type == JSON_NUM)
        j->real = v;
    return j;
}

struct json *json_bool(struct arena *a, bool v)
{
    struct json *j = json_new(a, JSON_BOOL);

    j->b = v;
    return j;
}

struct json *json_raw(struct arena *a, const char *text)
{
    struct json *j = json_str(a, text);

    if (text)
        j->type = JSON_RAW;
    return j;
}

void json_push(struct json *arr, struct json *value)
{
    if (arr->last)
        arr->last->next = value;
    else
        arr->first = value;
    arr->last = value;
    value->next = NULL;
    arr->len++;
}

struct json *json_set(struct arena *a, struct json *obj, const char *key, struct json *value)
{
    (void)a;
    value->key = key;
    json_push(obj, value);
    return value;
}

struct json *json_put(struct arena *a, struct json *obj, const char *key, struct json *value)
{
    struct json *m = obj->first;

    while (m && strcmp(m->key, key) != 0)
        m = m->next;
    if (!m)
        return json_set(a, obj, key, value);
    value->key = m->key;
    value->next = m->next;
    *m = *value;
    return m;
}

void json_set_str(struct arena *a, struct json *obj, const char *key, const char *s)
{
    json_set(a, obj, key, json_str(a, s));
}

void json_set_int(struct arena *a, struct json *obj, const char *key, int64_t v)
{
    json_set(a, obj, key, json_int(a, v));
}

void json_set_bool(struct arena *a, struct json *obj, const char *key, bool v)
{
    json_set(a, obj, key, json_bool(a, v));
}

struct json *json_get(const struct json *obj, const char *key)
{
    if (!json_is(obj, JSON_OBJ))
        return NULL;
    for (struct json *m = obj->first; m; m = m->next)
        if (strcmp(m->key, key) == 0)
            return m;
    return NULL;
}

const char *json_get_str(const struct json *obj, const char *key)
{
    struct json *m = json_get(obj, key);

    return json_is(m, JSON_STR) ? m->s : NULL;
}

int64_t json_get_int(const struct json *obj, const char *key, int64_t otherwise)
{
    struct json *m = json_get(obj, key);

    return json_is(m, JSON_INT) ? m->i : otherwise;
}

bool json_get_bool(const struct json *obj, const char *key, bool otherwise)
{
    struct json *m = json_get(obj, key);

    return json_is(m, JSON_BOOL) ? m->b : otherwise;
}

int json_depth(const struct json *j)
{
    int deepest = 0;

    for (const struct json *m = j->first; m; m = m->next) {
        int depth = json_depth(m);

        deepest = depth > deepest ? depth : deepest;
    }
    return deepest + (j->type == JSON_ARR || j->type == JSON_OBJ);
}

double json_number(const struct json *j)
{
    return json_is(j, JSON_INT) ? (double)j->i : json_is(j, JSON_NUM) ? j->real : 0;
}

bool json_is(const struct json *j, enum json_type type)
{
    return j && j->type == type;
}

#define NAMES_BYTES (64u * 1024 * 1024) /* of the table of an object's names, which is freed at once */

/* From m on, members stand in another order than those of b. */
static bool members_equal(const struct json *m, const struct json *b)
{
    struct json_names names = {.arena = b->len > JSON_NAMES_WALK ? arena_new(NAMES_BYTES + 64 * (size_t)b->len) : NULL};
    bool equal = true;

    for (; m && equal; m = m->next)
        equal = json_equal(m, json_names_get(&names, b, m->key));
    arena_free(names.arena);
    return equal;
}

static bool children_equal(const struct json *a, const struct json *b)
{
    const struct json *other = b->first;

    if (a->len != b->len)
        return false;
    for (const struct json *m = a->first; m; m = m->next, other = other->next) {
        if (a->type == JSON_OBJ && strcmp(other->key, m->key) != 0) /* mostly they stand in the same order */
            return members_equal(m, b);
        if (!json_equal(m, other))
            return false;
    }
    return true;
}

/* 1 and 1.0 are the same number; a text that reads 1 comes back as an integer whatever it was. */
static bool numbers_equal(const struct json *a, const struct json *b)
{
    if (a->type == JSON_INT && b->type == JSON_INT)
        return a->i == b->i;
    if (a->type == JSON_INT)
        return numbers_equal(b, a);
    if (b->type == JSON_INT)
        return a->real >= -0x1p63 && a->real < 0x1p63 && (int64_t)a->real == b->i && !(a->real < trunc(a->real)) &&
               !(a->real > trunc(a->real));
    return !(a->real < b->real) && !(a->real > b->real);
}

static bool json_build_is_number(const struct json *j)
{
    return j->type == JSON_INT || j->type == JSON_NUM;
}

bool json_equal(const struct json *a, const struct json *b)
{
    if (a && b && json_build_is_number(a) && json_build_is_number(b))
        return numbers_equal(a, b);
    if (!a || !b || a->type != b->type)
        return a == b;
    switch ((enum json_type)a->type) {
    case JSON_NULL:
        return true;
    case JSON_BOOL:
        return a->b == b->b;
    case JSON_INT:
    case JSON_NUM:
        return numbers_equal(a, b);
    case JSON_STR:
    case JSON_RAW:
        return strcmp(a->s, b->s) == 0;
    case JSON_ARR:
    case JSON_OBJ:
        return children_equal(a, b);
    }
    return false;
}

static struct json *json_build_copy(struct arena *a, const struct json *j)
{
    struct json *c = arena_memdup(a, j, sizeof *j);

    c->next = NULL;
    return c; /* children are shared: trees are not changed once built */
}

struct json *json_merge_patch(struct arena *a, const struct json *target, const struct json *patch)
{
    struct json_names targets = {.arena = a}, patches = {.arena = a};
    struct json *out;

    if (!json_is(patch, JSON_OBJ))
        return json_build_copy(a, patch);
    out = json_obj(a);
    for (struct json *m = json_is(target, JSON_OBJ) ? target->first : NULL; m; m = m->next)
        if (!json_names_get(&patches, patch, m->key))
            json_set(a, out, m->key, json_build_copy(a, m));
    for (struct json *m = patch->first; m; m = m->next)
        if (m->type != JSON_NULL)
            json_set(a, out, m->key, json_merge_patch(a, json_names_get(&targets, target, m->key), m));
    return out;
}
