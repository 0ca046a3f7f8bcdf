/* What the files of the MCP transport share; nobody else includes this. */
#ifndef LOCI_MCP_IMPL_H
#define LOCI_MCP_IMPL_H

#include <stdbool.h>

#include "access.h"
#include "app.h"
#include "call.h"
#include "ctx.h"
#include "json.h"
#include "op.h"

#define MCP_META "io.modelcontextprotocol/"
#define MCP_TASKS MCP_META "tasks"
#define MCP_SKILLS MCP_META "skills"
#define MCP_MODERN "2026-07-28"
#define MCP_LIST_MAX 100 /* rows of one page of a list */
#define MCP_TTL_MS 60000 /* how long a client may keep a list that depends on its token */
#define MCP_NAME_MAX 64  /* of a tool */

/* JSON-RPC codes that no err has. */
#define MCP_PARSE (-32700)
#define MCP_SHAPE (-32600)
#define MCP_NO_METHOD (-32601)
#define MCP_PARAMS (-32602)
#define MCP_NO_RESOURCE (-32002) /* the older revisions' word for it */
#define MCP_HEADER (-32020)      /* a header and the body differ */
#define MCP_NO_CAPABILITY (-32021)
#define MCP_VERSION (-32022)

/* What ends a message instead of a result. */
struct mcp_fault {
    int code; /* 0: what the err says */
    int http;
    const char *message;
    const struct json *data;
    const char *scope; /* permission that the token lacks */
};

struct mcp;

/* Where messages go that are not the answer; a NULL function: nowhere. */
struct mcp_peer {
    void (*notify)(struct ctx *c, struct mcp *m, const char *method, struct json *params);
    /* A request to the client and what it answers; ERR_DEADLINE when it does not. */
    err (*ask)(struct ctx *c, struct mcp *m, const char *method, struct json *params, const struct json **result);
    bool (*is_there)(struct ctx *c, struct mcp *m); /* false: the client has given up, and waits no longer */
    void *carrier;
    bool began; /* something was sent already */
};

/* One message. */
struct mcp {
    const struct json *id; /* NULL: a notification, or none that may be repeated */
    const char *method;
    const struct json *params, *meta; /* never NULL once read; objects */
    bool is_answer;                   /* no method: an answer to a request of ours */
    bool is_modern;                   /* revision 2026-07-28: everything it needs is in the message */
    const struct json *caps;          /* what the client can: of the message, or of a session that was begun (stdio); may be NULL */
    const char *log_level;            /* messages it wants from that level on; NULL: none */
    const struct json *progress;      /* its progress token; NULL: it does not ask */
    struct mcp_peer *peer;
    struct mcp_fault fault;
};

/* ---- mcp_rpc.c: shape, eras, dispatch */

/* Reads bytes as one message; else the fault is set. */
err mcp_read(struct ctx *c, struct bytes body, struct mcp *m);
/* With the fault kept in m; never ERR_OK. */
err mcp_refuse(struct ctx *c, struct mcp *m, int code, int http, const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* What a modern message must say of itself; the version of the headers is compared by the HTTP transport before. */
err mcp_check_modern(struct ctx *c, struct mcp *m);
/* Does it say itself that it is one? header_version: of MCP-Protocol-Version, or NULL. */
bool mcp_is_modern(const struct mcp *m, const char *header_version);
bool mcp_version_known(const char *version);
/* Does the request: the result as a JSON-RPC message, or the fault. */
struct json *mcp_answer(struct ctx *c, struct mcp *m);
/* The fault of m as a JSON-RPC message; e: what was returned. Fills m->fault where only e says what was wrong. */
struct json *mcp_fault_json(struct ctx *c, struct mcp *m, err e);
struct json *mcp_notification(struct arena *a, const char *method, struct json *params);
const struct json *mcp_param(const struct mcp *m, const char *name);
const char *mcp_param_str(const struct mcp *m, const char *name);
bool mcp_client_can(const struct mcp *m, const char *capability);

/* ---- the methods: a result object, or an error with or without a fault */

typedef err (*mcp_method)(struct ctx *c, struct mcp *m, struct json **result);
err mcp_tools_list(struct ctx *c, struct mcp *m, struct json **result);
err mcp_tools_call(struct ctx *c, struct mcp *m, struct json **result);
err mcp_resources_list(struct ctx *c, struct mcp *m, struct json **result);
err mcp_resources_templates(struct ctx *c, struct mcp *m, struct json **result);
err mcp_resources_read(struct ctx *c, struct mcp *m, struct json **result);
err mcp_prompts_list(struct ctx *c, struct mcp *m, struct json **result);
err mcp_prompts_get(struct ctx *c, struct mcp *m, struct json **result);
err mcp_complete(struct ctx *c, struct mcp *m, struct json **result);
err mcp_skills_list(struct ctx *c, struct mcp *m, struct json **result);
err mcp_skills_get(struct ctx *c, struct mcp *m, struct json **result);
err mcp_directory_read(struct ctx *c, struct mcp *m, struct json **result);
err mcp_tasks_get(struct ctx *c, struct mcp *m, struct json **result);
err mcp_tasks_cancel(struct ctx *c, struct mcp *m, struct json **result);
err mcp_tasks_update(struct ctx *c, struct mcp *m, struct json **result);

/* ---- mcp_skills.c */

/* SKILL.md of the newest skills, for resources/list. */
void mcp_skills_resources(struct ctx *c, struct mcp *m, struct json *list);
/* A file of a skill, unfenced; ERR_NOT_FOUND. */
err mcp_skills_read(struct ctx *c, const char *uri, struct json **contents);

/* ---- mcp_tools.c */

/* The row of that tool name, "platform." in front of it or not; NULL: none. */
const struct op *mcp_tool_find(const struct app *app, const char *name);
/* May the caller call it? */
bool mcp_may(const struct ctx *c, const struct op *op);
/* The schema of a tool's input, as this caller sees it. */
struct json *mcp_input_schema(const struct ctx *c, const struct op *op);

/* ---- mcp_schema.c */

/* Rewrites a schema so that nothing in it names more than one type. */
void mcp_portable(struct arena *a, struct json *schema);

/* ---- mcp_toolset.c */

/* Its place in the core, or -1. */
int mcp_core_rank(const char *tool);
struct mcp_core_arg {
    const char *name, *help;
};

struct mcp_core {
    const char *tool, *sentence;     /* what it is for, to a model that sees nothing else */
    const struct mcp_core_arg *args; /* shown; the operation takes all others, too */
    const char *answer;              /* template of the answer in words; NULL: of a list, or the operation writes text itself */
    const char *row;                 /* of a list: template of a row */
};

/* NULL: the tool is not of the core. */
const struct mcp_core *mcp_core_find(const char *tool);
/* The same for a caller who is shown the core only; else NULL. */
const struct mcp_core *mcp_core_of(const struct ctx *c, const struct op *op);
/* The input as the core shows it. */
struct json *mcp_core_input(struct arena *a, const struct mcp_core *k, const struct op *op, bool is_agent);

/* ---- mcp_brief.c */

/* The answer of a tool of the core in words; stored text is fenced. */
const char *mcp_brief(struct ctx *c, const struct mcp_core *k, const struct op *op, const struct json *structured);
struct json *mcp_brief_data(struct arena *a, const struct json *structured);

/* ---- mcp_text.c: what a model reads */

/* Is there text in the table's rows that others may have written? */
bool mcp_is_stored(const struct field *table);
/* Puts "untrusted": true beside stored text, in an answer or its schema. */
void mcp_mark(struct arena *a, const struct field *table, struct json *answer);
void mcp_mark_schema(struct arena *a, const struct field *table, struct json *schema);
/* JSON between the fences, nothing in which can close them. */
const char *mcp_fenced(struct arena *a, const struct json *j);
/* The failure kept in ctx as a sentence or more that says what to do. */
const char *mcp_advice(struct ctx *c, err e);
/* {"type": "text", "text": text} */
struct json *mcp_text_block(struct arena *a, const char *text);

/* ---- mcp_call.c */

/* Runs an operation by its name, for resources, prompts and completion. args may be NULL. */
err mcp_run(struct ctx *c, const char *op, struct json *args, struct call_result *r);
/* The answer of an operation as structuredContent has it. */
struct json *mcp_structured(struct ctx *c, const struct op *op, const struct call_result *r);
/* A result of content blocks. */
struct json *mcp_tool_result(struct ctx *c, const char *text, struct json *structured, bool is_error);

/* ---- mcp_confirm.c: what cannot be undone */

/* The member of the arguments that names what is lost; NULL: the operation is not of that sort. */
const char *mcp_confirm_field(const struct op *op);
/* Asks, or looks at `confirm` in args and takes it out. *ask: the result that asks the client instead of doing it, or NULL. */
err mcp_confirm(struct ctx *c, struct mcp *m, const struct op *op, struct json *args, struct json **ask);

/* What a question leaves with the client until it is answered: sealed, for this token only. */
const char *mcp_state_seal(struct ctx *c, const struct json *what);
/* NULL: not ours, changed, another token's, or old. */
const struct json *mcp_state_open(struct ctx *c, const char *text);
/* {"method": "elicitation/create", …} with one yes-or-no or text field. */
struct json *mcp_elicitation(struct arena *a, const char *message, const char *field, const char *type);
/* A result that asks the client: requests is an object of questions by name. */
struct json *mcp_input_required(struct arena *a, struct json *requests, const char *state);

/* ---- mcp_task.c: job runs as tasks */

bool mcp_takes_tasks(const struct mcp *m);
/* The row whose answer a tool gives: of an accepted operation the one that reads its run. */
const struct op *mcp_answer_op(const struct app *app, const struct op *op);
/* The task that an accepted operation has begun, as a result. */
err mcp_task_begun(struct ctx *c, struct uuid run_id, struct json **result);
/* The run as it is now; with a progress token when it has ended, or the request's time is nearly over, telling meanwhile. */
err mcp_task_wait(struct ctx *c, struct mcp *m, struct uuid run_id, struct call_result *r);

/* ---- mcp_notify.c */

void mcp_say(struct ctx *c, struct mcp *m, const char *level, struct json *data);
void mcp_progress(struct ctx *c, struct mcp *m, double done, double total);

/* ---- mcp_fixtures.c, mcp_fixture_ask.c: what the conformance suite calls; only with mcp.conformance_fixtures */

struct mcp_fixture {
    const char *name, *help, *schema; /* schema: JSON of its input */
    unsigned eras;                    /* MCP_OLD, MCP_NEW */
    err (*run)(struct ctx *c, struct mcp *m, const struct json *args, struct json **result);
};
#define MCP_OLD 1u
#define MCP_NEW 2u
const struct mcp_fixture *mcp_fixtures(const struct ctx *c); /* ended by an empty row; an empty list when they are off */
const struct mcp_fixture *mcp_fixture_find(const struct ctx *c, const char *name);
err mcp_fixture_resource(struct ctx *c, struct mcp *m, const char *uri, struct json **contents);
void mcp_fixture_resources(struct ctx *c, struct json *list);
void mcp_fixture_templates(struct ctx *c, struct json *list);
void mcp_fixture_prompts(struct ctx *c, struct json *list);
err mcp_fixture_prompt(struct ctx *c, struct mcp *m, const char *name, struct json **result);
err mcp_fixture_complete(struct ctx *c, struct mcp *m, struct json *values);

#endif
