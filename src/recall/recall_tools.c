/* Shared tools of recalls: a pool of analyzers; see recall_tools.h. */
#include "recall_tools.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#include "analyze.h"

#define ANALYZERS_KEPT 64

struct recall_tools {
    pthread_mutex_t lock;
    struct analyzer *idle[ANALYZERS_KEPT];
    size_t n_idle;
};

struct recall_tools *recall_tools_new(void)
{
    struct recall_tools *t = calloc(1, sizeof *t);

    assert(t);
    pthread_mutex_init(&t->lock, NULL);
    return t;
}

void recall_tools_free(struct recall_tools *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->n_idle; i++)
        analyzer_free(t->idle[i]);
    pthread_mutex_destroy(&t->lock);
    free(t);
}

struct analyzer *recall_tools_analyzer(struct recall_tools *t)
{
    struct analyzer *z = NULL;

    pthread_mutex_lock(&t->lock);
    if (t->n_idle)
        z = t->idle[--t->n_idle];
    pthread_mutex_unlock(&t->lock);
    if (!z)
        z = analyzer_new("english");
    assert(z);
    return z;
}

void recall_tools_give_back(struct recall_tools *t, struct analyzer *z)
{
    pthread_mutex_lock(&t->lock);
    if (t->n_idle < ANALYZERS_KEPT) {
        t->idle[t->n_idle++] = z;
        z = NULL;
    }
    pthread_mutex_unlock(&t->lock);
    analyzer_free(z);
}
