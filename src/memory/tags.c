/* Cleaning and reading tags; see tags.h. */
#include "tags.h"

#include <ctype.h>
#include <string.h>

#include "str.h"
#include "unicode.h"

static const char *folded(struct arena *a, const char *tag)
{
    const char *end = tag + strlen(tag);

    while (isspace((unsigned char)*tag))
        tag++;
    while (end > tag && isspace((unsigned char)end[-1]))
        end--;
    return unicode_fold(a, arena_strndup(a, tag, (size_t)(end - tag)));
}

static bool tags_has(const struct strs *list, const char *tag)
{
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(list->v[i], tag) == 0)
            return true;
    return false;
}

err tags_clean(struct ctx *c, const char *pointer, struct strs in, struct strs *out)
{
    struct strs kept = {ARENA_ARRAY(c->arena, const char *, in.n + 1), 0};

    if (in.n > TAGS_MAX)
        return fail_field(c, pointer, "at most %d tags", TAGS_MAX);
    for (size_t i = 0; i < in.n; i++) {
        const char *tag = folded(c->arena, in.v[i]);

        if (!*tag || str_code_points(tag, strlen(tag)) > TAG_CHARS)
            return fail_field(c, arena_printf(c->arena, "%s/%zu", pointer, i), "a tag is 1 to %d characters long", TAG_CHARS);
        if (!tags_has(&kept, tag))
            kept.v[kept.n++] = tag;
    }
    *out = kept;
    return ERR_OK;
}

struct strs tags_of(struct arena *a, const struct json *attrs)
{
    const struct json *list = json_get(json_opened(a, attrs), "tags");
    struct strs tags = {ARENA_ARRAY(a, const char *, list ? list->len + 1 : 1), 0};

    for (const struct json *t = json_is(list, JSON_ARR) ? list->first : NULL; t; t = t->next)
        if (t->type == JSON_STR)
            tags.v[tags.n++] = t->s;
    return tags;
}

struct strs tags_without(struct arena *a, struct strs x, struct strs y)
{
    struct strs left = {ARENA_ARRAY(a, const char *, x.n + 1), 0};

    for (size_t i = 0; i < x.n; i++)
        if (!tags_has(&y, x.v[i]))
            left.v[left.n++] = x.v[i];
    return left;
}

struct strs tags_with(struct arena *a, struct strs x, struct strs y)
{
    struct strs more = tags_without(a, y, x), all = {ARENA_ARRAY(a, const char *, x.n + y.n + 1), 0};

    for (size_t i = 0; i < x.n; i++)
        all.v[all.n++] = x.v[i];
    for (size_t i = 0; i < more.n; i++)
        all.v[all.n++] = more.v[i];
    return all;
}
