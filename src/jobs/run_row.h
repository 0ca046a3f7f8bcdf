/* How a row of job_run is selected and read; shared by the stores of runs. */
#ifndef LOCI_RUN_ROW_H
#define LOCI_RUN_ROW_H

#include "db.h"
#include "run.h"

#define RUN_COLUMNS \
    "r.id, r.job_name, r.account_id, r.parent_id, r.only_account, r.`trigger`, r.fire_at, r.missed, r.dry_run, " \
    "r.expanded, r.cancelled, r.params, r.status, r.scanned, r.changed, r.failed, r.skipped, r.counts, r.notes, " \
    "r.progress_done, r.progress_total, r.error, r.reason, r.host, r.version, r.requested_by, r.created_at, " \
    "r.started_at, r.finished_at, r.heartbeat_at"

err run_row_read(struct ctx *c, struct db_cursor *q, struct run *out, bool *found);
/* JSON text of our own tables; a fault gives an empty value of that type. */
const struct json *run_row_json(struct ctx *c, const char *text, enum json_type type);
/* At most max bytes of it, valid UTF-8; NULL stays NULL. */
const char *run_row_cut(struct ctx *c, const char *text, size_t max);

#endif
