/* The two shapes of every JSON answer: the envelope of a success and the problem of a failure. */
#ifndef LOCI_ANSWER_H
#define LOCI_ANSWER_H

#include "exchange.h"

/* {"success":true,"data":…,"meta":…} with the given status. */
void answer_data(struct exchange *x, int status, const struct json *data, const struct json *meta);
/* The failure kept in ctx, as RFC 9457 and the envelope in one body; sets WWW-Authenticate and Retry-After. */
void answer_problem(struct ctx *c, struct exchange *x, err e);
/* Headers every answer of ours carries. */
void answer_common(struct ctx *c, struct exchange *x);

#endif
