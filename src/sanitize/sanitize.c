/* Passes over the pieces of a text until nothing more is found; see sanitize.h. */
#include "sanitize.h"

#include <stdlib.h>
#include <string.h>

#include "sanitize_impl.h"

ENUMX_DEFINE(sanitize_kind, SANITIZE_KIND);
ENUMX_DEFINE(sanitize_action, SANITIZE_ACTION);
ENUMX_DEFINE(sanitize_verdict, SANITIZE_VERDICT);

#define FLAG_WEIGHT 0.4
#define RESIDUE 24 /* letters and digits that are enough to keep */

/* ---- hits */

static struct sanitize_hit *hit_new(struct sanitize_hits *h)
{
    if (h->n == h->cap) {
        struct sanitize_hit *v = ARENA_ARRAY(h->arena, struct sanitize_hit, h->cap * 2 + 16);

        if (h->n)
            memcpy(v, h->v, h->n * sizeof *v);
        h->v = v;
        h->cap = h->cap * 2 + 16;
    }
    return &h->v[h->n++];
}

void sanitize_hit_add(struct sanitize_hits *h, const char *id, enum sanitize_kind kind, size_t start, size_t end)
{
    const struct sanitize_view *v = h->view;

    if (start >= end)
        return;
    *hit_new(h) = (struct sanitize_hit){id, kind, v->from ? v->from[start] : start, v->to ? v->to[end - 1] : end, true, 0};
}

void sanitize_marker_add(struct sanitize_hits *h, const char *id, bool cut, size_t start, size_t end)
{
    sanitize_hit_add(h, id, SANITIZE_MARKER, start, end);
    h->v[h->n - 1].cut = cut;
    h->v[h->n - 1].weight = cut ? 1 : FLAG_WEIGHT;
}

/* ---- one piece */

struct sanitizer {
    struct arena *arena;
    const struct sanitize_markers *markers;
    struct sanitize_policy policy;
};

/* A token of base64 or hex is flagged, and cut where an excise marker is in it. */
static void find_encoded(struct sanitizer *s, struct sanitize_hits *h, const struct sanitize_view *folded)
{
    struct sanitize_view inner;
    size_t at = 0, start, end;

    while (sanitize_view_decoded(s->arena, folded, &at, &start, &end, &inner)) {
        struct sanitize_hits in = {.arena = s->arena, .view = &inner};
        bool cut = false;

        sanitize_find_markers(&in, s->markers, &inner, true);
        sanitize_find_fences(&in, &inner);
        for (size_t i = 0; i < in.n; i++)
            cut |= in.v[i].cut;
        if (in.n)
            sanitize_marker_add(h, "encoded_payload", cut, start, end);
    }
}

static void find_in_view(struct sanitize_hits *h, const struct sanitize_view *v)
{
    h->view = v;
    sanitize_find_secrets(h, v);
    sanitize_find_named(h, v);
    sanitize_find_private(h, v);
}

static bool view_is_plain(const struct sanitize_view *v, size_t raw)
{
    return v->n == raw && !v->scripts;
}

static struct sanitize_hits find_in_piece(struct sanitizer *s, const char *p, size_t n)
{
    struct sanitize_hits h = {.arena = s->arena};
    struct sanitize_view raw = sanitize_view_raw(p, n), folded = sanitize_view_folded(s->arena, p, n), leet;

    find_in_view(&h, &raw);
    if (!view_is_plain(&folded, n))
        find_in_view(&h, &folded);
    h.view = &folded;
    sanitize_find_markers(&h, s->markers, &folded, true);
    sanitize_find_phrases(&h, &folded);
    sanitize_find_fences(&h, &folded);
    find_encoded(s, &h, &folded);
    if (sanitize_view_leet(s->arena, &folded, &leet)) {
        h.view = &leet;
        sanitize_find_markers(&h, s->markers, &leet, false);
    }
    return h;
}

/* ---- what becomes of hits */

static int hit_order(const void *a, const void *b)
{
    const struct sanitize_hit *x = a, *y = b;

    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->end != y->end)
        return x->end > y->end ? -1 : 1;
    return strcmp(x->id, y->id);
}

/* No character is cut in two. */
static void hit_align(struct sanitize_hit *h, const char *p, size_t n)
{
    while (h->start && ((unsigned char)p[h->start] & 0xc0) == 0x80)
        h->start--;
    while (h->end < n && ((unsigned char)p[h->end] & 0xc0) == 0x80)
        h->end++;
}

static void hits_judge(const struct sanitizer *s, struct sanitize_hits *h, const char *p, size_t size)
{
    size_t n = 0;

    for (size_t i = 0; i < h->n; i++) {
        struct sanitize_hit x = h->v[i];

        hit_align(&x, p, size);
        if (x.kind != SANITIZE_MARKER && s->policy.of[x.kind] == SANITIZE_OFF)
            continue;
        if (x.kind != SANITIZE_MARKER ? s->policy.of[x.kind] == SANITIZE_FLAG : s->policy.keeps_markers)
            x.cut = false;
        h->v[n++] = x;
    }
    h->n = n;
    if (n)
        qsort(h->v, n, sizeof *h->v, hit_order);
}

/* ---- pieces */

/* A part of the text as submitted, or a placeholder in place of one. */
struct piece {
    size_t start, end; /* bytes of the text without hidden characters */
    const char *placeholder;
    bool done; /* nothing is found in it any more */
};

struct pieces {
    struct arena *arena;
    struct piece *v;
    size_t n, cap;
};

static void piece_add(struct pieces *p, size_t start, size_t end, const char *placeholder)
{
    if (start == end)
        return;
    if (p->n == p->cap) {
        struct piece *v = ARENA_ARRAY(p->arena, struct piece, p->cap * 2 + 16);

        if (p->n)
            memcpy(v, p->v, p->n * sizeof *v);
        p->v = v;
        p->cap = p->cap * 2 + 16;
    }
    p->v[p->n++] = (struct piece){start, end, placeholder, placeholder != NULL};
}

static const char *placeholder_of(struct arena *a, const struct sanitize_hit *h)
{
    return h->kind == SANITIZE_MARKER ? "[removed]" : arena_printf(a, "[redacted:%s]", enumx_name(&sanitize_kind_enumx, (int)h->kind));
}

/* Placeholders that are in the text already, by us or by somebody else, are borders as well: a clean text stays as it is. */
static size_t placeholder_at(const char *p, size_t n)
{
    static const char *const ALL[] = {"[removed]", "[redacted:secret]", "[redacted:email]", "[redacted:phone]", "[redacted:card]",
        "[redacted:iban]", "[redacted:ssn]"};

    for (size_t i = 0; i < sizeof ALL / sizeof *ALL; i++)
        if (n >= strlen(ALL[i]) && memcmp(p, ALL[i], strlen(ALL[i])) == 0)
            return strlen(ALL[i]);
    return 0;
}

static void pieces_split(struct pieces *out, const char *text, size_t n)
{
    size_t from = 0;

    for (const char *at = text; (at = memmem(at, n - (size_t)(at - text), "[re", 3));) {
        size_t i = (size_t)(at - text), k = placeholder_at(at, n - i);

        if (k) {
            piece_add(out, from, i, NULL);
            piece_add(out, i, i + k, arena_strndup(out->arena, at, k));
            from = i + k;
        }
        at += k ? k : 1;
    }
    piece_add(out, from, n, NULL);
}

/* The piece without its hits: what overlaps is one cut, named after what begins first. */
static void piece_cut(struct pieces *out, const struct piece *p, const struct sanitize_hits *h)
{
    size_t at = p->start;

    for (size_t i = 0; i < h->n;) {
        size_t start = h->v[i].start, end = h->v[i].end, k = i + 1;

        if (!h->v[i].cut) {
            i++;
            continue;
        }
        for (; k < h->n && (!h->v[k].cut || h->v[k].start < end || (h->v[k].start == end && h->v[k].kind == h->v[i].kind)); k++)
            if (h->v[k].cut && h->v[k].end > end)
                end = h->v[k].end;
        piece_add(out, at, p->start + start, NULL);
        piece_add(out, p->start + start, p->start + end, placeholder_of(out->arena, &h->v[i]));
        at = p->start + end;
        i = k;
    }
    piece_add(out, at, p->end, NULL);
}

/* ---- characters that hide text */

struct hidden {
    size_t *at; /* where three or four bytes were left out, in the cleaned text */
    size_t *bytes;
    size_t n;
};

/* Bidi overrides and embeddings, tag characters: their length. */
static size_t hidden_at(const unsigned char *p, size_t n)
{
    if (n >= 3 && p[0] == 0xe2 && p[1] == 0x80 && p[2] >= 0xaa && p[2] <= 0xae)
        return 3;
    if (n >= 3 && p[0] == 0xe2 && p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9)
        return 3;
    return n >= 4 && p[0] == 0xf3 && p[1] == 0xa0 && (p[2] == 0x80 || p[2] == 0x81) ? 4 : 0;
}

static size_t hidden_remove(struct arena *a, const char *text, size_t n, char *out, struct hidden *h)
{
    size_t k = 0, many = 0, skip;

    for (size_t i = 0; i < n; i++)
        many += ((unsigned char)text[i] & 0xfe) == 0xe2 || (unsigned char)text[i] == 0xf3;
    h->at = ARENA_ARRAY(a, size_t, many + 1);
    h->bytes = ARENA_ARRAY(a, size_t, many + 1);
    for (size_t i = 0; i < n; i += skip ? skip : 1) {
        skip = hidden_at((const unsigned char *)text + i, n - i);
        if (skip) {
            h->at[h->n] = k;
            h->bytes[h->n++] = skip;
        } else
            out[k++] = text[i];
    }
    return k;
}

/* From bytes of the text without them to bytes as submitted; hits are in order of their start. */
static void hidden_shift(const struct hidden *hid, struct sanitize_hit *hits, size_t n)
{
    size_t k = 0, sum = 0;

    for (size_t i = 0; i < n; i++) {
        size_t more = sum, j;

        for (; k < hid->n && hid->at[k] <= hits[i].start; k++)
            sum += hid->bytes[k];
        for (more = sum, j = k; j < hid->n && hid->at[j] < hits[i].end; j++)
            more += hid->bytes[j];
        hits[i].start += sum;
        hits[i].end += more;
    }
}

/* ---- all of it */

static size_t signs_of(const char *p, size_t n)
{
    size_t k = 0;

    for (size_t i = 0; i < n; i++)
        k += sanitize_is_alnum(p[i]) || ((unsigned char)p[i] & 0xc0) == 0xc0;
    return k;
}

static double sanitize_score(const struct sanitize_hit *v, size_t n)
{
    double clean = 1;

    for (size_t i = 0; i < n; i++)
        clean *= 1 - 0.5 * v[i].weight;
    return 1 - clean;
}

/* One pass; false: nothing was cut. Flags of a piece are kept when it is done. */
static bool pass(struct sanitizer *s, const char *text, struct pieces *all, struct sanitize_hits *found)
{
    struct pieces next = {.arena = s->arena};
    bool any = false;

    for (size_t i = 0; i < all->n; i++) {
        struct piece *p = &all->v[i];
        struct sanitize_hits h;
        bool cuts = false;

        if (p->done) {
            piece_add(&next, p->start, p->end, p->placeholder);
            next.v[next.n - 1].done = true;
            continue;
        }
        h = find_in_piece(s, text + p->start, p->end - p->start);
        hits_judge(s, &h, text + p->start, p->end - p->start);
        for (size_t k = 0; k < h.n; k++)
            cuts |= h.v[k].cut;
        piece_cut(&next, p, &h);
        next.v[next.n - 1].done |= !cuts;
        any |= cuts;
        for (size_t k = 0; k < h.n; k++)
            if (h.v[k].cut || !cuts) {
                *hit_new(found) = h.v[k];
                found->v[found->n - 1].start += p->start;
                found->v[found->n - 1].end += p->start;
            }
    }
    *all = next;
    return any;
}

/* The same span found in several views, and what lies within a span of its kind, counts once. */
static void hits_unite(struct sanitize_hits *h)
{
    size_t n = 0;

    if (h->n)
        qsort(h->v, h->n, sizeof *h->v, hit_order);
    for (size_t i = 0; i < h->n; i++) {
        bool within = false;

        for (size_t k = n; k && !within && k + 8 > n; k--)
            within = h->v[k - 1].end >= h->v[i].end && (h->v[k - 1].cut || !h->v[i].cut) && h->v[k - 1].kind == h->v[i].kind;
        if (!within)
            h->v[n++] = h->v[i];
    }
    h->n = n;
}

static void text_join(struct sanitizer *s, const char *text, const struct pieces *all, struct sanitized *out)
{
    struct buf b;
    size_t kept = 0;
    bool excised = false;

    buf_init(&b, s->arena, all->n ? all->v[all->n - 1].end + 64 : 64);
    for (size_t i = 0; i < all->n; i++) {
        const struct piece *p = &all->v[i];

        if (p->placeholder)
            buf_puts(&b, p->placeholder);
        else {
            buf_add(&b, text + p->start, p->end - p->start);
            kept += signs_of(text + p->start, p->end - p->start);
        }
    }
    out->text = buf_str(&b);
    out->n = b.len;
    for (size_t i = 0; i < out->n_hits; i++)
        excised |= out->hits[i].kind == SANITIZE_MARKER && out->hits[i].cut;
    if (excised && kept < RESIDUE && 2 * kept < signs_of(text, all->v[all->n - 1].end))
        out->verdict = SANITIZE_RESIDUE;
}

static void hidden_report(const struct hidden *hid, struct sanitize_hits *found)
{
    if (hid->n) {
        *hit_new(found) = (struct sanitize_hit){"hidden_text", SANITIZE_MARKER, hid->at[0], hid->at[0] + hid->bytes[0], false, FLAG_WEIGHT};
        memmove(found->v + 1, found->v, (found->n - 1) * sizeof *found->v);
        found->v[0] = (struct sanitize_hit){"hidden_text", SANITIZE_MARKER, hid->at[0], hid->at[0] + hid->bytes[0], false, FLAG_WEIGHT};
    }
}

struct sanitized sanitize(struct arena *a, const char *text, size_t n, const struct sanitize_policy *policy)
{
    struct sanitizer s = {.arena = a, .markers = sanitize_markers_new(a)};
    struct sanitize_hits found = {.arena = a};
    struct pieces all = {.arena = a};
    struct sanitized out = {.verdict = SANITIZE_CLEAN};
    struct hidden hid = {0};
    char *seen = arena_alloc(a, n + 1);
    int passes = 0;

    if (n > SANITIZE_MAX || memchr(text, 0, n) || !str_is_utf8(text, n))
        return (struct sanitized){.verdict = SANITIZE_MALFORMED};
    if (policy)
        s.policy = *policy;
    n = hidden_remove(a, text, n, seen, &hid);
    pieces_split(&all, seen, n);
    while (pass(&s, seen, &all, &found))
        if (++passes == SANITIZE_PASSES)
            return (struct sanitized){.verdict = SANITIZE_UNSETTLED};
    hits_unite(&found);
    out.hits = found.v;
    out.n_hits = found.n;
    text_join(&s, seen, &all, &out);
    hidden_shift(&hid, found.v, found.n);
    hidden_report(&hid, &found);
    out.hits = found.v;
    out.n_hits = found.n;
    out.injection_score = sanitize_score(found.v, found.n);
    out.quarantined = out.injection_score >= SANITIZE_QUARANTINE;
    return out;
}
