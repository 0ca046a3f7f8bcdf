/* Rows against entries, all of a batch at once; see promote_alike.h. As dedup does it: content against content, equal content first,
 * then near enough and the same in details. */
#include "promote_alike.h"

#include "alike.h"
#include "context.h"
#include "entry_impl.h"
#include "near_pairs.h"
#include "node_vectors.h"
#include "promote_store.h"
#include "retention.h"

/* A context may want to be asked, or not to be bothered; a bare value says something only together with its key. */
static bool is_compared(struct ctx *c, const char *text, const struct context *x)
{
    struct retention r;

    retention_read(json_opened(c->arena, x->retention_policy), &r);
    return r.dedup == DEDUP_MERGE && alike_says_something(text);
}

/* l->version stays 0 where there is nothing to be compared. What is wrong with a row its promotion will say. */
static err promote_read_row(struct ctx *c, struct promote_look *l)
{
    struct entry_row row = {0};
    struct short_term s;
    struct context x;
    bool found;

    TRY(promote_store_get(c, l->id, &found, &s));
    if (!found)
        return ERR_OK;
    if (context_ensure(c, s.agent_id, CONTEXT_LONG_TERM, &x) != ERR_OK ||
        entry_take_content(c, json_opened(c->arena, s.memory_value), NULL, &row) != ERR_OK) {
        ctx_forgive(c);
        return ERR_OK;
    }
    l->space_id = x.id;
    l->is_fact = s.memory_type == SHORT_TASK_CONTEXT;
    l->text = row.entry.content_text;
    l->content_hash = row.content_hash;
    l->version = is_compared(c, l->text, &x) ? s.version : 0;
    return ERR_OK;
}

static void promote_take_near(struct promote_look *l, const struct near_said *said, struct promote_look *const *of,
                              const struct near_said *all)
{
    l->n = said->n < PROMOTE_ALIKES ? said->n : PROMOTE_ALIKES;
    for (size_t i = 0; i < l->n; i++)
        l->alikes[i] = said->ids[i];
    l->before = said->before ? of[said->before - all] : NULL;
}

err promote_look(struct ctx *c, const struct uuid *ids, size_t n, struct promote_looks *out)
{
    struct promote_look *rows = ARENA_ARRAY(c->arena, struct promote_look, n + 1), **of = ARENA_ARRAY(c->arena, struct promote_look *, n + 1);
    struct near_said *said = ARENA_ARRAY(c->arena, struct near_said, n + 1);
    size_t n_said = 0;

    for (size_t i = 0; i < n; i++) {
        rows[i].id = ids[i];
        TRY(promote_read_row(c, &rows[i]));
        if (!rows[i].version)
            continue;
        of[n_said] = &rows[i];
        said[n_said++] = (struct near_said){.text = rows[i].text, .kind = rows[i].is_fact ? "fact" : "entry", .space_id = rows[i].space_id};
    }
    TRY(near_pairs_said(c, said, n_said, ALIKE));
    for (size_t i = 0; i < n_said; i++)
        promote_take_near(of[i], &said[i], of, said);
    *out = (struct promote_looks){rows, n};
    return ERR_OK;
}

void promote_give_vectors(struct ctx *c, const struct promote_looks *l)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, l->n + 1);
    struct vectors_done done;
    size_t n = 0;

    for (size_t i = 0; i < l->n; i++)
        if (l->rows[i].version && !uuid_is_nil(l->rows[i].became))
            ids[n++] = l->rows[i].became;
    if (vectors_embed(c, &(struct vectors_work){.ids = ids, .n = n}, &done) != ERR_OK)
        ctx_forgive(c);
}

static err try_entry(struct ctx *c, const struct promote_look *l, const char *context, struct uuid id, bool *found, struct entry *out)
{
    err e = entry_get(c, context, UUID_STR(id), out);

    *found = e == ERR_OK && !out->archived_at.us && !alike_differs(c->arena, l->text, out->content_text);
    if (e != ERR_NOT_FOUND)
        return e;
    ctx_forgive(c);
    return ERR_OK;
}

err promote_alike_now(struct ctx *c, const struct promote_look *l, const char *context, bool *found, struct entry *out)
{
    struct uuid equal;

    TRY(entry_store_equal(c, l->space_id, l->content_hash, l->is_fact, found, &equal));
    if (*found)
        TRY(try_entry(c, l, context, equal, found, out));
    for (size_t i = 0; i < l->n && !*found; i++)
        TRY(try_entry(c, l, context, l->alikes[i], found, out));
    if (!*found && l->before && !uuid_is_nil(l->before->became))
        TRY(try_entry(c, l, context, l->before->became, found, out));
    return ERR_OK;
}
