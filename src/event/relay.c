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

/* Transactions commit in another order than their ids. Who relays what it has committed itself knows how far back that can be; the
 * job, which knows nothing, looks back NEAR_US each time, and once for good at all that is older than any transaction takes. */
#define NEAR_US (30 * SECOND_US)
#define FAR_US (300 * SECOND_US)
#define SWEEP_EVERY_US (10 * SECOND_US)
#define SWEEP_AT_ONCE 20000
#define KEPT_MARGIN_US (3600 * SECOND_US) /* batches may be let go of while they are looked for */
#define ALL 10000000
#define PUBLISH_AT_ONCE 200
#define CATCH_UP_MAX 5000 /* a stream in Redis that is further behind is begun anew */

struct turn {
    struct instant since; /* 0: not known */
    bool heard;           /* somebody listens, or nobody knows */
    struct event_stream s;
    struct uuid *ids; /* what is new, in the order of id */
    size_t n;
    int64_t first_seq;
    struct event *events; /* the same, numbered and as they are told; NULL: nobody has asked yet */
    size_t n_events;      /* less than n: the trail was cut meanwhile */
    bool more;
};

static int64_t relay_time_of(struct uuid id)
{
    int64_t ms = 0;

    for (int i = 0; i < 6; i++)
        ms = ms << 8 | id.b[i];
    return ms * 1000;
}

static struct uuid before(int64_t us)
{
    return uuid_floor(us > 0 ? us : 0);
}

static struct uuid relay_later(struct uuid a, struct uuid b)
{
    return uuid_cmp(a, b) > 0 ? a : b;
}

static struct uuid earlier(struct uuid a, struct uuid b)
{
    return uuid_cmp(a, b) < 0 ? a : b;
}

/* ---- what committed late */

static int relay_by_bytes(const void *a, const void *b)
{
    return uuid_cmp(*(const struct uuid *)a, *(const struct uuid *)b);
}

/* Adds those behind `from`, up to *to, that have no number yet; as far as it got: *to. */
static err add_late(struct ctx *c, struct turn *t, struct uuid from, struct uuid *to, size_t max)
{
    struct uuid *there, *known;
    size_t n, n_known, i;

    if (uuid_cmp(from, *to) >= 0)
        return ERR_OK;
    TRY(event_store_between(c, from, to, max, &there, &n));
    if (!n)
        return ERR_OK;
    TRY(event_store_numbered(c, from, *to, &known, &n_known));
    qsort(known, n_known, sizeof *known, relay_by_bytes);
    for (i = 0; i < n && t->n < RELAY_BATCH; i++)
        if (!n_known || !bsearch(&there[i], known, n_known, sizeof *known, relay_by_bytes))
            t->ids[t->n++] = there[i];
    if (i < n) {
        *to = i ? there[i - 1] : from;
        t->more = true;
    }
    return ERR_OK;
}

/* First what is looked through for the last time, then what is young. */
static err relay_sweep(struct ctx *c, struct turn *t)
{
    struct uuid kept = before(c->now.us - c->app->conf->outbox_days * DAY_US + KEPT_MARGIN_US);
    struct uuid from = relay_later(t->s.swept_to, kept), to = earlier(before(c->now.us - FAR_US), t->s.position), end = to;
    struct uuid young = relay_later(before(relay_time_of(t->s.position) - NEAR_US), to);

    TRY(add_late(c, t, from, &end, SWEEP_AT_ONCE));
    t->more = t->more || uuid_cmp(end, to) < 0;
    t->s.swept_to = relay_later(t->s.swept_to, end);
    to = t->s.position;
    TRY(add_late(c, t, relay_later(young, end), &to, ALL));
    if (!t->more) /* else the next turn goes on */
        t->s.swept_at = c->now;
    return ERR_OK;
}

static err find_late(struct ctx *c, struct turn *t)
{
    struct uuid to = t->s.position;

    if (t->since.us)
        return add_late(c, t, before(t->since.us), &to, ALL);
    if (c->now.us - t->s.swept_at.us < SWEEP_EVERY_US)
        return ERR_OK;
    return relay_sweep(c, t);
}

/* ---- numbering */

static err relay_gather(struct ctx *c, struct turn *t)
{
    struct event_mark *fresh = ARENA_ARRAY(c->arena, struct event_mark, RELAY_BATCH);
    size_t n;

    t->ids = ARENA_ARRAY(c->arena, struct uuid, 2 * RELAY_BATCH);
    TRY(find_late(c, t));
    TRY(event_store_fresh(c, t->s.position, RELAY_BATCH, fresh, &n));
    for (size_t i = 0; i < n; i++)
        if (fresh[i].is_news)
            t->ids[t->n++] = fresh[i].id;
    if (n)
        t->s.position = fresh[n - 1].id;
    t->more = t->more || n == RELAY_BATCH;
    return ERR_OK;
}

/* What they tell is read only where somebody hears it. */
static err relay_tell(struct ctx *c, struct turn *t)
{
    struct event_source *rows;

    if (t->events)
        return ERR_OK;
    rows = ARENA_ARRAY(c->arena, struct event_source, t->n + 1);
    TRY(event_store_by_ids(c, t->ids, t->n, rows, &t->n_events));
    t->events = ARENA_ARRAY(c->arena, struct event, t->n + 1);
    for (size_t i = 0, k = 0; i < t->n_events; i++) {
        const struct event_source *r = &rows[i];

        while (!uuid_eq(t->ids[k], r->id))
            k++;
        t->events[i] = (struct event){ .id = t->first_seq + (int64_t)k, .event_id = r->id, .kind = r->kind, .at = r->at,
                                       .subject_kind = r->subject_kind, .subject_id = r->subject_id, .space_id = r->space_id };
        event_tell(c, &t->events[i], r->raw);
    }
    return ERR_OK;
}

static err relay_number(struct ctx *c, struct turn *t)
{
    bool hooks;

    t->first_seq = t->s.last_seq + 1;
    t->s.last_seq += (int64_t)t->n;
    t->s.moved_at = c->now;
    TRY(webhook_any(c, &hooks));
    if (hooks) {
        TRY(relay_tell(c, t));
        TRY(webhook_take(c, t->events, t->n_events));
    }
    return event_store_add_batch(c, t->first_seq, t->ids, t->n);
}

static err turn_body(struct ctx *c, void *arg)
{
    struct turn *t = arg, begun = {.since = t->since, .heard = t->heard};

    *t = begun; /* it may run again */
    TRY(event_store_lock(c, before(c->now.us - c->app->conf->outbox_days * DAY_US), &t->s));
    TRY(relay_gather(c, t));
    if (t->n)
        TRY(relay_number(c, t));
    if (!t->heard)
        t->s.published_seq = t->s.last_seq;
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
        if (!page.n) { /* no longer kept: the stream begins anew behind it */
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
    return fail(c, ERR_CONFLICT, "another process is filling the event stream");
}

static err publish(struct ctx *c, struct turn *t)
{
    if (!t->n)
        return catch_up(c, t->s.published_seq, t->s.last_seq);
    TRY(relay_tell(c, t));
    if (t->n_events < t->n) /* the tables know where the gap is */
        return catch_up(c, t->first_seq - 1, t->s.last_seq);
    for (size_t i = 0; i < t->n; i += PUBLISH_AT_ONCE)
        TRY(publish_some(c, &t->events[i], t->n - i < PUBLISH_AT_ONCE ? t->n - i : PUBLISH_AT_ONCE));
    return ERR_OK;
}

/* Where Redis does not answer it counts as heard: then it is made up for. */
static bool is_heard(struct ctx *c)
{
    bool heard;

    if (event_redis_heard(c, &heard) == ERR_OK)
        return heard;
    ctx_forgive(c);
    return true;
}

err relay_turn(struct ctx *c, struct instant since, struct relay_done *out)
{
    struct turn t = {.since = since, .heard = is_heard(c)};

    assert(!db_in_tx(c));
    *out = (struct relay_done){0};
    TRY(db_tx(c, turn_body, &t));
    out->is_numbered = true;
    out->numbered = (int64_t)t.n;
    out->more = t.more;
    if (!t.heard)
        return t.n ? event_redis_tell(c, t.s.last_seq) : ERR_OK;
    if (t.s.published_seq >= t.s.last_seq)
        return ERR_OK;
    TRY(publish(c, &t));
    out->published = t.s.last_seq - t.s.published_seq;
    return event_store_published(c, t.s.last_seq);
}

#define COUNTED_MAX 10000

err relay_count_waiting(struct ctx *c, int64_t *n)
{
    return event_store_waiting(c, COUNTED_MAX, n);
}

err relay_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    return event_store_due(c, (struct instant){c->now.us - SWEEP_EVERY_US}, above, ids, max, n);
}

static struct instant kept_since(const struct ctx *c)
{
    return (struct instant){c->now.us - c->app->conf->outbox_days * DAY_US};
}

err relay_purge_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    return event_store_old(c, kept_since(c), above, ids, max, n);
}

err relay_purge(struct ctx *c, int64_t limit, int64_t *n)
{
    return event_store_purge(c, kept_since(c), limit, n);
}
