/* The gate's question about an agent's memory; see subject.h. */
#include "subject.h"

#include "agent.h"
#include "audit.h"
#include "db.h"
#include "space.h"

struct taking {
    struct uuid agent_id, space_id;
    enum access_level level;
};

static err note_taking(struct ctx *c, void *arg)
{
    const struct taking *t = arg;
    struct json *payload = json_obj(c->arena);

    json_set_str(c->arena, payload, "permission", enumx_name(&permission_enumx, PERM_MEMORY_MANAGE));
    json_set_str(c->arena, payload, "level", enumx_name(&access_level_enumx, (int)t->level));
    return audit_add(c, &(struct audit){ .kind = "memory.access", .subject_kind = "agent", .subject_id = t->agent_id,
                                         .space_id = t->space_id, .payload = payload });
}

/* By permission, where no grant suffices. */
static err subject_take(struct ctx *c, struct uuid agent_id, struct uuid space_id, enum access_level level)
{
    struct taking t = {agent_id, space_id, level};
    struct agent a;

    TRY(agent_get(c, agent_id, &a));
    return db_tx(c, note_taking, &t);
}

struct uuid subject_of(const struct ctx *c, struct uuid agent_id)
{
    return uuid_is_nil(agent_id) && c->who->kind == PRINCIPAL_AGENT ? c->who->id : agent_id;
}

err subject_require(struct ctx *c, struct uuid agent_id, enum access_level level)
{
    struct space s = {0};
    err e;

    if (uuid_is_nil(agent_id))
        return fail_field(c, "/agent_id", "agent_id is required: the caller is not an agent");
    if (c->who->kind == PRINCIPAL_AGENT && uuid_eq(agent_id, c->who->id))
        return ERR_OK;
    e = space_by_slug(c, SPACE_NAMESPACE, arena_printf(c->arena, "agent:%s", UUID_STR(agent_id)), &s);
    if (e != ERR_OK && e != ERR_NOT_FOUND)
        return e;
    if (e == ERR_OK && s.access >= level)
        return ERR_OK;
    ctx_forgive(c);
    if (permissions_have(c->who->perms, PERM_MEMORY_MANAGE))
        return subject_take(c, agent_id, s.id, level);
    return e == ERR_OK ? access_require(c, s.id, level) : fail(c, ERR_NOT_FOUND, "no such agent");
}

err subject_or_self(struct ctx *c, struct uuid agent_id, enum access_level level, struct uuid *out)
{
    *out = subject_of(c, agent_id);
    return subject_require(c, *out, level);
}
