/* locictl: what an operator types. Commands stand in ctl_*.c. */
#include "ctl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access.h"
#include "account.h"

static const struct ctl_command *const TABLES[] = {
    ctl_system_commands, ctl_doctor_commands, ctl_identity_commands, ctl_space_commands, ctl_grant_commands, ctl_job_commands,
    ctl_recall_commands,
    ctl_model_commands, ctl_mcp_commands, ctl_transfer_commands, ctl_page_commands, ctl_skill_commands,
};
#define N_TABLES (sizeof TABLES / sizeof *TABLES)
#define USAGE_ARENA (256u * 1024)

/* Do the words typed so far (NULL ends them) belong to the command? What follows its own words is not looked at. */
static bool begins(const struct ctl_command *k, char **typed)
{
    for (const char *w = k->words; *w && *typed; typed++) {
        size_t len = strcspn(w, " ");

        if (strlen(*typed) != len || strncmp(*typed, w, len) != 0)
            return false;
        w += len + (w[len] == ' ');
    }
    return true;
}

/* The words of the command line before its options; "help" is none of them. */
static char **typed_words(struct arena *a, int argc, char **argv)
{
    char **words = ARENA_ARRAY(a, char *, (size_t)argc + 1);
    int n = 0;

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--config") == 0)
            i++;
        else if (argv[i][0] == '-')
            break;
        else if (n || strcmp(argv[i], "help") != 0)
            words[n++] = argv[i];
    }
    return words;
}

/* How the commands are used that begin with what was typed; all when none does. */
static const char *locictl_usage(struct arena *a, char **typed)
{
    bool any = false;
    struct buf b;

    buf_init(&b, a, 4096);
    buf_puts(&b, "usage: locictl [--config FILE] COMMAND [OPTIONS]\n\n");
    for (int pass = 0; pass < 2 && !any; pass++)
        for (size_t i = 0; i < N_TABLES; i++)
            for (const struct ctl_command *k = TABLES[i]; k->words; k++)
                if (pass || begins(k, typed)) {
                    buf_printf(&b, "  %s %s\n      %s\n", k->words, k->usage, k->help);
                    any = true;
                }
    buf_puts(&b, "\n  --config FILE   settings (default: $LOCI_CONFIG, ../conf/loci.conf beside the program, the installed loci.conf)\n  "
                 "--version       print the version\nexit status: 0 done, 1 failed, 2 wrong usage, 3 it exists already\n");
    return buf_str(&b);
}

const char *ctl_option(struct ctl *t, const char *name)
{
    for (int i = t->next; i < t->p.argc; i++) {
        if (t->used[i] || strcmp(t->p.argv[i], name) != 0)
            continue;
        t->used[i] = true;
        if (i + 1 >= t->p.argc || t->used[i + 1])
            program_die(CTL_USAGE, "locictl: %s requires a value\nusage: locictl %s", name, t->usage);
        t->used[i + 1] = true;
        return t->p.argv[i + 1];
    }
    return NULL;
}

const char *ctl_need(struct ctl *t, const char *name)
{
    const char *value = ctl_option(t, name);

    if (!value)
        program_die(CTL_USAGE, "locictl: %s is missing\nusage: locictl %s", name, t->usage);
    return value;
}

bool ctl_flag(struct ctl *t, const char *name)
{
    for (int i = t->next; i < t->p.argc; i++)
        if (!t->used[i] && strcmp(t->p.argv[i], name) == 0)
            return t->used[i] = true;
    return false;
}

const char *ctl_word(struct ctl *t)
{
    for (int i = t->next; i < t->p.argc; i++)
        if (!t->used[i] && t->p.argv[i][0] != '-') {
            t->used[i] = true;
            return t->p.argv[i];
        }
    return NULL;
}

void ctl_no_more(struct ctl *t)
{
    for (int i = t->next; i < t->p.argc; i++)
        if (!t->used[i])
            program_die(CTL_USAGE, "locictl: unexpected argument '%s'\nusage: locictl %s", t->p.argv[i], t->usage);
}

void ctl_act_in_account(struct ctl *t)
{
    const char *slug = ctl_need(t, "--account");
    struct account a;
    err e = account_by_slug(&t->c, slug, &a);

    if (e == ERR_NOT_FOUND)
        program_die(CTL_FAILED, "locictl: no account '%s'; see: locictl account list", slug);
    if (e == ERR_OK)
        e = access_as_system(&t->c, a.id, "locictl");
    if (e != ERR_OK)
        exit(ctl_result(t, e));
}

int ctl_result(struct ctl *t, err e)
{
    if (e == ERR_OK)
        return 0;
    fprintf(stderr, "locictl: %s\n", t->c.fault.message ? t->c.fault.message : err_info(e)->meaning);
    for (const struct field_error *f = t->c.fault.fields; f && f->next; f = f->next)
        fprintf(stderr, "locictl: %s\n", f->next->detail);
    return e == ERR_CONFLICT ? CTL_EXISTS : CTL_FAILED;
}

/* How many arguments the command's words take, 0 when they are not these. */
static int matches(const struct ctl_command *k, int argc, char **argv)
{
    int n = 0;

    for (const char *w = k->words; *w; n++) {
        size_t len = strcspn(w, " ");

        if (n >= argc || strlen(argv[n]) != len || strncmp(argv[n], w, len) != 0)
            return 0;
        w += len + (w[len] == ' ');
    }
    return n;
}

static const struct ctl_command *locictl_find(struct ctl *t)
{
    for (size_t i = 0; i < N_TABLES; i++)
        for (const struct ctl_command *k = TABLES[i]; k->words; k++) {
            t->next = matches(k, t->p.argc, t->p.argv);
            if (t->next)
                return k;
        }
    return NULL;
}

int main(int argc, char **argv)
{
    struct arena *words = arena_new(USAGE_ARENA);
    const char *help = locictl_usage(words, typed_words(words, argc, argv));
    struct ctl t = {0};
    const struct ctl_command *k;
    int code;

    program_start(&t.p, "locictl", argc, argv, help);
    if (t.p.argc && strcmp(t.p.argv[0], "help") == 0) {
        fputs(help, stdout);
        program_end(&t.p);
        arena_free(words);
        return 0;
    }
    k = locictl_find(&t);
    if (!k)
        program_die(CTL_USAGE, "%s%s", t.p.argc ? "locictl: unknown command\n\n" : "", help);
    t.usage = arena_printf(t.p.arena, "%s %s", k->words, k->usage);
    t.used = ARENA_ARRAY(t.p.arena, bool, (size_t)t.p.argc + 1);
    t.c = (struct ctx){.arena = request_arena_new(), .app = &t.p.app};
    program_thread_begin(&t.c);
    ctx_begin(&t.c, 0);
    t.c.request_id = "locictl";
    code = k->run(&t);
    program_thread_end(&t.c);
    arena_free(t.c.arena);
    program_end(&t.p);
    arena_free(words);
    return code;
}
