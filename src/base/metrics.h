/* Counters, gauges and histograms of one process, in Prometheus text. */
#ifndef LOCI_METRICS_H
#define LOCI_METRICS_H

#include "str.h"

enum metric_type { METRIC_COUNTER, METRIC_GAUGE, METRIC_HISTOGRAM };

/* A family; declared `static const` by whoever counts. Histograms are of seconds. */
struct metric {
    const char *name;
    enum metric_type type;
    const char *help;
};

struct metrics;

struct metrics *metrics_new(void);
void metrics_free(struct metrics *m);

/* labels: `call="x",status="200"`, or "" for none; never an account, an id or anything a user could invent. */
void metrics_add(struct metrics *m, const struct metric *family, const char *labels, double delta);
void metrics_set(struct metrics *m, const struct metric *family, const char *labels, double value);
void metrics_observe(struct metrics *m, const struct metric *family, const char *labels, double seconds);
void metrics_render(struct metrics *m, struct buf *out);

#endif
