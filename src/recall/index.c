/* The accounts of a process, their current snapshots, and the memory they may take; see index.h. */
#include "index.h"

#include <assert.h>
#include <stdlib.h>

#include "app.h"
#include "index_impl.h"
#include "str.h"

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

static size_t dead_rows(const struct snapshot *s)
{
    size_t rows = 0;

    for (size_t i = 0; s && i < s->n_segments; i++)
        rows += s->segments[i]->n;
    return s ? rows - s->n_live : 0;
}

/* The caller holds the lock. What e had is taken from the sums, and what it has now added: nobody else is looked at. */
static void count_entry(struct recall_index *ri, struct account_index *e, struct index_stock now)
{
    struct index_stats *s = &ri->stats;

    s->bytes += now.bytes - e->counted.bytes;
    s->nodes += now.nodes - e->counted.nodes;
    s->edges += now.edges - e->counted.edges;
    s->segments += now.segments - e->counted.segments;
    s->dead += now.dead - e->counted.dead;
    s->codes_only += now.codes_only - e->counted.codes_only;
    e->counted = now;
}

static void count_anew(struct recall_index *ri, struct account_index *e)
{
    const struct snapshot *s = e->current;
    struct index_stock now = {.bytes = sizeof *e + e->bytes};

    if (s)
        now = (struct index_stock){.bytes = now.bytes + s->bytes, .nodes = s->n_live, .edges = s->n_edges, .segments = s->n_segments,
                                   .dead = dead_rows(s), .codes_only = s->codec && !s->holds_vectors};
    count_entry(ri, e, now);
}

/* ---- accounts ------------------------------------------------------------------------------------------- */

static struct account_index **index_place_of(struct recall_index *ri, struct uuid account, struct uuid model)
{
    struct account_index **at = &ri->bucket[hash_bytes(account.b, sizeof account.b, 3) % BUCKETS];

    while (*at && !(uuid_eq((*at)->account, account) && uuid_eq((*at)->model, model)))
        at = &(*at)->next;
    return at;
}

void index_each(struct recall_index *ri, struct uuid account, void (*tell)(struct account_index *e, void *arg), void *arg)
{
    pthread_mutex_lock(&ri->lock);
    for (struct account_index *e = ri->bucket[hash_bytes(account.b, sizeof account.b, 3) % BUCKETS]; e; e = e->next)
        if (uuid_eq(e->account, account))
            tell(e, arg);
    pthread_mutex_unlock(&ri->lock);
}

struct account_index *index_entry(struct recall_index *ri, struct uuid account, struct uuid model)
{
    struct account_index **at;

    pthread_mutex_lock(&ri->lock);
    at = index_place_of(ri, account, model);
    if (!*at) {
        *at = calloc(1, sizeof **at);
        assert(*at);
        (*at)->account = account;
        (*at)->model = model;
        pthread_mutex_init(&(*at)->busy, NULL);
        ri->stats.accounts++;
        count_anew(ri, *at);
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
    count_anew(ri, e);
    pthread_mutex_unlock(&ri->lock);
    snapshot_drop(old);
}

size_t index_room_for_vectors(const struct recall_index *ri)
{
    return ri->options.budget / VECTORS_SHARE;
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
    struct account_index **at = index_place_of(ri, e->account, e->model);

    *at = e->next;
    count_entry(ri, e, (struct index_stock){0});
    ri->stats.accounts--;
    return e;
}

/* Where memory is short, who was used longest ago goes. */
void index_let_go(struct recall_index *ri, struct account_index *e)
{
    struct account_index *out = NULL, *least;

    pthread_mutex_lock(&ri->lock);
    e->users--;
    count_anew(ri, e);
    while (ri->stats.bytes > ri->options.budget && (least = least_used(ri))) {
        take_out(ri, least)->next = out;
        out = least;
        ri->stats.evictions++;
    }
    pthread_mutex_unlock(&ri->lock);
    for (struct account_index *next; out; out = next) {
        next = out->next;
        entry_free(out);
    }
}

/* The caller holds the lock. */
static int64_t oldest_us(const struct recall_index *ri)
{
    int64_t now = clock_monotonic_us(), oldest = 0;

    for (size_t i = 0; i < BUCKETS; i++)
        for (const struct account_index *e = ri->bucket[i]; e; e = e->next)
            if (e->current && now - e->loaded_us > oldest)
                oldest = now - e->loaded_us;
    return oldest;
}

void index_stats(struct recall_index *ri, struct index_stats *out)
{
    pthread_mutex_lock(&ri->lock);
    *out = ri->stats;
    out->oldest_us = oldest_us(ri);
    pthread_mutex_unlock(&ri->lock);
}

void index_metrics(struct ctx *c, struct buf *out)
{
    struct index_stats s = {0};

    if (c->app->recall)
        index_stats(c->app->recall, &s);
    const struct {
        const char *name, *type, *help;
        double value;
    } SHOWN[] = {
        {"accounts", "gauge", "accounts in the recall index", (double)s.accounts},
        {"nodes", "gauge", "nodes in the recall index", (double)s.nodes},
        {"edges", "gauge", "edges in the recall index", (double)s.edges},
        {"segments", "gauge", "segments of the recall index", (double)s.segments},
        {"dead_rows", "gauge", "rows of the recall index that were replaced, until their segment is written anew: churn", (double)s.dead},
        {"age_seconds", "gauge", "since the account that was read first was read whole; deltas keep it current", (double)s.oldest_us / SECOND_US},
        {"bytes", "gauge", "memory of the recall index", (double)s.bytes},
        {"codes_only", "gauge", "accounts too large to hold their float32 vectors in memory: codes only", (double)s.codes_only},
        {"evictions_total", "counter", "accounts that were dropped from the recall index because of recall.memory_mb", (double)s.evictions},
    };

    for (size_t i = 0; i < sizeof SHOWN / sizeof *SHOWN; i++)
        buf_printf(out, "# HELP loci_recall_index_%s %s\n# TYPE loci_recall_index_%s %s\nloci_recall_index_%s %.15g\n", SHOWN[i].name,
                   SHOWN[i].help, SHOWN[i].name, SHOWN[i].type, SHOWN[i].name, SHOWN[i].value);
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
    if (deadline) /* what holds a read up must not take the answer's time, too */
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
static void index_drop(struct recall_index *ri, struct account_index *e)
{
    index_load_abandon(e);
    index_swap(ri, e, NULL);
}

/* The caller holds busy. */
static err refresh(struct ctx *c, struct recall_index *ri, struct account_index *e, int64_t arrived, const char **degraded)
{
    if (atomic_exchange(&e->replaced, false))
        index_drop(ri, e);
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
    count_anew(ri, e);
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

static void index_release(void *snapshot)
{
    snapshot_drop(snapshot);
}

err index_snapshot(struct ctx *c, const struct snapshot **out, const char **degraded)
{
    struct recall_index *ri = c->app->recall;
    struct account_index *e = index_entry(ri, c->account_id, c->model_id);
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
        why = "index_stale"; /* another request was still looking */
    }
    if (!s)
        s = snapshot_new((struct uuid){{0}}, NULL);
    arena_defer(c->arena, index_release, s);
    *out = s;
    *degraded = why;
    return ERR_OK;
}

/* ---- telling it ----------------------------------------------------------------------------------------- */

void index_forget(struct ctx *c)
{
    struct recall_index *ri = c->app->recall;
    struct account_index *e = index_entry(ri, c->account_id, c->model_id);

    pthread_mutex_lock(&e->busy);
    index_drop(ri, e);
    count_loading(ri, e); /* looks at what another request may begin to load once busy is free */
    pthread_mutex_unlock(&e->busy);
    index_let_go(ri, e);
}

static void index_replace(struct account_index *e, void *arg)
{
    (void)arg;
    atomic_store(&e->replaced, true);
}

void index_replaced(const struct app *app, const struct uuid *account_id)
{
    if (app->recall)
        index_each(app->recall, *account_id, index_replace, NULL);
}
