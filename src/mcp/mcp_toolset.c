/* The core of the tools: few enough for a small model to choose among, and all that an agent needs to work well. */
#include "mcp_impl.h"

static const char *const CORE[] = {
    "recall", "remember", "read_memory", "update_memory", "forget", "pin_memory", "list_memories",
    "session_note", "session_notes", "working_store", "working_retrieve",
    "list_pools", "read_shared_memory", "write_shared_memory", "list_contexts", "whoami",
};

int mcp_core_rank(const char *tool)
{
    for (int i = 0; i < (int)(sizeof CORE / sizeof *CORE); i++)
        if (str_eq(tool, CORE[i]))
            return i;
    return -1;
}
