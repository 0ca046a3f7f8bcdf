/* What one agent puts before another one's working memory. */
#include "working_share_store.h"
#include "working_write.h"

/* One that does not exist, and one with whom nothing is shared, look the same. */
static err check_target(struct ctx *c, struct uuid source, struct uuid target)
{
    bool allowed = false;

    if (!uuid_eq(source, target))
        TRY(working_share_store_allowed(c, source, target, &allowed));
    return allowed ? ERR_OK : fail(c, ERR_NOT_FOUND, "no such agent, or no space that both can write to");
}

static struct working_scope working_share_scope_of(const struct working_scope *s, struct uuid agent_id)
{
    return (struct working_scope){.agent_id = agent_id, .session_id = s->session_id, .run_id = s->run_id};
}

static const char *shared_key(struct ctx *c, struct uuid source, const char *key)
{
    return arena_printf(c->arena, WORKING_SHARED "%s:%s", UUID_STR(source), key);
}

err working_share(struct ctx *c, const struct working_scope *s, struct uuid target_agent_id, const struct working_new *in,
                  struct working_stored *out)
{
    struct working_scope target = working_share_scope_of(s, target_agent_id);
    struct working_written w;
    const char *text;

    TRY(working_enter(c, s, ACCESS_WRITE));
    TRY(working_check_key(c, in->key));
    if (c->who->kind == PRINCIPAL_AGENT && !uuid_eq(c->who->id, s->agent_id))
        return fail_field(c, "/agent_id", "agents can share only their own memory");
    TRY(check_target(c, s->agent_id, target_agent_id));
    TRY(working_value_text(c, in->value, &text));
    TRY(working_store_share(c, &target, shared_key(c, s->agent_id, in->key), text, in->ttl_s ? in->ttl_s : WORKING_TTL,
                            in->if_absent, &w));
    return working_written(c, in->key, &w, out);
}

err working_retrieve_shared(struct ctx *c, const struct working_scope *s, struct uuid source_agent_id, const char *key,
                            const struct json **value)
{
    struct working_scope own = working_share_scope_of(s, s->agent_id);

    return working_retrieve(c, &own, shared_key(c, source_agent_id, key), value);
}
