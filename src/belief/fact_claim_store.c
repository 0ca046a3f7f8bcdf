/* SQL of claims and slots. */
#include "fact_claim_store.h"

#include "db.h"
#include "row.h"

#define SLOT_FACTS 256

err claim_store_slot(struct ctx *c, const struct fact_slot *s)
{
    return db_exec(c, NULL, "INSERT INTO fact_slot (account_id, slot_key, space_id, subject_id, predicate, claim_count) VALUES "
        "(?,?,?,?,?,1) "
                   "ON DUPLICATE KEY UPDATE claim_count = claim_count + 1, version = version + 1", IN(c->account_id), IN(s->slot_key),
                   IN(s->space_id), IN_OPT(s->subject_id), IN(s->predicate));
}

static void append_slots(struct sql *s, struct ctx *c, const struct fact_slot *slots, size_t n)
{
    sql_init(s, c->arena);
    sql_add(s, "INSERT INTO fact_slot (account_id, slot_key, space_id, predicate, claim_count) VALUES ");
    for (size_t i = 0; i < n; i++) {
        if (i)
            sql_add(s, ", ");
        sql_add(s, "(?,?,?,?,1)", IN(c->account_id), IN(slots[i].slot_key), IN(slots[i].space_id), IN(slots[i].predicate));
    }
    sql_add(s, " ON DUPLICATE KEY UPDATE claim_count = claim_count + 1, version = version + 1");
}

err claim_store_append(struct ctx *c, const struct fact_claim *rows, const struct fact_slot *slots, size_t n)
{
    struct sql s;

    if (!n)
        return ERR_OK;
    append_slots(&s, c, slots, n);
    TRY(sql_exec(c, NULL, &s));
    sql_init(&s, c->arena);
    sql_add(&s, "INSERT INTO fact_claim (account_id, id, slot_key, derive_key, space_id, fact_id, object_key, object_json, statement, at, "
            "author_kind, author_id, role, confidence, trust, veracity, state, recorded_at) VALUES ");
    for (size_t i = 0; i < n; i++) {
        const struct fact_claim *k = &rows[i];

        if (i)
            sql_add(&s, ", ");
        sql_add(&s, "(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", IN(c->account_id), IN(k->id), IN(k->slot_key), IN(k->derive_key),
            IN(k->space_id),
                IN(k->fact_id), IN(k->object_key), IN(json_text(c->arena, k->object_json)), IN(k->statement), IN(k->at), IN(k->author_kind),
                IN(k->author_id), IN(enumx_name(&episode_role_enumx, (int)k->role)), IN(k->confidence), IN(k->trust),
                IN(enumx_name(&fact_veracity_enumx, (int)k->veracity)), IN(enumx_name(&claim_state_enumx, (int)k->state)), IN(c->now));
    }
    return sql_exec(c, NULL, &s);
}

err claim_store_slot_get(struct ctx *c, struct bytes slot_key, bool *found, struct fact_slot *out)
{
    scoped_cursor q = {0};

    out->slot_key = slot_key;
    TRY(db_query(c, &q, "SELECT space_id, subject_id, predicate FROM fact_slot WHERE account_id = ? AND slot_key = ? FOR UPDATE",
                 IN(c->account_id), IN(slot_key)));
    return db_row(&q, c, found, OUT(&out->space_id), OUT_OPT(&out->subject_id), OUT(&out->predicate));
}

err claim_store_of_slot(struct ctx *c, struct bytes slot_key, struct list *out)
{
    struct sql s;

    row_select(&s, c->arena, &FACT_CLAIM, "SELECT {*} FROM {from} WHERE account_id = ? AND slot_key = ? ORDER BY id DESC LIMIT ?",
               IN(c->account_id), IN(slot_key), IN((int64_t)FACT_SLOT_CLAIMS));
    TRY(row_all(c, &FACT_CLAIM, &s, FACT_SLOT_CLAIMS, out));
    struct fact_claim *v = out->v;
    for (size_t i = 0; i < out->n / 2; i++) {
        struct fact_claim kept = v[i];

        v[i] = v[out->n - 1 - i];
        v[out->n - 1 - i] = kept;
    }
    return ERR_OK;
}

err claim_store_of_fact(struct ctx *c, struct uuid fact_id, size_t max, struct list *out)
{
    struct sql s;

    row_select(&s, c->arena, &FACT_CLAIM, "SELECT {*} FROM {from} WHERE account_id = ? AND fact_id = ? ORDER BY at, id LIMIT ?",
               IN(c->account_id), IN(fact_id), IN((int64_t)max));
    return row_all(c, &FACT_CLAIM, &s, max, out);
}

err claim_store_of_sources(struct ctx *c, const struct uuid *sources, size_t n, size_t max, struct list *out)
{
    struct sql s;

    row_select(&s, c->arena, &FACT_CLAIM, "SELECT {*} FROM {from} WHERE account_id = ? AND state <> 'withdrawn'", IN(c->account_id));
    sql_add_in_uuids(&s, "source_id", sources, n);
    sql_add(&s, " ORDER BY slot_key LIMIT ?", IN((int64_t)max));
    return row_all(c, &FACT_CLAIM, &s, max, out);
}

err claim_store_get(struct ctx *c, struct uuid id, bool *found, struct fact_claim *out)
{
    return row_one(c, &FACT_CLAIM, found, out, "SELECT {*} FROM {from} WHERE account_id = ? AND id = ?", IN(c->account_id), IN(id));
}

err claim_store_derived(struct ctx *c, struct bytes derive_key, bool *found, struct fact_claim *out)
{
    return row_one(c, &FACT_CLAIM, found, out, "SELECT {*} FROM {from} WHERE account_id = ? AND derive_key = ?", IN(c->account_id),
        IN(derive_key));
}

err claim_store_ending(struct ctx *c, struct uuid fact_id, bool *found, struct fact_claim *out)
{
    return row_one(c, &FACT_CLAIM, found, out,
        "SELECT {*} FROM {from} WHERE account_id = ? AND state = 'accepted' AND successor_id IS NOT NULL "
                   "AND source_id = ? ORDER BY id DESC LIMIT 1", IN(c->account_id), IN(fact_id));
}

err claim_store_state(struct ctx *c, struct uuid id, enum claim_state state)
{
    return db_exec(c, NULL, "UPDATE fact_claim SET state = ? WHERE account_id = ? AND id = ?",
                   IN(enumx_name(&claim_state_enumx, (int)state)), IN(c->account_id), IN(id));
}

err claim_store_move(struct ctx *c, struct uuid id, struct uuid fact_id)
{
    return db_exec(c, NULL, "UPDATE fact_claim SET fact_id = ? WHERE account_id = ? AND id = ?", IN(fact_id), IN(c->account_id), IN(id));
}

/* ---- another subject */

static err place_read(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct fact_place *p = row;

    return db_row(q, c, found, OUT(&p->slot_key), OUT(&p->object_key), OUT(&p->space_id), OUT(&p->predicate));
}

err claim_store_places(struct ctx *c, const struct uuid *subjects, size_t n, size_t max, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT k.slot_key, MIN(k.object_key), s.space_id, s.predicate FROM fact_claim k JOIN fact_slot s ON s.account_id = "
            "k.account_id AND s.slot_key = k.slot_key WHERE k.account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "k.subject_id", subjects, n);
    sql_add(&s, " GROUP BY k.slot_key, s.space_id, s.predicate ORDER BY k.slot_key LIMIT ?", IN((int64_t)max));
    return sql_rows(c, &s, max, sizeof(struct fact_place), place_read, &out->v, &out->n);
}

err claim_store_rehome(struct ctx *c, const struct uuid *subjects, size_t n, struct bytes from, const struct fact_slot *to, bool *was_there)
{
    struct sql s;
    int64_t changed;

    TRY(db_exec(c, &changed, "INSERT INTO fact_slot (account_id, slot_key, space_id, subject_id, predicate) VALUES (?,?,?,?,?) ON "
        "DUPLICATE "
                "KEY UPDATE version = version + 1", IN(c->account_id), IN(to->slot_key), IN(to->space_id), IN(to->subject_id),
                IN(to->predicate)));
    *was_there = changed != 1;
    sql_init(&s, c->arena);
    sql_add(&s, "UPDATE fact_claim SET slot_key = ? WHERE account_id = ? AND slot_key = ?", IN(to->slot_key), IN(c->account_id), IN(from));
    sql_add_in_uuids(&s, "subject_id", subjects, n);
    TRY(sql_exec(c, NULL, &s));
    sql_init(&s, c->arena);
    sql_add(&s, "UPDATE fact SET slot_key = ?, current = IF(?, NULL, current) WHERE account_id = ? AND slot_key = ?", IN(to->slot_key),
            IN(*was_there), IN(c->account_id), IN(from));
    sql_add_in_uuids(&s, "subject_id", subjects, n);
    return sql_exec(c, NULL, &s);
}

/* ---- facts */

static err slot_fact_read(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct slot_fact *f = row;

    return db_row(q, c, found, OUT(&f->id), OUT(&f->status), OUT_OPT(&f->valid_from), OUT_OPT(&f->valid_to), OUT_OPT(&f->superseded_by),
                  OUT(&f->contested), OUT(&f->loose), OUT(&f->mention_count), OUT(&f->author_count), OUT_OPT(&f->quarantine_reason),
                  OUT(&f->trust), OUT(&f->confidence), OUT(&f->forgotten), OUT(&f->negative), OUT(&f->object_key));
}

err claim_store_facts(struct ctx *c, struct bytes slot_key, struct list *out)
{
    void *rows;
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT f.node_id, n.status, n.valid_from, n.valid_to, n.superseded_by, f.contested, n.archived_at IS NULL AND "
        "n.forgotten_at "
            "IS NULL, f.mention_count, f.author_count, f.quarantine_reason, n.trust, n.confidence, "
            "n.forgotten_at IS NOT NULL, f.negative, f.object_key FROM fact f JOIN node n ON "
            "n.account_id = f.account_id AND n.id = f.node_id WHERE f.account_id = ? AND f.slot_key = ? ORDER BY f.node_id LIMIT ?",
            IN(c->account_id), IN(slot_key), IN((int64_t)SLOT_FACTS));
    TRY(sql_rows(c, &s, SLOT_FACTS, sizeof(struct slot_fact), slot_fact_read, &rows, &out->n));
    out->v = rows;
    return ERR_OK;
}

err claim_store_insert_fact(struct ctx *c, const struct fact_insert *f)
{
    return db_exec(c, NULL, "INSERT INTO fact (account_id, node_id, space_id, slot_key, subject_id, predicate, object_json, object_key, "
                   "object_entity_id, negative, modality, fact_type, veracity, first_seen_at, last_seen_at) VALUES "
                   "(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", IN(c->account_id), IN(f->id), IN(f->space_id), IN(f->slot_key), IN_OPT(f->subject_id),
                   IN(f->predicate), IN(json_text(c->arena, f->object)), IN(f->object_key), IN_OPT(f->object_entity_id), IN(f->negative),
                   IN(enumx_name(&fact_modality_enumx, (int)f->modality)), IN(enumx_name(&fact_type_enumx, (int)f->type)),
                   IN(enumx_name(&fact_veracity_enumx, (int)f->veracity)), IN(c->now), IN(c->now));
}

err claim_store_flags(struct ctx *c, const struct fact_flags *f)
{
    return db_exec(c, NULL, "UPDATE fact SET contested = ?, quarantine_reason = ?, mention_count = ?, author_count = ?, current = "
        "NULLIF(?, 0), "
                   "last_seen_at = ? WHERE account_id = ? AND node_id = ?", IN(f->contested), IN_OPT(f->quarantine_reason),
                   IN(f->mention_count), IN(f->author_count), IN((int64_t)f->current), IN(c->now), IN(c->account_id), IN(f->id));
}

err claim_store_none_current(struct ctx *c, struct bytes slot_key)
{
    return db_exec(c, NULL, "UPDATE fact SET current = NULL WHERE account_id = ? AND slot_key = ?", IN(c->account_id), IN(slot_key));
}

/* ---- erasing */

static err erased_slot_read(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    return db_row(q, c, found, OUT(&((struct fact_erased_slot *)row)->slot_key));
}

err claim_store_slots_of(struct ctx *c, const struct uuid *ids, size_t n, struct list *out)
{
    void *rows;
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT slot_key FROM fact_claim WHERE account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "source_id", ids, n);
    sql_add(&s, " UNION SELECT slot_key FROM fact_claim WHERE account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "fact_id", ids, n);
    TRY(sql_rows(c, &s, 200 * n + 1, sizeof(struct fact_erased_slot), erased_slot_read, &rows, &out->n));
    out->v = rows;
    return ERR_OK;
}

err claim_store_delete_of(struct ctx *c, const struct uuid *ids, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "DELETE FROM fact_claim WHERE account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "source_id", ids, n);
    TRY(sql_exec(c, NULL, &s));
    sql_init(&s, c->arena);
    sql_add(&s, "DELETE FROM fact_claim WHERE account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "fact_id", ids, n);
    return sql_exec(c, NULL, &s);
}

static err wording_read(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct fact_wording *w = row;

    return db_row(q, c, found, OUT(&w->fact_id), OUT(&w->body), OUT(&w->statement), OUT(&w->object), OUT(&w->predicate),
                  OUT(&w->fact_type), OUT(&w->negative));
}

err claim_store_wordings(struct ctx *c, struct bytes slot_key, struct list *out)
{
    void *rows;
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT k.fact_id, n.body, k.statement, k.object_json, f.predicate, k.fact_type, k.negative FROM fact_claim k JOIN fact f "
            "ON f.account_id = k.account_id AND f.node_id = k.fact_id JOIN node n ON n.account_id = f.account_id AND n.id = f.node_id "
            "WHERE k.account_id = ? AND k.slot_key = ? AND k.state <> 'withdrawn' ORDER BY k.fact_id, k.confidence DESC, k.id LIMIT ?",
            IN(c->account_id), IN(slot_key), IN((int64_t)FACT_SLOT_CLAIMS));
    TRY(sql_rows(c, &s, FACT_SLOT_CLAIMS, sizeof(struct fact_wording), wording_read, &rows, &out->n));
    out->v = rows;
    return ERR_OK;
}

err claim_store_object(struct ctx *c, struct uuid fact_id, const char *object)
{
    return db_exec(c, NULL, "UPDATE fact SET object_json = ? WHERE account_id = ? AND node_id = ?", IN(object), IN(c->account_id),
                   IN(fact_id));
}

err claim_store_drop_empty(struct ctx *c, struct bytes slot_key)
{
    return db_exec(c, NULL, "DELETE FROM fact_slot WHERE account_id = ? AND slot_key = ? AND NOT EXISTS (SELECT 1 FROM fact_claim k "
                   "WHERE k.account_id = fact_slot.account_id AND k.slot_key = fact_slot.slot_key)", IN(c->account_id), IN(slot_key));
}

static err said_key_read(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct fact_said_key *k = row;

    return db_row(q, c, found, OUT(&k->slot_key), OUT(&k->object_key), OUT(&k->negative));
}

err claim_store_keys(struct ctx *c, const struct uuid *ids, size_t n, struct list *out)
{
    void *rows;
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT slot_key, object_key, negative FROM fact WHERE account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "node_id", ids, n);
    TRY(sql_rows(c, &s, n, sizeof(struct fact_said_key), said_key_read, &rows, &out->n));
    out->v = rows;
    return ERR_OK;
}

err claim_store_suppress(struct ctx *c, struct uuid op, struct bytes claim_key)
{
    return db_exec(c, NULL, "INSERT INTO suppress (account_id, claim_key, op_id) VALUES (?,?,?) ON DUPLICATE KEY UPDATE op_id = op_id",
                   IN(c->account_id), IN(claim_key), IN(op));
}

err claim_store_suppressed(struct ctx *c, struct bytes claim_key, bool *is_so)
{
    scoped_cursor q = {0};
    int64_t one;

    TRY(db_query(c, &q, "SELECT 1 FROM suppress WHERE account_id = ? AND claim_key = ?", IN(c->account_id), IN(claim_key)));
    return db_row(&q, c, is_so, OUT(&one));
}
