/* SQL of short-term memory. */
#ifndef LOCI_SHORT_TERM_STORE_H
#define LOCI_SHORT_TERM_STORE_H

#include "db.h"
#include "live_search.h"
#include "short_term.h"

#define SHORT_TERM_COLUMNS \
    "id, agent_id, session_id, memory_key, memory_value, memory_type, tags, ttl_seconds, expires_at, access_count," \
    " last_accessed_at, version, content_hash, promote_state, promote_attempts, promote_error, promoted_node_id, created_at," \
    " updated_at"
/* The next row of a statement that asked for these. */
err short_term_store_row(struct ctx *c, struct db_cursor *q, bool *found, struct short_term *s);

/* Live or expired; locks the row. */
err short_term_store_lock(struct ctx *c, const struct short_term_key *at, bool *found, struct short_term *out);
/* Live ones only. */
err short_term_store_by_key(struct ctx *c, const struct short_term_key *at, bool *found, struct short_term *out);
err short_term_store_get(struct ctx *c, struct uuid agent_id, struct uuid id, bool *found, struct short_term *out);
err short_term_store_list(struct ctx *c, const struct short_term_filter *f, struct uuid before, struct short_term **rows, size_t *n);
/* Live rows, of any session when that is NULL, with the beginnings of their values: those in which one of the words stands, in whatever
 * case, newest first. */
err short_term_store_heads(struct ctx *c, struct uuid agent_id, const char *session_id, struct strs words, int64_t chars,
                           struct live_key *rows, size_t max, size_t *n);
err short_term_store_count(struct ctx *c, struct uuid agent_id, int64_t *live);
err short_term_store_sessions(struct ctx *c, struct uuid agent_id, struct short_term_count *rows, size_t max, size_t *n);
err short_term_store_counts(struct ctx *c, const struct uuid *agents, size_t n, struct short_term_count *rows, size_t *found);
err short_term_store_insert(struct ctx *c, const struct short_term *s);
err short_term_store_update(struct ctx *c, const struct short_term *s);
/* A use of a live row; one that makes it worth remembering queues it. */
err short_term_store_touch(struct ctx *c, const struct short_term_key *at, bool *found);
err short_term_store_extend(struct ctx *c, struct uuid agent_id, struct uuid id, int64_t *changed);
err short_term_store_delete(struct ctx *c, const struct short_term_key *at, int64_t *n);

#endif
