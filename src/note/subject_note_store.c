/* SQL of notes. */
#include "subject_note_store.h"

#include "db.h"
#include "row.h"

#define OTHERS 100

static err note_fact_read(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct note_fact *f = row;

    return db_row(q, c, found, OUT(&f->id), OUT_OPT(&f->object_entity_id), OUT(&f->predicate), OUT(&f->object), OUT_OPT(&f->before),
                  OUT(&f->negative), OUT(&f->confidence), OUT(&f->importance), OUT(&f->valid_from), OUT(&f->first_seen_at),
                  OUT(&f->last_seen_at));
}

#define TEXT_OF(column) "LEFT(IF(JSON_TYPE(" column ") = 'STRING', JSON_UNQUOTE(" column "), " column "), 200)"

err note_store_facts(struct ctx *c, struct uuids subjects, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT f.node_id, f.object_entity_id, f.predicate, " TEXT_OF("f.object_json") ", (SELECT " TEXT_OF("p.object_json")
            " FROM fact p JOIN node b ON b.account_id = p.account_id AND b.id = p.node_id AND b.superseded_by = f.node_id AND "
            "b.forgotten_at IS NULL AND b.archived_at IS NULL AND b.valid_to > b.valid_from WHERE p.account_id = f.account_id AND "
            "p.slot_key = f.slot_key AND p.negative = 0 ORDER BY b.valid_from DESC LIMIT 1), f.negative, n.confidence, n.importance, "
            "COALESCE(n.valid_from, n.created_at), f.first_seen_at, f.last_seen_at FROM fact f JOIN node n ON n.account_id = f.account_id "
            "AND n.id = f.node_id WHERE f.account_id = ? AND n.status = 'active' AND n.forgotten_at IS NULL AND n.archived_at IS NULL AND "
            "f.modality = 'asserted' AND f.predicate <> 'states' AND COALESCE(n.valid_from, n.created_at) <= ? AND (n.valid_to IS NULL OR "
            "n.valid_to > ?)", IN(c->account_id), IN(c->now), IN(c->now));
    sql_add_in_uuids(&s, "f.subject_id", subjects.v, subjects.n);
    sql_add(&s, " ORDER BY f.predicate, n.valid_from, f.node_id LIMIT ?", IN((int64_t)NOTE_FACTS));
    return sql_rows(c, &s, NOTE_FACTS, sizeof(struct note_fact), note_fact_read, &out->v, &out->n);
}

err note_store_get(struct ctx *c, struct uuid subject, bool *found, bool *is_live, struct subject_note *out)
{
    scoped_cursor q = {0};

    *is_live = false;
    TRY(db_query(c, &q, "SELECT s.id, s.facts_key, s.created_at, n.forgotten_at IS NULL AND n.archived_at IS NULL FROM subject_note s JOIN "
                 "node n ON n.account_id = s.account_id AND n.id = s.id WHERE s.account_id = ? AND s.subject_id = ? FOR UPDATE",
                 IN(c->account_id), IN(subject)));
    return db_row(&q, c, found, OUT(&out->id), OUT(&out->facts_key), OUT(&out->created_at), OUT(is_live));
}

err note_store_put(struct ctx *c, const struct subject_note *n)
{
    return db_exec(c, NULL, "REPLACE INTO subject_note (account_id, id, space_id, subject_id, facts_key, keywords, fact_count, "
                   "first_seen_at, last_seen_at, created_at, updated_at) VALUES (?,?,?,?,?,?,?,?,?,?,?)", IN(c->account_id), IN(n->id),
                   IN(n->space_id), IN(n->subject_id), IN(n->facts_key), IN(json_text(c->arena, n->keywords)), IN(n->fact_count),
                   IN(n->first_seen_at), IN(n->last_seen_at), IN(n->created_at), IN(c->now));
}

static err note_id_read(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    return db_row(q, c, found, OUT((struct uuid *)row));
}

err note_store_others(struct ctx *c, const struct subject_note *n, struct uuids *out)
{
    struct sql s;
    void *v;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT DISTINCT n.id FROM edge e JOIN edge o ON o.account_id = e.account_id AND o.target_id = e.target_id AND "
            "o.relation = 'DERIVED_FROM' AND o.retired_at IS NULL AND JSON_VALUE(o.metadata, '$.goes_with_any') IS NOT NULL JOIN node n ON "
            "n.account_id = o.account_id AND n.id = o.source_id AND n.kind = 'note' AND n.id <> e.source_id AND n.forgotten_at IS NULL "
            "WHERE e.account_id = ? AND e.source_id = ? AND e.relation = 'DERIVED_FROM' AND e.retired_at IS NULL LIMIT ?",
            IN(c->account_id), IN(n->id), IN((int64_t)OTHERS));
    TRY(sql_rows(c, &s, OTHERS, sizeof(struct uuid), note_id_read, &v, &out->n));
    out->v = v;
    return ERR_OK;
}

static err note_subject_read(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct note_subject *s = row;

    return db_row(q, c, found, OUT(&s->id), OUT(&s->space_id));
}

err note_store_due(struct ctx *c, struct uuid behind, int64_t limit, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT * FROM ((SELECT s.subject_id AS id, s.space_id FROM fact_slot s JOIN fact f ON f.account_id = s.account_id AND "
            "f.slot_key = s.slot_key AND f.current = 1 WHERE s.account_id = ? AND s.subject_id > ? GROUP BY s.subject_id, s.space_id "
            "HAVING COUNT(*) >= ? ORDER BY s.subject_id LIMIT ?) UNION (SELECT subject_id, space_id FROM subject_note WHERE account_id = ? "
            "AND subject_id > ? ORDER BY subject_id LIMIT ?)) a ORDER BY id LIMIT ?", IN(c->account_id), IN(behind),
            IN((int64_t)NOTE_FACTS_LEAST), IN(limit), IN(c->account_id), IN(behind), IN(limit), IN(limit));
    return sql_rows(c, &s, (size_t)limit, sizeof(struct note_subject), note_subject_read, &out->v, &out->n);
}

err note_store_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT DISTINCT account_id FROM fact_slot WHERE subject_id IS NOT NULL AND account_id > ? ORDER BY account_id "
                 "LIMIT ?", IN(above), IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}

err note_store_list(struct ctx *c, const struct subject_note_filter *f, struct uuids spaces, struct uuid before, struct page *out)
{
    struct sql s;

    row_select(&s, c->arena, &SUBJECT_NOTE, "SELECT {*} FROM {from} WHERE s.account_id = ? AND s.id < ? AND n.forgotten_at IS NULL AND "
               "n.archived_at IS NULL", IN(c->account_id), IN(before));
    sql_add_in_uuids(&s, "n.space_id", spaces.v, spaces.n);
    if (!uuid_is_nil(f->subject_id))
        sql_add(&s, " AND s.subject_id = ?", IN(f->subject_id));
    sql_add(&s, " ORDER BY s.id DESC LIMIT ?", IN(f->limit + 1));
    return row_page(c, &SUBJECT_NOTE, &s, f->limit, out);
}
