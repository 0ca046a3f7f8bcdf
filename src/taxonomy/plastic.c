/* Weights that learn; see plastic.h. The row of edge_plastic is what a weight is computed of, the edge has it for recall. */
#include "plastic.h"

#include <math.h>

#include "clock.h"
#include "db.h"
#include "edge.h"
#include "plastic_store.h"

double plastic_now(double weight, double decay_rate, int64_t since_us)
{
    return since_us > 0 ? weight * pow(1 - decay_rate, (double)since_us / (double)DAY_US) : weight;
}

double plastic_stronger(double weight, double share, int64_t times)
{
    return fmin(1, 1 - (1 - weight) * pow(1 - share, (double)times));
}

struct instant plastic_decays_at(double weight, double decay_rate, double floor, struct instant at)
{
    double days = weight > floor ? log(weight / floor) / -log(1 - decay_rate) : 0;

    return (struct instant){at.us + (int64_t)(days * (double)DAY_US)};
}

/* ---- a subject and a tag */

static err plastic_first(struct ctx *c, struct uuid subject_id, struct uuid tag_id, struct plastic_row *row)
{
    TRY(edge_put_many(c, &(struct edge_new){.source_id = subject_id, .target_id = tag_id, .relation = "activates", .weight = PLASTIC_FIRST,
                                            .confidence = 1}, 1));
    TRY(plastic_store_edge(c, subject_id, tag_id, "activates", &row->edge_id));
    row->weight = PLASTIC_FIRST;
    row->hits = row->hits_day = 1;
    row->decay_rate = PLASTIC_DECAY;
    row->decays_at = plastic_decays_at(row->weight, row->decay_rate, PLASTIC_FLOOR, c->now);
    return plastic_store_write(c, "activates", row, 1);
}

err plastic_meet(struct ctx *c, struct uuid subject_id, struct uuid tag_id, struct plastic_edge *out)
{
    struct plastic_row row = {0};
    bool found;

    TRY(plastic_store_lock(c, subject_id, tag_id, &found, &row));
    if (!found)
        TRY(plastic_first(c, subject_id, tag_id, &row));
    *out = (struct plastic_edge){.edge_id = row.edge_id, .subject_id = subject_id, .tag_id = tag_id, .is_new = !found, .counted = true,
                                 .weight = row.weight, .hits = row.hits, .hits_today = row.hits_day};
    if (!found)
        return ERR_OK;
    out->weight = plastic_now(row.weight, row.decay_rate, c->now.us - row.weighted_at.us);
    out->counted = row.hits_day < PLASTIC_DAY;
    if (!out->counted)
        return ERR_OK;
    row.weight = out->weight = plastic_stronger(out->weight, PLASTIC_STEP, 1);
    out->hits = ++row.hits;
    out->hits_today = ++row.hits_day;
    row.decays_at = plastic_decays_at(row.weight, row.decay_rate, PLASTIC_FLOOR, c->now);
    return plastic_store_write(c, "activates", &row, 1);
}

/* ---- two tags */

err plastic_together(struct ctx *c, const struct plastic_pair *pairs, size_t n, double share)
{
    struct edge_new *edges = ARENA_ARRAY(c->arena, struct edge_new, n + 1);

    for (size_t i = 0; i < n; i++)
        edges[i] = (struct edge_new){.source_id = pairs[i].a, .target_id = pairs[i].b, .relation = "CO_OCCURS", .weight = TOGETHER_FLOOR,
                                     .confidence = 1};
    TRY(edge_put_many(c, edges, n));
    return plastic_store_together(c, pairs, n, share);
}

/* ---- nights */

err plastic_boost(struct ctx *c, int64_t limit, int64_t *n)
{
    return plastic_store_boost(c, limit, n);
}

err plastic_decay(struct ctx *c, int64_t limit, int64_t *n)
{
    int64_t pairs;

    TRY(plastic_store_decay(c, limit, n));
    if (*n >= limit)
        return ERR_OK;
    TRY(plastic_store_part(c, limit - *n, &pairs));
    *n += pairs;
    return ERR_OK;
}
