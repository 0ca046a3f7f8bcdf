/* Signed captures: what an agent signed with its own key can be told from what was put into its mouth. */
#ifndef LOCI_CAPTURE_SIGN_H
#define LOCI_CAPTURE_SIGN_H

#include "capture.h"
#include "space.h"

#define SIGN_SKEW_US (60 * SECOND_US)

/* Nothing where it is not signed and need not be. Every fault is one refusal,
    ERR_INVALID (invalid_signature); the cause stands in the audit
 * trail alone. */
err capture_check_signature(struct ctx *c, const struct capture_in *in, const struct space *space, struct instant at, bool *is_signed);

#endif
