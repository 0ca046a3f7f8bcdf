/* locictl export, import: whole accounts, past the queue. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ctl.h"
#include "export.h"
#include "import.h"
#include "memories.h"
#include "transfer_file.h"

static err to_fd(struct ctx *c, struct export_to *to, const char *p, size_t n)
{
    return transfer_write_all(c, *(const int *)to->arg, p, n);
}

static int export_command(struct ctl *t)
{
    const char *path = ctl_option(t, "--out");
    struct export_what what = {ctl_flag(t, "--with-vectors"), ctl_flag(t, "--with-audit")};
    struct export_to to = {.write = to_fd};
    int fd = STDOUT_FILENO, code;

    ctl_act_in_account(t);
    ctl_no_more(t);
    if (path && (fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)) < 0)
        program_die(CTL_FAILED, "locictl: cannot write '%s': %s", path, strerror(errno));
    to.arg = &fd;
    code = ctl_result(t, export_run(&t->c, &what, &to));
    if (path && (fsync(fd) != 0 || close(fd) != 0))
        program_die(CTL_FAILED, "locictl: cannot write '%s': %s", path, strerror(errno));
    if (!code && path)
        printf("%s: %lld lines, %lld bytes\n", path, (long long)to.lines, (long long)to.bytes);
    return code;
}

static void print_report(const struct import_done *d, bool dry)
{
    printf("%-22s %10s %10s\n", "table", dry ? "new" : "added", "there");
    for (const struct json *row = d->tables->first; row; row = row->next)
        printf("%-22s %10lld %10lld\n", row->key, (long long)json_get_int(row, "added", 0), (long long)json_get_int(row, "there", 0));
    if (dry)
        printf("dry run: nothing is stored\n");
}

static int import_command(struct ctl *t)
{
    const char *path = ctl_need(t, "--from"), *mode = ctl_option(t, "--mode");
    struct import_how how = {.dry_run = ctl_flag(t, "--dry-run"), .with_audit = true};
    struct import_done done;
    int code, m = IMPORT_RESTORE;

    if (mode && !enumx_parse(&import_mode_enumx, mode, &m))
        program_die(CTL_USAGE, "locictl: --mode must be restore or merge, not '%s'", mode);
    how.mode = (enum import_mode)m;
    ctl_act_in_account(t);
    ctl_no_more(t);
    code = ctl_result(t, import_run(&t->c, path, &how, &done));
    if (!code)
        print_report(&done, how.dry_run);
    return code;
}

static int print_kept(const struct memories_done *d)
{
    const struct memories_error *errors = d->errors.v;

    printf("%lld read, %lld %s, %lld already present, %lld links, %lld failed\n", (long long)d->read, (long long)d->added,
           d->dry_run ? "new" : "added", (long long)d->there, (long long)d->links, (long long)d->failed);
    for (size_t i = 0; i < d->errors.n; i++)
        fprintf(stderr, "locictl: %s: %s\n", errors[i].key, errors[i].message);
    if (d->dry_run)
        printf("dry run: nothing is stored\n");
    return d->failed ? CTL_FAILED : 0;
}

static int memories_command(struct ctl *t)
{
    const char *path = ctl_need(t, "--from"), *format = ctl_need(t, "--format"), *space = ctl_need(t, "--space");
    bool dry = ctl_flag(t, "--dry-run");
    struct memories_done done;
    struct memories m;
    struct uuid id;
    int f, code;

    if (!enumx_parse(&memories_format_enumx, format, &f))
        program_die(CTL_USAGE, "locictl: --format must be mem0, chat or markdown, not '%s'", format);
    ctl_act_in_account(t);
    ctl_no_more(t);
    code = ctl_result(t, ctl_find_space(t, space, &id));
    if (!code)
        code = ctl_result(t, memories_read(&t->c, (enum memories_format)f, path, &m));
    if (!code)
        code = ctl_result(t, memories_keep(&t->c, (enum memories_format)f, id, &m, dry, &done));
    return code ? code : print_kept(&done);
}

const struct ctl_command ctl_transfer_commands[] = {
    {"export", "--account S [--out FILE] [--with-vectors] [--with-audit]",
     "exports an account as JSON Lines, without secrets", export_command},
    {"memories import", "--account S --space ID|agent:SLUG|global|KIND/SLUG --format mem0|chat|markdown --from FILE|FOLDER [--dry-run]",
     "imports memories of mem0, conversations of ChatGPT or Claude, or a folder of Markdown", memories_command},
    {"import", "--account S --from FILE [--mode restore|merge] [--dry-run]",
     "imports an export into an empty account, or merges it into an existing one; all or nothing", import_command},
    {0},
};
