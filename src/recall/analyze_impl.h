/* Shared by the files of analyze: characters (analyze_chars.c), words (analyze_word.c), what signs join
   (analyze_compound.c), terms and the whole text (analyze.c). */
#ifndef LOCI_ANALYZE_IMPL_H
#define LOCI_ANALYZE_IMPL_H

#include <stdbool.h>

#include "analyze.h"

struct sb_stemmer;

/* What a character is to us. */
enum char_class { CHAR_OTHER, CHAR_LOWER, CHAR_UPPER, CHAR_DIGIT, CHAR_MARK, CHAR_DENSE, CHAR_SIGN };

/* CHAR_LOWER: any letter that is not a capital. CHAR_DENSE: of a script without spaces. CHAR_SIGN: an
   emoji. */
enum char_class char_class(int32_t c);

static inline bool char_in_word(enum char_class k)
{
    return k >= CHAR_LOWER && k <= CHAR_MARK;
}

/* Code points in normal form KC. */
struct chars {
    int32_t *at;
    size_t n;
};
struct chars chars_of(struct arena *a, const char *text, size_t n);

/* A word on its way: folded, UTF-8. */
struct word {
    char text[TERM_BYTES];
    size_t n;
    bool cut; /* there was more of it */
};

/* Appends the folded form of c. */
void word_add(struct word *w, int32_t c);
/* Takes the accents off. */
void word_plain(struct word *w);
#define FORM_PARTS 4 /* of one letter and its accents */

/* A place for a stem that was computed before. Words are compared as numbers: most texts hold few words that
   were not met before, and to find those is most of the work. */
#define CACHE_WORD 24
struct word_key {
    uint64_t part[CACHE_WORD / 8];
};
struct cached_word {
    struct word_key word; /* all 0: free */
    char stem[CACHE_WORD];
    uint32_t stem_hash;
    uint8_t stem_n;
    bool stop;
};
#define CACHE_LEAST 256 /* slots; powers of two */
#define CACHE_MOST 16384

struct analyzer {
    struct sb_stemmer *stemmer; /* NULL: words as they are */
    bool english;
    struct cached_word *cache;
    uint32_t slots, misses;
};

/* What a folded word becomes: its stem without accents, and whether it is a stop word. Points into z or w
   and lives until the next call. */
struct stem {
    const char *text;
    size_t n;
    uint32_t hash;
    bool stop;
};
struct stem word_stem(struct analyzer *z, struct word *w, unsigned options);

/* What is being read, and where its terms go. */
struct scan {
    struct analyzer *z;
    struct chars c;
    enum text_field field;
    unsigned options;
    struct text_terms *out;
    bool opens; /* nothing was said since the sentence began */
};

static inline enum char_class analyze_class(const struct scan *s, size_t i)
{
    return i < s->c.n ? char_class(s->c.at[i]) : CHAR_OTHER;
}

/* ---- analyze.c: terms of what is being read, at a position */
void analyze_add_word(struct scan *s, struct word *w, uint32_t position, unsigned flags);
void analyze_add_ascii(struct scan *s, const char *text, uint32_t position, unsigned flags);
/* As it is written, but for case and accents. */
void analyze_add_whole(struct scan *s, struct word *w, uint32_t position);
/* The characters from `from` to `to`: a word, or the words of camelCase, at the next positions. */
void analyze_add_part(struct scan *s, size_t from, size_t to);
void analyze_spell(const struct scan *s, size_t from, size_t to, struct word *w);
uint32_t analyze_step(struct scan *s); /* the next position */

/* ---- analyze_compound.c: a word or an identifier that begins at i; returns where it ends */
size_t analyze_compound(struct scan *s, size_t i);

#endif
