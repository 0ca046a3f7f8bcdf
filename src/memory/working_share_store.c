/* SQL of sharing between agents. */
#include "working_share_store.h"

#include "db.h"

/* An agent's spaces: the parameters are account, agent, account, agent, now, account, agent, now. */
#define SPACES_OF \
    "(SELECT id FROM space WHERE account_id = ? AND owner_agent_id = ?" \
    " UNION SELECT space_id FROM space_grant WHERE account_id = ? AND grantee_kind = 'agent' AND grantee_id = CAST(? AS CHAR)" \
    " AND level IN ('write', 'manage') AND (expires_at IS NULL OR expires_at > ?)" \
    " UNION SELECT g.space_id FROM team_member m JOIN space_grant g ON g.account_id = m.account_id AND g.grantee_kind = 'team'" \
    " AND g.grantee_id = CAST(m.team_id AS CHAR) AND g.level IN ('write', 'manage')" \
    " WHERE m.account_id = ? AND m.agent_id = ? AND (g.expires_at IS NULL OR g.expires_at > ?))"
#define OF(agent) \
    IN(c->account_id), IN(agent), IN(c->account_id), IN(UUID_STR(agent)), IN(c->now), IN(c->account_id), IN(agent), IN(c->now)

err working_share_store_allowed(struct ctx *c, struct uuid a, struct uuid b, bool *allowed)
{
    scoped_cursor q = {0};
    struct uuid id;

    TRY(db_query(c, &q,
        "SELECT s.id FROM " SPACES_OF " x JOIN " SPACES_OF " y ON y.id = x.id"
        " JOIN space s ON s.account_id = ? AND s.id = x.id"
        " WHERE s.status = 'active' AND s.deleted_at IS NULL AND (s.expires_at IS NULL OR s.expires_at > ?) LIMIT 1",
        OF(a), OF(b), IN(c->account_id), IN(c->now)));
    return db_row(&q, c, allowed, OUT(&id));
}
