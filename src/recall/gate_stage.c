/* The stage that fits the hits into the budget and reports what it evicted. */
#include <string.h>

#include "content.h"
#include "gate.h"
#include "render.h"
#include "render_stage.h"
#include "serve_text.h"

#define SHOWN_BELOW 100 /* candidates below the minimum that the report names */

bool wants_gate(const struct recall *r)
{
    return r->in->token_budget > 0 || r->in->gate == SWITCH_ON ||
           (r->in->gate == SWITCH_AUTO && r->in->mode == MODE_SURGICAL);
}

static double gate_stage_likeness(const void *arg, size_t i, size_t j)
{
    const struct recall *r = arg;

    return recall_cosine(r, r->at[i].row, r->at[j].row);
}

/* What comes with a hit besides its body. */
static int64_t tokens_beside(struct recall *r, const struct candidate *k)
{
    struct render_hit hit;

    if (!wants_render(r))
        return content_tokens(recall_served_title(r, k));
    hit = render_hit_of(r, k);
    return render_tag_tokens(r->c->arena, &hit);
}

static struct gate_item gate_stage_item_of(struct recall *r, struct candidate *k)
{
    struct row_at at = snapshot_at(r->index, k->row);

    return (struct gate_item){
        .id = k->id,
        .kind = segment_kind_name(recall_kind(r, k)),
        .text = recall_served(r, k),
        .extra_tokens = tokens_beside(r, k),
        .relevance = k->relevance,
        .simhash = at.in->simhash[at.r],
    };
}

static void gate_stage_set_num(struct recall *r, struct json *o, const char *key, double v)
{
    json_set(r->c->arena, o, key, json_num(r->c->arena, v));
}

static const char *gate_stage_id_text(struct recall *r, struct uuid id)
{
    return uuid_text(id, arena_alloc(r->c->arena, UUID_TEXT));
}

static struct json *entropy_json(struct recall *r, const struct gate_item *it, struct json *o)
{
    gate_stage_set_num(r, o, "entropy", it->entropy.score);
    gate_stage_set_num(r, o, "char_entropy", it->entropy.chars);
    gate_stage_set_num(r, o, "token_entropy", it->entropy.words);
    return o;
}

static struct json *evicted_json(struct recall *r, const struct gate_item *items, size_t i)
{
    const struct gate_item *it = &items[i];
    struct arena *a = r->c->arena;
    struct json *o = json_obj(a);

    json_set_str(a, o, "id", gate_stage_id_text(r, it->id));
    json_set_str(a, o, "kind", it->kind);
    json_set_int(a, o, "tokens", it->tokens);
    entropy_json(r, it, o);
    gate_stage_set_num(r, o, "relevance", it->relevance);
    json_set_int(a, o, "rank", (int64_t)i + 1);
    json_set_str(a, o, "reason", enumx_name(&evict_reason_enumx, (int)it->reason));
    if (it->reason == EVICT_NEAR_DUPLICATE)
        json_set_str(a, o, "near_of", gate_stage_id_text(r, items[it->near_of].id));
    return o;
}

/* What fell below the caller's minimum before: its text was not read, so nothing is known of its entropy. */
static void add_below_min(struct recall *r, struct json *evicted)
{
    struct arena *a = r->c->arena;
    size_t shown = 0;

    for (size_t i = r->kept; i < r->n && shown < SHOWN_BELOW; i++) {
        const struct candidate *k = &r->at[i];
        struct row_at at = snapshot_at(r->index, k->row);
        struct json *o;

        if (!str_eq(k->cut, enumx_name(&evict_reason_enumx, EVICT_BELOW_MIN)))
            continue;
        o = json_obj(a);
        json_set_str(a, o, "id", gate_stage_id_text(r, k->id));
        json_set_str(a, o, "kind", segment_kind_name(recall_kind(r, k)));
        json_set_int(a, o, "tokens", at.in->tokens[at.r]);
        json_set(a, o, "entropy", json_new(a, JSON_NULL));
        json_set(a, o, "char_entropy", json_new(a, JSON_NULL));
        json_set(a, o, "token_entropy", json_new(a, JSON_NULL));
        gate_stage_set_num(r, o, "relevance", k->relevance);
        json_set_int(a, o, "rank", (int64_t)i + 1);
        json_set_str(a, o, "reason", k->cut);
        json_push(evicted, o);
        shown++;
    }
}

static void report(struct recall *r, const struct gate_item *items, size_t n, int64_t used)
{
    struct arena *a = r->c->arena;
    struct json *o = json_obj(a), *kept = json_arr(a), *evicted = json_arr(a), *cut = json_arr(a);

    json_set(a, o, "budget_tokens", r->in->token_budget ? json_int(a, r->in->token_budget) : json_new(a, JSON_NULL));
    json_set_int(a, o, "used_tokens", used);
    json_set(a, o, "kept", kept);
    json_set(a, o, "evicted", evicted);
    json_set(a, o, "cut", cut);
    for (size_t i = 0; i < n; i++) {
        if (items[i].is_evicted)
            json_push(evicted, evicted_json(r, items, i));
        else
            json_push(kept, json_str(a, gate_stage_id_text(r, items[i].id)));
        if (!items[i].is_evicted && items[i].is_cut)
            json_push(cut, json_str(a, gate_stage_id_text(r, items[i].id)));
    }
    add_below_min(r, evicted);
    r->out->eviction_report = o;
}

static void gate_stage_explain(struct recall *r, const struct gate_item *it, struct candidate *k)
{
    struct json *o = entropy_json(r, it, json_obj(r->c->arena));

    json_set_str(r->c->arena, o, "band", enumx_name(&entropy_band_enumx, (int)it->entropy.band));
    json_set_int(r->c->arena, o, "tokens", it->tokens);
    json_set_bool(r->c->arena, o, "cut", it->is_cut);
    recall_explain_extra(r, k, "gate", o);
}

err stage_gate(struct recall *r)
{
    const struct gate_likeness like = {gate_stage_likeness, r};
    size_t n = r->kept < (size_t)r->in->limit ? r->kept : (size_t)r->in->limit;
    struct gate_item *items = ARENA_ARRAY(r->c->arena, struct gate_item, n + 1);
    int64_t frame = wants_render(r) ? render_frame_tokens() : 0, budget = r->in->token_budget;
    struct gate_result g;

    TRY(recall_texts(r, n));
    for (size_t i = 0; i < n; i++)
        items[i] = gate_stage_item_of(r, &r->at[i]);
    g = gate_run(r->c->arena, items, n, budget > frame ? budget - frame : budget > 0 ? 1 : 0, &like);
    for (size_t i = 0; i < n; i++) {
        struct candidate *k = &r->at[i];

        k->served = items[i].text;
        k->served_cut = k->served_cut || items[i].is_cut;
        if (items[i].is_evicted)
            recall_cut(k, enumx_name(&evict_reason_enumx, (int)items[i].reason));
        if (r->in->explain)
            gate_stage_explain(r, &items[i], k);
    }
    report(r, items, n, g.n_kept ? g.used_tokens + frame : 0);
    return ERR_OK;
}
