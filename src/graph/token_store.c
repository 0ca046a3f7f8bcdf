/* SQL of tokens. */
#include "db.h"
#include "strs_json.h"
#include "token_store.h"

#define COLUMNS \
    "id, user_id, agent_id, name, prefix, scopes, expires_at, revoked_at, last_used_at, created_at, last_ip, toolset"

static err read_row(struct ctx *c, struct db_cursor *q, bool *found, struct token *t)
{
    const char *scopes = NULL, *toolset = NULL;
    int shown;

    TRY(db_row(q, c, found, OUT(&t->id), OUT_OPT(&t->user_id), OUT_OPT(&t->agent_id), OUT(&t->name), OUT(&t->prefix),
               OUT_OPT(&scopes), OUT_OPT(&t->expires_at), OUT_OPT(&t->revoked_at), OUT_OPT(&t->last_used_at),
               OUT(&t->created_at), OUT_OPT(&t->last_ip), OUT(&toolset)));
    if (!*found)
        return ERR_OK;
    t->scopes = strs_from_json(c->arena, scopes);
    if (!enumx_parse(&toolset_enumx, toolset, &shown))
        return fail(c, ERR_INTERNAL, "token %s has toolset '%s'", UUID_STR(t->id), toolset);
    t->toolset = (enum toolset)shown;
    return ERR_OK;
}

err token_store_insert(struct ctx *c, const struct token *t, const uint8_t hash[TOKEN_HASH], const char *scopes)
{
    return db_exec(c, NULL,
        "INSERT INTO token (account_id, id, user_id, agent_id, name, prefix, hash, scopes, expires_at, created_at, toolset)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        IN(c->account_id), IN(t->id), IN_OPT(t->user_id), IN_OPT(t->agent_id), IN(t->name), IN(t->prefix),
        IN(((struct bytes){hash, TOKEN_HASH})), IN_OPT(scopes), IN_OPT(t->expires_at), IN(t->created_at),
        IN(enumx_name(&toolset_enumx, (int)t->toolset)));
}

err token_store_get(struct ctx *c, struct uuid id, bool *found, struct token *out)
{
    scoped_cursor q = {0};

    *out = (struct token){0};
    TRY(db_query(c, &q, "SELECT " COLUMNS " FROM token WHERE account_id = ? AND id = ?", IN(c->account_id), IN(id)));
    return read_row(c, &q, found, out);
}

err token_store_list(struct ctx *c, const struct token_filter *f, struct uuid before, struct token **rows, size_t *n)
{
    struct token *list = ARENA_ARRAY(c->arena, struct token, (size_t)f->limit + 1);
    scoped_cursor q = {0};
    struct sql s;
    bool found;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT " COLUMNS " FROM token WHERE account_id = ? AND id < ?", IN(c->account_id), IN(before));
    if (!uuid_is_nil(f->user_id))
        sql_add(&s, " AND user_id = ?", IN(f->user_id));
    if (!uuid_is_nil(f->agent_id))
        sql_add(&s, " AND agent_id = ?", IN(f->agent_id));
    if (!f->with_revoked)
        sql_add(&s, " AND revoked_at IS NULL");
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

err token_store_revoke(struct ctx *c, struct uuid id, int64_t *changed)
{
    return db_exec(c, changed, "UPDATE token SET revoked_at = ? WHERE account_id = ? AND id = ? AND revoked_at IS NULL",
                   IN(c->now), IN(c->account_id), IN(id));
}
