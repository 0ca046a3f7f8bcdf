/* Makes a program of a template's tokens: which tags stand alone on their lines, what each line is indented by. */
#include <string.h>

#include "mustache_impl.h"

/* The tokens up to and with a newline. A tag that spans several lines of the file belongs to the row it begins in. */
struct row {
    uint32_t first, end;
    const char *indent; /* the blanks it begins with */
    uint32_t indent_len;
    bool has_tag;
    bool is_alone; /* nothing but blanks and tags that print nothing: the whole row vanishes */
};

struct compile {
    struct mustache_set *set;
    struct mustache *t;
    struct token *tokens;
    uint32_t n_tokens;
    struct row *rows;
    uint32_t n_rows;
    const char **why;
};

static bool mustache_parse_is_blank(const char *p, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (p[i] != ' ' && p[i] != '\t' && p[i] != '\r' && p[i] != '\n')
            return false;
    return true;
}

static uint32_t blanks(const char *p, uint32_t n)
{
    uint32_t i = 0;

    while (i < n && (p[i] == ' ' || p[i] == '\t'))
        i++;
    return i;
}

static bool is_inheritance(const struct compile *c, const struct token *t)
{
    enum token_kind kind = t->kind == T_CLOSE ? c->tokens[t->peer].kind : t->kind;

    return kind == T_PARENT || kind == T_BLOCK;
}

static void judge_row(const struct compile *c, struct row *row)
{
    const struct token *head = &c->tokens[row->first];
    uint32_t tags = 0, family = 0;

    if (head->kind == T_TEXT) {
        row->indent = head->p;
        row->indent_len = blanks(head->p, head->n);
    }
    row->is_alone = true;
    for (uint32_t i = row->first; i < row->end; i++) {
        const struct token *t = &c->tokens[i];

        if (t->kind == T_TEXT) {
            row->is_alone = row->is_alone && mustache_parse_is_blank(t->p, t->n);
            continue;
        }
        tags++;
        family += is_inheritance(c, t);
        if (t->kind == T_VALUE || t->kind == T_RAW)
            row->is_alone = false;
    }
    row->has_tag = tags > 0;
    row->is_alone = row->is_alone && (tags == 1 || (tags > 1 && family == tags));
}

static void find_rows(struct compile *c, struct arena *tmp)
{
    uint32_t first = 0;

    c->rows = ARENA_ARRAY(tmp, struct row, c->n_tokens + 1);
    for (uint32_t i = 0; i < c->n_tokens; i++) {
        struct token *t = &c->tokens[i];

        t->row = c->n_rows;
        if (i + 1 < c->n_tokens && !(t->kind == T_TEXT && t->p[t->n - 1] == '\n'))
            continue;
        c->rows[c->n_rows] = (struct row){.first = first, .end = i + 1, .indent = ""};
        judge_row(c, &c->rows[c->n_rows++]);
        first = i + 1;
    }
}

/* The blanks before the first line of a block's content; NULL if there is none before the block ends. */
static const struct row *mustache_parse_first_line(const struct compile *c, const struct token *block)
{
    const struct token *close = &c->tokens[block->peer];

    for (uint32_t r = block->row + 1; r < c->n_rows && r <= close->row; r++) {
        const struct row *row = &c->rows[r];

        if (!row->has_tag && mustache_parse_is_blank(c->tokens[row->first].p, c->tokens[row->first].n))
            continue;
        if (r == close->row && row->is_alone)
            return NULL;
        return row;
    }
    return NULL;
}

/* A dotted name as its parts, a NUL behind each. */
static void set_path(struct compile *c, struct op *op, const struct token *t)
{
    char *path = arena_strndup(c->set->arena, t->p, t->n);

    op->text = path;
    if (t->n == 1 && *path == '.')
        return;
    op->len = 1;
    for (uint32_t i = 0; i < t->n; i++)
        if (path[i] == '.') {
            path[i] = 0;
            op->len++;
        }
}

static struct op *add_op(struct compile *c, enum op_kind kind, int line)
{
    struct op *op = &c->t->ops[c->t->n++];

    op->kind = kind;
    op->line = line;
    op->indent = "";
    return op;
}

/* Neighbouring pieces of the source become one operation. */
static void mustache_parse_add_text(struct compile *c, const char *p, uint32_t n, int line)
{
    struct op *last = c->t->n ? &c->t->ops[c->t->n - 1] : NULL;

    if (!n)
        return;
    if (last && last->kind == OP_TEXT && last->text + last->len == p) {
        last->len += n;
        return;
    }
    last = add_op(c, OP_TEXT, line);
    last->text = p;
    last->len = n;
}

static uint32_t less(uint32_t n, uint32_t off)
{
    return n > off ? n - off : 0;
}

/* What stands before each line: of a standalone tag its own blanks, without those of the block it is in. */
static void set_indent(struct op *op, const struct row *row, uint32_t base)
{
    op->indent_len = less(row->indent_len, base);
    op->indent = row->indent + (row->indent_len - op->indent_len);
}

static bool emit_range(struct compile *c, uint32_t from, uint32_t to, uint32_t base);

/* Inside {{<parent}} only blocks count, and text is ignored. */
static bool emit_arguments(struct compile *c, uint32_t from, uint32_t to, uint32_t base)
{
    for (uint32_t i = from; i < to; i++) {
        const struct token *t = &c->tokens[i];

        if (t->kind == T_BLOCK) {
            if (!emit_range(c, i, t->peer + 1, base))
                return false;
            i = t->peer;
        } else if (t->kind != T_TEXT && t->kind != T_QUIET) {
            *c->why = arena_printf(c->set->arena, "%s:%d: '%.*s' inside a parent, where only blocks count",
                                   c->t->file, t->line, (int)t->n, t->p);
            return false;
        }
    }
    return true;
}

static bool emit_block(struct compile *c, uint32_t at, uint32_t base)
{
    const struct token *t = &c->tokens[at];
    const struct row *row = &c->rows[t->row], *line;
    struct op *op = add_op(c, OP_BLOCK, t->line);

    op->text = arena_strndup(c->set->arena, t->p, t->n);
    if (row->is_alone) {
        line = mustache_parse_first_line(c, t);
        set_indent(op, line ? line : row, base);
        op->whole_line = c->tokens[t->peer].row == t->row;
        base = line ? line->indent_len : base;
    }
    if (!emit_range(c, at + 1, t->peer, base))
        return false;
    op->end = c->t->n;
    return true;
}

static bool emit_container(struct compile *c, uint32_t at, uint32_t base)
{
    const struct token *t = &c->tokens[at];
    struct op *op;

    if (t->kind == T_BLOCK)
        return emit_block(c, at, base);
    op = add_op(c, t->kind == T_PARENT ? OP_PARENT : t->kind == T_SECTION ? OP_SECTION : OP_INVERTED, t->line);
    if (t->kind == T_PARENT) {
        op->text = arena_strndup(c->set->arena, t->p, t->n);
        if (c->rows[t->row].is_alone)
            set_indent(op, &c->rows[t->row], base);
        if (!emit_arguments(c, at + 1, t->peer, base))
            return false;
    } else {
        set_path(c, op, t);
        if (!emit_range(c, at + 1, t->peer, base))
            return false;
    }
    op->end = c->t->n;
    return true;
}

static bool may_be_raw(const struct compile *c, const struct token *t)
{
    const char *suffix = c->set->raw_suffix;
    size_t n = suffix ? strlen(suffix) : 0;

    if (t->n >= n && memcmp(t->p + t->n - n, suffix ? suffix : "", n) == 0)
        return true;
    *c->why = arena_printf(c->set->arena, "%s:%d: '%.*s' is printed unescaped, but its name does not end in '%s'",
                           c->t->file, t->line, (int)t->n, t->p, suffix);
    return false;
}

static bool emit_leaf(struct compile *c, uint32_t at, uint32_t base)
{
    const struct token *t = &c->tokens[at];
    const struct row *row = &c->rows[t->row];
    uint32_t cut = 0;

    switch (t->kind) {
    case T_TEXT:
        if (at == row->first)
            cut = row->indent_len < base ? row->indent_len : base;
        if (!row->is_alone)
            mustache_parse_add_text(c, t->p + cut, t->n - cut, t->line);
        return true;
    case T_RAW:
        if (!may_be_raw(c, t))
            return false;
        set_path(c, add_op(c, OP_RAW, t->line), t);
        return true;
    case T_VALUE:
        set_path(c, add_op(c, OP_VALUE, t->line), t);
        return true;
    case T_PARTIAL: {
        struct op *op = add_op(c, OP_PARTIAL, t->line);

        op->text = arena_strndup(c->set->arena, t->p, t->n);
        if (row->is_alone)
            set_indent(op, row, base);
        return true;
    }
    default:
        return true;
    }
}

/* base: the columns that the lines of the block around are moved to the left. */
static bool emit_range(struct compile *c, uint32_t from, uint32_t to, uint32_t base)
{
    for (uint32_t i = from; i < to; i++) {
        enum token_kind kind = c->tokens[i].kind;

        if (kind == T_SECTION || kind == T_INVERTED || kind == T_PARENT || kind == T_BLOCK) {
            if (!emit_container(c, i, base))
                return false;
            i = c->tokens[i].peer;
        } else if (!emit_leaf(c, i, base)) {
            return false;
        }
    }
    return true;
}

bool mustache_compile(struct arena *tmp, struct mustache_set *set, struct mustache *t, struct tokens *tokens,
                      const char **why)
{
    struct compile c = {.set = set, .t = t, .tokens = tokens->items, .n_tokens = tokens->n, .why = why};

    t->ops = ARENA_ARRAY(set->arena, struct op, tokens->n + 1);
    find_rows(&c, tmp);
    return emit_range(&c, 0, tokens->n, 0);
}
