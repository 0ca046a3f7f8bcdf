/* Forward-only schema changes from sql/NNNN-name.sql, each recorded with its checksum. */
#ifndef LOCI_MIGRATE_H
#define LOCI_MIGRATE_H

#include "ctx.h"

struct migrate_report {
    int applied, present; /* applied now; already there */
    const char *last;     /* name of the newest one */
};

/* ERR_UNAVAILABLE on a node of a Galera cluster. Makes the database where it is missing. */
err migrate_check_alone(struct ctx *c);
/* Applies what is missing, in order, while no other program does (a row with a lease, which all nodes of a cluster see). A failed one is named and leaves nothing
 * behind that a second run cannot redo; a recorded one whose text has changed stops everything. */
err migrate_run(struct ctx *c, const char *sql_dir, struct migrate_report *report);
/* ERR_UNAVAILABLE, with a sentence, when the schema is not the one this program wants. */
err migrate_check(struct ctx *c, const char *sql_dir);

#endif
