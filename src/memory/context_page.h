/* What the pages of one context have in common. */
#ifndef LOCI_CONTEXT_PAGE_H
#define LOCI_CONTEXT_PAGE_H

#include "context.h"
#include "memory_page.h"
#include "model.h"

struct context_view {
    const char *ref; /* the id as text */
    struct context context;
    struct names *names;
};

/* The context of the path, with the parts of the model that each of its pages has: `context`, `tabs` (tab is the one that is shown),
 * may_write, may_manage, may_restore. */
err context_view_open(struct ctx *c, struct page_call *p, const char *tab, struct context_view *out);

void put_context(struct ctx *c, struct json *row, const struct context *x, const struct names *names);

/* Runs the operation on the context of the path, and goes to its page, or to the part of it that `at` names ("/settings"). */
err context_run(struct ctx *c, struct page_call *p, const char *op, struct json *extra, const char *at);

#endif
