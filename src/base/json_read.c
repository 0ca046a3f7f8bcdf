/* Builds the tree from yajl's callbacks, once the guard has let the bytes pass. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_parse.h>

#include "json.h"
#include "json_guard.h"
#include "json_names.h"

/* One open container: the value, the name waiting for its member, and the names seen. */
struct level {
    struct json *value;
    const char *key;
    struct json_names names;
};

struct reader {
    struct arena *arena;
    struct level stack[JSON_DEPTH_READ + 1];
    int depth;
    struct json *root;
    enum json_fault fault;
};

static int attach(struct reader *r, struct json *j)
{
    struct level *top = &r->stack[r->depth];

    if (r->depth == 0) {
        r->root = j;
    } else {
        j->key = top->key;
        top->key = NULL;
        json_push(top->value, j);
    }
    return 1;
}

static int on_null(void *ctx)
{
    struct reader *r = ctx;

    return attach(r, json_new(r->arena, JSON_NULL));
}

static int on_bool(void *ctx, int v)
{
    struct reader *r = ctx;

    return attach(r, json_bool(r->arena, v));
}

#define NUMBER_MAX 400 /* characters */

static int on_number(void *ctx, const char *text, size_t n)
{
    struct reader *r = ctx;
    struct json *j;
    char copy[NUMBER_MAX + 1];
    int64_t i;
    double d;

    if (n > NUMBER_MAX) {
        r->fault = JSON_BAD_NUMBER;
        return 0;
    }
    memcpy(copy, text, n);
    copy[n] = 0;
    d = strtod(copy, NULL);
    if (!isfinite(d)) {
        r->fault = JSON_BAD_NUMBER;
        return 0;
    }
    if (str_to_i64(copy, &i))
        return attach(r, json_int(r->arena, i));
    j = json_num(r->arena, d);
    j->s = arena_strndup(r->arena, copy, n);
    j->len = (uint32_t)n;
    return attach(r, j);
}

static int on_string(void *ctx, const unsigned char *s, size_t n)
{
    struct reader *r = ctx;
    struct json *j = json_new(r->arena, JSON_STR);

    j->s = arena_strndup(r->arena, (const char *)s, n);
    j->len = (uint32_t)n;
    return attach(r, j);
}

static int on_key(void *ctx, const unsigned char *s, size_t n)
{
    struct reader *r = ctx;
    struct level *l = &r->stack[r->depth];
    const char *key = arena_strndup(r->arena, (const char *)s, n);

    if (json_names_get(&l->names, l->value, key)) {
        r->fault = JSON_DUPLICATE_KEY;
        return 0;
    }
    l->key = key;
    return 1;
}

static int open_container(struct reader *r, enum json_type type)
{
    struct json *j = json_new(r->arena, type);

    attach(r, j);
    if (r->depth == JSON_DEPTH_READ) {
        r->fault = JSON_TOO_DEEP;
        return 0;
    }
    r->stack[++r->depth] = (struct level){.value = j, .names = {.arena = r->arena}};
    return 1;
}

static int on_start_map(void *ctx)
{
    return open_container(ctx, JSON_OBJ);
}

static int on_start_array(void *ctx)
{
    return open_container(ctx, JSON_ARR);
}

static int on_end(void *ctx)
{
    struct reader *r = ctx;

    r->depth--;
    return 1;
}

/* yajl does not say how large the piece to be enlarged is, so each piece carries its size in front. */
static void *yajl_more(void *ctx, void *p, size_t n)
{
    size_t *head = arena_alloc(ctx, n + sizeof(size_t) * 2), old = p ? ((size_t *)p)[-2] : 0;

    head[0] = n;
    if (old)
        memcpy(head + 2, p, old < n ? old : n);
    return head + 2;
}

static void *yajl_first(void *ctx, size_t n)
{
    return yajl_more(ctx, NULL, n);
}

static void yajl_leave(void *ctx, void *p)
{
    (void)ctx;
    (void)p;
}

#define TEXT_OF_(x) #x
#define TEXT_OF(x) TEXT_OF_(x)

static const char *const FAULTS[] = {
    [JSON_OK] = "", [JSON_MALFORMED] = "malformed JSON", [JSON_NOT_UTF8] = "not valid UTF-8",
    [JSON_TOO_DEEP] = "a value is nested deeper than " TEXT_OF(JSON_DEPTH_MAX) " levels", [JSON_DUPLICATE_KEY] = "duplicate member name in an object",
    [JSON_BAD_NUMBER] = "a number is out of range", [JSON_TOO_MANY] = "more than " TEXT_OF(JSON_NODES_MAX) " values",
};

static enum json_fault json_read_refuse(struct arena *a, enum json_fault f, size_t at, const char **why)
{
    *why = f == JSON_NOT_UTF8 ? FAULTS[f] : arena_printf(a, "%s, near byte %zu", FAULTS[f], at);
    return f;
}

/* What a value takes at most beside its text: its node, its key and its string, rounded up. */
#define NODE_BYTES (sizeof(struct json) + 32)

enum json_fault json_parse(struct arena *a, const char *text, size_t n, struct json **out, const char **why)
{
    return json_parse_large(a, text, n, JSON_NODES_MAX, out, why);
}

enum json_fault json_parse_large(struct arena *a, const char *text, size_t n, size_t nodes, struct json **out, const char **why)
{
    static const yajl_callbacks CALLBACKS = {
        .yajl_null = on_null,
        .yajl_boolean = on_bool,
        .yajl_number = on_number,
        .yajl_string = on_string,
        .yajl_start_map = on_start_map,
        .yajl_map_key = on_key,
        .yajl_end_map = on_end,
        .yajl_start_array = on_start_array,
        .yajl_end_array = on_end,
    };
    yajl_alloc_funcs funcs = {yajl_first, yajl_more, yajl_leave, a};
    struct reader *r = ARENA_NEW(a, struct reader);
    yajl_handle y;
    yajl_status status;
    size_t at;
    enum json_fault f = json_guard(text, n, &nodes, &at);

    if (f == JSON_OK && (n > UINT32_MAX || !arena_takes(a, nodes * NODE_BYTES + 2 * n)))
        f = JSON_TOO_MANY;
    if (f != JSON_OK)
        return json_read_refuse(a, f, at, why);
    r->arena = a;
    y = yajl_alloc(&CALLBACKS, &funcs, r);
    status = yajl_parse(y, (const unsigned char *)text, n);
    at = yajl_get_bytes_consumed(y);
    if (status == yajl_status_ok)
        status = yajl_complete_parse(y);
    yajl_free(y);
    if (status != yajl_status_ok || !r->root)
        return json_read_refuse(a, r->fault != JSON_OK ? r->fault : JSON_MALFORMED, at, why);
    *out = r->root;
    return JSON_OK;
}

const struct json *json_opened(struct arena *a, const struct json *j)
{
    struct json *tree;
    const char *why;

    if (!json_is(j, JSON_RAW))
        return j;
    return json_parse_large(a, j->s, strlen(j->s), 4 * JSON_NODES_MAX, &tree, &why) == JSON_OK ? tree : NULL;
}
