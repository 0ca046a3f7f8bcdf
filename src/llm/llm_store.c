/* SQL of the daily budget: a row for each account and day on which a model was asked. */
#include "llm_store.h"

#include <string.h>

#include "db.h"

#define KEPT_DAYS 400

err llm_store_read(struct ctx *c, int64_t day, const struct json **settings, int64_t *used)
{
    const char *text = NULL, *why;
    struct json *tree = NULL;
    scoped_cursor q = {0};
    int64_t n = 0;
    bool found;

    TRY(db_query(c, &q, "SELECT JSON_EXTRACT(a.settings, '$.llm'), u.tokens FROM account a LEFT JOIN llm_usage u "
                        "ON u.account_id = a.id AND u.day = ? WHERE a.id = ?", IN(day), IN(c->account_id)));
    TRY(db_row(&q, c, &found, OUT_OPT(&text), OUT_OPT(&n)));
    if (!found)
        return fail(c, ERR_NOT_FOUND, "no such account");
    if (text && json_parse(c->arena, text, strlen(text), &tree, &why) != JSON_OK)
        return fail(c, ERR_INTERNAL, "the settings of the account cannot be read: %s", why);
    *settings = json_is(tree, JSON_OBJ) ? tree : NULL;
    *used = n;
    return ERR_OK;
}

err llm_store_reserve(struct ctx *c, int64_t day, int64_t tokens, int64_t limit, bool *done)
{
    int64_t changed;

    TRY(db_exec(c, &changed, "UPDATE llm_usage SET tokens = tokens + ?, calls = calls + 1 WHERE account_id = ? AND day = ? "
                             "AND tokens + ? <= ?", IN(tokens), IN(c->account_id), IN(day), IN(tokens), IN(limit)));
    *done = changed != 0;
    if (*done || tokens > limit)
        return ERR_OK;
    /* the first of the day, or the budget is used up */
    TRY(db_exec(c, &changed, "INSERT IGNORE INTO llm_usage (account_id, day, tokens, calls) VALUES (?,?,?,1)", IN(c->account_id),
                IN(day), IN(tokens)));
    *done = changed != 0;
    if (*done)
        TRY(db_exec(c, NULL, "DELETE FROM llm_usage WHERE account_id = ? AND day < ?", IN(c->account_id), IN(day - KEPT_DAYS)));
    return ERR_OK;
}

err llm_store_settle(struct ctx *c, int64_t day, int64_t delta, bool failed)
{
    int64_t hour = c->now.us / (3600 * SECOND_US), more = failed;

    return db_exec(c, NULL, "UPDATE llm_usage SET tokens = GREATEST(0, tokens + ?), hour_calls = IF(hour = ?, hour_calls, 0) + 1, "
                            "hour_failed = IF(hour = ?, hour_failed, 0) + ?, hour = ? WHERE account_id = ? AND day = ?", IN(delta),
                   IN(hour), IN(hour), IN(more), IN(hour), IN(c->account_id), IN(day));
}
