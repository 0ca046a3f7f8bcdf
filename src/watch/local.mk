# Watch: goals, observations, sensors.
noinst_LIBRARIES += src/watch/libwatch.a
src_watch_libwatch_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_watch) $(see_oversight) $(see_notify) $(see_memory) $(see_belief) $(see_sanitize) $(see_recall) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_store) $(see_field) $(see_base)
src_watch_libwatch_a_SOURCES = \
    src/watch/goal.c src/watch/goal.h src/watch/goal_impl.h src/watch/goal_keep.c src/watch/goal_store.c src/watch/goal_store.h \
    src/watch/observation.c src/watch/observation.h src/watch/observation_store.c src/watch/observation_store.h \
    src/watch/sensor.c src/watch/sensor.h src/watch/sensor_store.c src/watch/sensor_store.h \
    src/watch/reach.c src/watch/reach.h src/watch/reach_store.c src/watch/reach_store.h
# Their operations, pages and jobs.
noinst_LIBRARIES += src/watch/libwatch_ops.a
src_watch_libwatch_ops_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_watch) $(see_jobs) $(see_call) $(see_view) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_field) $(see_base)
src_watch_libwatch_ops_a_SOURCES = \
    src/watch/goal_calls.c src/watch/goal_html.c src/watch/observation_calls.c src/watch/observation_html.c \
    src/watch/watch_calls.h src/watch/watch_html.h src/watch/watch_job.c src/watch/watch_job.h
