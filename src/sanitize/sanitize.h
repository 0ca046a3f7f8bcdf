/* Taking private data and injection markers out of a text, until nothing more is found. */
#ifndef LOCI_SANITIZE_H
#define LOCI_SANITIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "enumx.h"

#define SANITIZE_PASSES 8
#define SANITIZE_MAX (16u * 1024 * 1024) /* bytes of a text */
#define SANITIZE_QUARANTINE 0.75         /* from this injection score on */

#define SANITIZE_KIND(X) \
    X(SANITIZE_SECRET, "secret") X(SANITIZE_EMAIL, "email") X(SANITIZE_PHONE, "phone") X(SANITIZE_CARD, "card") X(SANITIZE_IBAN, "iban") \
    X(SANITIZE_SSN, "ssn") X(SANITIZE_MARKER, "marker")
ENUMX_DECLARE(sanitize_kind, SANITIZE_KIND);

#define SANITIZE_ACTION(X) X(SANITIZE_REDACT, "redact") X(SANITIZE_FLAG, "flag") X(SANITIZE_OFF, "off")
ENUMX_DECLARE(sanitize_action, SANITIZE_ACTION);

/* What is done with what is found of each kind; markers have their own rules. Zero: redact everything. */
struct sanitize_policy {
    enum sanitize_action of[SANITIZE_MARKER];
    bool keeps_markers; /* they are flagged, and stay in the text */
};

struct sanitize_hit {
    const char *id; /* of the pattern */
    enum sanitize_kind kind;
    size_t start, end; /* bytes of the text as it was submitted */
    bool cut;          /* false: flagged only */
    double weight;     /* of a marker */
};

#define SANITIZE_VERDICT(X) \
    X(SANITIZE_CLEAN, "clean") X(SANITIZE_RESIDUE, "residue_only") X(SANITIZE_UNSETTLED, "unsettled") X(SANITIZE_MALFORMED, "malformed")
ENUMX_DECLARE(sanitize_verdict, SANITIZE_VERDICT);

struct sanitized {
    enum sanitize_verdict verdict; /* anything but clean: the text must not be stored */
    const char *text;
    size_t n;
    struct sanitize_hit *hits; /* in the order of the text */
    size_t n_hits;
    double injection_score;
    bool quarantined;
};

/* text: n bytes of UTF-8 without NUL. Linear in n. */
struct sanitized sanitize(struct arena *a, const char *text, size_t n, const struct sanitize_policy *policy);

#endif
