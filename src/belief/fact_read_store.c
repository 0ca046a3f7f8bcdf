/* SQL that reads facts. */
#include "fact_read_store.h"

#include "db.h"
#include "like.h"
#include "row.h"

#define LIVE " AND n.forgotten_at IS NULL AND n.archived_at IS NULL AND n.status <> 'version'"
#define WINDOWS 200
#define SUBJECT "JSON_VALUE(e.metadata, '$.role') = 'subject'" /* whatever that became part of */

err fact_read_store_get(struct ctx *c, struct uuid id, bool *found, struct fact *out)
{
    return row_one(c, &FACT, found, out, "SELECT {*} FROM {from} WHERE f.account_id = ? AND f.node_id = ?" LIVE, IN(c->account_id), IN(id));
}

err fact_read_store_refs(struct ctx *c, struct uuid id, const struct json *refs)
{
    return db_exec(c, NULL, "UPDATE fact SET source_refs = ? WHERE account_id = ? AND node_id = ?", IN(json_text(c->arena, refs)),
                   IN(c->account_id), IN(id));
}

/* As it was recorded at K: the window that ABOUT had then; of entries, which have none, the one that they have, open while it was. */
static void fact_add_known(struct sql *s, struct instant known, struct instant of)
{
    sql_add(s, " AND n.created_at <= ? AND (EXISTS (SELECT 1 FROM edge e WHERE e.account_id = f.account_id AND e.source_id = f.node_id AND "
            "e.relation = 'ABOUT' AND " SUBJECT " AND e.recorded_at <= ? AND (e.retired_at IS NULL OR e.retired_at > ?) AND "
            "COALESCE(e.valid_from, e.recorded_at) <= ? AND (e.valid_to IS NULL OR e.valid_to > ?)) OR (f.subject_id IS NULL AND "
            "COALESCE(n.valid_from, n.created_at) <= ? AND (n.valid_to IS NULL OR n.valid_to > ? OR n.valid_to > ?)))", IN(known),
                IN(known),
            IN(known), IN(of), IN(of), IN(of), IN(of), IN(known));
}

static void fact_add_mode(struct ctx *c, struct sql *s, const struct fact_filter *f)
{
    struct instant of = f->as_of.us ? f->as_of : c->now;

    if (f->mode == FACT_HISTORY)
        return;
    if (f->as_known_at.us) {
        fact_add_known(s, f->as_known_at, f->as_of.us ? f->as_of : f->as_known_at);
        return;
    }
    sql_add(s, " AND COALESCE(n.valid_from, n.created_at) <= ? AND (n.valid_to IS NULL OR n.valid_to > ?)", IN(of), IN(of));
    if (!f->status)
        sql_add(s, " AND n.status <> 'quarantined'");
    if (f->mode == FACT_NOW && !f->as_of.us && !f->status)
        sql_add(s, " AND n.status = 'active' AND f.modality = 'asserted'");
}

err fact_read_store_list(struct ctx *c, const struct fact_filter *f, struct uuids spaces, struct uuid before, struct page *out)
{
    struct sql s;

    row_select(&s, c->arena, &FACT, "SELECT {*} FROM {from} WHERE f.account_id = ? AND f.node_id < ?" LIVE, IN(c->account_id), IN(before));
    sql_add_in_uuids(&s, "n.space_id", spaces.v, spaces.n);
    if (f->subjects)
        sql_add_in_uuids(&s, "f.subject_id", f->subjects->v, f->subjects->n);
    if (f->topic)
        sql_add(&s, " AND n.title = ?", IN(f->topic));
    if (f->predicate)
        sql_add(&s, " AND f.predicate = ?", IN(f->predicate));
    if (f->status)
        sql_add(&s, " AND n.status = ?", IN(f->status));
    if (f->contested)
        sql_add(&s, " AND f.contested = 1");
    if (f->min_confidence > 0)
        sql_add(&s, " AND n.confidence >= ?", IN(f->min_confidence));
    if (f->q)
        sql_add(&s, " AND n.body COLLATE utf8mb4_unicode_ci LIKE ?", IN(like_part(c->arena, f->q)));
    fact_add_mode(c, &s, f);
    sql_add(&s, " ORDER BY f.node_id DESC LIMIT ?", IN(f->limit + 1));
    return row_page(c, &FACT, &s, f->limit, out);
}

static err mark_read(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct fact_mark *m = row;

    return db_row(q, c, found, OUT(&m->id), OUT(&m->predicate), OUT(&m->contested), OUT_OPT(&m->against));
}

err fact_read_store_marks(struct ctx *c, const struct uuid *ids, size_t n, struct list *out)
{
    void *rows;
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT f.node_id, f.predicate, f.contested, (SELECT MIN(IF(e.source_id = f.node_id, e.target_id, e.source_id)) FROM "
            "edge e WHERE e.account_id = f.account_id AND e.relation = 'CONTRADICTS' AND e.retired_at IS NULL AND (e.source_id = f.node_id "
            "OR e.target_id = f.node_id)) FROM fact f WHERE f.account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "f.node_id", ids, n);
    TRY(sql_rows(c, &s, n, sizeof(struct fact_mark), mark_read, &rows, &out->n));
    out->v = rows;
    return ERR_OK;
}

static err window_read(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct fact_window *w = row;

    return db_row(q, c, found, OUT_OPT(&w->valid_from), OUT_OPT(&w->valid_to), OUT(&w->recorded_at), OUT_OPT(&w->retired_at));
}

err fact_read_store_windows(struct ctx *c, struct uuid id, struct list *out)
{
    void *rows;
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT e.valid_from, e.valid_to, e.recorded_at, e.retired_at FROM edge e JOIN fact f ON f.account_id = e.account_id AND "
            "f.node_id = e.source_id WHERE e.account_id = ? AND e.source_id = ? AND e.relation = 'ABOUT' AND " SUBJECT " "
            "ORDER BY e.recorded_at, e.id LIMIT ?", IN(c->account_id), IN(id), IN((int64_t)WINDOWS));
    TRY(sql_rows(c, &s, WINDOWS, sizeof(struct fact_window), window_read, &rows, &out->n));
    out->v = rows;
    return ERR_OK;
}

/* ---- what changed between two states of our knowledge */

static err fact_diff_read(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct fact_diff *d = row;
    int64_t is_open, was_there, is_quarantined;

    TRY(db_row(q, c, found, OUT(&d->id), OUT(&d->subject), OUT(&d->predicate), OUT(&d->statement), OUT(&d->at), OUT(&is_open),
        OUT(&was_there),
               OUT(&is_quarantined)));
    if (*found)
        d->kind = is_quarantined ? DIFF_QUARANTINED : !was_there ? DIFF_APPEARED : is_open ? DIFF_REOPENED : DIFF_CLOSED;
    return ERR_OK;
}

err fact_read_store_diff(struct ctx *c, const struct fact_diff_filter *f, struct uuids spaces, struct list *out)
{
    void *rows;
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT f.node_id, n.title, f.predicate, n.body, MAX(e.recorded_at) AS at, CAST(MAX(e.retired_at IS NULL AND e.valid_to "
        "IS NULL) "
            "AS SIGNED), CAST(n.created_at <= ? AS SIGNED), CAST(n.status = 'quarantined' AS SIGNED) FROM edge e JOIN fact f ON "
            "f.account_id = e.account_id AND f.node_id = e.source_id JOIN node n ON n.account_id = "
                "f.account_id "
            "AND n.id = f.node_id WHERE e.account_id = ? AND e.relation = 'ABOUT' AND " SUBJECT " AND e.recorded_at > ? AND "
            "e.recorded_at <= ? AND NOT "
            "EXISTS (SELECT 1 FROM edge p WHERE p.account_id = e.account_id AND p.source_id = e.source_id AND p.relation = 'ABOUT' AND "
            "JSON_VALUE(p.metadata, '$.role') = 'subject' AND p.recorded_at <= ? AND p.retired_at > ? AND p.valid_from <=> e.valid_from "
            "AND p.valid_to <=> e.valid_to)" LIVE, IN(f->from_known), IN(c->account_id), IN(f->from_known), IN(f->to_known),
            IN(f->from_known), IN(f->from_known));
    sql_add_in_uuids(&s, "n.space_id", spaces.v, spaces.n);
    sql_add(&s, " GROUP BY f.node_id, n.title, f.predicate, n.body, n.created_at, n.status ORDER BY at, f.node_id LIMIT ?", IN(f->limit));
    TRY(sql_rows(c, &s, (size_t)f->limit, sizeof(struct fact_diff), fact_diff_read, &rows, &out->n));
    out->v = rows;
    return ERR_OK;
}
