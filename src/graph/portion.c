/* Portions; see portion.h. */
#include "portion.h"

#include "db.h"

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
    if (c->hold)                         /* its transaction would outlive the portion's memory: the operation lacks OP_PORTIONS */
        c->hold->never = true;
    arena_defer(c->arena, free_arena, part->arena);
}

void portion_next(struct ctx *part)
{
    ctx_forgive(part);
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
