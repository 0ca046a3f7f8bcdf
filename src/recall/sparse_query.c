/* The query language; see sparse_query.h. Reading never fails: what makes no sense as syntax is text. */
#include "sparse_query.h"

#include <assert.h>
#include <string.h>

#include "sentences.h"
#include "sparse_piece.h"

/* Of one query; what follows is plain words: each may cost as much as all plain words together. */
#define OPERATORS_MAX 12

/* Words of a query from which on it is prose, in which a dash is a dash. */
#define PROSE 13
#define SENTENCE_WORDS 3 /* a shorter sentence belongs to the one before */

/* A query as it grows. */
struct reader {
    struct arena *arena;
    struct analyzer *const *z;
    size_t n_z;
    struct sparse_clause *clauses;
    size_t n, cap;
    uint32_t *slots; /* clauses + 1 of single plain words, by hash */
    size_t slot_mask;
    size_t positive; /* clauses that can find something */
    uint32_t sentence;
    bool has_lines; /* of a message: the last one is what is asked */
    bool earlier[SPARSE_SENTENCES];
};

/* One text in every analysis: the first language's, the words as they are, the other languages'. */
struct reading {
    const struct text_terms *of;
    size_t n;
};

static const struct text_term *term_in(const struct reading *r, size_t analysis, size_t i)
{
    const struct text_terms *first = &r->of[0], *t = &r->of[analysis];

    /* Languages may disagree about how many words there are; then the first is right. */
    return t->n == first->n && t->at[i].position == first->at[i].position ? &t->at[i] : NULL;
}

static struct reading read_text(const struct reader *q, const char *text, size_t n)
{
    struct text_terms *of = ARENA_ARRAY(q->arena, struct text_terms, q->n_z + 1);

    for (size_t i = 0; i < q->n_z + 1; i++) {
        unsigned options = ANALYZE_QUERY | (i == 1 ? ANALYZE_EXACT : 0);

        of[i].arena = q->arena;
        analyze(q->z[i ? i - 1 : 0], TEXT_BODY, text, n, options, &of[i]);
    }
    return (struct reading){of, q->n_z + 1};
}

/* ---- words */

static struct bytes sparse_query_text_of(const struct text_term *t)
{
    return (struct bytes){t->text, t->length};
}

static bool same_text(struct bytes a, struct bytes b)
{
    return a.n == b.n && memcmp(a.p, b.p, a.n) == 0;
}

static void sparse_query_add_form(struct bytes *forms, size_t *n, struct bytes form)
{
    for (size_t i = 0; i < *n; i++)
        if (same_text(forms[i], form))
            return;
    forms[(*n)++] = form;
}

static struct sparse_word sparse_query_word_of(const struct reader *q, const struct reading *r, size_t i)
{
    struct bytes *forms = ARENA_ARRAY(q->arena, struct bytes, r->n);
    struct sparse_word word = {.forms = forms, .offset = r->of[0].at[i].position};

    for (size_t k = 0; k < r->n; k++)
        if (term_in(r, k, i))
            sparse_query_add_form(forms, &word.n_forms, sparse_query_text_of(term_in(r, k, i)));
    return word;
}

/* Stems hide endings: run stands for running, which begins with runn. So the beginning is completed with
   the endings that words have, and the stems of those are looked for too. */
static struct sparse_word prefix_of(const struct reader *q, const struct text_term *exact)
{
    static const char *const ENDINGS[] = { "", "d", "e", "g", "n", "s", "y", "ed", "er", "es", "ly", "ies", "ing",
                                           "ion",
                                           "ment", "ness", "tion", "ation" };
    const size_t n_endings = sizeof ENDINGS / sizeof *ENDINGS;
    struct bytes *forms = ARENA_ARRAY(q->arena, struct bytes, 1 + n_endings * q->n_z);
    struct sparse_word word = {.forms = forms, .n_forms = 1, .offset = exact->position, .prefix = true};

    forms[0] = (struct bytes){exact->text, exact->length};
    for (size_t i = 0; i < n_endings * q->n_z; i++) {
        struct text_terms t = {.arena = q->arena};
        const char *ending = ENDINGS[i / q->n_z];
        const char *whole = arena_printf(q->arena, "%.*s%s", (int)exact->length, exact->text, ending);

        analyze(q->z[i % q->n_z], TEXT_BODY, whole, strlen(whole), ANALYZE_QUERY, &t);
        if (t.n == 1 &&
            (t.at[0].length < exact->length || memcmp(t.at[0].text, exact->text, exact->length) != 0))
            sparse_query_add_form(forms, &word.n_forms, sparse_query_text_of(&t.at[0]));
    }
    return word;
}

/* ---- clauses */

static const char *shown(struct arena *a, const struct sparse_clause *c)
{
    struct buf b;

    buf_init(&b, a, 32);
    buf_puts(&b, c->role == CLAUSE_REQUIRED ? "+" : c->role == CLAUSE_EXCLUDED ? "-" : "");
    buf_puts(&b, c->title ? "title:" : "");
    buf_puts(&b, c->n_words > 1 ? "\"" : "");
    for (size_t i = 0; i < c->n_words; i++) {
        buf_puts(&b, i ? " " : "");
        buf_add(&b, c->words[i].forms[0].p, c->words[i].forms[0].n);
        buf_puts(&b, c->words[i].prefix ? "*" : "");
    }
    buf_puts(&b, c->n_words > 1 ? "\"" : "");
    return buf_str(&b);
}

static void add_clause(struct reader *q, struct sparse_clause c)
{
    if (q->n == q->cap) {
        struct sparse_clause *wider;

        q->cap = q->cap ? q->cap * 2 : 16;
        wider = ARENA_ARRAY(q->arena, struct sparse_clause, q->cap);

        if (q->n)
            memcpy(wider, q->clauses, q->n * sizeof *wider);
        q->clauses = wider;
    }
    c.sentence = q->sentence;
    c.text = shown(q->arena, &c);
    q->clauses[q->n++] = c;
    q->positive += c.role != CLAUSE_EXCLUDED;
}

static bool sparse_query_is_plain(const struct sparse_clause *c, const struct sparse_word *word, bool title)
{
    return c->n_words == 1 && c->role == CLAUSE_OPTIONAL && c->title == title && !c->words[0].prefix &&
           same_text(c->words[0].forms[0], word->forms[0]);
}

/* Two ways to write one word: the clause stands for the forms of both. */
static void add_forms(struct reader *q, struct sparse_clause *c, const struct sparse_word *more)
{
    struct sparse_word word = c->words[0];
    struct bytes *forms = ARENA_ARRAY(q->arena, struct bytes, word.n_forms + more->n_forms);

    memcpy(forms, word.forms, word.n_forms * sizeof *forms);
    for (size_t i = 0; i < more->n_forms; i++)
        sparse_query_add_form(forms, &word.n_forms, more->forms[i]);
    word.forms = forms;
    c->words = arena_memdup(q->arena, &word, sizeof word);
}

static void grow_slots(struct reader *q)
{
    q->slot_mask = q->slot_mask ? q->slot_mask * 2 + 1 : 63;
    q->slots = ARENA_ARRAY(q->arena, uint32_t, q->slot_mask + 1);
    for (size_t i = 0; i < q->n; i++) {
        const struct bytes *form = &q->clauses[i].words[0].forms[0];
        size_t at = term_hash(form->p, form->n) & q->slot_mask;

        while (q->slots[at])
            at = (at + 1) & q->slot_mask;
        q->slots[at] = (uint32_t)i + 1;
    }
}

/* A word that the sentence, or an earlier one, may have already. */
static void sparse_query_add_plain(struct reader *q, const struct sparse_word *word, bool title)
{
    struct sparse_clause c = {.n_words = 1, .title = title, .first = (uint32_t)q->n};
    struct sparse_word alone;
    size_t at;

    if (q->n * 2 >= q->slot_mask)
        grow_slots(q);
    at = term_hash(word->forms[0].p, word->forms[0].n) & q->slot_mask;
    for (; q->slots[at]; at = (at + 1) & q->slot_mask) {
        struct sparse_clause *other = &q->clauses[q->slots[at] - 1];

        if (!sparse_query_is_plain(other, word, title))
            continue;
        add_forms(q, other, word);
        if (other->sentence == q->sentence)
            return;
        c.first = other->first;
    }
    q->slots[at] = (uint32_t)q->n + 1;
    alone = *word;
    alone.offset = 0;
    c.words = arena_memdup(q->arena, &alone, sizeof alone);
    add_clause(q, c);
}

/* ---- plain text */

/* May and Who in the middle of a sentence are names, unless everything is written like that. */
static bool is_name(const struct text_term *t, bool mixed)
{
    return mixed && (t->flags & TERM_CAPITAL) && !(t->flags & TERM_OPENS) &&
           !(t->length == 1 && *t->text == 'i');
}

static bool is_mixed(const struct reading *r, size_t n)
{
    size_t capitals = 0, all = 0;

    for (size_t k = 0; k < n; all += r[k++].of[0].n)
        for (size_t i = 0; i < r[k].of[0].n; i++)
            capitals += (r[k].of[0].at[i].flags & TERM_CAPITAL) != 0;
    return capitals * 2 <= all;
}

static bool says_nothing(const struct reading *r, size_t i, bool mixed)
{
    bool stop = false;

    for (size_t k = 0; k < r->n; k++)
        stop |= term_in(r, k, i) && (term_in(r, k, i)->flags & TERM_STOP);
    return stop && !is_name(&r->of[0].at[i], mixed);
}

static void add_reading(struct reader *q, const struct reading *r, bool mixed, bool title)
{
    for (size_t i = 0; i < r->of[0].n; i++)
        if (!says_nothing(r, i, mixed)) {
            struct sparse_word word = sparse_query_word_of(q, r, i);

            sparse_query_add_plain(q, &word, title);
        }
}

static void sparse_query_add_text(struct reader *q, const char *text, size_t n, bool title)
{
    const struct reading r = read_text(q, text, n);

    add_reading(q, &r, is_mixed(&r, 1), title);
}

/* ---- sentences */

static size_t words_in(const struct reading *r)
{
    size_t n = 0;

    for (size_t i = 0; i < r->of[0].n; i++)
        n += !(r->of[0].at[i].flags & TERM_EXTRA);
    return n;
}

static size_t count_sentences(const char *text)
{
    size_t n = 0, length;

    for (const char *p = text; (p = sentence_next(p, &length)); p += length)
        n++;
    return n;
}

/* Returns how many sentences there are; more than SPARSE_SENTENCES share them. */
static size_t sparse_query_add_sentences(struct reader *q, const char *text)
{
    const size_t n = count_sentences(text);
    struct reading *r = ARENA_ARRAY(q->arena, struct reading, n + 1);
    uint32_t *of = ARENA_ARRAY(q->arena, uint32_t, n + 1);
    size_t i = 0, length, all, words = 0;
    const char **at = ARENA_ARRAY(q->arena, const char *, n + 1), *last = sentence_last_line(text);
    bool mixed, is_new;

    for (const char *p = text; i < n && (p = sentence_next(p, &length)); p += length, i++) {
        r[i] = read_text(q, p, length);
        at[i] = p;
        is_new = i > 0 && words_in(&r[i]) >= SENTENCE_WORDS && words >= SENTENCE_WORDS;
        of[i] = i ? of[i - 1] + is_new : 0;
        words = words_in(&r[i]) + (is_new ? 0 : words);
    }
    mixed = is_mixed(r, n);
    all = n ? of[n - 1] + 1u : 1;
    for (i = 0; i < n; i++) {
        q->sentence = all <= SPARSE_SENTENCES ? of[i] : (uint32_t)(of[i] * (size_t)SPARSE_SENTENCES / all);
        q->earlier[q->sentence] = q->has_lines && at[i] < last;
        add_reading(q, &r[i], mixed, false);
    }
    return all <= SPARSE_SENTENCES ? all : SPARSE_SENTENCES;
}

/* The query says nothing but stop words, or only what it does not want: then it means them. */
static void add_anything(struct reader *q, const char *text, size_t n)
{
    const struct reading r = read_text(q, text, n);

    q->n = q->sentence = 0;
    q->slot_mask = 0;
    for (size_t i = 0; i < r.of[0].n; i++) {
        struct sparse_word word = sparse_query_word_of(q, &r, i);

        sparse_query_add_plain(q, &word, false);
    }
}

/* ---- what has an operator */

/* All words of the piece, one after the other, as one clause; nothing if there is none. */
static void add_sequence(struct reader *q, const struct piece *p)
{
    const struct reading r = read_text(q, p->text, p->n);
    struct sparse_word *words = ARENA_ARRAY(q->arena, struct sparse_word, r.of[0].n + 1);
    struct sparse_clause c = {.words = words, .role = p->role, .title = p->title, .first = (uint32_t)q->n};
    const struct text_term *last = NULL;

    for (size_t i = 0; i < r.of[0].n; i++) {
        if (r.of[0].at[i].flags & TERM_EXTRA)
            continue;
        words[c.n_words++] = sparse_query_word_of(q, &r, i);
        last = term_in(&r, 1, i);
    }
    if (p->prefix && last)
        words[c.n_words - 1] = prefix_of(q, last);
    for (size_t i = c.n_words; i-- > 0;)
        words[i].offset -= words[0].offset;
    if (c.n_words)
        add_clause(q, c);
}

static void sparse_query_add_piece(struct reader *q, const struct piece *p)
{
    const struct reading r = read_text(q, p->text, p->n);

    if (r.of[0].n == 0)
        return;
    add_sequence(q, p);
    /* A phrase is worth more than its words, which are still worth something. */
    if (p->role != CLAUSE_EXCLUDED && !p->prefix && q->n && q->clauses[q->n - 1].n_words > 1)
        sparse_query_add_text(q, p->text, p->n, p->title);
}

/* ---- the whole */

/* plain: what is left of the whole text, without operators. */
static const struct sparse_query *sparse_query_finish(struct reader *q, const char *plain, const char *text, size_t n)
{
    struct sparse_query *out = ARENA_NEW(q->arena, struct sparse_query);

    out->n_sentences = sparse_query_add_sentences(q, plain);
    if (q->positive == 0) {
        out->n_sentences = 1;
        add_anything(q, text, n);
    }
    out->clauses = q->clauses;
    memcpy(out->earlier, q->earlier, sizeof out->earlier);
    out->n = q->n;
    return out;
}

const struct sparse_query *sparse_query_words(struct arena *a, struct analyzer *const *z, size_t n_z,
                                              const char *text, size_t n)
{
    struct reader q = {.arena = a, .z = z, .n_z = n_z};

    assert(n_z > 0);
    return sparse_query_finish(&q, arena_strndup(a, text, n), text, n);
}

static bool is_prose(const char *text, size_t n)
{
    struct pieces all = {text, n, 0};
    struct piece p;
    size_t words = 0;

    while (words < PROSE && pieces_next(&all, &p))
        words++;
    return words == PROSE;
}

static bool is_operator(const struct piece *p, bool prose)
{
    return p->quoted || (!prose && (p->role != CLAUSE_OPTIONAL || p->title || p->prefix));
}

const struct sparse_query *sparse_query_parse(struct arena *a, struct analyzer *const *z, size_t n_z,
                                              const char *text, size_t n)
{
    struct reader q = {.arena = a, .z = z, .n_z = n_z, .has_lines = true};
    struct pieces all = {text, n, 0};
    const bool prose = is_prose(text, n);
    size_t operators = 0, before = 0;
    struct buf plain;
    struct piece p;

    assert(n_z > 0);
    buf_init(&plain, a, n + 1);
    while (pieces_next(&all, &p)) {
        /* The ends of lines are ends of sentences. */
        buf_puts(&plain, memchr(text + before, '\n', (size_t)(p.text - text) - before) ? "\n" : " ");
        before = all.at;
        if (is_operator(&p, prose) && operators++ < OPERATORS_MAX) {
            p.role = prose ? CLAUSE_OPTIONAL : p.role;
            p.title &= !prose;
            sparse_query_add_piece(&q, &p);
        } else {
            buf_add(&plain, p.text, p.n);
        }
    }
    return sparse_query_finish(&q, buf_str(&plain), text, n);
}
