/* Health of the skills; see skill_health.h. */
#include "skill_health.h"

#include <math.h>
#include <stdlib.h>

#include "lifecycle.h"
#include "skill_conflict.h"
#include "skill_net.h"
#include "skill_score.h"
#include "skill_usage.h"

#define FRESH_US (30 * (int64_t)DAY_US)
#define WEEK_US (7 * (int64_t)DAY_US)
#define CONFLICTS_READ 1000

double skill_health_score(const struct skill_health *h)
{
    return round(1000 * (.25 * h->coverage + .20 * h->connectivity + .20 * h->freshness + .25 * h->effectiveness +
        .10 * (1 - h->conflict))) / 10;
}

const char *skill_health_grade(double score)
{
    return isnan(score) ? "n/a" : score >= 90 ? "A" : score >= 80 ? "B" : score >= 70 ? "C" : score >= 60 ? "D" : "F";
}

static bool skill_health_is_fresh(const struct ctx *c, const struct skill_net_node *k)
{
    return c->now.us - (k->used_at.us ? k->used_at.us : k->created_at.us) <= FRESH_US || c->now.us - k->created_at.us <= FRESH_US;
}

static err skill_health_conflicts(struct ctx *c, double n, struct skill_health *out)
{
    struct skill_conflict_filter f = {.status = -1, .conflict_type = -1, .severity = -1, .limit = CONFLICTS_READ};
    const struct skill_conflict *v;
    struct page page;
    double sum = 0;

    TRY(skill_conflict_list(c, &f, &page));
    v = page.items;
    for (size_t i = 0; i < page.n; i++)
        sum += skill_severity_weight(v[i].severity);
    out->open_conflicts = (int64_t)page.n;
    out->conflict = n > 0 ? fmin(sum / (4 * n), 1) : 0;
    return ERR_OK;
}

/* ---- the report */

static int skill_health_order(const void *a, const void *b)
{
    double x = ((const struct skill_health_row *)a)->effectiveness_now, y = ((const struct skill_health_row *)b)->effectiveness_now;

    return (x < y) - (x > y);
}

static struct list skill_health_cut(struct skill_health_row *v, size_t n)
{
    return (struct list){v, n < SKILL_HEALTH_ROWS ? n : SKILL_HEALTH_ROWS};
}

static void skill_health_report(struct ctx *c, const struct skill_net *net, struct skill_health *out)
{
    struct skill_health_row *all = ARENA_ARRAY(c->arena, struct skill_health_row, net->n + 1);
    struct skill_health_row *stale = ARENA_ARRAY(c->arena, struct skill_health_row, net->n + 1);
    struct skill_health_row *orphans = ARENA_ARRAY(c->arena, struct skill_health_row, net->n + 1);
    bool *joined = arena_array(c->arena, net->n + 1, sizeof *joined);
    size_t n_stale = 0, n_orphans = 0;

    for (size_t i = 0; i < net->n_edges; i++)
        joined[net->edges[i].source] = joined[net->edges[i].target] = true;
    for (size_t i = 0; i < net->n; i++) {
        const struct skill_net_node *k = &net->nodes[i];

        all[i] = (struct skill_health_row){k->id, k->name, k->effectiveness_now};
        if (!skill_health_is_fresh(c, k))
            stale[n_stale++] = all[i];
        if (!joined[i] && c->now.us - k->created_at.us > FRESH_US)
            orphans[n_orphans++] = all[i];
    }
    qsort(all, net->n, sizeof *all, skill_health_order);
    out->best = skill_health_cut(all, net->n);
    out->worst = skill_health_cut(all + (net->n > SKILL_HEALTH_ROWS ? net->n - SKILL_HEALTH_ROWS : 0), net->n);
    out->stale = skill_health_cut(stale, n_stale);
    out->orphans = skill_health_cut(orphans, n_orphans);
}

err skill_health(struct ctx *c, bool report, struct skill_health *out)
{
    struct skill_net net;
    double n, whole = 0, fresh = 0, effective = 0;

    *out = (struct skill_health){.score = NAN};
    TRY(skill_net_read(c, false, &net));
    n = (double)net.n;
    for (size_t i = 0; i < net.n; i++) {
        whole += net.nodes[i].has_text && net.nodes[i].has_vector;
        fresh += skill_health_is_fresh(c, &net.nodes[i]);
        effective += net.nodes[i].effectiveness_now;
    }
    TRY(skill_health_conflicts(c, n, out));
    out->skills = (int64_t)net.n;
    out->edges = (int64_t)net.n_edges;
    out->grade = skill_health_grade(NAN);
    if (!net.n)
        return ERR_OK;
    out->coverage = lifecycle_round(whole / n);
    out->connectivity = lifecycle_round(fmin((double)net.n_edges / (3 * n), 1));
    out->freshness = lifecycle_round(fresh / n);
    out->effectiveness = lifecycle_round(fmin(effective / n / .9, 1));
    out->score = skill_health_score(out);
    out->grade = skill_health_grade(out->score);
    if (report)
        skill_health_report(c, &net, out);
    return ERR_OK;
}

/* ---- one skill */

err skill_metrics(struct ctx *c, struct uuid id, struct skill_metrics *out)
{
    struct skill_conflict_filter f = {.status = -1, .conflict_type = -1, .severity = -1, .skill_id = id, .limit = CONFLICTS_READ};
    struct skill_outcomes now, before;
    struct page conflicts, versions;
    struct skill_net net;
    struct skill s;
    size_t place;

    TRY(skill_get(c, id, &s));
    TRY(skill_usage_between(c, id, (struct instant){c->now.us - WEEK_US}, c->now, &now));
    TRY(skill_usage_between(c, id, (struct instant){c->now.us - 2 * WEEK_US}, (struct instant){c->now.us - WEEK_US}, &before));
    TRY(skill_conflict_list(c, &f, &conflicts));
    TRY(skill_version_list(c, &(struct skill_version_filter){.id = id, .limit = SKILL_VERSIONS}, &versions));
    TRY(skill_net_read(c, true, &net));
    *out = (struct skill_metrics){.id = id, .name = s.name, .trend = skill_trend(&now, &before), .effectiveness = s.effectiveness,
        .effectiveness_now = s.effectiveness_now, .success_rate = NAN, .usage_count = s.usage_count, .success_count = s.success_count,
        .failure_count = s.failure_count, .partial_count = s.partial_count, .mean_latency_ms = s.mean_latency_ms,
        .versions = (int64_t)versions.n, .open_conflicts = (int64_t)conflicts.n};
    if (s.success_count + s.failure_count + s.partial_count)
        out->success_rate = lifecycle_round((double)s.success_count / (double)(s.success_count + s.failure_count + s.partial_count));
    place = skill_net_place(&net, id);
    for (size_t i = 0; i < net.n_edges; i++)
        out->edges += net.edges[i].source == place || net.edges[i].target == place;
    return ERR_OK;
}
