/* Capture: what was said becomes an episode, cleaned, once per text and space, with all that belongs to it in one transaction. */
#ifndef LOCI_CAPTURE_H
#define LOCI_CAPTURE_H

#include "episode.h"
#include "list.h"

struct capture_in {
    const char *content;
    enum episode_role role;
    struct uuid target_namespace; /* nil: the agent's own */
    struct instant captured_at;   /* 0: now */
    const char *session_id, *tz;
    struct strs scope, tags;
    double trust; /* may only lower what the caller earns */
    const char *model_family, *model_version;
    struct uuid supersedes; /* nil: none */
    struct uuid id, key_id; /* of a signed one: the id that it gets, and whose key; nil: not signed */
    const char *signature;  /* base64url of 64 bytes */
};

struct capture_redaction {
    const char *pattern_id, *kind;
    int64_t start, end; /* bytes of the content as submitted */
};

struct capture_near {
    struct uuid id;
    int64_t distance;
    const char *by;
};

/* The receipt. */
struct captured {
    struct uuid episode_id;
    enum episode_verdict verdict;
    const struct capture_near *near; /* NULL: none */
    struct uuid namespace;
    int64_t occurrence;
    double trust;
    struct list redactions; /* of struct capture_redaction */
    struct strs injection_flags;
    double injection_score;
    bool quarantined;
    double echo_ratio;
    const char *embedding; /* queued, off */
    struct uuid supersedes;
};

/* Refusals with a security cause (role system, a namespace that may not be written, a clock that is off, nothing left but a marker, a wrong
 * hint) are written to the audit trail, without the text. */
err capture(struct ctx *c, const struct capture_in *in, struct captured *out);

/* Each stands alone: what became of in[i] stands in out[i]. */
struct capture_result {
    int64_t index;
    const struct captured *receipt; /* NULL: refused */
    const char *code, *reason, *message;
};
err capture_many(struct ctx *c, const struct capture_in *in, size_t n, struct capture_result *out);

/* Promises that what waits in the space is read (task `consolidate`), inside the transaction of what waits: that text, said for the nth
   time. */
err capture_promise(struct ctx *c, struct uuid space_id, struct uuid id, int64_t nth);

#endif
