/* Statistics over the rows that count: exact, whatever the rows, and remembered. */
#include "sparse_scope.h"

#include <pthread.h>
#include <stdlib.h>

#define REMEMBER_FROM 256 /* rows of a list: counting shorter ones costs less than it would save */
#define SLOTS_MOST 1024u  /* powers of two */
#define SLOTS_LEAST 16u
#define SCOPES_KEPT 8 /* readers with different rights that search by turns */

/* A frequency that was counted before: entry + 1 and the count; 0: none. Readers that race write the same. */
typedef _Atomic uint64_t remembered;

struct sparse_scope {
    atomic_int refs;
    struct totals totals;
    uint64_t *rows;
    uint32_t slot_mask;
    remembered slots[]; /* by entry */
};

struct scopes {
    pthread_mutex_t lock;                 /* held for a comparison of bitmaps */
    struct sparse_scope *at[SCOPES_KEPT]; /* the last used first */
};

/* ---- one scope */

static uint32_t slots_of(const struct sparse *s)
{
    uint32_t slots = SLOTS_LEAST;

    while (slots < SLOTS_MOST && slots < s->n_terms / 16)
        slots *= 2;
    return slots;
}

/* The rows of a segment by 64: all of them where rows is NULL. */
static uint64_t sparse_scope_word_at(const struct sparse *s, const uint64_t *rows, size_t w)
{
    const uint32_t left = s->n_rows - (uint32_t)w * 64;

    return (rows ? rows[w] : UINT64_MAX) & (left < 64 ? (1ull << left) - 1 : UINT64_MAX);
}

static size_t differences(const struct sparse *s, const uint64_t *a, const uint64_t *b)
{
    size_t n = 0;

    for (size_t w = 0; w < sparse_words(s); w++)
        n += (size_t)__builtin_popcountll(sparse_scope_word_at(s, a, w) ^ sparse_scope_word_at(s, b, w));
    return n;
}

/* Changes what is known of one bitmap into what another has. */
static void count_changes(const struct sparse *s, const uint64_t *from, const uint64_t *to, struct totals *t)
{
    for (uint32_t w = 0; w < sparse_words(s); w++) {
        const uint64_t now = sparse_scope_word_at(s, to, w);

        for (uint64_t changed = sparse_scope_word_at(s, from, w) ^ now; changed; changed &= changed - 1) {
            const unsigned bit = (unsigned)__builtin_ctzll(changed);
            const uint32_t row = w * 64 + bit;
            const bool came = now >> bit & 1;

            t->rows += came ? 1 : -1ull;
            t->length += came ? s->lengths[row] : -(uint64_t)s->lengths[row];
        }
    }
}

/* Counts what is different from a scope before (NULL: none), or from all rows, whichever is less. */
static struct totals count_rows(const struct sparse *s, const uint64_t *rows, const struct sparse_scope *before)
{
    struct totals t = {0, 0};

    scope_totals(s, NULL, &t);
    if (before && differences(s, before->rows, rows) < differences(s, NULL, rows)) {
        t = before->totals;
        count_changes(s, before->rows, rows, &t);
    } else {
        count_changes(s, NULL, rows, &t);
    }
    return t;
}

static struct sparse_scope *scope_new(const struct sparse *s, const uint64_t *rows, const struct sparse_scope *before)
{
    const uint32_t slots = slots_of(s);
    struct sparse_scope *scope = sparse_alloc(NULL, 1, sizeof *scope + slots * sizeof *scope->slots);

    memset(scope, 0, sizeof *scope + slots * sizeof *scope->slots);
    scope->refs = 1;
    scope->rows = sparse_alloc(NULL, sparse_words(s), sizeof *rows);
    memcpy(scope->rows, rows, sparse_words(s) * sizeof *rows);
    scope->slot_mask = slots - 1;
    scope->totals = count_rows(s, rows, before);
    return scope;
}

void sparse_scope_drop(struct sparse_scope *scope)
{
    if (!scope || atomic_fetch_sub(&scope->refs, 1) != 1)
        return;
    free(scope->rows);
    free(scope);
}

/* ---- those of a segment */

struct scopes *scopes_new(void)
{
    struct scopes *all = sparse_alloc(NULL, 1, sizeof *all);

    *all = (struct scopes){.at = {NULL}};
    pthread_mutex_init(&all->lock, NULL);
    return all;
}

void scopes_free(struct scopes *all)
{
    for (size_t i = 0; i < SCOPES_KEPT; i++)
        sparse_scope_drop(all->at[i]);
    pthread_mutex_destroy(&all->lock);
    free(all);
}

size_t scopes_bytes(const struct sparse *s)
{
    const size_t each = sizeof(struct sparse_scope) + slots_of(s) * sizeof(remembered) +
                        sparse_words(s) * sizeof(uint64_t);

    return sizeof(struct scopes) + SCOPES_KEPT * each;
}

/* To the front, what was before it one back; what falls off the end. */
static struct sparse_scope *put_first(struct scopes *all, size_t from, struct sparse_scope *scope)
{
    struct sparse_scope *last = all->at[from];

    for (size_t i = from; i > 0; i--)
        all->at[i] = all->at[i - 1];
    all->at[0] = scope;
    atomic_fetch_add(&scope->refs, 1);
    return last;
}

/* Held, as is *before: one that is likely to be much like it. */
static struct sparse_scope *find_kept(const struct sparse *s, const uint64_t *rows, struct sparse_scope **before)
{
    struct scopes *all = s->scopes;

    for (size_t i = 0; i < SCOPES_KEPT && all->at[i]; i++)
        if (memcmp(all->at[i]->rows, rows, sparse_words(s) * sizeof *rows) == 0)
            return put_first(all, i, all->at[i]);
    *before = all->at[0];
    if (*before)
        atomic_fetch_add(&(*before)->refs, 1);
    return NULL;
}

struct sparse_scope *sparse_scope_of(const struct sparse *s, const uint64_t *rows)
{
    struct sparse_scope *scope, *last, *before = NULL;

    if (differences(s, NULL, rows) == 0)
        return NULL;
    pthread_mutex_lock(&s->scopes->lock);
    scope = find_kept(s, rows, &before);
    pthread_mutex_unlock(&s->scopes->lock);
    if (scope)
        return scope;
    scope = scope_new(s, rows, before);
    pthread_mutex_lock(&s->scopes->lock);
    last = put_first(s->scopes, SCOPES_KEPT - 1, scope);
    pthread_mutex_unlock(&s->scopes->lock);
    sparse_scope_drop(last);
    sparse_scope_drop(before);
    return scope;
}

/* ---- statistics */

void scope_totals(const struct sparse *s, const struct sparse_scope *scope, struct totals *t)
{
    t->rows += scope ? scope->totals.rows : s->n_rows;
    t->length += scope ? scope->totals.length : s->length;
}

uint64_t scope_count(struct sparse_scope *scope, const struct list *l)
{
    remembered *slot = NULL;
    uint64_t v, n;

    if (!scope && l->entry != NO_ENTRY)
        return l->n;
    if (scope && l->entry != NO_ENTRY && l->n >= REMEMBER_FROM) {
        slot = &scope->slots[l->entry & scope->slot_mask];
        v = atomic_load_explicit(slot, memory_order_relaxed);
        if (v >> 32 == l->entry + 1u)
            return (uint32_t)v;
    }
    n = list_count(l, scope ? scope->rows : NULL);
    if (slot)
        atomic_store_explicit(slot, (uint64_t)(l->entry + 1) << 32 | n, memory_order_relaxed);
    return n;
}
