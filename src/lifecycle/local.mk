# Lifecycle: forgetting and erasing.
noinst_LIBRARIES += src/lifecycle/liblifecycle.a
src_lifecycle_liblifecycle_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_lifecycle) $(see_memory) $(see_belief) $(see_episode) $(see_jobs) $(see_recall) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_store) $(see_field) $(see_base) $(SODIUM_CFLAGS)
src_lifecycle_liblifecycle_a_SOURCES = src/lifecycle/derived.c src/lifecycle/derived.h src/lifecycle/derived_store.c \
    src/lifecycle/derived_store.h src/lifecycle/erase.c src/lifecycle/erase.h src/lifecycle/erase_scrub_store.c \
    src/lifecycle/erase_seal.c src/lifecycle/erase_seal.h src/lifecycle/erase_store.c src/lifecycle/erase_store.h \
    src/lifecycle/forgetting.c src/lifecycle/forgetting.h src/lifecycle/forgetting_store.c src/lifecycle/forgetting_store.h
# Its operations, pages and task.
noinst_LIBRARIES += src/lifecycle/liblifecycle_ops.a
src_lifecycle_liblifecycle_ops_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_lifecycle) $(see_jobs) $(see_call) $(see_view) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_field) $(see_base)
src_lifecycle_liblifecycle_ops_a_SOURCES = src/lifecycle/erase_job.c src/lifecycle/erase_job.h src/lifecycle/erasures_html.c \
    src/lifecycle/lifecycle_calls.c src/lifecycle/lifecycle_calls.h src/lifecycle/lifecycle_html.h
