/* Answers of the core's tools as a model reads them: a line where a line says it, lists cut by tokens. */
#include <string.h>

#include "inert.h"
#include "mcp_impl.h"

/* A list takes some 1,500 tokens: with many rows each is shorter. */
#define LIST_CHARS 6000
#define ROW_CHARS_MAX 300
#define ROW_CHARS_MIN 80
/* Nothing was made. */
#define KNOWN "Already known as {duplicate_of}.[ Not changed there: {not_taken}.]"

/* One member as text; NULL where there is none. */
static const char *member_text(struct arena *a, const struct json *o, const char *name, size_t len)
{
    const struct json *v = json_get(o, arena_strndup(a, name, len));
    struct buf b;

    v = v ? json_opened(a, v) : NULL;
    if (!v || v->type == JSON_NULL || (v->type == JSON_ARR && !v->len) || (v->type == JSON_STR && !*v->s))
        return NULL;
    if (v->type == JSON_STR)
        return v->s;
    if (v->type != JSON_ARR)
        return json_text(a, v);
    buf_init(&b, a, 256);
    for (const struct json *i = v->first; i; i = i->next)
        buf_printf(&b, "%s%s", b.len ? ", " : "", i->type == JSON_STR ? i->s : json_text(a, i));
    return buf_str(&b);
}

/* "{name}" is a member; what stands in [] is left out where a member in it is missing. */
static void mcp_brief_fill(struct arena *a, struct buf *out, const char *template, const char *end, const struct json *o, bool *missing)
{
    for (const char *p = template; p < end; p++) {
        const char *close = *p == '{' ? strchr(p, '}') : *p == '[' ? strchr(p, ']') : NULL, *text;

        if (!close) {
            buf_putc(out, *p);
        } else if (*p == '{') {
            text = member_text(a, o, p + 1, (size_t)(close - p - 1));
            buf_puts(out, text ? text : "");
            *missing |= !text;
        } else {
            size_t before = out->len;
            bool without = false;

            mcp_brief_fill(a, out, p + 1, close, o, &without);
            if (without)
                out->len = before;
        }
        p = close ? close : p;
    }
}

static const char *mcp_brief_filled(struct arena *a, const char *template, const struct json *o)
{
    struct buf b;
    bool missing = false;

    buf_init(&b, a, 256);
    mcp_brief_fill(a, &b, template, template + strlen(template), o, &missing);
    return buf_str(&b);
}

static size_t chars_a_row(size_t rows)
{
    size_t n = LIST_CHARS / rows;

    return n > ROW_CHARS_MAX ? ROW_CHARS_MAX : n < ROW_CHARS_MIN ? ROW_CHARS_MIN : n;
}

static void mcp_brief_add_row(struct arena *a, struct buf *out, const char *line, size_t chars)
{
    size_t n = str_first_bytes(line, chars);
    char *cut = arena_strndup(a, line, n);

    for (char *p = cut; *p; p++)
        if (*p == '\n' || *p == '\r')
            *p = ' ';
    buf_puts(out, "- ");
    inert_add(out, cut, false);
    buf_puts(out, line[n] ? "…\n" : "\n");
}

static const char *list_text(struct arena *a, const char *template, const struct json *structured)
{
    const struct json *items = json_get(structured, "items");
    const char *cursor = json_get_str(structured, "next_cursor");
    struct buf b;

    if (!items->first)
        return "Nothing found.";
    buf_init(&b, a, LIST_CHARS);
    buf_puts(&b, FENCE_OPEN "\n");
    for (const struct json *row = items->first; row; row = row->next)
        mcp_brief_add_row(a, &b, mcp_brief_filled(a, template, row), chars_a_row(items->len));
    buf_puts(&b, FENCE_CLOSE);
    if (cursor)
        buf_printf(&b, "\nThere are more: call again with cursor %s", cursor);
    return buf_str(&b);
}

const char *mcp_brief(struct ctx *c, const struct mcp_core *k, const struct op *op, const struct json *structured)
{
    const struct json *found = json_get(structured, "found");
    const char *text;
    struct buf b;

    if (k->row)
        return list_text(c->arena, k->row, structured);
    if (found && !json_get_bool(structured, "found", true))
        return "Nothing found.";
    text = mcp_brief_filled(c->arena, json_get_str(structured, "duplicate_of") ? KNOWN : k->answer, structured);
    buf_init(&b, c->arena, strlen(text) + 256);
    buf_puts(&b, op->flags & OP_READONLY ? FENCE_OPEN "\n" : "");
    inert_add(&b, text, false);
    buf_puts(&b, op->flags & OP_READONLY ? "\n" FENCE_CLOSE : "");
    return buf_str(&b);
}

/* What a program needs to go on; the text says it, too. */
struct json *mcp_brief_data(struct arena *a, const struct json *structured)
{
    struct json *o = json_obj(a);

    if (json_get(structured, "done"))
        json_set_bool(a, o, "done", true);
    if (json_get_str(structured, "id"))
        json_set_str(a, o, "id", json_get_str(structured, "id"));
    if (json_get_str(structured, "duplicate_of"))
        json_set_str(a, o, "duplicate_of", json_get_str(structured, "duplicate_of"));
    if (json_get(structured, "version"))
        json_set_int(a, o, "version", json_get_int(structured, "version", 0));
    return o;
}
