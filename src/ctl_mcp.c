/* locictl mcp: the call table for a client that starts this program. */
#include <stdlib.h>
#include <unistd.h>

#include "calls.h"
#include "ctl.h"
#include "mcp.h"
#include "serving.h"
#include "str.h"

static int mcp_command(struct ctl *t)
{
    const char *token = ctl_option(t, "--token");
    struct op_table ops = calls_all(t->p.arena);
    int code;

    if (!ctl_flag(t, "--stdio"))
        program_die(CTL_USAGE, "locictl: mcp requires --stdio\nusage: locictl %s", t->usage);
    ctl_no_more(t);
    if (!token)
        token = getenv("LOCI_TOKEN");
    if (str_empty(token))
        program_die(CTL_USAGE, "locictl: mcp requires a token, in LOCI_TOKEN or --token; see: locictl token create");
    t->p.app.ops = &ops;
    serving_begin(&t->p, true);
    code = mcp_stdio(&t->c, token, STDIN_FILENO, STDOUT_FILENO, serving_tick);
    if (code)
        code = ctl_result(t, t->c.fault.code);
    serving_end(&t->p, code);
    return code;
}

const struct ctl_command ctl_mcp_commands[] = {
    {"mcp", "--stdio [--token T]", "serves MCP over standard input and output; the token comes from LOCI_TOKEN or --token", mcp_command},
    {0},
};
