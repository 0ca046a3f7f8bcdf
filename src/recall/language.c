/* The table of languages; see language.h. */
#include "language.h"

#include <string.h>
#include <strings.h>

/* The stemmers of Snowball. New ones at the end. */
static const struct language {
    const char *tag, *name;
} TABLE[] = {
    [LANGUAGE_ENGLISH] = {"en", "english"}, [LANGUAGE_NONE] = {"none", "none"},
    {"ar", "arabic"}, {"hy", "armenian"}, {"eu", "basque"}, {"ca", "catalan"}, {"da", "danish"}, {"nl", "dutch"},
    {"fi", "finnish"}, {"fr", "french"}, {"de", "german"}, {"el", "greek"}, {"hi", "hindi"}, {"hu", "hungarian"},
    {"id", "indonesian"}, {"ga", "irish"}, {"it", "italian"}, {"lt", "lithuanian"}, {"ne", "nepali"},
    {"no", "norwegian"}, {"pt", "portuguese"}, {"ro", "romanian"}, {"ru", "russian"}, {"sr", "serbian"},
    {"es", "spanish"}, {"sv", "swedish"}, {"ta", "tamil"}, {"tr", "turkish"}, {"yi", "yiddish"},
};
_Static_assert(sizeof TABLE / sizeof *TABLE <= LANGUAGES, "a bit for each");

static bool is_tag(const char *text, size_t n, const char *tag)
{
    return strlen(tag) == n && strncasecmp(text, tag, n) == 0;
}

uint8_t language_of(const char *tag)
{
    size_t n = tag ? strcspn(tag, "-_") : 0;

    if (n == 0)
        return LANGUAGE_ENGLISH;
    if (is_tag(tag, n, "nb") || is_tag(tag, n, "nn"))
        return language_of("no");
    for (size_t i = 0; i < sizeof TABLE / sizeof *TABLE; i++)
        if (is_tag(tag, n, TABLE[i].tag) || is_tag(tag, n, TABLE[i].name))
            return (uint8_t)i;
    return LANGUAGE_NONE;
}

const char *language_name(uint8_t language)
{
    return TABLE[language].name;
}

/* ---- of rows -------------------------------------------------------------------------------------------- */

static bool has_row(const struct segment *s, const uint64_t *bits, uint32_t group)
{
    for (uint32_t w = 0; w < (s->n + 63) / 64; w++)
        for (uint64_t left = bits[w]; left; left &= left - 1)
            if (s->group[w * 64 + (uint32_t)__builtin_ctzll(left)] == group)
                return true;
    return false;
}

/* Rows are only looked at for languages that nobody was found to have yet: for English among English, once.
   */
static uint32_t of_segment(const struct segment *s, const uint64_t *bits, uint32_t found)
{
    for (uint32_t g = 0; g < s->n_groups; g++)
        if (!(found >> s->groups[g].language & 1) && has_row(s, bits, g))
            found |= 1u << s->groups[g].language;
    return found;
}

size_t language_of_rows(const struct snapshot *s, const uint64_t *bits, uint8_t out[LANGUAGES])
{
    uint32_t found = 0;
    size_t n = 0;

    for (size_t i = 0; i < s->n_segments; i++)
        found = of_segment(s->segments[i], bits + s->base[i] / 64, found);
    for (uint8_t i = 0; i < LANGUAGES; i++)
        if (found >> i & 1)
            out[n++] = i;
    if (n == 0)
        out[n++] = LANGUAGE_ENGLISH;
    return n;
}
