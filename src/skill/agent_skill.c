/* Attaching skills to agents; see agent_skill.h. */
#include "agent_skill.h"

#include "agent.h"
#include "agent_skill_store.h"
#include "db.h"
#include "edge.h"
#include "node.h"
#include "node_row.h"
#include "skill_impl.h"

/* ---- versions that are required */

static const char *version_req_number(const char *req)
{
    return str_starts(req, ">=") ? req + 2 : *req == '^' ? req + 1 : req;
}

bool version_req_is_valid(const char *req)
{
    int64_t v[3];

    return semver_parse(version_req_number(req), v);
}

bool version_req_is_met(const char *req, const char *semver)
{
    int64_t want[3], have[3];
    int order = 0;

    if (!semver_parse(version_req_number(req), want) || !semver_parse(semver, have))
        return false;
    for (int i = 0; i < 3 && !order; i++)
        order = (have[i] > want[i]) - (have[i] < want[i]);
    if (*req == '^')
        return have[0] == want[0] && order >= 0;
    return str_starts(req, ">=") ? order >= 0 : order == 0;
}

/* ---- attaching */

/* An agent's node has the agent's id. It is no secret that there is an agent, so it stands where its skills are. */
static err agent_skill_node(struct ctx *c, const struct agent *a, struct uuid space_id)
{
    struct node node;
    bool found;

    TRY(node_row_read(c, a->id, &found, &node));
    if (found)
        return ERR_OK;
    return node_create(c, &(struct node_new){NODE_NEW_DEFAULTS, .id = a->id, .space_id = space_id, .kind = "agent", .title = a->name},
        &node);
}

static err agent_skill_may(struct ctx *c, struct uuid agent_id)
{
    if (c->who->kind != PRINCIPAL_AGENT || uuid_eq(c->who->id, agent_id))
        return ERR_OK;
    return access_permit(c, PERM_SKILLS_MANAGE);
}

static err agent_skill_find(struct ctx *c, const struct agent_skill_put *in, bool *found, struct agent_skill *out)
{
    struct list rows;

    TRY(agent_skill_store_list(c, in->aid, in->sid, skill_spaces(c), &rows));
    *found = rows.n > 0;
    if (rows.n)
        *out = *(const struct agent_skill *)rows.v;
    return ERR_OK;
}

static err agent_skill_attach_tx(struct ctx *c, const struct agent_skill_put *in, struct agent_skill *out)
{
    struct json *metadata = json_obj(c->arena);
    struct agent agent;
    struct skill skill;
    struct edge edge;
    bool found;

    TRY(agent_skill_may(c, in->aid));
    TRY(agent_get(c, in->aid, &agent));
    TRY(skill_get(c, in->sid, &skill));
    TRY(access_require(c, skill.space_id, ACCESS_WRITE));
    if (skill.status == SKILL_ARCHIVED)
        return fail_reason(c, ERR_CONFLICT, "skill_state", "the skill is archived");
    if (in->version_req && !version_req_is_valid(in->version_req))
        return fail_field(c, "/version_req", "version_req is a version such as 1.2.0, >=1.2.0 or ^1.2.0");
    TRY(agent_skill_node(c, &agent, skill.space_id));
    json_set_int(c->arena, metadata, "priority", in->priority);
    json_set_int(c->arena, metadata, "is_active", in->is_active);
    if (in->version_req)
        json_set_str(c->arena, metadata, "version_req", in->version_req);
    TRY(agent_skill_find(c, in, &found, out));
    if (found)
        TRY(edge_retire_by_owner(c, out->edge_id));
    TRY(edge_create_owned(c, &(struct edge_new){EDGE_NEW_DEFAULTS, .source_id = agent.id, .target_id = skill.id, .relation = "has_skill",
                                                .metadata = metadata}, &edge));
    TRY(agent_skill_find(c, in, &found, out));
    return found ? ERR_OK : fail(c, ERR_INTERNAL, "the skill was attached, and is not there");
}
DB_TX(agent_skill_attach, struct agent_skill_put, struct agent_skill)

static err agent_skill_detach_tx(struct ctx *c, const struct agent_skill_put *in)
{
    struct agent_skill row;
    bool found;

    TRY(agent_skill_may(c, in->aid));
    TRY(agent_skill_find(c, in, &found, &row));
    return found ? edge_retire_by_owner(c, row.edge_id) : fail(c, ERR_NOT_FOUND, "the agent does not have this skill");
}
DB_TX_IN(agent_skill_detach, struct agent_skill_put)

err agent_skill_list(struct ctx *c, struct uuid agent_id, struct uuid skill_id, struct list *out)
{
    struct agent agent;
    struct skill skill;

    if (!uuid_is_nil(agent_id))
        TRY(agent_get(c, agent_id, &agent));
    if (!uuid_is_nil(skill_id))
        TRY(skill_get(c, skill_id, &skill));
    return agent_skill_store_list(c, agent_id, skill_id, skill_spaces(c), out);
}
