/* Parts between lines that begin with the boundary; see multipart.h. */
#include "multipart.h"

#include <string.h>
#include <strings.h>

#include "exchange.h"
#include "limit.h"

#define BOUNDARY_MAX 70 /* RFC 2046 */

struct part {
    const char *name, *filename; /* filename NULL: a field */
    const char *bytes;
    size_t n;
};

static err multipart_broken(struct ctx *c)
{
    return fail(c, ERR_BAD_REQUEST, "the form is not valid multipart/form-data");
}

/* "--" and the boundary. */
static err delimiter_of(struct ctx *c, const char *media, const char **out)
{
    const char *at = strcasestr(media, "boundary=");
    size_t n;

    if (!at)
        return multipart_broken(c);
    at += strlen("boundary=");
    n = *at == '"' ? strcspn(++at, "\"") : strcspn(at, "; \t");
    if (!n || n > BOUNDARY_MAX)
        return multipart_broken(c);
    *out = arena_printf(c->arena, "--%.*s", (int)n, at);
    return ERR_OK;
}

/* Browsers escape three characters and nothing else, not even the percent sign; line breaks are none in a name. */
static char *unescaped(char *text)
{
    char *o = text;

    for (const char *p = text; *p; p++) {
        bool is_quote = strncmp(p, "%22", 3) == 0, is_break = strncmp(p, "%0D", 3) == 0 || strncmp(p, "%0A", 3) == 0;

        *o++ = is_quote ? '"' : is_break ? ' ' : *p;
        p += is_quote || is_break ? 2 : 0;
    }
    *o = '\0';
    return text;
}

/* The value of a parameter of Content-Disposition; NULL: it has none. */
static const char *multipart_parameter(struct ctx *c, const char *header, const char *name)
{
    const char *want = arena_printf(c->arena, "; %s=\"", name), *at = strcasestr(header, want);
    size_t n;

    if (!at)
        return NULL;
    at += strlen(want);
    n = strcspn(at, "\"");
    if (at[n] != '"' || !str_is_utf8(at, n))
        return NULL;
    return unescaped(arena_strndup(c->arena, at, n));
}

/* The headers from p to end, each on a line of its own. */
static err read_headers(struct ctx *c, const char *p, const char *end, struct part *out)
{
    static const char WANT[] = "Content-Disposition: form-data";

    while (p < end) {
        const char *stop = memmem(p, (size_t)(end - p), "\r\n", 2);
        const char *line;

        stop = stop ? stop : end;
        line = arena_strndup(c->arena, p, (size_t)(stop - p));
        if (strncasecmp(line, WANT, sizeof WANT - 1) == 0) {
            out->name = multipart_parameter(c, line, "name");
            out->filename = multipart_parameter(c, line, "filename");
        }
        p = stop + 2;
    }
    return out->name ? ERR_OK : multipart_broken(c);
}

/* The part at *p, behind its delimiter; *p is then behind the next one. */
static err next_part(struct ctx *c, const char *delimiter, const char **p, const char *end, struct part *out)
{
    const char *close = arena_printf(c->arena, "\r\n%s", delimiter), *blank, *stop;

    *out = (struct part){0};
    if (end - *p < 2 || memcmp(*p, "\r\n", 2) != 0)
        return multipart_broken(c);
    *p += 2;
    blank = memmem(*p, (size_t)(end - *p), "\r\n\r\n", 4);
    if (!blank)
        return multipart_broken(c);
    TRY(read_headers(c, *p, blank, out));
    out->bytes = blank + 4;
    stop = memmem(blank + 2, (size_t)(end - blank - 2), close, strlen(close));
    if (!stop)
        return multipart_broken(c);
    out->n = stop < out->bytes ? 0 : (size_t)(stop - out->bytes);
    *p = stop + strlen(close);
    return ERR_OK;
}

static err take_field(struct ctx *c, struct json *form, const struct part *part)
{
    if (part->n > LIMIT_FORM || memchr(part->bytes, '\0', part->n) || !str_is_utf8(part->bytes, part->n))
        return fail(c, ERR_BAD_REQUEST, "a field of the form is too long or is not UTF-8");
    exchange_add_pair(c->arena, form, part->name, arena_strndup(c->arena, part->bytes, part->n));
    return ERR_OK;
}

err multipart_read(struct ctx *c, const char *media, const char *body, size_t n, struct json **form, struct multipart_file *file)
{
    const char *delimiter = NULL, *p = body, *end = body + n;
    struct part part;
    int count = 0;

    *form = json_obj(c->arena);
    *file = (struct multipart_file){0};
    TRY(delimiter_of(c, media, &delimiter));
    if (n < strlen(delimiter) || memcmp(p, delimiter, strlen(delimiter)) != 0)
        return multipart_broken(c);
    for (p += strlen(delimiter); end - p < 2 || memcmp(p, "--", 2) != 0;) {
        TRY(next_part(c, delimiter, &p, end, &part));
        if (++count > MULTIPART_PARTS)
            return fail(c, ERR_BAD_REQUEST, "the form has more than %d parts", MULTIPART_PARTS);
        if (!part.filename)
            TRY(take_field(c, *form, &part));
        else if (!file->field && *part.filename)
            *file = (struct multipart_file){part.name, part.filename, part.bytes, part.n};
    }
    return ERR_OK;
}
