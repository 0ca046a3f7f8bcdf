/* Sections of a text, cut by structure; chunker_semantic.c cuts by subject. See chunker.h. */
#include "chunker_impl.h"

#include <string.h>

#include "str.h"

ENUMX_DEFINE(chunking_strategy, CHUNKING_STRATEGY);

#define TIE_BYTES 24     /* on each side of a cut: what decides between places that are equally good */
#define SECTION_LEVELS 3 /* headings of these levels begin a section */

/* ---- pieces */

static const char *path_at(const struct chunker *k, size_t at)
{
    size_t low = 0, high = k->marks.n_headings;

    while (low < high) {
        size_t mid = (low + high) / 2;

        if (k->marks.headings[mid].at <= at)
            low = mid + 1;
        else
            high = mid;
    }
    return low ? k->marks.headings[low - 1].path : NULL;
}

static bool chunker_grow(struct chunker *k)
{
    size_t cap = k->cap ? 2 * k->cap : 64;
    struct chunk_cut *more;

    if (k->n >= CHUNKS) {
        k->is_full = true;
        return false;
    }
    more = ARENA_ARRAY(k->c->arena, struct chunk_cut, cap);
    if (k->n)
        memcpy(more, k->cuts, k->n * sizeof *more);
    k->cuts = more;
    k->cap = cap;
    return true;
}

void chunker_add(struct chunker *k, size_t over, size_t from, size_t to)
{
    chunk_trim(&k->marks, &from, &to);
    if (from == to || ((k->n == k->cap || k->n >= CHUNKS) && !chunker_grow(k)))
        return;
    if (over < from)
        chunk_trim(&k->marks, &over, &to);
    else
        over = from;
    k->cuts[k->n++] = (struct chunk_cut){over, to, from - over, path_at(k, from)};
}

/* ---- by structure */

static uint64_t tie_hash(const struct chunk_marks *m, size_t at)
{
    size_t from = at > TIE_BYTES ? at - TIE_BYTES : 0, to = m->n - at > TIE_BYTES ? at + TIE_BYTES : m->n;

    return hash_bytes(m->text + from, to - from, 0);
}

/* The best place in (low, high]. Among equals the one with the smallest hash of what is around it: so cuts follow the text, and
 * fall into step again after an edit. Where that is equal as well, the last one. */
static size_t chunk_best_cut(const struct chunk_marks *m, size_t low, size_t high)
{
    uint8_t best = CUT_NONE;
    uint64_t least = UINT64_MAX;
    size_t at = high;

    for (size_t p = low + 1; p <= high; p++)
        if (m->rank[p] > best)
            best = m->rank[p];
    for (size_t p = low + 1; best && p <= high; p++) {
        uint64_t h;

        if (m->rank[p] != best)
            continue;
        h = tie_hash(m, p);
        if (h <= least) {
            least = h;
            at = p;
        }
    }
    return at;
}

/* The first place of that rank, or better, in [low, cut); cut: there is none. */
static size_t first_of_rank(const struct chunk_marks *m, size_t low, size_t cut, enum cut_rank rank)
{
    for (size_t p = low; p < cut; p++)
        if (m->rank[p] >= rank)
            return p;
    return cut;
}

static size_t overlap_start(const struct chunker *k, size_t before, size_t cut)
{
    size_t low = chunk_back(&k->marks, cut, before, k->settings->overlap), at = first_of_rank(&k->marks, low, cut, CUT_SENTENCE);

    return at < cut ? at : first_of_rank(&k->marks, low, cut, CUT_WORD);
}

void chunker_recursive(struct chunker *k, size_t from, size_t to)
{
    int64_t core = k->settings->size - k->settings->overlap;
    size_t over = from;

    while (from < to && !k->is_full) {
        size_t low = chunk_forward(&k->marks, from, to, core / 2), high = chunk_forward(&k->marks, low, to, core - core / 2), cut;

        cut = high == to ? to : chunk_best_cut(&k->marks, low, high);
        chunker_add(k, over, from, cut);
        over = cut < to ? overlap_start(k, from, cut) : cut;
        from = cut;
    }
}

/* ---- sections */

static int64_t characters_in(const struct chunk_marks *m, size_t from, size_t to)
{
    return (int64_t)str_code_points(m->text + from, to - from);
}

static void cut_section(struct chunker *k, size_t from, size_t to)
{
    if (k->settings->strategy == CHUNKING_SEMANTIC)
        chunker_semantic(k, from, to);
    else
        chunker_recursive(k, from, to);
}

/* The start of the next section behind `from`; the end of the text after the last one. */
static size_t next_section(const struct chunk_marks *m, size_t *heading, size_t from)
{
    for (; *heading < m->n_headings; ++*heading)
        if (m->headings[*heading].at > from && m->headings[*heading].level <= SECTION_LEVELS)
            return m->headings[*heading].at;
    return m->n;
}

/* A chunk crosses the start of a section only where both sides are short. */
static void cut_sections(struct chunker *k)
{
    const struct chunk_marks *m = &k->marks;
    int64_t quarter = k->settings->size / 4;
    size_t heading = 0, from = 0, end = next_section(m, &heading, 0);

    while (from < m->n) {
        size_t next = end < m->n ? next_section(m, &heading, end) : m->n;

        if (end < m->n && characters_in(m, from, end) < quarter && characters_in(m, end, next) < quarter) {
            end = next;
            continue;
        }
        cut_section(k, from, end);
        from = end;
        end = next;
    }
}

err chunker_cut(struct ctx *c, const char *text, size_t n, const struct chunk_settings *s, struct list *out)
{
    struct chunker k = {.c = c, .settings = s};

    chunk_marks_make(c, text, n, s->is_markdown, &k.marks);
    TRY(ctx_check_size(c));
    cut_sections(&k);
    if (k.is_full)
        return fail_reason(c, ERR_TOO_LARGE, "too_many_chunks", "a document can have at most %d chunks; use larger chunks", CHUNKS);
    *out = (struct list){k.cuts, k.n};
    return ERR_OK;
}
