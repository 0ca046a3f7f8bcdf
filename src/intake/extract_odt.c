/* ODT: headings, lists, tables and notes; tracked deletions are left out. See extract.h. */
#include <string.h>

#include "extract_xml.h"

struct odt {
    struct extract *x;
    int skipped; /* depth within what is left out */
    int texts;   /* depth within paragraphs and headings */
};

static bool odt_is_left_out(const char *name, const char **attributes)
{
    const char *visible = xml_attribute(attributes, "text:display");

    return strcmp(name, "text:tracked-changes") == 0 || strcmp(name, "office:annotation") == 0 || strcmp(name, "text:hidden-text") == 0 ||
           strcmp(name, "text:note-citation") == 0 || (strcmp(name, "text:section") == 0 && visible && strcmp(visible, "none") == 0);
}

static void odt_begin_text(struct odt *o, const char *name, const char **attributes)
{
    const char *level = xml_attribute(attributes, "text:outline-level");

    o->texts++;
    if (strcmp(name, "text:h") == 0)
        extract_heading(o->x, level ? *level - '0' : 1);
}

static void odt_start(void *arg, const char *name, const char **attributes)
{
    struct odt *o = arg;

    if (o->skipped || odt_is_left_out(name, attributes)) {
        o->skipped++;
    } else if (strcmp(name, "text:h") == 0 || strcmp(name, "text:p") == 0) {
        odt_begin_text(o, name, attributes);
    } else if (strcmp(name, "text:list-item") == 0) {
        extract_line(o->x);
        extract_raw(o->x, "- ", o->x->in_row ? 0 : 2);
    } else if (strcmp(name, "table:table-cell") == 0) {
        extract_cell(o->x);
    } else if (strcmp(name, "text:s") == 0 || strcmp(name, "text:tab") == 0) {
        extract_words(o->x, " ", 1);
    } else if (strcmp(name, "text:line-break") == 0) {
        extract_line(o->x);
    } else if (strcmp(name, "text:note") == 0) {
        extract_words(o->x, " (", 2);
    }
}

static void odt_end(void *arg, const char *name)
{
    struct odt *o = arg;

    if (o->skipped) {
        o->skipped--;
    } else if (strcmp(name, "text:h") == 0 || strcmp(name, "text:p") == 0) {
        if (--o->texts == 0) { /* a note's paragraph ends within that of its text */
            extract_heading_ends(o->x);
            extract_block(o->x);
        }
    } else if (strcmp(name, "table:table-row") == 0) {
        extract_row_ends(o->x);
    } else if (strcmp(name, "table:table") == 0) {
        extract_block(o->x);
    } else if (strcmp(name, "text:note") == 0) {
        extract_words(o->x, ")", 1);
    }
}

static void odt_text(void *arg, const char *s, size_t n)
{
    struct odt *o = arg;

    if (!o->skipped && o->texts)
        extract_words(o->x, s, n);
}

enum extract_fault extract_odt(struct extract *x)
{
    struct odt o = {.x = x};
    struct xml_reader r = {odt_start, odt_end, odt_text, &o, 0};
    struct bytes manifest;
    struct zip z;
    enum extract_fault f = zip_open(x, &z);

    if (f)
        return f;
    if (zip_read(&z, "META-INF/manifest.xml", &manifest) == EXTRACT_OK && strstr(manifest.p, "encryption-data"))
        return EXTRACT_ENCRYPTED;
    x->title = xml_first_text(&z, "meta.xml", "dc:title");
    x->language = xml_first_text(&z, "meta.xml", "dc:language");
    x->date = xml_first_text(&z, "meta.xml", "dc:date");
    f = xml_read_entry(&r, &z, "content.xml");
    return f == EXTRACT_NO_TEXT ? EXTRACT_MALFORMED : f;
}
