/* The rows of the outbox; only outbox.c, and stores that write their event along, include this. */
#ifndef LOCI_OUTBOX_STORE_H
#define LOCI_OUTBOX_STORE_H

#include "db.h"
#include "json.h"
#include "outbox.h"

#define OUTBOX_INSERT "INSERT INTO outbox (account_id, id, at, kind, subject_id, space_id, payload) VALUES "
#define OUTBOX_ROW "(?,?,?,?,?,?,?)"
#define OUTBOX_VALUES(c, o) \
    IN((c)->account_id), IN(uuid_new((c)->now.us)), IN((c)->now), IN((o)->kind), IN_OPT((o)->subject_id), \
        IN_OPT((o)->space_id), IN((o)->payload ? json_text((c)->arena, (o)->payload) : "{}")

err outbox_store_insert(struct ctx *c, const struct outbox *o);
err outbox_store_insert_many(struct ctx *c, const struct outbox *o, size_t n);
err outbox_store_purge(struct ctx *c, struct instant older_than, int64_t limit, int64_t *n);

#endif
