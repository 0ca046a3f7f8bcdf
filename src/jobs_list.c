/* Every job and every kind of task that a room declares stands here once; the order is that of the timetable. */
#include "jobs_list.h"

#include "graph_job.h"
#include "jobs_own.h"
#include "pack_job.h"
#include "vectors_job.h"

static const struct job *const JOBS[] = {
    &expired_cleanup_job, &replay_cleanup_job, &session_cleanup_job, &queue_janitor_job, &retention_job,
    &version_cleanup_job, &history_cleanup_job, &embedding_backfill_job, &reembed_watch_job, &recall_warmup_job,
};

static const struct task_kind *const KINDS[] = {
    &run_kind, &slice_kind, &embed_kind, &reembed_kind,
};

const struct job_list JOBS_ALL = {JOBS, sizeof JOBS / sizeof *JOBS, KINDS, sizeof KINDS / sizeof *KINDS};
