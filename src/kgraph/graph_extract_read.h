/* What a text says: names and relations between them, by rules or by a model. Nothing is stored. */
#ifndef LOCI_GRAPH_EXTRACT_READ_H
#define LOCI_GRAPH_EXTRACT_READ_H

#include "ctx.h"
#include "graph_extract.h"

/* One thing that a text says. */
struct extract_said {
    const char *subject, *subject_type, *relation, *object, *object_type, *quote, *rule_id;
    bool object_is_entity, negative;
    int modality; /* of fact_modality */
    struct instant at, until;
    double confidence;
    size_t start, end; /* bytes of the quote */
};

struct extract_reading {
    struct extract_rules *rules; /* read once */
    const char *rule_set;        /* their name */
    enum extract_method method;
    int64_t calls, most_calls, tokens;
    const char *degraded; /* why no model was asked; a literal; NULL: the method did what was wanted */
};
err extract_begin(struct ctx *c, enum extract_method method, int64_t most_calls, struct extract_reading *r);
/* Not inside a transaction: a model may be asked. */
err extract_read(struct ctx *c, struct extract_reading *r, const char *text, struct instant at, struct extract_said **out, size_t *n);
/* Names that stand in the text: of struct graph_entity_found. */
void extract_names(struct ctx *c, const char *text, struct list *out);

#endif
