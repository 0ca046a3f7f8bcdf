/* Turns of the relay; see relay.h and docs/decisions/0012-news.md. */
#include "relay.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "config.h"
#include "db.h"
#include "event_store.h"
#include "webhook.h"

/* Transactions commit in another order than their ids. Each turn looks back a little, and now and then far: longer than any
 * transaction takes. */
#define NEAR_US (3 * SECOND_US)
#define FAR_US (300 * SECOND_US)
#define SWEEP_EVERY_US (10 * SECOND_US)
#define SKEW_US (15 * SECOND_US)     /* hosts may disagree on the time by this */
#define PUBLISH_AT_ONCE 200
#define CATCH_UP_MAX 5000            /* a stream in Redis that is further behind is begun anew */

struct turn {
    struct event_stream s;
    struct event_source *rows;       /* what is new, in the order of id */
    size_t n;
    int64_t first_seq;
    struct event *events;            /* the same, numbered and as they are told */
    bool more;
};

static int64_t time_of(struct uuid id)
{
    int64_t ms = 0;

    for (int i = 0; i < 6; i++)
        ms = ms << 8 | id.b[i];
    return ms * 1000;
}

/* ---- what committed late */

static int by_bytes(const void *a, const void *b)
{
    return uuid_cmp(*(const struct uuid *)a, *(const struct uuid *)b);
}

/* Those of the near (or far) past that have no number yet. */
static err find_late(struct ctx *c, struct turn *t, bool far, struct uuid **late, size_t *n_late)
{
    int64_t from_us = time_of(t->s.position) - (far ? FAR_US : NEAR_US);
    struct uuid *there, *known;
    size_t n, n_known;

    *n_late = 0;
    *late = NULL;
    if (from_us < 0)
        return ERR_OK;
    TRY(event_store_between(c, uuid_floor(from_us), t->s.position, &there, &n));
    if (!n)
        return ERR_OK;
    TRY(event_store_numbered(c, (struct instant){ from_us - SKEW_US }, &known, &n_known));
    qsort(known, n_known, sizeof *known, by_bytes);
    *late = there;
    for (size_t i = 0; i < n && *n_late < RELAY_BATCH; i++)
        if (!n_known || !bsearch(&there[i], known, n_known, sizeof *known, by_bytes))
            there[(*n_late)++] = there[i];
    return ERR_OK;
}

/* ---- numbering */

static err gather(struct ctx *c, struct turn *t, bool far)
{
    struct event_source *fresh = ARENA_ARRAY(c->arena, struct event_source, RELAY_BATCH);
    struct uuid *late;
    size_t n_late, n;

    TRY(find_late(c, t, far, &late, &n_late));
    t->rows = ARENA_ARRAY(c->arena, struct event_source, n_late + RELAY_BATCH);
    TRY(event_store_by_ids(c, late, n_late, t->rows, &t->n));
    TRY(event_store_fresh(c, t->s.position, RELAY_BATCH, fresh, &n));
    for (size_t i = 0; i < n; i++)
        if (fresh[i].is_news)
            t->rows[t->n++] = fresh[i];
    if (n)
        t->s.position = fresh[n - 1].id;
    t->more = n == RELAY_BATCH || n_late == RELAY_BATCH;
    return ERR_OK;
}

static struct event *events_of(struct ctx *c, const struct turn *t)
{
    struct event *e = ARENA_ARRAY(c->arena, struct event, t->n + 1);

    for (size_t i = 0; i < t->n; i++) {
        const struct event_source *r = &t->rows[i];

        e[i] = (struct event){ .id = t->first_seq + (int64_t)i, .event_id = r->id, .kind = r->kind, .at = r->at,
                               .subject_kind = r->subject_kind, .subject_id = r->subject_id, .space_id = r->space_id };
        event_tell(c, &e[i], r->raw);
    }
    return e;
}

static err turn_body(struct ctx *c, void *arg)
{
    struct turn *t = arg;
    struct uuid begin = uuid_floor(c->now.us - c->app->conf->outbox_days * DAY_US), *ids;
    bool far;

    TRY(event_store_lock(c, begin, &t->s));
    far = c->now.us - t->s.swept_at.us >= SWEEP_EVERY_US;
    TRY(gather(c, t, far));
    if (far)
        t->s.swept_at = c->now;
    t->first_seq = t->s.last_seq + 1;
    if (!t->n)
        return event_store_save(c, &t->s);
    ids = ARENA_ARRAY(c->arena, struct uuid, t->n);
    for (size_t i = 0; i < t->n; i++)
        ids[i] = t->rows[i].id;
    t->s.last_seq += (int64_t)t->n;
    t->s.moved_at = c->now;
    t->events = events_of(c, t);
    TRY(webhook_take(c, t->events, t->n));
    TRY(event_store_add_batch(c, t->first_seq, ids, t->n));
    return event_store_save(c, &t->s);
}

/* ---- publishing */

/* Brings the stream from `from` to `to`, from the tables. */
static err catch_up(struct ctx *c, int64_t from, int64_t to)
{
    struct event_page page;
    int64_t top;

    if (to - from > CATCH_UP_MAX) {
        TRY(event_redis_drop(c));
        from = to - CATCH_UP_MAX;
    }
    while (from < to) {
        TRY(event_store_read(c, from, PUBLISH_AT_ONCE, &page));
        if (!page.n) {                   /* no longer kept: the stream begins anew behind it */
            TRY(event_redis_drop(c));
            return ERR_OK;
        }
        TRY(event_redis_append(c, page.rows, page.n, &top));
        from = top < 0 ? page.rows[page.n - 1].id : top;
    }
    return ERR_OK;
}

static err publish_some(struct ctx *c, const struct event *rows, size_t n)
{
    int64_t top;

    for (int tries = 0; tries < 3; tries++) {
        TRY(event_redis_append(c, rows, n, &top));
        if (top < 0)
            return ERR_OK;
        TRY(catch_up(c, top, rows[0].id - 1));
    }
    return fail(c, ERR_CONFLICT, "the event stream is being filled by another");
}

static err publish(struct ctx *c, const struct turn *t)
{
    if (!t->n)
        return catch_up(c, t->s.published_seq, t->s.last_seq);
    for (size_t i = 0; i < t->n; i += PUBLISH_AT_ONCE)
        TRY(publish_some(c, &t->events[i], t->n - i < PUBLISH_AT_ONCE ? t->n - i : PUBLISH_AT_ONCE));
    return ERR_OK;
}

err relay_turn(struct ctx *c, struct relay_done *out)
{
    struct turn t = { 0 };

    assert(!db_in_tx(c));
    *out = (struct relay_done){ 0 };
    TRY(db_tx(c, turn_body, &t));
    out->numbered = (int64_t)t.n;
    out->more = t.more;
    if (t.s.published_seq >= t.s.last_seq)
        return ERR_OK;
    TRY(publish(c, &t));
    out->published = t.s.last_seq - t.s.published_seq;
    return event_store_published(c, t.s.last_seq);
}

err relay_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    return event_store_due(c, (struct instant){ c->now.us - SWEEP_EVERY_US }, (struct instant){ c->now.us - FAR_US - 60 * SECOND_US },
                           above, ids, max, n);
}

static struct instant kept_since(const struct ctx *c)
{
    return (struct instant){ c->now.us - c->app->conf->outbox_days * DAY_US };
}

err relay_purge_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    return event_store_old(c, kept_since(c), above, ids, max, n);
}

err relay_purge(struct ctx *c, int64_t limit, int64_t *n)
{
    return event_store_purge(c, kept_since(c), limit, n);
}
