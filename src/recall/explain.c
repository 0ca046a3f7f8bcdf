/* Explaining a recall: for each hit every signal, share and factor; for each stage its time and effect; what was cut. */
#include "recall_impl.h"

#include <math.h>

#define RANKS_KEPT 200
#define CUT_SHOWN 100

static void explain_set_num(struct recall *r, struct json *o, const char *key, double v)
{
    json_set(r->c->arena, o, key, json_num(r->c->arena, v));
}

static const char *explain_id_text(struct recall *r, struct uuid id)
{
    char *out = arena_alloc(r->c->arena, UUID_TEXT);

    uuid_text(id, out);
    return out;
}

void recall_explain_stage(struct recall *r, const char *name, int64_t took_us, size_t before)
{
    struct arena *a = r->c->arena;
    struct json *o = json_obj(a);

    if (!r->stages)
        r->stages = json_arr(a);
    json_set_str(a, o, "name", name);
    explain_set_num(r, o, "ms", (double)took_us / 1000);
    json_set_int(a, o, "in", (int64_t)before);
    json_set_int(a, o, "out", (int64_t)r->kept);
    if (r->stage_note)
        json_set(a, o, "note", r->stage_note);
    r->stage_note = NULL;
    json_push(r->stages, o);
    for (size_t i = 0; r->is_fused && r->n_stages < STAGES_MAX && i < r->kept && i < RANKS_KEPT; i++)
        r->at[i].rank_after[r->n_stages] = (uint16_t)(i + 1);
    r->n_stages++;
}

static struct json *signals_of(struct recall *r, const struct candidate *k)
{
    struct arena *a = r->c->arena;
    struct json *all = json_obj(a);

    for (int s = 0; s < SIGNALS; s++) {
        const struct mark *m = &k->marks[s];
        struct json *o;

        if (!m->known && !m->rank && fpclassify(m->share) == FP_ZERO)
            continue;
        o = json_set(a, all, recall_signal_name((enum signal)s), json_obj(a));
        json_set(a, o, "rank", m->rank ? json_int(a, m->rank) : json_new(a, JSON_NULL));
        json_set(a, o, "score", m->known ? json_num(a, m->raw) : json_new(a, JSON_NULL));
        json_set(a, o, "nats", k->nats ? json_num(a, k->nats[s]) : json_new(a, JSON_NULL));
        explain_set_num(r, o, "share", m->share);
        if (s == SIG_SPARSE && r->sparse)
            json_set(a, o, "terms", keyword_explain(r->sparse, k->row));
        if (k->note[s])
            json_set(a, o, "note", (struct json *)(uintptr_t)k->note[s]);
    }
    return all;
}

static struct json *ranks_of(struct recall *r, const struct candidate *k)
{
    struct arena *a = r->c->arena;
    const struct json *stage = r->stages ? r->stages->first : NULL;
    struct json *all = json_obj(a);

    for (size_t i = 0; stage && i < STAGES_MAX; i++, stage = stage->next)
        if (k->rank_after[i])
            json_set_int(a, all, json_get_str(stage, "name"), k->rank_after[i]);
    return all;
}

void recall_explain_extra(struct recall *r, struct candidate *k, const char *stage, struct json *said)
{
    if (!k->extra)
        k->extra = json_obj(r->c->arena);
    json_set(r->c->arena, k->extra, stage, said);
}

static double sum_nats(const struct candidate *k)
{
    double all = 0;

    for (int s = 0; k->nats && s < SIGNALS; s++)
        all += k->nats[s];
    return all;
}

struct json *recall_explain_hit(struct recall *r, const struct candidate *k)
{
    struct arena *a = r->c->arena;
    struct json *o = json_obj(a), *f;

    json_set(a, o, "signals", signals_of(r, k));
    explain_set_num(r, o, "nats", sum_nats(k));
    explain_set_num(r, o, "relevance", k->relevance);
    f = json_set(a, o, "factors", json_obj(a));
    explain_set_num(r, f, "decay", k->factors[FACTOR_DECAY]);
    explain_set_num(r, f, "confidence", k->factors[FACTOR_CONFIDENCE]);
    explain_set_num(r, f, "trust", k->factors[FACTOR_TRUST]);
    explain_set_num(r, o, "score", k->score);
    json_set(a, o, "ranks", ranks_of(r, k));
    if (k->extra)
        json_set(a, o, "after", k->extra);
    return o;
}

/* How nats were made, and what they became: relevance = nats · unit, and the recent share. */
static struct json *profile_of(struct recall *r)
{
    struct arena *a = r->c->arena;
    const struct fitted *f = &r->model.fitted;
    struct json *o = json_obj(a);

    json_set_str(a, o, "model", r->model.provider);
    json_set_str(a, o, "from", f->given ? "account" : "model");
    json_set_str(a, o, "fusion", enumx_name(&recall_fusion_enumx, (int)r->fused.fusion));
    explain_set_num(r, o, "meaning", f->given ? f->meaning : 1);
    explain_set_num(r, o, "known", r->fused.known);
    explain_set_num(r, o, "cosine_mean", r->fused.scale.mean);
    explain_set_num(r, o, "cosine_deviation", r->fused.scale.deviation);
    explain_set_num(r, o, "mean_length", r->fused.mean_length);
    explain_set_num(r, o, "unit", r->fused.unit);
    explain_set_num(r, o, "cosine_at_0", r->model.scale.at_zero);
    explain_set_num(r, o, "cosine_at_half", r->model.scale.at_half);
    return o;
}

static struct json *cut_of(struct recall *r)
{
    struct arena *a = r->c->arena;
    struct json *all = json_arr(a);

    for (size_t i = r->kept; i < r->n && i < r->kept + CUT_SHOWN; i++) {
        struct json *o = json_obj(a);

        json_set_str(a, o, "id", explain_id_text(r, r->at[i].id));
        json_set_str(a, o, "reason", r->at[i].cut);
        explain_set_num(r, o, "relevance", r->at[i].relevance);
        explain_set_num(r, o, "score", r->at[i].score);
        json_push(all, o);
    }
    return all;
}

struct json *recall_explain_all(struct recall *r)
{
    struct arena *a = r->c->arena;
    struct json *o = json_obj(a);

    json_set(a, o, "understood", r->understood.explain ? (struct json *)(uintptr_t)r->understood.explain : json_obj(a));
    json_set(a, o, "profile", profile_of(r));
    explain_set_num(r, o, "ms", (double)(clock_monotonic_us() - r->began_us) / 1000);
    json_set_int(a, o, "searched", (int64_t)r->filter.count);
    json_set_int(a, o, "cut_count", (int64_t)(r->n - r->kept));
    json_set(a, o, "stages", r->stages ? r->stages : json_arr(a));
    json_set(a, o, "cut", cut_of(r));
    return o;
}
