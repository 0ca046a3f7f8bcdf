/* The part of YAML that front matter needs: maps, lists, plain and quoted scalars, blocks, comments. Pure functions of text. */
#ifndef LOCI_YAML_FRONT_H
#define LOCI_YAML_FRONT_H

#include "json.h"

#define YAML_BYTES 16384
#define YAML_DEPTH 4  /* maps and lists in one another */
#define YAML_KEYS 500 /* values in all */
#define YAML_KEY 128  /* bytes of a key */

struct yaml_fault {
    int line;         /* 1 is the first of the text */
    const char *what; /* NULL: none */
};

/* The map that the text is, all scalars as texts; NULL: fault says where and why. Anchors, aliases, tags, merge keys, a key twice,
 * control characters and what is larger than the bounds are refused. A flow list or a quoted text that does not end is taken as it
 * stands. */
struct json *yaml_front_parse(struct arena *a, const char *text, struct yaml_fault *fault);
/* The same as others read it: plain scalars are null, truth values, numbers or texts; NULL: it cannot be read. */
struct json *yaml_front_typed(struct arena *a, const char *text);

/* A scalar as it is written: plain where that is safe, else in double quotes. */
void yaml_put_scalar(struct buf *out, const char *text);
/* One top-level key with its lines in a text of front matter replaced, or added at the end; value: text, or list of texts; NULL: taken
 * out. */
const char *yaml_front_with(struct arena *a, const char *text, const char *key, const struct json *value);

#endif
