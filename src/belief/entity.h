/* Entities: what facts are about. A name leads to one by its normal form, within a space. */
#ifndef LOCI_ENTITY_H
#define LOCI_ENTITY_H

#include "ctx.h"
#include "json.h"
#include "list.h"
#include "page.h"
#include "thing_table.h"

#define ENTITY_NAME 255
#define ENTITY_ALIASES 50

struct entity {
    struct uuid id, space_id;
    const char *canonical_name, *description, *entity_type;
    const struct json *attributes;
    int64_t mention_count, fact_count, version;
    struct strs aliases; /* of one that is read by its id */
    struct instant created_at, updated_at;
};
extern const struct thing ENTITY; /* read only: from several tables */
extern const struct field ENTITY_COLUMNS[];

struct entity_filter {
    const char *q; /* beginning of a name, in any form; NULL: all */
    const char *type;
    struct uuid space_id;
    int64_t limit;
    const char *cursor;
};
err entity_list(struct ctx *c, const struct entity_filter *f, struct page *out);
/* Of one that was merged into another: that one. */
err entity_get(struct ctx *c, struct uuid id, struct entity *out);

struct entity_changing {
    struct uuid id;
    int64_t if_version;
    const char *canonical_name, *entity_type, *description;
    struct strs add_aliases, remove_aliases;
    const struct json *attributes; /* merged: RFC 7396 */
};
err entity_update(struct ctx *c, const struct entity_changing *in, struct entity *out);

struct entity_splitting {
    struct uuid id;
    const char *name; /* NULL: the first of the aliases */
    struct uuids fact_ids, episode_ids;
    struct strs aliases;
    bool dry_run;
};
struct entity_split {
    struct uuid id; /* of the new entity; nil in a dry run */
    int64_t claims, facts, aliases;
    bool is_dry_run;
};
/* These facts, what was read of it out of these episodes, and these names are another thing's: a new entity, to which they go. Merging
 * both takes it back. */
err entity_split(struct ctx *c, const struct entity_splitting *in, struct entity_split *out);

/* The normal form of a name: no case, accents, articles, honorifics, possessive or punctuation at its ends. "" for no name. */
const char *entity_norm(struct arena *a, const char *name);

struct entity_name {
    const char *surface, *type; /* type NULL: not known */
    bool mint;                  /* made where it is not there */
    struct uuid id;             /* out: nil: nobody has the name */
    bool was_made;              /* out */
    bool was_new;               /* out: this name of it was not known */
};
/* All names of a text at once, in one look: those that are there are counted, the others made where that is wanted. Inside the
 * caller's transaction; the gate is asked. */
err entity_resolve(struct ctx *c, struct uuid space_id, struct entity_name *names, size_t n);

#endif
