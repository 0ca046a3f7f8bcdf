/* Shared tools of recalls: a pool of analyzers; see recall_tools.h. */
#include "recall_tools.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#include "analyze.h"
#include "language.h"

#define ANALYZERS_KEPT 16 /* of each language */

struct recall_tools {
    pthread_mutex_t lock;
    struct idle {
        struct analyzer *at[ANALYZERS_KEPT];
        size_t n;
    } idle[LANGUAGES];
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
    for (size_t l = 0; l < LANGUAGES; l++)
        for (size_t i = 0; i < t->idle[l].n; i++)
            analyzer_free(t->idle[l].at[i]);
    pthread_mutex_destroy(&t->lock);
    free(t);
}

struct analyzer *recall_tools_analyzer(struct recall_tools *t, uint8_t language)
{
    struct idle *idle = &t->idle[language];
    struct analyzer *z = NULL;

    pthread_mutex_lock(&t->lock);
    if (idle->n)
        z = idle->at[--idle->n];
    pthread_mutex_unlock(&t->lock);
    if (!z)
        z = analyzer_new(language_name(language));
    assert(z);
    return z;
}

void recall_tools_give_back(struct recall_tools *t, uint8_t language, struct analyzer *z)
{
    struct idle *idle = &t->idle[language];

    pthread_mutex_lock(&t->lock);
    if (idle->n < ANALYZERS_KEPT) {
        idle->at[idle->n++] = z;
        z = NULL;
    }
    pthread_mutex_unlock(&t->lock);
    analyzer_free(z);
}
