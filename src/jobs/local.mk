# Cron and queue: services and their stores.
noinst_LIBRARIES += src/jobs/libjobs.a
src_jobs_libjobs_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_jobs) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_store) $(see_field) $(see_base)
src_jobs_libjobs_a_SOURCES = \
    src/jobs/cron.c src/jobs/cron.h \
    src/jobs/engine.c src/jobs/engine.h \
    src/jobs/fire.c \
    src/jobs/fold.c \
    src/jobs/fold_store.c src/jobs/fold_store.h \
    src/jobs/job.c src/jobs/job.h \
    src/jobs/job_change.c \
    src/jobs/job_service.c src/jobs/job_service.h \
    src/jobs/job_store.c src/jobs/job_store.h \
    src/jobs/jobs_metrics.c \
    src/jobs/override_store.c \
    src/jobs/pass.c \
    src/jobs/queue.c \
    src/jobs/run_list_store.c \
    src/jobs/run_store.c src/jobs/run_store.h \
    src/jobs/run_task.c \
    src/jobs/scheduler.c src/jobs/scheduler.h \
    src/jobs/settle.c src/jobs/settle.h src/jobs/settle_store.c src/jobs/settle_store.h \
    src/jobs/slice.c src/jobs/slice.h \
    src/jobs/stats.c \
    src/jobs/stats_store.c src/jobs/stats_store.h \
    src/jobs/task.c src/jobs/task.h \
    src/jobs/task_list_store.c \
    src/jobs/task_service.c src/jobs/task_service.h \
    src/jobs/task_store.c src/jobs/task_store.h \
    src/jobs/tick.c \
    src/jobs/upkeep.c src/jobs/upkeep.h \
    src/jobs/jobs_own.h \
    src/jobs/run.h \
    src/jobs/run_row.h \
    src/jobs/task_row.h

# Operations and pages of the jobs room.
noinst_LIBRARIES += src/jobs/libjobs_ops.a
src_jobs_libjobs_ops_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_jobs) $(see_call) $(see_view) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_field) $(see_base)
src_jobs_libjobs_ops_a_SOURCES = \
    src/jobs/job_calls.c src/jobs/job_calls.h src/jobs/job_change_calls.c \
    src/jobs/job_scope.c src/jobs/job_scope.h \
    src/jobs/queue_job.c \
    src/jobs/run_calls.c src/jobs/run_calls.h \
    src/jobs/settle_calls.c \
    src/jobs/task_calls.c \
    src/jobs/jobs_calls.h \
    src/jobs/job_parts_html.c src/jobs/jobs_html.h \
    src/jobs/job_settings_html.c src/jobs/job_settings_html.h \
    src/jobs/queue_html.c \
    src/jobs/runs_html.c \
    src/jobs/task_html.c \
    src/jobs/timetable_html.c \
    src/jobs/expired_job.c src/jobs/graph_job.h src/jobs/retention_job.c
