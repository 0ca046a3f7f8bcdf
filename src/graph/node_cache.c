/* Rows of nodes in memory; see node_cache.h. */
#include "node_cache.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "changes.h"
#include "db.h"
#include "str.h"
#include "uses.h"

#define BYTES_PER_BUCKET 1024
#define ACCOUNT_SLOTS 256

/* One block of memory: the row, its attrs, its texts. */
struct entry {
    struct use use;
    struct node node;
    const char *attrs;
    struct node_key key;
    struct node_moment at;
    int64_t kept_us; /* monotonic */
    bool is_used;    /* since it was read: counters and score are others now */
    size_t size;
    _Atomic unsigned refs; /* one of the cache, one of each request that uses it */
    struct entry *chain;   /* of its bucket */
};

struct bucket {
    struct entry *first;
    uint64_t heard; /* messages about nodes that belong here */
};

struct node_cache {
    pthread_mutex_t lock;
    struct bucket *buckets;
    size_t n_buckets, budget;
    uint64_t accounts_heard[ACCOUNT_SLOTS];
    uint64_t source; /* connection; only the thread that ticks looks at it */
    struct uses uses;
    struct node_cache_state state;
};

struct node_cache *node_cache_new(size_t budget)
{
    struct node_cache *cache;

    if (!budget)
        return NULL;
    cache = calloc(1, sizeof *cache);
    assert(cache);
    cache->budget = budget;
    for (cache->n_buckets = 16; cache->n_buckets < budget / BYTES_PER_BUCKET; cache->n_buckets *= 2)
        ;
    cache->buckets = calloc(cache->n_buckets, sizeof *cache->buckets);
    assert(cache->buckets);
    pthread_mutex_init(&cache->lock, NULL);
    return cache;
}

/* ---- entries */

static void node_cache_unref(void *what)
{
    struct entry *e = what;

    if (atomic_fetch_sub(&e->refs, 1) == 1)
        free(e);
}

/* Every text of a row, so that none is left behind in an arena. */
#define TEXTS(X) X(kind) X(title) X(body) X(excerpt) X(status) X(source_kind) X(source_id) X(author_kind)

/* NULL: too large, or no memory, and then nothing is kept. */
static struct entry *entry_new(const struct node_key *key, const struct node_moment *at, const struct node *n)
{
    size_t size = sizeof(struct entry) + str_size(n->attrs->s) + n->content_hash.n;
    struct entry *e;
    char *to;

#define ADD(member) size += str_size(n->member);
    TEXTS(ADD)
#undef ADD
    if (n->attrs->type != JSON_RAW || size > NODE_CACHE_ENTRY || !(e = calloc(1, size)))
        return NULL;
    e->node = *n;
    e->key = *key;
    e->at = *at;
    e->kept_us = clock_monotonic_us();
    e->size = size;
    e->refs = 1;
    to = (char *)(e + 1);
#define COPY(member) e->node.member = str_copy(&to, n->member);
    TEXTS(COPY)
#undef COPY
    e->attrs = str_copy(&to, n->attrs->s);
    e->node.attrs = NULL;
    e->node.content_hash.p = to;
    if (n->content_hash.n)
        memcpy(to, n->content_hash.p, n->content_hash.n);
    return e;
}

/* ---- under the lock */

static struct bucket *node_cache_bucket_of(struct node_cache *cache, const struct node_key *key)
{
    return &cache->buckets[hash_bytes(key, sizeof *key, 0) & (cache->n_buckets - 1)];
}

static uint64_t *account_slot(struct node_cache *cache, struct uuid account_id)
{
    return &cache->accounts_heard[hash_bytes(account_id.b, sizeof account_id.b, 0) % ACCOUNT_SLOTS];
}

static struct entry *node_cache_oldest(struct node_cache *cache)
{
    return (struct entry *)cache->uses.oldest;
}

static void node_cache_take_out(struct node_cache *cache, struct entry *e)
{
    struct entry **at = &node_cache_bucket_of(cache, &e->key)->first;

    while (*at != e)
        at = &(*at)->chain;
    *at = e->chain;
    uses_drop(&cache->uses, &e->use);
    cache->state.entries--;
    cache->state.bytes -= e->size;
    node_cache_unref(e);
}

static struct entry *node_cache_look_up(const struct bucket *b, const struct node_key *key)
{
    struct entry *e = b->first;

    while (e && memcmp(&e->key, key, sizeof *key) != 0)
        e = e->chain;
    return e;
}

static struct node_moment node_cache_moment(struct node_cache *cache, const struct bucket *b, uint64_t subscription,
                                            struct uuid account_id)
{
    return (struct node_moment){subscription, b->heard, *account_slot(cache, account_id)};
}

/* What the bucket has heard since was of other nodes, or of uses, or the entry would be gone. */
static bool node_cache_is_true(const struct entry *e, const struct node_moment *now)
{
    return e->at.subscription == now->subscription && e->at.account == now->account &&
           clock_monotonic_us() - e->kept_us < NODE_CACHE_AGE_US;
}

/* ---- */

static struct entry *use(struct node_cache *cache, const struct node_key *key, struct node_moment *at, uint64_t subscription,
                         bool content)
{
    struct bucket *b = node_cache_bucket_of(cache, key);
    struct entry *e = node_cache_look_up(b, key);

    *at = node_cache_moment(cache, b, subscription, key->account_id);
    if (e && !node_cache_is_true(e, at)) {
        node_cache_take_out(cache, e);
        e = NULL;
    }
    if (!e || (e->is_used && !content)) {
        cache->state.misses++;
        return NULL;
    }
    cache->state.hits++;
    atomic_fetch_add(&e->refs, 1);
    uses_drop(&cache->uses, &e->use);
    uses_add(&cache->uses, &e->use);
    return e;
}

static bool find_either(struct node_cache *cache, uint64_t subscription, const struct node_key *key, bool content,
                        struct arena *a, struct node *out, struct node_moment *at)
{
    struct entry *e;

    *at = (struct node_moment){0};
    if (!cache || !subscription)
        return false;
    pthread_mutex_lock(&cache->lock);
    e = use(cache, key, at, subscription, content);
    pthread_mutex_unlock(&cache->lock);
    if (!e)
        return false;
    arena_defer(a, node_cache_unref, e);
    *out = e->node;
    out->attrs = json_raw(a, e->attrs);
    return true;
}

bool node_cache_find(struct node_cache *cache, uint64_t subscription, const struct node_key *key, struct arena *a,
                     struct node *out, struct node_moment *at)
{
    return find_either(cache, subscription, key, false, a, out, at);
}

bool node_cache_find_content(struct node_cache *cache, uint64_t subscription, const struct node_key *key, struct arena *a,
                             struct node *out, struct node_moment *at)
{
    return find_either(cache, subscription, key, true, a, out, at);
}

static bool nothing_heard(struct node_cache *cache, const struct bucket *b, const struct entry *e)
{
    struct node_moment now = node_cache_moment(cache, b, e->at.subscription, e->key.account_id);

    return memcmp(&now, &e->at, sizeof now) == 0;
}

static void node_cache_put(struct node_cache *cache, struct bucket *b, struct entry *e)
{
    struct entry *old = node_cache_look_up(b, &e->key);

    if (old)
        node_cache_take_out(cache, old);
    e->chain = b->first;
    b->first = e;
    uses_add(&cache->uses, &e->use);
    cache->state.entries++;
    cache->state.bytes += e->size;
    while (cache->state.bytes > cache->budget)
        node_cache_take_out(cache, node_cache_oldest(cache));
}

void node_cache_keep(struct node_cache *cache, const struct node_moment *at, const struct node_key *key, const struct node *n)
{
    struct entry *e = cache && at->subscription ? entry_new(key, at, n) : NULL;
    struct bucket *b;
    bool kept;

    if (!e)
        return;
    pthread_mutex_lock(&cache->lock);
    b = node_cache_bucket_of(cache, key);
    kept = nothing_heard(cache, b, e);
    if (kept)
        node_cache_put(cache, b, e);
    pthread_mutex_unlock(&cache->lock);
    if (!kept)
        node_cache_unref(e);
}

/* With the lock held: from now on what was read before is not kept. */
static struct entry *hear_of(struct node_cache *cache, const struct node_key *key)
{
    struct bucket *b = node_cache_bucket_of(cache, key);

    b->heard++;
    return node_cache_look_up(b, key);
}

void node_cache_forget(struct node_cache *cache, const struct node_key *key)
{
    struct entry *e;

    if (!cache)
        return;
    pthread_mutex_lock(&cache->lock);
    e = hear_of(cache, key);
    if (e)
        node_cache_take_out(cache, e);
    pthread_mutex_unlock(&cache->lock);
}

void node_cache_used(struct node_cache *cache, const struct node_key *key)
{
    struct entry *e;

    if (!cache)
        return;
    pthread_mutex_lock(&cache->lock);
    e = hear_of(cache, key);
    if (e)
        e->is_used = true;
    pthread_mutex_unlock(&cache->lock);
}

/* Its entries go when they are looked for, or when they are the oldest. */
void node_cache_forget_account(struct node_cache *cache, struct uuid account_id)
{
    if (!cache)
        return;
    pthread_mutex_lock(&cache->lock);
    ++*account_slot(cache, account_id);
    pthread_mutex_unlock(&cache->lock);
}

void node_cache_forget_all(struct node_cache *cache)
{
    if (!cache)
        return;
    pthread_mutex_lock(&cache->lock);
    for (size_t i = 0; i < ACCOUNT_SLOTS; i++)
        cache->accounts_heard[i]++;
    while (node_cache_oldest(cache))
        node_cache_take_out(cache, node_cache_oldest(cache));
    pthread_mutex_unlock(&cache->lock);
}

void node_cache_source(struct node_cache *cache, uint64_t connection)
{
    if (connection != cache->source || !connection)
        node_cache_forget_all(cache);
    cache->source = connection;
}

void node_cache_free(struct node_cache *cache)
{
    if (!cache)
        return;
    node_cache_forget_all(cache);
    pthread_mutex_destroy(&cache->lock);
    free(cache->buckets);
    free(cache);
}

/* ---- figures */

struct node_cache_state node_cache_state(struct node_cache *cache)
{
    struct node_cache_state s;

    if (!cache)
        return (struct node_cache_state){0};
    pthread_mutex_lock(&cache->lock);
    s = cache->state;
    pthread_mutex_unlock(&cache->lock);
    return s;
}

static void metric(struct buf *out, const char *name, const char *type, const char *help, uint64_t value)
{
    buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n%s %llu\n", name, help, name, type, name, (unsigned long long)value);
}

void node_cache_metrics(struct ctx *c, struct buf *out)
{
    struct node_cache_state s = node_cache_state(c->app->node_cache);

    metric(out, "loci_node_cache_hits_total", "counter", "node reads answered from the cache", s.hits);
    metric(out, "loci_node_cache_misses_total", "counter", "node reads not answered from the cache", s.misses);
    metric(out, "loci_node_cache_entries", "gauge", "nodes in the cache", s.entries);
    metric(out, "loci_node_cache_bytes", "gauge", "memory of the node cache", s.bytes);
}

/* ---- hearing of changes */

static bool heard_nodes(struct node_cache *cache, const char *text, void (*each)(struct node_cache *, const struct node_key *))
{
    struct node_key key = {0};

    if (!changes_take_id(&text, &key.account_id))
        return false;
    if (strcmp(text, " *") == 0) {
        node_cache_forget_account(cache, key.account_id);
        return true;
    }
    while (*text) {
        if (*text++ != ' ' || !changes_take_id(&text, &key.id))
            return false;
        each(cache, &key);
    }
    return true;
}

static bool node_cache_heard(const struct app *app, const char *message)
{
    if (str_starts(message, CHANGES_OF_NODES))
        return heard_nodes(app->node_cache, message + strlen(CHANGES_OF_NODES), node_cache_forget);
    if (str_starts(message, CHANGES_OF_USES))
        return heard_nodes(app->node_cache, message + strlen(CHANGES_OF_USES), node_cache_used);
    return false;
}

static void node_cache_forget_heard(const struct app *app, const struct uuid *account_id)
{
    if (account_id)
        node_cache_forget_account(app->node_cache, *account_id);
    else
        node_cache_forget_all(app->node_cache);
}

static void tick(struct ctx *c)
{
    if (c->app->node_cache)
        node_cache_source(c->app->node_cache, db_connection(c));
}

const struct change_hearer node_cache_hearer = {node_cache_heard, node_cache_forget_heard, tick};
