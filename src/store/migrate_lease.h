/* One program migrates a schema at a time: a row says which one, and until when. */
#ifndef LOCI_MIGRATE_LEASE_H
#define LOCI_MIGRATE_LEASE_H

#include "ctx.h"

/* It writes on a connection of its own, so that others see it while a migration's transaction is open. */
struct migrate_lease {
    struct ctx side;
    struct uuid owner;
};

/* Waits for others. ERR_UNAVAILABLE: one is still at it. migrate_lease_end must follow in any case. */
err migrate_lease_take(struct ctx *c, struct migrate_lease *l);
/* For another MIGRATE_LEASE_S. ERR_UNAVAILABLE: it was over, and another program has it now. */
err migrate_lease_renew(struct ctx *c, struct migrate_lease *l);
void migrate_lease_end(struct migrate_lease *l);

#define MIGRATE_LEASE_S 60 /* of a killed program, until another may go on */

#endif
