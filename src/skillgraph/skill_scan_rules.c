/* The rules of a scan; see skill_scan.h. Cycles are in skill_scan_cycles.c. */
#include "skill_scan.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "agent_skill.h"
#include "json.h"
#include "unicode.h"

#define SAME_WORDS 0.8
#define NAME_LEAST 6 /* letters of a name that may be a slip of another */

/* ---- overlaps */

void skill_scan_overlaps(struct skill_scan_work *w)
{
    for (size_t i = 0; i < w->n_pairs; i++) {
        const struct skill_scanned *a = skill_scan_find(w, w->pairs[i].a), *b = skill_scan_find(w, w->pairs[i].b);
        double s = w->pairs[i].similarity;
        struct skill_conflict x = {.conflict_type = CONFLICT_OVERLAP, .method = METHOD_VECTOR, .similarity = s > 1 ? 1 : s};

        if (!a || !b || (s < .92 && !str_eq(a->category, b->category)))
            continue;
        x.severity = s >= .92 ? SEVERITY_CRITICAL : s >= .80 ? SEVERITY_HIGH : SEVERITY_MEDIUM;
        x.auto_resolvable = str_eq(a->body, b->body);
        x.detail = arena_printf(w->c->arena, "the two do nearly the same%s", x.auto_resolvable ? ", with equal texts" : "");
        skill_scan_add(w, a, b, &x);
    }
}

/* ---- contradictions */

/* The words of a sentence that says what must or must never be done; sign: which of these. */
struct scan_rule {
    const char *words[32];
    size_t n;
    int sign; /* 0: no rule */
};

static bool scan_is_word(char ch)
{
    return isalnum((unsigned char)ch) || (unsigned char)ch >= 128;
}

static void scan_rule_word(struct scan_rule *r, const char *word, const char *before)
{
    static const char *const NEVER[] = {"never", "avoid"}, *const MUST[] = {"always", "must", "use"};

    if (str_eq(word, "not") && str_eq(before, "must")) {
        r->sign = -1;
        return;
    }
    for (size_t i = 0; i < 2; i++)
        if (str_eq(word, NEVER[i])) {
            r->sign = -1;
            return;
        }
    for (size_t i = 0; i < 3; i++)
        if (str_eq(word, MUST[i])) {
            r->sign = r->sign ? r->sign : 1;
            return;
        }
    if (r->n < 32)
        r->words[r->n++] = word;
}

static struct scan_rule scan_rule_of(struct arena *a, const char *text, size_t n)
{
    char *s = arena_strndup(a, text, n);
    const char *before = NULL;
    struct scan_rule r = {.n = 0};

    for (char *p = s; *p;) {
        char *word = p;

        if (!scan_is_word(*p)) {
            p++;
            continue;
        }
        for (; scan_is_word(*p); p++)
            *p = (char)tolower((unsigned char)*p);
        if (*p)
            *p++ = 0;
        scan_rule_word(&r, word, before);
        before = word;
    }
    return r;
}

static bool scan_rules_clash(const struct scan_rule *x, const struct scan_rule *y)
{
    size_t both = 0;

    if (x->sign * y->sign >= 0 || !x->n || !y->n)
        return false;
    for (size_t i = 0; i < x->n; i++)
        for (size_t k = 0; k < y->n; k++)
            if (str_eq(x->words[i], y->words[k])) {
                both++;
                break;
            }
    return (double)both / (double)(x->n + y->n - both) >= SAME_WORDS;
}

#define RULES_MAX 64

static size_t scan_rules_of(struct arena *a, const char *text, struct scan_rule *out)
{
    size_t n = 0;

    while (*text && n < RULES_MAX) {
        size_t len = strcspn(text, ".!;\n");

        out[n] = scan_rule_of(a, text, len);
        n += out[n].sign != 0;
        text += len;
        text += strspn(text, ".!;\n");
    }
    return n;
}

bool skill_rules_contradict(struct arena *a, const char *x, const char *y)
{
    struct scan_rule *rx = arena_array(a, RULES_MAX + 1, sizeof *rx), *ry = arena_array(a, RULES_MAX + 1, sizeof *ry);
    size_t nx = scan_rules_of(a, x, rx), ny = scan_rules_of(a, y, ry);

    for (size_t i = 0; i < nx; i++)
        for (size_t k = 0; k < ny; k++)
            if (scan_rules_clash(&rx[i], &ry[k]))
                return true;
    return false;
}

static void scan_contradiction(struct skill_scan_work *w, const struct skill_scanned *a, const struct skill_scanned *b,
    enum skill_severity severity,
                               double similarity, struct uuid edge_id, const char *detail)
{
    struct skill_conflict x = {.conflict_type = CONFLICT_CONTRADICTION, .severity = severity, .method = METHOD_RULE,
        .similarity = similarity,
                               .edge_id = edge_id, .detail = detail};

    if (a && b)
        skill_scan_add(w, a, b, &x);
}

/* Postconditions of the skills that have any: the same key with another value. */
static void scan_postconditions(struct skill_scan_work *w)
{
    const struct skill_scanned **having = arena_array(w->c->arena, w->n_skills + 1, sizeof *having);
    const struct json **conditions = arena_array(w->c->arena, w->n_skills + 1, sizeof *conditions);
    size_t n = 0;

    for (size_t i = 0; i < w->n_skills; i++) {
        const struct json *post = strstr(w->skills[i].params, "postconditions") ?
            json_get(json_opened(w->c->arena, json_raw(w->c->arena, w->skills[i].params)), "postconditions") : NULL;

        if (json_is(post, JSON_OBJ)) {
            having[n] = &w->skills[i];
            conditions[n++] = post;
        }
    }
    for (size_t i = 0; i < n; i++)
        for (size_t k = i + 1; k < n; k++)
            for (const struct json *m = conditions[i]->first; m; m = m->next) {
                const struct json *other = json_get(conditions[k], m->key);

                if (other && !json_equal(m, other))
                    scan_contradiction(w, having[i], having[k], SEVERITY_HIGH, 0, (struct uuid){{0}},
                        arena_printf(w->c->arena, "after one '%.100s' is another thing than after the other", m->key));
            }
}

void skill_scan_contradictions(struct skill_scan_work *w)
{
    for (size_t i = 0; i < w->n_edges; i++)
        if (str_eq(w->edges[i].relation, "CONTRADICTS"))
            scan_contradiction(w, skill_scan_find(w, w->edges[i].source_id), skill_scan_find(w, w->edges[i].target_id), SEVERITY_HIGH, 0,
                w->edges[i].id, "an edge says that the two cannot both hold");
    for (size_t i = 0; i < w->n_pairs; i++) {
        const struct skill_scanned *a = skill_scan_find(w, w->pairs[i].a), *b = skill_scan_find(w, w->pairs[i].b);

        if (a && b && a->body && b->body && skill_rules_contradict(w->c->arena, a->body, b->body))
            scan_contradiction(w, a, b, SEVERITY_MEDIUM, w->pairs[i].similarity > 1 ? 1 : w->pairs[i].similarity, (struct uuid){{0}},
                "one says always, the other never");
    }
    scan_postconditions(w);
}

/* ---- what is required */

void skill_scan_dependencies(struct skill_scan_work *w)
{
    for (size_t i = 0; i < w->n_edges; i++) {
        const struct skill_scan_edge *e = &w->edges[i];
        const struct skill_scanned *a = skill_scan_find(w, e->source_id);
        bool is_gone = e->target_gone || str_eq(e->target_status, "archived") || str_eq(e->target_status, "deprecated");
        struct skill_conflict x = {.conflict_type = CONFLICT_DEPENDENCY, .method = METHOD_RULE, .edge_id = e->id};

        if (!a || !is_gone || str_eq(e->relation, "has_skill") || str_eq(e->relation, "CONTRADICTS"))
            continue;
        x.severity = str_eq(e->relation, "requires") ? SEVERITY_HIGH : SEVERITY_MEDIUM;
        x.detail = arena_printf(w->c->arena, "%s a skill that is %s", e->relation, e->target_gone ? "gone" : e->target_status);
        skill_scan_add(w, a, NULL, &x);
    }
}

void skill_scan_versions(struct skill_scan_work *w)
{
    int64_t own[3], parents[3];

    for (size_t i = 0; i < w->n_edges; i++) {
        const struct skill_scan_edge *e = &w->edges[i];
        const struct skill_scanned *target = skill_scan_find(w, e->target_id);
        struct skill_conflict x = {.conflict_type = CONFLICT_VERSION, .severity = SEVERITY_MEDIUM, .method = METHOD_RULE, .edge_id = e->id};

        if (!target || !e->version_req || !target->semver || version_req_is_met(e->version_req, target->semver))
            continue;
        x.detail = arena_printf(w->c->arena, "version %s is required, %s is served", e->version_req, target->semver);
        skill_scan_add(w, target, NULL, &x);
    }
    for (size_t i = 0; i < w->n_skills; i++) {
        const struct skill_scanned *s = &w->skills[i], *parent = skill_scan_find(w, s->parent_skill_id);
        struct skill_conflict x = {.conflict_type = CONFLICT_VERSION, .severity = SEVERITY_LOW, .method = METHOD_RULE};

        if (!parent || !s->semver || !parent->semver || !semver_parse(s->semver, own) || !semver_parse(parent->semver, parents) ||
            parents[0] <= own[0])
            continue;
        x.detail = arena_printf(w->c->arena, "a copy of a skill that is at version %s now", parent->semver);
        skill_scan_add(w, s, parent, &x);
    }
}

/* ---- names */

struct scan_name {
    const char *key, *whole; /* letters and digits in lower case; key: with one left out */
    const struct skill_scanned *skill;
};

static int scan_name_order(const void *a, const void *b)
{
    return strcmp(((const struct scan_name *)a)->key, ((const struct scan_name *)b)->key);
}

static char *scan_name_key(struct arena *a, const char *name)
{
    char *s = arena_strdup(a, unicode_fold(a, name)), *to = s;

    for (const char *p = s; *p; p++)
        if (scan_is_word(*p))
            *to++ = *p;
    *to = 0;
    return s;
}

static void scan_names_compare(struct skill_scan_work *w, const struct scan_name *x, const struct scan_name *y)
{
    struct skill_conflict found = {.conflict_type = CONFLICT_NAMING, .method = METHOD_LEXICAL, .severity = SEVERITY_LOW,
                                   .detail = "the names differ in one letter"};

    if (x->skill == y->skill)
        return;
    if (str_eq(x->whole, y->whole)) {
        found.severity = SEVERITY_MEDIUM;
        found.detail = "the names are the same";
    }
    skill_scan_add(w, x->skill, y->skill, &found);
}

/* Two names that differ in one letter are the same when one letter is left out of each, or of one of them. */
void skill_scan_names(struct skill_scan_work *w)
{
    struct scan_name *v;
    size_t n = 0, cap = 0;

    for (size_t i = 0; i < w->n_skills; i++)
        cap += strlen(w->skills[i].name) + 2;
    v = arena_array(w->c->arena, cap + 1, sizeof *v);
    for (size_t i = 0; i < w->n_skills; i++) {
        char *key = scan_name_key(w->c->arena, w->skills[i].name);
        size_t len = strlen(key);

        v[n++] = (struct scan_name){key, key, &w->skills[i]};
        for (size_t k = 0; len >= NAME_LEAST && k < len; k++)
            if (!k || key[k] != key[k - 1])
                v[n++] = (struct scan_name){arena_printf(w->c->arena, "%.*s%s", (int)k, key, key + k + 1), key, &w->skills[i]};
    }
    qsort(v, n, sizeof *v, scan_name_order);
    for (size_t i = 0; i < n; i++)
        for (size_t k = i + 1; k < n && k < i + 16 && str_eq(v[i].key, v[k].key); k++)
            scan_names_compare(w, &v[i], &v[k]);
}
