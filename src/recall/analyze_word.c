/* Words: folding, accents, stems, and the cache of stems. */
#include <libstemmer.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "analyze_impl.h"
#include "stopwords.h"

uint32_t term_hash(const char *text, size_t n)
{
    uint32_t h = 0x811c9dc5u;

    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)text[i]) * 0x01000193u;
    return h ^ h >> 15;
}

static void add_utf8(struct word *w, int32_t c)
{
    unsigned char bytes[4];
    size_t n = (size_t)utf8proc_encode_char(c, bytes);

    if (w->cut || w->n + n > TERM_BYTES) {
        w->cut = true;
        return;
    }
    memcpy(w->text + w->n, bytes, n);
    w->n += n;
}

void word_add(struct word *w, int32_t c)
{
    int32_t folded[4];
    int boundclass = 0;
    utf8proc_ssize_t n;

    if (c < 0x80) {
        if (w->n < TERM_BYTES && !w->cut)
            w->text[w->n++] = (char)(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
        else
            w->cut = true;
        return;
    }
    n = utf8proc_decompose_char(c, folded, 4, UTF8PROC_CASEFOLD, &boundclass);
    for (utf8proc_ssize_t i = 0; i < n && i < 4; i++)
        add_utf8(w, folded[i]);
}

/* Letters whose stroke or join is no accent to Unicode, but is one to people who search. */
static const char *special_plain(int32_t c)
{
    switch (c) {
    case 0xe6: return "ae";
    case 0xf0: return "d";
    case 0xf8: return "o";
    case 0xfe: return "th";
    case 0x111: return "d";
    case 0x127: return "h";
    case 0x131: return "i";
    case 0x142: return "l";
    case 0x153: return "oe";
    case 0x167: return "t";
    default: return NULL;
    }
}

/* An accent of a European script, an Arabic or Hebrew vowel sign: what people leave out when they type. */
static bool is_accent(int32_t c)
{
    return (c >= 0x300 && c <= 0x36f) || (c >= 0x591 && c <= 0x5c7 && c != 0x5be) ||
           (c >= 0x64b && c <= 0x65f) || c == 0x640 || c == 0x670 || (c >= 0x1ab0 && c <= 0x1aff) ||
           (c >= 0x1dc0 && c <= 0x1dff) || (c >= 0x20d0 && c <= 0x20ff) || (c >= 0xfe20 && c <= 0xfe2f);
}

/* Appends c without its accents; a character whose parts are more than a letter and accents stays whole. */
static void analyze_word_add_plain(struct word *w, int32_t c)
{
    int32_t parts[FORM_PARTS];
    int boundclass = 0;
    const char *special = special_plain(c);
    utf8proc_ssize_t n = utf8proc_decompose_char(c, parts, FORM_PARTS, UTF8PROC_DECOMPOSE, &boundclass);

    if (special) {
        for (; *special; special++)
            add_utf8(w, *special);
        return;
    }
    for (utf8proc_ssize_t i = 1; i < n; i++) {
        if (n > FORM_PARTS || !is_accent(parts[i])) {
            add_utf8(w, c);
            return;
        }
    }
    if (n > 0 && !is_accent(parts[0]))
        add_utf8(w, parts[0]);
}

void word_plain(struct word *w)
{
    struct word plain = {.n = 0};
    utf8proc_int32_t c;
    size_t at = 0;

    while (at < w->n && (unsigned char)w->text[at] < 0x80)
        at++;
    if (at == w->n)
        return;
    for (at = 0; at < w->n;) {
        utf8proc_ssize_t n =
            utf8proc_iterate((const utf8proc_uint8_t *)w->text + at, (utf8proc_ssize_t)(w->n - at), &c);
        if (n <= 0)
            break; /* a stemmer that cut within a character */
        analyze_word_add_plain(&plain, c);
        at += (size_t)n;
    }
    memcpy(w->text, plain.text, plain.n);
    w->n = plain.n;
}

static void compute(struct analyzer *z, struct word *w, bool *stop)
{
    *stop = z->english && stopwords_has(w->text, w->n);
    if (z->english)
        word_plain(w); /* here accents are foreign, and brulee must become what brûlée does */
    if (z->stemmer) {
        const sb_symbol *stem = sb_stemmer_stem(z->stemmer, (const sb_symbol *)w->text, (int)w->n);
        int n = stem ? sb_stemmer_length(z->stemmer) : 0;

        if (n > 0 && n <= TERM_BYTES) {
            memcpy(w->text, stem, (size_t)n);
            w->n = (size_t)n;
        }
    }
    word_plain(w);
}

static struct stem of_word(const struct word *w, bool stop)
{
    return (struct stem){w->text, w->n, term_hash(w->text, w->n), stop};
}

/* Few words need a small cache, which is soon made; many a large one. */
static void grow_cache(struct analyzer *z)
{
    free(z->cache);
    z->slots = z->slots ? z->slots * 8 : CACHE_LEAST;
    z->misses = 0;
    z->cache = calloc(z->slots, sizeof *z->cache);
    if (!z->cache)
        abort();
}

/* No byte of a word is 0. */
static struct word_key analyze_word_key_of(const struct word *w)
{
    struct word_key key = {{0}};

    for (size_t i = 0; i < w->n; i++)
        key.part[i / 8] |= (uint64_t)(unsigned char)w->text[i] << i % 8 * 8;
    return key;
}

static struct cached_word *analyze_word_slot_of(const struct analyzer *z, const struct word_key *key)
{
    uint64_t h = key->part[0] * 0x9e3779b97f4a7c15u ^ key->part[1] * 0xc2b2ae3d27d4eb4fu ^ key->part[2] * 0x165667b19e3779f9u;

    return &z->cache[(h ^ h >> 29) >> 32 & (z->slots - 1)];
}

static bool is_key(const struct word_key *a, const struct word_key *b)
{
    return !((a->part[0] ^ b->part[0]) | (a->part[1] ^ b->part[1]) | (a->part[2] ^ b->part[2]));
}

struct stem word_stem(struct analyzer *z, struct word *w, unsigned options)
{
    struct cached_word *slot;
    struct word_key key;
    bool stop = false;

    if (options & ANALYZE_EXACT) {
        word_plain(w);
        return of_word(w, false);
    }
    if (w->n == 0 || w->n > CACHE_WORD) {
        compute(z, w, &stop);
        return of_word(w, stop);
    }
    if (z->misses > 2 * z->slots && z->slots < CACHE_MOST)
        grow_cache(z);
    key = analyze_word_key_of(w);
    slot = analyze_word_slot_of(z, &key);
    if (!is_key(&slot->word, &key)) {
        struct word stem = *w;

        z->misses++;
        compute(z, &stem, &stop);
        if (stem.n > CACHE_WORD) {
            *w = stem;
            return of_word(w, stop);
        }
        slot->word = key;
        memcpy(slot->stem, stem.text, stem.n);
        slot->stem_n = (uint8_t)stem.n;
        slot->stem_hash = term_hash(stem.text, stem.n);
        slot->stop = stop;
    }
    return (struct stem){slot->stem, slot->stem_n, slot->stem_hash, slot->stop};
}

struct analyzer *analyzer_new(const char *language)
{
    bool none = strcmp(language, "none") == 0;
    struct sb_stemmer *stemmer = none ? NULL : sb_stemmer_new(language, "UTF_8");
    struct analyzer *z;

    if (!none && !stemmer)
        return NULL;
    z = calloc(1, sizeof *z);
    if (!z)
        abort();
    z->stemmer = stemmer;
    grow_cache(z);
    z->english =
        strcmp(language, "english") == 0 || strcmp(language, "en") == 0 || strcmp(language, "eng") == 0;
    return z;
}

void analyzer_free(struct analyzer *z)
{
    if (!z)
        return;
    if (z->stemmer)
        sb_stemmer_delete(z->stemmer);
    free(z->cache);
    free(z);
}
