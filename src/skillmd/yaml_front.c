/* Front matter; see yaml_front.h. Lines are cut first; each function takes the lines that are indented as it wants. */
#include "yaml_front.h"

#include <ctype.h>
#include <string.h>

#include "str.h"

struct yaml_line {
    const char *s; /* behind the indent, with comments */
    size_t indent, n;
    bool is_blank; /* nothing, or a comment */
};

struct yaml {
    struct arena *arena;
    struct yaml_line *lines;
    size_t n, at;
    int keys;
    bool is_typed; /* plain scalars are what YAML's core schema says, else texts */
    struct yaml_fault fault;
};

static struct json *yaml_refuse(struct yaml *y, const char *what)
{
    if (!y->fault.what)
        y->fault = (struct yaml_fault){(int)y->at + 1, what};
    return NULL;
}

/* ---- lines */

static bool yaml_cut(struct yaml *y, const char *text)
{
    size_t cap = 1;

    for (const char *p = text; *p; p++)
        cap += *p == '\n';
    y->lines = ARENA_ARRAY(y->arena, struct yaml_line, cap + 1);
    for (const char *p = text; *p;) {
        size_t n = strcspn(p, "\n"), whole = n, indent = 0;
        struct yaml_line *l = &y->lines[y->n];

        if (n && p[n - 1] == '\r')
            n--;
        while (indent < n && p[indent] == ' ')
            indent++;
        *l = (struct yaml_line){p + indent, indent, n - indent, indent == n || p[indent] == '#'};
        y->at = y->n++;
        for (size_t i = 0; i < n; i++)
            if ((unsigned char)p[i] < 32 && p[i] != '\t')
                return yaml_refuse(y, "a control character");
        if (l->n && l->s[0] == '\t' && !l->is_blank)
            return yaml_refuse(y, "a tab in the indent");
        p += whole + (p[whole] == '\n');
    }
    y->at = 0;
    return true;
}

static struct yaml_line *yaml_line(struct yaml *y)
{
    while (y->at < y->n && y->lines[y->at].is_blank)
        y->at++;
    return y->at < y->n ? &y->lines[y->at] : NULL;
}

/* ---- scalars */

/* Without the white space around it and without a comment. */
static const char *yaml_plain(struct arena *a, const char *s, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (s[i] == '#' && (s[i - 1] == ' ' || s[i - 1] == '\t')) {
            n = i;
            break;
        }
    while (n && (s[n - 1] == ' ' || s[n - 1] == '\t'))
        n--;
    return arena_strndup(a, s, n);
}

/* A plain scalar: null, a truth value, a number, or a text. */
static struct json *yaml_scalar(const struct yaml *y, const char *text)
{
    static const char *const WORDS[] = {"true", "True", "TRUE", "false", "False", "FALSE", "null", "Null", "NULL", "~", ""};
    size_t digits = strspn(text, "-+0123456789.eE");
    int64_t whole;
    double number;

    for (size_t i = 0; y->is_typed && i < sizeof WORDS / sizeof *WORDS; i++)
        if (str_eq(text, WORDS[i]))
            return i < 6 ? json_bool(y->arena, i < 3) : json_str(y->arena, NULL);
    if (y->is_typed && *text && !text[digits] && strpbrk(text, "0123456789") && !strchr("eE", *text)) {
        if (str_to_i64(text[0] == '+' ? text + 1 : text, &whole))
            return json_int(y->arena, whole);
        if (str_to_double(text, &number))
            return json_num(y->arena, number);
    }
    return json_str(y->arena, text);
}

static void yaml_put_escape(struct buf *b, char ch)
{
    static const char FROM[] = "nrt0\"\\/", TO[] = "\n\r\t \"\\/";
    const char *at = strchr(FROM, ch);

    if (at && ch)
        buf_putc(b, TO[at - FROM]);
    else {
        buf_putc(b, '\\');
        buf_putc(b, ch);
    }
}

/* Reads a quoted text at s; *end is behind it. NULL: it does not end on this line. */
static const char *yaml_quoted(struct arena *a, const char *s, size_t n, size_t *end)
{
    char q = s[0];
    struct buf b;

    buf_init(&b, a, n + 1);
    for (size_t i = 1; i < n; i++) {
        if (s[i] == q && q == '\'' && i + 1 < n && s[i + 1] == q)
            buf_putc(&b, s[i++]);
        else if (s[i] == q) {
            *end = i + 1;
            return buf_str(&b);
        } else if (s[i] == '\\' && q == '"' && i + 1 < n)
            yaml_put_escape(&b, s[++i]);
        else
            buf_putc(&b, s[i]);
    }
    return NULL;
}

static bool yaml_is_forbidden(const char *s, size_t n)
{
    return n > 1 && ((s[0] == '&' || s[0] == '*') ? isalnum((unsigned char)s[1]) : s[0] == '!' && s[1] != ' ' && s[1] != '=');
}

/* ---- flow: [a, b] and {a: b} on one line */

static struct json *yaml_flow(struct yaml *y, const char *s, size_t n, size_t *end, int depth);

static size_t yaml_spaces(const char *s, size_t n, size_t i)
{
    while (i < n && (s[i] == ' ' || s[i] == '\t'))
        i++;
    return i;
}

static struct json *yaml_flow_value(struct yaml *y, const char *s, size_t n, size_t *end, int depth)
{
    const char *text;
    size_t i = 0;

    if (yaml_is_forbidden(s, n))
        return yaml_refuse(y, "anchors, aliases and tags are not taken");
    if (n && (s[0] == '[' || s[0] == '{'))
        return yaml_flow(y, s, n, end, depth + 1);
    if (n && (s[0] == '"' || s[0] == '\'')) {
        text = yaml_quoted(y->arena, s, n, end);
        return text ? json_str(y->arena, text) : NULL;
    }
    while (i < n && !strchr(",]}", s[i]) && !(s[i] == ':' && i + 1 < n && s[i + 1] == ' '))
        i++;
    *end = i;
    return yaml_scalar(y, yaml_plain(y->arena, s, i));
}

static struct json *yaml_flow(struct yaml *y, const char *s, size_t n, size_t *end, int depth)
{
    bool is_map = s[0] == '{';
    struct json *all = is_map ? json_obj(y->arena) : json_arr(y->arena);
    size_t i = yaml_spaces(s, n, 1), took;

    if (depth > YAML_DEPTH)
        return yaml_refuse(y, "too many levels");
    while (i < n && s[i] != (is_map ? '}' : ']')) {
        struct json *key = NULL, *value;

        if (++y->keys > YAML_KEYS)
            return yaml_refuse(y, "too many values");
        value = yaml_flow_value(y, s + i, n - i, &took, depth);
        if (value && is_map && i + took < n && s[i + took] == ':') {
            key = value;
            i = yaml_spaces(s, n, i + took + 1);
            value = yaml_flow_value(y, s + i, n - i, &took, depth);
        }
        if (!value || (is_map && (!key || key->type != JSON_STR)))
            return NULL;
        if (is_map && json_get(all, key->s))
            return yaml_refuse(y, "a key twice");
        if (is_map)
            json_set(y->arena, all, key->s, value);
        else
            json_push(all, value);
        i = yaml_spaces(s, n, i + took);
        if (i < n && s[i] == ',')
            i = yaml_spaces(s, n, i + 1);
        else if (i < n && s[i] != (is_map ? '}' : ']'))
            return NULL;
    }
    *end = i + 1;
    return i < n ? all : NULL;
}

/* ---- blocks */

static struct json *yaml_node(struct yaml *y, size_t indent, int depth);

/* | keeps line ends, > makes them spaces; - drops the last one. */
static struct json *yaml_block_text(struct yaml *y, const char *how, size_t n, size_t outer)
{
    bool folds = how[0] == '>', strips = memchr(how, '-', n) != NULL;
    size_t indent = 0;
    struct buf b;

    buf_init(&b, y->arena, 256);
    for (y->at++; y->at < y->n; y->at++) {
        const struct yaml_line *l = &y->lines[y->at];

        if (!l->n) {
            buf_putc(&b, '\n');
            continue;
        }
        if (l->indent <= outer)
            break;
        if (!indent)
            indent = l->indent;
        if (folds && b.len && b.data[b.len - 1] == '\n' && !(b.len > 1 && b.data[b.len - 2] == '\n'))
            b.data[b.len - 1] = ' ';
        for (size_t i = indent; i < l->indent; i++)
            buf_putc(&b, ' ');
        buf_add(&b, l->s, l->n);
        buf_putc(&b, '\n');
    }
    while (b.len > 1 && b.data[b.len - 1] == '\n' && (strips || b.data[b.len - 2] == '\n'))
        b.data[--b.len] = 0;
    return json_str(y->arena, buf_str(&b));
}

/* A text, plain or in quotes, goes on in lines that are indented more. */
static struct json *yaml_folded(struct yaml *y, const char *first, size_t outer)
{
    const char *text;
    struct buf b;
    size_t end;

    buf_init(&b, y->arena, 128);
    buf_puts(&b, first);
    for (y->at++; y->at < y->n; y->at++) {
        const struct yaml_line *l = &y->lines[y->at];

        if (!l->n || l->indent <= outer)
            break;
        buf_putc(&b, ' ');
        buf_puts(&b, yaml_plain(y->arena, l->s, l->n));
    }
    text = *first == '"' || *first == '\'' ? yaml_quoted(y->arena, b.data, b.len, &end) : NULL;
    return text && end == b.len ? json_str(y->arena, text) : yaml_scalar(y, buf_str(&b));
}

/* Cuts "key: value"; false: it is none. */
static bool yaml_key(struct yaml *y, const struct yaml_line *l, const char **key, size_t *behind)
{
    size_t i = 0;

    if (l->s[0] == '"' || l->s[0] == '\'') {
        *key = yaml_quoted(y->arena, l->s, l->n, &i);
        i = *key ? yaml_spaces(l->s, l->n, i) : l->n;
    } else {
        while (i < l->n && !(l->s[i] == ':' && (i + 1 == l->n || l->s[i + 1] == ' ' || l->s[i + 1] == '\t')))
            i++;
        *key = yaml_plain(y->arena, l->s, i);
    }
    *behind = yaml_spaces(l->s, l->n, i + 1);
    return i < l->n && l->s[i] == ':' && **key && strlen(*key) <= YAML_KEY;
}

/* Neither a list nor a map begins there. */
static bool yaml_is_text(struct yaml *y, const struct yaml_line *l)
{
    const char *key;
    size_t behind;

    return !(l->s[0] == '-' && (l->n == 1 || l->s[1] == ' ')) && !yaml_key(y, l, &key, &behind);
}

/* What stands behind "key:" or "-". outer: the indent of that line; a list may stand there, too, below a key. */
static struct json *yaml_value(struct yaml *y, const char *s, size_t n, size_t outer, bool of_map, int depth)
{
    struct json *flow;
    const char *text;
    size_t end;

    if (yaml_is_forbidden(s, n))
        return yaml_refuse(y, "anchors, aliases and tags are not taken");
    if (!n || s[0] == '#') {
        struct yaml_line *l;
        bool deeper;

        y->at++;
        l = yaml_line(y);
        deeper = l && (l->indent > outer || (of_map && l->indent == outer && l->s[0] == '-' && (l->n == 1 || l->s[1] == ' ')));
        if (deeper && l->indent > outer && yaml_is_text(y, l))
            return yaml_value(y, l->s, l->n, outer, of_map, depth);
        return deeper ? yaml_node(y, l->indent, depth + 1) : yaml_scalar(y, "");
    }
    if ((s[0] == '|' || s[0] == '>') && (n == 1 || strchr("+-0123456789 ", s[1])))
        return yaml_block_text(y, s, n, outer);
    if (s[0] == '[' || s[0] == '{') {
        flow = yaml_flow(y, s, n, &end, depth + 1);
        if (flow || y->fault.what) {
            y->at++;
            return y->fault.what ? NULL : flow;
        }
    }
    if (s[0] == '"' || s[0] == '\'') {
        text = yaml_quoted(y->arena, s, n, &end);
        end = text ? yaml_spaces(s, n, end) : 0;
        if (text && (end == n || s[end] == '#')) {
            y->at++;
            return json_str(y->arena, text);
        }
    }
    return yaml_folded(y, yaml_plain(y->arena, s, n), outer);
}

static struct json *yaml_list(struct yaml *y, size_t indent, int depth)
{
    struct json *all = json_arr(y->arena), *value;

    for (struct yaml_line *l = yaml_line(y); l && l->indent == indent && l->n && l->s[0] == '-' && (l->n == 1 || l->s[1] == ' ');
         l = yaml_line(y)) {
        size_t skip = yaml_spaces(l->s, l->n, 1);

        if (++y->keys > YAML_KEYS)
            return yaml_refuse(y, "too many values");
        value = yaml_value(y, l->s + skip, l->n - skip, indent, false, depth);
        if (!value)
            return NULL;
        json_push(all, value);
    }
    return all;
}

static struct json *yaml_map(struct yaml *y, size_t indent, int depth)
{
    struct json *all = json_obj(y->arena), *value;
    const char *key;
    size_t behind;

    for (struct yaml_line *l = yaml_line(y); l && l->indent == indent; l = yaml_line(y)) {
        if (++y->keys > YAML_KEYS)
            return yaml_refuse(y, "too many values");
        if (yaml_is_forbidden(l->s, l->n))
            return yaml_refuse(y, "anchors, aliases and tags are not taken");
        if (!yaml_key(y, l, &key, &behind))
            return yaml_refuse(y, "not 'key: value'");
        if (str_eq(key, "<<"))
            return yaml_refuse(y, "merge keys are not taken");
        if (json_get(all, key))
            return yaml_refuse(y, "a key twice");
        if (behind > l->n)
            behind = l->n;
        value = yaml_value(y, l->s + behind, l->n - behind, indent, true, depth);
        if (!value)
            return yaml_refuse(y, "the value cannot be read");
        json_set(y->arena, all, key, value);
    }
    return all;
}

static struct json *yaml_node(struct yaml *y, size_t indent, int depth)
{
    const struct yaml_line *l = yaml_line(y);

    if (depth > YAML_DEPTH)
        return yaml_refuse(y, "too many levels");
    return l->s[0] == '-' && (l->n == 1 || l->s[1] == ' ') ? yaml_list(y, indent, depth) : yaml_map(y, indent, depth);
}

static struct json *yaml_front_read(struct yaml y, const char *text, struct yaml_fault *fault)
{
    struct json *all = NULL;

    if (strlen(text) > YAML_BYTES)
        yaml_refuse(&y, "front matter is at most 16384 bytes");
    else if (yaml_cut(&y, text)) {
        all = yaml_line(&y) ? yaml_map(&y, yaml_line(&y)->indent, 1) : json_obj(y.arena);
        if (all && yaml_line(&y))
            all = yaml_refuse(&y, "the indent fits nothing above");
    }
    *fault = y.fault;
    return y.fault.what ? NULL : all;
}

struct json *yaml_front_parse(struct arena *a, const char *text, struct yaml_fault *fault)
{
    return yaml_front_read((struct yaml){.arena = a}, text, fault);
}

struct json *yaml_front_typed(struct arena *a, const char *text)
{
    struct yaml_fault fault;

    return yaml_front_read((struct yaml){.arena = a, .is_typed = true}, text, &fault);
}

/* ---- writing */

void yaml_put_scalar(struct buf *out, const char *text)
{
    bool plain = *text && !strchr("-?:,[]{}#&*!|>'\"%@` ", *text) && !strstr(text, ": ") && !strstr(text, " #");

    for (const char *p = text; *p; p++)
        plain = plain && (unsigned char)*p >= 32;
    if (plain && *text && text[strlen(text) - 1] != ' ' && text[strlen(text) - 1] != ':') {
        buf_puts(out, text);
        return;
    }
    buf_putc(out, '"');
    for (const char *p = text; *p; p++)
        switch (*p) {
        case '\n': buf_puts(out, "\\n"); break;
        case '\r': buf_puts(out, "\\r"); break;
        case '\t': buf_puts(out, "\\t"); break;
        case '"':
        case '\\': buf_putc(out, '\\'); [[fallthrough]];
        default: buf_putc(out, *p);
        }
    buf_putc(out, '"');
}

static void yaml_put_member(struct buf *out, const char *key, const struct json *value)
{
    buf_printf(out, "%s:", key);
    if (value->type != JSON_ARR) {
        buf_putc(out, ' ');
        yaml_put_scalar(out, value->s);
        buf_putc(out, '\n');
        return;
    }
    buf_putc(out, '\n');
    for (const struct json *v = value->first; v; v = v->next) {
        buf_puts(out, "  - ");
        yaml_put_scalar(out, v->s);
        buf_putc(out, '\n');
    }
}

/* Does the line begin this key? */
static bool yaml_line_has(const char *line, const char *key)
{
    size_t n = strlen(key);

    return strncmp(line, key, n) == 0 && line[n] == ':' && strchr(" \t\r\n", line[n + 1]);
}

const char *yaml_front_with(struct arena *a, const char *text, const char *key, const struct json *value)
{
    bool done = false, inside = false;
    struct buf b;

    buf_init(&b, a, strlen(text) + 64);
    for (const char *p = text; *p;) {
        size_t n = strcspn(p, "\n");

        n += p[n] == '\n';
        if (!strchr(" \t-#\r\n", *p))
            inside = yaml_line_has(p, key);
        if (inside && !done) {
            done = true;
            if (value)
                yaml_put_member(&b, key, value);
        }
        if (!inside)
            buf_add(&b, p, n);
        p += n;
    }
    if (!done && value) {
        if (b.len && b.data[b.len - 1] != '\n')
            buf_putc(&b, '\n');
        yaml_put_member(&b, key, value);
    }
    return buf_str(&b);
}
