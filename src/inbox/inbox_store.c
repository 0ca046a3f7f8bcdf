/* SQL of the inbox: one part for each source, put together into one statement. */
#include "inbox_store.h"

#include <stdlib.h>
#include <string.h>

#include "access.h"
#include "db.h"
#include "principal.h"

/* What comes first has the smaller key: due, else after all that is; then the worse; then the older. */
#define SORT_KEY "CONCAT(IFNULL(DATE_FORMAT(w.due, '%Y%m%d%H%i%s%f'), '9'), 9 - w.severity, w.id)"

/* What all parts refer to: the spaces that the viewer may read, once, and the viewer. */
static void inbox_begin(struct ctx *c, struct sql *s)
{
    sql_init(s, c->arena);
    sql_add(s, "WITH me AS (SELECT ? AS id), mine AS (SELECT id FROM space WHERE account_id = ?", IN(c->who->id), IN(c->account_id));
    sql_add_in_uuids(s, "id", c->access->readable, c->access->n);
    sql_add(s, ") ");
}

static void inbox_add_part(struct ctx *c, struct sql *s, const struct inbox_source *source)
{
    const struct db_in account = IN(c->account_id);

    sql_add_(s, source->from, &account, 1);
}

static err inbox_row_read(struct ctx *c, struct db_cursor *q, bool *found, struct inbox_item *r)
{
    return db_row(q, c, found, OUT(&r->kind), OUT(&r->id), OUT_OPT(&r->subject_id), OUT_OPT(&r->other_id), OUT_OPT(&r->text),
                  OUT_OPT(&r->other_text), OUT(&r->severity), OUT_OPT(&r->due_at), OUT(&r->at), OUT_OPT(&r->title), OUT_OPT(&r->space_id),
                  OUT(&r->sort_key));
}

err inbox_store_list(struct ctx *c, const struct inbox_source *const *sources, size_t n, const struct inbox_filter *f, const char *after,
                     struct inbox_item *rows, size_t *n_rows)
{
    scoped_cursor q = {0};
    bool found = true;
    struct sql s;

    inbox_begin(c, &s);
    sql_add(&s, "SELECT k.kind, k.id, k.subject, k.other, k.text, k.other_text, ELT(k.severity, 'low', 'medium', 'high', 'critical'), "
            "CAST(k.due AS DATETIME(6)), k.at, k.title, k.space, k.sort_key FROM (");
    for (size_t i = 0; i < n; i++) {
        sql_add(&s, "(SELECT w.*, " SORT_KEY " AS sort_key FROM (SELECT ? AS kind, ", IN(sources[i]->kind));
        sql_add_(&s, sources[i]->columns, NULL, 0);
        sql_add(&s, " ");
        inbox_add_part(c, &s, sources[i]);
        sql_add(&s, ") w WHERE " SORT_KEY " > ?", IN(after));
        if (f->severity)
            sql_add(&s, " AND w.severity = ?", IN((int64_t)f->severity));
        if (f->due_before.us)
            sql_add(&s, " AND w.due < ?", IN(f->due_before));
        sql_add(&s, " ORDER BY sort_key LIMIT ?)", IN(f->limit + 1));
        if (i + 1 < n)
            sql_add(&s, " UNION ALL ");
    }
    sql_add(&s, ") k ORDER BY k.sort_key LIMIT ?", IN(f->limit + 1));
    TRY(sql_query(c, &q, &s));
    for (*n_rows = 0; *n_rows <= (size_t)f->limit;) {
        TRY(inbox_row_read(c, &q, &found, &rows[*n_rows]));
        if (!found)
            break;
        ++*n_rows;
    }
    return ERR_OK;
}

err inbox_store_count(struct ctx *c, const struct inbox_source *const *sources, size_t n, int64_t *count)
{
    scoped_cursor q = {0};
    bool found;
    struct sql s;

    inbox_begin(c, &s);
    sql_add(&s, "SELECT CAST(LEAST(SUM(k.n), ?) AS SIGNED) FROM (", IN((int64_t)INBOX_COUNTED));
    for (size_t i = 0; i < n; i++) {
        sql_add(&s, "SELECT COUNT(*) AS n FROM (SELECT 1 ");
        inbox_add_part(c, &s, sources[i]);
        sql_add(&s, " LIMIT ?) w", IN((int64_t)INBOX_COUNTED));
        if (i + 1 < n)
            sql_add(&s, " UNION ALL ");
    }
    sql_add(&s, ") k");
    TRY(sql_query(c, &q, &s));
    return db_row(&q, c, &found, OUT(count));
}

err inbox_store_texts(struct ctx *c, const struct uuid *ids, size_t n, const char **texts)
{
    scoped_cursor q = {0};
    const char *text;
    struct uuid id;
    bool found;
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT id, LEFT(IF(body = '', title, body), ?) FROM node WHERE account_id = ? AND forgotten_at IS NULL",
            IN((int64_t)INBOX_TEXT), IN(c->account_id));
    sql_add_in_uuids(&s, "id", ids, n);
    sql_add_in_uuids(&s, "space_id", c->access->readable, c->access->n);
    TRY(sql_query(c, &q, &s));
    for (;;) {
        TRY(db_row(&q, c, &found, OUT(&id), OUT_OPT(&text)));
        if (!found)
            return ERR_OK;
        for (size_t i = 0; i < n; i++)
            if (uuid_eq(ids[i], id))
                texts[i] = text;
    }
}
