/* The special keys of working memory; see working_kind.h. */
#include "working_kind.h"

#include <string.h>

#include "working.h"
#include "working_message.h"

static err check_task_state(struct ctx *c, const struct json **value)
{
    return json_is(*value, JSON_OBJ) ? ERR_OK : fail_field(c, "/value", "task_state must be an object");
}

static err check_scratch_pad(struct ctx *c, const struct json **value)
{
    if (!json_is(*value, JSON_STR))
        return fail_field(c, "/value", "scratch_pad must be a string");
    if (strlen(json_text(c->arena, *value)) > WORKING_PAD)
        return fail_field(c, "/value", "scratch_pad can have at most %d bytes", WORKING_PAD);
    return ERR_OK;
}

static const struct working_kind KINDS[] = {
    { "task_state", false, 7200, "plan", check_task_state },
    { "conversation_context", false, 14400, "conversation_summary", working_messages_check },
    { "scratch_pad", false, WORKING_TTL, "reflection", check_scratch_pad },
    { "tool:", true, WORKING_TTL, "tool_output", NULL },
    { "intermediate:", true, WORKING_TTL, "tool_output", NULL },
};

static const struct working_kind OTHER = {"", true, WORKING_TTL, "observation", NULL};

const struct working_kind *working_kind_of(const char *key)
{
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++)
        if (KINDS[i].is_prefix ? str_starts(key, KINDS[i].name) : str_eq(key, KINDS[i].name))
            return &KINDS[i];
    return &OTHER;
}
