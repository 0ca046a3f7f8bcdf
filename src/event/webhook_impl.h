/* What the files of webhooks share; nobody else includes this. */
#ifndef LOCI_WEBHOOK_IMPL_H
#define LOCI_WEBHOOK_IMPL_H

#include "webhook_store.h"

#define WEBHOOK_SECRET 32 /* bytes */

/* ---- webhook_sign.c */

void webhook_secret_make(uint8_t secret[WEBHOOK_SECRET]);
/* "whsec_" and base64, as receivers want it. */
const char *webhook_secret_text(struct arena *a, const uint8_t secret[WEBHOOK_SECRET]);
/* As it is kept; it opens for this webhook only. */
struct bytes webhook_seal(struct ctx *c, struct uuid id, const uint8_t secret[WEBHOOK_SECRET]);
err webhook_unseal(struct ctx *c, const struct webhook *w, uint8_t secret[WEBHOOK_SECRET]);
/* "v1,…": of id.timestamp.body, as Standard Webhooks has it. */
const char *webhook_signature(struct arena *a, const uint8_t secret[WEBHOOK_SECRET], const char *id, int64_t timestamp, const char *body);

/* ---- webhook.c; inside a transaction that holds the webhook's row */

/* The first that waits of the subject (nil: of each) has its turn. */
err webhook_promise_heads(struct ctx *c, struct uuid webhook_id, struct uuid subject_id);
/* Once, however often it is asked for: says so to those who listen, and to the trail. */
err webhook_disable(struct ctx *c, const struct webhook *w, const char *reason);

#endif
