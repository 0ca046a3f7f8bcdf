/* Which share of a query's words stands in texts that no index holds: for what lives for minutes. */
#ifndef LOCI_WORD_SHARE_H
#define LOCI_WORD_SHARE_H

#include "ctx.h"

struct word_share {
    const char *title, *body;
    double share; /* 0 to 1: of the words that say something, in whatever form */
};

void word_shares(struct ctx *c, const char *query, struct word_share *texts, size_t n);

#endif
