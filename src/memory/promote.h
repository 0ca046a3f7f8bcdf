/* From short-term to long-term memory: what was read three times becomes an entry, and what expires unread goes. */
#ifndef LOCI_PROMOTE_H
#define LOCI_PROMOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctx.h"
#include "entry.h"
#include "short_term.h"

#define PROMOTE_ATTEMPTS 5    /* then it has failed */
#define PROMOTE_FAILED_DAYS 7 /* what has failed is kept so long beyond its expiry */
#define PROMOTE_AT_ONCE 200   /* rows that one call consolidates */

#define PROMOTION(X) \
    X(PROMOTION_NONE, "none") X(PROMOTION_MADE, "promoted") X(PROMOTION_DUPLICATE, "duplicate") X(PROMOTION_ECHO, "echo") \
    X(PROMOTION_FAILED, "failed")
ENUMX_DECLARE(promotion, PROMOTION);

#define PROMOTE_ALIKES 4 /* entries that are looked at again */

/* A row that is about to be promoted, and what may say the same; that holds as long as its version does. */
struct promote_look {
    struct uuid id;
    int64_t version;      /* 0: it was not compared */
    struct uuid space_id; /* where it is compared */
    bool is_fact;
    const char *text; /* its content; the key is a name */
    struct bytes content_hash;
    size_t n;
    struct uuid alikes[PROMOTE_ALIKES]; /* entries, the nearest first */
    const struct promote_look *before;  /* a row promoted before it; NULL: none */
    struct uuid became;                 /* the entry that it became or was found to be, for those behind it */
};
struct promote_looks {
    struct promote_look *rows; /* in the order of ids */
    size_t n;
};
/* All at once, so that the vectors of a context are read once. Where no model answers nothing is alike. Not inside a transaction. */
err promote_look(struct ctx *c, const struct uuid *ids, size_t n, struct promote_looks *out);
/* When they are promoted: the entries that were made get vectors, so that the next rows are compared with them at no extra cost. If
 * it fails, the task that makes vectors finds them. */
void promote_give_vectors(struct ctx *c, const struct promote_looks *l);

/* Puts one row into "<agent> Long-Term Memory" in one transaction: a new entry, or a new version of the one with its key; one that
 * says the same already (by its text, or as dedup would say) is a duplicate, and so is an echo of what the agent was shown, which leads to what was shown. none: it is gone, promoted already, or not used enough. A failure is counted on
 * the row, and *why (else NULL) says it; only what passes (a store is away) is an error. A key that has other content from another
 * session is left as it is: the row becomes an entry of its own, see long_term_session_key(). The row lives on until its
 * time is over. *out is set before the commit, for c->before_commit. */
err promote_one(struct ctx *c, struct promote_look *row, enum promotion *out, const char **why);

/* The entry type that a short-term type becomes. */
enum entry_type promote_entry_type(enum short_term_type t);

/* Rows to be promoted, of the account, or of one agent (and session), with ids above `above`, ascending. */
struct promote_filter {
    struct uuid above, agent_id; /* agent nil: any */
    const char *session_id;      /* NULL: any */
};
err promote_due(struct ctx *c, const struct promote_filter *f, struct uuid *ids, size_t max, size_t *n);
/* Accounts with such rows, and accounts with expired ones. */
err promote_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);
err promote_expired_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);

/* A row whose promotion is to be promised. */
struct promise {
    struct uuid id;
    int64_t version;
};
/* In the caller's transaction, at most max expired rows each: those that were used enough are queued for promotion … */
err promote_queue_expired(struct ctx *c, size_t max, struct promise *promised, size_t *n);
/* … and the others are deleted. */
err promote_delete_expired(struct ctx *c, int64_t max, int64_t *n);

struct consolidated {
    int64_t promoted, duplicates, failed;
    int64_t queued;  /* still to be done */
    int64_t expired; /* of those, beyond their time to live */
};
/* At most PROMOTE_AT_ONCE rows of the agent now. Asks the gate. */
err promote_agent(struct ctx *c, struct uuid agent_id, const char *session_id, struct consolidated *out);

#endif
