/* SQL of ingest. */
#include "skill_ingest_store.h"

#include <string.h>

#include "db.h"

#define DUE_MAX 10000
#define GONE_MAX 10000
#define PART_BYTES (1024 * 1024)

err skill_ingest_store_known(struct ctx *c, struct uuid space, const char *source, const char *path, bool *found, struct ingest_known *out)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT k.id, k.source_hash, n.status FROM skill k JOIN node n ON n.account_id = k.account_id AND n.id = k.id "
        "WHERE k.account_id = ? AND k.ingest_source = ? AND k.source_path = ? AND k.space_id = ? AND n.forgotten_at IS NULL",
        IN(c->account_id), IN(source), IN(path), IN(space)));
    return db_row(&q, c, found, OUT(&out->id), OUT(&out->hash), OUT(&out->status));
}

err skill_ingest_store_mark(struct ctx *c, struct uuid id, const char *head, struct bytes hash)
{
    return db_exec(c, NULL, "UPDATE skill SET front_matter = ?, source_hash = ? WHERE account_id = ? AND id = ?", IN(head), IN(hash),
        IN(c->account_id), IN(id));
}

static err skill_ingest_store_read_id(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    return db_row(q, c, found, OUT((struct uuid *)row));
}

err skill_ingest_store_gone(struct ctx *c, struct uuid space, const char *source, struct strs paths, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT k.id FROM skill k JOIN node n ON n.account_id = k.account_id AND n.id = k.id WHERE k.account_id = ? AND "
        "k.ingest_source = ? AND k.space_id = ? AND n.forgotten_at IS NULL AND n.status = 'active' AND k.source_path NOT IN (''",
        IN(c->account_id), IN(source), IN(space));
    for (size_t i = 0; i < paths.n; i++)
        sql_add(&s, ", ?", IN(paths.v[i]));
    sql_add(&s, ") LIMIT ?", IN((int64_t)GONE_MAX));
    return sql_rows(c, &s, GONE_MAX, sizeof(struct uuid), skill_ingest_store_read_id, &out->v, &out->n);
}

/* ---- links */

err skill_ingest_store_links(struct ctx *c, struct uuid skill_id, const struct skill_link *v, size_t n)
{
    struct sql s;

    TRY(db_exec(c, NULL, "DELETE FROM skill_link WHERE account_id = ? AND skill_id = ?", IN(c->account_id), IN(skill_id)));
    if (!n)
        return ERR_OK;
    sql_init(&s, c->arena);
    sql_add(&s, "INSERT IGNORE INTO skill_link (account_id, skill_id, relation, slug, weight) VALUES ");
    for (size_t i = 0; i < n; i++) {
        if (i)
            sql_add(&s, ", ");
        sql_add(&s, "(?, ?, ?, ?, ?)", IN(c->account_id), IN(skill_id), IN(v[i].relation), IN(v[i].slug), IN(v[i].weight));
    }
    return sql_exec(c, NULL, &s);
}

static err skill_ingest_store_read_due(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct link_due *d = row;

    return db_row(q, c, found, OUT(&d->source), OUT(&d->target), OUT(&d->relation), OUT(&d->weight));
}

err skill_ingest_store_due(struct ctx *c, struct uuid space, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT l.skill_id, t.id, l.relation, l.weight FROM skill_link l JOIN skill k ON k.account_id = l.account_id AND k.id = "
        "l.skill_id JOIN skill t ON t.account_id = k.account_id AND t.space_id = k.space_id AND t.slug = l.slug AND t.id <> k.id LEFT JOIN "
        "edge e ON e.account_id = l.account_id AND e.source_id = l.skill_id AND e.target_id = t.id AND e.relation = l.relation AND "
        "e.live = 1 WHERE l.account_id = ? AND k.space_id = ? AND e.id IS NULL LIMIT ?", IN(c->account_id), IN(space),
        IN((int64_t)DUE_MAX));
    return sql_rows(c, &s, DUE_MAX, sizeof(struct link_due), skill_ingest_store_read_due, &out->v, &out->n);
}

/* ---- files beside */

static err skill_ingest_store_read_resource(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct skill_resource *r = row;

    return db_row(q, c, found, OUT(&r->path), OUT(&r->size), OUT(&r->hash));
}

err skill_ingest_store_resources(struct ctx *c, struct uuid skill_id, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT path, size_bytes, hash FROM skill_resource WHERE account_id = ? AND skill_id = ? ORDER BY path LIMIT ?",
        IN(c->account_id), IN(skill_id), IN((int64_t)RESOURCE_FILES));
    return sql_rows(c, &s, RESOURCE_FILES, sizeof(struct skill_resource), skill_ingest_store_read_resource, &out->v, &out->n);
}

err skill_ingest_store_resource(struct ctx *c, struct uuid skill_id, const char *path, bool *found, struct skill_resource *out)
{
    scoped_cursor q = {0};
    struct bytes part;
    uint8_t *whole;
    bool more;
    size_t n = 0;

    TRY(db_query(c, &q, "SELECT path, size_bytes, hash FROM skill_resource WHERE account_id = ? AND skill_id = ? AND path = ?",
        IN(c->account_id), IN(skill_id), IN(path)));
    TRY(db_row(&q, c, found, OUT(&out->path), OUT(&out->size), OUT(&out->hash)));
    if (!*found)
        return ERR_OK;
    whole = arena_alloc(c->arena, (size_t)out->size + 1);
    TRY(db_query(c, &q, "SELECT body FROM skill_resource_part WHERE account_id = ? AND skill_id = ? AND path = ? ORDER BY start_offset",
        IN(c->account_id), IN(skill_id), IN(path)));
    for (;;) {
        TRY(db_row(&q, c, &more, OUT(&part)));
        if (!more || n + part.n > (size_t)out->size)
            break;
        memcpy(whole + n, part.p, part.n);
        n += part.n;
    }
    out->content = (struct bytes){whole, n};
    return ERR_OK;
}

err skill_ingest_store_resource_put(struct ctx *c, struct uuid skill_id, const struct skill_resource *r)
{
    TRY(skill_ingest_store_resource_drop(c, skill_id, r->path));
    TRY(db_exec(c, NULL, "INSERT INTO skill_resource (account_id, skill_id, path, size_bytes, hash) VALUES (?, ?, ?, ?, ?)",
        IN(c->account_id), IN(skill_id), IN(r->path), IN((int64_t)r->content.n), IN(r->hash)));
    for (size_t at = 0; at < r->content.n; at += PART_BYTES) {
        size_t n = r->content.n - at < PART_BYTES ? r->content.n - at : PART_BYTES;
        struct bytes part = {(const uint8_t *)r->content.p + at, n};

        TRY(db_exec(c, NULL, "INSERT INTO skill_resource_part (account_id, skill_id, path, start_offset, body) VALUES (?, ?, ?, ?, ?)",
            IN(c->account_id), IN(skill_id), IN(r->path), IN((int64_t)at), IN(part)));
    }
    return ERR_OK;
}

err skill_ingest_store_resource_drop(struct ctx *c, struct uuid skill_id, const char *path)
{
    return db_exec(c, NULL, "DELETE FROM skill_resource WHERE account_id = ? AND skill_id = ? AND path = ?", IN(c->account_id),
        IN(skill_id), IN(path));
}
