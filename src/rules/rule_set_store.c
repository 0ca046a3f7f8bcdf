/* SQL of an account's rules. */
#include "rule_set_store.h"

#include "db.h"

err rule_set_store_get(struct ctx *c, const char **body, const char **active, int64_t *version)
{
    scoped_cursor q = {0};
    bool found;

    *body = *active = "";
    *version = 0;
    TRY(db_query(c, &q, "SELECT body, active, version FROM extract_rule_set WHERE account_id = ? AND name = 'own'", IN(c->account_id)));
    return db_row(&q, c, &found, OUT(body), OUT(active), OUT(version));
}

err rule_set_store_put(struct ctx *c, const char *body, const char *active)
{
    return db_exec(c, NULL, "INSERT INTO extract_rule_set (account_id, body, active, updated_at) VALUES (?,?,?,?) ON DUPLICATE KEY UPDATE "
                   "body = VALUE(body), active = VALUE(active), version = version + 1, updated_at = VALUE(updated_at)", IN(c->account_id),
                   IN(body), IN(active), IN(c->now));
}
