/* What the files of the sanitiser share; nobody else includes this. */
#ifndef LOCI_SANITIZE_IMPL_H
#define LOCI_SANITIZE_IMPL_H

#include "sanitize.h"
#include "str.h"

/* A text as somebody might read it. Byte i stands for the raw bytes from[i] to to[i]; from NULL: for itself. */
struct sanitize_view {
    const char *p;
    size_t n;
    const uint32_t *from, *to;
    unsigned scripts; /* SCRIPT_…: what letters it has */
};
#define SCRIPT_CYRILLIC 1u
#define SCRIPT_ARABIC 2u
#define SCRIPT_INDIC 4u
#define SCRIPT_EAST 8u
#define SCRIPT_ACCENT 16u

/* Hits of one piece, as raw bytes of it. */
struct sanitize_hits {
    struct arena *arena;
    struct sanitize_hit *v;
    size_t n, cap;
    const struct sanitize_view *view; /* in whose bytes hits are given */
};
/* start and end are bytes of the view. */
void sanitize_hit_add(struct sanitize_hits *h, const char *id, enum sanitize_kind kind, size_t start, size_t end);
void sanitize_marker_add(struct sanitize_hits *h, const char *id, bool cut, size_t start, size_t end);

/* V0 */
struct sanitize_view sanitize_view_raw(const char *p, size_t n);
/* V1: compatible characters folded, what cannot be seen left out, look-alikes Latin, entities and escapes decoded. ASCII keeps its case. */
struct sanitize_view sanitize_view_folded(struct arena *a, const char *p, size_t n);
/* V2: digits and signs that stand for letters are those letters. false: there are none. */
bool sanitize_view_leet(struct arena *a, const struct sanitize_view *folded, struct sanitize_view *out);
/* V4: the next base64 or hex token at or after *at that decodes to text; *start and *end are its bytes. */
bool sanitize_view_decoded(struct arena *a, const struct sanitize_view *folded, size_t *at, size_t *start, size_t *end,
                           struct sanitize_view *out);

/* ---- finding */

void sanitize_find_secrets(struct sanitize_hits *h, const struct sanitize_view *v);
void sanitize_find_named(struct sanitize_hits *h, const struct sanitize_view *v);
void sanitize_find_private(struct sanitize_hits *h, const struct sanitize_view *v);
void sanitize_find_fences(struct sanitize_hits *h, const struct sanitize_view *v);

/* The patterns of words, made once per text. */
struct sanitize_markers;
struct sanitize_markers *sanitize_markers_new(struct arena *a);
/* spelled: also words whose letters stand apart (V3). */
void sanitize_find_markers(struct sanitize_hits *h, const struct sanitize_markers *m, const struct sanitize_view *v, bool spelled);
/* Of languages whose words are not parted by spaces. */
void sanitize_find_phrases(struct sanitize_hits *h, const struct sanitize_view *v);

/* ---- characters */

static inline bool sanitize_is_digit(char c)
{
    return c >= '0' && c <= '9';
}
static inline bool sanitize_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
static inline bool sanitize_is_alnum(char c)
{
    return sanitize_is_digit(c) || sanitize_is_letter(c);
}
/* Also what is not ASCII: part of a word. */
static inline bool sanitize_is_word(char c)
{
    return sanitize_is_alnum(c) || (unsigned char)c >= 0x80;
}
static inline char sanitize_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}
/* Of a token: A-Z a-z 0-9 _ - */
static inline bool sanitize_is_token(char c)
{
    return sanitize_is_alnum(c) || c == '_' || c == '-';
}
/* Does the text at p (of n bytes) begin with that, whatever its case? word: in small letters. */
bool sanitize_starts(const char *p, size_t n, const char *word);

#endif
