/* What the commands of locictl share: options, the acting principal, and saying what went wrong. */
#ifndef LOCI_CTL_H
#define LOCI_CTL_H

#include "start.h"
#include "uuid.h"

#define CTL_FAILED 1
#define CTL_USAGE 2
#define CTL_EXISTS 3

struct ctl {
    struct program p;
    struct ctx c;
    const char *usage; /* of the command at hand */
    int next;          /* first argument behind the command's words */
    bool *used;        /* which arguments were taken */
};

struct ctl_command {
    const char *words; /* "token create" */
    const char *usage; /* its options */
    const char *help;  /* one line */
    int (*run)(struct ctl *t);
};

/* Tables of commands, ended by an empty row. */
extern const struct ctl_command ctl_identity_commands[], ctl_space_commands[], ctl_grant_commands[], ctl_system_commands[],
    ctl_model_commands[], ctl_job_commands[], ctl_recall_commands[], ctl_mcp_commands[], ctl_transfer_commands[], ctl_page_commands[],
    ctl_skill_commands[],
    ctl_doctor_commands[];

/* "--name value"; NULL when absent. */
const char *ctl_option(struct ctl *t, const char *name);
/* The same, but it must be there. */
const char *ctl_need(struct ctl *t, const char *name);
bool ctl_flag(struct ctl *t, const char *name);
/* The next argument that is no option; NULL: none. */
const char *ctl_word(struct ctl *t);
/* Dies with the usage when an argument was not understood. Call it once all were asked for. */
void ctl_no_more(struct ctl *t);

/* Acts as the system of the account named by --account; dies when there is none. */
void ctl_act_in_account(struct ctl *t);
/* A space by id, "agent:SLUG" or "KIND/SLUG". */
err ctl_find_space(struct ctl *t, const char *text, struct uuid *id);
/* 0 when e is ERR_OK; else prints what went wrong and returns the exit code. */
int ctl_result(struct ctl *t, err e);

#endif
