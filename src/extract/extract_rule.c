/* Reading rules files; see rule_extract.h. A rule is a few lines:
 *
 *     rule deploy.1 predicate=runs_on confidence=0.85 effect=open
 *       match <s> be? (run|live) (to|on) <o>
 *       test + "Loci runs on host7." => Loci | runs_on | host7
 *       test - "Is it deployed to prod?"
 *     end
 */
#include <stdlib.h>
#include <string.h>

#include "extract_impl.h"
#include "str.h"

#define TESTS_MAX 16

struct rules_reader {
    struct arena *arena;
    struct extract_rules *rules;
    struct extract_fault *faults;
    size_t max, n_faults;
    int line;
    struct rule now;
    bool inside, bad;
};

static void rules_fault(struct rules_reader *r, const char *why)
{
    if (r->n_faults < r->max)
        r->faults[r->n_faults] = (struct extract_fault){r->line, why};
    r->n_faults++;
    r->bad = true;
}

/* The next word of the line; NULL: there is none. */
static const char *rules_word(struct arena *a, const char **p)
{
    const char *from = *p + strspn(*p, " \t");
    size_t n = strcspn(from, " \t");

    *p = from + n;
    return n ? arena_strndup(a, from, n) : NULL;
}

static void rules_head(struct rules_reader *r, const char *p)
{
    const char *word;

    r->now = (struct rule){.id = rules_word(r->arena, &p), .confidence = 0.8, .tests = ARENA_ARRAY(r->arena, struct rule_test, TESTS_MAX)};
    r->inside = true;
    r->bad = false;
    while ((word = rules_word(r->arena, &p))) {
        if (str_starts(word, "predicate="))
            r->now.predicate = word + 10;
        else if (str_starts(word, "confidence="))
            r->bad |= !str_to_double(word + 11, &r->now.confidence);
        else if (strcmp(word, "effect=event") == 0)
            r->now.effect = EFFECT_EVENT;
        else if (strcmp(word, "effect=close") == 0)
            r->now.effect = EFFECT_CLOSE;
        else if (strcmp(word, "effect=open") != 0)
            rules_fault(r, arena_printf(r->arena, "unknown word %s", word));
    }
    if (!r->now.id || !r->now.predicate || r->now.confidence <= 0 || r->now.confidence > 1)
        rules_fault(r, "a rule needs an id, a predicate and a confidence of 0 to 1");
}

static void rules_element(struct rules_reader *r, char *word)
{
    struct element *e = &r->now.v[r->now.n++];
    size_t n = strlen(word);

    *e = (struct element){.words = ARENA_ARRAY(r->arena, const char *, 16)};
    if (strcmp(word, "<s>") == 0 || strcmp(word, "<o>") == 0) {
        e->kind = word[1] == 's' ? ELEMENT_SUBJECT : ELEMENT_OBJECT;
        return;
    }
    e->kind = ELEMENT_WORDS;
    e->optional = word[n - 1] == '?';
    word[n - e->optional] = 0;
    n = strlen(word);
    if (*word == '(' && word[n - 1] == ')') {
        word[n - 1] = 0;
        word++;
    }
    for (char *at = word, *bar; at; at = bar) {
        bar = strchr(at, '|');
        if (bar)
            *bar++ = 0;
        if (*at && e->n < 16)
            e->words[e->n++] = at;
    }
    if (!e->n)
        rules_fault(r, "an element without words");
}

static void rules_match(struct rules_reader *r, const char *p)
{
    bool subject = false, object = false, literal = false;
    const char *word;

    while ((word = rules_word(r->arena, &p))) {
        if (r->now.n == ELEMENTS_MAX) {
            rules_fault(r, "more than 24 elements");
            return;
        }
        rules_element(r, arena_strdup(r->arena, word));
        subject |= r->now.v[r->now.n - 1].kind == ELEMENT_SUBJECT;
        object |= r->now.v[r->now.n - 1].kind == ELEMENT_OBJECT;
        literal |= r->now.v[r->now.n - 1].kind == ELEMENT_WORDS && !r->now.v[r->now.n - 1].optional;
    }
    if (!subject || !object || !literal)
        rules_fault(r, "a match needs <s>, <o> and a word");
}

static const char *rules_trim(struct arena *a, const char *p, size_t n)
{
    while (n && (*p == ' ' || *p == '\t')) {
        p++;
        n--;
    }
    while (n && (p[n - 1] == ' ' || p[n - 1] == '\t'))
        n--;
    return arena_strndup(a, p, n);
}

/* + "sentence" => subject | predicate | object, or - "sentence" */
static void rules_case(struct rules_reader *r, const char *p)
{
    struct rule_test t = {.line = r->line};
    const char *open = strchr(p, '"'), *close = open ? strchr(open + 1, '"') : NULL, *arrow = close ? strstr(close, "=>") : NULL;
    const char *bar = arrow ? strchr(arrow, '|') : NULL, *second = bar ? strchr(bar + 1, '|') : NULL;

    t.wanted = strchr(p, '+') && (!open || strchr(p, '+') < open);
    if (!close || (t.wanted && !second) || r->now.n_tests == TESTS_MAX) {
        rules_fault(r, "a test is + \"sentence\" => subject | predicate | object, or - \"sentence\"");
        return;
    }
    t.sentence = arena_strndup(r->arena, open + 1, (size_t)(close - open) - 1);
    if (t.wanted) {
        t.subject = rules_trim(r->arena, arrow + 2, (size_t)(bar - arrow) - 2);
        t.predicate = rules_trim(r->arena, bar + 1, (size_t)(second - bar) - 1);
        t.object = rules_trim(r->arena, second + 1, strlen(second + 1));
    }
    r->now.tests[r->now.n_tests++] = t;
}

static void rules_line(struct rules_reader *r, const char *line)
{
    const char *p = line, *word = rules_word(r->arena, &p);

    if (!word || *word == '#')
        return;
    if (strcmp(word, "rule") == 0)
        rules_head(r, p);
    else if (!r->inside)
        rules_fault(r, "outside of a rule");
    else if (strcmp(word, "match") == 0)
        rules_match(r, p);
    else if (strcmp(word, "test") == 0)
        rules_case(r, p);
    else if (strcmp(word, "end") != 0)
        rules_fault(r, arena_printf(r->arena, "unknown word %s", word));
    else {
        if (!r->bad && r->now.n && r->rules->n < EXTRACT_RULES)
            r->rules->v[r->rules->n++] = r->now;
        r->inside = false;
    }
}

struct extract_rules *extract_rules_read(struct arena *a, const char *text, struct extract_fault *faults, size_t max, size_t *n_faults)
{
    struct rules_reader *r = ARENA_NEW(a, struct rules_reader);
    size_t rules = 1;

    for (const char *p = text; (p = strstr(p, "rule ")); p++)
        rules++;
    *r = (struct rules_reader){.arena = a, .faults = faults, .max = max, .rules = ARENA_NEW(a, struct extract_rules)};
    r->rules->v = ARENA_ARRAY(a, struct rule, rules);
    for (const char *p = text; *p; p += *p == '\n') {
        size_t n = strcspn(p, "\n");

        r->line++;
        rules_line(r, arena_strndup(a, p, n));
        p += n;
    }
    *n_faults = r->n_faults;
    return r->rules;
}

size_t extract_rules_count(const struct extract_rules *r)
{
    return r->n;
}

static bool rules_test_passes(struct arena *a, const struct extract_rules *r, const struct rule_test *t)
{
    struct extract_context ctx = {.speaker = "Speaker", .captured_at = 1};
    struct extracted x = extract(a, r, t->sentence, strlen(t->sentence), &ctx);

    if (!t->wanted)
        return x.n == 0;
    for (size_t i = 0; i < x.n; i++)
        if (strcmp(x.claims[i].subject, t->subject) == 0 && strcmp(x.claims[i].predicate, t->predicate) == 0 &&
            strcmp(x.claims[i].object, t->object) == 0)
            return true;
    return false;
}

size_t extract_rules_test(struct arena *a, const struct extract_rules *r, struct extract_fault *faults, size_t max)
{
    size_t n = 0;

    for (size_t i = 0; i < r->n; i++)
        for (size_t k = 0; k < r->v[i].n_tests; k++) {
            if (rules_test_passes(a, r, &r->v[i].tests[k]))
                continue;
            if (n < max)
                faults[n] = (struct extract_fault){r->v[i].tests[k].line, r->v[i].tests[k].sentence};
            n++;
        }
    return n;
}
