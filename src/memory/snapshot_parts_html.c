/* What a snapshot says otherwise than what is there now, on the pages of contexts and of pools; see memory_html.h. */
#include "memory_html.h"

#include "diff.h"
#include "model.h"

static const char *snapshot_page_shown(struct ctx *c, const struct json *j)
{
    return !j ? "" : json_is(j, JSON_STR) ? j->s : json_text_pretty(c->arena, j);
}

/* What a restore would do to it, in a word. */
static struct json *fate(struct ctx *c, const struct restore_change *x)
{
    if (x->is_lost)
        return model_badge(c->arena, "warn", "cannot be restored");
    if (!x->then)
        return model_badge(c->arena, "bad", "would be removed");
    return x->now ? model_badge(c->arena, "info", "would be reset") : model_badge(c->arena, "ok", "would be restored");
}

static void put_change(struct ctx *c, struct json *row, const struct restore_change *x)
{
    json_set_str(c->arena, row, "key", x->key);
    json_set_str(c->arena, row, "href", x->now && !uuid_is_nil(x->node_id) ? node_place(c, x->node_id) : NULL);
    json_set(c->arena, row, "fate", fate(c, x));
    json_set_str(c->arena, row, "then", x->then ? value_preview(c, x->then) : NULL);
    json_set_str(c->arena, row, "now", x->now ? value_preview(c, x->now) : NULL);
    json_set(c->arena, row, "diff", x->then && x->now && !x->is_cut ? model_diff(c->arena, snapshot_page_shown(c, x->now), snapshot_page_shown(c, x->then)) : json_new(c->arena, JSON_NULL));
}

void put_comparison(struct ctx *c, struct page_call *p, const struct restore_counts *n, const struct page *changes)
{
    struct json *m = json_set(c->arena, p->model, "counts", json_obj(c->arena)), *list = put_list(c, p->model, "changes");
    const struct restore_change *x = changes->items;

    json_set_str(c->arena, m, "changed", model_count(c->arena, n->changed));
    json_set_str(c->arena, m, "missing", model_count(c->arena, n->missing));
    json_set_str(c->arena, m, "later", model_count(c->arena, n->later));
    json_set_str(c->arena, m, "lost", model_count(c->arena, n->lost));
    json_set_str(c->arena, m, "same", model_count(c->arena, n->same));
    json_set_bool(c->arena, m, "is_same", !n->changed && !n->missing && !n->later);
    for (size_t i = 0; i < changes->n; i++)
        put_change(c, add_row(c, list), &x[i]);
}
