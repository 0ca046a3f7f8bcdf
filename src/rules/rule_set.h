/* The rules that facts are read by: an account's own, then the shipped ones. */
#ifndef LOCI_RULE_SET_H
#define LOCI_RULE_SET_H

#include "ctx.h"
#include "list.h"
#include "rule_extract.h"

#define RULE_SET_SIZE (256 * 1024) /* bytes of an account's rules */
#define RULE_FAULTS 50
#define RULE_TRY_TEXT 20000 /* characters of a text that is tried */
#define RULE_SET_NAME 64

/* What works now, and its name: another one whenever the rules are. */
err rule_set_load(struct ctx *c, struct extract_rules **out, const char **name);

struct rule_fault {
    int64_t line; /* of the account's text */
    const char *why;
};
struct rule_set {
    const char *text;
    int64_t version, rules; /* version 0: the account has none; rules: of its own that work */
    struct list faults;     /* of struct rule_fault */
};
err rule_set_get(struct ctx *c, struct rule_set *out);

struct rule_set_in {
    const char *text;
    bool dry_run;
};
err rule_set_put(struct ctx *c, const struct rule_set_in *in, struct rule_set *out);

/* What of the text works beside the shipped rules; out: how many, and what was left out, with its line. */
const char *rule_set_check(struct ctx *c, const char *text, const char *shipped, struct rule_set *out);

struct rule_try_in {
    const char *text, *rules, *speaker; /* rules NULL: the account's; speaker: who "I" is, or NULL */
    struct instant captured_at;         /* 0: now */
};
struct rule_claim {
    const char *subject, *predicate, *object, *statement, *rule_id;
    bool negative;
    const char *modality;
    struct instant at, until;
    double confidence;
    int64_t start, end;
};
struct rule_tried {
    struct list claims; /* of struct rule_claim */
    int64_t sentences, unclear, too_many;
    struct list faults; /* of struct rule_fault */
};
/* Reads a text as consolidation would; nothing is stored. */
err rule_try(struct ctx *c, const struct rule_try_in *in, struct rule_tried *out);

#endif
