/* Reading XML; see extract_xml.h. */
#include "extract_xml.h"

#include <expat.h>
#include <string.h>

struct xml_run {
    struct xml_reader *reader;
    XML_Parser parser;
    enum extract_fault fault;
};

static void xml_stop(struct xml_run *run, enum extract_fault fault)
{
    run->fault = fault;
    XML_StopParser(run->parser, XML_FALSE);
}

static void xml_no_doctype(void *arg, const XML_Char *name, const XML_Char *system_id, const XML_Char *public_id, int has_inner)
{
    (void)name, (void)system_id, (void)public_id, (void)has_inner;
    xml_stop(arg, EXTRACT_MALFORMED);
}

static void xml_on_start(void *arg, const XML_Char *name, const XML_Char **attributes)
{
    struct xml_run *run = arg;

    if (++run->reader->depth > EXTRACT_XML_DEPTH)
        xml_stop(run, EXTRACT_MALFORMED);
    else if (run->reader->start)
        run->reader->start(run->reader->arg, name, attributes);
}

static void xml_on_end(void *arg, const XML_Char *name)
{
    struct xml_run *run = arg;

    run->reader->depth--;
    if (run->reader->end)
        run->reader->end(run->reader->arg, name);
}

static void xml_on_text(void *arg, const XML_Char *s, int n)
{
    struct xml_run *run = arg;

    if (run->reader->text)
        run->reader->text(run->reader->arg, s, (size_t)n);
}

enum extract_fault xml_read(struct xml_reader *r, struct bytes in)
{
    struct xml_run run = {.reader = r, .parser = XML_ParserCreate(NULL)};
    enum XML_Status status;

    if (!run.parser)
        return EXTRACT_NO_MEMORY;
    r->depth = 0;
    XML_SetUserData(run.parser, &run);
    XML_SetElementHandler(run.parser, xml_on_start, xml_on_end);
    XML_SetCharacterDataHandler(run.parser, xml_on_text);
    XML_SetStartDoctypeDeclHandler(run.parser, xml_no_doctype);
    status = XML_Parse(run.parser, in.p, (int)in.n, 1);
    if (status != XML_STATUS_OK && !run.fault)
        run.fault = XML_GetErrorCode(run.parser) == XML_ERROR_NO_MEMORY ? EXTRACT_NO_MEMORY : EXTRACT_MALFORMED;
    XML_ParserFree(run.parser);
    return run.fault;
}

enum extract_fault xml_read_entry(struct xml_reader *r, struct zip *z, const char *name)
{
    struct bytes in;
    enum extract_fault f = zip_read(z, name, &in);

    return f ? f : xml_read(r, in);
}

const char *xml_attribute(const char **attributes, const char *name)
{
    for (; attributes[0]; attributes += 2)
        if (strcmp(attributes[0], name) == 0)
            return attributes[1];
    return NULL;
}

/* ---- one element */

struct xml_wanted {
    const char *element;
    struct buf text;
    bool is_in, is_done;
};

static void wanted_start(void *arg, const char *name, const char **attributes)
{
    struct xml_wanted *w = arg;

    (void)attributes;
    w->is_in = !w->is_done && strcmp(name, w->element) == 0;
}

static void wanted_end(void *arg, const char *name)
{
    struct xml_wanted *w = arg;

    if (w->is_in && strcmp(name, w->element) == 0)
        w->is_done = true;
    w->is_in = false;
}

static void wanted_text(void *arg, const char *s, size_t n)
{
    struct xml_wanted *w = arg;

    if (w->is_in)
        buf_add(&w->text, s, n);
}

const char *xml_first_text(struct zip *z, const char *entry, const char *element)
{
    struct xml_wanted w = {.element = element};
    struct xml_reader r = {wanted_start, wanted_end, wanted_text, &w, 0};

    buf_init(&w.text, z->x->arena, 128);
    if (xml_read_entry(&r, z, entry) || !w.text.len)
        return NULL;
    return buf_str(&w.text);
}

/* ---- relations */

const char *xml_beside(struct arena *a, const char *from, const char *target)
{
    const char *slash = strrchr(from, '/');
    size_t n = slash ? (size_t)(slash - from) + 1 : 0;

    if (*target == '/')
        return target + 1;
    while (strncmp(target, "../", 3) == 0) {
        target += 3;
        n -= n ? 1 : 0;
        while (n && from[n - 1] != '/')
            n--;
    }
    return arena_printf(a, "%.*s%s", (int)n, from, target);
}

struct relations_reading {
    struct zip *z;
    const char *part;
    struct xml_relations *out;
};

static void relations_start(void *arg, const char *name, const char **attributes)
{
    struct relations_reading *rr = arg;
    struct xml_relations *out = rr->out;
    const char *id = xml_attribute(attributes, "Id"), *type = xml_attribute(attributes, "Type"),
               *target = xml_attribute(attributes, "Target");
    struct arena *a = rr->z->x->arena;

    if (strcmp(name, "Relationship") != 0 || !id || !type || !target || out->n == EXTRACT_ENTRIES)
        return;
    if (out->n == out->cap) {
        struct xml_relation *more = ARENA_ARRAY(a, struct xml_relation, out->cap = out->cap ? 2 * out->cap : 16);

        if (out->n)
            memcpy(more, out->v, out->n * sizeof *more);
        out->v = more;
    }
    out->v[out->n++] = (struct xml_relation){arena_strdup(a, id), arena_strdup(a, type), xml_beside(a, rr->part, arena_strdup(a, target))};
}

enum extract_fault xml_relations(struct zip *z, const char *part, struct xml_relations *out)
{
    const char *slash = strrchr(part, '/');
    int folder = slash ? (int)(slash - part) + 1 : 0;
    struct relations_reading rr = {z, part, out};
    struct xml_reader r = {.start = relations_start, .arg = &rr};

    *out = (struct xml_relations){0};
    return xml_read_entry(&r, z, arena_printf(z->x->arena, "%.*s_rels/%s.rels", folder, part, part + folder));
}

const char *xml_related(const struct xml_relations *r, const char *id, const char *type_end)
{
    for (size_t i = 0; i < r->n; i++) {
        size_t n = strlen(r->v[i].type), end = type_end ? strlen(type_end) : 0;

        if (id ? strcmp(r->v[i].id, id) == 0 : n >= end && strcmp(r->v[i].type + n - end, type_end) == 0)
            return r->v[i].target;
    }
    return NULL;
}
