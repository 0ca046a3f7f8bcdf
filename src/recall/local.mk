# The recall engine: text to terms, postings, vector codes, segments, and the pipeline over them.
noinst_LIBRARIES += src/recall/librecall.a
src_recall_librecall_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_recall) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_store) $(see_llm) $(see_embed) $(see_net) $(see_simd) $(see_field) $(see_base) \
    $(UTF8PROC_CFLAGS) $(SODIUM_CFLAGS)
src_recall_librecall_a_SOURCES = \
    src/recall/analyze.c src/recall/analyze.h src/recall/analyze_impl.h \
    src/recall/analyze_chars.c src/recall/analyze_compound.c src/recall/analyze_word.c \
    src/recall/codes.c src/recall/codes.h \
    src/recall/dense.h src/recall/dense_cells.c src/recall/dense_centres.c src/recall/dense_codes.c src/recall/dense_exact.c \
    src/recall/dense_learn.h src/recall/dense_pieces.c src/recall/dense_part.c src/recall/dense_part.h src/recall/dense_reach.c src/recall/dense_run.c src/recall/dense_search.c src/recall/dense_search.h src/recall/dense_top.c src/recall/dense_top.h \
    src/recall/stopwords.c src/recall/stopwords.h
# What happens after ranking.
src_recall_librecall_a_SOURCES += \
    src/recall/ask.h src/recall/diversify.c src/recall/diversify.h src/recall/diversify_stage.c \
    src/recall/entropy.c src/recall/entropy.h src/recall/gate.c src/recall/gate.h src/recall/gate_stage.c \
    src/recall/grade.c src/recall/grade.h src/recall/grade_stage.c src/recall/grade_stage.h \
    src/recall/judge.c src/recall/judge.h \
    src/recall/render.c src/recall/render.h src/recall/render_stage.c src/recall/render_stage.h \
    src/recall/rerank.h src/recall/rerank_http.c src/recall/rerank_stage.c \
    src/recall/sentences.c src/recall/sentences.h \
    src/recall/serve_text.c src/recall/serve_text.h src/recall/served.c src/recall/served.h \
    src/recall/served_store.c src/recall/served_store.h src/recall/snippet.c src/recall/snippet.h \
    src/recall/web.c src/recall/web.h src/recall/word_share.c src/recall/word_share.h src/recall/word_match.c src/recall/word_match.h
# BM25. Scores are the same whatever compiler and machine: products are not fused with sums.
src_recall_librecall_a_CFLAGS = $(AM_CFLAGS) -ffp-contract=off
src_recall_librecall_a_SOURCES += \
    src/recall/sparse.h src/recall/sparse_impl.h src/recall/sparse_build.c src/recall/sparse_code.c \
    src/recall/sparse_cursor.c src/recall/sparse_list.c src/recall/sparse_list.h src/recall/sparse_make.c \
    src/recall/sparse_merge.c src/recall/sparse_piece.c src/recall/sparse_piece.h src/recall/sparse_places.c \
    src/recall/sparse_query.c src/recall/sparse_query.h \
    src/recall/sparse_run.h src/recall/sparse_scope.c src/recall/sparse_scope.h src/recall/sparse_score.c \
    src/recall/sparse_top.c
# Segments, snapshots, and the index that keeps them current.
src_recall_librecall_a_SOURCES += \
    src/recall/edge_set.c src/recall/edge_set.h \
    src/recall/filter.c src/recall/filter.h \
    src/recall/grow.c src/recall/grow.h \
    src/recall/index.c src/recall/index.h src/recall/index_impl.h \
    src/recall/index_delta.c src/recall/index_keep.c src/recall/index_load.c src/recall/index_look.c src/recall/index_merge.c \
    src/recall/index_store.c src/recall/index_store.h \
    src/recall/mention_words.c src/recall/mention_words.h src/recall/mentions.c src/recall/mentions.h \
    src/recall/index_pack.c src/recall/index_pack.h src/recall/pack_store.c src/recall/pack_store.h \
    src/recall/dense_pack.c src/recall/nearest.c src/recall/nearest.h src/recall/near_pairs.c src/recall/near_pairs.h src/recall/near_pairs_store.c src/recall/near_pairs_store.h \
    src/recall/near_text.c src/recall/near_text.h src/recall/pack.h \
    src/recall/segment_pack.c src/recall/segment_pack.h src/recall/sparse_pack.c \
    src/recall/ranges.h src/recall/row_map.c src/recall/row_map.h \
    src/recall/language.c src/recall/language.h src/recall/row_words.c src/recall/row_words.h \
    src/recall/segment.c src/recall/segment.h src/recall/segment_build.c src/recall/segment_impl.h \
    src/recall/simhash.c src/recall/simhash.h \
    src/recall/snapshot.c src/recall/snapshot.h src/recall/snapshot_make.c
# The pipeline of a recall; each stage in a file of its own.
src_recall_librecall_a_SOURCES += \
    src/recall/evidence.c src/recall/evidence.h src/recall/explain.c src/recall/fit.c src/recall/fit.h src/recall/fitted.c src/recall/fitted.h src/recall/fuse.c \
    src/recall/keyword.c src/recall/keyword.h \
    src/recall/recall.c src/recall/recall.h src/recall/recall_arms.c src/recall/recall_candidates.c \
    src/recall/recall_filter.c src/recall/recall_impl.h src/recall/recall_stages.c \
    src/recall/recall_tools.c src/recall/recall_tools.h src/recall/score.c src/recall/surprise.c src/recall/surprise.h
# Vectors of nodes and queries, and whose they are.
src_recall_librecall_a_SOURCES += \
    src/recall/query_vector.c src/recall/query_vector.h src/recall/query_vector_cache.c src/recall/query_vector_cache.h \
    src/recall/query_vector_store.c src/recall/query_vector_store.h \
    src/recall/vector_feed.c src/recall/vector_feed.h src/recall/vector_lines.c src/recall/vector_lines.h \
    src/recall/index_health.c src/recall/index_health.h \
    src/recall/llm_health.c src/recall/llm_health.h src/recall/vector_health.c src/recall/vector_health.h \
    src/recall/vector_models.c src/recall/vector_models.h \
    src/recall/vector_models_cache.c src/recall/vector_models_cache.h \
    src/recall/vector_sweep.c src/recall/vector_sweep.h src/recall/node_vectors.c src/recall/node_vectors.h src/recall/vectors_store.c src/recall/vectors_store.h
# Signals over the graph and the conversation.
src_recall_librecall_a_SOURCES += \
    src/recall/conversation.c src/recall/conversation.h src/recall/session.c \
    src/recall/expand.c src/recall/expand.h src/recall/route.c src/recall/route.h \
    src/recall/spread_stage.c src/recall/time_window.c src/recall/time_window.h src/recall/understand.c \
    src/recall/dates.c src/recall/dates.h src/recall/speaker.c src/recall/speaker.h \
    src/recall/spread.c src/recall/spread.h \
    src/recall/graph_gate.c src/recall/graph_gate.h src/recall/graph_signal.c \
    src/recall/mention_net.c src/recall/mention_net.h src/recall/ppr.c src/recall/ppr.h
# Operations and pages: these see call, view and jobs, never a store.
noinst_LIBRARIES += src/recall/librecall_ops.a
src_recall_librecall_ops_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_recall) $(see_call) $(see_view) $(see_jobs) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_field) $(see_base)
src_recall_librecall_ops_a_SOURCES = src/recall/recall_calls.c src/recall/recall_calls.h src/recall/vectors_job.c src/recall/vectors_job.h \
    src/recall/pack_job.c
