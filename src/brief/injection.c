/* The log of what went into prompts. */
#include "access.h"
#include "brief_store.h"
#include "principal.h"

#define KEEP_DAYS 90

static const struct field INJECTION_COLUMNS[] = {
    F_UUID(struct injection, id, COL_READ | COL_KEY, "id"),
    F_UUID(struct injection, agent_id, COL_READ, "agent or user whose context was assembled"),
    F_STR(struct injection, session_id, COL_READ | FIELD_NULLABLE, 0, 128, "session that it was for"),
    F_STR(struct injection, stable_hash, COL_READ, 0, 64, "hash of the part that can be cached"),
    F_STR(struct injection, evidence, COL_READ, 0, 8, "none, weak or strong"),
    F_INT(struct injection, tokens, COL_READ, 0, 9e15, 0, "size of the context"),
    F_UUIDS(struct injection, node_ids, COL_READ, BRIEF_ITEMS, "memories that were in it"),
    F_TIME(struct injection, created_at, COL_READ | COL_BORN, "when"),
    F_END
};
const struct thing INJECTION = THING("injection", INJECTION_COLUMNS, struct injection, .schema = "Injection");

err injection_list(struct ctx *c, const struct injection_filter *f, struct page *out)
{
    struct injection_filter g = *f;
    struct uuid before;

    TRY(page_begin(c, f->cursor, &before));
    if (!permissions_have(c->who->perms, PERM_MEMORY_MANAGE))
        g.agent_id = c->who->id;
    return brief_store_logged(c, &g, before, out);
}

static struct instant injection_before(const struct ctx *c)
{
    return (struct instant){c->now.us - KEEP_DAYS * DAY_US};
}

err injection_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    return brief_store_due(c, injection_before(c), above, ids, max, n);
}

err injection_purge(struct ctx *c, int64_t limit, int64_t *n)
{
    return brief_store_purge(c, injection_before(c), limit, n);
}
