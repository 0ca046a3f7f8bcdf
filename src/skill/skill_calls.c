/* Operations on skills and on skills of agents. */
#include "skill_calls.h"
#include "agent_skill.h"
#include "skill.h"

#define TAG .tag = "skills"
#define SKILLS "/api/v1/ai/skills"
#define AGENT_SKILLS_AT "/api/v1/ai/agents/:aid/skills"

/* ---- reading */

static const struct field SKILL_FILTER[] = {
    F_STR(struct skill_filter, category, FIELD_NULLABLE, 1, LIMIT_SLUG, "only skills of this category"),
    F_ENUM(struct skill_filter, status, FIELD_NULLABLE, skill_status, -1, "only skills with this status; default: any"),
    F_INT(struct skill_filter, enabled, 0, -1, 1, -1, "1: only enabled ones, 0: only disabled ones, -1: both"),
    F_STR(struct skill_filter, search, FIELD_NULLABLE, 1, 200, "only skills whose name or description contains this"),
    F_STR(struct skill_filter, tag, FIELD_NULLABLE, 1, 64, "only skills with this tag"),
    F_UUID(struct skill_filter, agent_id, FIELD_NULLABLE, "only skills of this agent"),
    F_ENUM(struct skill_filter, sort, 0, skill_sort, SKILL_BY_NEWEST, "newest has pages; the other orders show the first page only"),
    F_PAGE(struct skill_filter),
    F_END
};

OP_CALL(SKILL_LIST, struct skill_filter, struct page, skill_list(c, in, out),
        .name = "skill.list", .method = "GET", .path = SKILLS, .tool = "list_skills", TAG,
        .summary = "Lists the skills that you can read, without their texts.",
        .help = "To find skills for a task, use discover_skills; get_skill has the text.", .perm = PERM_SKILLS_READ,
        .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST, OP_IN(SKILL_FILTER, struct skill_filter), OP_GIVE(SKILL, struct skill));

struct skill_ref {
    const char *id;
};
static const struct field SKILL_REF[] = {
    F_STR(struct skill_ref, id, FIELD_REQUIRED, 1, LIMIT_SLUG, "id or slug"),
    F_END
};

OP_CALL(SKILL_GET, struct skill_ref, struct skill, skill_get_whole(c, in->id, out),
        .name = "skill.get", .method = "GET", .path = SKILLS "/:id", .tool = "get_skill", TAG,
        .summary = "Returns one skill with the text of its active version.", .perm = PERM_SKILLS_READ,
        .flags = OP_READONLY | OP_IDEMPOTENT | OP_ETAG, OP_IN(SKILL_REF, struct skill_ref), OP_GIVE(SKILL, struct skill));

static const struct field CATEGORY_OUT[] = {
    F_STR(struct skill_category_row, name, 0, 0, 0, "name"),
    F_INT(struct skill_category_row, skills, 0, 0, 0, 0, "active skills in it that you can read"),
    F_BOOL(struct skill_category_row, built_in, 0, true, "false: one of the account's own"),
    F_END
};
struct category_list {
    struct list categories;
};
static const struct field CATEGORIES_OUT[] = {
    F_LIST(struct category_list, categories, 0, 1000, CATEGORY_OUT, struct skill_category_row, "all categories", .schema = "SkillCategory"),
    F_END
};

OP_CALL(SKILL_CATEGORIES, struct thing_page, struct category_list, skill_categories(c, &out->categories),
        .name = "skill.categories", .method = "GET", .path = SKILLS "/categories", TAG, .summary = "Lists the categories of skills.",
        .perm = PERM_SKILLS_READ, .flags = OP_READONLY | OP_IDEMPOTENT, OP_OUT(CATEGORIES_OUT, struct category_list));

static const struct field CATEGORY_NEW_IN[] = {
    F_STR(struct skill_category_new, name, FIELD_REQUIRED | FIELD_SLUG, 1, 64, "name, in lower case"),
    F_END
};

OP_CALL(SKILL_CATEGORY_CREATE, struct skill_category_new, struct skill_category_row, skill_category_create(c, in, out),
        .name = "skill.create_category", .method = "POST", .path = SKILLS "/categories", TAG,
        .summary = "Adds a category of the account's own.", .perm = PERM_SKILLS_WRITE,
        OP_IN(CATEGORY_NEW_IN, struct skill_category_new), OP_OUT(CATEGORY_OUT, struct skill_category_row));

/* ---- making and changing */

OP_CALL(SKILL_CREATE, struct skill, struct skill, skill_create(c, in, out),
        .name = "skill.create", .method = "POST", .path = SKILLS, .tool = "create_skill", TAG,
        .summary = "Creates a skill; returns it with version 1.0.0.",
        .help = "body is the text to follow, Markdown; system_prompt is another name for it. An unknown category is refused with the list "
                "of categories. A text that talks to its reader like an attack, or holds a key, becomes a draft with flags.",
        .perm = PERM_SKILLS_WRITE, .flags = OP_CREATES | OP_ETAG, OP_MAKE(SKILL, struct skill), OP_GIVE(SKILL, struct skill));

OP_CALL(SKILL_UPDATE, struct skill_change, struct skill, skill_update(c, in, out),
        .name = "skill.update", .method = "PATCH", .path = SKILLS "/:id", .tool = "update_skill", TAG,
        .summary = "Changes a skill; a changed body becomes a new version, which is served at once unless activate is false.",
        .help = "change_type says how the version number grows; an experimental version is never served by itself.",
        .perm = PERM_SKILLS_WRITE, .flags = OP_ETAG | OP_MATCH | OP_IF_VERSION, OP_CHANGE(SKILL, struct skill_change), OP_GIVE(SKILL,
            struct skill));

OP_CALL(SKILL_DELETE, struct thing_key, void,
        skill_move(c, &(struct skill_move){.id = in->id, .if_version = in->if_version, .to = SKILL_ARCHIVED}, &(struct skill){0}),
        .name = "skill.delete", .method = "DELETE", .path = SKILLS "/:id", .tool = "delete_skill", TAG,
        .summary = "Archives a skill: it is no longer found or served.", .help = "Restoring it brings it back as deprecated.",
        .perm = PERM_SKILLS_MANAGE, .flags = OP_DESTRUCTIVE | OP_MATCH | OP_NO_BODY, OP_KEY(SKILL));

struct toggle_in {
    struct uuid id;
    bool enabled;
};
static const struct field TOGGLE_IN[] = {
    F_UUID(struct toggle_in, id, FIELD_REQUIRED, "id of the skill"),
    F_BOOL(struct toggle_in, enabled, FIELD_REQUIRED, true, "whether it is served"),
    F_END
};

OP_CALL(SKILL_TOGGLE, struct toggle_in, struct skill, skill_toggle(c, &(struct thing_key){.id = in->id}, in->enabled, out),
        .name = "skill.toggle", .method = "POST", .path = SKILLS "/:id/toggle", .tool = "toggle_skill", TAG,
        .summary = "Switches a skill on or off without a change of its status.", .perm = PERM_SKILLS_WRITE,
        .flags = OP_IDEMPOTENT | OP_ETAG, OP_IN(TOGGLE_IN, struct toggle_in), OP_GIVE(SKILL, struct skill));

#define SKILL_MOVE_OP(NAME, verb, to_, summary_, flags_) \
    OP_CALL(NAME, struct thing_key, struct skill, \
            skill_move(c, &(struct skill_move){.id = in->id, .if_version = in->if_version, .to = to_}, out), \
            .name = "skill." verb, .method = "POST", .path = SKILLS "/:id/" verb, TAG, .summary = summary_, .perm = PERM_SKILLS_WRITE, \
            .flags = OP_ETAG | OP_MATCH | OP_IF_VERSION | (flags_), OP_KEY(SKILL), OP_GIVE(SKILL, struct skill))

SKILL_MOVE_OP(SKILL_ACTIVATE, "activate", SKILL_ACTIVE, "Activates a draft or deprecated skill: it is found and served.", 0);
SKILL_MOVE_OP(SKILL_ARCHIVE, "archive", SKILL_ARCHIVED, "Archives a skill.", OP_DESTRUCTIVE);
SKILL_MOVE_OP(SKILL_RESTORE, "restore", SKILL_DEPRECATED, "Brings an archived skill back, as deprecated.", 0);

static const struct field DEPRECATE_IN[] = {
    F_UUID(struct skill_move, id, FIELD_REQUIRED, "id of the skill"),
    F_UUID(struct skill_move, replaced_by, FIELD_NULLABLE, "skill that discovery offers instead"),
    F_INT(struct skill_move, if_version, FIELD_NULLABLE, 0, 9e15, 0, "only if it still has this version"),
    F_END
};

OP_CALL(SKILL_DEPRECATE, struct skill_move, struct skill,
        skill_move(c, &(struct skill_move){in->id, in->if_version, SKILL_DEPRECATED, in->replaced_by, NULL}, out),
        .name = "skill.deprecate", .method = "POST", .path = SKILLS "/:id/deprecate", TAG,
        .summary = "Deprecates a skill: it is no longer served; what replaces it is found instead.", .perm = PERM_SKILLS_WRITE,
        .flags = OP_ETAG | OP_MATCH, OP_IN(DEPRECATE_IN, struct skill_move), OP_GIVE(SKILL, struct skill));

static const struct field CLONE_IN[] = {
    F_UUID(struct skill_clone, id, FIELD_REQUIRED, "id of the skill"),
    F_STR(struct skill_clone, name, FIELD_NULLABLE, 1, 128, "name of the copy"),
    F_UUID(struct skill_clone, space_id, FIELD_NULLABLE, "space of the copy; default: the same"),
    F_END
};

OP_CALL(SKILL_CLONE, struct skill_clone, struct skill, skill_clone(c, in, out),
        .name = "skill.clone", .method = "POST", .path = SKILLS "/:id/clone", .made_at = SKILLS, .tool = "clone_skill", TAG,
        .summary = "Copies a skill into a new draft.", .perm = PERM_SKILLS_WRITE, .flags = OP_CREATES | OP_ETAG,
        OP_IN(CLONE_IN, struct skill_clone), OP_GIVE(SKILL, struct skill));

static const struct field COMPOSE_IN[] = {
    F_STR(struct skill_composition, name, FIELD_REQUIRED, 1, 128, "name of the new skill"),
    F_STR(struct skill_composition, description, FIELD_NULLABLE, 1, SKILL_DESCRIPTION, "what it does; default: its name"),
    F_UUIDS(struct skill_composition, component_skill_ids, FIELD_REQUIRED, 20, "2 to 20 skills, in order"),
    F_ENUM(struct skill_composition, strategy, 0, skill_strategy, SKILL_SEQUENTIAL, "how they are followed"),
    F_END
};

static err skill_compose_checked(struct ctx *c, const struct skill_composition *in, struct skill *out)
{
    return in->component_skill_ids.n < 2 ? fail_field(c, "/component_skill_ids", "name at least two skills") : skill_compose(c, in, out);
}

OP_CALL(SKILL_COMPOSE, struct skill_composition, struct skill, skill_compose_checked(c, in, out),
        .name = "skill.compose", .method = "POST", .path = SKILLS "/compose", .made_at = SKILLS, .tool = "compose_skills", TAG,
        .summary = "Makes one skill of several: a draft with an edge to each of them.", .perm = PERM_SKILLS_WRITE,
        .flags = OP_CREATES | OP_ETAG, OP_IN(COMPOSE_IN, struct skill_composition), OP_GIVE(SKILL, struct skill));

/* ---- skills of agents */

static const struct field AGENT_SKILL_OUT[] = {
    F_UUID(struct agent_skill, agent_id, 0, "the agent"),
    F_STR(struct agent_skill, agent_name, 0, 0, 0, "its name"),
    F_UUID(struct agent_skill, skill_id, 0, "the skill"),
    F_STR(struct agent_skill, skill_name, 0, 0, 0, "its name"),
    F_STR(struct agent_skill, skill_slug, 0, 0, 0, "its slug"),
    F_STR(struct agent_skill, category, 0, 0, 0, "its category"),
    F_ENUM(struct agent_skill, status, 0, skill_status, 0, "status of the skill"),
    F_INT(struct agent_skill, priority, 0, 0, 0, 0, "higher ones come first"),
    F_BOOL(struct agent_skill, is_active, 0, true, "false: kept, but not preferred for this agent"),
    F_STR(struct agent_skill, version_req, FIELD_NULLABLE, 0, 0, "version that the agent needs"),
    F_TIME(struct agent_skill, attached_at, 0, "since when"),
    F_END
};
struct agent_skill_list {
    struct list skills;
};
static const struct field AGENT_SKILLS_OUT[] = {
    F_LIST(struct agent_skill_list, skills, 0, AGENT_SKILLS, AGENT_SKILL_OUT, struct agent_skill, "highest priority first",
           .schema = "AgentSkill"),
    F_END
};

static const struct field ATTACH_IN[] = {
    F_UUID_AS("aid", struct agent_skill_put, aid, FIELD_REQUIRED | FIELD_AGENT, "the agent: id, slug or me"),
    F_UUID(struct agent_skill_put, sid, FIELD_REQUIRED, "id of the skill"),
    F_INT(struct agent_skill_put, priority, 0, -100, 100, 0, "higher ones come first"),
    F_BOOL(struct agent_skill_put, is_active, 0, true, "false: keep it, but do not prefer it"),
    F_STR(struct agent_skill_put, version_req, FIELD_NULLABLE, 5, 40, "1.2.0, >=1.2.0 or ^1.2.0"),
    F_END
};

OP_CALL(AGENT_SKILL_ATTACH, struct agent_skill_put, struct agent_skill, agent_skill_attach(c, in, out),
        .name = "agent_skill.attach", .method = "PUT", .path = AGENT_SKILLS_AT "/:sid", .tool = "attach_skill_to_agent", TAG,
        .summary = "Gives an agent a skill: activation prefers it for that agent.", .perm = PERM_SKILLS_WRITE, .flags = OP_IDEMPOTENT,
        OP_IN(ATTACH_IN, struct agent_skill_put), OP_OUT(AGENT_SKILL_OUT, struct agent_skill));

static const struct field DETACH_IN[] = {
    F_UUID_AS("aid", struct agent_skill_put, aid, FIELD_REQUIRED | FIELD_AGENT, "the agent: id, slug or me"),
    F_UUID(struct agent_skill_put, sid, FIELD_REQUIRED, "id of the skill"),
    F_END
};

OP_CALL(AGENT_SKILL_DETACH, struct agent_skill_put, void, agent_skill_detach(c, in),
        .name = "agent_skill.detach", .method = "DELETE", .path = AGENT_SKILLS_AT "/:sid", .tool = "detach_skill_from_agent", TAG,
        .summary = "Takes a skill from an agent.", .perm = PERM_SKILLS_WRITE, .flags = OP_DESTRUCTIVE | OP_NO_BODY,
        OP_IN(DETACH_IN, struct agent_skill_put));

static const struct field OF_AGENT_IN[] = {
    F_UUID_AS("aid", struct agent_skill_put, aid, FIELD_REQUIRED | FIELD_AGENT, "the agent: id, slug or me"),
    F_END
};

OP_CALL(AGENT_SKILL_OF_AGENT, struct agent_skill_put, struct agent_skill_list,
        agent_skill_list(c, in->aid, (struct uuid){{0}}, &out->skills),
        .name = "agent_skill.list", .method = "GET", .path = AGENT_SKILLS_AT, TAG, .summary = "Lists the skills of an agent.",
        .perm = PERM_SKILLS_READ, .flags = OP_READONLY | OP_IDEMPOTENT, OP_IN(OF_AGENT_IN, struct agent_skill_put),
        OP_OUT(AGENT_SKILLS_OUT, struct agent_skill_list));

OP_CALL(AGENT_SKILL_OF_SKILL, struct thing_key, struct agent_skill_list,
        agent_skill_list(c, (struct uuid){{0}}, in->id, &out->skills),
        .name = "skill.agents", .method = "GET", .path = SKILLS "/:id/agents", TAG, .summary = "Lists the agents that have a skill.",
        .perm = PERM_SKILLS_READ, .flags = OP_READONLY | OP_IDEMPOTENT, OP_KEY(SKILL), OP_OUT(AGENT_SKILLS_OUT, struct agent_skill_list));

const struct op *const skill_calls_table[] = {
    &SKILL_LIST, &SKILL_GET, &SKILL_CATEGORIES, &SKILL_CATEGORY_CREATE,
    &SKILL_CREATE, &SKILL_UPDATE, &SKILL_DELETE, &SKILL_TOGGLE, &SKILL_ACTIVATE,
    &SKILL_DEPRECATE, &SKILL_ARCHIVE, &SKILL_RESTORE, &SKILL_CLONE, &SKILL_COMPOSE, &AGENT_SKILL_ATTACH, &AGENT_SKILL_DETACH,
    &AGENT_SKILL_OF_AGENT, &AGENT_SKILL_OF_SKILL, NULL};
