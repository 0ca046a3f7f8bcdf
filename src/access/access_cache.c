/* Compiled access sets of one process: found by credential, shared by reference, the longest unused one goes first. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "access_impl.h"
#include "changes.h"
#include "str.h"
#include "uses.h"

#define COMPLAIN_EVERY_US (60 * SECOND_US)

/* One block of memory: the entry, its strings, its spaces. */
struct slot {
    struct use use;
    struct access_entry entry;
    uint8_t key[ACCESS_KEY];
    size_t size;
    unsigned refs;      /* one of the cache, one of each request that uses it */
    struct slot *chain; /* of its bucket */
    struct access_cache *cache;
    uint64_t trusted; /* the subscription under which it is known to be current; 0: not known */
    struct access_lease lease;
};

struct access_cache {
    pthread_mutex_t lock;
    struct slot **buckets;
    size_t n_buckets;
    size_t n, max, bytes;
    struct uses uses;
    int64_t complained_us;
    uint64_t heard; /* messages about changes */
};

struct access_cache *access_cache_new(size_t max_entries)
{
    struct access_cache *cache = calloc(1, sizeof *cache);

    assert(cache && max_entries > 0);
    cache->max = max_entries;
    for (cache->n_buckets = 16; cache->n_buckets < max_entries; cache->n_buckets *= 2)
        ;
    cache->buckets = calloc(cache->n_buckets, sizeof(struct slot *));
    assert(cache->buckets);
    pthread_mutex_init(&cache->lock, NULL);
    return cache;
}

static struct slot **bucket(struct access_cache *cache, const uint8_t key[ACCESS_KEY])
{
    size_t h;

    memcpy(&h, key, sizeof h); /* the key is a hash already */
    return &cache->buckets[h & (cache->n_buckets - 1)];
}

static void access_cache_unref(struct slot *s)
{
    if (--s->refs == 0)
        free(s);
}

static struct slot *access_cache_oldest(struct access_cache *cache)
{
    return (struct slot *)cache->uses.oldest;
}

static void access_cache_take_out(struct access_cache *cache, struct slot *s)
{
    struct slot **at = bucket(cache, s->key);

    while (*at != s)
        at = &(*at)->chain;
    *at = s->chain;
    uses_drop(&cache->uses, &s->use);
    cache->n--;
    cache->bytes -= s->size;
    access_cache_unref(s);
}

static struct slot *access_cache_look_up(struct access_cache *cache, const uint8_t key[ACCESS_KEY])
{
    struct slot *s = *bucket(cache, key);

    while (s && memcmp(s->key, key, ACCESS_KEY) != 0)
        s = s->chain;
    return s;
}

static void access_cache_release(void *what)
{
    struct slot *s = what;
    struct access_cache *cache = s->cache;

    pthread_mutex_lock(&cache->lock);
    access_cache_unref(s);
    pthread_mutex_unlock(&cache->lock);
}

const struct access_entry *access_cache_find(struct access_cache *cache, struct arena *a, const uint8_t key[ACCESS_KEY])
{
    struct slot *s;

    if (!cache)
        return NULL;
    pthread_mutex_lock(&cache->lock);
    s = access_cache_look_up(cache, key);
    if (s) {
        s->refs++;
        uses_drop(&cache->uses, &s->use);
        uses_add(&cache->uses, &s->use);
    }
    pthread_mutex_unlock(&cache->lock);
    if (!s)
        return NULL;
    arena_defer(a, access_cache_release, s);
    return &s->entry;
}

/* Spaces and ids first, since they want alignment; the strings behind them. */
static struct slot *slot_new(const struct access_load *load)
{
    const struct principal *w = &load->who;
    size_t n = load->access.n;
    size_t size = sizeof(struct slot) + n * (sizeof(struct space_access) + sizeof(struct uuid)) +
                  str_size(w->account_slug) + str_size(w->account_name) + str_size(w->name) + str_size(w->email) + str_size(w->role) +
                  str_size(w->tier);
    struct slot *s = calloc(1, size);
    char *at;

    if (!s)
        return NULL;
    s->size = size;
    s->refs = 1;
    s->entry.load = *load;
    s->entry.load.access.spaces = (struct space_access *)(s + 1);
    s->entry.load.access.readable = (struct uuid *)(s->entry.load.access.spaces + n);
    if (n) {
        memcpy(s->entry.load.access.spaces, load->access.spaces, n * sizeof *load->access.spaces);
        memcpy(s->entry.load.access.readable, load->access.readable, n * sizeof *load->access.readable);
    }
    at = (char *)(s->entry.load.access.readable + n);
    s->entry.load.who.account_slug = str_copy(&at, w->account_slug);
    s->entry.load.who.account_name = str_copy(&at, w->account_name);
    s->entry.load.who.name = str_copy(&at, w->name);
    s->entry.load.who.email = str_copy(&at, w->email);
    s->entry.load.who.role = str_copy(&at, w->role);
    s->entry.load.who.tier = str_copy(&at, w->tier);
    return s;
}

void access_cache_put(struct access_cache *cache, const uint8_t key[ACCESS_KEY], const struct access_load *load,
                      const char *generation, int64_t loaded_us)
{
    struct slot *s, *old, **at;

    if (!cache || strlen(generation) >= GENERATION_MAX)
        return;
    s = slot_new(load);
    if (!s) /* without memory there is no caching */
        return;
    s->cache = cache;
    memcpy(s->key, key, ACCESS_KEY);
    memcpy(s->entry.generation, generation, strlen(generation) + 1);
    s->entry.loaded_us = loaded_us;
    pthread_mutex_lock(&cache->lock);
    old = access_cache_look_up(cache, key);
    if (old)
        access_cache_take_out(cache, old);
    at = bucket(cache, key);
    s->chain = *at;
    *at = s;
    uses_add(&cache->uses, &s->use);
    cache->n++;
    cache->bytes += s->size;
    while (cache->n > cache->max || (cache->bytes > ACCESS_CACHE_BYTES && cache->n > 1))
        access_cache_take_out(cache, access_cache_oldest(cache));
    pthread_mutex_unlock(&cache->lock);
}

void access_cache_clear(struct access_cache *cache)
{
    if (!cache)
        return;
    pthread_mutex_lock(&cache->lock);
    while (access_cache_oldest(cache))
        access_cache_take_out(cache, access_cache_oldest(cache));
    pthread_mutex_unlock(&cache->lock);
}

void access_cache_size(struct access_cache *cache, size_t *entries, size_t *bytes)
{
    pthread_mutex_lock(&cache->lock);
    *entries = cache->n;
    *bytes = cache->bytes;
    pthread_mutex_unlock(&cache->lock);
}

void access_cache_heard(struct access_cache *cache, struct uuid account_id)
{
    bool all = uuid_is_nil(account_id);

    if (!cache)
        return;
    pthread_mutex_lock(&cache->lock);
    cache->heard++;
    for (struct use *u = cache->uses.newest; u; u = u->older) {
        struct slot *s = (struct slot *)u;

        if (all || uuid_eq(s->entry.load.who.account_id, account_id))
            s->trusted = 0;
    }
    pthread_mutex_unlock(&cache->lock);
}

struct access_moment access_cache_listen(struct access_cache *cache, const struct app *app)
{
    struct access_moment at = {0};

    if (!cache)
        return at;
    at.subscription = changes_listen(app);
    pthread_mutex_lock(&cache->lock);
    at.heard = cache->heard;
    pthread_mutex_unlock(&cache->lock);
    return at;
}

/* Entries are handed out as parts of their slots. */
static struct slot *access_cache_slot_of(const struct access_entry *e)
{
    return (struct slot *)((char *)(uintptr_t)e - offsetof(struct slot, entry));
}

void access_cache_trust(struct access_cache *cache, const struct access_entry *e, struct access_moment at,
                        const struct access_lease *lease)
{
    struct slot *s = access_cache_slot_of(e);

    pthread_mutex_lock(&cache->lock);
    if (at.subscription && at.heard == cache->heard) {
        struct access_lease old = s->lease;

        s->trusted = at.subscription;
        s->lease = *lease;
        if (old.left > 0 && clock_monotonic_us() < old.until_us) { /* of another thread that asked meanwhile */
            s->lease.taken += old.taken;
            s->lease.left += old.left;
        }
    }
    pthread_mutex_unlock(&cache->lock);
}

int access_cache_want(struct access_cache *cache, const struct access_entry *e, int max)
{
    struct slot *s = access_cache_slot_of(e);
    int spent, want;

    pthread_mutex_lock(&cache->lock);
    spent = s->lease.taken - s->lease.left;
    want = s->lease.left ? spent : 2 * spent;
    pthread_mutex_unlock(&cache->lock);
    return want < 1 ? 1 : want > max ? max : want;
}

bool access_cache_spend(struct access_cache *cache, const struct access_entry *e, struct access_moment at,
                        struct rate_state *rate)
{
    struct slot *s = access_cache_slot_of(e);
    bool spent;

    pthread_mutex_lock(&cache->lock);
    spent = at.subscription && s->trusted == at.subscription && s->lease.left > 0 &&
            clock_monotonic_us() < s->lease.until_us;
    if (spent) {
        s->lease.left--;
        *rate = s->lease.rate;
        rate->remaining += s->lease.left;
    }
    pthread_mutex_unlock(&cache->lock);
    return spent;
}

bool access_cache_is_trusted(struct access_cache *cache, const struct access_entry *e, struct access_moment at)
{
    bool trusted;

    pthread_mutex_lock(&cache->lock);
    trusted = at.subscription && access_cache_slot_of(e)->trusted == at.subscription;
    pthread_mutex_unlock(&cache->lock);
    return trusted;
}

uint64_t access_moment(const struct app *app)
{
    struct access_moment at = access_cache_listen(app->access_cache, app);

    return at.subscription ? at.subscription << 40 | (at.heard + 1) : 0;
}

bool access_cache_may_complain(struct access_cache *cache)
{
    int64_t now = clock_monotonic_us();
    bool may;

    if (!cache)
        return true;
    pthread_mutex_lock(&cache->lock);
    may = !cache->complained_us || now - cache->complained_us > COMPLAIN_EVERY_US;
    if (may)
        cache->complained_us = now;
    pthread_mutex_unlock(&cache->lock);
    return may;
}

void access_cache_free(struct access_cache *cache)
{
    if (!cache)
        return;
    access_cache_clear(cache);
    pthread_mutex_destroy(&cache->lock);
    free(cache->buckets);
    free(cache);
}

/* ---- hearing of changes */

static bool access_cache_hear(const struct app *app, const char *message)
{
    const char *text = message + strlen(CHANGES_OF_ACCESS);
    struct uuid account_id;

    if (!str_starts(message, CHANGES_OF_ACCESS) || !changes_take_id(&text, &account_id) || *text)
        return false;
    access_cache_heard(app->access_cache, account_id);
    return true;
}

static void access_cache_forget(const struct app *app, const struct uuid *account_id)
{
    access_cache_heard(app->access_cache, account_id ? *account_id : (struct uuid){0});
}

const struct change_hearer access_cache_hearer = {.heard = access_cache_hear, .forget = access_cache_forget};
