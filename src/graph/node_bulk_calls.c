/* Writing many nodes from a file of JSON lines, in portions, each line on its own. */
#include <string.h>

#include "graph_calls.h"
#include "lines.h"
#include "node.h"
#include "node_calls.h"
#include "portion.h"
#include "space.h"

#define BATCH 100                     /* nodes of one transaction */
#define BATCH_BYTES (4 * 1024 * 1024) /* … or as many lines as these bytes hold */
#define LINE_MAX_BYTES (1024 * 1024)
#define ERRORS_MAX 100

struct bulk_in {
    struct uuid space_id;
};

static const struct field BULK_IN[] = {
    F_UUID(struct bulk_in, space_id, FIELD_NULLABLE, "space for lines without one; default for agents: their own namespace"),
    F_END
};

struct line_error {
    int64_t line;
    const char *code, *message, *pointer;
};

static const struct field ERROR_OUT[] = {
    F_INT(struct line_error, line, 0, 1, 9e15, 1, "number of the line, from 1"),
    F_STR(struct line_error, code, 0, 0, 64, "error code"),
    F_STR(struct line_error, message, 0, 0, 1000, "error message"),
    F_STR(struct line_error, pointer, FIELD_NULLABLE, 0, 255, "JSON pointer of the field at fault"),
    F_END
};

struct line_known {
    int64_t line;
    struct uuid duplicate_of;
};

static const struct field KNOWN_OUT[] = {
    F_INT(struct line_known, line, 0, 1, 9e15, 1, "number of the line, from 1"),
    F_UUID(struct line_known, duplicate_of, 0, "the node that says the same"),
    F_END
};

struct bulk_out {
    int64_t created, known, failed, total;
    struct list errors, duplicates;
};

static const struct field BULK_OUT[] = {
    F_INT(struct bulk_out, created, 0, 0, LIMIT_BULK, 0, "nodes written"),
    F_INT(struct bulk_out, known, 0, 0, LIMIT_BULK, 0, "lines that a node says already, there before or of an earlier line: not written"),
    F_INT(struct bulk_out, failed, 0, 0, LIMIT_BULK, 0, "lines that were rejected"),
    F_INT(struct bulk_out, total, 0, 0, LIMIT_BULK, 0, "lines read, without empty ones"),
    F_LIST(struct bulk_out, errors, 0, ERRORS_MAX, ERROR_OUT, struct line_error, "the first 100 errors"),
    F_LIST(struct bulk_out, duplicates, 0, ERRORS_MAX, KNOWN_OUT, struct line_known, "the first 100 lines that are known"),
    F_END
};

/* One upload on its way. */
struct bulk {
    struct ctx *c;
    struct ctx part; /* its arena holds the lines of the batch */
    struct uuid space_id;
    struct node_new batch[BATCH];
    int64_t numbers[BATCH];
    size_t n, bytes;
    struct bulk_out *out;
};

/* The errors outlive the portion. */
static void node_bulk_call_note(struct bulk *b, int64_t line, err e)
{
    const struct fault *f = &b->part.fault;
    struct line_error *errors = b->out->errors.v;

    b->out->failed++;
    if (b->out->errors.n == ERRORS_MAX)
        return;
    errors[b->out->errors.n++] = (struct line_error){
        .line = line, .code = err_info(e)->slug,
        .message = arena_strdup(b->c->arena, f->message && e != ERR_INTERNAL ? f->message : err_info(e)->meaning),
        .pointer = f->fields ? arena_strdup(b->c->arena, f->fields->pointer) : NULL};
}

static void note_known(struct bulk *b, int64_t line, struct uuid id)
{
    struct line_known *known = b->out->duplicates.v;

    b->out->known++;
    if (b->out->duplicates.n < ERRORS_MAX)
        known[b->out->duplicates.n++] = (struct line_known){line, id};
}

static void note_written(struct bulk *b, const struct uuid *ids, const bool *was_there)
{
    for (size_t i = 0; i < b->n; i++)
        if (was_there[i])
            note_known(b, b->numbers[i], ids[i]);
        else
            b->out->created++;
}

static bool node_bulk_call_is_over(err e)
{
    return e == ERR_UNAVAILABLE || e == ERR_DEADLINE;
}

/* A batch that cannot be written fails as a whole; when the stores are away or the time is over, so does all that follows. */
static err node_bulk_call_flush(struct bulk *b)
{
    struct uuid ids[BATCH];
    bool was_there[BATCH];
    err e = b->n ? node_create_many(&b->part, b->batch, b->n, ids, was_there) : ERR_OK;

    if (e == ERR_OK)
        note_written(b, ids, was_there);
    else if (node_bulk_call_is_over(e) && !b->out->created)
        return e;
    else
        for (size_t i = 0; i < b->n; i++)
            node_bulk_call_note(b, b->numbers[i], e);
    portion_next(&b->part);
    b->n = b->bytes = 0;
    return node_bulk_call_is_over(e) ? ERR_DEADLINE : ctx_check_deadline(&b->part);
}

static err node_bulk_call_parse(struct bulk *b, const char *line, size_t n, struct node_new *out)
{
    struct ctx *p = &b->part;
    struct node_create_in *in = ARENA_NEW(p->arena, struct node_create_in);
    struct json *j;
    const char *why;

    if (json_parse(p->arena, line, n, &j, &why) != JSON_OK)
        return fail(p, ERR_BAD_REQUEST, "the line is not JSON: %s", why);
    TRY(field_decode(p, NODE_CREATE_IN, j, in, false));
    if (uuid_is_nil(in->space_id))
        in->space_id = b->space_id;
    TRY(node_new_from(p, in, out));
    return node_check(p, out);
}

static bool node_bulk_call_is_blank(const char *line, size_t n)
{
    while (n && (*line == ' ' || *line == '\t'))
        line++, n--;
    return n == 0;
}

static err node_bulk_call_take_line(struct bulk *b, int64_t number, const char *line, size_t n, bool too_long)
{
    err e;

    b->out->total++;
    b->bytes += n;
    if (too_long)
        e = fail(&b->part, ERR_TOO_LARGE, "a line holds at most %d bytes", LINE_MAX_BYTES);
    else
        e = node_bulk_call_parse(b, line, n, &b->batch[b->n]);
    if (e == ERR_OK) {
        b->numbers[b->n++] = number;
    } else {
        node_bulk_call_note(b, number, e);
        ctx_forgive(&b->part);
    }
    return b->n == BATCH || b->bytes >= BATCH_BYTES ? node_bulk_call_flush(b) : ERR_OK;
}

static err node_bulk_call_read_all(struct bulk *b, struct lines *l)
{
    const char *line;
    size_t n;
    bool too_long;

    while (lines_next(l, &line, &n, &too_long))
        if (too_long || !node_bulk_call_is_blank(line, n))
            TRY(node_bulk_call_take_line(b, l->number, line, n, too_long));
    return node_bulk_call_flush(b);
}

static err node_bulk_call_count(struct ctx *c, const struct upload *file)
{
    int64_t n = lines_count(file->path);

    if (n < 0)
        return fail(c, ERR_INTERNAL, "the upload cannot be read");
    return n <= LIMIT_BULK ? ERR_OK : fail(c, ERR_TOO_LARGE, "at most %d lines per call; this file has %lld", LIMIT_BULK, (long long)n);
}

static err node_bulk_call_take(struct ctx *c, const void *in, const struct upload *file, void *out)
{
    struct bulk *b = ARENA_NEW(c->arena, struct bulk);
    struct lines l;
    err e;

    TRY(node_bulk_call_count(c, file));
    if (!lines_open(&l, c->arena, file->path, LINE_MAX_BYTES))
        return fail(c, ERR_INTERNAL, "the upload cannot be read");
    *b = (struct bulk){.c = c, .space_id = ((const struct bulk_in *)in)->space_id, .out = out};
    b->out->errors.v = ARENA_ARRAY(c->arena, struct line_error, ERRORS_MAX);
    b->out->duplicates.v = ARENA_ARRAY(c->arena, struct line_known, ERRORS_MAX);
    portion_begin(c, &b->part);
    if (!uuid_is_nil(b->space_id))
        TRY(access_require(c, b->space_id, ACCESS_WRITE));
    else if (c->who->kind == PRINCIPAL_AGENT)
        TRY(space_own(c, &b->space_id));
    e = node_bulk_call_read_all(b, &l);
    if (e != ERR_OK && b->out->created) /* what is written is written: the answer says how far it went */
        return ERR_OK;
    return portion_end(c, &b->part, e);
}

const struct op node_bulk_op = {
    .name = "node.bulk", .method = "POST", .path = "/api/v1/nodes/bulk", .tag = "nodes",
    .summary = "Creates up to 10,000 nodes from JSON Lines.",
    .help = "Each line has the fields of node.create. Invalid lines are listed in errors and the others are written, in transactions of 100. "
            "A line whose content a node already has is not written again; duplicates names the node.",
    .perm = PERM_MEMORY_WRITE, .flags = OP_UPLOAD | OP_PORTIONS | OP_ONCE, .media = "application/x-ndjson application/octet-stream",
    OP_IN(BULK_IN, struct bulk_in), OP_OUT(BULK_OUT, struct bulk_out), .take = node_bulk_call_take,
};
