/* The accounts of a process, their current snapshots, and the memory they may take; see index.h. */
#include "index.h"

#include <assert.h>
#include <stdlib.h>

#include "app.h"
#include "index_impl.h"
#include "metrics.h"
#include "str.h"

static const struct metric ACCOUNTS = {"loci_recall_index_accounts", METRIC_GAUGE, "accounts in the recall index"};
static const struct metric NODES = {"loci_recall_index_nodes", METRIC_GAUGE, "nodes in the recall index"};
static const struct metric BYTES = {"loci_recall_index_bytes", METRIC_GAUGE, "memory of the recall index"};
static const struct metric CODES_ONLY = {"loci_recall_index_codes_only", METRIC_GAUGE,
                                         "accounts too large to hold their float32 vectors in memory: codes only"};
static const struct metric EDGES = {"loci_recall_index_edges", METRIC_GAUGE, "edges in the recall index"};
static const struct metric SEGMENTS = {"loci_recall_index_segments", METRIC_GAUGE, "segments of the recall index"};
static const struct metric DEAD = {"loci_recall_index_dead_rows", METRIC_GAUGE,
                                   "rows of the recall index that were replaced, until their segment is written anew: churn"};
static const struct metric AGE = {"loci_recall_index_age_seconds", METRIC_GAUGE,
                                  "since the account that was read first was read whole; deltas keep it current"};
static const struct metric EVICTIONS = {"loci_recall_index_evictions_total", METRIC_COUNTER,
                                        "accounts that left the recall index for want of memory"};

struct recall_index *recall_index_new(const struct recall_options *o, struct metrics *m)
{
    struct recall_index *ri = calloc(1, sizeof *ri);
    int r;

    assert(ri);
    ri->options = *o;
    if (!ri->options.sweep_every_us)
        ri->options.sweep_every_us = RECALL_SWEEP_US;
    if (!ri->options.cells_from)
        ri->options.cells_from = DENSE_CELLS_FROM;
    ri->metrics = m;
    pthread_mutex_init(&ri->lock, NULL);
    pthread_cond_init(&ri->work, NULL);
    pthread_cond_init(&ri->idle, NULL);
    r = pthread_create(&ri->merger, NULL, index_merger, ri);
    assert(r == 0);
    return ri;
}

static void entry_free(struct account_index *e)
{
    snapshot_drop(e->current);
    index_load_abandon(e);
    pthread_mutex_destroy(&e->busy);
    free(e);
}

void recall_index_free(struct recall_index *ri)
{
    if (!ri)
        return;
    pthread_mutex_lock(&ri->lock);
    ri->ends = true;
    pthread_cond_broadcast(&ri->work);
    pthread_mutex_unlock(&ri->lock);
    pthread_join(ri->merger, NULL);
    for (size_t i = 0; i < BUCKETS; i++)
        for (struct account_index *e = ri->bucket[i], *next; e; e = next) {
            next = e->next;
            entry_free(e);
        }
    for (size_t i = 0; i < ri->n_codecs; i++)
        codec_free(ri->codecs[i]);
    pthread_cond_destroy(&ri->work);
    pthread_cond_destroy(&ri->idle);
    pthread_mutex_destroy(&ri->lock);
    free(ri);
}

/* ---- accounts ------------------------------------------------------------------------------------------- */

static struct account_index **place_of(struct recall_index *ri, struct uuid account)
{
    struct account_index **at = &ri->bucket[hash_bytes(account.b, sizeof account.b, 3) % BUCKETS];

    while (*at && !uuid_eq((*at)->account, account))
        at = &(*at)->next;
    return at;
}

struct account_index *index_entry(struct recall_index *ri, struct uuid account)
{
    struct account_index **at;

    pthread_mutex_lock(&ri->lock);
    at = place_of(ri, account);
    if (!*at) {
        *at = calloc(1, sizeof **at);
        assert(*at);
        (*at)->account = account;
        pthread_mutex_init(&(*at)->busy, NULL);
    }
    (*at)->users++;
    (*at)->used = ++ri->tick;
    (*at)->asked_us = clock_monotonic_us();
    pthread_mutex_unlock(&ri->lock);
    return *at;
}

const struct codec *index_codec(struct recall_index *ri, size_t dim)
{
    struct codec *codec = NULL;

    pthread_mutex_lock(&ri->lock);
    for (size_t i = 0; i < ri->n_codecs && !codec; i++)
        if (codec_dim(ri->codecs[i]) == dim)
            codec = ri->codecs[i];
    if (!codec && dim && dim <= CODES_DIM_MAX && ri->n_codecs < CODECS_MAX) {
        codec = codec_new(ri->options.simd, dim);
        assert(codec);
        ri->codecs[ri->n_codecs++] = codec;
    }
    pthread_mutex_unlock(&ri->lock);
    return codec;
}

struct snapshot *index_current(struct recall_index *ri, struct account_index *e)
{
    struct snapshot *s;

    pthread_mutex_lock(&ri->lock);
    s = e->current ? snapshot_hold(e->current) : NULL;
    pthread_mutex_unlock(&ri->lock);
    return s;
}

void index_swap(struct recall_index *ri, struct account_index *e, struct snapshot *next)
{
    struct snapshot *old;

    pthread_mutex_lock(&ri->lock);
    old = e->current;
    e->current = next;
    pthread_mutex_unlock(&ri->lock);
    snapshot_drop(old);
}

size_t index_room_for_vectors(const struct recall_index *ri)
{
    return ri->options.budget / VECTORS_SHARE;
}

static size_t dead_rows(const struct snapshot *s)
{
    size_t rows = 0;

    for (size_t i = 0; s && i < s->n_segments; i++)
        rows += s->segments[i]->n;
    return s ? rows - s->n_live : 0;
}

/* The caller holds the lock. */
static size_t take_stock(struct recall_index *ri)
{
    struct index_stats *s = &ri->stats;
    int64_t now = clock_monotonic_us();

    s->dead = 0;
    s->oldest_us = 0;
    s->accounts = s->nodes = s->edges = s->segments = s->bytes = s->codes_only = 0;
    for (size_t i = 0; i < BUCKETS; i++)
        for (const struct account_index *e = ri->bucket[i]; e; e = e->next) {
            s->accounts++;
            s->bytes += sizeof *e + e->bytes + (e->current ? e->current->bytes : 0);
            s->nodes += e->current ? e->current->n_live : 0;
            s->edges += e->current ? e->current->n_edges : 0;
            s->segments += e->current ? e->current->n_segments : 0;
            s->dead += dead_rows(e->current);
            if (e->current && now - e->loaded_us > s->oldest_us)
                s->oldest_us = now - e->loaded_us;
            s->codes_only += e->current && e->current->codec && !e->current->holds_vectors;
        }
    return s->bytes;
}

static struct account_index *least_used(struct recall_index *ri)
{
    struct account_index *least = NULL;
    size_t accounts = 0;

    for (size_t i = 0; i < BUCKETS; i++)
        for (struct account_index *e = ri->bucket[i]; e; e = e->next) {
            accounts++;
            if (!e->users && (!least || e->used < least->used))
                least = e;
        }
    return accounts > 1 ? least : NULL;
}

/* The caller holds the lock. */
static struct account_index *take_out(struct recall_index *ri, struct account_index *e)
{
    struct account_index **at = place_of(ri, e->account);

    *at = e->next;
    return e;
}

/* Where memory is short, who was used longest ago goes. */
void index_let_go(struct recall_index *ri, struct account_index *e)
{
    struct account_index *out = NULL, *least;
    int64_t evicted = 0;
    struct index_stats now;

    pthread_mutex_lock(&ri->lock);
    e->users--;
    while (take_stock(ri) > ri->options.budget && (least = least_used(ri))) {
        take_out(ri, least)->next = out;
        out = least;
        evicted++;
    }
    ri->stats.evictions += evicted;
    now = ri->stats;
    pthread_mutex_unlock(&ri->lock);
    for (struct account_index *next; out; out = next) {
        next = out->next;
        entry_free(out);
    }
    if (!ri->metrics)
        return;
    metrics_add(ri->metrics, &EVICTIONS, "", (double)evicted);
    metrics_set(ri->metrics, &ACCOUNTS, "", (double)now.accounts);
    metrics_set(ri->metrics, &NODES, "", (double)now.nodes);
    metrics_set(ri->metrics, &EDGES, "", (double)now.edges);
    metrics_set(ri->metrics, &SEGMENTS, "", (double)now.segments);
    metrics_set(ri->metrics, &DEAD, "", (double)now.dead);
    metrics_set(ri->metrics, &AGE, "", (double)now.oldest_us / SECOND_US);
    metrics_set(ri->metrics, &BYTES, "", (double)now.bytes);
    metrics_set(ri->metrics, &CODES_ONLY, "", (double)now.codes_only);
}

void index_stats(struct recall_index *ri, struct index_stats *out)
{
    pthread_mutex_lock(&ri->lock);
    take_stock(ri);
    *out = ri->stats;
    pthread_mutex_unlock(&ri->lock);
}

size_t index_accounts(struct recall_index *ri, const struct uuid *only, struct index_account *rows, size_t max)
{
    int64_t now = clock_monotonic_us();
    size_t n = 0;

    pthread_mutex_lock(&ri->lock);
    for (size_t i = 0; i < BUCKETS; i++)
        for (const struct account_index *e = ri->bucket[i]; e && n < max; e = e->next) {
            const struct snapshot *s = e->current;

            if (only && !uuid_eq(e->account, *only))
                continue;
            rows[n++] = (struct index_account){.account_id = e->account, .nodes = s ? s->n_live : 0,
                                               .bytes = sizeof *e + e->bytes + (s ? s->bytes : 0), .age_us = s ? now - e->loaded_us : 0,
                                               .reading = !s, .codes_only = s && s->codec && !s->holds_vectors};
        }
    pthread_mutex_unlock(&ri->lock);
    return n;
}

/* ---- a request ------------------------------------------------------------------------------------------ */

/* Reading stops while there is time left for an answer. */
static int64_t read_until(const struct ctx *c, int64_t now)
{
    return c->deadline_us ? now + (c->deadline_us - now) * 3 / 4 : INT64_MAX;
}

static bool lock_busy(const struct ctx *c, struct account_index *e)
{
    int64_t until;
    struct timespec t;

    if (!c->deadline_us)
        return pthread_mutex_lock(&e->busy) == 0;
    until = read_until(c, clock_monotonic_us());
    t = (struct timespec){until / SECOND_US, until % SECOND_US * 1000};
    return pthread_mutex_clocklock(&e->busy, CLOCK_MONOTONIC, &t) == 0;
}

bool index_is_fresh(const struct recall_index *ri, const struct account_index *e, int64_t arrived)
{
    return e->checked_us && e->checked_us >= arrived - ri->options.max_staleness_us;
}

bool index_is_old(const struct recall_index *ri, const struct account_index *e)
{
    return clock_monotonic_us() - e->loaded_us > ri->options.reload_after_us;
}

static err first_load(struct ctx *c, struct recall_index *ri, struct account_index *e, int64_t now, bool *done)
{
    int64_t deadline = c->deadline_us, until = read_until(c, now);
    err r;

    if (!e->loading)
        index_load_begin(c, e);
    if (deadline)                        /* what holds a read up must not take the answer's time, too */
        c->deadline_us = (until + deadline) / 2;
    r = index_load(c, ri, e, until, done);
    c->deadline_us = deadline;
    return r;
}

/* While an index is read anew, each request that needs a look does a piece of it. */
static err renew(struct ctx *c, struct recall_index *ri, struct account_index *e)
{
    bool done;

    if (!e->loading && index_is_old(ri, e))
        index_load_begin(c, e);
    if (!e->loading)
        return ERR_OK;
    TRY(index_load(c, ri, e, 0, &done));
    return done ? index_delta(c, ri, e) : ERR_OK;
}

/* Reads the account as for its first recall: what there is of it, if anything, would answer wrongly. */
static err load_whole(struct ctx *c, struct recall_index *ri, struct account_index *e, int64_t arrived, const char **degraded)
{
    bool done;

    TRY(first_load(c, ri, e, arrived, &done));
    if (!done)
        *degraded = "index_loading";
    return ERR_OK;
}

/* The caller holds busy. */
static void drop(struct recall_index *ri, struct account_index *e)
{
    index_load_abandon(e);
    index_swap(ri, e, NULL);
}

/* The caller holds busy. */
static err refresh(struct ctx *c, struct recall_index *ri, struct account_index *e, int64_t arrived, const char **degraded)
{
    if (atomic_exchange(&e->replaced, false))
        drop(ri, e);
    if (!e->current || e->lacks_vectors)
        TRY(load_whole(c, ri, e, arrived, degraded));
    if (*degraded || index_is_fresh(ri, e, arrived))
        return ERR_OK;
    TRY(index_delta(c, ri, e));
    if (!e->lacks_vectors)
        return renew(c, ri, e);
    TRY(load_whole(c, ri, e, arrived, degraded));
    return *degraded ? ERR_OK : index_delta(c, ri, e);
}

static void count_loading(struct recall_index *ri, struct account_index *e)
{
    size_t bytes = index_load_bytes(e);

    pthread_mutex_lock(&ri->lock);
    e->bytes = bytes;
    pthread_mutex_unlock(&ri->lock);
}

static err bring_up(struct ctx *c, struct recall_index *ri, struct account_index *e, const char **degraded)
{
    int64_t arrived = clock_monotonic_us();
    err r;

    if (!lock_busy(c, e)) {
        *degraded = "index_loading";
        return ERR_OK;
    }
    r = refresh(c, ri, e, arrived, degraded);
    count_loading(ri, e);
    pthread_mutex_unlock(&e->busy);
    return r;
}

static void release(void *snapshot)
{
    snapshot_drop(snapshot);
}

err index_snapshot(struct ctx *c, const struct snapshot **out, const char **degraded)
{
    struct recall_index *ri = c->app->recall;
    struct account_index *e = index_entry(ri, c->account_id);
    struct snapshot *s;
    const char *why = NULL;
    err r = bring_up(c, ri, e, &why);

    s = index_current(ri, e);
    index_let_go(ri, e);
    if (r != ERR_OK && s) {
        ctx_forgive(c);
        why = "index_stale";
    } else if (r == ERR_DEADLINE) {
        ctx_forgive(c);
        why = "index_loading";
    } else if (r != ERR_OK) {
        return r;
    } else if (why && s) {
        why = "index_stale";             /* another request was still looking */
    }
    if (!s)
        s = snapshot_new((struct uuid){{0}}, NULL);
    arena_defer(c->arena, release, s);
    *out = s;
    *degraded = why;
    return ERR_OK;
}

/* ---- telling it ----------------------------------------------------------------------------------------- */

void index_forget(struct ctx *c)
{
    struct recall_index *ri = c->app->recall;
    struct account_index *e = index_entry(ri, c->account_id);

    pthread_mutex_lock(&e->busy);
    drop(ri, e);
    count_loading(ri, e);                /* looks at what another request may begin to load once busy is free */
    pthread_mutex_unlock(&e->busy);
    index_let_go(ri, e);
}

void index_replaced(const struct app *app, const struct uuid *account_id)
{
    struct account_index *e;

    if (!app->recall)
        return;
    e = index_entry(app->recall, *account_id);
    atomic_store(&e->replaced, true);
    index_let_go(app->recall, e);
}
