/* Portions; see portion.h. */
#include "portion.h"

static void free_arena(void *a)
{
    arena_free(a);
}

void portion_begin(struct ctx *c, struct ctx *part)
{
    *part = *c;
    part->arena = request_arena_new();
    part->tx_after = NULL;
    part->fault = (struct fault){0};
    arena_defer(c->arena, free_arena, part->arena);
}

void portion_next(struct ctx *part)
{
    ctx_forgive(part);
    if (!part->held_by) /* else its transaction outlives the portion: see OP_PORTIONS */
        arena_reset(part->arena);
}

err portion_end(struct ctx *c, struct ctx *part, err e)
{
    const struct fault *f = &part->fault;

    if (e == ERR_OK)
        return ERR_OK;
    for (const struct field_error *p = f->fields; p; p = p->next)
        (void)!fail_field(c, p->pointer, "%s", p->detail);
    e = fail(c, e, "%s", f->message ? f->message : err_info(e)->meaning);
    if (!c->fault.retry_after_s)
        c->fault.retry_after_s = f->retry_after_s;
    return e;
}
