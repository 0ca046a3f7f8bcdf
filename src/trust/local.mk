# Trust: how far agents are trusted, and what people say of their work.
noinst_LIBRARIES += src/trust/libtrust.a
src_trust_libtrust_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_trust) $(see_oversight) $(see_notify) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_store) $(see_field) $(see_base)
src_trust_libtrust_a_SOURCES = \
    src/trust/evaluate.c src/trust/evaluate.h src/trust/feedback.c src/trust/feedback.h src/trust/feedback_store.c \
    src/trust/feedback_store.h src/trust/trust.c src/trust/trust.h src/trust/trust_decay.h src/trust/trust_impl.h \
    src/trust/trust_score.c src/trust/trust_score.h src/trust/trust_store.c src/trust/trust_store.h src/trust/trust_view.c \
    src/trust/trust_view.h src/trust/trust_view_store.c src/trust/trust_view_store.h
# Their operations, pages and job.
noinst_LIBRARIES += src/trust/libtrust_ops.a
src_trust_libtrust_ops_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_trust) $(see_jobs) $(see_call) $(see_view) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_field) $(see_base)
src_trust_libtrust_ops_a_SOURCES = \
    src/trust/feedback_calls.c src/trust/feedback_html.c src/trust/trust_calls.c src/trust/trust_calls.h src/trust/trust_html.c \
    src/trust/trust_html.h src/trust/trust_job.c src/trust/trust_job.h
