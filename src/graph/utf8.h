/* Reading text one character at a time. */
#ifndef LOCI_UTF8_H
#define LOCI_UTF8_H

#include <stdint.h>

#define UTF8_BROKEN 0xfffdu

/* The character at *p, which moves behind it; 0 at the end, where it stays. A byte that belongs to no character reads as
 * UTF8_BROKEN. */
static inline uint32_t utf8_next(const char **p)
{
    const unsigned char *s = (const unsigned char *)*p;
    uint32_t c = *s, more = c < 0x80 ? 0 : c >= 0xf5 ? 4 : c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc2 ? 1 : 4;

    if (!c)
        return 0;
    *p += 1;
    if (more == 4)
        return UTF8_BROKEN;
    c = more == 0 ? c : c & (0x3fu >> more);
    for (uint32_t i = 1; i <= more; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return UTF8_BROKEN;
        c = c << 6 | (s[i] & 0x3fu);
    }
    /* overlong forms, halves of pairs, and what is no character at all */
    if ((more == 2 && (c < 0x800 || (c >= 0xd800 && c < 0xe000))) || (more == 3 && (c < 0x10000 || c > 0x10ffff)))
        return UTF8_BROKEN;
    *p += more;
    return c;
}

#endif
