/* The stage that writes the bundle, and remembers what was served. */
#include "render_stage.h"

#include "grade_stage.h"
#include "serve_text.h"
#include "served.h"

bool wants_render(const struct recall *r)
{
    return r->in->render != RENDER_JSON;
}

struct render_hit render_hit_of(struct recall *r, const struct candidate *k)
{
    struct row_at at = snapshot_at(r->index, k->row);

    return (struct render_hit){
        .id = k->id,
        .kind = segment_kind_name(recall_kind(r, k)),
        .status = k->text ? k->text->status : NULL,
        .title = recall_served_title(r, k),
        .body = k->served ? k->served : "",
        .score = k->score,
        .similarity = k->similarity,
        .band = recall_band(r, k),
        .grade = k->grade,
        .is_graded = r->out->grade != NULL,
        .created_at = { at.in->times[at.r].created },
    };
}

static int64_t evicted(const struct recall *r)
{
    const struct json *list = json_get(r->out->eviction_report, "evicted");

    return list ? (int64_t)list->len : 0;
}

err stage_render(struct recall *r)
{
    struct render_hit *hits = ARENA_ARRAY(r->c->arena, struct render_hit, r->kept + 1);
    struct render_in in = {
        .head = { .considered = (int64_t)r->n, .cut = evicted(r), .mode = r->out->mode,
                  .verdict = json_get_str(r->out->grade, "verdict"),
                  .action = json_get_str(r->out->grade, "action"), .evidence = r->out->evidence },
        .hits = hits,
        .n = r->kept,
        .stable = r->in->stable,
    };

    for (size_t i = 0; i < r->kept; i++) {
        (void)recall_served(r, &r->at[i]);
        hits[i] = render_hit_of(r, &r->at[i]);
    }
    grade_externals(r, &in.externals, &in.n_externals);
    /* A budget too small for the frame alone: nothing fits, our words neither. */
    r->out->bundle = r->in->token_budget > 0 && r->in->token_budget < render_frame_tokens() ? ""
                                                                                          : render_bundle(r->c->arena, &in);
    return ERR_OK;
}

bool wants_remember(const struct recall *r)
{
    return r->in->body_chars > 0 && r->in->touch;
}

err stage_remember(struct recall *r)
{
    struct served_text *texts = ARENA_ARRAY(r->c->arena, struct served_text, r->kept + 1);

    for (size_t i = 0; i < r->kept; i++)
        texts[i] = (struct served_text){r->at[i].id, recall_served(r, &r->at[i])};
    served_remember(r->c, texts, r->kept);
    return ERR_OK;
}
