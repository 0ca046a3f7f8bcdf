/* The best rows of all parts: windows of rows, in which the lists that cannot decide are only asked about
   rows that the others found (MaxScore over blocks), unless that would take longer than adding them up. */
#include "sparse_run.h"

#define WINDOW 4096u /* rows; their sums stay in the first-level cache */

struct found {
    uint64_t score;
    uint32_t part, row;
};

/* What a clause gives by frequency and length, once that has been worked out: most texts say a word once or twice
 * and are of usual length. */
#define KNOWN_TFS 8u
#define KNOWN_LENGTHS 512u
#define KNOWN_FROM 512u /* rows of a list: in shorter ones little comes twice */

struct known {
    uint64_t *by_length[KNOWN_TFS]; /* 0: not known; NULL: none is */
};

/* A list of the part being searched. */
struct arm {
    struct cursor c;
    size_t clause;
    struct known *known; /* NULL: nothing is kept */
    uint64_t bound;      /* the most it can give in this window */
};

struct top {
    struct sparse_search *s;
    struct found *heap; /* the worst on top */
    size_t n, k;
    uint64_t *sums; /* of the window's rows, sentence by sentence */
    size_t n_sentences;
    uint64_t hit[WINDOW / 64];
    struct known *known; /* of clauses */
    struct arm **arms;   /* of the part, by rising bound */
    uint64_t *below;     /* below[i]: what arms 0 to i - 1 can give together */
    size_t n_arms;
};

/* ---- the heap */

/* Is a behind b? */
static bool worse(const struct top *t, const struct found *a, const struct found *b)
{
    if (a->score != b->score)
        return a->score < b->score;
    return uuid_cmp(t->s->parts[a->part].ids[a->row], t->s->parts[b->part].ids[b->row]) > 0;
}

static void sift_down(struct top *t, size_t i)
{
    for (;;) {
        size_t child = 2 * i + 1;
        struct found moved = t->heap[i];

        if (child >= t->n)
            return;
        if (child + 1 < t->n && worse(t, &t->heap[child + 1], &t->heap[child]))
            child++;
        if (!worse(t, &t->heap[child], &moved))
            return;
        t->heap[i] = t->heap[child];
        t->heap[child] = moved;
        i = child;
    }
}

static void offer(struct top *t, struct found f)
{
    if (t->n == t->k) {
        if (worse(t, &t->heap[0], &f)) {
            t->heap[0] = f;
            sift_down(t, 0);
        }
        return;
    }
    size_t i = t->n++;
    for (; i > 0 && worse(t, &f, &t->heap[(i - 1) / 2]); i = (i - 1) / 2)
        t->heap[i] = t->heap[(i - 1) / 2];
    t->heap[i] = f;
}

/* A row needs at least this to be among the best. */
static uint64_t threshold(const struct top *t)
{
    return t->n == t->k ? t->heap[0].score : 1;
}

/* ---- what a window can give */

static uint64_t point_bound(const struct sparse_search *s, size_t clause, uint32_t tf, uint32_t length)
{
    const struct weight *w = &s->weights[clause];

    return (tf == POINT_MAX ? (uint64_t)w->scale : contribution(w, &s->norm, tf, length)) + 1; /* rounding */
}

static uint64_t block_bound(const struct sparse_search *s, const struct list *l, size_t clause,
                            uint32_t block)
{
    uint64_t best = 0;

    if (!l->skips)
        return point_bound(s, clause, l->most < POINT_MAX ? l->most : POINT_MAX, 0);
    for (int i = 0; i < 2; i++) {
        const struct point p = l->skips[block].best[i];
        uint64_t score = p.tf ? point_bound(s, clause, p.tf, p.length) : 0;

        best = score > best ? score : best;
    }
    return best;
}

/* The most that the arm can give to a row from begin up to end; 0: it has none there. */
static uint64_t window_bound(const struct sparse_search *s, struct arm *arm, uint32_t begin, uint32_t end)
{
    struct cursor *c = &arm->c;
    uint64_t best;

    if (!cursor_to_block(c, begin))
        return 0;
    if (c->n && c->rows[c->i] >= end)
        return 0;
    if (!c->bound)
        c->bound = block_bound(s, c->l, arm->clause, c->block);
    best = c->bound;
    for (uint32_t b = c->block; list_last(c->l, b) + 1 < end && ++b < c->n_blocks;) {
        uint64_t bound = block_bound(s, c->l, arm->clause, b);

        best = bound > best ? bound : best;
    }
    return best;
}

static void order_arms(struct top *t, uint32_t begin, uint32_t end)
{
    for (size_t i = 0; i < t->n_arms; i++) {
        struct arm *arm = t->arms[i];
        size_t k = i;

        arm->bound = window_bound(t->s, arm, begin, end);
        for (; k > 0 && t->arms[k - 1]->bound > arm->bound; k--)
            t->arms[k] = t->arms[k - 1];
        t->arms[k] = arm;
    }
    for (size_t i = 0; i < t->n_arms; i++)
        t->below[i + 1] = t->below[i] + t->arms[i]->bound;
}

/* ---- one window */

/* Whether rows of the window may be found, and whether all of them may. */
static bool some_wanted(const uint64_t *filter, uint32_t begin, uint32_t end, bool *all)
{
    uint64_t any = 0, each = UINT64_MAX;

    *all = !filter;
    for (uint32_t w = begin / 64; filter && w < (end + 63) / 64; w++) {
        any |= filter[w];
        each &= filter[w];
    }
    *all |= each == UINT64_MAX;
    return *all || any != 0;
}

static uint64_t work_out(struct top *t, const struct arm *arm, uint32_t tf, uint32_t length)
{
    const uint64_t score = contribution(&t->s->weights[arm->clause], &t->s->norm, tf, length);
    uint64_t **kept;

    if (!arm->known || tf >= KNOWN_TFS || length >= KNOWN_LENGTHS)
        return score;
    kept = &arm->known->by_length[tf];
    if (!*kept)
        *kept = ARENA_ARRAY(t->s->arena, uint64_t, KNOWN_LENGTHS);
    return (*kept)[length] = score;
}

static inline uint64_t given(struct top *t, const struct arm *arm, uint32_t tf, uint32_t length)
{
    const uint64_t *known = arm->known && tf < KNOWN_TFS ? arm->known->by_length[tf] : NULL;

    if (known && length < KNOWN_LENGTHS && known[length])
        return known[length];
    return work_out(t, arm, tf, length);
}

/* Adds what the arm gives to each row of the window that may be found; returns to how many. filter NULL: all of
   them. */
static size_t add_arm(struct top *t, struct arm *arm, const uint64_t *filter, uint32_t begin, uint32_t end)
{
    struct cursor *c = &arm->c;
    const uint32_t *lengths = c->l->s->lengths;
    uint64_t *sums = t->sums + t->s->q->clauses[arm->clause].sentence * WINDOW;
    size_t n = 0;

    for (bool more = cursor_seek(c, begin); more; more = !cursor_ended(c)) {
        const uint32_t *rows, *tfs;
        uint32_t i;

        cursor_load(c);
        rows = c->rows;
        tfs = cursor_tfs(c);
        for (i = c->i; i < c->n && rows[i] < end; i++) {
            const uint32_t at = rows[i] - begin;

            if (filter && !bit_at(filter, rows[i]))
                continue;
            sums[at] += given(t, arm, tfs[i], lengths[rows[i]]);
            t->hit[at / 64] |= 1ull << at % 64;
        }
        n += i - c->i;
        c->i = i;
        if (i < c->n)
            return n;
        cursor_next_block(c);
    }
    return n;
}

/* Asks the arms that could not decide, the best first, as long as the row can still be among the best. */
static void sparse_top_complete(struct top *t, size_t n_weak, uint64_t *sums, struct found f)
{
    for (size_t i = n_weak; i-- > 0;) {
        struct arm *arm = t->arms[i];

        if (f.score + t->below[i + 1] < threshold(t))
            return;
        if (cursor_seek(&arm->c, f.row) && cursor_row(&arm->c) == f.row)
            sums[t->s->q->clauses[arm->clause].sentence] += given(t, arm, cursor_tf(&arm->c), arm->c.l->s->lengths[f.row]);
        f.score = score_join(sums, t->n_sentences);
    }
    if (f.score >= threshold(t))
        offer(t, f);
}

/* A row needs at least this much already, where the first arms have not been asked. */
static uint64_t sparse_top_least(const struct top *t, size_t n_weak)
{
    const uint64_t wanted = threshold(t), more = t->below[n_weak];

    return wanted > more ? wanted - more : 1;
}

static void complete_all(struct top *t, size_t n_weak, uint32_t part, uint32_t begin)
{
    uint64_t wanted = sparse_top_least(t, n_weak);

    for (uint32_t w = 0; w < WINDOW / 64; w++) {
        for (uint64_t bits = t->hit[w]; bits; bits &= bits - 1) {
            const uint32_t at = w * 64 + (uint32_t)__builtin_ctzll(bits);
            uint64_t sums[SPARSE_SENTENCES], sum;

            for (size_t k = 0; k < t->n_sentences; k++) {
                sums[k] = t->sums[k * WINDOW + at];
                t->sums[k * WINDOW + at] = 0;
            }
            sum = score_join(sums, t->n_sentences);
            if (sum < wanted)
                continue;
            sparse_top_complete(t, n_weak, sums, (struct found){sum, part, begin + at});
            wanted = sparse_top_least(t, n_weak);
        }
        t->hit[w] = 0;
    }
}

/* Asking an arm about every row that others found takes longer than adding it, unless it is the longer one. */
#define ASKING 2

static size_t rows_in_window(const struct arm *arm)
{
    return (size_t)((uint64_t)arm->c.l->n * WINDOW / arm->c.l->s->n_rows);
}

static void search_window(struct top *t, uint32_t part, uint32_t begin, uint32_t end)
{
    const uint64_t *filter = t->s->filters[part];
    size_t n_weak = 0, n_added = 0;
    bool all;

    if (!some_wanted(filter, begin, end, &all))
        return;
    order_arms(t, begin, end);
    while (n_weak < t->n_arms && t->below[n_weak + 1] < threshold(t))
        n_weak++;
    for (size_t i = n_weak; i < t->n_arms; i++)
        if (t->arms[i]->bound)
            n_added += add_arm(t, t->arms[i], all ? NULL : filter, begin, end);
    for (; n_weak > 0 && rows_in_window(t->arms[n_weak - 1]) < ASKING * n_added; n_weak--)
        n_added += add_arm(t, t->arms[n_weak - 1], all ? NULL : filter, begin, end);
    if (n_added)
        complete_all(t, n_weak, part, begin);
}

/* ---- parts */

static void search_part(struct top *t, uint32_t part)
{
    const struct sparse_search *s = t->s;
    const uint32_t n_rows = s->parts[part].index->n_rows;

    t->n_arms = 0;
    for (size_t c = 0; c < s->q->n; c++) {
        const struct list *l = &s->lists[part * s->q->n + c];

        if (l->n && s->q->clauses[c].role != CLAUSE_EXCLUDED) {
            struct arm *arm = t->arms[t->n_arms++] = ARENA_NEW(s->arena, struct arm);

            arm->clause = c;
            arm->known = l->n < KNOWN_FROM ? NULL : &t->known[c];
            cursor_open(&arm->c, l);
        }
    }
    for (uint32_t begin = 0; t->n_arms && begin < n_rows; begin += WINDOW)
        search_window(t, part, begin, n_rows - begin < WINDOW ? n_rows : begin + WINDOW);
}

/* The parts, those with most rows first: they are the likeliest to have what makes the rest hopeless. */
static uint32_t *order_parts(const struct sparse_search *s)
{
    uint32_t *order = ARENA_ARRAY(s->arena, uint32_t, s->n_parts + 1);

    for (uint32_t i = 0; i < s->n_parts; i++) {
        uint32_t k = i;

        for (; k > 0 && s->parts[order[k - 1]].index->n_rows < s->parts[i].index->n_rows; k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
    return order;
}

/* The heap with its titles, the best first. */
static size_t take_found(struct top *t, struct sparse_hit *out)
{
    const size_t n = t->n;

    for (size_t i = 0; i < n; i++)
        t->heap[i].score += score_title(t->s, t->heap[i].part, t->heap[i].row);
    for (size_t i = n / 2; i-- > 0;)
        sift_down(t, i);
    while (t->n > 0) {
        const struct found worst = t->heap[0];

        t->heap[0] = t->heap[--t->n];
        sift_down(t, 0);
        out[t->n] = (struct sparse_hit){(double)worst.score / SCORE_ONE, worst.part, worst.row};
    }
    return n;
}

size_t sparse_top(struct sparse_search *s, size_t k, struct sparse_hit *out)
{
    struct top *t = ARENA_NEW(s->arena, struct top);
    const uint32_t *order = order_parts(s);

    *t = (struct top){.s = s, .k = k, .n_sentences = s->q->n_sentences};
    if (k == 0)
        return 0;
    t->heap = ARENA_ARRAY(s->arena, struct found, k);
    t->sums = ARENA_ARRAY(s->arena, uint64_t, WINDOW * t->n_sentences);
    t->known = ARENA_ARRAY(s->arena, struct known, s->q->n + 1);
    t->arms = ARENA_ARRAY(s->arena, struct arm *, s->q->n + 1);
    t->below = ARENA_ARRAY(s->arena, uint64_t, s->q->n + 1);
    for (size_t i = 0; i < s->n_parts; i++)
        search_part(t, order[i]);
    return take_found(t, out);
}
