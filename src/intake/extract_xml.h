/* XML by expat, without document types, entities of their own and great depth. */
#ifndef LOCI_EXTRACT_XML_H
#define LOCI_EXTRACT_XML_H

#include "extract_zip.h"

/* Names are as in the file, with their prefix ("w:p"): the offices' programs write no others. */
struct xml_reader {
    void (*start)(void *arg, const char *name, const char **attributes);
    void (*end)(void *arg, const char *name);
    void (*text)(void *arg, const char *s, size_t n);
    void *arg;
    int depth;
};

enum extract_fault xml_read(struct xml_reader *r, struct bytes in);
/* The same of an entry of a zip file. */
enum extract_fault xml_read_entry(struct xml_reader *r, struct zip *z, const char *name);
const char *xml_attribute(const char **attributes, const char *name);

/* The text of the first element of that name in an entry; NULL: there is none. */
const char *xml_first_text(struct zip *z, const char *entry, const char *element);

/* A path of a zip entry, as one beside `from` means it; "..": up. */
const char *xml_beside(struct arena *a, const char *from, const char *target);

/* The relations of a part ("_rels/x.xml.rels"): of an id, or the first of a kind. NULL: none. */
struct xml_relation {
    const char *id, *type, *target;
};
struct xml_relations {
    struct xml_relation *v;
    size_t n, cap;
};
enum extract_fault xml_relations(struct zip *z, const char *part, struct xml_relations *out);
const char *xml_related(const struct xml_relations *r, const char *id, const char *type_end);

#endif
