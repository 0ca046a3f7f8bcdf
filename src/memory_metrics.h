/* Who holds the memory of this process, for /metrics. */
#ifndef LOCI_MEMORY_METRICS_H
#define LOCI_MEMORY_METRICS_H

struct buf;
struct ctx;

void memory_metrics(struct ctx *c, struct buf *out);

#endif
