/* SQL of what a knowledge base is asked. */
#ifndef LOCI_INSIGHT_STORE_H
#define LOCI_INSIGHT_STORE_H

#include "insight.h"

enum insight_order { INSIGHT_ASKED, INSIGHT_UNANSWERED, INSIGHT_SLOW };

err insight_store_days(struct ctx *c, const struct insight_in *in, struct list *out);
err insight_store_questions(struct ctx *c, struct uuid base, enum insight_order order, struct list *out);
err insight_store_never_found(struct ctx *c, struct uuids spaces, struct list *out);

#endif
