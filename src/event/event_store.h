/* Numbered events in MariaDB, and their copies in Redis Streams; only this room includes it. */
#ifndef LOCI_EVENT_STORE_H
#define LOCI_EVENT_STORE_H

#include "event.h"

#define EVENT_CHANNEL "loci:events" /* "ACCOUNT NUMBER": the newest event of the account */

struct event_stream {
    int64_t last_seq, published_seq;
    struct uuid position, swept_to;
    struct instant moved_at, swept_at;
};

/* That something happened. */
struct event_mark {
    struct uuid id;
    bool is_news;
};

/* Something that happened, as it was written with its change. */
struct event_source {
    struct uuid id;
    struct instant at;
    const char *kind, *subject_kind, *raw;
    struct uuid subject_id, space_id;
};

/* ---- the relay's; in its transaction */

/* The account's row, locked; made where it is missing, to begin behind `begin`. */
err event_store_lock(struct ctx *c, struct uuid begin, struct event_stream *s);
/* The first max behind `position`, in the order of id. */
err event_store_fresh(struct ctx *c, struct uuid position, size_t max, struct event_mark *rows, size_t *n);
/* Ids of news behind `from`, up to `to`, in their order; at most about max of them, and then *to becomes the last. */
err event_store_between(struct ctx *c, struct uuid from, struct uuid *to, size_t max, struct uuid **ids, size_t *n);
/* All ids of the batches that have one in that span. */
err event_store_numbered(struct ctx *c, struct uuid from, struct uuid to, struct uuid **ids, size_t *n);
/* In the order of id; those that are gone are left out. */
err event_store_by_ids(struct ctx *c, const struct uuid *ids, size_t n, struct event_source *rows, size_t *n_rows);
/* ids in their order. */
err event_store_add_batch(struct ctx *c, int64_t first_seq, const struct uuid *ids, size_t n);
err event_store_save(struct ctx *c, const struct event_stream *s);
err event_store_published(struct ctx *c, int64_t seq);
/* Accounts above `above` that have something to be relayed. */
err event_store_due(struct ctx *c, struct instant sweep_before, struct uuid above, struct uuid *ids, size_t max, size_t *n);
/* Events of the account without a number, counted up to max, and numbers that were not published. */
err event_store_waiting(struct ctx *c, int64_t max, int64_t *n);
/* Accounts with batches older than that, and at most limit batches less of one. */
err event_store_old(struct ctx *c, struct instant before, struct uuid above, struct uuid *ids, size_t max, size_t *n);
err event_store_purge(struct ctx *c, struct instant before, int64_t limit, int64_t *n);

/* ---- reading */

err event_store_bounds(struct ctx *c, int64_t *oldest, int64_t *newest);
err event_store_read(struct ctx *c, int64_t after, size_t max, struct event_page *out);

/* ---- Redis */

/* Appends events with consecutive numbers, and tells those who listen. *top: the newest number in the stream, when these are
 * not the next; then nothing was done. -1: they are in. */
err event_redis_append(struct ctx *c, const struct event *rows, size_t n, int64_t *top);
/* Only tells those who listen that the account's newest event has that number. */
err event_redis_tell(struct ctx *c, int64_t newest);
/* Does anybody listen to the account, at any host? */
err event_redis_heard(struct ctx *c, bool *heard);
/* Somebody does, for the next minute. */
err event_redis_listen(struct ctx *c);
err event_redis_drop(struct ctx *c);
err event_redis_read(struct ctx *c, int64_t after, size_t max, struct event **rows, size_t *n);

#endif
