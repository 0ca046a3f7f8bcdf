/* Rules of an account and the shipped ones; see rule_set.h. */
#include "rule_set.h"

#include <stdio.h>
#include <string.h>

#include "app.h"
#include "audit.h"
#include "config.h"
#include "db.h"
#include "log.h"
#include "rule_dir.h"
#include "rule_set_store.h"

#define RULES_FILE "rules/en.rules"
#define SHIPPED "en-1"
#define ROUNDS 20 /* in which bad rules are left out; what then is still bad is left out whole */

/* ---- loading */

static err read_shipped(struct ctx *c, const char **out)
{
    const char *path = arena_printf(c->arena, "%s/%s", c->app->conf->data_dir, RULES_FILE);
    char *text = arena_alloc(c->arena, RULE_SET_SIZE + 1);
    FILE *f = fopen(path, "re");
    size_t n;

    if (!f)
        return fail(c, ERR_INTERNAL, "cannot read %s", path);
    n = fread(text, 1, RULE_SET_SIZE, f);
    (void)fclose(f);
    text[n] = 0;
    *out = text;
    return ERR_OK;
}

err rule_set_load(struct ctx *c, struct extract_rules **out, const char **name)
{
    const char *body, *active, *shipped, *files;
    struct extract_fault fault;
    int64_t version;
    uint32_t mark;
    size_t faults;

    TRY(read_shipped(c, &shipped));
    TRY(rule_dir_load(c, shipped, &files, &mark));
    TRY(rule_set_store_get(c, &body, &active, &version));
    *out = extract_rules_read(c->arena, arena_printf(c->arena, "%s\n%s\n%s", active, files, shipped), &fault, 1, &faults);
    *name = version ? arena_printf(c->arena, SHIPPED "+%lld", (long long)version) : SHIPPED;
    if (mark)
        *name = arena_printf(c->arena, "%s.%08x", *name, (unsigned)mark);
    if (faults)
        log_say(c->app->log, LOG_WARN, "rules, line %d: %s: the rule is left out", fault.line, fault.why);
    return ERR_OK;
}

/* ---- checking */

static int64_t rule_lines_of(const char *text)
{
    int64_t n = 1;

    for (; *text; text++)
        n += *text == '\n';
    return n;
}

static char *rule_line_at(char *text, int64_t line)
{
    for (; line > 1 && *text; text++)
        line -= *text == '\n';
    return text;
}

static void blank_line(char *p)
{
    for (; *p && *p != '\n'; p++)
        *p = ' ';
}

static bool line_begins(const char *p, const char *word)
{
    p += strspn(p, " \t");
    return strncmp(p, word, strlen(word)) == 0;
}

/* The rule that has this line: from its head to its end. */
static void blank_rule(char *text, int64_t line)
{
    int64_t first = line, last = rule_lines_of(text);

    while (first > 1 && !line_begins(rule_line_at(text, first), "rule "))
        first--;
    for (int64_t i = first; i <= last; i++) {
        char *p = rule_line_at(text, i);
        bool end = line_begins(p, "end"), next = i > first && line_begins(p, "rule ");

        if (next)
            return;
        blank_line(p);
        if (end)
            return;
    }
}

/* Faults of the first `lines` lines; the shipped rules are behind them. */
static size_t find_faults(struct ctx *c, const char *own, const char *shipped, struct extract_fault *faults, size_t *rules)
{
    const char *all = arena_printf(c->arena, "%s\n%s", own, shipped);
    int64_t lines = rule_lines_of(own);
    struct extract_fault found[RULE_FAULTS];
    struct extract_rules *r, *alone;
    size_t n, kept = 0;

    r = extract_rules_read(c->arena, all, found, RULE_FAULTS, &n);
    if (n == 0)
        n = extract_rules_test(c->arena, r, found, RULE_FAULTS);
    for (size_t i = 0; i < n && i < RULE_FAULTS; i++)
        if (found[i].line <= lines)
            faults[kept++] = found[i];
    alone = extract_rules_read(c->arena, own, found, RULE_FAULTS, &n);
    *rules = extract_rules_count(alone);
    return kept;
}

/* What of the text works; faults: what was left out, and why. */
const char *rule_set_check(struct ctx *c, const char *text, const char *shipped, struct rule_set *out)
{
    struct rule_fault *all = ARENA_ARRAY(c->arena, struct rule_fault, RULE_FAULTS * ROUNDS);
    struct extract_fault faults[RULE_FAULTS];
    char *active = arena_strdup(c->arena, text);
    size_t n = 1, rules = 0;

    for (int round = 0; round < ROUNDS && n; round++) {
        n = find_faults(c, active, shipped, faults, &rules);
        for (size_t i = 0; i < n; i++) {
            ((struct rule_fault *)all)[out->faults.n++] = (struct rule_fault){faults[i].line, faults[i].why};
            blank_rule(active, faults[i].line);
        }
    }
    out->faults.v = all;
    out->rules = n ? 0 : (int64_t)rules;
    return n ? "" : active;
}

/* ---- calls */

err rule_set_get(struct ctx *c, struct rule_set *out)
{
    const char *active, *shipped;

    *out = (struct rule_set){0};
    TRY(read_shipped(c, &shipped));
    TRY(rule_set_store_get(c, &out->text, &active, &out->version));
    (void)rule_set_check(c, out->text, shipped, out);
    return ERR_OK;
}

static err rule_set_put_tx(struct ctx *c, const struct rule_set_in *in, struct rule_set *out)
{
    struct json *o = json_obj(c->arena);
    const char *active, *shipped, *body, *before;

    *out = (struct rule_set){0};
    TRY(read_shipped(c, &shipped));
    active = rule_set_check(c, in->text, shipped, out);
    out->text = in->text;
    if (in->dry_run)
        return rule_set_store_get(c, &body, &before, &out->version);
    TRY(rule_set_store_put(c, in->text, active));
    TRY(rule_set_store_get(c, &body, &before, &out->version));
    json_set_int(c->arena, o, "version", out->version);
    json_set_int(c->arena, o, "rules", out->rules);
    json_set_int(c->arena, o, "faults", (int64_t)out->faults.n);
    return audit_add(c, &(struct audit){.kind = "rules_change", .subject_kind = "account", .subject_id = c->account_id, .after = o});
}
DB_TX(rule_set_put, struct rule_set_in, struct rule_set)

static struct rule_claim claim_shown(const struct extract_claim *k)
{
    static const char *const MODALITY[] = {[EXTRACT_ASSERTED] = "asserted", [EXTRACT_PAST] = "past", [EXTRACT_PLANNED] = "planned"};

    return (struct rule_claim){
        .subject = k->subject, .predicate = k->predicate, .object = k->object, .statement = k->statement, .rule_id = k->rule_id,
        .negative = k->negative, .modality = MODALITY[k->modality], .at = {k->at}, .until = {k->until}, .confidence = k->confidence,
        .start = (int64_t)k->start, .end = (int64_t)k->end};
}

err rule_try(struct ctx *c, const struct rule_try_in *in, struct rule_tried *out)
{
    struct extract_context x = {.speaker = in->speaker, .captured_at = in->captured_at.us ? in->captured_at.us : c->now.us};
    struct rule_set checked = {0};
    struct extract_rules *rules;
    const char *name, *shipped;
    struct extract_fault fault;
    struct rule_claim *v;
    struct extracted found;
    size_t faults;

    TRY(rule_set_load(c, &rules, &name));
    if (in->rules) {
        TRY(read_shipped(c, &shipped));
        name = rule_set_check(c, in->rules, shipped, &checked);
        rules = extract_rules_read(c->arena, arena_printf(c->arena, "%s\n%s", name, shipped), &fault, 1, &faults);
    }
    found = extract(c->arena, rules, in->text, strlen(in->text), &x);
    v = ARENA_ARRAY(c->arena, struct rule_claim, found.n + 1);
    for (size_t i = 0; i < found.n; i++)
        v[i] = claim_shown(&found.claims[i]);
    *out = (struct rule_tried){{v, found.n}, (int64_t)found.sentences, (int64_t)found.unclear, (int64_t)found.too_many, checked.faults};
    return ERR_OK;
}
