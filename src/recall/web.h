/* Asking the web: a search server that speaks SearXNG's JSON, where one is configured (recall.web_url). */
#ifndef LOCI_WEB_H
#define LOCI_WEB_H

#include "ctx.h"

#define WEB_RESULTS 5

struct web_result {
    const char *title, *url, *text; /* as they came: third-party data */
};

bool web_is_configured(const struct ctx *c);
/* The first WEB_RESULTS. ERR_PROVIDER or ERR_DEADLINE when there is no answer, or none that can be read. */
err web_search(struct ctx *c, const char *query, struct web_result **out, size_t *n);

#endif
