/* SQL and Redis of skills for other programs. */
#include "skill_served_store.h"

#include "db.h"
#include "kv.h"
#include "row.h"
#include "skill_resource.h"

#define KEPT_S 86400

struct served_body {
    struct uuid skill_id;
    const char *body;
};

static err served_read_body(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct served_body *b = row;

    return db_row(q, c, found, OUT(&b->skill_id), OUT(&b->body));
}

static err served_bodies(struct ctx *c, struct skill *v, size_t n)
{
    const struct served_body *b;
    struct sql s;
    struct list found;

    if (!n)
        return ERR_OK;
    sql_init(&s, c->arena);
    sql_add(&s, "SELECT k.id, v.body FROM skill k JOIN skill_version v ON v.account_id = k.account_id AND v.id = k.active_version_id "
        "WHERE k.account_id = ? AND k.id IN (?", IN(c->account_id), IN(v[0].id));
    for (size_t i = 1; i < n; i++)
        sql_add(&s, ", ?", IN(v[i].id));
    sql_add(&s, ")");
    TRY(sql_rows(c, &s, n, sizeof *b, served_read_body, &found.v, &found.n));
    b = found.v;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < found.n; k++)
            if (uuid_eq(b[k].skill_id, v[i].id))
                v[i].body = b[k].body;
    return ERR_OK;
}

err skill_served_store_list(struct ctx *c, struct uuids spaces, const char *slug, struct uuid before, int64_t limit, struct page *out)
{
    struct sql s;

    row_select(&s, c->arena, &SKILL, "SELECT {*} FROM {from} WHERE k.account_id = ? AND k.id < ? AND n.status = 'active' AND "
        "k.is_enabled = 1 AND n.forgotten_at IS NULL", IN(c->account_id), IN(before));
    sql_add_in_uuids(&s, "k.space_id", spaces.v, spaces.n);
    if (slug)
        sql_add(&s, " AND k.slug = ?", IN(slug));
    sql_add(&s, " ORDER BY k.id DESC LIMIT ?", IN(limit + 1));
    TRY(row_page(c, &SKILL, &s, limit, out));
    return served_bodies(c, out->items, out->n);
}

static err served_read_row(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct served_row *r = row;

    return db_row(q, c, found, OUT(&r->skill_id), OUT(&r->path), OUT(&r->size), OUT(&r->hash));
}

err skill_served_store_files(struct ctx *c, const struct uuid *ids, size_t n, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT skill_id, path, size_bytes, hash FROM skill_resource WHERE account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "skill_id", ids, n);
    sql_add(&s, " ORDER BY skill_id, path LIMIT ?", IN((int64_t)(n * RESOURCE_FILES)));
    return sql_rows(c, &s, n * RESOURCE_FILES, sizeof(struct served_row), served_read_row, &out->v, &out->n);
}

static struct kv_arg served_key(struct ctx *c, const char *of)
{
    return kv_fmt(c, "loci:{%s}:archive:%s", UUID_STR(c->account_id), of);
}

err skill_served_store_known(struct ctx *c, const char *of, const char **digest)
{
    struct kv_reply r;

    *digest = NULL;
    TRY(kv_cmd(c, &r, kv_text("GET"), served_key(c, of)));
    if (r.type == KV_TEXT)
        *digest = r.s;
    return ERR_OK;
}

err skill_served_store_keep(struct ctx *c, const char *of, const char *digest)
{
    return kv_cmd(c, NULL, kv_text("SET"), served_key(c, of), kv_text(digest), kv_text("EX"), kv_i64(c, KEPT_S));
}
