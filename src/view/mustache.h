/* Mustache templates: parsed once into a compact program, rendered from any kind of value through a lookup interface.
 *
 * The core of the specification and its inheritance ({{<parent}} {{$block}}). Values are escaped for HTML unless the
 * template says {{{x}}} or {{&x}}. Lambdas and dynamic names do not exist here. False are: false, null, "", 0, an empty
 * list, a missing name.
 */
#ifndef LOCI_MUSTACHE_H
#define LOCI_MUSTACHE_H

#include <stdbool.h>
#include <stddef.h>

#include "json.h"
#include "str.h"

#define MUSTACHE_TEMPLATE_MAX (1024u * 1024) /* bytes of one template */
#define MUSTACHE_NEST_MAX 250                /* sections, partials and blocks inside each other, while rendering */

struct mustache;     /* a parsed template */
struct mustache_set; /* templates that know each other by name */

/* How the renderer asks about a value, which it only knows as a pointer that is not NULL. */
struct mustache_lookup {
    const void *(*member)(const void *value, const char *name); /* NULL: it has none of that name */
    bool (*is_true)(const void *value);
    bool (*is_list)(const void *value);
    const void *(*next)(const void *list, const void *item); /* item NULL: the first one; NULL: no more */
    /* Its text and length. May build it in scratch, which is empty. */
    const char *(*text)(const void *value, struct buf *scratch, size_t *len);
};

/* Values are `struct json`. Lists and objects have their JSON as text; JSON_RAW is a text that is not looked into. */
extern const struct mustache_lookup mustache_json;

/* Everything of the set lives in the arena. After mustache_link() the set never changes: threads may share it. */
struct mustache_set *mustache_set_new(struct arena *a);
/* From now on {{{x}}} and {{&x}} are refused unless the name ends so; NULL (at first): allowed everywhere. */
void mustache_set_raw_suffix(struct mustache_set *set, const char *suffix);
/* The most operations and bytes one rendering may take. */
void mustache_set_limits(struct mustache_set *set, size_t steps, size_t bytes);

/* Parses; text is copied. On failure *why is "file:line: what is wrong". */
bool mustache_add(struct mustache_set *set, const char *name, const char *file, const char *text, size_t n,
                  const char **why);
/* Ties the names of partials and parents to templates. strict: a name without template is an error, else it is empty. */
bool mustache_link(struct mustache_set *set, bool strict, const char **why);
const struct mustache *mustache_find(const struct mustache_set *set, const char *name);

enum mustache_fault { MUSTACHE_OK, MUSTACHE_TOO_DEEP, MUSTACHE_TOO_MUCH };

/* Appends to out. After a fault out holds what had been written until then. */
enum mustache_fault mustache_render(const struct mustache *t, const struct mustache_lookup *lookup, const void *value,
                                    struct buf *out);

#endif
