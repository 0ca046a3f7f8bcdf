/* Finding an object's members by name, in large objects too. */
#ifndef LOCI_JSON_NAMES_H
#define LOCI_JSON_NAMES_H

#include "json.h"

/* Belongs to one object, follows it as it grows; {.arena = a} to begin with. */
#define JSON_NAMES_WALK 8 /* members up to which a walk is quicker than a table */

struct json_names {
    struct arena *arena;
    const struct json **slot;
    size_t slots;
    const struct json *last; /* the last member in the table */
    uint8_t secret[16];
};

/* What json_get() answers, in constant time. */
const struct json *json_names_get(struct json_names *t, const struct json *obj, const char *name);

#endif
