/* Cuts where the subject changes: the words of four sentences are compared with those of the next four (after TextTiling). No model is
 * asked, and no figure of the whole text is used, so that an edit stays local. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chunker_impl.h"
#include "str.h"

#define SIDE 4           /* sentences on each side of a gap */
#define SIDE_WORDS 400   /* … and their words at most */
#define STEM_BYTES 6     /* words that begin alike count as one */
#define WORD_BYTES_MIN 4 /* shorter ones say little */
#define DEPTH_MIN 0.15   /* of a valley between two subjects */

struct sentence {
    size_t at, first_word, n_words;
};

struct subjects {
    const struct chunk_marks *m;
    size_t from, to;
    struct sentence *s;
    size_t n;
    uint32_t *words;
    double *alike, *depth; /* of the gap before each sentence */
    bool *is_boundary;
};

/* ---- words */

static bool is_word_byte(char ch)
{
    return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (unsigned char)ch >= 0x80;
}

static uint32_t stem_hash(const char *p, size_t n)
{
    char stem[STEM_BYTES];
    size_t k = n < STEM_BYTES ? n : STEM_BYTES;

    for (size_t i = 0; i < k; i++)
        stem[i] = p[i] >= 'A' && p[i] <= 'Z' ? (char)(p[i] + 32) : p[i];
    return (uint32_t)hash_bytes(stem, k, 7);
}

static size_t stems_of(const struct chunk_marks *m, size_t from, size_t to, uint32_t *out)
{
    size_t n = 0;

    while (from < to) {
        size_t end = from;

        while (end < to && is_word_byte(m->text[end]))
            end++;
        if (end - from >= WORD_BYTES_MIN && n < SIDE_WORDS / SIDE)
            out[n++] = stem_hash(m->text + from, end - from);
        from = end + 1;
    }
    return n;
}

/* ---- likeness of both sides of a gap */

static int compare_words(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

static size_t side_of(const struct subjects *t, size_t first, size_t end, uint32_t *out)
{
    size_t n = 0;

    for (size_t i = first; i < end; i++) {
        memcpy(out + n, t->words + t->s[i].first_word, t->s[i].n_words * sizeof *out);
        n += t->s[i].n_words;
    }
    qsort(out, n, sizeof *out, compare_words);
    return n;
}

static size_t run_length(const uint32_t *v, size_t i, size_t n)
{
    size_t k = i + 1;

    while (k < n && v[k] == v[i])
        k++;
    return k - i;
}

static double squares(const uint32_t *v, size_t n)
{
    double sum = 0;

    for (size_t i = 0, k; i < n; i += k) {
        k = run_length(v, i, n);
        sum += (double)(k * k);
    }
    return sum;
}

static double cosine_of_words(const uint32_t *a, size_t n, const uint32_t *b, size_t k)
{
    double dot = 0, both = squares(a, n) * squares(b, k);

    for (size_t i = 0, j = 0; i < n && j < k;) {
        size_t x = run_length(a, i, n), y = run_length(b, j, k);

        if (a[i] == b[j])
            dot += (double)(x * y);
        if (a[i] <= b[j]) {
            bool equal = a[i] == b[j];

            i += x;
            j += equal ? y : 0;
        } else {
            j += y;
        }
    }
    return both > 0 ? dot / sqrt(both) : 0;
}

static void measure_gaps(struct subjects *t)
{
    uint32_t left[SIDE_WORDS], right[SIDE_WORDS];

    for (size_t i = 1; i < t->n; i++) {
        size_t n = side_of(t, i > SIDE ? i - SIDE : 0, i, left), k = side_of(t, i, i + SIDE < t->n ? i + SIDE : t->n, right);

        t->alike[i] = cosine_of_words(left, n, right, k);
    }
}

/* How far likeness rises to the next peak on both sides. */
static double depth_of(const struct subjects *t, size_t i)
{
    size_t left = i, right = i;

    while (left > 1 && t->alike[left - 1] >= t->alike[left])
        left--;
    while (right + 1 < t->n && t->alike[right + 1] >= t->alike[right])
        right++;
    return t->alike[left] + t->alike[right] - 2 * t->alike[i];
}

static void find_boundaries(struct subjects *t)
{
    for (size_t i = 1; i < t->n; i++)
        t->depth[i] = depth_of(t, i);
    for (size_t i = 1; i < t->n; i++)
        t->is_boundary[i] = t->depth[i] >= DEPTH_MIN && (i == 1 || t->depth[i] > t->depth[i - 1]) &&
                            (i + 1 == t->n || t->depth[i] >= t->depth[i + 1]);
}

/* ---- pieces */

static size_t piece_end(const struct subjects *t, size_t i)
{
    for (i++; i < t->n; i++)
        if (t->is_boundary[i])
            return i;
    return t->n;
}

static size_t sentence_place(const struct subjects *t, size_t i)
{
    return i < t->n ? t->s[i].at : t->to;
}

/* A short piece joins the neighbour that is more like it. */
static void join_short(struct subjects *t, int64_t least)
{
    for (size_t i = 0; i < t->n;) {
        size_t end = piece_end(t, i), at = sentence_place(t, i), stop = sentence_place(t, end);

        if ((int64_t)str_code_points(t->m->text + at, stop - at) >= least || (!i && end == t->n)) {
            i = end;
        } else if (end == t->n || (i && t->alike[i] >= t->alike[end])) {
            t->is_boundary[i] = false; /* all pieces before this one are long enough already */
            i = end;
        } else {
            t->is_boundary[end] = false;
        }
    }
}

static bool subjects_begin(struct chunker *k, struct subjects *t)
{
    struct arena *a = k->c->arena;
    size_t n = 1;

    for (size_t p = t->from + 1; p < t->to; p++)
        n += t->m->rank[p] >= CUT_SENTENCE && t->m->rank[p] != CUT_LINE;
    t->s = ARENA_ARRAY(a, struct sentence, n);
    t->words = ARENA_ARRAY(a, uint32_t, (t->to - t->from) / WORD_BYTES_MIN + 1);
    t->alike = ARENA_ARRAY(a, double, n);
    t->depth = ARENA_ARRAY(a, double, n);
    t->is_boundary = ARENA_ARRAY(a, bool, n);
    if (ctx_check_size(k->c) != ERR_OK) {
        k->is_full = true; /* the caller says so */
        return false;
    }
    memset(t->is_boundary, 0, n * sizeof *t->is_boundary);
    t->s[t->n++] = (struct sentence){.at = t->from};
    for (size_t p = t->from + 1; p < t->to; p++)
        if (t->m->rank[p] >= CUT_SENTENCE && t->m->rank[p] != CUT_LINE)
            t->s[t->n++] = (struct sentence){.at = p};
    return true;
}

static void subjects_read(struct subjects *t)
{
    size_t n = 0;

    for (size_t i = 0; i < t->n; i++) {
        t->s[i].first_word = n;
        t->s[i].n_words = stems_of(t->m, t->s[i].at, sentence_place(t, i + 1), t->words + n);
        n += t->s[i].n_words;
    }
}

void chunker_semantic(struct chunker *k, size_t from, size_t to)
{
    struct subjects t = {.m = &k->marks, .from = from, .to = to};

    if (!subjects_begin(k, &t))
        return;
    subjects_read(&t);
    measure_gaps(&t);
    find_boundaries(&t);
    join_short(&t, k->settings->size / 4);
    for (size_t i = 0; i < t.n; i = piece_end(&t, i)) {
        size_t at = sentence_place(&t, i), end = sentence_place(&t, piece_end(&t, i));

        if ((int64_t)str_code_points(t.m->text + at, end - at) <= k->settings->size)
            chunker_add(k, at, at, end);
        else
            chunker_recursive(k, at, end);
    }
}
