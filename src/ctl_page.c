/* locictl pages: vaults of Markdown in and out. */
#include <stdio.h>

#include "ctl.h"
#include "vault.h"

static int vault_say(const struct vault_report *r)
{
    const struct vault_error *errors = r->errors.v;

    for (size_t i = 0; i < r->errors.n; i++)
        fprintf(stderr, "locictl: %s: %s\n", errors[i].path, errors[i].message);
    return r->failed ? CTL_FAILED : 0;
}

static int pages_import_command(struct ctl *t)
{
    const char *dir = ctl_need(t, "--from");
    struct vault_report r;
    int code;

    ctl_act_in_account(t);
    ctl_no_more(t);
    code = ctl_result(t, vault_import(&t->c, dir, &r));
    if (code)
        return code;
    printf("%lld created, %lld changed, %lld unchanged, %lld failed; %lld files beside them, %lld left out; "
           "links to %lld pages, %lld names wanted\n",
           (long long)r.created, (long long)r.changed, (long long)r.unchanged, (long long)r.failed, (long long)r.files, (long long)r.others,
           (long long)r.links, (long long)r.pending);
    return vault_say(&r);
}

static int pages_export_command(struct ctl *t)
{
    const char *dir = ctl_need(t, "--to");
    struct vault_report r;
    int code;

    ctl_act_in_account(t);
    ctl_no_more(t);
    code = ctl_result(t, vault_export(&t->c, dir, &r));
    if (code)
        return code;
    printf("%lld pages and files written, %lld failed\n", (long long)r.written, (long long)r.failed);
    return vault_say(&r);
}

const struct ctl_command ctl_page_commands[] = {
    {"pages import", "--account S --from FOLDER", "imports a vault: each file .md is a page, [[links]] and all", pages_import_command},
    {"pages export", "--account S --to FOLDER", "writes pages as files .md; imported and unchanged ones byte for byte",
        pages_export_command},
    {0},
};
