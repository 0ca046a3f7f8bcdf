/* Taking the entries of a context away as JSON, JSON lines or CSV, in portions. */
#include <string.h>

#include "context_copy.h"
#include "csv.h"
#include "entry_calls.h"
#include "memory_calls.h"
#include "portion.h"
#include "records.h"

const struct field ENTRY_RECORD[] = {
    F_ENTRY_PUT(struct entry_put_in),
    F_END
};

struct export_in {
    const char *id;
    enum record_format format;
};

static const struct field EXPORT_IN[] = {
    F_CONTEXT(struct export_in),
    F_ENUM(struct export_in, format, 0, record_format, RECORDS_JSONL, "jsonl: one object a line; json: a list; csv: cells of content, "
           "tags and objects hold JSON"),
    F_END
};

static struct json *context_export_call_record_of(struct arena *a, const struct entry *e)
{
    struct entry_put_in r = {
        .entry_key = e->entry_key, .entry_type = (int)e->entry_type, .memory_type = (int)e->memory_type, .content = e->content,
        .content_text = e->content_text, .source_id = e->source_id, .context_tags = e->context_tags, .task_context = e->task_context,
        .metadata = e->metadata, .outcome = e->outcome, .importance_score = e->importance_score,
        .confidence_score = e->confidence_score, .decay_rate = e->decay_rate, .is_pinned = e->is_pinned, .expires_at = e->expires_at};
    int source;

    if (e->source_type && enumx_parse(&entry_source_enumx, e->source_type, &source))
        r.source_type = (enum entry_source)source;
    return field_encode(a, ENTRY_RECORD, &r);
}

/* An apostrophe that a reader would take for the one of csv_cell gets another one. */
static const char *cell_of(struct arena *a, const struct field *f, const struct json *v)
{
    const char *s = v->type == JSON_NULL ? "" : v->type == JSON_STR && f->type != FT_JSON ? v->s : json_text(a, v);

    return s[0] == '\'' && s[1] && strchr("=+-@\t\r'", s[1]) ? arena_printf(a, "'%s", s) : s;
}

static void context_export_call_csv_row(struct buf *b, const struct json *record)
{
    const struct field *f = ENTRY_RECORD;

    for (const struct json *m = record->first; m; m = m->next, f++)
        csv_cell(b, cell_of(b->arena, f, m), m == record->first);
    csv_end(b);
}

static void context_export_call_csv_head(struct buf *b)
{
    for (const struct field *f = ENTRY_RECORD; f->type != FT_END; f++)
        csv_cell(b, f->name, f == ENTRY_RECORD);
    csv_end(b);
}

/* One export on its way. */
struct exporting {
    struct uuid id;
    enum record_format format;
    bool first;
    char after[ENTRY_KEY * 4 + 1]; /* outlives the portion */
};

static void context_export_call_write_entry(struct buf *b, struct exporting *x, const struct entry *e)
{
    struct json *record = context_export_call_record_of(b->arena, e);

    if (x->format == RECORDS_CSV) {
        context_export_call_csv_row(b, record);
        return;
    }
    if (x->format == RECORDS_JSON)
        buf_puts(b, x->first ? "\n" : ",\n");
    json_write(b, record, false);
    if (x->format == RECORDS_JSONL)
        buf_putc(b, '\n');
    x->first = false;
}

static err context_export_call_write_batch(struct ctx *part, struct exporting *x, struct sink *out, bool *more)
{
    struct entry *entries;
    struct buf b;
    size_t n;

    TRY(ctx_check_deadline(part));
    TRY(context_export_next(part, x->id, x->after, &entries, &n, more));
    buf_init(&b, part->arena, 65536);
    for (size_t i = 0; i < n; i++)
        context_export_call_write_entry(&b, x, &entries[i]);
    if (n)
        memcpy(x->after, entries[n - 1].entry_key, strlen(entries[n - 1].entry_key) + 1);
    return b.len ? out->write(out, buf_str(&b), b.len) : ERR_OK;
}

static err context_export_call_write_head(struct ctx *c, const struct exporting *x, struct sink *out)
{
    struct buf b;

    buf_init(&b, c->arena, 1024);
    if (x->format == RECORDS_CSV)
        context_export_call_csv_head(&b);
    else if (x->format == RECORDS_JSON)
        buf_putc(&b, '[');
    return b.len ? out->write(out, buf_str(&b), b.len) : ERR_OK;
}

static err context_export_call_export(struct ctx *c, const void *in, struct sink *out)
{
    static const char *const MEDIA[] = {"application/x-ndjson", "application/json", "text/csv; charset=utf-8; header=present"};
    const struct export_in *i = in;
    struct exporting x = {.format = i->format, .first = true};
    struct context context;
    struct ctx part;
    bool more = true;
    err e;

    TRY(context_export_begin(c, i->id, &context));
    x.id = context.id;
    out->media = MEDIA[i->format];
    out->filename = arena_printf(c->arena, "%s.%s", context.context_id, enumx_name(&record_format_enumx, (int)i->format));
    TRY(context_export_call_write_head(c, &x, out));
    portion_begin(c, &part);
    while ((e = context_export_call_write_batch(&part, &x, out, &more)) == ERR_OK && more)
        portion_next(&part);
    TRY(portion_end(c, &part, e));
    return x.format == RECORDS_JSON ? out->write(out, "\n]\n", 3) : ERR_OK;
}

static const struct op EXPORT = {
    .name = "context.export", .method = "GET", .path = CONTEXTS_PATH "/:id/export", CONTEXT_TAG,
    .summary = "Exports the live entries of a context, sorted by key.",
    .help = "Each record has the fields of entry.put, so an import of the file creates the same entries. In CSV, cells that a spreadsheet "
            "would read as a formula are prefixed with an apostrophe, which the import removes.",
    .perm = PERM_CONTEXT_EXPORT, .flags = OP_READONLY | OP_IDEMPOTENT | OP_STREAM,
    .media = "application/x-ndjson application/json text/csv", OP_IN(EXPORT_IN, struct export_in), .stream = context_export_call_export,
};

const struct op *const context_export_calls_table[] = {&EXPORT, NULL};
