# Session logs: what was said, word for word.
noinst_LIBRARIES += src/sessionlog/libsessionlog.a
src_sessionlog_libsessionlog_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_sessionlog) $(see_sanitize) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_store) $(see_field) $(see_base)
src_sessionlog_libsessionlog_a_SOURCES = \
    src/sessionlog/session_bloom.c src/sessionlog/session_bloom.h src/sessionlog/session_log_impl.h src/sessionlog/session_log.c \
    src/sessionlog/session_log.h src/sessionlog/session_log_store.c src/sessionlog/session_log_store.h src/sessionlog/session_search.c
noinst_LIBRARIES += src/sessionlog/libsessionlog_ops.a
src_sessionlog_libsessionlog_ops_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_sessionlog) $(see_call) $(see_view) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_field) $(see_base)
src_sessionlog_libsessionlog_ops_a_SOURCES = src/sessionlog/session_log_calls.c src/sessionlog/session_log_calls.h
