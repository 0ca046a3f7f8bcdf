/* Merging segments: small ones by whoever made them too many, large ones by a thread of their own. */
#include "index_impl.h"
#include "metrics.h"

static const struct metric MERGES = {"loci_recall_index_merges_total", METRIC_COUNTER,
                                     "merges of segments of the recall index"};

static void merged_one(struct recall_index *ri)
{
    pthread_mutex_lock(&ri->lock);
    ri->stats.merges++;
    pthread_mutex_unlock(&ri->lock);
    if (ri->metrics)
        metrics_add(ri->metrics, &MERGES, "", 1);
}

static void put_merged(struct recall_index *ri, struct account_index *e, const struct snapshot *then, const size_t *places,
                       size_t n, struct segment *merged)
{
    struct snapshot *now = index_current(ri, e);
    struct snapshot *next = NULL;

    if (now)
        next = snapshot_replace(now, then, places, n, merged);
    else
        segment_drop(merged);
    if (next) {
        index_swap(ri, e, next);
        merged_one(ri);
    }
    snapshot_drop(now);
}

void index_merge_soon(struct recall_index *ri, struct account_index *e)
{
    struct snapshot *s = index_current(ri, e);
    size_t places[SNAPSHOT_MERGE_MAX], rows, n = s ? snapshot_plan(s, ri->options.cells_from, places, &rows) : 0;

    if (n && rows <= MERGE_HERE_ROWS) {
        put_merged(ri, e, s, places, n, snapshot_merge(s, ri->options.cells_from, places, n));
    } else if (n) {
        pthread_mutex_lock(&ri->lock);
        e->wants_merge = true;
        pthread_cond_signal(&ri->work);
        pthread_mutex_unlock(&ri->lock);
    }
    snapshot_drop(s);
}

/* The caller holds the lock. */
static struct account_index *next_job(struct recall_index *ri)
{
    for (size_t i = 0; i < BUCKETS; i++)
        for (struct account_index *e = ri->bucket[i]; e; e = e->next)
            if (e->wants_merge)
                return e;
    return NULL;
}

static void merge_account(struct recall_index *ri, struct account_index *e)
{
    struct snapshot *then = index_current(ri, e);
    size_t places[SNAPSHOT_MERGE_MAX], rows, n = then ? snapshot_plan(then, ri->options.cells_from, places, &rows) : 0;
    struct segment *merged;

    if (n) {
        merged = snapshot_merge(then, ri->options.cells_from, places, n);
        pthread_mutex_lock(&e->busy);
        put_merged(ri, e, then, places, n, merged);
        index_merge_soon(ri, e);
        pthread_mutex_unlock(&e->busy);
    }
    snapshot_drop(then);
}

void *index_merger(void *arg)
{
    struct recall_index *ri = arg;
    struct account_index *e;

    pthread_mutex_lock(&ri->lock);
    while (!ri->ends) {
        e = next_job(ri);
        ri->merging = e != NULL;
        if (!e) {
            pthread_cond_broadcast(&ri->idle);
            pthread_cond_wait(&ri->work, &ri->lock);
            continue;
        }
        e->wants_merge = false;
        e->users++;
        pthread_mutex_unlock(&ri->lock);
        merge_account(ri, e);
        index_let_go(ri, e);
        pthread_mutex_lock(&ri->lock);
    }
    ri->merging = false;
    pthread_cond_broadcast(&ri->idle);
    pthread_mutex_unlock(&ri->lock);
    return NULL;
}

void index_settle(struct recall_index *ri)
{
    pthread_mutex_lock(&ri->lock);
    while (!ri->ends && (ri->merging || next_job(ri))) {
        pthread_cond_signal(&ri->work);
        pthread_cond_wait(&ri->idle, &ri->lock);
    }
    pthread_mutex_unlock(&ri->lock);
}
