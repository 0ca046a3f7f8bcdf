# The recall engine: text to terms, postings, vector codes, segments, and the pipeline over them.
noinst_LIBRARIES += src/recall/librecall.a
src_recall_librecall_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_recall) $(see_graph) $(see_simd) $(see_base) \
    $(UTF8PROC_CFLAGS)
src_recall_librecall_a_SOURCES = \
    src/recall/analyze.c src/recall/analyze.h src/recall/analyze_impl.h \
    src/recall/analyze_chars.c src/recall/analyze_word.c \
    src/recall/codes.c src/recall/codes.h \
    src/recall/dense.h src/recall/dense_exact.c src/recall/dense_part.c src/recall/dense_part.h src/recall/dense_run.c \
    src/recall/dense_search.c src/recall/dense_search.h src/recall/dense_top.c src/recall/dense_top.h \
    src/recall/stopwords.c src/recall/stopwords.h
