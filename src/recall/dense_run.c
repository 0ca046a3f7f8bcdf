/* Divides the blocks of a search among threads. */
#include "dense_search.h"
#include "errand.h"

/* Below this, waking a thread costs more than it saves. */
#define BLOCKS_ALONE (100000 / SCAN_BLOCK)

struct task {
    struct worker worker;
    dense_work *work;
    struct errand errand;
};

static void run_task(void *arg)
{
    struct task *t = arg;
    const struct search *s = t->worker.search;
    size_t first = 0; /* block of the piece at hand, counted over all */

    for (size_t i = t->worker.from; i < s->n_pieces; first += s->pieces[i++].blocks) {
        size_t end = first + s->pieces[i].blocks;
        size_t low = t->worker.low > first ? t->worker.low : first, high = t->worker.high < end ? t->worker.high : end;

        if (low < high)
            t->work(&t->worker, s->pieces + i, low - first, high - low);
    }
}

static size_t thread_count(const struct search *s, size_t blocks)
{
    size_t most = blocks / BLOCKS_ALONE + 1, wanted = s->options->helpers ? s->options->threads : 1;

    return wanted < 1 ? 1 : wanted < most ? wanted : most;
}

size_t dense_run(struct search *s, size_t from, dense_work *work, const void *arg, size_t keep, struct dense_top *out)
{
    size_t blocks = 0, n, counted = 0;
    struct task *tasks;

    for (size_t i = from; i < s->n_pieces; i++)
        blocks += s->pieces[i].blocks;
    n = thread_count(s, blocks);
    tasks = ARENA_ARRAY(s->arena, struct task, n);

    for (size_t i = 0; i < n; i++) {
        tasks[i] = (struct task){.work = work, .worker = {.search = s, .arg = arg, .from = from}};
        tasks[i].worker.low = blocks * i / n;
        tasks[i].worker.high = blocks * (i + 1) / n;
        dense_top_init(&tasks[i].worker.top, s->arena, s->sources, keep);
    }
    for (size_t i = 1; i < n; i++) {
        tasks[i].errand = (struct errand){.run = run_task, .arg = tasks + i};
        errand_begin(s->options->helpers, &tasks[i].errand);
    }
    run_task(tasks);
    *out = tasks[0].worker.top;
    for (size_t i = 0; i < n; i++) {
        if (i)
            errand_end(&tasks[i].errand);
        counted += tasks[i].worker.counted;
        for (size_t h = 0; i && h < tasks[i].worker.top.n; h++)
            dense_top_put(out, tasks[i].worker.top.hits + h);
    }
    return counted;
}
