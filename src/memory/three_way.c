/* Putting two changes together; see three_way.h. */
#include "three_way.h"

struct merge {
    struct arena *a;
    struct strs *clashes;
};

static struct json *three_way_copy(const struct merge *m, const struct json *j)
{
    return j ? json_raw(m->a, json_text(m->a, j)) : NULL;
}

static void clash(const struct merge *m, const char *path)
{
    if (m->clashes->n < THREE_WAY_CLASHES)
        m->clashes->v[m->clashes->n++] = *path ? path : "the whole value";
}

static bool three_way_same(const struct json *x, const struct json *y)
{
    return x && y ? json_equal(x, y) : x == y;
}

static const struct json *three_way_member(const struct json *j, const char *name)
{
    return json_is(j, JSON_OBJ) ? json_get(j, name) : NULL;
}

static struct json *both(const struct merge *m, const char *path, const struct json *base, const struct json *mine,
                         const struct json *theirs);

/* NULL: the member goes. */
static void put_member(const struct merge *m, struct json *out, const char *path, const char *name, const struct json *base,
                       const struct json *mine, const struct json *theirs)
{
    const char *at = *path ? arena_printf(m->a, "%s.%s", path, name) : name;
    struct json *v = both(m, at, three_way_member(base, name), three_way_member(mine, name), three_way_member(theirs, name));

    if (v)
        json_set(m->a, out, name, v);
}

static struct json *both(const struct merge *m, const char *path, const struct json *base, const struct json *mine,
                         const struct json *theirs)
{
    struct json *out;

    if (three_way_same(mine, theirs) || three_way_same(theirs, base))
        return three_way_copy(m, mine);
    if (three_way_same(mine, base))
        return three_way_copy(m, theirs);
    if (!json_is(mine, JSON_OBJ) || !json_is(theirs, JSON_OBJ)) {
        clash(m, path);
        return three_way_copy(m, mine);
    }
    out = json_obj(m->a);
    for (const struct json *j = mine->first; j; j = j->next)
        put_member(m, out, path, j->key, base, mine, theirs);
    for (const struct json *j = theirs->first; j; j = j->next)
        if (!json_get(mine, j->key))
            put_member(m, out, path, j->key, base, mine, theirs);
    return out;
}

struct json *three_way(struct arena *a, const struct json *base, const struct json *mine, const struct json *theirs, struct strs *clashes)
{
    return both(&(struct merge){a, clashes}, "", base, mine, theirs);
}
