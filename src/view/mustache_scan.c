/* Cuts a template into text and tags, and pairs each opening tag with its closing one. */
#include <string.h>

#include "mustache_impl.h"

#define OPEN_MAX 64 /* tags open at once */
#define DELIMITER_MAX 8

struct delimiter {
    char s[DELIMITER_MAX];
    size_t n;
};

struct scan {
    struct arena *tmp, *keep;
    const char *file, *p, *end;
    int line;
    struct delimiter open, close;
    struct tokens *out;
    uint32_t stack[OPEN_MAX];
    int depth;
    const char **why;
};

#define wrong(s, ...) (*(s)->why = arena_printf((s)->keep, __VA_ARGS__), false)

static struct token *mustache_scan_push(struct scan *s, enum token_kind kind, const char *p, size_t n)
{
    struct tokens *t = s->out;

    if (t->n == t->cap) {
        struct token *bigger = ARENA_ARRAY(s->tmp, struct token, t->cap ? t->cap * 2 : 64);

        if (t->n)
            memcpy(bigger, t->items, t->n * sizeof *bigger);
        t->items = bigger;
        t->cap = t->cap ? t->cap * 2 : 64;
    }
    t->items[t->n] = (struct token){.kind = kind, .p = p, .n = (uint32_t)n, .line = s->line};
    return &t->items[t->n++];
}

static bool mustache_scan_is_space(char ch)
{
    return ch == ' ' || ch == '\t' || ch == '\n' || ch == '\r';
}

static void mustache_scan_trim(const char **p, const char **end)
{
    while (*p < *end && mustache_scan_is_space(**p))
        ++*p;
    while (*end > *p && mustache_scan_is_space((*end)[-1]))
        --*end;
}

static const char *mustache_scan_find(const char *p, const char *end, const char *what, size_t n)
{
    return memmem(p, (size_t)(end - p), what, n);
}

static void count_lines(struct scan *s, const char *from, const char *to)
{
    while ((from = memchr(from, '\n', (size_t)(to - from)))) {
        s->line++;
        from++;
    }
}

static void scan_text(struct scan *s, const char *to)
{
    while (s->p < to) {
        const char *nl = memchr(s->p, '\n', (size_t)(to - s->p)), *stop = nl ? nl + 1 : to;

        mustache_scan_push(s, T_TEXT, s->p, (size_t)(stop - s->p));
        s->line += nl != NULL;
        s->p = stop;
    }
}

static bool read_delimiter(const char **p, const char *end, struct delimiter *d)
{
    while (*p < end && mustache_scan_is_space(**p))
        ++*p;
    d->n = 0;
    for (; *p < end && !mustache_scan_is_space(**p); ++*p) {
        if (d->n == DELIMITER_MAX || **p == '=')
            return false;
        d->s[d->n++] = **p;
    }
    return d->n > 0;
}

/* {{=<% %>=}}: p stands behind the first '='. */
static bool scan_delimiters(struct scan *s, const char *p)
{
    char closing[DELIMITER_MAX + 1] = "=";
    const char *end;
    struct delimiter open, close;

    memcpy(closing + 1, s->close.s, s->close.n);
    end = mustache_scan_find(p, s->end, closing, s->close.n + 1);
    if (!end)
        return wrong(s, "%s:%d: a change of delimiters that does not end", s->file, s->line);
    s->p = end + s->close.n + 1;
    if (!read_delimiter(&p, end, &open) || !read_delimiter(&p, end, &close))
        return wrong(s, "%s:%d: delimiters are two words of 1 to %d characters without '='", s->file, s->line,
                     DELIMITER_MAX);
    mustache_scan_trim(&p, &end);
    if (p < end)
        return wrong(s, "%s:%d: more than two delimiters", s->file, s->line);
    s->open = open;
    s->close = close;
    mustache_scan_push(s, T_QUIET, p, 0);
    return true;
}

static bool close_tag(struct scan *s, const char *p, size_t n)
{
    struct token *open, *close;

    if (!s->depth)
        return wrong(s, "%s:%d: {{/%.*s}} closes nothing", s->file, s->line, (int)n, p);
    close = mustache_scan_push(s, T_CLOSE, p, n);
    close->peer = s->stack[--s->depth];
    open = &s->out->items[close->peer];
    open->peer = s->out->n - 1;
    if (open->n != n || memcmp(open->p, p, n) != 0)
        return wrong(s, "%s:%d: {{/%.*s}} where '%.*s' of line %d should be closed", s->file, s->line, (int)n, p,
                     (int)open->n, open->p, open->line);
    return true;
}

static bool open_tag(struct scan *s, enum token_kind kind, const char *p, size_t n)
{
    if (s->depth == OPEN_MAX)
        return wrong(s, "%s:%d: more than %d tags open", s->file, s->line, OPEN_MAX);
    s->stack[s->depth++] = s->out->n;
    mustache_scan_push(s, kind, p, n);
    return true;
}

/* A dotted name may be "."; each of its parts must have a letter. Names of templates and blocks are taken as they are. */
static bool mustache_scan_is_name(const char *p, size_t n, bool dotted)
{
    for (size_t i = 0; i < n; i++)
        if (mustache_scan_is_space(p[i]) || !p[i])
            return false;
    if (!dotted || n == 1)
        return n > 0;
    for (size_t i = 0; i < n; i++)
        if (p[i] == '.' && (i == 0 || i == n - 1 || p[i - 1] == '.'))
            return false;
    return n > 0;
}

static enum token_kind mustache_scan_kind_of(char sigil)
{
    switch (sigil) {
    case '#': return T_SECTION;
    case '^': return T_INVERTED;
    case '/': return T_CLOSE;
    case '>': return T_PARTIAL;
    case '<': return T_PARENT;
    case '$': return T_BLOCK;
    case '&':
    case '{': return T_RAW;
    case '!': return T_QUIET;
    default: return T_VALUE;
    }
}

/* A tag of which kind and name are known. */
static bool take_tag(struct scan *s, enum token_kind kind, const char *p, const char *end)
{
    size_t n;
    bool dotted = kind == T_VALUE || kind == T_RAW || kind == T_SECTION || kind == T_INVERTED;

    mustache_scan_trim(&p, &end);
    n = (size_t)(end - p);
    if (n > 200 || !mustache_scan_is_name(p, n, dotted))
        return wrong(s, "%s:%d: '%.*s' is not a name", s->file, s->line, n > 40 ? 40 : (int)n, p);
    if ((kind == T_PARTIAL || kind == T_PARENT) && *p == '*')
        return wrong(s, "%s:%d: dynamic names such as '%.*s' are not supported", s->file, s->line, (int)n, p);
    if (kind == T_CLOSE)
        return close_tag(s, p, n);
    if (kind == T_SECTION || kind == T_INVERTED || kind == T_PARENT || kind == T_BLOCK)
        return open_tag(s, kind, p, n);
    mustache_scan_push(s, kind, p, n);
    return true;
}

/* s->p stands behind the opening delimiter. */
static bool scan_tag(struct scan *s)
{
    const char *p = s->p, *end;
    enum token_kind kind;
    char closing[DELIMITER_MAX + 1] = "}";
    size_t extra = 0;

    while (p < s->end && mustache_scan_is_space(*p))
        p++;
    if (p < s->end && *p == '=')
        return scan_delimiters(s, p + 1);
    kind = p < s->end ? mustache_scan_kind_of(*p) : T_VALUE;
    if (kind == T_RAW && *p == '{')
        extra = 1;
    memcpy(closing + 1, s->close.s, s->close.n);
    p += kind != T_VALUE;
    end = mustache_scan_find(p, s->end, closing + 1 - extra, s->close.n + extra);
    if (!end)
        return wrong(s, "%s:%d: a tag that does not end", s->file, s->line);
    s->p = end + s->close.n + extra;
    if (kind == T_QUIET)
        mustache_scan_push(s, T_QUIET, p, 0);
    else if (!take_tag(s, kind, p, end))
        return false;
    count_lines(s, p, s->p);
    return true;
}

bool mustache_scan(struct arena *tmp, struct arena *keep, const char *file, const char *text, size_t n,
                   struct tokens *out, const char **why)
{
    struct scan s = {
        .tmp = tmp, .keep = keep, .file = file, .p = text, .end = text + n, .line = 1, .out = out, .why = why,
        .open = {"{{", 2}, .close = {"}}", 2},
    };

    *out = (struct tokens){0};
    while (s.p < s.end) {
        const char *tag = mustache_scan_find(s.p, s.end, s.open.s, s.open.n);

        scan_text(&s, tag ? tag : s.end);
        if (!tag)
            break;
        s.p += s.open.n;
        if (!scan_tag(&s))
            return false;
    }
    if (s.depth) {
        struct token *t = &out->items[s.stack[s.depth - 1]];

        return wrong(&s, "%s:%d: '%.*s' is never closed", file, t->line, (int)t->n, t->p);
    }
    return true;
}
