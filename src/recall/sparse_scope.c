/* Statistics over the rows that count: exact, whatever the rows, and remembered. */
#include "sparse_scope.h"

#include <stdlib.h>

#define REMEMBER_FROM 256    /* rows of a list: counting shorter ones costs less than it would save */
#define SLOTS_MOST    1024u  /* powers of two */
#define SLOTS_LEAST   16u

/* A frequency that was counted before: entry + 1 and the count; 0: none. Readers that race write the same. */
typedef _Atomic uint64_t remembered;

struct sparse_scope {
    const struct sparse *index;
    const uint64_t *rows;    /* NULL: all */
    struct totals totals;
    bool whole;
    uint32_t slot_mask;
    remembered slots[];      /* by entry and group */
};

static void count_rows(const struct sparse *s, const uint64_t *rows, struct totals *t)
{
    for (uint32_t base = 0; base < s->n_rows; base += 64) {
        uint64_t bits = rows ? rows[base / 64] : UINT64_MAX;

        if (s->n_rows - base < 64)
            bits &= (1ull << (s->n_rows - base)) - 1;
        for (; bits; bits &= bits - 1) {
            uint32_t row = base + (uint32_t)__builtin_ctzll(bits);

            t->rows[row_group(s, row)]++;
            t->length[row_group(s, row)] += row_length(s, row);
        }
    }
}

struct sparse_scope *sparse_scope_new(const struct sparse *s, const uint64_t *rows)
{
    struct sparse_scope *scope;
    uint32_t slots = SLOTS_LEAST;

    while (slots < SLOTS_MOST && slots < s->n_terms / 16)
        slots *= 2;
    scope = sparse_alloc(NULL, 1, sizeof *scope + slots * sizeof *scope->slots);
    memset(scope, 0, sizeof *scope + slots * sizeof *scope->slots);
    scope->index = s;
    scope->rows = rows;
    scope->slot_mask = slots - 1;
    count_rows(s, rows, &scope->totals);
    scope->whole = scope->totals.rows[SPARSE_SHORT] + scope->totals.rows[SPARSE_LONG] == s->n_rows;
    return scope;
}

void sparse_scope_free(struct sparse_scope *scope)
{
    free(scope);
}

size_t sparse_scope_bytes(const struct sparse_scope *scope)
{
    return sizeof *scope + (scope->slot_mask + 1u) * sizeof *scope->slots;
}

void scope_totals(const struct sparse *s, const struct sparse_scope *scope, struct totals *t)
{
    struct totals all = { .rows = { 0 } };

    if (scope)
        all = scope->totals;
    else
        count_rows(s, NULL, &all);
    for (int g = 0; g < SPARSE_GROUPS; g++) {
        t->rows[g] += all.rows[g];
        t->length[g] += all.length[g];
    }
}

static bool recall_counts(struct sparse_scope *scope, uint32_t entry, uint64_t found[SPARSE_GROUPS])
{
    for (uint32_t g = 0; g < SPARSE_GROUPS; g++) {
        remembered *slot = &scope->slots[(entry * SPARSE_GROUPS + g) & scope->slot_mask];
        uint64_t v = atomic_load_explicit(slot, memory_order_relaxed);

        if (v >> 32 != entry + 1u)
            return false;
        found[g] = (uint32_t)v;
    }
    return true;
}

static void remember_counts(struct sparse_scope *scope, uint32_t entry, const uint64_t found[SPARSE_GROUPS])
{
    for (uint32_t g = 0; g < SPARSE_GROUPS; g++)
        atomic_store_explicit(&scope->slots[(entry * SPARSE_GROUPS + g) & scope->slot_mask],
                              (uint64_t)(entry + 1) << 32 | found[g], memory_order_relaxed);
}

void scope_count(struct sparse_scope *scope, const struct list *l, uint64_t counts[SPARSE_GROUPS])
{
    const bool whole = !scope || scope->whole, remember = l->entry != NO_ENTRY && l->n >= REMEMBER_FROM;
    uint64_t found[SPARSE_GROUPS] = { 0 };

    if (whole && l->entry != NO_ENTRY) {
        found[SPARSE_LONG] = l->s->df_long ? l->s->df_long[l->entry] : l->s->rows_of[SPARSE_LONG] ? l->n : 0;
        found[SPARSE_SHORT] = l->n - found[SPARSE_LONG];
    } else if (whole || !remember || !recall_counts(scope, l->entry, found)) {
        list_count(l, whole ? NULL : scope->rows, found);
        if (!whole && remember)
            remember_counts(scope, l->entry, found);
    }
    for (int g = 0; g < SPARSE_GROUPS; g++)
        counts[g] += found[g];
}
