/* The beginning of a session; see workspace.h. The context is a brief, the texts of skills come from activation: nothing is
 * assembled twice. */
#include "workspace.h"

#include "skill_activate.h"

#define SKILLS_SHARE 0.4 /* of the budget at least, where there is a task */
#define SKILLS_TOP 5

static err workspace_skills(struct ctx *c, const struct workspace_in *in, const char *session, int64_t budget, struct workspace *out,
                            const char **text)
{
    struct skill_activation want = {.task = in->task, .agent_id = in->agent_id, .session_id = session, .mode = SKILL_MODE_AUTO,
                                    .detail = SKILL_FULL, .top_n = SKILLS_TOP, .token_budget = budget};
    const struct skill_activated *v;
    struct workspace_skill *skills;
    struct skill_context got;

    TRY(skill_context(c, &want, &got));
    *text = got.context_block;
    v = got.metadata->skills.v;
    skills = ARENA_ARRAY(c->arena, struct workspace_skill, got.metadata->skills.n + 1);
    for (size_t i = 0; i < got.metadata->skills.n; i++)
        skills[i] = (struct workspace_skill){v[i].skill_id, v[i].usage_id, v[i].name, enumx_name(&skill_detail_enumx, (int)v[i].level),
                                             v[i].tokens};
    out->skills = (struct list){skills, got.metadata->skills.n};
    out->tokens += got.metadata->tokens_used;
    return ERR_OK;
}

/* Whose texts the caller may not read is nobody. */
static err workspace_check(struct ctx *c, const struct brief *b)
{
    const struct brief_error *v = b->errors.v;

    for (size_t i = 0; i < b->errors.n; i++)
        if (str_eq(v[i].section, "archival") && str_eq(v[i].code, err_info(ERR_NOT_FOUND)->slug))
            return fail(c, ERR_NOT_FOUND, "no such subject");
    return ERR_OK;
}

err workspace_start(struct ctx *c, const struct workspace_in *in, struct workspace *out)
{
    int64_t for_skills = in->task ? (int64_t)((double)in->token_budget * SKILLS_SHARE) : 0;
    struct brief *brief = ARENA_NEW(c->arena, struct brief);
    struct brief_in ask = {.query = in->task, .agent_id = in->agent_id, .subject_id = in->subject_id, .min_evidence = BRIEF_EVIDENCE};
    const char *skills = "";

    *out = (struct workspace){.session_id = in->session_id, .token_budget = in->token_budget, .context = brief};
    if (!out->session_id)
        out->session_id = arena_strdup(c->arena, UUID_STR(uuid_new(c->now.us)));
    ask.session_id = out->session_id;
    ask.token_budget = in->token_budget - for_skills;
    if (in->task) {
        struct json *sections = json_obj(c->arena);

        json_set_bool(c->arena, sections, "skills", false);
        ask.sections = sections;
    }
    TRY(brief_build(c, &ask, brief));
    TRY(workspace_check(c, brief));
    out->tokens = brief->tokens;
    for_skills = in->token_budget - out->tokens;
    if (in->task)
        TRY(workspace_skills(c, in, out->session_id, for_skills > SKILL_BUDGET_MAX ? SKILL_BUDGET_MAX : for_skills, out, &skills));
    out->text = arena_printf(c->arena, "%s%s", brief->text, skills);
    return ERR_OK;
}
