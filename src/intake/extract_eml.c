/* Mail: its headers, its text (plain before HTML), and its attachments as files of their own. See extract.h. */
#include <string.h>
#include <strings.h>

#include "extract.h"

#define EML_DEPTH 10
#define EML_HEADERS 200

struct eml_headers {
    struct eml_header {
        const char *name, *value;
    } v[EML_HEADERS];
    size_t n;
};

struct eml {
    struct extract *x;
    const char *plain, *html; /* the first of each that is no attachment */
    size_t n_plain, n_html;
};

/* ---- decoding */

static int base64_value(char ch)
{
    static const char SIGNS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = ch ? strchr(SIGNS, ch) : NULL;

    return at ? (int)(at - SIGNS) : -1;
}

static struct bytes eml_base64(struct arena *a, const char *s, size_t n)
{
    char *out = arena_alloc(a, n + 1);
    uint32_t bits = 0;
    size_t len = 0;
    int have = 0;

    for (size_t i = 0; i < n && s[i] != '='; i++) {
        int v = base64_value(s[i]);

        if (v < 0)
            continue;
        bits = bits << 6 | (uint32_t)v;
        have += 6;
        if (have >= 8) {
            have -= 8;
            out[len++] = (char)(bits >> have);
        }
    }
    return (struct bytes){out, len};
}

/* of_header: "_" is a space. */
static struct bytes eml_quoted(struct arena *a, const char *s, size_t n, bool of_header)
{
    char *out = arena_alloc(a, n + 1);
    size_t len = 0;
    uint8_t byte;

    for (size_t i = 0; i < n; i++) {
        if (s[i] == '=' && i + 1 < n && s[i + 1] == '\n') {
            i++;
        } else if (s[i] == '=' && i + 2 < n && s[i + 1] == '\r' && s[i + 2] == '\n') {
            i += 2;
        } else if (s[i] == '=' && i + 2 < n && hex_decode(s + i + 1, 2, &byte)) {
            out[len++] = (char)byte;
            i += 2;
        } else {
            out[len++] = of_header && s[i] == '_' ? ' ' : s[i];
        }
    }
    return (struct bytes){out, len};
}

/* RFC 2047: "=?utf-8?B?…?=" */
static const char *eml_header_text(struct arena *a, const char *s)
{
    struct buf out;

    buf_init(&out, a, 128);
    while (s && *s) {
        const char *word = strstr(s, "=?"), *coding = word ? strchr(word + 2, '?') : NULL, *text = coding && coding[1] && coding[2] == '?'
            ? coding + 3 : NULL, *end = text ? strstr(text, "?=") : NULL;
        struct bytes raw;
        size_t len;

        if (!end)
            break;
        if (word - s != (ptrdiff_t)strspn(s, " ") || !out.len)
            buf_add(&out, s, (size_t)(word - s));
        raw = coding[1] == 'B' || coding[1] == 'b' ? eml_base64(a, text, (size_t)(end - text)) : eml_quoted(a, text, (size_t)(end - text),
            true);
        s = extract_utf8(a, raw.p, raw.n, arena_strndup(a, word + 2, (size_t)(coding - word - 2)), &len);
        buf_puts(&out, s);
        s = end + 2;
    }
    if (s)
        buf_puts(&out, extract_utf8(a, s, strlen(s), NULL, &(size_t){0}));
    return buf_str(&out);
}

/* ---- headers */

static const char *eml_header(const struct eml_headers *h, const char *name)
{
    for (size_t i = 0; i < h->n; i++)
        if (strcasecmp(h->v[i].name, name) == 0)
            return h->v[i].value;
    return NULL;
}

/* A parameter of a header: charset, boundary, filename. NULL: there is none. */
static const char *eml_parameter(struct arena *a, const char *value, const char *name)
{
    const char *at = value ? strchr(value, ';') : NULL;
    size_t n = strlen(name);

    for (; at; at = strchr(at, ';')) {
        at += 1 + strspn(at + 1, " \t");
        if (strncasecmp(at, name, n) != 0 || at[n] != '=')
            continue;
        at += n + 1;
        return *at == '"' ? arena_strndup(a, at + 1, strcspn(at + 1, "\"")) : arena_strndup(a, at, strcspn(at, "; \t"));
    }
    return NULL;
}

/* Where a line ends, behind its line feed. */
static const char *eml_line_end(const char *p, const char *end)
{
    const char *nl = memchr(p, '\n', (size_t)(end - p));

    return nl ? nl + 1 : end;
}

/* Returns where the body begins. */
static const char *eml_read_headers(struct arena *a, const char *p, const char *end, struct eml_headers *h)
{
    while (p < end && *p != '\n' && *p != '\r') {
        const char *to = eml_line_end(p, end), *colon;
        struct buf line;

        while (to < end && (*to == ' ' || *to == '\t'))
            to = eml_line_end(to, end);
        buf_init(&line, a, 128);
        for (; p < to; p++)
            if (*p != '\r' && *p != '\n' && *p)
                buf_putc(&line, *p == '\t' ? ' ' : *p);
        colon = line.len ? strchr(line.data, ':') : NULL;
        if (colon && h->n < EML_HEADERS)
            h->v[h->n++] = (struct eml_header){arena_strndup(a, line.data, (size_t)(colon - line.data)),
                                                colon + 1 + strspn(colon + 1, " ")};
    }
    return p < end ? eml_line_end(p, end) : end;
}

/* ---- parts */

static void eml_attach(struct extract *x, const char *name, struct bytes bytes)
{
    if (!x->parts)
        x->parts = ARENA_ARRAY(x->arena, struct extract_part, EXTRACT_PARTS);
    if (x->n_parts < EXTRACT_PARTS)
        x->parts[x->n_parts++] = (struct extract_part){name, bytes};
}

static void eml_leaf(struct eml *m, const struct eml_headers *h, const char *from, const char *to)
{
    struct arena *a = m->x->arena;
    const char *type = eml_header(h, "Content-Type"), *coding = eml_header(h, "Content-Transfer-Encoding"),
               *disposition = eml_header(h, "Content-Disposition"), *name = eml_parameter(a, disposition, "filename");
    struct bytes body = {from, (size_t)(to - from)};

    if (!name)
        name = eml_parameter(a, type, "name");
    if (coding && strncasecmp(coding, "base64", 6) == 0)
        body = eml_base64(a, body.p, body.n);
    else if (coding && strncasecmp(coding, "quoted-printable", 16) == 0)
        body = eml_quoted(a, body.p, body.n, false);
    if (name || (disposition && strncasecmp(disposition, "attachment", 10) == 0)) {
        eml_attach(m->x, name ? eml_header_text(a, name) : "attachment", body);
    } else if (type && strncasecmp(type, "text/html", 9) == 0 && !m->html) {
        m->html = extract_utf8(a, body.p, body.n, eml_parameter(a, type, "charset"), &m->n_html);
    } else if ((!type || strncasecmp(type, "text/", 5) == 0) && !m->plain) {
        m->plain = extract_utf8(a, body.p, body.n, eml_parameter(a, type, "charset"), &m->n_plain);
    }
}

static bool eml_is_boundary(const char *p, const char *end, const char *boundary)
{
    size_t n = strlen(boundary);

    return (size_t)(end - p) >= n + 2 && p[0] == '-' && p[1] == '-' && memcmp(p + 2, boundary, n) == 0;
}

static void eml_part(struct eml *m, const char *from, const char *to, int depth)
{
    struct eml_headers *h = ARENA_NEW(m->x->arena, struct eml_headers);
    const char *body = eml_read_headers(m->x->arena, from, to, h), *type = eml_header(h, "Content-Type"), *part = NULL;
    const char *boundary = type && strncasecmp(type, "multipart/", 10) == 0 ? eml_parameter(m->x->arena, type, "boundary") : NULL;

    if (!boundary || !*boundary || depth == EML_DEPTH) {
        eml_leaf(m, h, body, to);
        return;
    }
    for (const char *p = body; p < to; p = eml_line_end(p, to)) {
        if (!eml_is_boundary(p, to, boundary))
            continue;
        if (part)
            eml_part(m, part, p, depth + 1);
        part = eml_line_end(p, to);
        if ((size_t)(to - p) >= strlen(boundary) + 4 && memcmp(p + 2 + strlen(boundary), "--", 2) == 0)
            return;
    }
    if (part)
        eml_part(m, part, to, depth + 1); /* the last boundary is missing */
}

static void eml_show_header(struct extract *x, const struct eml_headers *h, const char *name)
{
    const char *value = eml_header(h, name);

    if (!value)
        return;
    value = eml_header_text(x->arena, value);
    extract_line(x);
    extract_words(x, name, strlen(name));
    extract_raw(x, ": ", 2);
    extract_words(x, value, strlen(value));
}

enum extract_fault extract_eml(struct extract *x)
{
    struct eml_headers *h = ARENA_NEW(x->arena, struct eml_headers);
    struct eml m = {.x = x};
    const char *subject;

    (void)eml_read_headers(x->arena, x->bytes, x->bytes + x->n, h);
    if (!h->n)
        return EXTRACT_MALFORMED;
    eml_part(&m, x->bytes, x->bytes + x->n, 0);
    subject = eml_header(h, "Subject");
    x->title = subject ? eml_header_text(x->arena, subject) : NULL;
    x->date = eml_header(h, "Date");
    eml_show_header(x, h, "From");
    eml_show_header(x, h, "To");
    eml_show_header(x, h, "Date");
    eml_show_header(x, h, "Subject");
    extract_block(x);
    if (m.plain) {
        extract_raw(x, m.plain, m.n_plain);
    } else if (m.html) {
        return extract_html_page(x, m.html, m.n_html, true);
    }
    return EXTRACT_OK;
}
