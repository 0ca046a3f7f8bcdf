/* Changes of pools before they are written; see pool_work.h. */
#include "pool_work.h"

#include <assert.h>
#include <string.h>

#define ROW_DEPTH 2 /* new data of a merge become rows at their second segment */

void pool_work_begin(struct pool_work *w, struct arena *a, const struct pool_entry *rows, size_t n, size_t room)
{
    *w = (struct pool_work){ .arena = a, .rows = ARENA_ARRAY(a, struct pool_slot, n + 1), .n = n,
                             .made = ARENA_ARRAY(a, struct pool_slot, room + 1), .room = room };
    for (size_t i = 0; i < n; i++)
        w->rows[i] = (struct pool_slot){.e = rows[i], .fate = rows[i].deleted ? POOL_DROPPED : POOL_KEPT};
}

/* ---- looking */

/* The first row whose key is not before that one. */
static size_t place(const struct pool_work *w, const char *key)
{
    size_t lo = 0, hi = w->n;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (strcmp(w->rows[mid].e.key, key) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static struct pool_slot *pool_work_find(struct pool_work *w, const char *key)
{
    size_t i = place(w, key);

    if (i < w->n && strcmp(w->rows[i].e.key, key) == 0 && w->rows[i].fate != POOL_DROPPED)
        return &w->rows[i];
    for (i = 0; i < w->n_made; i++)
        if (w->made[i].fate != POOL_DROPPED && strcmp(w->made[i].e.key, key) == 0)
            return &w->made[i];
    return NULL;
}

/* The row of the path or above it; *depth says how many of its segments are the row's. */
static struct pool_slot *owner(struct pool_work *w, const struct pool_path *p, size_t *depth)
{
    for (size_t n = 1; n <= p->n; n++) {
        struct pool_slot *s = pool_work_find(w, pool_path_prefix(w->arena, p, n));

        if (s) {
            *depth = n;
            return s;
        }
    }
    return NULL;
}

/* Rows below the key, or the one there; drop: they go. *version: the largest. */
static size_t below(struct pool_work *w, const char *key, bool drop, int64_t *version)
{
    const char *from = pool_path_from(w->arena, key), *to = pool_path_to(w->arena, key);
    size_t n = 0;

    for (size_t pass = 0; pass < 2; pass++) {
        struct pool_slot *all = pass ? w->made : w->rows;
        size_t end = pass ? w->n_made : w->n;

        for (size_t i = pass ? 0 : place(w, from); i < end; i++) {
            if (!pass && strcmp(all[i].e.key, to) >= 0)
                break;
            if (all[i].fate == POOL_DROPPED || strcmp(all[i].e.key, from) < 0 || strcmp(all[i].e.key, to) >= 0)
                continue;
            n++;
            if (version && all[i].e.version > *version)
                *version = all[i].e.version;
            if (drop)
                all[i].fate = POOL_DROPPED;
        }
    }
    return n;
}

void pool_work_see(struct pool_work *w, const struct pool_path *p, struct pool_seen *out)
{
    size_t depth;
    struct pool_slot *s = owner(w, p, &depth);

    *out = (struct pool_seen){0};
    if (s) {
        out->value = pool_path_get(s->e.value, p, depth);
        out->exists = out->value != NULL;
        out->version = out->exists ? s->e.version : 0;
        return;
    }
    out->is_below = below(w, p->key, false, &out->version) > 0;
    out->exists = out->is_below;
}

/* ---- changing */

static void pool_work_give(struct pool_slot *s, const struct json *value)
{
    if (s->fate == POOL_KEPT)
        s->was = s->e.value;
    s->e.value = value;
    s->fate = POOL_PUT;
}

static void pool_work_put(struct pool_work *w, const char *key, const struct json *value)
{
    struct pool_slot *s = pool_work_find(w, key);

    if (!s) {
        assert(w->n_made < w->room);
        s = &w->made[w->n_made++];
        s->e = (struct pool_entry){.key = key};
    }
    pool_work_give(s, value);
}

/* The members beside the way to p inside the value of a row of `depth` segments; rows NULL: they are only counted. */
static const char *members_beside(struct pool_work *w, const struct pool_entry *row, const struct pool_path *p, size_t depth,
                                  struct pool_slot *rows, size_t *n)
{
    const struct json *value = row->value;

    *n = 0;
    for (size_t i = depth; i < p->n && json_is(value, JSON_OBJ); value = json_get(value, p->segments[i++])) {
        const char *above = pool_path_prefix(w->arena, p, i);

        for (const struct json *m = value->first; m; m = m->next) {
            if (strcmp(m->key, p->segments[i]) == 0)
                continue;
            if (!pool_path_is_segment(m->key) || strlen(above) + 1 + strlen(m->key) > POOL_KEY)
                return m->key;
            if (rows)
                rows[*n] = (struct pool_slot){ .e = { .key = arena_printf(w->arena, "%s.%s", above, m->key), .value = m,
                                                      .created_at = row->created_at, .updated_at = row->updated_at,
                                                      .expires_at = row->expires_at }, .fate = POOL_PUT };
            ++*n;
        }
    }
    return NULL;
}

const char *pool_work_split(struct pool_work *w, const struct pool_path *p, const struct pool_entry **split, size_t *parts)
{
    size_t depth;
    struct pool_slot *s = owner(w, p, &depth), *made;
    const char *bad;

    *parts = 0;
    *split = NULL;
    if (!s || depth == p->n || !pool_path_set(w->arena, s->e.value, p, depth, s->e.value))
        return NULL;
    bad = members_beside(w, &s->e, p, depth, NULL, parts);
    if (bad)
        return bad;
    made = ARENA_ARRAY(w->arena, struct pool_slot, *parts + w->room + 1);
    members_beside(w, &s->e, p, depth, made, parts);
    if (w->n_made)
        memcpy(made + *parts, w->made, w->n_made * sizeof *made);
    w->made = made;
    w->n_made += *parts;
    w->room += *parts;
    s->fate = POOL_DROPPED;
    *split = &s->e;
    return NULL;
}

bool pool_work_set(struct pool_work *w, const struct pool_path *p, const struct json *value)
{
    size_t depth;
    struct pool_slot *s = owner(w, p, &depth);
    struct json *whole;

    if (s) {
        whole = pool_path_set(w->arena, s->e.value, p, depth, value);
        if (whole)
            pool_work_give(s, whole);
        return whole != NULL;
    }
    below(w, p->key, true, NULL);
    pool_work_put(w, p->key, value);
    return true;
}

bool pool_work_cut(struct pool_work *w, const struct pool_path *p)
{
    size_t depth;
    struct pool_slot *s = owner(w, p, &depth);
    struct json *rest;

    if (!s)
        return below(w, p->key, true, NULL) > 0;
    if (depth == p->n) {
        s->fate = POOL_DROPPED;
        return true;
    }
    rest = pool_path_cut(w->arena, s->e.value, p, depth);
    if (rest)
        pool_work_give(s, rest);
    return rest != NULL;
}

static struct pool_path pool_work_longer(struct arena *a, const struct pool_path *p, const char *name)
{
    struct pool_path q = *p;

    q.segments[q.n++] = name;
    q.key = pool_path_prefix(a, &q, q.n);
    return q;
}

/* What the members on the way are, as far as they are no objects, gives way. */
static const struct json *merged_inside(struct arena *a, const struct json *old, const struct pool_path *p, size_t from,
                                        const struct json *value)
{
    struct json *wrapped = json_obj(a), *v;

    if (from == p->n)
        return pool_path_merge(a, old, value);
    v = arena_memdup(a, value, sizeof *value);
    v->next = NULL;
    for (size_t i = p->n; i > from + 1; i--) {
        struct json *around = json_obj(a);

        json_set(a, around, p->segments[i - 1], v);
        v = around;
    }
    json_set(a, wrapped, p->segments[from], v);
    return pool_path_merge(a, old, wrapped);
}

/* {} changes nothing of what is there. */
static void merge_leaf(struct pool_work *w, const struct pool_path *p, const struct json *value)
{
    if (json_is(value, JSON_OBJ) && below(w, p->key, false, NULL))
        return;
    below(w, p->key, true, NULL);
    pool_work_put(w, p->key, value);
}

const char *pool_work_merge(struct pool_work *w, const struct pool_path *p, const struct json *value)
{
    bool opens = json_is(value, JSON_OBJ) && value->first;
    size_t depth;
    struct pool_slot *s = p->n ? owner(w, p, &depth) : NULL;

    if (s) {
        pool_work_give(s, merged_inside(w->arena, s->e.value, p, depth, value));
        return NULL;
    }
    if (p->n && (!opens || (p->n >= ROW_DEPTH && !below(w, p->key, false, NULL)))) {
        merge_leaf(w, p, value);
        return NULL;
    }
    for (const struct json *m = value->first; m; m = m->next) {
        struct pool_path q;
        const char *bad;

        if (!pool_path_is_segment(m->key))
            return m->key;
        q = pool_work_longer(w->arena, p, m->key);
        bad = strlen(q.key) > POOL_KEY ? m->key : pool_work_merge(w, &q, m);
        if (bad)
            return bad;
    }
    return NULL;
}

void pool_work_replace(struct pool_work *w, const struct pool_work *by)
{
    for (size_t i = 0; i < w->n; i++)
        w->rows[i].fate = POOL_DROPPED;
    for (size_t i = 0; i < by->n_made; i++) {
        const struct pool_entry *e = &by->made[i].e;
        size_t at = place(w, e->key);

        if (at < w->n && strcmp(w->rows[at].e.key, e->key) == 0 && !w->rows[at].e.deleted)
            w->rows[at].fate = POOL_KEPT;
        pool_work_put(w, e->key, e->value);
    }
}
