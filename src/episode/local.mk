# What was said: captures.
noinst_LIBRARIES += src/episode/libepisode.a
src_episode_libepisode_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_episode) $(see_taxonomy) $(see_sanitize) $(see_jobs) $(see_recall) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_store) $(see_field) $(see_base) $(SODIUM_CFLAGS)
src_episode_libepisode_a_SOURCES = src/episode/capture.c src/episode/capture.h src/episode/capture_many.c src/episode/capture_sign.c src/episode/capture_sign.h \
    src/episode/episode.c src/episode/episode.h src/episode/episode_store.c src/episode/episode_store.h
# Its operations.
noinst_LIBRARIES += src/episode/libepisode_ops.a
src_episode_libepisode_ops_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_episode) $(see_call) $(see_view) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_field) $(see_base)
src_episode_libepisode_ops_a_SOURCES = src/episode/capture_calls.c src/episode/episode_calls.h
