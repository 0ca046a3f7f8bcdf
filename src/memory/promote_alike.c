/* Rows against entries, all of a batch at once; see promote_alike.h. The guard is that of dedup: near enough, and the same in details. */
#include "promote_alike.h"

#include "alike.h"
#include "context.h"
#include "entry_impl.h"
#include "near_pairs.h"
#include "promote_store.h"
#include "retention.h"

/* Facts are merged by belief alone, and a context may want to be asked, or not to be bothered. */
static bool is_compared(struct ctx *c, const struct short_term *s, const struct context *x)
{
    struct retention r;

    retention_read(json_opened(c->arena, x->retention_policy), &r);
    return s->memory_type != SHORT_TASK_CONTEXT && r.dedup == DEDUP_MERGE;
}

/* *said is false where it is nothing to be compared. What is wrong with a row its promotion will say. */
static err read_row(struct ctx *c, struct promote_look *l, struct near_said *to, bool *said)
{
    struct entry_row row = {0};
    struct short_term s;
    struct context x;
    bool found;

    *said = false;
    TRY(promote_store_get(c, l->id, &found, &s));
    if (!found || s.memory_type == SHORT_TASK_CONTEXT)
        return ERR_OK;
    if (context_ensure(c, s.agent_id, CONTEXT_LONG_TERM, &x) != ERR_OK ||
        entry_take_content(c, json_opened(c->arena, s.memory_value), NULL, &row) != ERR_OK) {
        ctx_forgive(c);
        return ERR_OK;
    }
    l->version = s.version;
    l->text = alike_text(c->arena, s.memory_key, row.entry.content_text);
    *to = (struct near_said){.text = l->text, .kind = "entry", .space_id = x.id};
    *said = is_compared(c, &s, &x);
    return ERR_OK;
}

static void take(struct promote_look *l, const struct near_said *said, struct promote_look *const *of, const struct near_said *all)
{
    l->n = said->n < PROMOTE_ALIKES ? said->n : PROMOTE_ALIKES;
    for (size_t i = 0; i < l->n; i++)
        l->alikes[i] = said->ids[i];
    l->before = said->before ? of[said->before - all] : NULL;
}

err promote_look(struct ctx *c, const struct uuid *ids, size_t n, struct promote_looks *out)
{
    struct promote_looks l = {ARENA_ARRAY(c->arena, struct promote_look, n + 1), n, ARENA_ARRAY(c->arena, struct near_said, n + 1),
                              ARENA_ARRAY(c->arena, struct promote_look *, n + 1), 0};
    bool any;

    for (size_t i = 0; i < n; i++) {
        l.rows[i].id = ids[i];
        TRY(read_row(c, &l.rows[i], &l.said[l.n_said], &any));
        l.of[l.n_said] = &l.rows[i];
        l.n_said += any;
    }
    TRY(near_pairs_said(c, l.said, l.n_said, ALIKE));
    for (size_t i = 0; i < l.n_said; i++)
        take(l.of[i], &l.said[i], l.of, l.said);
    *out = l;
    return ERR_OK;
}

void promote_give_vectors(struct ctx *c, const struct promote_looks *l)
{
    for (size_t i = 0; i < l->n_said; i++)
        l->said[i].became = l->of[i]->became;
    if (l->n_said && near_said_keep(c, l->said, l->n_said) != ERR_OK)
        ctx_forgive(c);
}

static err try_entry(struct ctx *c, const struct promote_look *l, const char *context, struct uuid id, bool *found, struct entry *out)
{
    err e = entry_get(c, context, UUID_STR(id), out);

    *found = e == ERR_OK && !out->archived_at.us &&
             !alike_differs(c->arena, l->text, alike_text(c->arena, entry_key_is_made(out->entry_key) ? "" : out->entry_key, out->content_text));
    if (e != ERR_NOT_FOUND)
        return e;
    ctx_forgive(c);
    return ERR_OK;
}

err promote_alike_now(struct ctx *c, const struct promote_look *l, const char *context, bool *found, struct entry *out)
{
    *found = false;
    for (size_t i = 0; i < l->n && !*found; i++)
        TRY(try_entry(c, l, context, l->alikes[i], found, out));
    if (!*found && l->before && !uuid_is_nil(l->before->became))
        TRY(try_entry(c, l, context, l->before->became, found, out));
    return ERR_OK;
}
