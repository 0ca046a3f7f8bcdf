/* From counts to rates and shares; see speed.h. */
#include "speed.h"

#include <math.h>
#include <string.h>

#include "app.h"
#include "speed_store.h"

#define QUARTER_US (900 * SECOND_US)
#define QUARTERS_OF_HOUR 4
#define QUARTERS_OF_STEP (SPEED_STEP_US / QUARTER_US)
#define QUARTERS (SPEED_STEPS * QUARTERS_OF_STEP)

static struct speed_part speed_part_of(const int64_t counts[PACE_BUCKETS])
{
    struct speed_part p = {.half = NAN, .most = NAN};
    int64_t so_far = 0;

    for (int b = 0; b < PACE_BUCKETS; b++)
        p.n += counts[b];
    for (int b = 0; b < PACE_BUCKETS && p.n; b++) {
        so_far += counts[b];
        if (isnan(p.half) && so_far * 2 >= p.n)
            p.half = pace_seconds(b);
        if (isnan(p.most) && so_far * 20 >= p.n * 19)
            p.most = pace_seconds(b);
    }
    return p;
}

/* Adds what was counted in some quarters of an hour. */
static struct speed_part part_of_many(const speed_counts *quarters, int n, int kind)
{
    int64_t sum[PACE_BUCKETS] = {0};

    for (int q = 0; q < n; q++)
        for (int b = 0; b < PACE_BUCKETS; b++)
            sum[b] += quarters[q][kind][b];
    return speed_part_of(sum);
}

err speed_read(struct ctx *c, struct speed *out)
{
    int64_t last = c->now.us / QUARTER_US, end = last - last % QUARTERS_OF_STEP + QUARTERS_OF_STEP, first = end - QUARTERS;
    speed_counts *quarters = ARENA_ARRAY(c->arena, speed_counts, QUARTERS);
    int64_t hour = last - QUARTERS_OF_HOUR - first;

    memset(quarters, 0, QUARTERS * sizeof *quarters);
    TRY(speed_store_read(c, first, QUARTERS, quarters));
    out->first.us = first * QUARTER_US;
    out->hour_minutes = (double)(c->now.us - (last - QUARTERS_OF_HOUR) * QUARTER_US) / (60 * SECOND_US);
    for (int k = 0; k < PACE_KINDS; k++) {
        for (int s = 0; s < SPEED_STEPS; s++)
            out->step[s][k] = part_of_many(quarters + (ptrdiff_t)s * QUARTERS_OF_STEP, QUARTERS_OF_STEP, k);
        out->hour[k] = part_of_many(quarters + hour, QUARTERS_OF_HOUR + 1, k);
    }
    return ERR_OK;
}

void speed_flush(struct ctx *c)
{
    struct pace_row row;

    for (int i = 0; i < PACE_ACCOUNTS && pace_take(c->app->pace, &row); i++) {
        if (speed_store_add(c, &row, c->now.us / QUARTER_US) != ERR_OK)
            ctx_forgive(c);
    }
}
