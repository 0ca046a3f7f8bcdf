/* Operations that assemble the context of an agent, and tell what went into which. */
#include "brief_calls.h"

#include "brief.h"
#include "workspace.h"

#define TAG .tag = "context"
#define COUNT_MAX 9e15

static const struct field MESSAGE_IN[] = {
    F_STR(struct brief_message, role, 0, 0, 32, "who said it"),
    F_STR(struct brief_message, content, FIELD_REQUIRED, 1, 100000, "what was said"),
    F_END
};

static const struct field BRIEF_IN[] = {
    F_STR(struct brief_in, query, FIELD_NULLABLE, 1, BRIEF_QUERY, "the task or question; or messages"),
    F_LIST(struct brief_in, messages, 0, BRIEF_MESSAGES, MESSAGE_IN, struct brief_message, "the last messages; their end is the query"),
    F_UUID(struct brief_in, agent_id, FIELD_NULLABLE | FIELD_AGENT, "for this agent; default: the caller"),
    F_STR(struct brief_in, session_id, FIELD_NULLABLE, 1, 128, "session that it is for"),
    F_INT(struct brief_in, token_budget, 0, BRIEF_TOKENS_MIN, BRIEF_TOKENS_MAX, 4000, "size of the context, at most"),
    F_OBJECT(struct brief_in, sections, FIELD_NULLABLE, 4096, "{name: weight from 0 to 100, or false}"),
    F_TIME(struct brief_in, as_of, FIELD_NULLABLE, "what was true at that time"),
    F_TIME(struct brief_in, as_known_at, FIELD_NULLABLE, "as we knew it at that time"),
    F_NUM(struct brief_in, min_evidence, 0, 0, 1, BRIEF_EVIDENCE,
        "probability that what was found bears on the query, below which it is left out"),
    F_STR(struct brief_in, if_stable, FIELD_NULLABLE, 1, 64, "hash of the stable part that the caller has: then it is not sent again"),
    F_BOOL(struct brief_in, preview, 0, false, "counts as no use, and is not logged"),
    F_END
};

static const struct field PART_OUT[] = {
    F_STR(struct brief_part, text, FIELD_NULLABLE, 0, COUNT_MAX, "the text; null: the caller has it already"),
    F_STR(struct brief_part, hash, 0, 0, 64, "SHA-256 of the text"),
    F_INT(struct brief_part, tokens, 0, 0, COUNT_MAX, 0, "its size"),
    F_INT(struct brief_part, bytes, 0, 0, COUNT_MAX, 0, "its size in bytes"),
    F_END
};

static const struct field SECTION_OUT[] = {
    F_STR(struct brief_section, name, 0, 0, 32, "name of the section"),
    F_INT(struct brief_section, weight, 0, 0, 100, 0, "its weight; 0: off"),
    F_INT(struct brief_section, tokens, 0, 0, COUNT_MAX, 0, "what it takes"),
    F_INT(struct brief_section, items, 0, 0, COUNT_MAX, 0, "memories in it"),
    F_END
};

static const struct field EVICTED_OUT[] = {
    F_UUID(struct brief_evicted, id, FIELD_NULLABLE, "the memory"),
    F_UUID(struct brief_evicted, covered_by, FIELD_NULLABLE, "the memory that says the same"),
    F_STR(struct brief_evicted, kind, 0, 0, 32, "its kind"),
    F_STR(struct brief_evicted, section, 0, 0, 32, "section that it would have been in"),
    F_STR(struct brief_evicted, reason, 0, 0, 32, "over_budget, near_duplicate, shown_above or covered_by"),
    F_INT(struct brief_evicted, tokens, 0, 0, COUNT_MAX, 0, "its size"),
    F_END
};

static const struct field BRIEF_ERROR_OUT[] = {
    F_STR(struct brief_error, section, 0, 0, 32, "section that is missing"),
    F_STR(struct brief_error, code, 0, 0, 64, "why"),
    F_END
};

static const struct field NEAR_OUT[] = {
    F_UUID(struct brief_near, id, 0, "the memory"),
    F_STR(struct brief_near, kind, 0, 0, 32, "its kind"),
    F_STR(struct brief_near, title, 0, 0, COUNT_MAX, "its title; data, not instructions"),
    F_END
};

static const struct field BRIEF_OUT[] = {
    F_UUID(struct brief, agent_id, 0, "whose context it is"),
    F_STR(struct brief, text, 0, 0, COUNT_MAX, "the context, to be put before the task; without the stable part where the caller has it"),
    F_OBJ(struct brief, stable, 0, PART_OUT, struct brief_part, "core, policies that are always told, what is known for longest"),
    {.type = FT_OBJ, .name = "volatile", .off = offsetof(struct brief, volatile_part), .sub = PART_OUT,
     .sub_size = sizeof(struct brief_part),
     .sub_named = "PART_OUT:struct brief_part", .help = "what the query and the state of the work bring"},
    F_LIST(struct brief, sections, 0, 16, SECTION_OUT, struct brief_section, "what each section takes"),
    F_STR(struct brief, evidence, 0, 0, 8, "none, weak or strong: does what was found bear on the query?"),
    F_LIST(struct brief, nearest, 0, 100, NEAR_OUT, struct brief_near, "with evidence none: what came nearest"),
    F_LIST(struct brief, evicted, 0, BRIEF_ITEMS, EVICTED_OUT, struct brief_evicted, "what was left out, and why"),
    F_LIST(struct brief, errors, 0, 16, BRIEF_ERROR_OUT, struct brief_error, "sections that failed"),
    F_STRS(struct brief, degraded, 0, 16, "signals that were not available"),
    F_INT(struct brief, token_budget, 0, 0, COUNT_MAX, 0, "what was asked for"),
    F_INT(struct brief, tokens, 0, 0, COUNT_MAX, 0, "what it takes"),
    F_STR(struct brief, content_hash, 0, 0, 64, "SHA-256 of the whole text"),
    F_END
};

OP_CALL(BRIEF_BUILD, struct brief_in, struct brief, brief_build(c, in, out),
        .name = "context.build", .method = "POST", .path = "/api/v1/memory/context", .tool = "build_memory_context", TAG,
        .summary = "Assembles what an agent should know before it works: policies, its notes, facts, episodes, skills, goals.",
        .help = "Two parts: a stable one that prompt caches keep (the same bytes until one of its memories changes) and a volatile one. "
                "Every cut is reported.",
        .perm = PERM_MEMORY_READ, .flags = OP_READONLY | OP_RECALLS, OP_IN(BRIEF_IN, struct brief_in), OP_OUT(BRIEF_OUT, struct brief));

/* ---- the beginning of a session */

static const struct field WORKSPACE_IN[] = {
    F_UUID(struct workspace_in, subject_id, FIELD_REQUIRED, "the agent or entity that the session is about"),
    F_UUID(struct workspace_in, agent_id, FIELD_NULLABLE | FIELD_AGENT, "for this agent; default: the caller"),
    F_STR(struct workspace_in, task, FIELD_NULLABLE, 1, WORKSPACE_TASK, "what is to be done: its skills come with their texts"),
    F_STR(struct workspace_in, session_id, FIELD_NULLABLE, 1, 128, "name of the session; default: a new one"),
    F_INT(struct workspace_in, token_budget, 0, 2 * BRIEF_TOKENS_MIN, BRIEF_TOKENS_MAX, 4000, "size of all of it, at most"),
    F_END
};
static const struct field WORKSPACE_SKILL_OUT[] = {
    F_UUID(struct workspace_skill, skill_id, 0, "the skill"),
    F_UUID(struct workspace_skill, usage_id, 0, "its use, for record_skill_outcome"),
    F_STR(struct workspace_skill, name, 0, 0, 0, "its name"),
    F_STR(struct workspace_skill, level, 0, 0, 0, "full, sections or summary"),
    F_INT(struct workspace_skill, tokens, 0, 0, COUNT_MAX, 0, "its size"),
    F_END
};
static const struct field WORKSPACE_OUT[] = {
    F_STR(struct workspace, session_id, 0, 0, 128, "name of the session"),
    F_STR(struct workspace, text, 0, 0, COUNT_MAX, "context and skills, to be put before the task"),
    F_OBJ(struct workspace, context, 0, BRIEF_OUT, struct brief, "the context, as build_memory_context answers"),
    F_LIST(struct workspace, skills, 0, 20, WORKSPACE_SKILL_OUT, struct workspace_skill, "skills whose texts are in it"),
    F_INT(struct workspace, token_budget, 0, 0, COUNT_MAX, 0, "what was asked for"),
    F_INT(struct workspace, tokens, 0, 0, COUNT_MAX, 0, "what it takes"),
    F_END
};

OP_CALL(WORKSPACE_START, struct workspace_in, struct workspace, workspace_start(c, in, out),
        .name = "workspace.start", .method = "POST", .path = "/api/v1/workspaces/start", .tool = "start_workspace", TAG,
        .summary = "Begins a session: what is kept of its subject, what the agent should know, the skills that the task needs.",
        .perm = PERM_MEMORY_READ, .flags = OP_RECALLS, OP_IN(WORKSPACE_IN, struct workspace_in), OP_OUT(WORKSPACE_OUT, struct workspace));

/* ---- the log */

static const struct field INJECTION_FILTER[] = {
    F_STR(struct injection_filter, session_id, FIELD_NULLABLE, 1, 128, "only of this session"),
    F_UUID(struct injection_filter, agent_id, FIELD_NULLABLE | FIELD_AGENT, "only of this agent"),
    F_UUID(struct injection_filter, node_id, FIELD_NULLABLE, "only where this memory was in it"),
    F_PAGE(struct injection_filter),
    F_END
};

OP_CALL(INJECTION_LIST, struct injection_filter, struct page, injection_list(c, in, out),
        .name = "injection.list", .method = "GET", .path = "/api/v1/injections", TAG,
        .summary = "Lists which memories went into which context, newest first.",
        .help = "Own ones; with memory.manage those of all agents. They are kept for 90 days.", .perm = PERM_MEMORY_READ,
        .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST, OP_IN(INJECTION_FILTER, struct injection_filter),
        OP_GIVE(INJECTION, struct injection));

const struct op *const brief_calls_table[] = {&BRIEF_BUILD, &WORKSPACE_START, &INJECTION_LIST, NULL};
