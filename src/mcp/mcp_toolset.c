/* The core of the tools: few enough for a small model to choose among, and all that an agent needs to work well. */
#include <string.h>

#include "mcp_impl.h"

static const struct core {
    const char *tool;
    const char *sentence;            /* what it is for, to a model that sees nothing else */
    const char *shown;               /* arguments that the core shows, separated by spaces; NULL: all. All are taken */
} CORE[] = {
    {"recall", "Find what you know about a question: the best memories that you may read, as text and as data.",
     "query kinds spaces filters limit token_budget as_of history tz"},
    {"remember", "Keep a fact, an event or a preference for later: one thing a memory, with a short title and the text as body.",
     "title body kind space_id importance attrs valid_from valid_to expires_at"},
    {"read_memory", "Read one memory in full by its id.", NULL},
    {"update_memory", "Change a memory that became wrong or incomplete; what it said before stays as a version.",
     "id if_version title body attrs importance valid_from valid_to expires_at"},
    {"forget", "Take a memory out of every recall; restore_memory brings it back.", NULL},
    {"pin_memory", "Keep a memory from fading, because it will always matter.", NULL},
    {"list_memories", "List the memories that you may read, newest first, by kind, space or a part of the title.", NULL},
    {"session_note", "Note something under a key for the hours of a session; a note that is read often becomes a memory.",
     "key value session_id ttl tags"},
    {"session_notes", "List your notes of a session, newest first.", NULL},
    {"consolidate_memory", "Turn your short-term notes, all or of one session, into memories for good.", NULL},
    {"working_store", "Put a value aside under a key for the task at hand, for an hour or so.", NULL},
    {"working_retrieve", "Get back a value that was put aside under a key.", NULL},
    {"list_pools", "List the pools that you share with other agents.", NULL},
    {"read_shared_memory", "Read what is at a path in a shared pool.", NULL},
    {"write_shared_memory", "Write a value at a path in a shared pool, for other agents to read.", NULL},
    {"list_contexts", "List the contexts, which are named collections of entries, that you may read.", NULL},
    {"context_add", "Write an entry under a key in a context, for all who may read that context.",
     "id entry_key content entry_type context_tags importance_score"},
    {"context_get", "Read an entry of a context by its key or id.", NULL},
};

int mcp_core_rank(const char *tool)
{
    for (int i = 0; i < (int)(sizeof CORE / sizeof *CORE); i++)
        if (str_eq(tool, CORE[i].tool))
            return i;
    return -1;
}

const char *mcp_core_sentence(const char *tool)
{
    int i = mcp_core_rank(tool);

    return i < 0 ? NULL : CORE[i].sentence;
}

bool mcp_core_shows(const char *tool, const char *argument)
{
    int i = mcp_core_rank(tool);
    size_t n = strlen(argument);

    if (i < 0 || !CORE[i].shown)
        return true;
    for (const char *p = strstr(CORE[i].shown, argument); p; p = strstr(p + 1, argument))
        if ((p == CORE[i].shown || p[-1] == ' ') && (p[n] == ' ' || !p[n]))
            return true;
    return false;
}
