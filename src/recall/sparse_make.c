/* From the postings of terms, in ascending order, to the memory of a segment. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "sparse_impl.h"

void postings_row(struct postings *p, uint32_t row)
{
    if (p->n == p->cap) {
        p->cap = p->cap ? p->cap * 2 : 256;
        p->rows = sparse_alloc(p->rows, p->cap, sizeof *p->rows);
        p->tfs = sparse_alloc(p->tfs, p->cap, sizeof *p->tfs);
        p->counts = sparse_alloc(p->counts, p->cap, sizeof *p->counts);
    }
    p->rows[p->n] = row;
    p->tfs[p->n] = 0;
    p->counts[p->n++] = 0;
}

/* A row's places come nearly in order; the few that do not are moved. */
void postings_place(struct postings *p, uint32_t place)
{
    uint32_t *counts = &p->counts[p->n - 1];
    size_t k;

    if (p->n_places == p->places_cap) {
        p->places_cap = p->places_cap ? p->places_cap * 2 : 256;
        p->places = sparse_alloc(p->places, p->places_cap, sizeof *p->places);
    }
    for (k = p->n_places++; k > p->n_places - 1 - *counts && p->places[k - 1] > place; k--)
        p->places[k] = p->places[k - 1];
    p->places[k] = place;
    *counts += 1;
    p->tfs[p->n - 1] += FIELD_HALVES[PLACE_FIELD(place)];
}

void postings_free(struct postings *p)
{
    free(p->rows);
    free(p->tfs);
    free(p->counts);
    free(p->places);
}

/* ---- what a block promises */

static double merit(struct point p)
{
    return p.tf ? (double)p.tf / (p.tf + HALVES * SPARSE_K1 * (p.length / (double)HALVES + SPARSE_LENGTH) / (2 * SPARSE_LENGTH)) : 0;
}

static struct point sparse_make_widen(struct point p, uint32_t tf, uint32_t length)
{
    uint16_t short_tf = (uint16_t)(tf < POINT_MAX ? tf : POINT_MAX);
    uint16_t short_length = (uint16_t)(length < POINT_MAX ? length : POINT_MAX);

    if (p.tf == 0)
        return (struct point){short_tf, short_length};
    return (struct point){ p.tf > short_tf ? p.tf : short_tf,
                           p.length < short_length ? p.length : short_length };
}

/* Splits the postings by frequency where that promises least. */
static void find_best(const struct sparse *s, const uint32_t *rows, const uint32_t *tfs, size_t n,
                      struct point *best)
{
    const uint32_t step = FIELD_HALVES[TEXT_BODY];
    uint32_t least = UINT32_MAX;
    double promised = INFINITY;

    for (size_t i = 0; i < n; i++)
        least = tfs[i] < least ? tfs[i] : least;
    for (uint32_t split = least; split <= least + 3 * step; split += step) {
        struct point two[2] = {{0, 0}, {0, 0}};

        for (size_t i = 0; i < n; i++) {
            struct point *p = &two[tfs[i] > split];

            *p = sparse_make_widen(*p, tfs[i], s->lengths[rows[i]]);
        }
        if (fmax(merit(two[0]), merit(two[1])) < promised) {
            promised = fmax(merit(two[0]), merit(two[1]));
            memcpy(best, two, sizeof two);
        }
        if (two[1].tf == 0)
            break;
    }
}

/* ---- the segment */

void rows_add_title(struct sparse_rows *r, uint32_t hash)
{
    if (r->n_titles == r->titles_cap) {
        r->titles_cap = r->titles_cap ? r->titles_cap * 2 : 256;
        r->titles = sparse_alloc(r->titles, r->titles_cap, sizeof *r->titles);
    }
    r->titles[r->n_titles++] = hash;
}

static int compare_hashes(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

void rows_add(struct sparse_rows *r, uint32_t length)
{
    uint32_t from, kept;

    if (r->n + 1 >= r->cap) {
        r->cap = r->cap ? r->cap * 2 : 256;
        r->lengths = sparse_alloc(r->lengths, r->cap, sizeof *r->lengths);
        r->title_at = sparse_alloc(r->title_at, r->cap + 1u, sizeof *r->title_at);
        r->title_at[0] = 0;
    }
    from = kept = r->title_at[r->n];
    if (r->n_titles > from)
        qsort(r->titles + from, r->n_titles - from, sizeof *r->titles, compare_hashes);
    for (uint32_t i = from; i < r->n_titles; i++)
        if (i == from || r->titles[i] != r->titles[i - 1])
            r->titles[kept++] = r->titles[i];
    r->lengths[r->n++] = length;
    r->title_at[r->n] = r->n_titles = kept;
}

void rows_free(struct sparse_rows *r)
{
    free(r->lengths);
    free(r->title_at);
    free(r->titles);
}

void maker_begin(struct maker *m, struct sparse_rows *rows)
{
    struct sparse *s = sparse_alloc(NULL, 1, sizeof *s);

    *m = (struct maker){.s = s};
    *s = (struct sparse){.n_rows = rows->n};
    s->lengths = sparse_alloc(rows->lengths, rows->n, sizeof *s->lengths);
    s->title_at = sparse_alloc(rows->title_at, rows->n + 1u, sizeof *s->title_at);
    s->titles = sparse_alloc(rows->titles, rows->n_titles, sizeof *s->titles);
    *rows = (struct sparse_rows){.n = 0};
    if (!s->n_rows)
        s->title_at[0] = 0;
    for (uint32_t row = 0; row < s->n_rows; row++)
        s->length += s->lengths[row];
}

/* The entry that is next; the one of NULL ends the last. */
static struct entry *next_entry(struct maker *m, const char *text, size_t n)
{
    struct sparse *s = m->s;
    struct entry *e;

    if (s->n_terms == m->entries_cap) {
        m->entries_cap = m->entries_cap ? m->entries_cap * 2 : 1024;
        s->entries = sparse_alloc(s->entries, m->entries_cap, sizeof *s->entries);
    }
    e = &s->entries[s->n_terms];
    assert(m->text.n + n < UINT32_MAX);
    *e = (struct entry){.data = m->data.n, .text = (uint32_t)m->text.n};
    if (n)
        memcpy(out_reserve(&m->text, n), text, n);
    m->text.n += n;
    return e;
}

static void sparse_make_append(struct out *to, const struct out *from)
{
    if (from->n)
        memcpy(out_reserve(to, from->n), from->p, from->n);
    to->n += from->n;
}

static void add_skip(struct maker *m, const struct postings *p, size_t from, size_t n)
{
    struct skip skip = { .last = p->rows[from + n - 1], .offset = (uint32_t)m->blocks.n,
                         .positions = (uint32_t)m->positions.n };

    find_best(m->s, p->rows + from, p->tfs + from, n, skip.best);
    memcpy(out_reserve(&m->skips, sizeof skip), &skip, sizeof skip);
    m->skips.n += sizeof skip;
}

static void many_blocks(struct maker *m, const struct postings *p)
{
    const uint32_t *places = p->places;
    int64_t before = -1;

    m->skips.n = m->blocks.n = m->positions.n = 0;
    for (size_t from = 0, n; from < p->n; from += n) {
        n = p->n - from < BLOCK_ROWS ? p->n - from : BLOCK_ROWS;
        add_skip(m, p, from, n);
        block_write(&m->blocks, p->rows + from, p->tfs + from, n, before);
        places_write(&m->positions, places, p->counts + from, n);
        for (size_t i = from; i < from + n; i++)
            places += p->counts[i];
        before = p->rows[from + n - 1];
    }
    assert(m->blocks.n + m->positions.n < UINT32_MAX);
    for (size_t i = 0; i < m->skips.n; i += sizeof(struct skip)) {
        struct skip skip;

        memcpy(&skip, m->skips.p + i, sizeof skip);
        skip.positions += (uint32_t)m->blocks.n;
        memcpy(m->skips.p + i, &skip, sizeof skip);
    }
    sparse_make_append(&m->data, &m->skips);
    sparse_make_append(&m->data, &m->blocks);
    sparse_make_append(&m->data, &m->positions);
}

void maker_term(struct maker *m, const char *text, size_t n, struct postings *p)
{
    struct entry *e = next_entry(m, text, n);

    assert(p->n > 0 && p->n <= m->s->n_rows);
    e->df = (uint32_t)p->n;
    if (p->n > BLOCK_ROWS) {
        while (m->data.n % _Alignof(struct skip)) {
            *out_reserve(&m->data, 1) = 0;
            m->data.n++;
        }
        e->data = m->data.n;
        many_blocks(m, p);
    } else {
        block_write(&m->data, p->rows, p->tfs, p->n, -1);
        places_write(&m->data, p->places, p->counts, p->n);
    }
    m->s->n_terms++;
    p->n = p->n_places = 0;
}

static void make_slots(struct sparse *s)
{
    uint32_t size = 16;

    while (size < s->n_terms + s->n_terms / 2)
        size *= 2;
    s->slots = sparse_alloc(NULL, size, sizeof *s->slots);
    memset(s->slots, 0, size * sizeof *s->slots);
    s->slot_mask = size - 1;
    for (uint32_t e = 0; e < s->n_terms; e++) {
        struct bytes text = entry_text(s, e);
        uint32_t at = term_hash(text.p, text.n) & s->slot_mask;

        while (s->slots[at])
            at = (at + 1) & s->slot_mask;
        s->slots[at] = e + 1;
    }
}

struct sparse *maker_end(struct maker *m)
{
    struct sparse *s = m->s;

    next_entry(m, NULL, 0);
    memset(out_reserve(&m->data, SPARSE_AHEAD), 0, SPARSE_AHEAD); /* unpack() and varint_get() look ahead */
    m->data.n += SPARSE_AHEAD;
    s->entries = sparse_alloc(s->entries, s->n_terms + 1u, sizeof *s->entries);
    s->text = sparse_alloc(m->text.p, m->text.n, 1);
    s->data = sparse_alloc(m->data.p, m->data.n, 1);
    make_slots(s);
    s->bytes = sizeof *s + s->n_rows * sizeof *s->lengths + (s->n_terms + 1u) * sizeof *s->entries +
               (s->n_rows + 1u + s->title_at[s->n_rows]) * sizeof *s->titles + (s->slot_mask + 1u) * sizeof *s->slots +
               m->text.n + m->data.n + scopes_bytes(s);
    s->scopes = scopes_new();
    free(m->skips.p);
    free(m->blocks.p);
    free(m->positions.p);
    return s;
}

void sparse_free(struct sparse *s)
{
    if (!s)
        return;
    free(s->lengths);
    free(s->entries);
    free(s->title_at);
    free(s->titles);
    free(s->slots);
    free(s->text);
    free(s->data);
    scopes_free(s->scopes);
    free(s);
}

uint32_t sparse_rows(const struct sparse *s)
{
    return s->n_rows;
}

size_t sparse_bytes(const struct sparse *s)
{
    return s->bytes;
}

/* ---- the dictionary */

uint32_t sparse_find(const struct sparse *s, const char *text, size_t n)
{
    for (uint32_t at = term_hash(text, n) & s->slot_mask; s->slots[at]; at = (at + 1) & s->slot_mask) {
        struct bytes other = entry_text(s, s->slots[at] - 1);

        if (other.n == n && memcmp(other.p, text, n) == 0)
            return s->slots[at] - 1;
    }
    return NO_ENTRY;
}

uint32_t sparse_find_from(const struct sparse *s, const char *text, size_t n)
{
    uint32_t from = 0, to = s->n_terms;

    while (from < to) {
        uint32_t middle = from + (to - from) / 2;

        if (bytes_cmp(entry_text(s, middle), (struct bytes){text, n}) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}
