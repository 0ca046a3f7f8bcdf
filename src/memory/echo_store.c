/* SQL of spaces by their owner. */
#include "echo_store.h"

#include "db.h"
#include "limit.h"

err echo_store_spaces(struct ctx *c, struct uuid space_id, struct uuid **ids, size_t *n)
{
    scoped_cursor q = {0};

    *ids = ARENA_ARRAY(c->arena, struct uuid, LIMIT_SPACES);
    TRY(db_query(c, &q,
                 "SELECT s.id FROM space s JOIN space t ON t.account_id = s.account_id WHERE t.account_id = "
                 "? AND t.id = ?"
                 " AND (s.id = t.id OR s.owner_agent_id = t.owner_agent_id OR s.team_id = t.team_id"
                 " OR (s.kind = 'namespace' AND s.slug = 'global'))",
                 IN(c->account_id), IN(space_id)));
    return db_ids(c, &q, *ids, LIMIT_SPACES, n);
}
