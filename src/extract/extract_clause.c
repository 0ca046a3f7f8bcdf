/* What a clause is besides its words; see extract_impl.h. */
#include <string.h>

#include "extract_impl.h"

/* ---- what makes no claim */

#define CONDITIONS \
    "if would could might may should unless whether suppose supposing imagine hypothetically wish wishes hope hopes wonder " \
    "wondering asked ask assuming must"
#define ORDERS \
    "please let make do use try run open close add remove check see look go write read install delete update create set " \
    "call send ask tell give take get consider imagine suppose remember note avoid keep put show move wait stop click " \
    "ensure compare"
#define ASKS "is are was were do does did can could would will should has have who what where when why how which am"

static bool clause_has(const struct tokens *t, const char *words)
{
    for (size_t i = 0; i < t->n; i++)
        if (token_is(&t->v[i], words))
            return true;
    return false;
}

bool clause_claims_nothing(const struct tokens *t, const char *text, size_t end)
{
    bool example = false;

    if (!t->n || (end && text[end - 1] == '?') || clause_has(t, CONDITIONS))
        return true;
    for (size_t i = 0; i + 1 < t->n; i++) {
        example |= token_is(&t->v[i], "for") && token_is(&t->v[i + 1], "example instance");
        example |= token_is(&t->v[i], "e.g e.g.") || (t->v[i].text[0] == '?' && !t->v[i].text[1]);
    }
    if (example || token_is(&t->v[0], ASKS) || token_is(&t->v[0], "there here"))
        return true;
    return token_is(&t->v[0], ORDERS) && !(t->n > 1 && token_is(&t->v[1], "is are was runs uses"));
}

/* ---- what is taken out */

static void clause_cut(struct clause *c, size_t at, size_t n)
{
    memmove(&c->v[at], &c->v[at + n], (c->n - at - n) * sizeof *c->v);
    c->n -= n;
}

static bool clause_at(const struct clause *c, size_t i, const char *words)
{
    return i < c->n && token_is(&c->v[i], words);
}

static const struct {
    const char *word;
    double factor;
} DOUBTS[] = {{"maybe", 0.6}, {"perhaps", 0.6}, {"possibly", 0.6}, {"apparently", 0.7}, {"probably", 0.8}, {"likely", 0.8},
    {"supposedly", 0.6},
              {"allegedly", 0.6}};

/* "I think", "he said that": their words go. */
static bool clause_lead(struct clause *c)
{
    size_t n = 2;

    if (!clause_at(c, 0, "i we he she they people") || c->n < 4)
        return false;
    if (clause_at(c, 1, "think believe guess assume suspect heard hear"))
        c->doubt *= clause_at(c, 1, "heard hear") ? 0.7 : 0.6;
    else if (clause_at(c, 1, "say says said told"))
        c->doubt *= 0.7;
    else if (!clause_at(c, 1, "know confirm confirmed see saw"))
        return false;
    n += clause_at(c, 1, "told") && c->n > 4;
    n += clause_at(c, n, "that");
    clause_cut(c, 0, n);
    return true;
}

/* "remember that", "note that", "according to X," */
static void clause_introduction(struct clause *c)
{
    static const char STARTS[] = "actually correction currently now today recently also however and but so then well ok okay fyi btw "
        "anyway meanwhile "
                                 "still yes no oh hi hello";

    while (c->n > 3 && (clause_at(c, 0, STARTS) || (!c->v[0].is_word && !c->v[0].quoted)))
        clause_cut(c, 0, 1);
    if (clause_at(c, 0, "remember note") && clause_at(c, 1, "that"))
        clause_cut(c, 0, 2);
    if (clause_at(c, 0, "according") && clause_at(c, 1, "to"))
        for (size_t i = 2; i < c->n && i < 8; i++)
            if (c->v[i].text[0] == ',') {
                clause_cut(c, 0, i + 1);
                c->doubt *= 0.7;
                return;
            }
}

#define ADVERBS \
    "currently now still already also usually mainly mostly really just actually recently primarily generally always often " \
    "formally officially originally finally definitely certainly basically simply both then"

/* One word, or a few, that say how the clause is meant. How many; 0: none. */
static size_t clause_sign(struct clause *c, size_t i)
{
    for (size_t k = 0; k < sizeof DOUBTS / sizeof *DOUBTS; k++)
        if (strcmp(c->v[i].low, DOUBTS[k].word) == 0) {
            c->doubt *= DOUBTS[k].factor;
            return 1;
        }
    if (clause_at(c, i, "no") && clause_at(c, i + 1, "longer"))
        return c->ends = true, 2;
    if (clause_at(c, i, "not") && clause_at(c, i + 1, "only"))
        return 2;
    if (clause_at(c, i, "anymore") || (clause_at(c, i, "any") && clause_at(c, i + 1, "more longer")))
        return c->ends = true, clause_at(c, i, "any") ? 2 : 1;
    if (clause_at(c, i, "do does did") && i) {
        c->past |= clause_at(c, i, "did");
        return 1;
    }
    if (clause_at(c, i, "not never neither nor"))
        return c->negative = true, 1;
    if (clause_at(c, i, "formerly previously"))
        return c->ends = true, 1;
    if (clause_at(c, i, "used") && clause_at(c, i + 1, "to"))
        return c->ends = true, 2;
    if (clause_at(c, i, "stopped quit stops") && i + 1 < c->n && strlen(c->v[i + 1].low) > 4 &&
        strcmp(c->v[i + 1].low + strlen(c->v[i + 1].low) - 3, "ing") == 0)
        return c->ends = true, 1;
    return 0;
}

static size_t clause_future(struct clause *c, size_t i)
{
    if (clause_at(c, i, "will shall") && i)
        return c->planned = true, 1;
    if (clause_at(c, i, "is are am be") && clause_at(c, i + 1, "going planning") && clause_at(c, i + 2, "to"))
        return c->planned = true, 3;
    if (clause_at(c, i, "plans plan intends intend wants hopes") && clause_at(c, i + 1, "to"))
        return c->planned = true, 2;
    return 0;
}

void clause_strip(struct clause *c)
{
    c->doubt = c->doubt > 0 ? c->doubt : 1;
    clause_introduction(c);
    while (clause_lead(c))
        ;
    for (size_t i = 0; i < c->n;) {
        size_t n = clause_sign(c, i);

        n = n ? n : clause_future(c, i);
        if (!n && i && i + 1 < c->n && clause_at(c, i, ADVERBS))
            n = 1;
        if (!n && clause_at(c, i, "seems appears") && clause_at(c, i + 1, "to")) {
            c->doubt *= 0.6;
            n = 2;
        }
        if (!n && i && clause_at(c, i, "has have") && i + 1 < c->n && !clause_at(c, i + 1, "a an the no two three") &&
            (token_form_of(c->v[i + 1].low, "be") == FORM_PAST || (strlen(c->v[i + 1].low) > 4 &&
                strcmp(c->v[i + 1].low + strlen(c->v[i + 1].low) - 2, "ed") == 0) ||
             clause_at(c, i + 1, "been had bought chosen left met led run written spoken built begun held kept gone"))) {
            c->perfect = true;
            n = 1;
        }
        if (n)
            clause_cut(c, i, n);
        else
            i++;
    }
}
