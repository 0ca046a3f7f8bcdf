# Cron and queue: services and their stores.
noinst_LIBRARIES += src/jobs/libjobs.a
src_jobs_libjobs_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_jobs) $(see_graph) $(see_store) $(see_base)
src_jobs_libjobs_a_SOURCES = \
    src/jobs/cron.c src/jobs/cron.h

# Operations and pages of the jobs room.
noinst_LIBRARIES += src/jobs/libjobs_ops.a
src_jobs_libjobs_ops_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_jobs) $(see_call) $(see_view) $(see_graph) $(see_base)
src_jobs_libjobs_ops_a_SOURCES =
