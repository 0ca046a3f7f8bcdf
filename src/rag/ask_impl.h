/* What the files of questions share; nobody else includes this. */
#ifndef LOCI_RAG_ASK_IMPL_H
#define LOCI_RAG_ASK_IMPL_H

#include "rag_ask.h"
#include "rag_impl.h"

#define ASK_WORDS 64

/* A word of the question that says something. */
struct ask_word {
    const char *text; /* folded, and shortened as far as its forms have it in common */
    double weight;
    bool is_found; /* a relevant passage holds it */
};

/* What the question word asks for. */
enum ask_kind { ASK_ANY, ASK_WHO, ASK_WHEN, ASK_MANY, ASK_WHERE };

struct ask_words {
    struct ask_word v[ASK_WORDS];
    size_t n;
    enum ask_kind kind;
};

struct ask_passage {
    struct rag_result result;
    double score;     /* against the question as it was asked */
    bool is_relevant; /* graded above incorrect */
};

struct ask_work {
    const struct ask_in *in;
    struct ask_words words;
    struct ask_passage *passages; /* best first */
    size_t n;
};

void ask_words_of(struct ctx *c, const char *question, struct ask_words *out);
bool ask_holds(const char *text, const struct ask_word *w);
/* Sentences of the relevant passages, quoted; false: they do not answer it. */
bool ask_extract(struct ctx *c, const struct ask_work *w, struct ask_out *out);
/* By the model: what its passages do not say is left out; false: nothing was left, or there is no model. */
bool ask_compose(struct ctx *c, const struct ask_work *w, struct ask_out *out);
/* What a model's answer may keep: sentences with a valid [n] whose numbers and names their passages hold. Without citations: NULL. */
const char *ask_checked(struct ctx *c, const char *answer, const char *const *passages, size_t n, bool *cited);
/* Adds a source, or finds it; its number. */
int64_t ask_source_add(struct ctx *c, struct ask_out *out, const struct ask_passage *p, const char *quote, size_t at);
/* Queries that might find what is missing, by the model. */
bool ask_reformulate(struct ctx *c, const struct ask_work *w, struct strs *gaps, struct strs *queries, int64_t *tokens);

#endif
