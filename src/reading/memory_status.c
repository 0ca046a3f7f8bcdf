/* How the memory is; see memory_status.h. */
#include "memory_status.h"

#include "app.h"
#include "consolidate.h"
#include "health.h"
#include "node.h"

/* Names and states only: what else a part says is for operators. */
static void status_parts(struct ctx *c, struct memory_status *out)
{
    struct status_part *v = ARENA_ARRAY(c->arena, struct status_part, HEALTH_PARTS);
    const char **degraded = ARENA_ARRAY(c->arena, const char *, HEALTH_PARTS);
    struct health_part parts[HEALTH_PARTS];
    size_t n = 0, n_parts = health_check(c, parts);

    for (size_t i = 0; i < n_parts; i++) {
        v[i] = (struct status_part){parts[i].name, parts[i].off ? "off" : parts[i].ok ? "ok" : "failed"};
        if (!parts[i].ok || parts[i].off)
            degraded[n++] = parts[i].name;
    }
    out->parts = (struct list){v, n_parts};
    out->degraded = (struct strs){degraded, n};
}

err memory_status(struct ctx *c, struct memory_status *out)
{
    struct consolidation_status reading;
    struct node_stats stats;

    *out = (struct memory_status){.version = LOCI_VERSION};
    status_parts(c, out);
    TRY(node_stats(c, &stats));
    out->census = stats.kinds;
    out->nodes = stats.nodes;
    out->spaces = stats.spaces;
    if (c->app->vectors_waiting)
        TRY(c->app->vectors_waiting(c, VECTORS_COUNTED, &out->vectors_waiting));
    TRY(consolidation_status(c, (struct uuid){{0}}, &reading));
    out->episodes_waiting = reading.pending + reading.in_progress;
    out->episodes_failed = reading.failed;
    return ERR_OK;
}
