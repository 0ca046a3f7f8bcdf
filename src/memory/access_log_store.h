/* The rows of the access log; only its service includes this. */
#ifndef LOCI_ACCESS_LOG_STORE_H
#define LOCI_ACCESS_LOG_STORE_H

#include "access_log.h"

struct access_row {
    struct uuid account_id, id, space_id, entry_id, user_id, agent_id;
    enum access_action action;
    enum access_type access_type;
    bool success, is_change;
    const char *error_message;
    int64_t version_before, version_after, size_change;
    const char *request_id, *ip, *user_agent;
    const struct json *metadata;
    struct instant created_at;
};

err access_log_store_insert(struct ctx *c, const struct access_row *rows, size_t n);
/* Adds them to the counters of their contexts. */
err access_log_store_count(struct ctx *c, const struct access_row *rows, size_t n);
/* Up to f->limit + 1 with an id below `before`. */
err access_log_store_list(struct ctx *c, struct uuid space_id, const struct access_filter *f, struct uuid before,
                          struct access_event **rows, size_t *n);
err access_log_store_due(struct ctx *c, struct instant before, struct uuid above, struct uuid *ids, size_t max, size_t *n);
err access_log_store_purge(struct ctx *c, struct instant before, int64_t limit, int64_t *n);

#endif
