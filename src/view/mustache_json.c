/* The lookup interface of the template engine over JSON trees. */
#include <string.h>

#include "mustache.h"

static const void *mustache_json_member(const void *value, const char *name)
{
    return json_get(value, name);
}

/* JSON_RAW is judged by its text, which is valid JSON as the database or a writer of ours made it. */
static bool mustache_json_is_true(const void *value)
{
    const struct json *j = value;

    switch (j->type) {
    case JSON_NULL: return false;
    case JSON_BOOL: return j->b;
    case JSON_INT:
    case JSON_NUM: return json_number(j) > 0 || json_number(j) < 0;
    case JSON_STR:
    case JSON_ARR: return j->len > 0;
    case JSON_RAW: return !str_eq(j->s, "null") && !str_eq(j->s, "false") && !str_eq(j->s, "\"\"") && !str_eq(j->s, "[]");
    case JSON_OBJ: return true;
    }
    return false;
}

static bool mustache_json_is_list(const void *value)
{
    return json_is(value, JSON_ARR);
}

static const void *mustache_json_next(const void *list, const void *item)
{
    return item ? ((const struct json *)item)->next : ((const struct json *)list)->first;
}

static const char *mustache_json_text(const void *value, struct buf *scratch, size_t *len)
{
    const struct json *j = value;

    if (j->type == JSON_STR || j->type == JSON_RAW) {
        *len = j->len;
        return j->s;
    }
    if (j->type != JSON_NULL)
        json_write(scratch, j, false);
    *len = scratch->len;
    return scratch->data;
}

const struct mustache_lookup mustache_json = {
    .member = mustache_json_member, .is_true = mustache_json_is_true, .is_list = mustache_json_is_list, .next = mustache_json_next, .text = mustache_json_text,
};
