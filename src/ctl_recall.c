/* locictl recall calibrate: how far an account believes meaning beside words, fitted to queries whose right answers are known. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "ctl.h"
#include "fit.h"
#include "index.h"
#include "query_vector_cache.h"
#include "recall_tools.h"
#include "vector_models_cache.h"

#define LINES 100000
#define NOT_READ_AGAIN (30 * 86400 * (int64_t)SECOND_US) /* all profiles are measured on one state */

/* ---- the file */

static _Noreturn void ctl_recall_bad_line(size_t line, const char *why)
{
    program_die(CTL_FAILED, "locictl: line %zu: %s; a line is {\"query\": \"…\", \"relevant\": [\"node-id\", …], \"kinds\": [\"…\"]}",
                line, why);
}

static struct strs read_kinds(struct ctl *t, const struct json *list, size_t line)
{
    struct strs s = {ARENA_ARRAY(t->c.arena, const char *, list ? list->len + 1 : 1), 0};

    if (list && (!json_is(list, JSON_ARR) || list->len > RECALL_KINDS))
        ctl_recall_bad_line(line, "kinds must be a list of node kinds");
    for (const struct json *k = list ? list->first : NULL; k; k = k->next) {
        if (!json_is(k, JSON_STR))
            ctl_recall_bad_line(line, "kinds must be a list of node kinds");
        s.v[s.n++] = k->s;
    }
    return s;
}

static struct uuids read_relevant(struct ctl *t, const struct json *list, size_t line)
{
    struct uuids u = {0};

    if (!json_is(list, JSON_ARR) || !list->len)
        ctl_recall_bad_line(line, "relevant must be a non-empty list of ids");
    u.v = ARENA_ARRAY(t->c.arena, struct uuid, list->len);
    for (const struct json *k = list->first; k; k = k->next) {
        size_t i = 0;

        if (!json_is(k, JSON_STR) || !uuid_parse(k->s, &u.v[u.n]))
            ctl_recall_bad_line(line, "relevant contains an invalid id");
        while (!uuid_eq(u.v[i], u.v[u.n]))
            i++;
        u.n += i == u.n;
    }
    return u;
}

static struct fit_query read_query(struct ctl *t, const char *text, size_t line)
{
    struct fit_query q;
    struct json *o;
    const char *why;

    if (json_parse(t->c.arena, text, strlen(text), &o, &why) != JSON_OK)
        ctl_recall_bad_line(line, why);
    q.query = json_get_str(o, "query");
    if (str_empty(q.query) || str_code_points(q.query, strlen(q.query)) > RECALL_QUERY)
        ctl_recall_bad_line(line, "query must be a non-empty string within the length limit of a recall");
    q.relevant = read_relevant(t, json_get(o, "relevant"), line);
    q.kinds = read_kinds(t, json_get(o, "kinds"), line);
    return q;
}

static struct fit_query *ctl_recall_read_file(struct ctl *t, const char *path, size_t *n)
{
    struct fit_query *q = ARENA_ARRAY(t->c.arena, struct fit_query, LINES);
    FILE *f = fopen(path, "re");
    char *line = NULL;
    size_t cap = 0, at = 0;

    if (!f)
        program_die(CTL_FAILED, "locictl: cannot read '%s': %s", path, strerror(errno));
    for (*n = 0; getline(&line, &cap, f) >= 0;) {
        at++;
        if (!line[strspn(line, " \t\r\n")])
            continue;
        if (*n == LINES)
            program_die(CTL_FAILED, "locictl: %s has more than %d queries; use a sample of them", path, LINES);
        q[(*n)++] = read_query(t, line, at);
    }
    free(line);
    fclose(f);
    return q;
}

/* ---- the engine in this process */

static err ctl_recall_fit(struct ctl *t, struct fit_query *q, size_t n, struct fit *out)
{
    struct app *app = &t->p.app;
    const struct recall_options o = {.simd = app->simd, .budget = (size_t)app->conf->recall_memory_mb << 20,
                                     .max_staleness_us = NOT_READ_AGAIN, .reload_after_us = NOT_READ_AGAIN, .packs = true};
    err e;

    app->recall = recall_index_new(&o, app->metrics);
    app->recall_tools = recall_tools_new();
    app->model_cache = model_cache_new();
    app->query_vectors = query_vectors_new();
    e = fit_run(&t->c, q, n, out);
    query_vectors_free(app->query_vectors);
    model_cache_free(app->model_cache);
    recall_tools_free(app->recall_tools);
    recall_index_free(app->recall);
    return e;
}

/* ---- what it says */

static void print_row(const struct fit_row *r)
{
    printf("%7.2f %9.1f %8.1f\n", r->profile.meaning, 100 * r->figure.recall5, 100 * r->figure.ndcg10);
}

static void print_fit(const struct fit *f)
{
    const struct fit_row *rows = f->tried.v;

    printf("meaning  Recall@5  nDCG@10\n");
    for (size_t i = 0; i < f->tried.n; i++)
        print_row(&rows[i]);
    printf("present (of the %s)\n", f->was_own ? "account" : "model");
    print_row(&f->now);
    printf("best\n");
    print_row(&f->best);
    if (f->missing)
        printf("%zu of the relevant nodes are not in this account and count as not found\n", f->missing);
}

static int reset(struct ctl *t)
{
    int code;

    ctl_act_in_account(t);
    ctl_no_more(t);
    code = ctl_result(t, fit_reset(&t->c));
    if (!code)
        printf("the account uses the profile of the model again\n");
    return code;
}

static int calibrate_command(struct ctl *t)
{
    bool dry = ctl_flag(t, "--dry-run");
    struct fit_query *q;
    struct fit f;
    const char *path;
    size_t n;
    int code;

    if (ctl_flag(t, "--reset"))
        return reset(t);
    path = ctl_need(t, "--queries");
    ctl_act_in_account(t);
    ctl_no_more(t);
    q = ctl_recall_read_file(t, path, &n);
    code = ctl_result(t, ctl_recall_fit(t, q, n, &f));
    if (code)
        return code;
    print_fit(&f);
    if (!f.is_better) {
        printf("nothing is stored: Recall@5 must improve by more than %.1f points\n", 100 * f.margin);
        return 0;
    }
    if (!dry)
        code = ctl_result(t, fit_store(&t->c, &f));
    if (!code)
        printf(dry ? "dry run: nothing is stored\n" : "stored as the account's profile; undo with --reset\n");
    return code;
}

const struct ctl_command ctl_recall_commands[] = {
    {"recall calibrate", "--account S (--queries FILE [--dry-run] | --reset)",
     "fits what meaning weighs beside words to judged queries: lines of {\"query\", \"relevant\": [ids], \"kinds\"}", calibrate_command},
    {0},
};
