/* XLSX: a section for each sheet that is shown, a row a line, each cell with the name of its column. See extract.h. */
#include <stdlib.h>
#include <string.h>

#include "extract_xml.h"

#define XLSX_SHEETS 1000
#define XLSX_COLUMNS 512

struct xlsx_strings {
    struct arena *arena;
    const char **v;
    size_t n, cap;
    struct buf text;
    bool in_text;
};

struct xlsx_book {
    struct extract *x;
    struct xlsx_sheet {
        const char *name, *relation;
    } sheets[XLSX_SHEETS];
    size_t n;
};

struct xlsx_reading {
    struct extract *x;
    const struct xlsx_strings *strings;
    const char *head[XLSX_COLUMNS]; /* the first row that has cells */
    bool has_head, is_first_row, is_row_open;
    size_t column;
    char kind; /* of the cell: s shared, i inline, v value */
    bool in_value;
    struct buf value;
};

/* ---- strings that cells share */

static void xlsx_strings_start(void *arg, const char *name, const char **attributes)
{
    struct xlsx_strings *s = arg;

    (void)attributes;
    if (strcmp(name, "si") == 0)
        buf_init(&s->text, s->arena, 32);
    s->in_text = strcmp(name, "t") == 0;
}

static void xlsx_strings_end(void *arg, const char *name)
{
    struct xlsx_strings *s = arg;

    s->in_text = false;
    if (strcmp(name, "si") != 0)
        return;
    if (s->n == s->cap) {
        const char **more = arena_array(s->arena, s->cap = s->cap ? 2 * s->cap : 256, sizeof(char *));

        if (s->n)
            memcpy(more, s->v, s->n * sizeof(char *));
        s->v = more;
    }
    s->v[s->n++] = buf_str(&s->text);
}

static void xlsx_strings_text(void *arg, const char *t, size_t n)
{
    struct xlsx_strings *s = arg;

    if (s->in_text)
        buf_add(&s->text, t, n);
}

/* ---- the sheets */

static void xlsx_book_start(void *arg, const char *name, const char **attributes)
{
    struct xlsx_book *b = arg;
    const char *title = xml_attribute(attributes, "name"), *id = xml_attribute(attributes, "r:id"),
               *state = xml_attribute(attributes, "state");

    if (strcmp(name, "sheet") == 0 && title && id && !state && b->n < XLSX_SHEETS)
        b->sheets[b->n++] = (struct xlsx_sheet){arena_strdup(b->x->arena, title), arena_strdup(b->x->arena, id)};
}

/* "BC12": 54. */
static size_t xlsx_column(const char *place, size_t otherwise)
{
    size_t n = 0;

    for (; place && *place >= 'A' && *place <= 'Z'; place++)
        n = n * 26 + (size_t)(*place - 'A' + 1);
    return n && n <= XLSX_COLUMNS ? n - 1 : otherwise;
}

static void xlsx_start(void *arg, const char *name, const char **attributes)
{
    struct xlsx_reading *s = arg;
    const char *type = xml_attribute(attributes, "t");

    if (strcmp(name, "row") == 0) {
        s->is_first_row = !s->has_head;
        s->is_row_open = false;
        s->column = 0;
    } else if (strcmp(name, "c") == 0) {
        s->column = xlsx_column(xml_attribute(attributes, "r"), s->column);
        s->kind = type && strcmp(type, "s") == 0 ? 's' : type && strcmp(type, "inlineStr") == 0 ? 'i' : 'v';
        buf_init(&s->value, s->x->arena, 32);
    }
    s->in_value = strcmp(name, s->kind == 'i' ? "t" : "v") == 0;
}

static void xlsx_put_cell(struct xlsx_reading *s, const char *value)
{
    const char *head = s->column < XLSX_COLUMNS ? s->head[s->column] : NULL;

    if (s->is_first_row && s->column < XLSX_COLUMNS) {
        s->head[s->column] = arena_strdup(s->x->arena, value);
        s->has_head = true;
    }
    extract_cell(s->x);
    if (!s->is_first_row && head) {
        extract_words(s->x, head, strlen(head));
        extract_raw(s->x, ": ", 2);
    }
    extract_words(s->x, value, strlen(value));
}

static void xlsx_end(void *arg, const char *name)
{
    struct xlsx_reading *s = arg;
    const char *value;

    s->in_value = false;
    if (strcmp(name, "c") == 0) {
        value = buf_str(&s->value);
        if (s->kind == 's' && *value) {
            size_t at = strtoul(value, NULL, 10);

            value = at < s->strings->n ? s->strings->v[at] : "";
        }
        if (*value)
            xlsx_put_cell(s, value);
        s->column++;
    } else if (strcmp(name, "row") == 0) {
        extract_row_ends(s->x);
    }
}

static void xlsx_text(void *arg, const char *t, size_t n)
{
    struct xlsx_reading *s = arg;

    if (s->in_value)
        buf_add(&s->value, t, n);
}

static enum extract_fault xlsx_sheet(struct zip *z, const struct xlsx_strings *strings, const char *name, const char *path)
{
    struct xlsx_reading *s = ARENA_NEW(z->x->arena, struct xlsx_reading);
    struct xml_reader r = {xlsx_start, xlsx_end, xlsx_text, s, 0};
    enum extract_fault f;

    s->x = z->x;
    s->strings = strings;
    extract_heading(z->x, 2);
    extract_words(z->x, name, strlen(name));
    extract_heading_ends(z->x);
    f = xml_read_entry(&r, z, path);
    extract_block(z->x);
    return f == EXTRACT_NO_TEXT ? EXTRACT_OK : f;
}

enum extract_fault extract_xlsx(struct extract *x)
{
    static const char MAIN[] = "xl/workbook.xml";
    struct xlsx_book *book = ARENA_NEW(x->arena, struct xlsx_book);
    struct xlsx_strings strings = {.arena = x->arena};
    struct xml_reader of_book = {.start = xlsx_book_start, .arg = book},
                      of_strings = {xlsx_strings_start, xlsx_strings_end, xlsx_strings_text, &strings, 0};
    struct xml_relations related;
    struct zip z;
    enum extract_fault f = zip_open(x, &z);

    book->x = x;
    if (f)
        return f;
    x->title = xml_first_text(&z, "docProps/core.xml", "dc:title");
    f = xml_read_entry(&of_book, &z, MAIN);
    if (!f)
        f = xml_relations(&z, MAIN, &related);
    if (!f && zip_has(&z, "xl/sharedStrings.xml"))
        f = xml_read_entry(&of_strings, &z, "xl/sharedStrings.xml");
    for (size_t i = 0; i < book->n && !f; i++) {
        const char *path = xml_related(&related, book->sheets[i].relation, NULL);

        f = path ? xlsx_sheet(&z, &strings, book->sheets[i].name, path) : EXTRACT_OK;
    }
    return f == EXTRACT_NO_TEXT ? EXTRACT_MALFORMED : f;
}
