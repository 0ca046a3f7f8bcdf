/* Growing text in an arena, and the small questions one asks of strings. */
#ifndef LOCI_STR_H
#define LOCI_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"

/* A view of bytes that somebody else owns. */
struct bytes {
    const void *p;
    size_t n;
};

/* Text being built; data is always NUL-terminated once something was added. Where the arena has no room for more (arena_takes),
 * what is added is left out. */
struct buf {
    struct arena *arena;
    char *data;
    size_t len, cap;
};

void buf_init(struct buf *b, struct arena *a, size_t first);
void buf_add(struct buf *b, const void *p, size_t n);
void buf_puts(struct buf *b, const char *s);
void buf_putc(struct buf *b, char ch);
void buf_printf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
const char *buf_str(struct buf *b); /* never NULL */

bool str_eq(const char *a, const char *b); /* NULL equals only NULL */
bool str_empty(const char *s);             /* NULL or "" */
bool str_starts(const char *s, const char *prefix);
size_t str_size(const char *s);                            /* with its NUL; 0 for NULL */
const char *str_copy(char **at, const char *s);            /* to *at, which moves on by str_size(); NULL stays NULL */
bool str_is_utf8(const char *s, size_t n);                 /* strict: no overlong forms, surrogates, NUL allowed */
size_t str_code_points(const char *s, size_t n);           /* of valid UTF-8 */
size_t str_first_bytes(const char *s, size_t code_points); /* that the first of them take, likewise; less at the end of s */

/* a slug: 1 to 100 of [a-z0-9_.-], first a letter or digit; '_' and '-' count as plain characters */
bool str_is_email(const char *s);
bool str_is_slug(const char *s);
/* digits only, optional sign, whole string, in range */
bool str_to_i64(const char *s, int64_t *out);
bool str_to_double(const char *s, double *out); /* finite numbers only */
bool str_to_bool(const char *s, bool *out);     /* true false 1 0 yes no on off */

void hex_encode(const uint8_t *p, size_t n, char *out);       /* writes 2n characters and a NUL */
bool hex_decode(const char *s, size_t n_chars, uint8_t *out); /* n_chars even, lower or upper case */

/* base64url without padding */
char *b64url_encode(struct arena *a, const void *p, size_t n);
bool b64url_decode(struct arena *a, const char *s, struct bytes *out);

uint64_t hash_bytes(const void *p, size_t n, uint64_t seed); /* for tables in memory, not for secrets */

#endif
