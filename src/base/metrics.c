/* A table of series behind one lock: an update is a hash look-up and an addition. */
#include "metrics.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define SERIES_MAX 4096 /* a bound on mistakes: labels come from tables, never from users */
#define TABLE_SLOTS 8192

static const double BOUNDS[] = {.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30};
#define N_BOUNDS (sizeof BOUNDS / sizeof *BOUNDS)

struct series {
    const struct metric *family;
    char *labels;
    double value;                   /* counter, gauge; histogram: the sum */
    uint64_t buckets[N_BOUNDS + 1]; /* the last one is +Inf */
};

struct metrics {
    pthread_mutex_t lock;
    struct series *table[TABLE_SLOTS];
    struct series *order[SERIES_MAX]; /* as first seen, for rendering */
    size_t n;
};

struct metrics *metrics_new(void)
{
    struct metrics *m = calloc(1, sizeof *m);

    assert(m);
    pthread_mutex_init(&m->lock, NULL);
    return m;
}

void metrics_free(struct metrics *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < m->n; i++) {
        free(m->order[i]->labels);
        free(m->order[i]);
    }
    pthread_mutex_destroy(&m->lock);
    free(m);
}

/* NULL when the table is full. */
static struct series *metrics_find(struct metrics *m, const struct metric *family, const char *labels)
{
    uint64_t h = hash_bytes(labels, strlen(labels), (uint64_t)(uintptr_t)family);
    size_t i = h & (TABLE_SLOTS - 1);
    struct series *s;

    for (; m->table[i]; i = (i + 1) & (TABLE_SLOTS - 1))
        if (m->table[i]->family == family && strcmp(m->table[i]->labels, labels) == 0)
            return m->table[i];
    if (m->n == SERIES_MAX)
        return NULL;
    s = calloc(1, sizeof *s);
    assert(s);
    s->family = family;
    s->labels = strdup(labels);
    assert(s->labels);
    m->table[i] = m->order[m->n++] = s;
    return s;
}

static void metrics_change(struct metrics *m, const struct metric *family, const char *labels, double v, bool set)
{
    struct series *s;

    if (!m)
        return;
    pthread_mutex_lock(&m->lock);
    s = metrics_find(m, family, labels);
    if (s)
        s->value = set ? v : s->value + v;
    pthread_mutex_unlock(&m->lock);
}

void metrics_add(struct metrics *m, const struct metric *family, const char *labels, double delta)
{
    metrics_change(m, family, labels, delta, false);
}

void metrics_set(struct metrics *m, const struct metric *family, const char *labels, double value)
{
    metrics_change(m, family, labels, value, true);
}

void metrics_observe(struct metrics *m, const struct metric *family, const char *labels, double seconds)
{
    struct series *s;
    size_t b = 0;

    if (!m)
        return;
    while (b < N_BOUNDS && seconds > BOUNDS[b])
        b++;
    pthread_mutex_lock(&m->lock);
    s = metrics_find(m, family, labels);
    if (s) {
        s->value += seconds;
        s->buckets[b]++;
    }
    pthread_mutex_unlock(&m->lock);
}

static void render_histogram(const struct series *s, struct buf *out)
{
    const char *comma = *s->labels ? "," : "";
    uint64_t total = 0;

    for (size_t b = 0; b < N_BOUNDS; b++) {
        total += s->buckets[b];
        buf_printf(out, "%s_bucket{%s%sle=\"%g\"} %llu\n", s->family->name, s->labels, comma, BOUNDS[b],
                   (unsigned long long)total);
    }
    total += s->buckets[N_BOUNDS];
    buf_printf(out, "%s_bucket{%s%sle=\"+Inf\"} %llu\n", s->family->name, s->labels, comma, (unsigned long long)total);
    buf_printf(out, "%s_sum{%s} %.9g\n", s->family->name, s->labels, s->value);
    buf_printf(out, "%s_count{%s} %llu\n", s->family->name, s->labels, (unsigned long long)total);
}

static void render_family(struct metrics *m, size_t first, struct buf *out)
{
    static const char *const TYPES[] = {"counter", "gauge", "histogram"};
    const struct metric *f = m->order[first]->family;

    buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n", f->name, f->help, f->name, TYPES[f->type]);
    for (size_t i = first; i < m->n; i++) {
        const struct series *s = m->order[i];

        if (s->family != f)
            continue;
        if (f->type == METRIC_HISTOGRAM)
            render_histogram(s, out);
        else if (*s->labels)
            buf_printf(out, "%s{%s} %.15g\n", f->name, s->labels, s->value);
        else
            buf_printf(out, "%s %.15g\n", f->name, s->value);
    }
}

void metrics_render(struct metrics *m, struct buf *out)
{
    pthread_mutex_lock(&m->lock);
    for (size_t i = 0; i < m->n; i++) {
        bool seen = false;

        for (size_t j = 0; j < i && !seen; j++)
            seen = m->order[j]->family == m->order[i]->family;
        if (!seen)
            render_family(m, i, out);
    }
    pthread_mutex_unlock(&m->lock);
}
