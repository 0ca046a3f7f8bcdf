/* The views of a text; see sanitize_impl.h. */
#include <string.h>
#include <utf8proc.h>

#include "sanitize_impl.h"

struct sanitize_view sanitize_view_raw(const char *p, size_t n)
{
    return (struct sanitize_view){.p = p, .n = n};
}

bool sanitize_starts(const char *p, size_t n, const char *word)
{
    size_t i = 0;

    for (; word[i]; i++)
        if (i >= n || sanitize_lower(p[i]) != word[i])
            return false;
    return true;
}

/* ---- V1 */

/* A view on its way. */
struct view_maker {
    struct arena *arena;
    char *p;
    uint32_t *from, *to;
    size_t n, cap;
    unsigned scripts;
};

static void view_room(struct view_maker *m, size_t more)
{
    size_t cap = m->cap * 2 + more;
    char *p;
    uint32_t *from, *to;

    if (m->n + more <= m->cap)
        return;
    p = arena_alloc(m->arena, cap + 1);
    from = ARENA_ARRAY(m->arena, uint32_t, cap);
    to = ARENA_ARRAY(m->arena, uint32_t, cap);
    if (m->n) {
        memcpy(p, m->p, m->n);
        memcpy(from, m->from, m->n * sizeof *from);
        memcpy(to, m->to, m->n * sizeof *to);
    }
    m->p = p;
    m->from = from;
    m->to = to;
    m->cap = cap;
}

static void view_put(struct view_maker *m, const char *bytes, size_t n, size_t from, size_t to)
{
    view_room(m, n);
    for (size_t i = 0; i < n; i++) {
        m->p[m->n] = bytes[i];
        m->from[m->n] = (uint32_t)from;
        m->to[m->n++] = (uint32_t)to;
    }
}

static void view_put_space(struct view_maker *m, size_t from, size_t to)
{
    if (m->n && m->p[m->n - 1] == ' ')
        m->to[m->n - 1] = (uint32_t)to;
    else
        view_put(m, " ", 1, from, to);
}

/* Small letters of other scripts that look like Latin ones. */
static const struct {
    int32_t code;
    char latin;
} ALIKE[] = {
    {0x0131, 'i'}, {0x0142, 'l'}, {0x00f8, 'o'}, {0x0111, 'd'}, {0x0251, 'a'}, {0x0261, 'g'}, {0x026a, 'i'}, {0x0269, 'i'}, {0x028f, 'y'},
    {0x03b1, 'a'}, {0x03b5, 'e'}, {0x03b7, 'n'}, {0x03b9, 'i'}, {0x03ba, 'k'}, {0x03bd, 'v'}, {0x03bf, 'o'}, {0x03c1, 'p'}, {0x03c4, 't'},
    {0x03c5, 'u'}, {0x03c7, 'x'}, {0x03c9, 'w'}, {0x03f2, 'c'}, {0x03f3, 'j'}, {0x0430, 'a'}, {0x0432, 'b'}, {0x0433, 'r'}, {0x0435, 'e'},
    {0x0438, 'u'}, {0x043a, 'k'}, {0x043c, 'm'}, {0x043d, 'h'}, {0x043e, 'o'}, {0x043f, 'n'}, {0x0440, 'p'}, {0x0441, 'c'}, {0x0442, 't'},
    {0x0443, 'y'}, {0x0445, 'x'}, {0x0454, 'e'}, {0x0455, 's'}, {0x0456, 'i'}, {0x0458, 'j'}, {0x0475, 'v'}, {0x04bb, 'h'}, {0x04cf, 'l'},
    {0x0501, 'd'}, {0x051b, 'q'}, {0x051d, 'w'}, {0x0561, 'w'}, {0x0570, 'h'}, {0x0578, 'n'}, {0x057d, 'u'}, {0x0585, 'o'}, {0x0581, 'g'},
};

static unsigned view_script_of(int32_t c)
{
    if (c >= 0x0400 && c < 0x0530)
        return SCRIPT_CYRILLIC;
    if (c >= 0x0600 && c < 0x0780)
        return SCRIPT_ARABIC;
    if (c >= 0x0900 && c < 0x0e00)
        return SCRIPT_INDIC;
    return (c >= 0x1100 && c < 0x1200) || c >= 0x3000 ? SCRIPT_EAST : SCRIPT_ACCENT;
}

static void view_put_folded(struct view_maker *m, int32_t c, size_t from, size_t to)
{
    utf8proc_uint8_t bytes[4];
    utf8proc_ssize_t n;

    m->scripts |= c >= 0x80 ? view_script_of(c) : 0;
    c = utf8proc_tolower(c);
    for (size_t i = 0; i < sizeof ALIKE / sizeof *ALIKE; i++)
        if (ALIKE[i].code == c) {
            view_put(m, &ALIKE[i].latin, 1, from, to);
            return;
        }
    n = utf8proc_encode_char(c, bytes);
    view_put(m, (const char *)bytes, (size_t)n, from, to);
}

static bool view_is_blank(int32_t c)
{
    utf8proc_category_t k = utf8proc_category(c);

    return (c >= 9 && c <= 13) || c == 0x85 || k == UTF8PROC_CATEGORY_ZS || k == UTF8PROC_CATEGORY_ZL || k == UTF8PROC_CATEGORY_ZP;
}

static bool view_is_unseen(int32_t c)
{
    utf8proc_category_t k = utf8proc_category(c);

    return k == UTF8PROC_CATEGORY_CF || k == UTF8PROC_CATEGORY_MN || k == UTF8PROC_CATEGORY_MC || k == UTF8PROC_CATEGORY_ME ||
           k == UTF8PROC_CATEGORY_CC || (c >= 0xfe00 && c <= 0xfe0f) || c == 0x115f || c == 0x1160 || c == 0x3164 || c == 0xffa0 ||
               c == 0x034f;
}

#define PARTS_MAX 32 /* the longest compatibility decomposition has 18 */

static void view_put_code(struct view_maker *m, int32_t c, size_t from, size_t to)
{
    utf8proc_int32_t parts[PARTS_MAX];
    utf8proc_ssize_t n;
    int last = 0;

    if (view_is_blank(c)) {
        view_put_space(m, from, to);
        return;
    }
    if (c < 0x80) {
        char one = (char)c;

        if (!view_is_unseen(c))
            view_put(m, &one, 1, from, to);
        return;
    }
    n = utf8proc_decompose_char(c, parts, PARTS_MAX, UTF8PROC_COMPAT | UTF8PROC_IGNORE | UTF8PROC_DECOMPOSE, &last);
    for (utf8proc_ssize_t i = 0; i < n && i < PARTS_MAX; i++) {
        if (view_is_blank(parts[i]))
            view_put_space(m, from, to);
        else if (parts[i] < 0x80) {
            char one = (char)parts[i];

            view_put(m, &one, 1, from, to);
        } else if (!view_is_unseen(parts[i]))
            view_put_folded(m, parts[i], from, to);
    }
}

static int view_hex_of(char c)
{
    if (sanitize_is_digit(c))
        return c - '0';
    c = sanitize_lower(c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* An entity or escape at p: its length, 0: none. */
static size_t view_escape_at(const char *p, size_t n, int32_t *code)
{
    static const struct {
        const char *name;
        char is;
    } NAMED[] = {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}, {"&nbsp;", ' '}, {"&shy;", 1}};
    size_t i = 2;
    int32_t v = 0;

    if (*p == '%' && n > 2 && view_hex_of(p[1]) >= 0 && view_hex_of(p[2]) >= 0) {
        *code = view_hex_of(p[1]) * 16 + view_hex_of(p[2]);
        return *code < 0x80 && *code ? 3 : 0;
    }
    if (*p != '&' || n < 4)
        return 0;
    for (size_t k = 0; k < sizeof NAMED / sizeof *NAMED; k++)
        if (sanitize_starts(p, n, NAMED[k].name)) {
            *code = NAMED[k].is;
            return strlen(NAMED[k].name);
        }
    if (p[1] != '#')
        return 0;
    bool hex = p[2] == 'x' || p[2] == 'X';
    for (i += hex; i < n && i < 10 && view_hex_of(p[i]) >= 0 && (hex || sanitize_is_digit(p[i])); i++)
        v = v * (hex ? 16 : 10) + view_hex_of(p[i]);
    if (i >= n || p[i] != ';' || v <= 0 || v > 0x10ffff || (v >= 0xd800 && v < 0xe000))
        return 0;
    *code = v;
    return i + 1;
}

struct sanitize_view sanitize_view_folded(struct arena *a, const char *p, size_t n)
{
    struct view_maker m = {.arena = a};

    view_room(&m, n + 16);
    for (size_t i = 0, k; i < n; i += k) {
        int32_t code = 0;

        k = p[i] == '&' || p[i] == '%' ? view_escape_at(p + i, n - i, &code) : 0;
        if (!k) {
            utf8proc_ssize_t got = utf8proc_iterate((const utf8proc_uint8_t *)p + i, (utf8proc_ssize_t)(n - i), &code);

            k = got > 0 ? (size_t)got : 1;
            code = got > 0 ? code : ' ';
        }
        view_put_code(&m, code, i, i + k);
    }
    view_room(&m, 1);
    m.p[m.n] = 0;
    return (struct sanitize_view){m.p, m.n, m.from, m.to, m.scripts};
}

/* ---- V2 */

bool sanitize_view_leet(struct arena *a, const struct sanitize_view *v, struct sanitize_view *out)
{
    static const char SIGNS[] = "013457@$", LETTERS[] = "oieastas";
    char *p = NULL;

    for (size_t i = 0; i < v->n; i++) {
        const char *at = v->p[i] ? strchr(SIGNS, v->p[i]) : NULL;
        bool beside = (i && sanitize_is_letter(v->p[i - 1])) || (i + 1 < v->n && sanitize_is_letter(v->p[i + 1]));

        if (!at || (!beside && !(p && i && p[i - 1] != v->p[i - 1])))
            continue;
        if (!p)
            p = arena_strndup(a, v->p, v->n);
        p[i] = LETTERS[at - SIGNS];
    }
    *out = *v;
    out->p = p;
    return p;
}

/* ---- V4 */

#define ENCODED_MIN 24

static bool view_is_base64(char c)
{
    return sanitize_is_alnum(c) || c == '+' || c == '/' || c == '-' || c == '_';
}

static int view_base64_of(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (sanitize_is_digit(c))
        return c - '0' + 52;
    return c == '+' || c == '-' ? 62 : 63;
}

static size_t view_decode_base64(const char *p, size_t n, char *out)
{
    unsigned bits = 0;
    int have = 0;
    size_t k = 0;

    for (size_t i = 0; i < n; i++) {
        bits = bits << 6 | (unsigned)view_base64_of(p[i]);
        have += 6;
        if (have >= 8) {
            have -= 8;
            out[k++] = (char)(bits >> have & 0xff);
        }
    }
    return k;
}

static size_t view_decode_hex(const char *p, size_t n, char *out)
{
    for (size_t i = 0; i < n; i++)
        if (view_hex_of(p[i]) < 0)
            return 0;
    for (size_t i = 0; i + 1 < n; i += 2)
        out[i / 2] = (char)(view_hex_of(p[i]) * 16 + view_hex_of(p[i + 1]));
    return n / 2;
}

/* At least 80 % of it are characters that one can read; the others become spaces. */
static bool view_is_readable(char *p, size_t n)
{
    size_t good = 0;

    for (size_t i = 0; i < n; i++) {
        bool reads = (p[i] >= ' ' && p[i] < 127) || p[i] == '\n' || p[i] == '\t';

        good += reads;
        p[i] = reads ? p[i] : ' ';
    }
    return n && good * 5 >= n * 4;
}

bool sanitize_view_decoded(struct arena *a, const struct sanitize_view *v, size_t *at, size_t *start, size_t *end,
                           struct sanitize_view *out)
{
    for (size_t i = *at; i < v->n;) {
        size_t from = i, n;
        char *text;

        while (i < v->n && view_is_base64(v->p[i]))
            i++;
        n = i - from;
        i += i < v->n;
        if (n < ENCODED_MIN)
            continue;
        text = arena_alloc(a, n + 1);
        size_t k = view_decode_hex(v->p + from, n, text);
        if (!k || !view_is_readable(text, k))
            k = view_decode_base64(v->p + from, n, text);
        if (!view_is_readable(text, k))
            continue;
        text[k] = 0;
        *start = from;
        *end = from + n;
        *at = i;
        *out = sanitize_view_folded(a, text, k);
        return true;
    }
    return false;
}
