/* Lists of clauses: one term's postings stay where they lie, others are put together. */
#include "sparse_list.h"

#include <stdlib.h>

/* Of a segment's rows, how many must be in a union to be gathered in a table of all rows. */
#define DENSE_SHARE 4

/* ---- which terms a word stands for */

static void add_entry(struct arena *a, struct entries *e, uint32_t entry)
{
    if (e->n == e->cap) {
        uint32_t *wider = ARENA_ARRAY(a, uint32_t, e->cap = e->cap ? e->cap * 2 : 4);

        if (e->n)
            memcpy(wider, e->at, e->n * sizeof *wider);
        e->at = wider;
    }
    e->at[e->n++] = entry;
}

struct entries entries_of_word(struct arena *a, const struct sparse *s, const struct sparse_word *w)
{
    struct entries out = {.n = 0};

    for (size_t i = 0; i < w->n_forms; i++) {
        const struct bytes form = w->forms[i];

        if (w->prefix && i == 0) {
            for (uint32_t e = sparse_find_from(s, form.p, form.n); e < s->n_terms; e++) {
                struct bytes text = entry_text(s, e);

                if (text.n < form.n || memcmp(text.p, form.p, form.n) != 0)
                    break;
                add_entry(a, &out, e);
            }
        } else {
            uint32_t e = sparse_find(s, form.p, form.n);

            if (e != NO_ENTRY)
                add_entry(a, &out, e);
        }
    }
    return out;
}

/* ---- one term */

static struct list empty_list(const struct sparse *s)
{
    return (struct list){.s = s, .entry = NO_ENTRY};
}

static struct list new_list(struct arena *a, const struct sparse *s, size_t cap)
{
    struct list l = empty_list(s);

    l.rows = ARENA_ARRAY(a, uint32_t, cap);
    l.tfs = ARENA_ARRAY(a, uint32_t, cap);
    return l;
}

static void find_most(struct list *l)
{
    for (uint32_t i = 0; i < l->n; i++)
        l->most = l->tfs[i] > l->most ? l->tfs[i] : l->most;
}

struct list list_of_entry(struct arena *a, const struct sparse *s, uint32_t entry)
{
    const struct entry *e = &s->entries[entry];
    const uint8_t *data = s->data + e->data;
    struct list l;

    if (e->df > BLOCK_ROWS) {
        l = empty_list(s);
        l.skips = (const struct skip *)(const void *)data;
        l.blocks = data + entry_blocks(e) * sizeof(struct skip);
    } else {
        l = new_list(a, s, e->df);
        if (e->df == BLOCK_ROWS)
            block_tfs(block_rows(data, -1, l.rows), l.tfs);
        else
            block_short(data, e->df, -1, l.rows, l.tfs);
    }
    l.n = e->df;
    l.entry = entry;
    if (!l.skips)
        find_most(&l);
    return l;
}

/* Its postings in titles, or all of them, in memory. */
static struct list copy_of_entry(struct arena *a, const struct sparse *s, uint32_t entry, bool title)
{
    const struct list from = list_of_entry(a, s, entry);
    struct list to = new_list(a, s, from.n);
    struct placer *placer = title ? placer_new(a, s, entry) : NULL;
    struct cursor *c = ARENA_NEW(a, struct cursor);

    for (cursor_open(c, &from); !cursor_ended(c); cursor_next_block(c)) {
        cursor_load(c);
        for (; c->i < c->n; c->i++) {
            uint32_t row = cursor_row(c), tf = placer ? 0 : cursor_tf(c);
            const uint32_t *places;
            size_t n = placer ? placer_at(placer, row, &places) : 0;

            for (size_t i = 0; i < n; i++)
                tf += PLACE_FIELD(places[i]) == TEXT_TITLE ? FIELD_HALVES[TEXT_TITLE] : 0;
            if (tf) {
                to.rows[to.n] = row;
                to.tfs[to.n++] = tf;
            }
        }
    }
    return to;
}

/* ---- several terms */

static struct list merge_two(struct arena *a, const struct list *x, const struct list *y)
{
    struct list out = new_list(a, x->s, (size_t)x->n + y->n);
    uint32_t i = 0, k = 0;

    while (i < x->n || k < y->n) {
        uint32_t row_x = i < x->n ? x->rows[i] : UINT32_MAX, row_y = k < y->n ? y->rows[k] : UINT32_MAX;
        uint32_t tf = 0;

        out.rows[out.n] = row_x < row_y ? row_x : row_y;
        if (row_x <= row_y)
            tf += x->tfs[i++];
        if (row_y <= row_x)
            tf += y->tfs[k++];
        out.tfs[out.n++] = tf;
    }
    return out;
}

/* Two and two, so that no posting is moved more than log n times. */
static struct list merge_all(struct arena *a, struct list *lists, size_t n)
{
    while (n > 1) {
        for (size_t i = 0; i + 1 < n; i += 2)
            lists[i / 2] = merge_two(a, &lists[i], &lists[i + 1]);
        if (n % 2)
            lists[n / 2] = lists[n - 1];
        n = (n + 1) / 2;
    }
    return lists[0];
}

static struct list gather_dense(struct arena *a, const struct sparse *s, const struct entries *e)
{
    uint32_t *tfs = ARENA_ARRAY(a, uint32_t, s->n_rows);
    struct list out = new_list(a, s, s->n_rows);
    struct cursor *c = ARENA_NEW(a, struct cursor);

    for (size_t i = 0; i < e->n; i++) {
        const struct list l = list_of_entry(a, s, e->at[i]);

        for (cursor_open(c, &l); !cursor_ended(c); cursor_next_block(c)) {
            cursor_load(c);
            for (; c->i < c->n; c->i++)
                tfs[cursor_row(c)] += cursor_tf(c);
        }
    }
    for (uint32_t row = 0; row < s->n_rows; row++) {
        out.rows[out.n] = row;
        out.tfs[out.n] = tfs[row];
        out.n += tfs[row] != 0;
    }
    return out;
}

struct list list_of_entries(struct arena *a, const struct sparse *s, const struct entries *e, bool title)
{
    struct list *lists, out;
    size_t all = 0;

    if (e->n == 0)
        return empty_list(s);
    if (e->n == 1 && !title)
        return list_of_entry(a, s, e->at[0]);
    for (size_t i = 0; i < e->n; i++)
        all += s->entries[e->at[i]].df;
    if (!title && all > s->n_rows / DENSE_SHARE) {
        out = gather_dense(a, s, e);
    } else {
        lists = ARENA_ARRAY(a, struct list, e->n);
        for (size_t i = 0; i < e->n; i++)
            lists[i] = copy_of_entry(a, s, e->at[i], title);
        out = merge_all(a, lists, e->n);
    }
    find_most(&out);
    return out;
}

struct list list_of_clause(struct arena *a, const struct sparse *s, const struct sparse_clause *c)
{
    struct entries e;

    if (c->n_words > 1)
        return list_of_phrase(a, s, c);
    e = entries_of_word(a, s, &c->words[0]);
    return list_of_entries(a, s, &e, c->title);
}
