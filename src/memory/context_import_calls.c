/* Writing the entries of a file into a context, in portions, each record on its own. */
#include <stdlib.h>
#include <string.h>

#include "context_copy.h"
#include "entry_calls.h"
#include "memory_calls.h"
#include "portion.h"
#include "records.h"

#define BATCH_BYTES (4 * 1024 * 1024) /* of one transaction, or COPY_BATCH records */
#define ERRORS_MAX 100
#define KEPT_S 2 /* of the request's time, for the answer */

struct import_in {
    const char *context_id;
    enum entry_merging merge;
};

static const struct field IMPORT_IN[] = {
    F_STR(struct import_in, context_id, FIELD_REQUIRED, 1, CONTEXT_HANDLE, "id or handle of the target context"),
    F_ENUM(struct import_in, merge, 0, entry_merging, MERGE_SKIP, "what happens with an existing key. skip: unchanged; version: new content; "
                                                                  "overwrite: all fields of the record except the types"),
    F_END
};

struct line_error {
    int64_t line;
    const char *code, *message, *pointer;
};

static const struct field ERROR_OUT[] = {
    F_INT(struct line_error, line, 0, 1, CONTEXT_COUNT_MAX, 1, "line at which the record begins, from 1"),
    F_STR(struct line_error, code, 0, 0, 64, "error code"),
    F_STR(struct line_error, message, 0, 0, 1000, "error message"),
    F_STR(struct line_error, pointer, FIELD_NULLABLE, 0, 255, "JSON pointer of the field at fault"),
    F_END
};

struct import_out {
    struct imported done;
    int64_t created, updated, unchanged, failed, total;
    bool complete;
    struct list errors;
};

static const struct field IMPORT_OUT[] = {
    F_INT(struct import_out, created, 0, 0, CONTEXT_COUNT_MAX, 0, "entries created"),
    F_INT(struct import_out, updated, 0, 0, CONTEXT_COUNT_MAX, 0, "entries with new content"),
    F_INT(struct import_out, unchanged, 0, 0, CONTEXT_COUNT_MAX, 0, "entries with unchanged content"),
    F_INT(struct import_out, failed, 0, 0, CONTEXT_COUNT_MAX, 0, "records not written"),
    F_INT(struct import_out, total, 0, 0, CONTEXT_COUNT_MAX, 0, "records read"),
    F_BOOL(struct import_out, complete, 0, true, "false: timeout; import the same file with merge=skip to continue"),
    F_LIST(struct import_out, errors, 0, ERRORS_MAX, ERROR_OUT, struct line_error, "the first 100 errors"),
    F_END
};

/* One file on its way. */
struct import {
    struct ctx *c;
    struct ctx part; /* its arena holds the records of the batch */
    struct context x;
    struct records *records;
    enum entry_merging merge;
    struct entry_new batch[COPY_BATCH];
    int64_t lines[COPY_BATCH];
    size_t n, bytes;
    struct import_out *out;
};

/* The errors outlive the portion. */
static void context_import_call_note(struct import *m, int64_t line, err e)
{
    const struct fault *f = &m->part.fault;
    struct line_error *errors = m->out->errors.v;

    m->out->failed++;
    if (m->out->errors.n < ERRORS_MAX)
        errors[m->out->errors.n++] = (struct line_error){
            .line = line, .code = err_info(e)->slug,
            .message = arena_strdup(m->c->arena, f->message && e != ERR_INTERNAL ? f->message : err_info(e)->meaning),
            .pointer = f->fields ? arena_strdup(m->c->arena, f->fields->pointer) : NULL};
    ctx_forgive(&m->part);
}

static bool context_import_call_is_over(err e)
{
    return e == ERR_UNAVAILABLE || e == ERR_DEADLINE;
}

/* A batch that cannot be written as a whole is written record by record: so a bad one is found, and stands alone. */
static err flush_each(struct import *m)
{
    for (size_t i = 0; i < m->n; i++) {
        err e = context_import_many(&m->part, &m->x, &m->batch[i], 1, m->merge, &m->out->done);

        if (context_import_call_is_over(e))
            return e;
        if (e != ERR_OK)
            context_import_call_note(m, m->lines[i], e);
    }
    return ERR_OK;
}

static err context_import_call_flush(struct import *m)
{
    err e = m->n ? context_import_many(&m->part, &m->x, m->batch, m->n, m->merge, &m->out->done) : ERR_OK;

    if (e != ERR_OK && !context_import_call_is_over(e)) {
        ctx_forgive(&m->part);
        e = flush_each(m);
    }
    TRY(e);
    portion_next(&m->part);
    m->n = m->bytes = 0;
    return m->c->deadline_us && ctx_seconds_left(m->c) < KEPT_S ? fail(&m->part, ERR_DEADLINE, "request timeout") : ERR_OK;
}

/* ---- records */

/* What is no JSON in a cell of content is text. */
static struct json *from_cell(struct arena *a, const struct field *f, const char *text)
{
    struct json *v;
    const char *why;

    if (!f || (f->type != FT_JSON && f->type != FT_OBJECT && f->type != FT_STRS))
        return f ? field_from_text(a, f, text) : json_str(a, text);
    return json_parse(a, text, strlen(text), &v, &why) == JSON_OK ? v : json_str(a, text);
}

/* Written and read again, a row passes the same guard as all JSON. */
static const char *text_of_row(struct import *m, const struct record *r)
{
    struct arena *a = m->part.arena;
    struct json *o = json_obj(a);
    const char *const *names;
    size_t n;

    names = records_names(m->records, &n);
    for (size_t i = 0; i < n && i < r->n_cells; i++)
        if (*r->cells[i])
            json_set(a, o, names[i], from_cell(a, field_find(ENTRY_RECORD, names[i]), r->cells[i]));
    return json_text(a, o);
}

static err context_import_call_parse(struct import *m, const struct record *r, struct entry_new *out)
{
    struct ctx *p = &m->part;
    struct entry_put_in *in = ARENA_NEW(p->arena, struct entry_put_in);
    const char *text = r->cells ? text_of_row(m, r) : r->text, *why;
    struct json *j;

    if (r->fault)
        return fail(p, ERR_BAD_REQUEST, "%s", r->fault);
    if (json_parse(p->arena, text, r->cells ? strlen(text) : r->n, &j, &why) != JSON_OK)
        return fail(p, ERR_BAD_REQUEST, "the record is not JSON: %s", why);
    if (j->type != JSON_OBJ)
        return fail(p, ERR_INVALID, "a record must be an object");
    TRY(field_decode(p, ENTRY_RECORD, j, in, false));
    if (str_empty(in->entry_key))
        return fail_field(p, "/entry_key", "a record must have an entry_key");
    *out = entry_new_from(in);
    return ERR_OK;
}

static err context_import_call_read_all(struct import *m)
{
    struct record r;

    while (records_next(m->records, &r)) {
        err e = context_import_call_parse(m, &r, &m->batch[m->n]);

        m->out->total++;
        m->bytes += r.n;
        if (e == ERR_OK)
            m->lines[m->n++] = r.line;
        else
            context_import_call_note(m, r.line, e);
        if (m->n == COPY_BATCH || m->bytes >= BATCH_BYTES)
            TRY(context_import_call_flush(m));
    }
    return context_import_call_flush(m);
}

static enum record_format format_of(const struct upload *file)
{
    return str_eq(file->media, "text/csv") ? RECORDS_CSV : str_eq(file->media, "application/json") ? RECORDS_JSON : RECORDS_JSONL;
}

static int by_line(const void *a, const void *b)
{
    int64_t x = ((const struct line_error *)a)->line, y = ((const struct line_error *)b)->line;

    return (x > y) - (x < y);
}

static void context_import_call_count(struct import_out *out, err e)
{
    qsort(out->errors.v, out->errors.n, sizeof(struct line_error), by_line);
    out->created = out->done.created;
    out->updated = out->done.updated;
    out->unchanged = out->done.unchanged;
    out->complete = e == ERR_OK;
}

static err context_import_call_take(struct ctx *c, const void *in, const struct upload *file, void *out)
{
    const struct import_in *i = in;
    struct import *m = ARENA_NEW(c->arena, struct import);
    err e;

    *m = (struct import){.c = c, .merge = i->merge, .out = out};
    TRY(context_import_begin(c, i->context_id, &m->x));
    m->records = records_open(c->arena, file->path, format_of(file));
    if (!m->records)
        return fail(c, ERR_INTERNAL, "the upload cannot be read");
    m->out->errors.v = ARENA_ARRAY(c->arena, struct line_error, ERRORS_MAX);
    portion_begin(c, &m->part);
    e = context_import_call_read_all(m);
    context_import_call_count(m->out, e);
    if (e != ERR_OK && m->out->total > m->out->failed && context_import_call_is_over(e) && (m->out->created || m->out->updated || m->out->unchanged))
        return ERR_OK; /* what is written is written: the answer says how far it went */
    return portion_end(c, &m->part, e);
}

static const struct op IMPORT = {
    .name = "context.import", .method = "POST", .path = CONTEXTS_PATH "/import", CONTEXT_TAG,
    .summary = "Imports entries from a file into a context.",
    .help = "JSON Lines, a JSON list or CSV with a header row, up to 64 MiB, as written by context.export. Invalid records are listed in "
            "errors and the others are written, in transactions of 100.",
    .perm = PERM_CONTEXT_IMPORT, .flags = OP_UPLOAD | OP_PORTIONS, .media = "application/x-ndjson application/json text/csv",
    OP_IN(IMPORT_IN, struct import_in), OP_OUT(IMPORT_OUT, struct import_out), .take = context_import_call_take,
};

const struct op *const context_import_calls_table[] = {&IMPORT, NULL};
