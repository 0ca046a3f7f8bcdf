/* What the files of the extractor share; nobody else includes this. */
#ifndef LOCI_EXTRACT_IMPL_H
#define LOCI_EXTRACT_IMPL_H

#include "rule_extract.h"

#define TOKENS_MAX 120 /* of a sentence; a longer one is skipped */
#define ELEMENTS_MAX 24

enum token_form { FORM_OTHER, FORM_BASE, FORM_PRESENT, FORM_PAST, FORM_ING };

struct token {
    const char *text;  /* as it stands */
    const char *low;   /* in small letters, without a possessive */
    size_t start, end; /* bytes of the text */
    bool is_word, capital, possessive, number, quoted;
};

struct tokens {
    struct token v[TOKENS_MAX];
    size_t n;
};

/* false: there are too many. */
bool tokens_read(struct arena *a, const char *text, size_t start, size_t end, struct tokens *out);
/* Is the word a form of that verb or noun? FORM_OTHER: no. */
enum token_form token_form_of(const char *low, const char *lemma);
bool token_is(const struct token *t, const char *words); /* one of words, which stand between spaces */

/* A clause: tokens, and what was taken out of them. */
struct clause {
    struct token v[TOKENS_MAX];
    size_t n;
    bool negative, ends, past, perfect, planned, reported;
    double doubt;      /* factor of confidence */
    int64_t at, until; /* 0: no date */
    bool has_since;
};

/* Is it a question, a condition, a wish, an order: nothing that is claimed? */
bool clause_claims_nothing(const struct tokens *t, const char *text, size_t end);
/* Negation, tense, doubt and adverbs leave the clause and become its flags. */
void clause_strip(struct clause *c);
/* Dates at its beginning and end leave it, too. */
void clause_dates(struct clause *c, int64_t captured_at);

/* ---- rules */

enum element_kind { ELEMENT_SUBJECT, ELEMENT_OBJECT, ELEMENT_WORDS };
enum rule_effect { EFFECT_OPEN, EFFECT_EVENT, EFFECT_CLOSE };

struct element {
    enum element_kind kind;
    const char **words; /* lemmas; one of them */
    size_t n;
    bool optional;
};

struct rule_test {
    bool wanted;
    const char *sentence, *subject, *predicate, *object;
    int line;
};

struct rule {
    const char *id, *predicate;
    double confidence;
    enum rule_effect effect;
    struct element v[ELEMENTS_MAX];
    size_t n;
    struct rule_test *tests;
    size_t n_tests;
};

struct extract_rules {
    struct rule *v;
    size_t n;
};

/* ---- nouns */

/* The tokens as a subject or value: text without articles at its front; NULL: it cannot be one. */
const char *noun_subject(struct arena *a, const struct token *t, size_t n);
const char *noun_object(struct arena *a, const struct token *t, size_t n);
/* The tokens up to a possessive as its owner; NULL: it cannot be one. */
const char *noun_owner(struct arena *a, const struct token *t, size_t n);
/* Where a value ends: before because, which, with … */
size_t noun_object_end(const struct token *t, size_t n);
bool noun_is_pronoun(const struct token *t);
/* The predicate of an attribute's name: port gives port_is, "favorite color" favorite_color; NULL: none. */
const char *noun_attribute(struct arena *a, const struct token *t, size_t n);
const char *tokens_text(struct arena *a, const struct token *t, size_t n);

#endif
