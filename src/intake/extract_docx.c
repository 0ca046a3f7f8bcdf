/* DOCX: paragraphs with their styles, tables, lists, footnotes; what was deleted or hidden is left out. See extract.h. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "extract_xml.h"

struct docx_styles {
    struct arena *arena;
    struct docx_style {
        const char *id;
        int level; /* of the heading; 0: none */
    } v[256];
    size_t n;
    const char *open; /* the style being read */
};

struct docx {
    struct extract *x;
    const struct docx_styles *styles;
    bool in_text, is_hidden, has_level, in_notes, is_skipped;
};

/* ---- which styles are headings */

static void docx_style_start(void *arg, const char *name, const char **attributes)
{
    struct docx_styles *s = arg;
    const char *value = xml_attribute(attributes, "w:val");

    if (strcmp(name, "w:style") == 0 && s->n < sizeof s->v / sizeof *s->v) {
        const char *id = xml_attribute(attributes, "w:styleId");

        s->v[s->n++] = (struct docx_style){arena_strdup(s->arena, id), 0};
    } else if (s->n && strcmp(name, "w:name") == 0 && value && strncasecmp(value, "heading ", 8) == 0) {
        s->v[s->n - 1].level = value[8] - '0';
    } else if (s->n && strcmp(name, "w:name") == 0 && value && strcasecmp(value, "Title") == 0) {
        s->v[s->n - 1].level = 1;
    } else if (s->n && strcmp(name, "w:outlineLvl") == 0 && value && *value >= '0' && *value <= '5') {
        s->v[s->n - 1].level = *value - '0' + 1;
    }
}

static int docx_level(const struct docx *d, const char *style)
{
    for (size_t i = 0; i < d->styles->n; i++)
        if (d->styles->v[i].id && strcmp(d->styles->v[i].id, style) == 0)
            return d->styles->v[i].level;
    if (strncasecmp(style, "Heading", 7) == 0 && style[7] >= '1' && style[7] <= '6')
        return style[7] - '0';
    return 0;
}

/* ---- the text */

static void docx_property(struct docx *d, const char *name, const char **attributes)
{
    const char *value = xml_attribute(attributes, "w:val");

    if (strcmp(name, "w:pStyle") == 0 && value && docx_level(d, value) && !d->has_level) {
        d->has_level = true;
        extract_heading(d->x, docx_level(d, value));
    } else if (strcmp(name, "w:numPr") == 0 && !d->has_level && !d->x->in_row) {
        extract_raw(d->x, "- ", 2);
    } else if (strcmp(name, "w:vanish") == 0 && !(value && (strcmp(value, "0") == 0 || strcmp(value, "false") == 0))) {
        d->is_hidden = true;
    } else if (strcmp(name, "w:footnoteReference") == 0 && (value = xml_attribute(attributes, "w:id")) != NULL) {
        extract_raw(d->x, "[^", 2);
        extract_words(d->x, value, strlen(value));
        extract_raw(d->x, "]", 1);
    }
}

static void docx_start(void *arg, const char *name, const char **attributes)
{
    struct docx *d = arg;
    const char *type = xml_attribute(attributes, "w:type"), *id = xml_attribute(attributes, "w:id");

    if (strcmp(name, "w:p") == 0) {
        d->has_level = false;
    } else if (strcmp(name, "w:r") == 0) {
        d->is_hidden = false;
    } else if (strcmp(name, "w:t") == 0) {
        d->in_text = !d->is_hidden && !d->is_skipped;
    } else if (strcmp(name, "w:tab") == 0 && d->x->text.len) {
        extract_words(d->x, " ", 1);
    } else if (strcmp(name, "w:br") == 0) {
        extract_line(d->x);
    } else if (strcmp(name, "w:tc") == 0) {
        extract_cell(d->x);
    } else if (strcmp(name, "w:footnote") == 0) {
        d->is_skipped = type != NULL; /* separators are footnotes with a type */
        if (!d->is_skipped && id) {
            extract_raw(d->x, "[^", 2);
            extract_words(d->x, id, strlen(id));
            extract_raw(d->x, "]: ", 3);
        }
    } else {
        docx_property(d, name, attributes);
    }
}

static void docx_end(void *arg, const char *name)
{
    struct docx *d = arg;

    if (strcmp(name, "w:t") == 0) {
        d->in_text = false;
    } else if (strcmp(name, "w:p") == 0) {
        extract_heading_ends(d->x);
        extract_block(d->x);
    } else if (strcmp(name, "w:tr") == 0) {
        extract_row_ends(d->x);
    } else if (strcmp(name, "w:tbl") == 0) {
        extract_block(d->x);
    }
}

static void docx_text(void *arg, const char *s, size_t n)
{
    struct docx *d = arg;

    if (d->in_text)
        extract_words(d->x, s, n);
}

enum extract_fault extract_docx(struct extract *x)
{
    struct docx_styles styles = {.arena = x->arena};
    struct docx d = {.x = x, .styles = &styles};
    struct xml_reader of_styles = {.start = docx_style_start, .arg = &styles}, r = {docx_start, docx_end, docx_text, &d, 0};
    struct zip z;
    enum extract_fault f = zip_open(x, &z);

    if (f)
        return f;
    x->title = xml_first_text(&z, "docProps/core.xml", "dc:title");
    x->language = xml_first_text(&z, "docProps/core.xml", "dc:language");
    x->date = xml_first_text(&z, "docProps/core.xml", "dcterms:modified");
    f = zip_has(&z, "word/styles.xml") ? xml_read_entry(&of_styles, &z, "word/styles.xml") : EXTRACT_OK;
    if (!f)
        f = xml_read_entry(&r, &z, "word/document.xml");
    if (!f && zip_has(&z, "word/footnotes.xml"))
        f = xml_read_entry(&r, &z, "word/footnotes.xml");
    return f == EXTRACT_NO_TEXT ? EXTRACT_MALFORMED : f;
}
