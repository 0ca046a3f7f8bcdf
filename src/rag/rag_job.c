/* Records of queries go after their time; see rag_job.h. */
#include "rag_job.h"

#include "rag.h"

static err rag_job_purge(struct ctx *c, struct slice *s)
{
    int64_t n;

    TRY(rag_purge(c, s->limit, &n));
    s->scanned = s->changed = n;
    s->more = n == s->limit;
    if (n)
        slice_count(s, "deleted", n);
    return ERR_OK;
}

const struct job rag_cleanup_job = {
    .name = "rag_cleanup", .description = "deletes the records of queries to knowledge bases after 90 days", .schedule = "@daily",
    .bound = 100000, .batch = 5000, .flags = JOB_DRY_RUN, .due = rag_purge_due, .purge = rag_job_purge,
};
