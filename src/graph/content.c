/* Content hashes and token estimates; see content.h. */
#include "content.h"

#include <math.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "inert.h"
#include "unicode.h"

static int content_by_key(const void *a, const void *b)
{
    const struct json *const *x = a, *const *y = b;

    return strcmp((*x)->key, (*y)->key);
}

static void object(struct buf *out, const struct json *j)
{
    const struct json **m = ARENA_ARRAY(out->arena, const struct json *, j->len + 1);
    size_t n = 0;

    for (const struct json *k = j->first; k; k = k->next)
        m[n++] = k;
    qsort(m, n, sizeof *m, content_by_key);
    buf_putc(out, '{');
    for (size_t i = 0; i < n; i++) {
        if (i)
            buf_putc(out, ',');
        json_write(out, &(struct json){.type = JSON_STR, .s = m[i]->key, .len = (uint32_t)strlen(m[i]->key)}, false);
        buf_putc(out, ':');
        content_canonical(out, m[i]);
    }
    buf_putc(out, '}');
}

static void content_array(struct buf *out, const struct json *j)
{
    buf_putc(out, '[');
    for (const struct json *k = j->first; k; k = k->next) {
        if (k != j->first)
            buf_putc(out, ',');
        content_canonical(out, k);
    }
    buf_putc(out, ']');
}

void content_canonical(struct buf *out, const struct json *j)
{
    if (j->type == JSON_OBJ)
        object(out, j);
    else if (j->type == JSON_ARR)
        content_array(out, j);
    else if (j->type == JSON_INT)
        buf_printf(out, "%lld", (long long)j->i);
    else if (j->type == JSON_NUM && fabs(json_number(j)) < 9007199254740992.0 && json_number(j) == trunc(json_number(j)))
        buf_printf(out, "%.0f", json_number(j) == 0 ? 0.0 : json_number(j));
    else if (j->type == JSON_NUM)
        buf_printf(out, "%.17g", json_number(j));
    else
        json_write(out, j, false);
}

static void hash_part(crypto_hash_sha256_state *h, const char *s, size_t n)
{
    uint8_t len[8];

    for (int i = 0; i < 8; i++)
        len[i] = (uint8_t)((uint64_t)n >> (8 * i) & 0xff);
    crypto_hash_sha256_update(h, len, sizeof len);
    crypto_hash_sha256_update(h, (const uint8_t *)s, n);
}

struct bytes content_hash(struct arena *a, const char *title, const char *body, const struct json *attrs)
{
    uint8_t *out = arena_alloc(a, crypto_hash_sha256_BYTES);
    crypto_hash_sha256_state h;
    struct buf b;

    buf_init(&b, a, 64);
    if (attrs)
        content_canonical(&b, attrs);
    else
        buf_puts(&b, "{}");
    crypto_hash_sha256_init(&h);
    hash_part(&h, title, strlen(title));
    hash_part(&h, body, strlen(body));
    hash_part(&h, b.data, b.len);
    crypto_hash_sha256_final(&h, out);
    return (struct bytes){out, crypto_hash_sha256_BYTES};
}

int64_t content_tokens(const char *text)
{
    int64_t quarters = 0;

    for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
        if (*p < 0x80)
            quarters += 1;
        else if (*p >= 0xe2) /* from U+2000 on: CJK, symbols, emoji */
            quarters += 4;
        else if (*p >= 0xc0) /* first byte of two or three; the others count nothing */
            quarters += 2;
    }
    return (quarters + 3) / 4;
}

struct bytes content_question_hash(struct arena *a, const char *who, const char *query)
{
    char *folded = arena_strdup(a, text_cut(a, unicode_nfc(a, query), SIZE_MAX, true));

    for (char *p = folded; *p; p++)
        *p = *p >= 'A' && *p <= 'Z' ? (char)(*p + 32) : *p;
    return content_hash(a, who, folded, NULL);
}
