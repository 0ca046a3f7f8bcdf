/* What happened to memories; see audit_history.h. */
#include "audit_history.h"

#include "access.h"
#include "inert.h"
#include "json.h"

static struct audit_history_row audit_history_row_of(struct ctx *c, const struct audit_history_in *in, const struct audit_event *e)
{
    struct audit_history_row r = {.id = e->id, .at = e->at, .kind = e->kind, .actor_kind = e->actor_kind, .actor_id = e->actor_id,
                                  .subject_kind = e->subject_kind, .subject_id = e->subject_id, .space_id = e->space_id};

    if (in->verbose && e->payload)
        r.details = inert_text(c->arena, text_cut(c->arena, json_text(c->arena, e->payload), AUDIT_HISTORY_CHARS, true));
    return r;
}

err audit_history(struct ctx *c, const struct audit_history_in *in, struct page *out)
{
    struct audit_filter f = {.subject_id = in->subject_id, .actor_id = in->actor_id, .kind = in->kind, .from = in->since,
                             .to = in->until, .limit = in->limit, .cursor = in->cursor,
                             .of_spaces = !permissions_have(c->who->perms, PERM_AUDIT_READ)};
    struct audit_history_row *v;
    const struct audit_event *e;

    f.spaces = access_spaces(c);
    TRY(audit_list(c, &f, out));
    e = out->items;
    v = ARENA_ARRAY(c->arena, struct audit_history_row, out->n + 1);
    for (size_t i = 0; i < out->n; i++)
        v[i] = audit_history_row_of(c, in, &e[i]);
    out->items = v;
    return ERR_OK;
}
