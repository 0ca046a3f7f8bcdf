/* Keys of pools as paths; see pool_path.h. */
#include "pool_path.h"

#include <string.h>

#include "str.h"

/* ---- grammar */

static bool is_clean(const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)s[i] < 0x20 || s[i] == 0x7f)
            return false;
    return str_is_utf8(s, n);
}

err pool_path_parse(struct ctx *c, const char *pointer, const char *key, struct pool_path *out)
{
    struct pool_path p = {.key = key};
    const char *name = pointer + 1;

    if (str_empty(key) || strlen(key) > POOL_KEY)
        return fail_field(c, pointer, "%s must be 1 to %d bytes long", name, POOL_KEY);
    for (const char *at = key;; at++) {
        size_t len = strcspn(at, ".");

        if (len < 1 || len > POOL_SEGMENT)
            return fail_field(c, pointer, "each segment of %s must be 1 to %d bytes long", name, POOL_SEGMENT);
        if (!is_clean(at, len))
            return fail_field(c, pointer, "%s must not contain control characters", name);
        if (p.n == POOL_SEGMENTS)
            return fail_field(c, pointer, "%s must have at most %d segments", name, POOL_SEGMENTS);
        p.segments[p.n++] = arena_strndup(c->arena, at, len);
        at += len;
        if (!*at)
            break;
    }
    *out = p;
    return ERR_OK;
}

bool pool_path_is_segment(const char *name)
{
    size_t n = strlen(name);

    return n >= 1 && n <= POOL_SEGMENT && !strchr(name, '.') && is_clean(name, n);
}

const char *pool_path_prefix(struct arena *a, const struct pool_path *p, size_t n)
{
    struct buf b;

    buf_init(&b, a, POOL_KEY);
    for (size_t i = 0; i < n; i++) {
        if (i)
            buf_putc(&b, '.');
        buf_puts(&b, p->segments[i]);
    }
    return buf_str(&b);
}

size_t pool_path_depth(const char *key)
{
    size_t n = 1;

    for (; *key; key++)
        n += *key == '.';
    return n;
}

const char *pool_path_from(struct arena *a, const char *key)
{
    return arena_printf(a, "%s.", key);
}

const char *pool_path_to(struct arena *a, const char *key)
{
    return arena_printf(a, "%s/", key); /* '/' follows '.' */
}

/* ---- inside values */

const struct json *pool_path_get(const struct json *value, const struct pool_path *p, size_t from)
{
    for (size_t i = from; value && i < p->n; i++)
        value = json_is(value, JSON_OBJ) ? json_get(value, p->segments[i]) : NULL;
    return value;
}

/* A copy of the value itself; what is in it is shared, which is all right because nobody changes it. */
static struct json *pool_path_same(struct arena *a, const struct json *j)
{
    struct json *copy = arena_memdup(a, j, sizeof *j);

    copy->next = NULL;
    copy->key = NULL;
    return copy;
}

/* The object with that member replaced, added behind the others, or (v NULL) left out. */
static struct json *with(struct arena *a, const struct json *obj, const char *name, struct json *v)
{
    struct json *out = json_obj(a);
    bool done = !v;

    for (const struct json *m = obj ? obj->first : NULL; m; m = m->next) {
        bool here = strcmp(m->key, name) == 0;

        if (!here)
            json_set(a, out, m->key, pool_path_same(a, m));
        else if (v)
            json_set(a, out, name, v);
        done |= here;
    }
    if (!done)
        json_set(a, out, name, v);
    return out;
}

struct json *pool_path_set(struct arena *a, const struct json *value, const struct pool_path *p, size_t from, const struct json *v)
{
    struct json *below;

    if (from == p->n)
        return pool_path_same(a, v);
    if (value && !json_is(value, JSON_OBJ))
        return NULL;
    below = pool_path_set(a, json_get(value, p->segments[from]), p, from + 1, v);
    return below ? with(a, value, p->segments[from], below) : NULL;
}

struct json *pool_path_cut(struct arena *a, const struct json *value, const struct pool_path *p, size_t from)
{
    const struct json *member = json_is(value, JSON_OBJ) ? json_get(value, p->segments[from]) : NULL;
    struct json *below;

    if (!member)
        return NULL;
    if (from + 1 == p->n)
        return with(a, value, p->segments[from], NULL);
    below = pool_path_cut(a, member, p, from + 1);
    return below ? with(a, value, p->segments[from], below) : NULL;
}

/* No row is below another, so each object on the way is one of ours; and what has a beginning in common stands together. */
void pool_path_graft(struct arena *a, struct json *root, size_t base, const char *key, const struct json *value)
{
    struct json *at = root;

    for (; base; base--)
        key += strcspn(key, ".") + 1;
    for (size_t len; key[len = strcspn(key, ".")]; key += len + 1) {
        const char *name = arena_strndup(a, key, len);

        if (!at->last || strcmp(at->last->key, name) != 0)
            json_set(a, at, name, json_obj(a));
        at = at->last;
    }
    json_set(a, at, key, pool_path_same(a, value));
}

const struct json *pool_path_merge(struct arena *a, const struct json *old, const struct json *in)
{
    struct json *out;

    if (!json_is(old, JSON_OBJ) || !json_is(in, JSON_OBJ))
        return in;
    out = json_obj(a);
    for (const struct json *m = old->first; m; m = m->next) {
        const struct json *newer = json_get(in, m->key);

        json_set(a, out, m->key, pool_path_same(a, newer ? pool_path_merge(a, m, newer) : m));
    }
    for (const struct json *m = in->first; m; m = m->next)
        if (!json_get(old, m->key))
            json_set(a, out, m->key, pool_path_same(a, m));
    return out;
}
