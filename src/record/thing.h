/* Things made, changed and removed by their table of columns: with version, audit event and whoever is to be told. What only one
 * kind of thing has (rules, what comes with it) its room does around these. Those that write belong inside the transaction of the
 * change (DB_TX). */
#ifndef LOCI_THING_H
#define LOCI_THING_H

#include "ctx.h"
#include "page.h"
#include "thing_table.h"

/* ERR_NOT_FOUND: "no such agent". */
err thing_get(struct ctx *c, const struct thing *t, struct uuid id, void *row);
/* To change it: ERR_PRECONDITION where the caller wants another version. */
err thing_take(struct ctx *c, const struct thing *t, struct uuid id, int64_t if_version, void *row);

/* A row that a caller in the house fills: every default. */
#define thing_defaults(t, row) field_defaults((t)->columns, (row))
/* Id, version, times, defaults of what is not given; then the limits. Before the checks that need an id. */
err thing_begin(struct ctx *c, const struct thing *t, void *row);
/* A second one where COL_UNIQUE forbids it: ERR_CONFLICT names it. */
err thing_insert(struct ctx *c, const struct thing *t, const void *row);

/* ch: struct x_change, which holds what to change in `to`. */
#define thing_apply(c, t, ch, row) \
    thing_apply_((c), (t), &(ch)->change, offsetof(typeof(*(ch)), to) + 0 * sizeof(&(ch)->to == (row)), &(ch)->to, (row))
err thing_apply_(struct ctx *c, const struct thing *t, const struct thing_change *ch, size_t at, const void *to, void *row);
/* row becomes what is stored: its next version, changed now. */
err thing_save(struct ctx *c, const struct thing *t, const struct thing_change *ch, const void *was, void *row);
err thing_remove(struct ctx *c, const struct thing *t, const void *row, int64_t if_version);

/* The audit event of a change that does not go through the above, and `changed`. NULL: no before, no after. */
err thing_note(struct ctx *c, const struct thing *t, const char *verb, struct uuid id, const struct json *before, const struct json *after);

/* ---- the services of a plain thing, each in its transaction; one that has rules has services of its own around the above */

/* Newest first. */
err thing_list(struct ctx *c, const struct thing *t, const struct thing_page *in, struct page *out);
err thing_create(struct ctx *c, const struct thing *t, const void *in, void *out);
/* ch: struct x_change; out: struct x. */
#define thing_update(c, t, ch, out) \
    thing_update_((c), (t), &(ch)->change, offsetof(typeof(*(ch)), to) + 0 * sizeof(&(ch)->to == (out)), &(ch)->to, (out))
err thing_update_(struct ctx *c, const struct thing *t, const struct thing_change *ch, size_t at, const void *to, void *out);
err thing_delete(struct ctx *c, const struct thing *t, const struct thing_key *key);

#endif
