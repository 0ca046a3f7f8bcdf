/* The rows of the audit trail; only audit.c, and stores that write their event along, include this. */
#ifndef LOCI_AUDIT_STORE_H
#define LOCI_AUDIT_STORE_H

#include "audit.h"
#include "db.h"

#define AUDIT_INSERT \
    "INSERT INTO audit_event (account_id, id, at, kind, actor_kind, actor_id, subject_kind, subject_id, space_id, " \
    "request_id, ip, before_state, after_state, payload, is_news) VALUES "
#define AUDIT_ROW "(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"
#define AUDIT_VALUES(c, e) \
    IN((c)->account_id), IN((e)->id), IN((e)->at), IN((e)->kind), IN((e)->actor_kind), IN_OPT((e)->actor_id), \
        IN((e)->subject_kind), IN_OPT((e)->subject_id), IN_OPT((e)->space_id), IN((e)->request_id), IN((e)->ip), \
        IN_OPT(audit_store_text((c), (e)->before)), IN_OPT(audit_store_text((c), (e)->after)), \
        IN_OPT(audit_store_text((c), (e)->payload)), IN((e)->is_news)

/* What only came to be, as most events: columns that are NULL are not sent, because each costs something on either side. */
#define AUDIT_MADE_INSERT \
    "INSERT INTO audit_event (account_id, id, at, kind, actor_kind, actor_id, subject_kind, subject_id, space_id, " \
    "request_id, ip, after_state, is_news) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)"
#define AUDIT_MADE_VALUES(c, e) \
    IN((c)->account_id), IN((e)->id), IN((e)->at), IN((e)->kind), IN((e)->actor_kind), IN_OPT((e)->actor_id), \
        IN((e)->subject_kind), IN_OPT((e)->subject_id), IN_OPT((e)->space_id), IN((e)->request_id), IN((e)->ip), \
        IN_OPT(audit_store_text((c), (e)->after)), IN((e)->is_news)

/* The tree as text; NULL stays NULL. */
const char *audit_store_text(struct ctx *c, const struct json *j);

err audit_store_insert(struct ctx *c, const struct audit_event *e);
err audit_store_insert_many(struct ctx *c, const struct audit_event *e, size_t n);
/* Up to f->limit + 1 events with an id below `before`. */
err audit_store_list(struct ctx *c, const struct audit_filter *f, struct uuid before, struct audit_event **rows, size_t *n);
err audit_store_purge(struct ctx *c, struct instant older_than, int64_t limit, int64_t *n);

#endif
