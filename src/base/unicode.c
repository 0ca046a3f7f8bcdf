/* Normalising through utf8proc; see unicode.h. */
#include "unicode.h"

#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

const char *unicode_nfc(struct arena *a, const char *s)
{
    const unsigned char *p = (const unsigned char *)s;
    utf8proc_uint8_t *composed;
    const char *copy;

    while (*p && *p < 0x80)
        p++;
    if (!*p)
        return s;
    composed = utf8proc_NFC((const utf8proc_uint8_t *)s);
    if (!composed)
        return s; /* not valid UTF-8, which the JSON guard does not let pass */
    copy = arena_strdup(a, (const char *)composed);
    free(composed);
    return copy;
}

const char *unicode_fold(struct arena *a, const char *s)
{
    utf8proc_uint8_t *folded = NULL;
    const char *copy;

    if (utf8proc_map((const utf8proc_uint8_t *)s, 0, &folded,
                     UTF8PROC_NULLTERM | UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD) < 0)
        return s; /* as above */
    copy = arena_strdup(a, (const char *)folded);
    free(folded);
    return copy;
}

const char *unicode_bare(struct arena *a, const char *s)
{
    utf8proc_uint8_t *bare = NULL;
    const char *copy;

    if (utf8proc_map((const utf8proc_uint8_t *)s, 0, &bare,
                     UTF8PROC_NULLTERM | UTF8PROC_STABLE | UTF8PROC_COMPAT | UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD | UTF8PROC_STRIPMARK |
                         UTF8PROC_IGNORE | UTF8PROC_LUMP) < 0)
        return s; /* as above */
    copy = arena_strdup(a, (const char *)bare);
    free(bare);
    return copy;
}

const char *unicode_plain(struct arena *a, const char *s)
{
    utf8proc_uint8_t *plain = NULL;
    const char *copy;

    if (utf8proc_map((const utf8proc_uint8_t *)s, 0, &plain,
                     UTF8PROC_NULLTERM | UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD |
                         UTF8PROC_STRIPMARK) < 0)
        return "";
    copy = arena_strdup(a, (const char *)plain);
    free(plain);
    return copy;
}

/* Code point by code point, so that the lower case of a part is a part of the lower case of the whole. */
const char *unicode_lower(struct arena *a, const char *s)
{
    size_t n = strlen(s), len = 0;
    char *out = arena_alloc(a, 2 * n + 5);

    for (const char *p = s; *p;) {
        utf8proc_int32_t c;
        utf8proc_ssize_t took;

        if ((unsigned char)*p < 0x80) {
            out[len++] = (char)(*p >= 'A' && *p <= 'Z' ? *p + 32 : *p);
            p++;
            continue;
        }
        took = utf8proc_iterate((const utf8proc_uint8_t *)p, -1, &c);
        if (took <= 0) {
            out[len++] = *p++; /* not valid UTF-8, which the JSON guard does not let pass */
            continue;
        }
        len += (size_t)utf8proc_encode_char(utf8proc_tolower(c), (utf8proc_uint8_t *)out + len);
        p += took;
    }
    out[len] = 0;
    return out;
}
