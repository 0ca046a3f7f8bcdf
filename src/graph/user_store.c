/* SQL of users. */
#include "db.h"
#include "like.h"
#include "user_store.h"

#define COLUMNS \
    "id, email, name, role, status, is_operator, password_hash IS NOT NULL, last_login_at, created_at, updated_at, version"

static err read_row(struct ctx *c, struct db_cursor *q, bool *found, struct user *u)
{
    const char *status;
    int s = 0;

    TRY(db_row(q, c, found, OUT(&u->id), OUT(&u->email), OUT(&u->name), OUT(&u->role), OUT(&status),
               OUT(&u->is_operator), OUT(&u->has_password), OUT_OPT(&u->last_login_at), OUT(&u->created_at),
               OUT(&u->updated_at), OUT(&u->version)));
    if (*found && !enumx_parse(&user_status_enumx, status, &s))
        return fail(c, ERR_INTERNAL, "user %s has status '%s'", UUID_STR(u->id), status);
    u->status = (enum user_status)s;
    return ERR_OK;
}

err user_store_insert(struct ctx *c, const struct user *u, const char *password_hash)
{
    return db_exec(c, NULL,
        "INSERT INTO user (account_id, id, email, name, password_hash, role, status, is_operator, version, created_at,"
        " updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        IN(c->account_id), IN(u->id), IN(u->email), IN(u->name), IN_OPT(password_hash), IN(u->role),
        IN(enumx_name(&user_status_enumx, (int)u->status)), IN(u->is_operator), IN(u->version), IN(u->created_at),
        IN(u->updated_at));
}

err user_store_get(struct ctx *c, struct uuid id, bool *found, struct user *out)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT " COLUMNS " FROM user WHERE account_id = ? AND id = ?", IN(c->account_id), IN(id)));
    return read_row(c, &q, found, out);
}

err user_store_by_email(struct ctx *c, const char *email, bool *found, struct user *out)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT " COLUMNS " FROM user WHERE account_id = ? AND email = ?", IN(c->account_id),
                 IN(email)));
    return read_row(c, &q, found, out);
}

err user_store_list(struct ctx *c, const struct user_filter *f, struct uuid before, struct user **rows, size_t *n)
{
    struct user *list = ARENA_ARRAY(c->arena, struct user, (size_t)f->limit + 1);
    const char *part = f->q ? like_part(c->arena, f->q) : NULL;
    scoped_cursor q = {0};
    struct sql s;
    bool found = true;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT " COLUMNS " FROM user WHERE account_id = ? AND id < ?", IN(c->account_id), IN(before));
    if (f->status >= 0)
        sql_add(&s, " AND status = ?", IN(enumx_name(&user_status_enumx, f->status)));
    if (f->role)
        sql_add(&s, " AND role = ?", IN(f->role));
    if (part)
        sql_add(&s, " AND (name COLLATE utf8mb4_unicode_ci LIKE ? OR email COLLATE utf8mb4_unicode_ci LIKE ?)", IN(part),
                IN(part));
    sql_add(&s, " ORDER BY id DESC LIMIT ?", IN(f->limit + 1));
    TRY(sql_query(c, &q, &s));
    for (*n = 0; (int64_t)*n <= f->limit; ++*n) {
        TRY(read_row(c, &q, &found, &list[*n]));
        if (!found)
            break;
    }
    *rows = list;
    return ERR_OK;
}

err user_store_update(struct ctx *c, const struct user *u, int64_t *changed)
{
    return db_exec(c, changed,
        "UPDATE user SET email = ?, name = ?, role = ?, status = ?, updated_at = ?, version = version + 1"
        " WHERE account_id = ? AND id = ? AND version = ?",
        IN(u->email), IN(u->name), IN(u->role), IN(enumx_name(&user_status_enumx, (int)u->status)), IN(c->now),
        IN(c->account_id), IN(u->id), IN(u->version));
}

err user_store_delete(struct ctx *c, struct uuid id, int64_t version, int64_t *changed)
{
    return db_exec(c, changed, "DELETE FROM user WHERE account_id = ? AND id = ? AND version = ?", IN(c->account_id),
                   IN(id), IN(version));
}

err user_store_other_owners(struct ctx *c, struct uuid than, int64_t *n)
{
    scoped_cursor q = {0};
    struct uuid id;
    bool found;

    TRY(db_query(c, &q,
        "SELECT id FROM user WHERE account_id = ? AND role = 'owner' AND status = 'active' AND id <> ? FOR UPDATE",
        IN(c->account_id), IN(than)));
    for (*n = 0;; ++*n) {
        TRY(db_row(&q, c, &found, OUT(&id)));
        if (!found)
            return ERR_OK;
    }
}

err user_store_password(struct ctx *c, struct uuid id, const char **hash)
{
    scoped_cursor q = {0};
    bool found;

    *hash = NULL;
    TRY(db_query(c, &q, "SELECT password_hash FROM user WHERE account_id = ? AND id = ?", IN(c->account_id), IN(id)));
    return db_row(&q, c, &found, OUT_OPT(hash));
}

err user_store_set_password(struct ctx *c, struct uuid id, const char *hash)
{
    return db_exec(c, NULL,
        "UPDATE user SET password_hash = ?, updated_at = ?, version = version + 1 WHERE account_id = ? AND id = ?",
        IN(hash), IN(c->now), IN(c->account_id), IN(id));
}

err user_store_set_operator(struct ctx *c, struct uuid id, bool on)
{
    return db_exec(c, NULL,
        "UPDATE user SET is_operator = ?, updated_at = ?, version = version + 1 WHERE account_id = ? AND id = ?",
        IN(on), IN(c->now), IN(c->account_id), IN(id));
}

err user_store_find_login(struct ctx *c, const char *account, const char *email, struct user_login *out, int *n)
{
    const char *slug = account ? account : "";
    scoped_cursor q = {0};
    struct user_login more;
    bool found;

    TRY(db_query(c, &q,
        "SELECT u.account_id, u.id, u.password_hash, u.status = 'active' FROM user u JOIN account a ON a.id = u.account_id"
        " WHERE u.email = ? AND a.status = 'active' AND (? = '' OR a.slug = ?)"
        " ORDER BY u.password_hash IS NULL, u.account_id LIMIT 2",
        IN(email), IN(slug), IN(slug)));
    TRY(db_row(&q, c, &found, OUT(&out->account_id), OUT(&out->id), OUT_OPT(&out->password_hash), OUT(&out->may)));
    *n = found;
    if (!found)
        return ERR_OK;
    TRY(db_row(&q, c, &found, OUT(&more.account_id), OUT(&more.id), OUT_OPT(&more.password_hash), OUT(&more.may)));
    *n += found && more.password_hash;           /* nobody logs in without one */
    return ERR_OK;
}

/* A login is no change of the user: version and updated_at stay. */
err user_store_logged_in(struct ctx *c, struct uuid id)
{
    return db_exec(c, NULL, "UPDATE user SET last_login_at = ? WHERE account_id = ? AND id = ?", IN(c->now),
                   IN(c->account_id), IN(id));
}
