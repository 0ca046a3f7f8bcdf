/* The call table is put together at start: what an operation takes and gives is cut out of the columns of its things. */
#include <assert.h>
#include <string.h>

#include "op.h"

const struct field THING_PAGE[] = {F_PAGE(struct thing_page), F_END};

/* Behind the key, which is the first. */
static const struct field *with_if_version(struct arena *a, const struct field *part, unsigned use)
{
    struct field *own;
    size_t n = 1;

    while (part[n - 1].type != FT_END)
        n++;
    own = ARENA_ARRAY(a, struct field, n + 1);
    own[0] = part[0];
    own[1] = (struct field)F_INT(struct thing_key, if_version, FIELD_NULLABLE, 1, 9e15, 0, "expected version; same as If-Match");
    own[1].off = use == COL_PATCH ? offsetof(struct thing_change, if_version) : own[1].off;
    memcpy(own + 2, part + 1, (n - 1) * sizeof *own);
    return own;
}

unsigned op_answers(const struct op *op)
{
    return (op->flags & OP_CREATES ? COL_MADE : 0) | (op->flags & OP_LIST ? COL_LISTED : 0) | (op->use == COL_PATCH ? COL_CHANGED : 0);
}

static const struct op *op_resolve(struct arena *a, const struct op *op)
{
    struct op *own;

    if (!op->takes && !op->gives)
        return op;
    own = arena_memdup(a, op, sizeof *op);
    if (op->takes) {
        assert(!op->in && op->in_size >= (op->use == COL_KEY ? sizeof(struct thing_key) : op->in_at + op->takes->size));
        own->in = field_part(a, op->takes->columns, op->use, op->in_at);
        if (op->flags & OP_IF_VERSION)
            own->in = with_if_version(a, own->in, op->use);
        if (op->use == COL_PATCH)
            own->flags |= OP_GIVEN;
    }
    if (op->gives) {
        assert(!op->out && op->out_size >= op->gives->size);
        own->out = field_part(a, op->gives->columns, COL_SHOW | op_answers(op), 0);
    }
    return own;
}

struct op_table op_table_new(struct arena *a, const struct op *const *const *tables, size_t n_tables)
{
    const struct op **all;
    size_t n = 0;

    for (size_t t = 0; t < n_tables; t++)
        for (const struct op *const *op = tables[t]; *op; op++)
            n++;
    all = ARENA_ARRAY(a, const struct op *, n);
    n = 0;
    for (size_t t = 0; t < n_tables; t++)
        for (const struct op *const *op = tables[t]; *op; op++)
            all[n++] = op_resolve(a, *op);
    return (struct op_table){all, n};
}

const char *sink_name(struct ctx *c, const char *name)
{
    char *plain = arena_strdup(c->arena, name);

    for (char *at = plain; *at; at++)
        if (*at < ' ' || *at > '~' || strchr("\"\\/;", *at))
            *at = '_';
    return plain;
}
