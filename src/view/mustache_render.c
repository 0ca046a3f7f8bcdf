/* Runs the program of a template over a value. */
#include <string.h>

#include "mustache_impl.h"

/* The blocks given to a parent, and those given to whoever rendered it. */
struct given {
    const struct mustache *t;
    const struct op *parent;
    const struct given *outer;
};

struct indent {
    const char *s;
    uint32_t n;
    const struct indent *outer;
};

/* Where a piece of program is rendered: which blocks replace its own, what its lines begin with. */
struct place {
    const struct mustache *t;
    const struct given *given;
    const struct indent *indent;
};

struct run {
    const struct mustache_lookup *lookup;
    struct buf *out, scratch;
    const void *stack[MUSTACHE_NEST_MAX + 1];
    int depth, nest;
    bool at_line_start; /* the template's last character was a newline; values do not count */
    size_t steps, max_bytes;
    enum mustache_fault fault;
};

static void run_ops(struct run *r, const struct place *at, uint32_t from, uint32_t to);

/* ---- writing ---- */

static void add_indent(struct run *r, const struct indent *in)
{
    if (!in)
        return;
    add_indent(r, in->outer);
    buf_add(r->out, in->s, in->n);
}

/* Each line that is not empty begins with the indentation. */
static void mustache_render_add_lines(struct run *r, const struct indent *in, const char *p, size_t n)
{
    const char *end = p + n;

    while (p < end) {
        const char *nl = memchr(p, '\n', (size_t)(end - p)), *stop = nl ? nl + 1 : end;

        if (r->at_line_start && *p != '\n' && *p != '\r')
            add_indent(r, in);
        buf_add(r->out, p, (size_t)(stop - p));
        r->at_line_start = nl != NULL;
        p = stop;
    }
}

static void mustache_render_add_text(struct run *r, const struct indent *in, const struct op *op)
{
    if (in) {
        mustache_render_add_lines(r, in, op->text, op->len);
    } else {
        buf_add(r->out, op->text, op->len);
        r->at_line_start = op->text[op->len - 1] == '\n';
    }
}

static const char *entity(char ch)
{
    switch (ch) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\'': return "&#39;";
    default: return NULL;
    }
}

static void mustache_render_add_escaped(struct buf *out, const char *p, size_t n)
{
    size_t from = 0;

    for (size_t i = 0; i < n; i++) {
        const char *e = entity(p[i]);

        if (!e)
            continue;
        buf_add(out, p + from, i - from);
        buf_puts(out, e);
        from = i + 1;
    }
    buf_add(out, p + from, n - from);
}

/* ---- names ---- */

static const void *resolve(const struct run *r, const struct op *op)
{
    const char *name = op->text;
    const void *v = NULL;

    if (!op->len)
        return r->stack[r->depth - 1];
    for (int i = r->depth; i-- > 0 && !v;)
        v = r->lookup->member(r->stack[i], name);
    for (uint32_t part = 1; part < op->len && v; part++) {
        name += strlen(name) + 1;
        v = r->lookup->member(v, name);
    }
    return v;
}

static void mustache_render_add_value(struct run *r, const struct place *at, const struct op *op)
{
    const void *v = resolve(r, op);
    const char *p;
    size_t n = 0;

    if (!v)
        return;
    r->scratch.len = 0;
    p = r->lookup->text(v, &r->scratch, &n);
    if (!n)
        return;
    if (r->at_line_start)
        add_indent(r, at->indent);
    r->at_line_start = false;
    if (op->kind == OP_RAW)
        buf_add(r->out, p, n);
    else
        mustache_render_add_escaped(r->out, p, n);
}

/* ---- bodies ---- */

/* One level deeper, unless that is too deep. */
static void mustache_render_enter(struct run *r, const struct place *at, uint32_t from, uint32_t to)
{
    if (r->nest == MUSTACHE_NEST_MAX) {
        r->fault = MUSTACHE_TOO_DEEP;
        return;
    }
    r->nest++;
    run_ops(r, at, from, to);
    r->nest--;
}

static void enter_with(struct run *r, const struct place *at, const struct op *op, uint32_t body, const void *value)
{
    if (r->depth > MUSTACHE_NEST_MAX) {
        r->fault = MUSTACHE_TOO_DEEP;
        return;
    }
    r->stack[r->depth++] = value;
    mustache_render_enter(r, at, body, op->end);
    r->depth--;
}

static void run_section(struct run *r, const struct place *at, const struct op *op, uint32_t body)
{
    const void *v = resolve(r, op);

    if (!v || !r->lookup->is_true(v))
        return;
    if (!r->lookup->is_list(v)) {
        enter_with(r, at, op, body, v);
        return;
    }
    for (const void *item = r->lookup->next(v, NULL); item && !r->fault; item = r->lookup->next(v, item))
        enter_with(r, at, op, body, item);
}

static void run_inverted(struct run *r, const struct place *at, const struct op *op, uint32_t body)
{
    const void *v = resolve(r, op);

    if (!v || !r->lookup->is_true(v))
        mustache_render_enter(r, at, body, op->end);
}

/* A partial is a parent to which no block is given. */
static void run_other(struct run *r, const struct place *at, const struct op *op)
{
    struct given given = {.t = at->t, .parent = op, .outer = at->given};
    struct indent in = {.s = op->indent, .n = op->indent_len, .outer = at->indent};
    struct place there = {
        .t = op->target,
        .given = op->kind == OP_PARENT ? &given : at->given,
        .indent = op->indent_len ? &in : at->indent,
    };

    if (op->target)
        mustache_render_enter(r, &there, 0, op->target->n);
}

/* The block of that name which was given furthest out; *owner says to whom. */
static const struct op *find_given(const struct given *g, const char *name, const struct given **owner)
{
    const struct op *found;

    if (!g)
        return NULL;
    found = find_given(g->outer, name, owner);
    for (const struct op *op = g->parent + 1; !found && op < g->t->ops + g->parent->end; op = g->t->ops + op->end)
        if (strcmp(op->text, name) == 0) {
            found = op;
            *owner = g;
        }
    return found;
}

/* What replaces a block sees the blocks that its own template was given, not those of the template it is put into. */
static void run_block(struct run *r, const struct place *at, const struct op *op)
{
    const struct given *owner = NULL;
    const struct op *body = find_given(at->given, op->text, &owner);
    struct indent in = {.s = op->indent, .n = op->indent_len, .outer = at->indent};
    struct place there = *at;
    size_t before = r->out->len;

    if (op->indent_len)
        there.indent = &in;
    if (body) {
        there.t = owner->t;
        there.given = owner->outer;
    } else {
        body = op;
    }
    mustache_render_enter(r, &there, (uint32_t)(body - there.t->ops) + 1, body->end);
    if (op->whole_line && r->out->len > before && r->out->data[r->out->len - 1] != '\n') {
        buf_putc(r->out, '\n');
        r->at_line_start = true;
    }
}

static void run_ops(struct run *r, const struct place *at, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to && !r->fault; i++) {
        const struct op *op = &at->t->ops[i];

        if (!r->steps-- || r->out->len > r->max_bytes) {
            r->fault = MUSTACHE_TOO_MUCH;
            return;
        }
        switch (op->kind) {
        case OP_TEXT: mustache_render_add_text(r, at->indent, op); break;
        case OP_VALUE:
        case OP_RAW: mustache_render_add_value(r, at, op); break;
        case OP_SECTION: run_section(r, at, op, i + 1); break;
        case OP_INVERTED: run_inverted(r, at, op, i + 1); break;
        case OP_PARTIAL:
        case OP_PARENT: run_other(r, at, op); break;
        case OP_BLOCK: run_block(r, at, op); break;
        }
        if (op->end)
            i = op->end - 1;
    }
}

enum mustache_fault mustache_render(const struct mustache *t, const struct mustache_lookup *lookup, const void *value,
                                    struct buf *out)
{
    struct run r = {
        .lookup = lookup,
        .out = out,
        .stack = {value},
        .depth = 1,
        .at_line_start = true,
        .steps = t->set->max_steps,
        .max_bytes = out->len + t->set->max_bytes,
        .fault = MUSTACHE_OK,
    };
    struct place at = {.t = t};

    buf_init(&r.scratch, out->arena, 64);
    run_ops(&r, &at, 0, t->n);
    return r.fault;
}
