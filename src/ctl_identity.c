/* locictl account, user, agent, token. */
#include <stdio.h>
#include <string.h>

#include "account.h"
#include "agent.h"
#include "clock.h"
#include "ctl.h"
#include "str.h"
#include "token.h"
#include "user.h"

/* The first line of a file, or of standard input for "-". */
static const char *ctl_identity_first_line(struct ctl *t, const char *path)
{
    char line[1024];
    FILE *f = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");

    if (!f || !fgets(line, sizeof line, f))
        program_die(CTL_FAILED, "locictl: cannot read a password from '%s'", path);
    if (f != stdin)
        fclose(f);
    line[strcspn(line, "\r\n")] = 0;
    return arena_strdup(t->c.arena, line);
}

static int account_create_command(struct ctl *t)
{
    const char *slug = ctl_need(t, "--slug"), *name = ctl_option(t, "--name");
    struct account a;
    int code;

    ctl_no_more(t);
    code = ctl_result(t, account_create(&t->c, slug, name ? name : slug, "locictl", NULL, &a));
    if (!code)
        printf("%s\n", UUID_STR(a.id));
    return code;
}

static int account_list_command(struct ctl *t)
{
    struct account *all;
    size_t n;
    int code;

    ctl_no_more(t);
    code = ctl_result(t, account_list(&t->c, &all, &n));
    for (size_t i = 0; !code && i < n; i++)
        printf("%s  %-9s  %-20s  %s\n", UUID_STR(all[i].id), enumx_name(&account_status_enumx, (int)all[i].status),
               all[i].slug, all[i].name);
    return code;
}

static int ctl_identity_set_status(struct ctl *t, enum account_status status)
{
    struct account a;

    ctl_act_in_account(t);
    ctl_no_more(t);
    return ctl_result(t, account_set_status(&t->c, status, &a));
}

static int account_suspend_command(struct ctl *t)
{
    return ctl_identity_set_status(t, ACCOUNT_SUSPENDED);
}

static int account_resume_command(struct ctl *t)
{
    return ctl_identity_set_status(t, ACCOUNT_ACTIVE);
}

static int user_create_command(struct ctl *t)
{
    const char *file = ctl_option(t, "--password-file"), *role = ctl_option(t, "--role"), *name = ctl_option(t, "--name");
    struct user in = {.email = ctl_need(t, "--email"), .role = role ? role : "viewer"};
    struct user u;
    int code;

    in.name = name ? name : in.email;
    in.is_operator = ctl_flag(t, "--operator");
    ctl_act_in_account(t);
    ctl_no_more(t);
    in.password = file ? ctl_identity_first_line(t, file) : NULL;
    code = ctl_result(t, user_create(&t->c, &in, &u));
    if (!code)
        printf("%s\n", UUID_STR(u.id));
    return code;
}

static int user_list_command(struct ctl *t)
{
    struct user_filter f = {.status = -1, .limit = 100};
    struct page page = {0};
    int code;

    ctl_act_in_account(t);
    ctl_no_more(t);
    do {
        code = ctl_result(t, user_list(&t->c, &f, &page));
        for (size_t i = 0; !code && i < page.n; i++) {
            const struct user *u = (struct user *)page.items + i;

            printf("%s  %-8s  %-9s%s  %s  %s\n", UUID_STR(u->id), u->role, enumx_name(&user_status_enumx, (int)u->status),
                   u->is_operator ? " operator" : "", u->email, u->name);
        }
        f.cursor = page.next_cursor;
    } while (!code && page.has_more);
    return code;
}

/* The user named by --email, in the account named by --account. */
static int find_user(struct ctl *t, struct user *u)
{
    const char *email = ctl_need(t, "--email");

    ctl_act_in_account(t);
    return ctl_result(t, user_by_email(&t->c, email, u));
}

static int user_password_command(struct ctl *t)
{
    const char *file = ctl_need(t, "--password-file");
    struct user u;
    int code = find_user(t, &u);

    ctl_no_more(t);
    return code ? code : ctl_result(t, user_set_password(&t->c,
                                                         &(struct user_password){.id = u.id,
                                                                                 .new_password = ctl_identity_first_line(t, file)}));
}

static int user_operator_command(struct ctl *t)
{
    bool off = ctl_flag(t, "--off");
    struct user u;
    int code = find_user(t, &u);

    ctl_no_more(t);
    return code ? code : ctl_result(t, user_set_operator(&t->c, u.id, !off));
}

static int agent_create_command(struct ctl *t)
{
    struct agent in = {.slug = ctl_need(t, "--slug"), .kind = ctl_option(t, "--kind"), .role = ctl_option(t, "--role"),
                       .description = ctl_option(t, "--description")};
    const char *name = ctl_option(t, "--name");
    struct agent a;
    int code;

    in.name = name ? name : in.slug;
    ctl_act_in_account(t);
    ctl_no_more(t);
    code = ctl_result(t, agent_create(&t->c, &in, &a));
    if (!code)
        printf("%s\n", UUID_STR(a.id));
    return code;
}

static int agent_list_command(struct ctl *t)
{
    struct agent_filter f = {.status = -1, .limit = 100};
    struct page page = {0};
    int code;

    ctl_act_in_account(t);
    ctl_no_more(t);
    do {
        code = ctl_result(t, agent_list(&t->c, &f, &page));
        for (size_t i = 0; !code && i < page.n; i++) {
            const struct agent *a = (struct agent *)page.items + i;

            printf("%s  %-8s  %-8s  %-20s  %s\n", UUID_STR(a->id), a->role, enumx_name(&agent_status_enumx, (int)a->status),
                   a->slug, a->name);
        }
        f.cursor = page.next_cursor;
    } while (!code && page.has_more);
    return code;
}

/* "a.b,c.*" as a list. */
static struct strs scope_list(struct ctl *t, const char *text)
{
    struct strs s = {ARENA_ARRAY(t->c.arena, const char *, text ? strlen(text) / 2 + 2 : 1), 0};

    while (text && *text) {
        size_t n = strcspn(text, ",");

        if (n)
            s.v[s.n++] = arena_strndup(t->c.arena, text, n);
        text += n + (text[n] == ',');
    }
    return s;
}

static struct instant ctl_identity_expiry(struct ctl *t, const char *days)
{
    int64_t n;

    if (!days)
        return (struct instant){0};
    if (!str_to_i64(days, &n) || n < 1 || n > 36500)
        program_die(CTL_USAGE, "locictl: --days must be 1 to 36500, not '%s'", days);
    return (struct instant){t->c.now.us + n * DAY_US};
}

static int token_owner(struct ctl *t, struct token *in)
{
    const char *agent = ctl_option(t, "--agent"), *email = ctl_option(t, "--user");
    struct agent a;
    struct user u;
    int code;

    if (!agent == !email)
        program_die(CTL_USAGE, "locictl: name one owner, --agent or --user\nusage: locictl %s", t->usage);
    ctl_act_in_account(t);
    code = ctl_result(t, agent ? agent_by_slug(&t->c, agent, &a) : user_by_email(&t->c, email, &u));
    if (code)
        return code;
    if (agent)
        in->agent_id = a.id;
    else
        in->user_id = u.id;
    return 0;
}

static enum toolset toolset_of(const char *word)
{
    int set = TOOLSET_CORE;

    if (word && !enumx_parse(&toolset_enumx, word, &set))
        program_die(CTL_USAGE, "locictl: --toolset is core or full, not '%s'", word);
    return (enum toolset)set;
}

static int token_create_command(struct ctl *t)
{
    struct token in = {.name = ctl_need(t, "--name"), .scopes = scope_list(t, ctl_option(t, "--scopes")),
                           .expires_at = ctl_identity_expiry(t, ctl_option(t, "--days")),
                           .toolset = toolset_of(ctl_option(t, "--toolset"))};
    struct token made;
    int code = token_owner(t, &in);

    ctl_no_more(t);
    if (!code)
        code = ctl_result(t, token_create(&t->c, &in, &made));
    if (!code)
        printf("%s\n", made.secret);
    return code;
}

static int token_list_command(struct ctl *t)
{
    struct token_filter f = {.limit = 100};
    struct page page = {0};
    int code;

    f.with_revoked = ctl_flag(t, "--revoked");
    ctl_act_in_account(t);
    ctl_no_more(t);
    do {
        code = ctl_result(t, token_list(&t->c, &f, &page));
        for (size_t i = 0; !code && i < page.n; i++) {
            const struct token *k = (struct token *)page.items + i;
            char used[INSTANT_TEXT] = "never used";

            if (k->last_used_at.us)
                instant_text(k->last_used_at, used);
            printf("%s  loci_%s_…  %-7s  %s  %s\n", UUID_STR(k->id), k->prefix, k->revoked_at.us ? "revoked" : "active", used,
                   k->name);
        }
        f.cursor = page.next_cursor;
    } while (!code && page.has_more);
    return code;
}

static int token_revoke_command(struct ctl *t)
{
    const char *id = ctl_need(t, "--id");
    struct uuid u;

    if (!uuid_parse(id, &u))
        program_die(CTL_USAGE, "locictl: --id must be a UUID; see: locictl token list");
    ctl_act_in_account(t);
    ctl_no_more(t);
    return ctl_result(t, token_revoke(&t->c, &(struct thing_key){.id = u}));
}

const struct ctl_command ctl_identity_commands[] = {
    {"account create", "--slug S [--name N]", "creates an account; prints its id", account_create_command},
    {"account list", "", "lists the accounts", account_list_command},
    {"account suspend", "--account S", "suspends an account; its tokens and sessions stop working at once", account_suspend_command},
    {"account resume", "--account S", "ends the suspension of an account", account_resume_command},
    {"user create", "--account S --email E [--name N] [--role R] [--password-file F|-] [--operator]",
     "creates a user; roles: owner admin editor reviewer viewer", user_create_command},
    {"user list", "--account S", "lists the users of an account", user_list_command},
    {"user password", "--account S --email E --password-file F|-", "sets a password; ends the user's sessions",
     user_password_command},
    {"user operator", "--account S --email E [--off]", "makes a user an operator of all accounts; --off takes it back", user_operator_command},
    {"agent create", "--account S --slug A [--name N] [--kind K] [--role R] [--description D]",
     "creates an agent and its namespace; roles: agent trusted readonly", agent_create_command},
    {"agent list", "--account S", "lists the agents of an account", agent_list_command},
    {"token create", "--account S (--agent A | --user E) --name N [--scopes a.b,c.*] [--days N] [--toolset core|full]",
     "creates a token and prints it, once", token_create_command},
    {"token list", "--account S [--revoked]", "lists tokens, without their secrets", token_list_command},
    {"token revoke", "--account S --id ID", "revokes a token with immediate effect", token_revoke_command},
    {0},
};
