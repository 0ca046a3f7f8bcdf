/* Linked places from one pool, and the lines in the order of their turns; see vector_lines.h. */
#include "vector_lines.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define LINES 1024 /* accounts that wait at once */
#define SHORT 512  /* nodes; a line that is as short is filled up from what is owed to it */
#define NONE UINT32_MAX

struct place {
    struct uuid node_id;
    uint32_t next; /* in its line, or among the free ones */
};

/* What was written when there was no place, and is read from the data again. */
struct owed {
    size_t n;         /* about how many */
    int64_t since_us; /* 0: nothing */
    int64_t later_us; /* what came while it was being read already, since then; likewise */
    size_t n_later;
    bool is_read; /* by a turn, at this moment */
    size_t n_position;
    unsigned char position[VECTOR_POSITION];
};

struct line {
    struct uuid account_id;
    uint32_t first, last;
    size_t n, n_at_work;
    struct owed owed;
};

struct vector_lines {
    size_t n_lines, n_places, n_free, n_at_work;
    uint32_t free;
    struct line lines[LINES]; /* the first one's turn it is */
    struct place places[];
};

struct vector_lines *vector_lines_new(size_t places)
{
    struct vector_lines *l = calloc(1, sizeof *l + places * sizeof *l->places);

    assert(l && places < NONE);
    for (uint32_t i = 0; i < places; i++)
        l->places[i].next = i + 1 < places ? i + 1 : NONE;
    l->n_free = l->n_places = places;
    return l;
}

void vector_lines_free(struct vector_lines *l)
{
    free(l);
}

static struct line *find_line(const struct vector_lines *l, struct uuid account)
{
    for (size_t i = 0; i < l->n_lines; i++)
        if (uuid_eq(l->lines[i].account_id, account))
            return (struct line *)(uintptr_t)&l->lines[i];
    return NULL;
}

/* NULL: it has none, and there are too many. */
static struct line *line_of(struct vector_lines *l, struct uuid account)
{
    struct line *line = find_line(l, account);

    if (line || l->n_lines == LINES)
        return line;
    l->lines[l->n_lines] = (struct line){.account_id = account, .first = NONE, .last = NONE};
    return &l->lines[l->n_lines++];
}

static void drop_line_if_empty(struct vector_lines *l, struct line *line)
{
    if (line->n || line->n_at_work || line->owed.since_us || line->owed.is_read)
        return;
    l->n_lines--;
    memmove(line, line + 1, (size_t)(l->lines + l->n_lines - line) * sizeof *line);
}

static uint32_t place_node(struct vector_lines *l, struct uuid id)
{
    uint32_t at = l->free;

    assert(at != NONE);
    l->free = l->places[at].next;
    l->n_free--;
    l->places[at] = (struct place){id, NONE};
    return at;
}

static void vector_lines_append(struct vector_lines *l, struct line *line, struct uuid id)
{
    uint32_t at = place_node(l, id);

    *(line->first == NONE ? &line->first : &l->places[line->last].next) = at;
    line->last = at;
    line->n++;
}

static void prepend(struct vector_lines *l, struct line *line, struct uuid id)
{
    uint32_t at = place_node(l, id);

    l->places[at].next = line->first;
    if (line->first == NONE)
        line->last = at;
    line->first = at;
    line->n++;
}

static struct uuid take_first(struct vector_lines *l, struct line *line)
{
    uint32_t at = line->first;

    line->first = l->places[at].next;
    if (line->first == NONE)
        line->last = NONE;
    line->n--;
    l->places[at].next = l->free;
    l->free = at;
    l->n_free++;
    return l->places[at].node_id;
}

/* The places of nodes at work are kept for them: they may come back. */
static size_t places_left(const struct vector_lines *l)
{
    return l->n_free - l->n_at_work;
}

size_t vector_lines_add(struct vector_lines *l, struct uuid account, const struct uuid *ids, size_t n)
{
    struct line *line = n && places_left(l) > 1 ? line_of(l, account) : NULL;
    size_t k = 0;

    if (!line)
        return 0;
    for (; k < n && line->n + line->n_at_work < places_left(l); k++)
        vector_lines_append(l, line, ids[k]);
    drop_line_if_empty(l, line);
    return k;
}

bool vector_lines_owe(struct vector_lines *l, struct uuid account, size_t n, int64_t since_us)
{
    struct line *line = line_of(l, account);
    struct owed *o = line ? &line->owed : NULL;
    bool has_begun = o && (o->is_read || o->n_position);
    int64_t *since = !o ? NULL : has_begun ? &o->later_us : &o->since_us;

    if (!line)
        return false;
    if (!*since || since_us < *since)
        *since = since_us;
    *(has_begun ? &o->n_later : &o->n) += n;
    return true;
}

/* ---- turns */

/* Where there is no room for a portion, the line is served first. */
static bool wants_owed(const struct vector_lines *l, const struct line *line)
{
    size_t n = line->n + line->n_at_work;

    return line->owed.since_us && !line->owed.is_read && line->n <= SHORT && (!n || n < places_left(l) / 4);
}

/* How many would find a place, if nothing else came. */
static size_t room_of(const struct vector_lines *l, const struct line *line)
{
    size_t n = line->n + line->n_at_work;

    return places_left(l) > n + 1 ? (places_left(l) - n) / 2 : 1;
}

static struct line *next_line(const struct vector_lines *l)
{
    for (size_t i = 0; i < l->n_lines; i++)
        if (l->lines[i].n || wants_owed(l, &l->lines[i]))
            return (struct line *)(uintptr_t)&l->lines[i];
    return NULL;
}

static struct line *put_last(struct vector_lines *l, struct line *line)
{
    struct line moved = *line;

    memmove(line, line + 1, (size_t)(l->lines + l->n_lines - line - 1) * sizeof *line);
    l->lines[l->n_lines - 1] = moved;
    return &l->lines[l->n_lines - 1];
}

bool vector_lines_begin(struct vector_lines *l, struct uuid *ids, size_t max, struct vector_turn *t)
{
    struct line *line = next_line(l);

    if (!line)
        return false;
    line = put_last(l, line);
    *t = (struct vector_turn){.account = line->account_id, .reads_owed = wants_owed(l, line)};
    if (t->reads_owed) {
        line->owed.is_read = true;
        t->since_us = line->owed.since_us;
        t->room = room_of(l, line);
        t->n_position = line->owed.n_position;
        memcpy(t->position, line->owed.position, sizeof t->position);
        return true;
    }
    while (t->n < max && line->n)
        ids[t->n++] = take_first(l, line);
    line->n_at_work += t->n;
    l->n_at_work += t->n;
    return true;
}

static void vector_lines_clear(struct vector_lines *l, struct line *line)
{
    while (line->n)
        take_first(l, line);
    line->owed = (struct owed){.is_read = line->owed.is_read};
}

void vector_lines_end(struct vector_lines *l, const struct vector_turn *t, const struct uuid *left, size_t n_left, bool no_model)
{
    struct line *line = find_line(l, t->account);

    assert(line && line->n_at_work >= t->n && n_left <= t->n);
    line->n_at_work -= t->n;
    l->n_at_work -= t->n;
    for (size_t i = n_left; i-- > 0;)
        prepend(l, line, left[i]);
    if (no_model)
        vector_lines_clear(l, line);
    drop_line_if_empty(l, put_last(l, line));
}

/* What came meanwhile is next. */
static void go_on_with_later(struct owed *o)
{
    *o = (struct owed){.n = o->n_later, .since_us = o->later_us};
}

void vector_lines_end_owed(struct vector_lines *l, const struct vector_turn *t, const struct uuid *ids, size_t n, struct bytes position,
                           bool more)
{
    struct line *line = find_line(l, t->account);
    struct owed *o = &line->owed;
    size_t k = 0;

    assert(line && o->is_read && position.n <= VECTOR_POSITION);
    o->is_read = false;
    for (; k < n && line->n + line->n_at_work < places_left(l); k++)
        vector_lines_append(l, line, ids[k]);
    o->n = k < o->n ? o->n - k : 0;
    if (k == n && more && o->since_us) { /* else the same portion is read once more when there is room for it */
        memcpy(o->position, position.p, position.n);
        o->n_position = position.n;
    } else if (k == n || !o->since_us) {
        go_on_with_later(o);
    }
    drop_line_if_empty(l, line);
}

/* ---- how many */

static size_t owed_of(const struct line *line)
{
    return line->owed.n + line->owed.n_later;
}

size_t vector_lines_waiting(const struct vector_lines *l)
{
    size_t n = l->n_places - l->n_free;

    for (size_t i = 0; i < l->n_lines; i++)
        n += owed_of(&l->lines[i]);
    return n;
}

size_t vector_lines_waiting_of(const struct vector_lines *l, struct uuid account)
{
    const struct line *line = find_line(l, account);

    return line ? line->n + line->n_at_work + owed_of(line) : 0;
}

bool vector_lines_have_work(const struct vector_lines *l)
{
    return next_line(l) != NULL;
}
