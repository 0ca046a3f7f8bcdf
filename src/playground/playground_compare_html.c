/* Two answers side by side: what was asked otherwise, and where each hit stands in either. */
#include "playground_html.h"

#include <string.h>

#include "model.h"
#include "parts_html.h"

static const struct json *hits_of(const struct json *data)
{
    const struct json *hits = json_get(data, "hits");

    return json_is(hits, JSON_ARR) ? hits->first : NULL;
}

/* 0: not among them. */
static int playground_compare_rank_of(const struct json *data, const char *id, const struct json **hit)
{
    int rank = 0;

    for (const struct json *h = hits_of(data); h; h = h->next) {
        rank++;
        if (str_eq(json_get_str(h, "id"), id)) {
            *hit = h;
            return rank;
        }
    }
    *hit = NULL;
    return 0;
}

static const char *score_of(struct ctx *c, const struct json *hit)
{
    const struct json *score = json_get(hit, "score");

    return score ? arena_printf(c->arena, "%.4f", json_number(score)) : NULL;
}

static const char *number_or_null(struct ctx *c, int n)
{
    return n ? arena_printf(c->arena, "%d", n) : NULL;
}

static void playground_compare_add_hit(struct ctx *c, struct json *rows, const struct json *now, int rank, const struct json *kept,
                                       int rank_kept)
{
    const struct json *hit = now ? now : kept;
    const char *title = json_get_str(hit, "title");
    struct json *row = add_row(c, rows);
    int up = rank && rank_kept ? rank_kept - rank : 0;

    json_set_str(c->arena, row, "id", json_get_str(hit, "id"));
    json_set_str(c->arena, row, "title", str_empty(title) ? "without a title" : title);
    json_set_str(c->arena, row, "kind", json_get_str(hit, "kind"));
    json_set_str(c->arena, row, "now", number_or_null(c, rank));
    json_set_str(c->arena, row, "then", number_or_null(c, rank_kept));
    json_set_str(c->arena, row, "score", score_of(c, now));
    json_set_str(c->arena, row, "score_then", score_of(c, kept));
    json_set(c->arena, row, "change", !rank_kept ? model_badge(c->arena, "ok", "new")
                                      : !rank    ? model_badge(c->arena, "bad", "gone")
                                      : !up      ? model_badge(c->arena, "off", "same")
                                                 : model_badge(c->arena, up > 0 ? "ok" : "warn", arena_printf(c->arena, "%s %d", up > 0 ? "▲" : "▼", up > 0 ? up : -up)));
}

static void add_hits(struct ctx *c, struct json *o, const struct json *now, const struct json *kept)
{
    struct json *rows = put_list(c, o, "rows");
    const struct json *other;
    int rank = 0;

    for (const struct json *h = hits_of(now); h; h = h->next) {
        int then = playground_compare_rank_of(kept, json_get_str(h, "id"), &other);

        playground_compare_add_hit(c, rows, h, ++rank, other, then);
    }
    rank = 0;
    for (const struct json *h = hits_of(kept); h; h = h->next) {
        rank++;
        if (!playground_compare_rank_of(now, json_get_str(h, "id"), &other))
            playground_compare_add_hit(c, rows, NULL, 0, h, rank);
    }
}

static void add_difference(struct ctx *c, struct json *rows, const char *name, const struct json *now, const struct json *then)
{
    struct json *row;

    if (now && then && json_equal(now, then))
        return;
    row = add_row(c, rows);
    json_set_str(c->arena, row, "name", name);
    json_set_str(c->arena, row, "now", !now ? NULL : json_is(now, JSON_STR) ? now->s : json_text(c->arena, now));
    json_set_str(c->arena, row, "then", !then ? NULL : json_is(then, JSON_STR) ? then->s : json_text(c->arena, then));
}

static void add_differences(struct ctx *c, struct json *o, const struct json *now, const struct json *then)
{
    struct json *rows = put_list(c, o, "settings");

    for (const struct json *m = now->first; m; m = m->next)
        add_difference(c, rows, m->key, m, json_get(then, m->key));
    for (const struct json *m = then->first; m; m = m->next)
        if (!json_get(now, m->key))
            add_difference(c, rows, m->key, NULL, m);
}

static const char *took(struct ctx *c, const struct json *data)
{
    const struct json *ms = json_get(json_get(data, "explain"), "ms");

    return arena_printf(c->arena, "%.2f ms", json_number(ms));
}

/* What was kept may have been shortened on its way, or be nobody's: then there is nothing to compare with. */
static bool read_kept(struct ctx *c, const struct page_call *p, struct json **out)
{
    const char *text = page_query(p, "keep"), *why;

    return text && json_parse(c->arena, text, strlen(text), out, &why) == JSON_OK && json_is(*out, JSON_OBJ);
}

err playground_compare(struct ctx *c, struct page_call *p, const struct json *args, const struct json *data)
{
    struct call_result kept = {0};
    struct json *then, *o;
    err e;

    json_set_str(c->arena, p->model, "keep_href", playground_href(c, p, "keep", json_text(c->arena, args)));
    if (!read_kept(c, p, &then))
        return ERR_OK;
    e = page_run(c, p, PLAYGROUND_OPERATION, then, &kept);
    if (e == ERR_INVALID) {
        ctx_forgive(c);
        return ERR_OK;
    }
    TRY(e);
    o = json_set(c->arena, p->model, "compared", json_obj(c->arena));
    add_hits(c, o, data, kept.data);
    add_differences(c, o, args, then);
    json_set_str(c->arena, o, "took", took(c, data));
    json_set_str(c->arena, o, "took_then", took(c, kept.data));
    json_set_str(c->arena, o, "end_href", playground_href(c, p, "keep", NULL));
    return ERR_OK;
}
