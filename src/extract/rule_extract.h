/* Reading facts out of a text by rules, without a model. */
#ifndef LOCI_RULE_EXTRACT_H
#define LOCI_RULE_EXTRACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"

#define EXTRACT_CLAIMS 100     /* of one text; the rest is counted */
#define EXTRACT_OF_SENTENCE 8  /* of one sentence */
#define EXTRACT_CONFIDENCE 0.6 /* below it a claim is dropped */
#define EXTRACT_RULES 2000
#define EXTRACT_STEPS 5000 /* of one sentence; then it is skipped */

enum extract_modality { EXTRACT_ASSERTED, EXTRACT_PAST, EXTRACT_PLANNED };

struct extract_claim {
    const char *subject, *predicate, *object, *statement, *rule_id;
    bool negative;
    enum extract_modality modality;
    int64_t at, until; /* microseconds; 0: when it was said; open */
    double confidence;
    size_t start, end; /* bytes of its sentence */
};

struct extracted {
    struct extract_claim *claims;
    size_t n;
    size_t sentences, unclear, too_many; /* looked at; without a claim by a gate; left out by limits */
};

struct extract_rules;

struct extract_fault {
    int line;
    const char *why;
};
/* The rules of a file; a bad one is left out and named, the others load. Never NULL. */
struct extract_rules *extract_rules_read(struct arena *a, const char *text, struct extract_fault *faults, size_t max, size_t *n_faults);
size_t extract_rules_count(const struct extract_rules *r);
/* Runs the tests that the rules bring with them: those that fail. */
size_t extract_rules_test(struct arena *a, const struct extract_rules *r, struct extract_fault *faults, size_t max);

struct extract_context {
    const char *speaker; /* who I is; NULL: nobody knows, and "I" makes no claim */
    int64_t captured_at; /* microseconds: what "yesterday" counts from */
};
struct extracted extract(struct arena *a, const struct extract_rules *r, const char *text, size_t n, const struct extract_context *ctx);

#endif
