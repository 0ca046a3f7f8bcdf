/* PPTX: a section for each slide that is shown, with its notes. See extract.h. */
#include <string.h>

#include "extract_xml.h"

#define PPTX_SLIDES 5000

struct pptx {
    struct extract *x;
    const char *ids[PPTX_SLIDES]; /* relations of the slides, in order */
    size_t n;
};

struct pptx_slide {
    struct extract *x;
    bool in_text, is_hidden, is_notes, is_number, has_title;
    struct buf title;
    bool in_title;
};

static void pptx_order_start(void *arg, const char *name, const char **attributes)
{
    struct pptx *p = arg;
    const char *id = xml_attribute(attributes, "r:id");

    if (strcmp(name, "p:sldId") == 0 && id && p->n < PPTX_SLIDES)
        p->ids[p->n++] = arena_strdup(p->x->arena, id);
}

static void pptx_slide_start(void *arg, const char *name, const char **attributes)
{
    struct pptx_slide *s = arg;
    const char *type = xml_attribute(attributes, "type"), *show = xml_attribute(attributes, "show");

    if (strcmp(name, "p:sld") == 0 && show && strcmp(show, "0") == 0) {
        s->is_hidden = true;
    } else if (strcmp(name, "p:sp") == 0) {
        s->in_title = s->is_number = false;
    } else if (strcmp(name, "p:ph") == 0 && type) {
        s->in_title = !s->is_notes && (strcmp(type, "title") == 0 || strcmp(type, "ctrTitle") == 0);
        s->is_number = strcmp(type, "sldNum") == 0 || strcmp(type, "sldImg") == 0;
        if (s->in_title && !s->is_hidden)
            extract_heading(s->x, 2);
    } else if (strcmp(name, "a:tc") == 0 && !s->is_hidden) {
        extract_cell(s->x);
    }
    s->in_text = strcmp(name, "a:t") == 0 && !s->is_hidden && !s->is_number;
}

static void pptx_slide_end(void *arg, const char *name)
{
    struct pptx_slide *s = arg;

    s->in_text = false;
    if (strcmp(name, "a:p") == 0)
        extract_line(s->x);
    else if (strcmp(name, "a:tr") == 0)
        extract_row_ends(s->x);
    else if (strcmp(name, "p:sp") == 0) {
        extract_heading_ends(s->x);
        extract_block(s->x);
    }
}

static void pptx_slide_text(void *arg, const char *t, size_t n)
{
    struct pptx_slide *s = arg;

    if (s->in_text)
        extract_words(s->x, t, n);
}

static enum extract_fault pptx_slide(struct extract *x, struct zip *z, const char *path)
{
    struct pptx_slide s = {.x = x}, notes = {.x = x, .is_notes = true};
    struct xml_reader r = {pptx_slide_start, pptx_slide_end, pptx_slide_text, &s, 0}, of_notes = r;
    struct xml_relations related;
    const char *path_of_notes;
    enum extract_fault f;

    extract_block(x);
    f = xml_read_entry(&r, z, path);
    if (f || s.is_hidden || xml_relations(z, path, &related) != EXTRACT_OK)
        return f == EXTRACT_NO_TEXT ? EXTRACT_OK : f;
    path_of_notes = xml_related(&related, NULL, "/notesSlide");
    of_notes.arg = &notes;
    f = path_of_notes ? xml_read_entry(&of_notes, z, path_of_notes) : EXTRACT_OK;
    return f == EXTRACT_NO_TEXT ? EXTRACT_OK : f;
}

enum extract_fault extract_pptx(struct extract *x)
{
    static const char MAIN[] = "ppt/presentation.xml";
    struct pptx *p = ARENA_NEW(x->arena, struct pptx);
    struct xml_reader order = {.start = pptx_order_start, .arg = p};
    struct xml_relations related;
    struct zip z;
    enum extract_fault f = zip_open(x, &z);

    p->x = x;
    if (f)
        return f;
    x->title = xml_first_text(&z, "docProps/core.xml", "dc:title");
    f = xml_read_entry(&order, &z, MAIN);
    if (!f)
        f = xml_relations(&z, MAIN, &related);
    for (size_t i = 0; i < p->n && !f; i++) {
        const char *path = xml_related(&related, p->ids[i], NULL);

        f = path ? pptx_slide(x, &z, path) : EXTRACT_OK;
    }
    return f == EXTRACT_NO_TEXT ? EXTRACT_MALFORMED : f;
}
