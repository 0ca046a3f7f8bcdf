/* SQL of users. */
#include "user_store.h"

#include "like.h"
#include "row.h"

err user_store_by_email(struct ctx *c, const char *email, bool *found, struct user *out)
{
    return row_one(c, &USER, found, out, "SELECT {*} FROM user WHERE account_id = ? AND email = ?", IN(c->account_id), IN(email));
}

err user_store_list(struct ctx *c, const struct user_filter *f, struct uuid before, struct page *out)
{
    const char *part = f->q ? like_part(c->arena, f->q) : NULL;
    struct sql s;

    row_select(&s, c->arena, &USER, "SELECT {*} FROM user WHERE account_id = ? AND id < ?", IN(c->account_id), IN(before));
    if (f->status >= 0)
        sql_add(&s, " AND status = ?", IN(enumx_name(&user_status_enumx, f->status)));
    if (f->role)
        sql_add(&s, " AND role = ?", IN(f->role));
    if (part)
        sql_add(&s, " AND (name COLLATE utf8mb4_unicode_ci LIKE ? OR email COLLATE utf8mb4_unicode_ci LIKE ?)", IN(part), IN(part));
    sql_add(&s, " ORDER BY id DESC LIMIT ?", IN(f->limit + 1));
    return row_page(c, &USER, &s, f->limit, out);
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
    *n += found && more.password_hash; /* nobody logs in without one */
    return ERR_OK;
}

/* A login is no change of the user: version and updated_at stay. */
err user_store_logged_in(struct ctx *c, struct uuid id)
{
    return db_exec(c, NULL, "UPDATE user SET last_login_at = ? WHERE account_id = ? AND id = ?", IN(c->now),
                   IN(c->account_id), IN(id));
}
