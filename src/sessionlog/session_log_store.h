/* SQL of session logs. */
#ifndef LOCI_SESSION_LOG_STORE_H
#define LOCI_SESSION_LOG_STORE_H

#include "session_bloom.h"
#include "session_log.h"

err session_log_store_make(struct ctx *c, const struct session_head *h);
err session_log_store_get(struct ctx *c, struct uuid space_id, const char *external_id, bool lock, bool *found, struct session_head *out);
err session_log_store_list(struct ctx *c, const struct session_filter *f, struct uuids spaces, struct uuid before, struct page *out);
err session_log_store_insert(struct ctx *c, struct uuid session_id, const struct session_message *m, size_t n);
err session_log_store_save(struct ctx *c, const struct session_head *h);
err session_log_store_messages(struct ctx *c, struct uuid session_id, int64_t from, int64_t to, int64_t limit, struct list *out);
err session_log_store_drop(struct ctx *c, struct uuid session_id);

struct session_block {
    struct uuid session_id;
    int64_t first_seq, last_seq;
    struct instant newest_at;
    uint8_t filter[BLOOM_BYTES];
};
err session_log_store_seal(struct ctx *c, const struct session_block *b);

/* Blocks that may have it, newest first; *all: how many there are. */
struct session_place {
    struct uuid session_id;
    const char *external_id;
    int64_t first_seq, last_seq;
    struct instant newest_at;
};
err session_log_store_blocks(struct ctx *c, const struct session_search *s, struct uuids spaces, const uint32_t *places, size_t n_places,
                         struct list *out, int64_t *all);
/* Open tails: what is in no block yet. */
err session_log_store_tails(struct ctx *c, const struct session_search *s, struct uuids spaces, struct list *out);

#endif
