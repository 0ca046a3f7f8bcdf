/* SQL of archival memory. */
#include "archival_store.h"

#include "db.h"

#define SOURCES_MAX 200
#define OUTCOMES_MAX 20
#define ROWS_MAX (ARCHIVAL_TEXTS * ARCHIVAL_SECTIONS)

/* ---- texts */

static err archival_read(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct archival *a = row;
    const char *section = NULL, *state = NULL;
    int value;

    TRY(db_row(q, c, found, OUT(&a->id), OUT(&a->subject_id), OUT(&a->space_id), OUT(&section), OUT(&state), OUT(&a->edited),
               OUT(&a->sources_hash), OUT(&a->created_by), OUT(&a->version), OUT(&a->created_at)));
    if (*found && enumx_parse(&archival_section_enumx, section, &value))
        a->section = (enum archival_section)value;
    if (*found && enumx_parse(&archival_state_enumx, state, &value))
        a->state = (enum archival_state)value;
    return ERR_OK;
}

struct line_row {
    struct uuid archival_id;
    struct archival_line line;
};

static err archival_read_line(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct line_row *r = row;

    return db_row(q, c, found, OUT(&r->archival_id), OUT(&r->line.source_id), OUT(&r->line.text));
}

static err archival_lines(struct ctx *c, struct archival *v, size_t n)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, n + 1);
    const struct line_row *rows;
    struct list list;
    struct sql s;

    for (size_t i = 0; i < n; i++)
        ids[i] = v[i].id;
    sql_init(&s, c->arena);
    sql_add(&s, "SELECT archival_id, source_id, body FROM archival_line WHERE account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "archival_id", ids, n);
    sql_add(&s, " ORDER BY archival_id, ordinal LIMIT ?", IN((int64_t)(n * ARCHIVAL_LINES)));
    TRY(sql_rows(c, &s, n * ARCHIVAL_LINES, sizeof *rows, archival_read_line, &list.v, &list.n));
    rows = list.v;
    for (size_t i = 0; i < n; i++) {
        struct archival_line *lines = ARENA_ARRAY(c->arena, struct archival_line, ARCHIVAL_LINES);
        struct buf b;

        buf_init(&b, c->arena, 512);
        v[i].lines = (struct list){lines, 0};
        for (size_t k = 0; k < list.n; k++)
            if (uuid_eq(rows[k].archival_id, v[i].id) && v[i].lines.n < ARCHIVAL_LINES) {
                buf_printf(&b, "%s%s", v[i].lines.n ? "\n" : "", rows[k].line.text);
                lines[v[i].lines.n++] = rows[k].line;
            }
        v[i].text = buf_str(&b);
    }
    return ERR_OK;
}

err archival_store_of(struct ctx *c, struct uuid subject, bool even_superseded, bool lock, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT id, subject_id, space_id, section, state, edited, sources_hash, created_by, version, created_at FROM archival "
                "WHERE account_id = ? AND subject_id = ?", IN(c->account_id), IN(subject));
    if (!even_superseded)
        sql_add(&s, " AND live = 1");
    sql_add(&s, " ORDER BY section, id DESC LIMIT ?", IN((int64_t)ROWS_MAX));
    if (lock)
        sql_add(&s, " FOR UPDATE");
    TRY(sql_rows(c, &s, ROWS_MAX, sizeof(struct archival), archival_read, &out->v, &out->n));
    return out->n ? archival_lines(c, out->v, out->n) : ERR_OK;
}

err archival_store_insert(struct ctx *c, const struct archival *a)
{
    const struct archival_line *v = a->lines.v;
    struct sql s;

    TRY(db_exec(c, NULL, "INSERT INTO archival (account_id, id, subject_id, space_id, section, state, edited, sources_hash, created_by, "
        "version, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", IN(c->account_id), IN(a->id), IN(a->subject_id), IN(a->space_id),
        IN(enumx_name(&archival_section_enumx, (int)a->section)), IN(enumx_name(&archival_state_enumx, (int)a->state)), IN(a->edited),
        IN(a->sources_hash), IN(a->created_by), IN(a->version), IN(a->created_at)));
    if (!a->lines.n)
        return ERR_OK;
    sql_init(&s, c->arena);
    sql_add(&s, "INSERT INTO archival_line (account_id, archival_id, ordinal, source_id, body) VALUES ");
    for (size_t i = 0; i < a->lines.n; i++) {
        if (i)
            sql_add(&s, ", ");
        sql_add(&s, "(?, ?, ?, ?, ?)", IN(c->account_id), IN(a->id), IN((int64_t)i), IN(v[i].source_id), IN(v[i].text));
    }
    return sql_exec(c, NULL, &s);
}

err archival_store_state(struct ctx *c, const struct archival *a, enum archival_state to)
{
    if (to == ARCHIVAL_SUPERSEDED)
        return db_exec(c, NULL, "UPDATE archival SET state = 'superseded', live = NULL WHERE account_id = ? AND id = ?",
            IN(c->account_id), IN(a->id));
    return db_exec(c, NULL, "UPDATE archival SET state = 'published', version = ? WHERE account_id = ? AND id = ?", IN(a->version),
        IN(c->account_id), IN(a->id));
}

err archival_store_drop(struct ctx *c, struct uuid id)
{
    return db_exec(c, NULL, "DELETE FROM archival WHERE account_id = ? AND id = ?", IN(c->account_id), IN(id));
}

/* ---- sources */

static err archival_read_source(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct archival_source *r = row;

    return db_row(q, c, found, OUT(&r->id), OUT(&r->kind), OUT(&r->fact_type), OUT(&r->text), OUT(&r->importance), OUT(&r->at));
}

/* An agent: what its namespace holds. An entity: what is said of it in its space, and what has an edge to it. */
err archival_store_sources(struct ctx *c, struct uuid subject, struct uuid space, bool is_agent, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT n.id, n.kind, COALESCE(f.fact_type, ''), IF(n.body = '', n.title, n.body), n.importance, COALESCE(n.valid_from, "
        "n.created_at) FROM node n LEFT JOIN fact f ON f.account_id = n.account_id AND f.node_id = n.id WHERE n.account_id = ? AND "
        "n.space_id = ? AND n.kind IN ('fact', 'learning', 'note', 'goal', 'entry') AND n.status = 'active' AND n.forgotten_at IS NULL "
        "AND n.archived_at IS NULL AND n.superseded_by IS NULL AND (n.valid_to IS NULL OR n.valid_to > ?) AND (f.node_id IS NULL OR "
        "(f.current = 1 AND f.contested = 0 AND f.modality <> 'planned'))", IN(c->account_id), IN(space), IN(c->now));
    if (!is_agent)
        sql_add(&s, " AND (f.subject_id = ? OR EXISTS (SELECT 1 FROM edge e WHERE e.account_id = n.account_id AND e.source_id = n.id AND "
            "e.target_id = ? AND e.retired_at IS NULL))", IN(subject), IN(subject));
    sql_add(&s, " ORDER BY n.importance DESC, n.id DESC LIMIT ?", IN((int64_t)SOURCES_MAX));
    return sql_rows(c, &s, SOURCES_MAX, sizeof(struct archival_source), archival_read_source, &out->v, &out->n);
}

static err archival_read_outcome(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct archival_line *l = row;

    return db_row(q, c, found, OUT(&l->source_id), OUT(&l->text));
}

err archival_store_outcomes(struct ctx *c, struct uuid agent, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT u.skill_id, CONCAT(MAX(n.title), ': ', SUM(u.outcome = 'success'), ' of ', COUNT(*), ' times with success') FROM "
        "skill_usage u JOIN node n ON n.account_id = u.account_id AND n.id = u.skill_id WHERE u.account_id = ? AND u.agent_id = ? AND "
        "u.outcome IS NOT NULL AND n.forgotten_at IS NULL GROUP BY u.skill_id ORDER BY COUNT(*) DESC, u.skill_id LIMIT ?",
        IN(c->account_id), IN(agent), IN((int64_t)OUTCOMES_MAX));
    return sql_rows(c, &s, OUTCOMES_MAX, sizeof(struct archival_line), archival_read_outcome, &out->v, &out->n);
}

/* ---- for the job */

err archival_store_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT DISTINCT account_id FROM space WHERE account_id > ? AND owner_agent_id IS NOT NULL ORDER BY account_id "
        "LIMIT ?", IN(above), IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}

static err archival_read_id(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    return db_row(q, c, found, OUT((struct uuid *)row));
}

/* Agents that remember something, and whatever has a text already. */
err archival_store_subjects(struct ctx *c, struct uuid behind, int64_t limit, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT id FROM (SELECT s.owner_agent_id AS id FROM space s WHERE s.account_id = ? AND s.kind = 'namespace' AND "
        "s.owner_agent_id > ? AND EXISTS (SELECT 1 FROM node n WHERE n.account_id = s.account_id AND n.space_id = s.id AND n.kind IN "
        "('fact', 'learning', 'note', 'goal', 'entry')) UNION SELECT subject_id FROM archival WHERE account_id = ? AND subject_id > ?) x "
        "ORDER BY id LIMIT ?", IN(c->account_id), IN(behind), IN(c->account_id), IN(behind), IN(limit));
    return sql_rows(c, &s, (size_t)limit, sizeof(struct uuid), archival_read_id, &out->v, &out->n);
}
