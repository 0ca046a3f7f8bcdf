/* Sentences into claims; see rule_extract.h. */
#include "rule_extract.h"

#include <string.h>

#include "extract_impl.h"
#include "sentences.h"

#define NAMES_KEPT 3 /* sentences in which a pronoun looks for its name */
#define MEMBERS 50   /* of a list */
#define COREFERENCE 0.9

struct extracting {
    struct arena *arena;
    const struct extract_rules *rules;
    const struct extract_context *ctx;
    const char *text;
    struct extracted out;
    const char *names[NAMES_KEPT]; /* subject of each of the last sentences; NULL: none, or several */
    const char *name_now;          /* of this sentence; "": several */
    bool has_name;                 /* somebody is named in it */
    size_t sentence, of_sentence, start, end;
    int steps;
};

/* ---- matching a rule */

struct match {
    size_t subject, subject_n, object, object_n;
    enum token_form form; /* of the first word that matched */
    bool has_form;
};

static bool match_from(struct extracting *x, const struct rule *r, const struct clause *c, size_t e, size_t i, struct match *m)
{
    const struct element *el = &r->v[e];

    if (++x->steps > EXTRACT_STEPS)
        return false;
    if (e == r->n)
        return i == c->n;
    if (el->kind == ELEMENT_WORDS) {
        for (size_t k = 0; i < c->n && k < el->n; k++) {
            enum token_form form = token_form_of(c->v[i].low, el->words[k]);
            struct match kept = *m;

            if (form == FORM_OTHER)
                continue;
            if (!m->has_form) {
                m->has_form = true;
                m->form = form;
            }
            if (match_from(x, r, c, e + 1, i + 1, m))
                return true;
            *m = kept;
        }
        return el->optional && match_from(x, r, c, e + 1, i, m);
    }
    for (size_t n = e + 1 == r->n ? c->n - i : 1; i + n <= c->n && n && (e + 1 == r->n || n <= 10); n++) {
        *(el->kind == ELEMENT_SUBJECT ? &m->subject : &m->object) = i;
        *(el->kind == ELEMENT_SUBJECT ? &m->subject_n : &m->object_n) = n;
        if (match_from(x, r, c, e + 1, i + n, m))
            return true;
    }
    return false;
}

/* ---- subjects */

/* The one name of the last sentences; NULL: there is none, or there are several. */
static const char *name_before(const struct extracting *x)
{
    const char *name = NULL;

    for (size_t i = 0; i < NAMES_KEPT; i++) {
        if (!x->names[i])
            continue;
        if (!*x->names[i] || (name && strcmp(name, x->names[i]) != 0))
            return NULL;
        name = x->names[i];
    }
    return name;
}

static const char *extract_subject(struct extracting *x, const struct token *t, size_t n, double *doubt)
{
    if (n == 1 && token_is(t, "i we"))
        return x->ctx->speaker;
    if (n == 1 && token_is(t, "he she they it this")) {
        *doubt *= COREFERENCE;
        return name_before(x);
    }
    return noun_subject(x->arena, t, n);
}

/* ---- claims */

struct found {
    const char *subject, *predicate, *rule_id;
    double confidence;
    enum rule_effect effect;
    enum token_form form;
    const struct token *object;
    size_t object_n;
};

static void claim_times(const struct extracting *x, const struct clause *c, const struct found *f, struct extract_claim *k)
{
    int64_t said = x->ctx->captured_at + (int64_t)x->sentence;
    bool past = f->effect == EFFECT_OPEN && (c->past || f->form == FORM_PAST) && !c->ends && !c->has_since;

    k->at = c->at ? c->at : said;
    k->until = c->until;
    k->negative = c->negative || c->ends || f->effect == EFFECT_CLOSE;
    if (c->planned) {
        k->modality = EXTRACT_PLANNED;
        return;
    }
    if (c->at && c->until && c->until <= x->ctx->captured_at)
        past = f->effect == EFFECT_OPEN;
    if (!past || (c->perfect && c->has_since))
        return;
    k->modality = EXTRACT_PAST;
    k->until = c->until ? c->until : k->at;
}

static const char *statement_of(const struct extracting *x, const struct clause *c, const struct found *f)
{
    size_t from = c->n ? c->v[0].start : x->start;
    const char *all = arena_strndup(x->arena, x->text + x->start, x->end - x->start);

    if (strstr(all, f->subject))
        return all;
    for (size_t i = 0; i < c->n && noun_is_pronoun(&c->v[i]); i++)
        from = c->v[i].end;
    return arena_printf(x->arena, "%s%s%.*s", f->subject, x->text[from] == ' ' ? "" : " ", (int)(x->end - from), x->text + from);
}

/* Who is meant by "she" after it may be either. */
static bool is_between_people(const char *predicate)
{
    return strstr("met knows manages married_to reports_to leads", predicate) != NULL;
}

static void claim_add(struct extracting *x, const struct clause *c, const struct found *f, const struct token *t, size_t n)
{
    const char *object = noun_object(x->arena, t, n);
    struct extract_claim k = {.subject = f->subject, .predicate = f->predicate, .object = object, .rule_id = f->rule_id,
                              .confidence = f->confidence * c->doubt, .start = x->start, .end = x->end};

    if (!object || k.confidence < EXTRACT_CONFIDENCE || strcmp(object, f->subject) == 0) {
        x->out.unclear++;
        return;
    }
    if (x->out.n >= EXTRACT_CLAIMS || x->of_sentence >= EXTRACT_OF_SENTENCE) {
        x->out.too_many++;
        return;
    }
    claim_times(x, c, f, &k);
    k.statement = statement_of(x, c, f);
    x->out.claims[x->out.n++] = k;
    x->of_sentence++;
    x->name_now = (x->name_now && strcmp(x->name_now, f->subject) != 0) || is_between_people(f->predicate) ? "" : f->subject;
}

static bool is_list_break(const struct token *t)
{
    return t->text[0] == ',' || token_is(t, "and or & plus");
}

/* A, B and C: with commas, or of names. */
static bool is_list(const struct token *t, size_t n)
{
    size_t commas = 0, ands = 0, words = 0;
    bool names = true;

    for (size_t i = 0; i < n; i++) {
        commas += t[i].text[0] == ',';
        ands += token_is(&t[i], "and or & plus");
        if (is_list_break(&t[i])) {
            words = 0;
            continue;
        }
        names &= t[i].capital || t[i].number || words;
        if (++words > 4)
            return false;
    }
    return ands && (commas || names);
}

static void claims_of(struct extracting *x, const struct clause *c, const struct found *f)
{
    size_t n = noun_object_end(f->object, f->object_n), from = 0, members = 0;

    for (size_t i = 0; i < n; i++)
        if (f->object[i].text[0] == '(' || f->object[i].text[0] == ':')
            n = i;
    if (!is_list(f->object, n)) {
        for (size_t i = 0; i < n; i++)
            if (f->object[i].text[0] == ',')
                n = i;
        if (n)
            claim_add(x, c, f, f->object, n);
        return;
    }
    for (size_t i = 0; i <= n && members < MEMBERS; i++) {
        if (i < n && !is_list_break(&f->object[i]))
            continue;
        if (i > from) {
            claim_add(x, c, f, f->object + from, i - from);
            members++;
        }
        from = i + 1;
    }
}

/* ---- a clause */

static bool clause_by_rules(struct extracting *x, const struct clause *c)
{
    for (size_t i = 0; i < x->rules->n && x->steps <= EXTRACT_STEPS; i++) {
        const struct rule *r = &x->rules->v[i];
        struct match m = {0};
        struct found f = {.rule_id = r->id, .predicate = r->predicate, .confidence = r->confidence, .effect = r->effect};

        if (!match_from(x, r, c, 0, 0, &m) || (m.form == FORM_ING && !c->ends))
            continue;
        f.subject = extract_subject(x, &c->v[m.subject], m.subject_n, &f.confidence);
        if (!f.subject || !*f.subject) {
            x->out.unclear++;
            continue;
        }
        f.form = m.form;
        f.object = &c->v[m.object];
        f.object_n = m.object_n;
        claims_of(x, c, &f);
        return true;
    }
    return false;
}

/* the K of S is V; S's K is V; my K is V */
static bool clause_attribute(struct extracting *x, const struct clause *c)
{
    struct found f = {.rule_id = "attribute", .confidence = 0.8};
    size_t be = 1, of = 0, had = 0;

    while (be < c->n && token_form_of(c->v[be].low, "be") == FORM_OTHER)
        be++;
    if (be + 1 >= c->n || c->negative)
        return false;
    f.form = token_form_of(c->v[be].low, "be");
    for (size_t i = 0; i < be; i++) {
        of = !of && token_is(&c->v[i], "of") ? i : of;
        had = c->v[i].possessive ? i + 1 : had;
    }
    if (had && had < be) {
        f.subject = noun_owner(x->arena, c->v, had);
        f.predicate = noun_attribute(x->arena, &c->v[had], be - had);
    } else if (of > 1 && token_is(&c->v[0], "the")) {
        f.subject = noun_subject(x->arena, &c->v[of + 1], be - of - 1);
        f.predicate = noun_attribute(x->arena, &c->v[1], of - 1);
    } else if (token_is(&c->v[0], "my") && be > 1) {
        f.subject = x->ctx->speaker;
        f.predicate = noun_attribute(x->arena, &c->v[1], be - 1);
    }
    if (!f.subject || !f.predicate)
        return false;
    f.object = &c->v[be + 1];
    f.object_n = c->n - be - 1;
    claims_of(x, c, &f);
    return true;
}

static void clause_read(struct extracting *x, const struct token *t, size_t n)
{
    struct clause c = {.doubt = 1};

    while (n && !t[n - 1].is_word)
        n--;
    memcpy(c.v, t, n * sizeof *t);
    c.n = n;
    clause_strip(&c);
    clause_dates(&c, x->ctx->captured_at);
    while (c.n && !c.v[c.n - 1].is_word)
        c.n--;
    if (c.n < 3)
        return;
    if (!clause_attribute(x, &c))
        (void)clause_by_rules(x, &c);
}

/* ---- a sentence */

/* Is that word how a rule's verb begins? Then a clause may begin with it. */
static bool begins_clause(const struct extracting *x, const struct token *t)
{
    if (token_is(t, "is has was had"))
        return true;
    for (size_t i = 0; i < x->rules->n; i++)
        for (size_t k = 0; k < x->rules->v[i].n; k++) {
            const struct element *e = &x->rules->v[i].v[k];
            enum token_form form;

            if (e->kind != ELEMENT_WORDS || e->optional)
                continue;
            form = token_form_of(t->low, e->words[0]);
            if (form == FORM_PRESENT || form == FORM_PAST)
                return true;
            break;
        }
    return false;
}

/* How long the subject at the front is that a second clause shares. */
static size_t shared_subject(const struct extracting *x, const struct tokens *t)
{
    for (size_t i = 1; i < t->n && i < 8; i++)
        if (begins_clause(x, &t->v[i]) || token_is(&t->v[i], "does do will no used currently still"))
            return i;
    return 0;
}

static void extract_sentence(struct extracting *x)
{
    struct tokens *t = ARENA_NEW(x->arena, struct tokens);
    struct token *joined = ARENA_ARRAY(x->arena, struct token, TOKENS_MAX);
    size_t from = 0, subject;

    if (!tokens_read(x->arena, x->text, x->start, x->end, t) || clause_claims_nothing(t, x->text, x->end))
        return;
    subject = shared_subject(x, t);
    for (size_t i = 0; i < t->n; i++)
        x->has_name |= t->v[i].capital && (i || noun_subject(x->arena, t->v, 1));
    for (size_t i = 1; i <= t->n; i++) {
        bool ends = i == t->n || t->v[i].text[0] == ';', both = false;

        if (!ends && i + 1 < t->n && token_is(&t->v[i], "and but")) {
            both = begins_clause(x, &t->v[i + 1]) && !t->v[i + 1].capital;
            ends = both || token_is(&t->v[i + 1], "he she they it i we no does is") ||
                   (t->v[i + 1].capital && i + 2 < t->n && begins_clause(x, &t->v[i + 2]));
        }
        if (!ends)
            continue;
        if (from && subject && begins_clause(x, &t->v[from]) && subject + i - from < TOKENS_MAX) {
            memcpy(joined, t->v, subject * sizeof *joined);
            memcpy(joined + subject, &t->v[from], (i - from) * sizeof *joined);
            clause_read(x, joined, subject + i - from);
        } else
            clause_read(x, &t->v[from], i - from);
        from = i + 1;
    }
}

/* ---- a text */

/* Code, quotations and our own fence become line ends: bytes stay where they are. */
static char *without_code(struct arena *a, const char *text, size_t n)
{
    char *s = arena_strndup(a, text, n);
    bool code = false, fence = false;

    for (size_t i = 0, k; i < n; i += k + 1) {
        const char *line = text + i;
        bool skip, mark;

        k = strcspn(line, "\n");
        k = i + k > n ? n - i : k;
        mark = strncmp(line, "```", 3) == 0;
        fence |= memmem(line, k, "<recalled-memory-context", 24) != NULL;
        skip = code || mark || fence || *line == '>' || (k > 4 && strncmp(line, "    ", 4) == 0) || *line == '\t' || memchr(line, '{', k) ||
               memmem(line, k, "  at ", 5) || memmem(line, k, "();", 3);
        code ^= mark;
        if (fence && memmem(line, k, "</recalled-memory-context", 25))
            fence = false;
        if (skip)
            memset(s + i, '\n', k);
    }
    return s;
}

struct extracted extract(struct arena *a, const struct extract_rules *r, const char *text, size_t n, const struct extract_context *ctx)
{
    char *s = without_code(a, text, n);
    struct extracting x = {.arena = a, .rules = r, .ctx = ctx, .text = s, .out.claims = ARENA_ARRAY(a, struct extract_claim,
        EXTRACT_CLAIMS)};
    size_t len;

    for (const char *p = sentence_next(s, &len); p; p = sentence_next(p + len, &len)) {
        x.start = (size_t)(p - s);
        x.end = x.start + len;
        x.steps = 0;
        x.of_sentence = 0;
        x.name_now = NULL;
        x.has_name = false;
        x.sentence++;
        extract_sentence(&x);
        memmove(x.names + 1, x.names, (NAMES_KEPT - 1) * sizeof *x.names);
        x.names[0] = x.name_now ? x.name_now : x.has_name ? "" : NULL;
    }
    x.out.sentences = x.sentence;
    return x.out;
}
