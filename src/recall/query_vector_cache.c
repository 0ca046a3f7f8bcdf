/* A small table in memory, four places for each hash; see query_vector_cache.h. */
#include "query_vector_cache.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "str.h"

#define SETS 256
#define WAYS 4
#define KEPT (60 * SECOND_US)

struct kept {
    struct uuid account, model;
    unsigned char key[QUERY_KEY];
    int64_t until;
    float *v; /* NULL: free */
    size_t dim;
};

struct query_vectors {
    pthread_mutex_t lock;
    struct kept at[SETS][WAYS];
};

struct query_vectors *query_vectors_new(void)
{
    struct query_vectors *q = calloc(1, sizeof *q);

    assert(q);
    pthread_mutex_init(&q->lock, NULL);
    return q;
}

void query_vectors_free(struct query_vectors *q)
{
    if (!q)
        return;
    for (size_t i = 0; i < SETS * WAYS; i++)
        free(q->at[i / WAYS][i % WAYS].v);
    pthread_mutex_destroy(&q->lock);
    free(q);
}

static struct kept *set_of(struct query_vectors *q, struct uuid account, const unsigned char key[QUERY_KEY])
{
    return q->at[(hash_bytes(key, QUERY_KEY, 5) ^ hash_bytes(account.b, sizeof account.b, 7)) % SETS];
}

static bool is_it(const struct kept *k, struct uuid account, struct uuid model, const unsigned char key[QUERY_KEY])
{
    return k->v && uuid_eq(k->account, account) && uuid_eq(k->model, model) && memcmp(k->key, key, QUERY_KEY) == 0;
}

const float *query_vectors_find(struct query_vectors *q, struct arena *a, struct uuid account, struct uuid model,
                                const unsigned char key[QUERY_KEY], int64_t now, size_t *dim)
{
    const float *v = NULL;
    struct kept *set;

    pthread_mutex_lock(&q->lock);
    set = set_of(q, account, key);
    for (size_t i = 0; i < WAYS && !v; i++)
        if (is_it(&set[i], account, model, key) && set[i].until > now) {
            v = arena_memdup(a, set[i].v, set[i].dim * sizeof *v);
            *dim = set[i].dim;
        }
    pthread_mutex_unlock(&q->lock);
    return v;
}

void query_vectors_keep(struct query_vectors *q, struct uuid account, struct uuid model, const unsigned char key[QUERY_KEY],
                        int64_t now, const float *v, size_t dim)
{
    float *copy = malloc(dim * sizeof *v);
    struct kept *set, *to;

    assert(copy);
    memcpy(copy, v, dim * sizeof *v);
    pthread_mutex_lock(&q->lock);
    to = set = set_of(q, account, key);
    for (size_t i = 0; i < WAYS; i++) {
        if (is_it(&set[i], account, model, key)) {
            to = &set[i];
            break;
        }
        if (set[i].until < to->until) /* the one that ends first, or was never used */
            to = &set[i];
    }
    free(to->v);
    *to = (struct kept){.account = account, .model = model, .until = now + KEPT, .v = copy, .dim = dim};
    memcpy(to->key, key, QUERY_KEY);
    pthread_mutex_unlock(&q->lock);
}
