/* Counters of this process, gathered in memory and added to the installation's every few seconds. */
#include <stdio.h>
#include <string.h>

#include "engine.h"
#include "stats_store.h"

void stat_add(struct engine *e, const char *name, const char *subject, const char *detail, double value)
{
    struct stat *s;

    pthread_mutex_lock(&e->lock);
    for (s = e->stats; s < e->stats + e->n_stats; s++)
        if (strcmp(s->name, name) == 0 && strcmp(s->subject, subject) == 0 && strcmp(s->detail, detail) == 0)
            break;
    if (s == e->stats + e->n_stats && e->n_stats < STATS_MAX) {
        e->n_stats++;
        *s = (struct stat){.name = name};
        snprintf(s->subject, sizeof s->subject, "%s", subject);
        snprintf(s->detail, sizeof s->detail, "%s", detail);
    }
    if (s < e->stats + e->n_stats)
        s->value = strcmp(name, STAT_LAST_SUCCESS) == 0 ? value : s->value + value;
    pthread_mutex_unlock(&e->lock);
}

err stats_flush(struct engine *e, struct ctx *c)
{
    struct stat *mine;
    size_t n;
    err result;

    pthread_mutex_lock(&e->lock);
    n = e->n_stats;
    mine = n ? arena_memdup(c->arena, e->stats, n * sizeof *mine) : NULL;
    e->n_stats = 0;
    pthread_mutex_unlock(&e->lock);
    if (!n)
        return ERR_OK;
    result = stats_store_add(c, mine, n);
    for (size_t i = 0; result != ERR_OK && i < n; i++)
        stat_add(e, mine[i].name, mine[i].subject, mine[i].detail, mine[i].value);
    return result;
}
