/* The core of the tools: few enough for a small model to choose among, cheap to list, and all that an agent needs to work well.
   Adding a tool to the core is a row here. */
#include <string.h>

#include "mcp_impl.h"

/* Arguments end with an empty row; a NULL help says that the name is enough. Templates are read by mcp_brief.c. */
#define ARGS(...) (const struct mcp_core_arg[]){__VA_ARGS__, {0}}

static const struct mcp_core CORE[] = {
    {"recall", "Search your memory: give a question or some words, get the memories that answer it best.",
     ARGS({"query", "a question, or words"}, {"limit", "default 10"}, {"kinds", "only these, such as note or fact"},
          {"as_of", "what was true at this time"}),
     NULL, NULL},
    {"remember", "Keep one fact, event or preference for later.",
     ARGS({"body", "the text, complete in itself"}, {"title", NULL}, {"space_id", "a shared space; default: only yours"},
          {"importance", "0 to 1, default 0.5"}),
     "Remembered as {id}.", NULL},
    {"read_memory", "Read one memory in full.", ARGS({"id", NULL}),
     "[{title}\n]{body}\n({kind}, version {version}, written {created_at}[, valid until {valid_to}])", NULL},
    {"update_memory", "Correct or complete a memory; the old text stays as a version.",
     ARGS({"id", NULL}, {"body", "the whole new text"}, {"title", NULL}, {"importance", NULL}), "Saved {id} as version {version}.", NULL},
    {"forget", "Remove a memory from every recall; restore_memory brings it back.", ARGS({"id", NULL}), "Forgotten.", NULL},
    {"restore_memory", "Bring back a forgotten memory.", ARGS({"id", NULL}), "Restored {id}.", NULL},
    {"list_memories", "List memories, newest first.",
     ARGS({"q", "words of the title"}, {"kind", NULL}, {"space_id", NULL}, {"limit", NULL}, {"cursor", "from the answer before"}),
     NULL, "{id} {kind}: [{title}: ]{excerpt}"},
    {"session_note", "Note a value under a key for some hours; notes that are read often become memories.",
     ARGS({"key", NULL}, {"value", "any JSON"}, {"session_id", NULL}, {"ttl", "seconds, default 3600"}),
     "Noted[ until {expires_at}].", NULL},
    {"session_notes", "List the notes of a session.", ARGS({"session_id", NULL}, {"q", "part of the key"}, {"cursor", NULL}), NULL,
     "{memory_key}: {memory_value}"},
    {"list_pools", "List the pools: key-value state shared with other agents.", ARGS({"cursor", NULL}), NULL,
     "{pool_id}: {name}[, {description}]"},
    {"read_shared_memory", "Read a key of a pool.", ARGS({"pool_id", "such as default"}, {"key", "a.b reads a part"}),
     "{value}\n(version {version})", NULL},
    {"write_shared_memory", "Write a key of a pool, for other agents to read.",
     ARGS({"pool_id", NULL}, {"key", NULL}, {"value", "any JSON"}, {"if_version", "only if it still has this version"}),
     "Written, version {version}[; removed to make room: {evicted}].", NULL},
    {"list_contexts", "List the contexts: named collections of entries.", ARGS({"q", NULL}, {"cursor", NULL}), NULL,
     "{context_id}: {name}[, {description}] ({entry_count} entries)"},
    {"context_add", "Write an entry under a key in a context.",
     ARGS({"id", "of the context"}, {"entry_key", NULL}, {"content", "any JSON"}, {"context_tags", NULL}),
     "Saved {entry_key} as version {version}[; removed to make room: {evicted}].", NULL},
    {"context_get", "Read an entry of a context.", ARGS({"id", "of the context"}, {"eid", "key or id of the entry"}),
     "{content}\n({entry_type}, version {version}, updated {updated_at})", NULL},
};

const struct mcp_core *mcp_core_find(const char *tool)
{
    for (size_t i = 0; i < sizeof CORE / sizeof *CORE; i++)
        if (str_eq(tool, CORE[i].tool))
            return &CORE[i];
    return NULL;
}

int mcp_core_rank(const char *tool)
{
    const struct mcp_core *k = mcp_core_find(tool);

    return k ? (int)(k - CORE) : -1;
}

const struct mcp_core *mcp_core_of(const struct ctx *c, const struct op *op)
{
    return c->who->toolset == TOOLSET_CORE ? mcp_core_find(op->tool) : NULL;
}

/* ---- schemas: no more than a model needs to write the call. The operation checks the rest, and says what is wrong. */

static const char *mcp_toolset_type_of(const struct field *f)
{
    switch (f->type) {
    case FT_INT: return "integer";
    case FT_NUM: return "number";
    case FT_BOOL: return "boolean";
    case FT_OBJECT:
    case FT_OBJ: return "object";
    case FT_STRS:
    case FT_UUIDS:
    case FT_NUMS:
    case FT_LIST: return "array";
    case FT_JSON: return NULL;
    default: return "string";
    }
}

#define ANY "[{\"type\":\"string\"},{\"type\":\"number\"},{\"type\":\"boolean\"},{\"type\":\"object\"},{\"type\":\"array\"}]"

static struct json *arg_schema(struct arena *a, const struct field *f, const char *help)
{
    struct json *s = json_obj(a);
    const char *type = mcp_toolset_type_of(f);

    if (type)
        json_set_str(a, s, "type", type);
    else
        json_set(a, s, "anyOf", json_raw(a, ANY));
    if (f->type == FT_STRS || f->type == FT_UUIDS)
        json_set(a, s, "items", json_raw(a, "{\"type\":\"string\"}"));
    if (f->type == FT_TIME)
        json_set_str(a, s, "format", "date-time");
    if (help)
        json_set_str(a, s, "description", help);
    return s;
}

struct json *mcp_core_input(struct arena *a, const struct mcp_core *k, const struct op *op, bool is_agent)
{
    struct json *s = json_obj(a), *properties, *required;

    json_set_str(a, s, "type", "object");
    properties = json_set(a, s, "properties", json_obj(a));
    required = json_arr(a);
    for (const struct mcp_core_arg *g = k->args; g->name; g++)
        json_set(a, properties, g->name, arg_schema(a, field_find(op->in, g->name), g->help));
    for (const struct field *f = op->in; f && f->type != FT_END; f++) {
        if (!(f->flags & FIELD_REQUIRED) || (is_agent && strcmp(f->name, "agent_id") == 0))
            continue;
        if (!json_get(properties, f->name))
            json_set(a, properties, f->name, arg_schema(a, f, NULL));
        json_push(required, json_str(a, f->name));
    }
    if (required->len)
        json_set(a, s, "required", required);
    json_set_bool(a, s, "additionalProperties", false);
    return s;
}
