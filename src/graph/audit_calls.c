/* The operations of the audit trail: reading, and taking it away as CSV or JSON lines. */
#include <string.h>

#include "audit.h"
#include "csv.h"
#include "graph_calls.h"
#include "portion.h"

#define TAG .tag = "audit"
#define EXPORT_BATCH 500

#define AUDIT_FORMAT(X) X(AUDIT_CSV, "csv") X(AUDIT_JSONL, "jsonl")
ENUMX_DECLARE(audit_format, AUDIT_FORMAT);
ENUMX_DEFINE(audit_format, AUDIT_FORMAT);

static const struct field EVENT_OUT[] = {
    F_UUID(struct audit_event, id, 0, "id of the event"),
    F_TIME(struct audit_event, at, 0, "when"),
    F_STR(struct audit_event, kind, 0, 0, 64, "kind of event: subject.verb"),
    F_STR(struct audit_event, actor_kind, 0, 0, 8, "user, agent, system or nobody (not signed in)"),
    F_UUID(struct audit_event, actor_id, FIELD_NULLABLE, "who"),
    F_STR(struct audit_event, subject_kind, 0, 0, 32, "kind of subject"),
    F_UUID(struct audit_event, subject_id, FIELD_NULLABLE, "its id"),
    F_UUID(struct audit_event, space_id, FIELD_NULLABLE, "space of the subject"),
    F_STR(struct audit_event, request_id, 0, 0, 64, "request id"),
    F_STR(struct audit_event, ip, 0, 0, 45, "IP address"),
    F_OBJECT(struct audit_event, before, FIELD_NULLABLE, 1e9, "state before the change, without secrets"),
    F_OBJECT(struct audit_event, after, FIELD_NULLABLE, 1e9, "state after the change, without secrets"),
    F_OBJECT(struct audit_event, payload, FIELD_NULLABLE, 1e9, "further details"),
    F_END
};

struct audit_in {
    struct uuid subject_id, actor_id;
    const char *kind, *cursor;
    struct instant from, to;
    int64_t limit;
    enum audit_format format;
};

#define FILTERS \
    F_UUID(struct audit_in, subject_id, FIELD_NULLABLE, "only events of this subject"), \
    F_UUID(struct audit_in, actor_id, FIELD_NULLABLE, "only events of this user or agent"), \
    F_STR(struct audit_in, kind, 0, 0, 64, "kind or its beginning: node, or node.update"), \
    F_TIME(struct audit_in, from, FIELD_NULLABLE, "from this time (inclusive)"), \
    F_TIME(struct audit_in, to, FIELD_NULLABLE, "before this time (exclusive)")

static const struct field LIST_IN[] = {
    FILTERS,
    F_PAGE(struct audit_in),
    F_END
};

static struct audit_filter audit_call_filter_of(const struct audit_in *i)
{
    return (struct audit_filter){.subject_id = i->subject_id, .actor_id = i->actor_id, .kind = i->kind, .from = i->from,
                                 .to = i->to, .limit = i->limit, .cursor = i->cursor};
}

static err audit_call_list(struct ctx *c, const void *in, void *out)
{
    struct audit_filter f = audit_call_filter_of(in);

    return audit_list(c, &f, out);
}

static const struct op LIST = {
    .name = "audit.list", .method = "GET", .path = "/api/v1/audit", TAG,
    .summary = "Lists the audit events of the account, newest first.",
    .perm = PERM_AUDIT_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST,
    OP_IN(LIST_IN, struct audit_in), OP_OUT(EVENT_OUT, struct audit_event), .run = audit_call_list,
};

/* ---- export */

static const struct field EXPORT_IN[] = {
    FILTERS,
    F_ENUM(struct audit_in, format, 0, audit_format, AUDIT_CSV, "csv, or jsonl: one object a line"),
    F_END
};

static void audit_call_csv_head(struct buf *b)
{
    for (const struct field *f = EVENT_OUT; f->type != FT_END; f++)
        csv_cell(b, f->name, f == EVENT_OUT);
    csv_end(b);
}

static void audit_call_csv_row(struct buf *b, const struct json *event)
{
    for (const struct json *m = event->first; m; m = m->next) {
        const char *s = m->type == JSON_STR ? m->s : m->type == JSON_NULL ? "" : json_text(b->arena, m);

        csv_cell(b, s, m == event->first);
    }
    csv_end(b);
}

static void audit_call_write_rows(struct buf *b, const struct page *p, enum audit_format format)
{
    const struct audit_event *e = p->items;

    for (size_t i = 0; i < p->n; i++) {
        struct json *event = field_encode(b->arena, EVENT_OUT, &e[i]);

        if (format == AUDIT_CSV) {
            audit_call_csv_row(b, event);
        } else {
            json_write(b, event, false);
            buf_putc(b, '\n');
        }
    }
}

/* The cursor outlives the portion in a buffer of the caller's. */
static err audit_call_write_batch(struct ctx *part, const struct audit_in *i, char cursor[LIMIT_CURSOR + 1], bool first, struct sink *out)
{
    struct audit_filter f = audit_call_filter_of(i);
    struct page p;
    struct buf b;

    f.limit = EXPORT_BATCH;
    f.cursor = cursor;
    TRY(ctx_check_deadline(part));
    TRY(audit_list(part, &f, &p));
    buf_init(&b, part->arena, 65536);
    if (first && i->format == AUDIT_CSV)
        audit_call_csv_head(&b);
    audit_call_write_rows(&b, &p, i->format);
    cursor[0] = 0;
    if (p.next_cursor)
        memcpy(cursor, p.next_cursor, strlen(p.next_cursor) + 1);
    return out->write(out, buf_str(&b), b.len);
}

static err audit_call_export(struct ctx *c, const void *in, struct sink *out)
{
    const struct audit_in *i = in;
    char cursor[LIMIT_CURSOR + 1] = "";
    struct ctx part;
    err e;

    out->media = i->format == AUDIT_CSV ? "text/csv; charset=utf-8; header=present" : "application/x-ndjson";
    out->filename = i->format == AUDIT_CSV ? "audit.csv" : "audit.jsonl";
    portion_begin(c, &part);
    e = audit_call_write_batch(&part, i, cursor, true, out);
    while (e == ERR_OK && cursor[0]) {
        portion_next(&part);
        e = audit_call_write_batch(&part, i, cursor, false, out);
    }
    return portion_end(c, &part, e);
}

static const struct op EXPORT = {
    .name = "audit.export", .method = "GET", .path = "/api/v1/audit/export", TAG,
    .summary = "Exports the audit trail as CSV or JSON Lines, newest first.",
    .help = "Cells that a spreadsheet would read as a formula are prefixed with an apostrophe.",
    .perm = PERM_AUDIT_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_STREAM, .media = "text/csv application/x-ndjson",
    OP_IN(EXPORT_IN, struct audit_in), .stream = audit_call_export,
};

const struct op *const audit_calls_table[] = {&LIST, &EXPORT, NULL};
