/* Linked places from one pool, and the lines in the order of their turns; see vector_lines.h. */
#include "vector_lines.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define PLACES 65536                     /* nodes */
#define LINES  1024                      /* accounts that wait at once */
#define NONE   UINT32_MAX

struct place {
    struct uuid node_id;
    uint32_t next;                       /* in its line, or among the free ones */
};

struct line {
    struct uuid account_id;
    uint32_t first, last;
    size_t n;
};

struct vector_lines {
    size_t n_lines, n_free;
    uint32_t free;
    struct line lines[LINES];            /* the first one's turn it is */
    struct place places[PLACES];
};

struct vector_lines *vector_lines_new(void)
{
    struct vector_lines *l = calloc(1, sizeof *l);

    assert(l);
    for (uint32_t i = 0; i < PLACES; i++)
        l->places[i].next = i + 1 < PLACES ? i + 1 : NONE;
    l->n_free = PLACES;
    return l;
}

void vector_lines_free(struct vector_lines *l)
{
    free(l);
}

/* NULL: it has none, and there are too many. */
static struct line *line_of(struct vector_lines *l, struct uuid account)
{
    for (size_t i = 0; i < l->n_lines; i++)
        if (uuid_eq(l->lines[i].account_id, account))
            return &l->lines[i];
    if (l->n_lines == LINES)
        return NULL;
    l->lines[l->n_lines] = (struct line){account, NONE, NONE, 0};
    return &l->lines[l->n_lines++];
}

static void append(struct vector_lines *l, struct line *line, struct uuid id)
{
    uint32_t at = l->free;

    l->free = l->places[at].next;
    l->n_free--;
    l->places[at] = (struct place){id, NONE};
    *(line->first == NONE ? &line->first : &l->places[line->last].next) = at;
    line->last = at;
    line->n++;
}

size_t vector_lines_add(struct vector_lines *l, struct uuid account, const struct uuid *ids, size_t n)
{
    struct line *line = n && l->n_free > 1 ? line_of(l, account) : NULL;
    size_t k = 0;

    if (!line)
        return 0;
    for (; k < n && line->n < l->n_free; k++)
        append(l, line, ids[k]);
    return k;
}

size_t vector_lines_next(const struct vector_lines *l, struct uuid *account, struct uuid *ids, size_t max)
{
    size_t n = 0;

    if (!l->n_lines)
        return 0;
    *account = l->lines[0].account_id;
    for (uint32_t at = l->lines[0].first; at != NONE && n < max; at = l->places[at].next)
        ids[n++] = l->places[at].node_id;
    return n;
}

void vector_lines_served(struct vector_lines *l, size_t n)
{
    struct line line = l->lines[0];

    assert(l->n_lines);
    n = n < line.n ? n : line.n;
    line.n -= n;
    for (; n; n--) {
        uint32_t at = line.first;

        line.first = l->places[at].next;
        l->places[at].next = l->free;
        l->free = at;
        l->n_free++;
    }
    l->n_lines--;
    memmove(l->lines, l->lines + 1, l->n_lines * sizeof *l->lines);
    if (line.n)
        l->lines[l->n_lines++] = line;
}

size_t vector_lines_waiting(const struct vector_lines *l)
{
    return PLACES - l->n_free;
}
