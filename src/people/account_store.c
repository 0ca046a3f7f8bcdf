/* SQL of accounts. */
#include "account_store.h"

#include <string.h>

#include "db.h"

#define COLUMNS "id, slug, name, status, settings, version, created_at, updated_at"

static err account_store_read_row(struct ctx *c, struct db_cursor *q, bool *found, struct account *a)
{
    const char *status, *settings, *why;
    struct json *tree;
    int s = 0;

    TRY(db_row(q, c, found, OUT(&a->id), OUT(&a->slug), OUT(&a->name), OUT(&status), OUT(&settings), OUT(&a->version),
               OUT(&a->created_at), OUT(&a->updated_at)));
    if (!*found)
        return ERR_OK;
    if (enumx_parse(&account_status_enumx, status, &s))
        a->status = (enum account_status)s;
    if (json_parse(c->arena, settings, strlen(settings), &tree, &why) != JSON_OK)
        return fail(c, ERR_INTERNAL, "the settings of the account cannot be read: %s", why);
    a->settings = tree;
    return ERR_OK;
}

err account_store_insert(struct ctx *c, const struct account *a)
{
    return db_exec(c, NULL,
        "INSERT INTO account (id, slug, name, status, settings, version, created_at, updated_at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        IN(a->id), IN(a->slug), IN(a->name), IN(enumx_name(&account_status_enumx, (int)a->status)),
        IN(json_text(c->arena, a->settings)), IN(a->version), IN(a->created_at), IN(a->updated_at));
}

err account_store_get(struct ctx *c, struct uuid id, bool *found, struct account *out)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT " COLUMNS " FROM account WHERE id = ?", IN(id)));
    return account_store_read_row(c, &q, found, out);
}

err account_store_by_slug(struct ctx *c, const char *slug, bool *found, struct account *out)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT " COLUMNS " FROM account WHERE slug = ?", IN(slug)));
    return account_store_read_row(c, &q, found, out);
}

err account_store_list(struct ctx *c, struct account **out, size_t *n)
{
    struct account *list = NULL;
    size_t cap = 0;
    scoped_cursor q = {0};
    bool found;

    *n = 0;
    TRY(db_query(c, &q, "SELECT " COLUMNS " FROM account ORDER BY id"));
    for (;; ++*n) {
        if (*n == cap) {
            struct account *grown = ARENA_ARRAY(c->arena, struct account, cap = cap ? 2 * cap : 16);

            if (*n)
                memcpy(grown, list, *n * sizeof *grown);
            list = grown;
        }
        TRY(account_store_read_row(c, &q, &found, &list[*n]));
        if (!found)
            break;
    }
    *out = list;
    return ERR_OK;
}

err account_store_update(struct ctx *c, const struct account *a, int64_t *changed)
{
    return db_exec(c, changed,
        "UPDATE account SET name = ?, status = ?, settings = ?, updated_at = ?, version = version + 1"
        " WHERE id = ? AND version = ?",
        IN(a->name), IN(enumx_name(&account_status_enumx, (int)a->status)), IN(json_text(c->arena, a->settings)),
        IN(c->now), IN(a->id), IN(a->version));
}

err account_store_hold(struct ctx *c)
{
    scoped_cursor q = {0};
    struct uuid id;
    bool found;

    TRY(db_query(c, &q, "SELECT id FROM account WHERE id = ? FOR UPDATE", IN(c->account_id)));
    return db_row(&q, c, &found, OUT(&id));
}
