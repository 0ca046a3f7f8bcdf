/* Where words stand: the places of a term in a row, and phrases. */
#include "sparse_list.h"

#include <stdlib.h>

struct placer {
    struct cursor c;
    struct list l;
    const uint8_t *own; /* the places of a term in one block */
    uint32_t block;     /* whose places are being read; NO_ENTRY: none yet */
    uint32_t i;         /* the posting whose places are next */
    const uint8_t *next;
    bool plain;
    struct arena *arena;
    uint32_t *out;
    size_t cap;
};

struct placer *placer_new(struct arena *a, const struct sparse *s, uint32_t entry)
{
    struct placer *p = ARENA_NEW(a, struct placer);
    const struct entry *e = &s->entries[entry];

    p->arena = a;
    p->l = list_of_entry(a, s, entry);
    p->block = NO_ENTRY;
    p->cap = 16;
    p->out = ARENA_ARRAY(a, uint32_t, p->cap);
    if (!p->l.skips)
        p->own = block_end(s->data + e->data, e->df);
    cursor_open(&p->c, &p->l);
    return p;
}

size_t placer_at(struct placer *p, uint32_t row, const uint32_t **places)
{
    const uint8_t *end;
    size_t n;

    if (!cursor_seek(&p->c, row) || cursor_row(&p->c) != row)
        return 0;
    if (p->block != p->c.block || p->i > p->c.i) {
        p->block = p->c.block;
        p->i = 0;
        p->next = places_begin(p->own ? p->own : p->l.blocks + p->l.skips[p->block].positions, &p->plain);
    }
    for (; p->i < p->c.i; p->i++)
        p->next = places_read(p->next, p->plain, NULL, &n);
    n = p->cap;
    end = places_read(p->next, p->plain, p->out, &n);
    if (n > p->cap) {
        p->cap = n;
        p->out = ARENA_ARRAY(p->arena, uint32_t, p->cap);
        end = places_read(p->next, p->plain, p->out, &n);
    }
    p->next = end;
    p->i++;
    *places = p->out;
    return n;
}

/* ---- phrases */

/* One word of a phrase: its terms, and where they stand in the row being looked at. */
struct member {
    struct placer **placers;
    size_t n_placers;
    uint32_t offset;
    uint32_t *places;
    size_t n, cap;
};

static int compare_places(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

/* False if none of its terms is in the row. */
static bool member_read(struct arena *a, struct member *m, uint32_t row)
{
    m->n = 0;
    for (size_t i = 0; i < m->n_placers; i++) {
        const uint32_t *places;
        size_t n = placer_at(m->placers[i], row, &places);

        if (m->n + n > m->cap) {
            uint32_t *wider = ARENA_ARRAY(a, uint32_t, m->cap = (m->n + n) * 2);

            if (m->n)
                memcpy(wider, m->places, m->n * sizeof *wider);
            m->places = wider;
        }
        if (n)
            memcpy(m->places + m->n, places, n * sizeof *places);
        m->n += n;
    }
    if (m->n_placers > 1 && m->n > 1)
        qsort(m->places, m->n, sizeof *m->places, compare_places);
    return m->n > 0;
}

static bool member_at(const struct member *m, uint32_t place)
{
    return bsearch(&place, m->places, m->n, sizeof *m->places, compare_places) != NULL;
}

/* The weighted frequency of the phrase in a row that all members have read. */
static uint32_t count_phrase(const struct member *members, size_t n, bool title)
{
    uint32_t tf = 0;

    for (size_t i = 0; i < members[0].n; i++) {
        const uint32_t place = members[0].places[i];
        bool all = !title || PLACE_FIELD(place) == TEXT_TITLE;

        if (i > 0 && place == members[0].places[i - 1])
            continue; /* two forms of one word */
        for (size_t k = 1; all && k < n; k++)
            all = member_at(&members[k], place + members[k].offset * PLACE_STEP);
        tf += all ? FIELD_HALVES[PLACE_FIELD(place)] : 0;
    }
    return tf;
}

/* The members of the phrase, and the word with the fewest postings; false: a word is not in the segment. */
static bool find_members(struct arena *a, const struct sparse *s, const struct sparse_clause *c,
                         struct member *members, struct entries *rarest)
{
    uint64_t fewest = UINT64_MAX;

    for (size_t i = 0; i < c->n_words; i++) {
        const struct entries e = entries_of_word(a, s, &c->words[i]);
        uint64_t postings = 0;

        if (e.n == 0)
            return false;
        members[i].offset = c->words[i].offset;
        members[i].n_placers = e.n;
        members[i].placers = ARENA_ARRAY(a, struct placer *, e.n);
        for (size_t k = 0; k < e.n; k++) {
            members[i].placers[k] = placer_new(a, s, e.at[k]);
            postings += s->entries[e.at[k]].df;
        }
        if (postings < fewest) {
            fewest = postings;
            *rarest = e;
        }
    }
    return true;
}

struct list list_of_phrase(struct arena *a, const struct sparse *s, const struct sparse_clause *c)
{
    struct list out = {.s = s, .entry = NO_ENTRY}, lead;
    struct member *members = ARENA_ARRAY(a, struct member, c->n_words);
    struct cursor *at = ARENA_NEW(a, struct cursor);
    struct entries rarest;

    if (!find_members(a, s, c, members, &rarest))
        return out;
    lead = list_of_entries(a, s, &rarest, false);
    out.rows = ARENA_ARRAY(a, uint32_t, lead.n);
    out.tfs = ARENA_ARRAY(a, uint32_t, lead.n);
    for (cursor_open(at, &lead); !cursor_ended(at); cursor_next_block(at)) {
        cursor_load(at);
        for (; at->i < at->n; at->i++) {
            const uint32_t row = cursor_row(at);
            size_t read = 0;
            uint32_t tf;

            while (read < c->n_words && member_read(a, &members[read], row))
                read++;
            tf = read == c->n_words ? count_phrase(members, read, c->title) : 0;
            if (tf) {
                out.rows[out.n] = row;
                out.tfs[out.n++] = tf;
                out.most = tf > out.most ? tf : out.most;
            }
        }
    }
    return out;
}
