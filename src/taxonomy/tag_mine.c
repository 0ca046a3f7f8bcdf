/* Frequent patterns, depth first over lists of subjects; see tag_mine.h. What has too few owners is never gone on with, so that no set
 * is looked at of which a part is held by fewer. */
#include "tag_mine.h"

#include <stdlib.h>
#include <string.h>

#define CANDIDATES (20 * MINE_FOUND)

/* The subjects that hold something, ascending; owners are ascending with them. */
struct tids {
    uint32_t *v;
    size_t n;
};

struct mining {
    const uint32_t *owner_of; /* by subject */
    struct tids *items;       /* by item */
    uint32_t n_items, n_owners;
    int64_t least;
    uint32_t *level[MINE_SIZE];
    struct mined *out;
    size_t n;
    bool is_full;
};

static int64_t mine_owners(const struct mining *m, const struct tids *t)
{
    int64_t n = 0;

    for (size_t i = 0; i < t->n; i++)
        n += !i || m->owner_of[t->v[i]] != m->owner_of[t->v[i - 1]];
    return n;
}

static struct tids mine_both(const struct tids *a, const struct tids *b, uint32_t *into)
{
    struct tids out = {into, 0};

    for (size_t i = 0, k = 0; i < a->n && k < b->n;) {
        if (a->v[i] == b->v[k])
            out.v[out.n++] = a->v[i];
        if (a->v[i] <= b->v[k])
            i++;
        else
            k++;
    }
    return out;
}

static void mine_keep(struct mining *m, const uint32_t *items, size_t n, int64_t owners)
{
    struct mined *x = &m->out[m->n];
    double alone = 1;

    if (m->n == CANDIDATES) {
        m->is_full = true;
        return;
    }
    *x = (struct mined){.n = n, .owners = owners, .support = (double)owners / m->n_owners};
    memcpy(x->items, items, n * sizeof *items);
    for (size_t i = 0; i < n; i++)
        alone *= (double)mine_owners(m, &m->items[items[i]]) / m->n_owners;
    x->lift = x->support / alone;
    m->n++;
}

static void mine_further(struct mining *m, uint32_t *items, size_t n, const struct tids *held)
{
    for (uint32_t item = items[n - 1] + 1; n < MINE_SIZE && item < m->n_items && !m->is_full; item++) {
        struct tids both;
        int64_t owners;

        if ((int64_t)m->items[item].n < m->least)
            continue;
        both = mine_both(held, &m->items[item], m->level[n]);
        owners = mine_owners(m, &both);
        if (owners < m->least)
            continue;
        items[n] = item;
        mine_keep(m, items, n + 1, owners);
        mine_further(m, items, n + 1, &both);
    }
}

static int mine_order(const void *a, const void *b)
{
    const struct mined *x = a, *y = b;
    double p = x->support * x->lift, q = y->support * y->lift;

    if (p != q)
        return p < q ? 1 : -1;
    return x->n != y->n ? (x->n < y->n ? -1 : 1) : memcmp(x->items, y->items, sizeof x->items);
}

/* Items with too few owners are emptied; false: too many are left. */
static bool mine_cut(struct mining *m)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < m->n_items; i++)
        if (mine_owners(m, &m->items[i]) < m->least)
            m->items[i].n = 0;
        else
            kept++;
    return kept <= MINE_ITEMS;
}

static void mine_run(struct mining *m)
{
    uint32_t items[MINE_SIZE];

    m->n = 0;
    m->is_full = !mine_cut(m);
    for (uint32_t i = 0; i < m->n_items && !m->is_full; i++)
        if (m->items[i].n) {
            items[0] = i;
            mine_keep(m, items, 1, mine_owners(m, &m->items[i]));
            mine_further(m, items, 1, &m->items[i]);
        }
}

static size_t mine_fill(struct arena *a, struct mining *m, const struct mine_row *rows, size_t n)
{
    size_t n_subjects = n ? rows[n - 1].subject + 1u : 0, *sizes = ARENA_ARRAY(a, size_t, m->n_items + 1);
    uint32_t *owner_of = ARENA_ARRAY(a, uint32_t, n_subjects + 1), *all = ARENA_ARRAY(a, uint32_t, n + 1);
    size_t at = 0;

    for (size_t i = 0; i < n; i++)
        sizes[rows[i].item]++;
    for (uint32_t i = 0; i < m->n_items; at += sizes[i++])
        m->items[i].v = all + at;
    for (size_t i = 0; i < n; i++) {
        struct tids *t = &m->items[rows[i].item];

        owner_of[rows[i].subject] = rows[i].owner;
        if (!t->n || t->v[t->n - 1] != rows[i].subject)
            t->v[t->n++] = rows[i].subject;
    }
    m->owner_of = owner_of;
    return n_subjects;
}

size_t tag_mine(struct arena *a, const struct mine_row *rows, size_t n, uint32_t n_items, uint32_t n_owners, int64_t *least,
                struct mined **out)
{
    struct mining m = {.n_items = n_items, .n_owners = n_owners, .least = *least};
    size_t n_subjects;

    m.items = ARENA_ARRAY(a, struct tids, n_items + 1);
    m.out = ARENA_ARRAY(a, struct mined, CANDIDATES + 1);
    n_subjects = mine_fill(a, &m, rows, n);
    for (size_t i = 0; i < MINE_SIZE; i++)
        m.level[i] = ARENA_ARRAY(a, uint32_t, n_subjects + 1);
    for (mine_run(&m); m.is_full && m.least < n_owners; mine_run(&m))
        m.least += (m.least + 1) / 2;
    qsort(m.out, m.n, sizeof *m.out, mine_order);
    *least = m.least;
    *out = m.out;
    return m.n < MINE_FOUND ? m.n : MINE_FOUND;
}
