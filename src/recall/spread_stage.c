/* Spreading activation as a stage: the best hits light their neighbours; what fires becomes a candidate; see spread.h. */
#include <math.h>

#include "recall_impl.h"
#include "spread.h"

#define SEEDS 5

bool wants_spread(const struct recall *r)
{
    if (r->in->spread != SWITCH_AUTO)
        return r->in->spread == SWITCH_ON;
    return r->in->mode == MODE_SURGICAL || r->in->mode == MODE_GRAPH;
}

static struct spread_options spread_stage_options_of(const struct recall *r, size_t *seeds)
{
    const struct recall_spread_options *in = r->in->spread_options;
    struct spread_options o = SPREAD_DEFAULTS;

    *seeds = SEEDS;
    o.as_of = r->in->as_of.us;
    if (!in)
        return o;
    o.keep = in->leak;
    o.least = in->min_signal;
    o.threshold = in->threshold;
    o.hops = (unsigned)in->hops;
    *seeds = (size_t)in->seeds;
    return o;
}

/* From the node that fired back to the seed. */
static const struct json *path_of(struct recall *r, const struct lit *node)
{
    struct arena *a = r->c->arena;
    struct json *note = json_obj(a), *path = json_set(a, note, "path", json_arr(a));

    json_set_int(a, note, "hop", node->hop);
    for (; node; node = node->by) {
        struct json *step = json_obj(a);
        char *id = arena_alloc(a, UUID_TEXT);

        uuid_text(snapshot_id(r->index, node->row), id);
        json_set_str(a, step, "id", id);
        json_set(a, step, "potential", json_num(a, node->potential));
        if (node->by)
            json_set_str(a, step, "relation", node->relation);
        json_push(path, step);
    }
    return note;
}

/* A node that fired is worth its potential, of what its best seed is worth; one that was found anyway keeps the better. */
static err light(struct recall *r, const struct lit *const *lit, size_t n)
{
    uint32_t *rows = ARENA_ARRAY(r->c->arena, uint32_t, n + 1);
    double most = r->n ? r->at[0].relevance : 0;
    size_t in = 0;

    for (size_t i = 0; i < n; i++)
        if (filter_has(&r->filter, lit[i]->row))
            rows[in++] = lit[i]->row;
    TRY(recall_admit(r, rows, in));
    for (size_t i = 0; i < n; i++) {
        struct candidate *k = recall_find(r, lit[i]->row);
        double worth = fmin(lit[i]->potential, 1) * most;

        if (!k)
            continue;
        k->marks[SIG_SPREAD].rank = (uint32_t)i + 1;
        k->marks[SIG_SPREAD].known = true;
        k->marks[SIG_SPREAD].raw = lit[i]->potential;
        if (r->in->explain)
            k->note[SIG_SPREAD] = path_of(r, lit[i]);
        if (worth > k->relevance)
            recall_add_share(k, SIG_SPREAD, worth - k->relevance);
    }
    return ERR_OK;
}

err stage_spread(struct recall *r)
{
    size_t n_seeds, n;
    struct spread_options o = spread_stage_options_of(r, &n_seeds);
    struct scored *seeds;
    const struct lit **lit;

    n_seeds = n_seeds < r->kept ? n_seeds : r->kept;
    seeds = ARENA_ARRAY(r->c->arena, struct scored, n_seeds + 1);
    for (size_t i = 0; i < n_seeds; i++)
        seeds[i] = (struct scored){r->at[i].row, 1};
    n = spread(r->c->arena, r->index, &r->counts, seeds, n_seeds, &o, &lit);
    return light(r, lit, n);
}
