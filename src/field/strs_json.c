/* See strs_json.h. */
#include "strs_json.h"

#include <string.h>

struct json *strs_to_json(struct arena *a, struct strs list)
{
    struct json *arr = json_arr(a);

    for (size_t i = 0; i < list.n; i++)
        json_push(arr, json_str(a, list.v[i]));
    return arr;
}

struct strs strs_from_json(struct arena *a, const char *text)
{
    struct strs out = {0};
    struct json *arr;
    const char *why;

    if (!text)
        return out;
    if (json_parse(a, text, strlen(text), &arr, &why) != JSON_OK || !json_is(arr, JSON_ARR))
        arr = json_arr(a);
    out.v = ARENA_ARRAY(a, const char *, arr->len + 1);
    for (struct json *j = arr->first; j; j = j->next)
        if (json_is(j, JSON_STR))
            out.v[out.n++] = j->s;
    return out;
}

struct json *uuids_to_json(struct arena *a, struct uuids list)
{
    struct json *arr = json_arr(a);

    for (size_t i = 0; i < list.n; i++)
        json_push(arr, json_str(a, uuid_text(list.v[i], arena_alloc(a, UUID_TEXT))));
    return arr;
}

struct uuids uuids_from_json(struct arena *a, const char *text)
{
    struct strs texts = strs_from_json(a, text);
    struct uuids out = {0};

    if (!texts.v)
        return out;
    out.v = ARENA_ARRAY(a, struct uuid, texts.n + 1);
    for (size_t i = 0; i < texts.n; i++)
        out.n += uuid_parse(texts.v[i], &out.v[out.n]);
    return out;
}
