# Evaluation sets of knowledge bases.
noinst_LIBRARIES += src/evaluation/libevaluation.a
src_evaluation_libevaluation_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_evaluation) $(see_rag) $(see_knowledge) $(see_intake) $(see_jobs) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_store) $(see_field) $(see_base)
src_evaluation_libevaluation_a_SOURCES = \
    src/evaluation/evaluation.c \
    src/evaluation/evaluation.h \
    src/evaluation/evaluation_run.c \
    src/evaluation/evaluation_store.c \
    src/evaluation/evaluation_store.h \
    src/evaluation/insight.c \
    src/evaluation/insight.h \
    src/evaluation/insight_store.c \
    src/evaluation/insight_store.h
# Its operations, pages and jobs.
noinst_LIBRARIES += src/evaluation/libevaluation_ops.a
src_evaluation_libevaluation_ops_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_evaluation) $(see_rag) $(see_knowledge) $(see_intake) $(see_jobs) $(see_call) $(see_view) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_field) $(see_base)
src_evaluation_libevaluation_ops_a_SOURCES = \
    src/evaluation/evaluation_calls.c \
    src/evaluation/evaluation_calls.h \
    src/evaluation/evaluation_html.h \
    src/evaluation/evaluation_job.c \
    src/evaluation/evaluation_job.h \
    src/evaluation/evaluations_html.c \
    src/evaluation/insights_html.c
