/* What people do with the queue: look, try dead letters again, discard them; and which schedulers live. */
#ifndef LOCI_TASK_SERVICE_H
#define LOCI_TASK_SERVICE_H

#include "page.h"
#include "task_row.h"

struct task_query {
    int status;                /* -1: any */
    const char *kind;          /* NULL: any */
    struct instant older_than; /* 0: any */
    bool everywhere;           /* operators: all accounts */
    int64_t limit;
    const char *cursor;
};
/* Newest first; items are struct task_row. What looks like a secret in a payload is masked. */
err task_page(struct ctx *c, const struct task_query *q, struct page *out);
err task_get(struct ctx *c, struct uuid id, bool everywhere, struct task_row *out);

/* Dead ones only; each writes an audit event. One that is not dead: ERR_CONFLICT. */
err task_retry(struct ctx *c, struct uuid id, bool everywhere, struct instant now);
err task_discard(struct ctx *c, struct uuid id, bool everywhere, const char *reason, struct instant now);
/* All dead ones of the query, at most LIMIT_TASK_BULK; *n of them. reason NULL: retry, else discard. */
err task_bulk(struct ctx *c, const struct task_query *q, const char *reason, struct instant now, int64_t *n);

err task_overview(struct ctx *c, bool everywhere, struct task_summary **out, size_t *n);

#define SCHEDULER_SILENT_S 20 /* without a sign of life for longer it counts as lost */
err scheduler_list(struct ctx *c, struct scheduler_row **out, size_t *n);

#endif
