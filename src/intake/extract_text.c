/* The text that readers of formats write, and charsets; see extract.h. */
#include "extract.h"

#include <string.h>
#include <strings.h>

static bool extract_has_room(struct extract *x, size_t n)
{
    if (x->text.len + n + 16 > EXTRACT_TEXT)
        x->is_full = true;
    return !x->is_full;
}

static char extract_last(const struct extract *x)
{
    return x->text.len ? x->text.data[x->text.len - 1] : '\n';
}

static bool is_blank(char ch)
{
    return ch == ' ' || ch == '\t' || ch == '\n' || ch == '\r' || ch == '\f';
}

void extract_words(struct extract *x, const char *s, size_t n)
{
    if (!extract_has_room(x, n))
        return;
    for (size_t i = 0; i < n;) {
        size_t from = i;

        while (i < n && !is_blank(s[i]))
            i++;
        buf_add(&x->text, s + from, i - from);
        from = i;
        while (i < n && is_blank(s[i]))
            i++;
        if (i > from && !is_blank(extract_last(x)))
            buf_putc(&x->text, ' ');
    }
}

void extract_raw(struct extract *x, const char *s, size_t n)
{
    if (extract_has_room(x, n))
        buf_add(&x->text, s, n);
}

static void extract_trim(struct extract *x)
{
    while (x->text.len && x->text.data[x->text.len - 1] == ' ')
        x->text.len--;
}

void extract_line(struct extract *x)
{
    if (x->in_row || x->in_heading) {
        extract_words(x, " ", 1);
        return;
    }
    extract_trim(x);
    if (extract_last(x) != '\n' && extract_has_room(x, 1))
        buf_putc(&x->text, '\n');
}

void extract_block(struct extract *x)
{
    extract_line(x);
    if (x->in_row || x->in_heading || !x->text.len)
        return;
    if (x->text.len > 1 && x->text.data[x->text.len - 2] != '\n' && extract_has_room(x, 1))
        buf_putc(&x->text, '\n');
}

void extract_heading(struct extract *x, int level)
{
    if (x->in_row || x->in_heading)
        return;
    extract_block(x);
    extract_raw(x, "######", (size_t)(level < 1 ? 1 : level > 6 ? 6 : level));
    extract_raw(x, " ", 1);
    x->in_heading = true;
}

/* A heading without words is none. */
void extract_heading_ends(struct extract *x)
{
    if (!x->in_heading)
        return;
    x->in_heading = false;
    extract_trim(x);
    while (x->text.len && extract_last(x) == '#')
        x->text.len--;
    extract_block(x);
}

void extract_cell(struct extract *x)
{
    if (!x->in_row) {
        extract_line(x);
        extract_raw(x, "| ", 2);
        x->in_row = true;
        return;
    }
    extract_words(x, " ", 1);
    extract_raw(x, "| ", 2);
}

void extract_row_ends(struct extract *x)
{
    if (!x->in_row)
        return;
    extract_words(x, " ", 1);
    extract_raw(x, "|", 1);
    x->in_row = false;
    extract_line(x);
}

/* ---- charsets */

static void put_code_point(struct buf *out, uint32_t cp)
{
    if (cp < 0x80) {
        buf_putc(out, cp ? (char)cp : ' ');
    } else if (cp < 0x800) {
        buf_putc(out, (char)(0xc0 | cp >> 6));
        buf_putc(out, (char)(0x80 | (cp & 0x3f)));
    } else if (cp < 0x10000) {
        buf_putc(out, (char)(0xe0 | cp >> 12));
        buf_putc(out, (char)(0x80 | (cp >> 6 & 0x3f)));
        buf_putc(out, (char)(0x80 | (cp & 0x3f)));
    } else {
        buf_putc(out, (char)(0xf0 | cp >> 18));
        buf_putc(out, (char)(0x80 | (cp >> 12 & 0x3f)));
        buf_putc(out, (char)(0x80 | (cp >> 6 & 0x3f)));
        buf_putc(out, (char)(0x80 | (cp & 0x3f)));
    }
}

static void put_windows_1252(struct buf *out, const unsigned char *p, size_t n)
{
    static const uint16_t HIGH[32] = {0x20ac, 0xfffd, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
                                      0x2039, 0x0152, 0xfffd, 0x017d, 0xfffd, 0xfffd, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
                                      0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0xfffd, 0x017e, 0x0178};

    for (size_t i = 0; i < n; i++)
        put_code_point(out, p[i] >= 0x80 && p[i] < 0xa0 ? HIGH[p[i] - 0x80] : p[i]);
}

static void put_utf16(struct buf *out, const unsigned char *p, size_t n, bool is_big)
{
    for (size_t i = 0; i + 1 < n; i += 2) {
        uint32_t u = is_big ? (uint32_t)p[i] << 8 | p[i + 1] : (uint32_t)p[i + 1] << 8 | p[i], low;

        if (u >= 0xd800 && u < 0xdc00 && i + 3 < n) {
            low = is_big ? (uint32_t)p[i + 2] << 8 | p[i + 3] : (uint32_t)p[i + 3] << 8 | p[i + 2];
            if (low >= 0xdc00 && low < 0xe000) {
                u = 0x10000 + ((u - 0xd800) << 10) + (low - 0xdc00);
                i += 2;
            }
        }
        put_code_point(out, u >= 0xd800 && u < 0xe000 ? 0xfffd : u);
    }
}

/* What is no UTF-8 becomes U+FFFD. */
static void put_utf8(struct buf *out, const char *p, size_t n)
{
    for (size_t i = 0; i < n;) {
        unsigned char ch = (unsigned char)p[i];
        size_t len = ch < 0x80 ? 1 : ch >= 0xc2 && ch < 0xe0 ? 2 : ch >= 0xe0 && ch < 0xf0 ? 3 : ch >= 0xf0 && ch < 0xf5 ? 4 : 0;

        if (!ch || !len || i + len > n || !str_is_utf8(p + i, len)) {
            put_code_point(out, ch ? 0xfffd : ' ');
            i++;
            continue;
        }
        buf_add(out, p + i, len);
        i += len;
    }
}

static bool is_utf16(const char *charset)
{
    return charset && strncasecmp(charset, "utf-16", 6) == 0;
}

const char *extract_utf8(struct arena *a, const char *bytes, size_t n, const char *charset, size_t *len)
{
    const unsigned char *p = (const unsigned char *)bytes;
    struct buf out;

    buf_init(&out, a, n + n / 8 + 16);
    if (n >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0)
        put_utf8(&out, bytes + 3, n - 3);
    else if (n >= 2 && (memcmp(p, "\xff\xfe", 2) == 0 || memcmp(p, "\xfe\xff", 2) == 0))
        put_utf16(&out, p + 2, n - 2, p[0] == 0xfe);
    else if (is_utf16(charset))
        put_utf16(&out, p, n, strcasecmp(charset, "utf-16le") != 0);
    else if ((charset && strcasecmp(charset, "utf-8") == 0) || (!memchr(bytes, 0, n) && str_is_utf8(bytes, n)))
        put_utf8(&out, bytes, n);
    else
        put_windows_1252(&out, p, n);
    *len = out.len;
    return buf_str(&out);
}
