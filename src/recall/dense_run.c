/* Divides the blocks of a search among threads. */
#include <pthread.h>

#include "dense_search.h"

/* Below this, starting a thread costs more than it saves. */
#define BLOCKS_ALONE (100000 / SCAN_BLOCK)

struct task {
    struct worker worker;
    dense_work *work;
    pthread_t thread;
    bool has_thread;
};

static void *run_task(void *arg)
{
    struct task *t = arg;
    size_t first = 0;            /* block of the piece at hand, counted over all */

    for (uint32_t i = 0; i < t->worker.search->n; first += t->worker.search->pieces[i++].blocks) {
        size_t end = first + t->worker.search->pieces[i].blocks;
        size_t low = t->worker.low > first ? t->worker.low : first, high = t->worker.high < end ? t->worker.high : end;

        if (low < high)
            t->work(&t->worker, i, low - first, high - low);
    }
    return NULL;
}

static size_t thread_count(const struct search *s)
{
    size_t most = s->blocks / BLOCKS_ALONE + 1, wanted = s->options->threads;

    return wanted < 1 ? 1 : wanted < most ? wanted : most;
}

size_t dense_run(struct search *s, dense_work *work, const void *arg, size_t keep, struct dense_top *out)
{
    size_t n = thread_count(s), counted = 0;
    struct task *tasks = ARENA_ARRAY(s->arena, struct task, n);

    for (size_t i = 0; i < n; i++) {
        tasks[i] = (struct task){ .work = work, .worker = { .search = s, .arg = arg } };
        tasks[i].worker.low = s->blocks * i / n;
        tasks[i].worker.high = s->blocks * (i + 1) / n;
        dense_top_init(&tasks[i].worker.top, s->arena, s->sources, keep);
    }
    for (size_t i = 1; i < n; i++)
        tasks[i].has_thread = pthread_create(&tasks[i].thread, NULL, run_task, tasks + i) == 0;
    run_task(tasks);
    *out = tasks[0].worker.top;
    for (size_t i = 0; i < n; i++) {
        if (i && !tasks[i].has_thread)
            run_task(tasks + i);
        else if (i)
            pthread_join(tasks[i].thread, NULL);
        counted += tasks[i].worker.counted;
        for (size_t h = 0; i && h < tasks[i].worker.top.n; h++)
            dense_top_put(out, tasks[i].worker.top.hits + h);
    }
    return counted;
}
