/* The hint that there is work: a list in Redis that schedulers wait for. Without it they look once a second. */
#ifndef LOCI_WAKE_H
#define LOCI_WAKE_H

#include "ctx.h"

/* When the transaction that is open now is over, or at once. Redis away: nothing. */
void wake_after_tx(struct ctx *c);
void wake_now(struct ctx *c);
/* Waits at most half a second; *woken: somebody gave the hint. ERR_UNAVAILABLE: Redis is away. */
err wake_wait(struct ctx *c, bool *woken);

#endif
