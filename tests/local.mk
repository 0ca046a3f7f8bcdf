# Test programs. A unit test `tests/unit/test_x.c` is one line in unit_tests (its source is found by its name);
# a fuzz target `tests/fuzz/fuzz_x.c` is one line in fuzz_targets. Tests see every folder and link everything.
# A test that needs a store starts one (stack.h), and exits 77 (skipped) where the servers are not installed.
LDADD = $(loci_archives) $(CMOCKA_LIBS) $(loci_syslibs)

unit_tests =
unit_tests += tests/unit/test_simd tests/unit/test_simd_scan
unit_tests += tests/unit/test_arena tests/unit/test_str tests/unit/test_uuid tests/unit/test_clock tests/unit/test_zone tests/unit/test_json
unit_tests += tests/unit/test_json_tree tests/unit/test_config tests/unit/test_metrics tests/unit/test_log tests/unit/test_ctx tests/unit/test_enumx tests/unit/test_errand
EXTRA_DIST += tests/unit/aborts.h tests/unit/english.h tests/unit/json_help.h
unit_tests += tests/unit/test_mustache tests/unit/test_mustache_spec tests/unit/test_views tests/unit/test_model
unit_tests += tests/unit/test_field tests/unit/test_http tests/unit/test_page_call tests/unit/test_entrance tests/unit/test_fcgi_wire tests/unit/test_mcp
EXTRA_DIST += tests/unit/fake_carrier.h
unit_tests += tests/unit/test_transfer_line tests/unit/test_multipart tests/unit/test_csrf tests/unit/test_nginx_conf
unit_tests += tests/unit/test_cron tests/unit/test_jobs tests/unit/test_queue tests/unit/test_first_jobs
tests_unit_test_first_jobs_LDADD = tests/unit/libjobsworld.a tests/unit/libstack.a $(LDADD)
tests_unit_test_queue_LDADD = tests/unit/libjobsworld.a tests/unit/libstack.a $(LDADD)
tests_unit_test_jobs_LDADD = tests/unit/libjobsworld.a tests/unit/libstack.a $(LDADD)
tests_unit_libjobsworld_a_SOURCES = tests/unit/jobs_world.c tests/unit/jobs_world.h
# Tests that talk to MariaDB or Redis.
unit_tests += tests/unit/test_hosts tests/unit/test_db tests/unit/test_db_hosts tests/unit/test_db_later tests/unit/test_db_loss tests/unit/test_db_stmt \
    tests/unit/test_db_tls tests/unit/test_db_tx tests/unit/test_row tests/unit/test_things \
    tests/unit/test_kv tests/unit/test_kv_sentinel tests/unit/test_migrate
tests_unit_test_db_LDADD = tests/unit/libstack.a $(LDADD)
tests_unit_test_db_hosts_LDADD = tests/unit/libstack.a $(LDADD)
tests_unit_test_db_later_LDADD = tests/unit/libstack.a $(LDADD)
tests_unit_test_db_loss_LDADD = tests/unit/libstack.a $(LDADD)
tests_unit_test_db_stmt_LDADD = tests/unit/libstack.a $(LDADD)
tests_unit_test_db_tls_LDADD = tests/unit/libstack.a $(LDADD)
tests_unit_test_db_tx_LDADD = tests/unit/libstack.a $(LDADD)
tests_unit_test_things_SOURCES = tests/unit/test_things.c src/calls.c src/calls.h
tests_unit_test_things_CPPFLAGS = $(AM_CPPFLAGS) -iquote $(top_srcdir)/src
tests_unit_test_things_LDADD = tests/unit/libstack.a $(LDADD)
tests_unit_test_row_LDADD = tests/unit/libstack.a $(LDADD)
tests_unit_test_kv_sentinel_LDADD = tests/unit/libstack.a $(LDADD)
tests_unit_test_kv_LDADD = tests/unit/libstack.a $(LDADD)
tests_unit_test_migrate_LDADD = tests/unit/libstack.a $(LDADD)
# Tests of the five words: graphtest.h gives them an account with people and agents.
unit_tests += tests/unit/test_lifecycle tests/unit/test_relation
unit_tests += tests/unit/test_node tests/unit/test_space tests/unit/test_edge tests/unit/test_vector tests/unit/test_audit \
    tests/unit/test_node_calls
unit_tests += tests/unit/test_speed
tests_unit_test_speed_LDADD = tests/unit/libgraphtest.a tests/unit/libstack.a $(LDADD)
tests_unit_test_space_LDADD = tests/unit/libgraphtest.a tests/unit/libstack.a $(LDADD)
tests_unit_test_edge_LDADD = tests/unit/libgraphtest.a tests/unit/libstack.a $(LDADD)
tests_unit_test_vector_LDADD = tests/unit/libgraphtest.a tests/unit/libstack.a $(LDADD)
tests_unit_test_audit_LDADD = tests/unit/libgraphtest.a tests/unit/libstack.a $(LDADD)
tests_unit_test_node_calls_LDADD = tests/unit/libgraphtest.a tests/unit/libstack.a $(LDADD)
tests_unit_test_node_LDADD = tests/unit/libgraphtest.a tests/unit/libstack.a $(LDADD)
tests_unit_libgraphtest_a_SOURCES = tests/unit/graphtest.c tests/unit/graphtest.h
tests_unit_libstack_a_SOURCES = tests/unit/stack.c tests/unit/stack.h tests/unit/dbtest.c tests/unit/dbtest.h
clean-local:
	rm -rf tests/unit/db-template tests/unit/db-template.new tests/unit/db-template.lock
# The relay of events against a simple model.
unit_tests += tests/unit/test_relay
tests_unit_test_relay_LDADD = tests/unit/libgraphtest.a tests/unit/libstack.a $(LDADD)
# Pools: paths against a plain document.
unit_tests += tests/unit/test_pool_path tests/unit/test_three_way
# The sanitiser.
unit_tests += tests/unit/test_sanitize tests/unit/test_fact_fold tests/unit/test_extract
EXTRA_DIST += tests/unit/extract_set.txt
# Documents: where texts are cut.
unit_tests += tests/unit/test_chunker
# Pages: the scanner of links.
unit_tests += tests/unit/test_link_scan
# Services of the graph: house.h gives them a process, an account and people.
unit_tests += tests/unit/test_permission tests/unit/test_password
unit_tests += tests/unit/test_access tests/unit/test_node_cache tests/unit/test_people tests/unit/test_replay tests/unit/test_session \
    tests/unit/test_token
tests_unit_test_node_cache_LDADD = tests/unit/libhouse.a tests/unit/libstack.a $(LDADD)
tests_unit_test_people_LDADD = tests/unit/libhouse.a tests/unit/libstack.a $(LDADD)
tests_unit_test_replay_LDADD = tests/unit/libhouse.a tests/unit/libstack.a $(LDADD)
tests_unit_test_session_LDADD = tests/unit/libhouse.a tests/unit/libstack.a $(LDADD)
tests_unit_test_token_LDADD = tests/unit/libhouse.a tests/unit/libstack.a $(LDADD)
tests_unit_test_access_LDADD = tests/unit/libhouse.a tests/unit/libstack.a $(LDADD)
tests_unit_libhouse_a_SOURCES = tests/unit/house.c tests/unit/house.h
# The embedder: modeltest.h gives them a packed model.
unit_tests += tests/unit/test_gemm tests/unit/test_embed_golden tests/unit/test_embed tests/unit/test_tokenizer
unit_tests += tests/unit/test_wordpieces tests/unit/test_bert
tests_unit_test_wordpieces_LDADD = tests/unit/libmodeltest.a $(LDADD)
tests_unit_test_bert_LDADD = tests/unit/libmodeltest.a $(LDADD)
EXTRA_DIST += tests/unit/minilm_golden.jsonl
tests_unit_test_embed_golden_LDADD = tests/unit/libmodeltest.a $(LDADD)
tests_unit_test_embed_LDADD = tests/unit/libmodeltest.a $(LDADD)
tests_unit_test_tokenizer_LDADD = tests/unit/libmodeltest.a $(LDADD)
EXTRA_DIST += tests/unit/small_vocabulary.h
tests_unit_libmodeltest_a_SOURCES = tests/unit/modeltest.c tests/unit/modeltest.h
# The recall engine.
unit_tests += tests/unit/test_codes tests/unit/test_dense
EXTRA_DIST += tests/unit/vectors.h
unit_tests += tests/unit/test_analyze tests/unit/test_sparse tests/unit/test_keyword
unit_tests += tests/unit/test_filter tests/unit/test_index tests/unit/test_nearest
tests_unit_test_nearest_LDADD = tests/unit/libgraphtest.a tests/unit/libstack.a $(LDADD)
unit_tests += tests/unit/test_spread tests/unit/test_surprise tests/unit/test_evidence tests/unit/test_fitted tests/unit/test_conversation tests/unit/test_speaker tests/unit/test_route tests/unit/test_dates tests/unit/test_ppr tests/unit/test_mentions
EXTRA_DIST += tests/unit/small_world.h
tests_unit_test_index_LDADD = tests/unit/libgraphtest.a tests/unit/libstack.a $(LDADD)
# What happens after ranking.
unit_tests += tests/unit/test_gate tests/unit/test_grade tests/unit/test_inert tests/unit/test_served tests/unit/test_word_match
tests_unit_test_served_LDADD = tests/unit/libstack.a $(LDADD)
# Memory's formulas, against simple models.
unit_tests += tests/unit/test_ask tests/unit/test_leiden
unit_tests += tests/unit/test_alike tests/unit/test_junk_look tests/unit/test_knowledge_score tests/unit/test_learning_score tests/unit/test_short_term tests/unit/test_skill_score tests/unit/test_taxonomy tests/unit/test_yaml_front
tests_unit_test_short_term_LDADD = tests/unit/libgraphtest.a tests/unit/libstack.a $(LDADD)
unit_tests += tests/unit/test_memory_jobs
tests_unit_test_memory_jobs_LDADD = tests/unit/libjobsworld.a tests/unit/libstack.a $(LDADD)
# Calls to the outside.
unit_tests += tests/unit/test_fetch tests/unit/test_net tests/unit/test_embed_http tests/unit/test_llm tests/unit/test_vectors tests/unit/test_vector_lines
tests_unit_test_embed_http_LDADD = tests/unit/libfakehttp.a $(LDADD)
tests_unit_test_llm_LDADD = tests/unit/libfakehttp.a tests/unit/libgraphtest.a tests/unit/libstack.a $(LDADD)
tests_unit_test_vectors_LDADD = tests/unit/libmodeltest.a tests/unit/libfakehttp.a tests/unit/libgraphtest.a tests/unit/libstack.a $(LDADD)
tests_unit_libfakehttp_a_SOURCES = tests/unit/fake_http.c tests/unit/fake_http.h
# Memory.
unit_tests += tests/unit/test_entry
tests_unit_test_entry_LDADD = tests/unit/libgraphtest.a tests/unit/libstack.a $(LDADD)
fuzz_targets =
fuzz_targets += tests/fuzz/fuzz_mustache
fuzz_targets += tests/fuzz/fuzz_json tests/fuzz/fuzz_config tests/fuzz/fuzz_uuid tests/fuzz/fuzz_text
fuzz_targets += tests/fuzz/fuzz_http tests/fuzz/fuzz_field tests/fuzz/fuzz_token tests/fuzz/fuzz_cron
fuzz_targets += tests/fuzz/fuzz_analyze tests/fuzz/fuzz_query tests/fuzz/fuzz_serve tests/fuzz/fuzz_dates
fuzz_targets += tests/fuzz/fuzz_tokenizer tests/fuzz/fuzz_transfer tests/fuzz/fuzz_mcp tests/fuzz/fuzz_sanitize tests/fuzz/fuzz_link_scan
tests_fuzz_fuzz_mcp_CPPFLAGS = $(AM_CPPFLAGS) -iquote $(srcdir)/tests/unit
tests_fuzz_fuzz_tokenizer_CPPFLAGS = $(AM_CPPFLAGS) -iquote $(srcdir)/tests/unit
tests_fuzz_fuzz_http_CPPFLAGS = $(AM_CPPFLAGS) -iquote $(srcdir)/tests/unit

# Any compiler: the target x over its kept corpus, as an ordinary test.
replays = tests/fuzz/replay_mustache tests/fuzz/replay_json tests/fuzz/replay_config tests/fuzz/replay_uuid \
    tests/fuzz/replay_text tests/fuzz/replay_http tests/fuzz/replay_field tests/fuzz/replay_token \
    tests/fuzz/replay_cron
replays += tests/fuzz/replay_link_scan
tests_fuzz_replay_link_scan_SOURCES = tests/fuzz/fuzz_link_scan.c tests/fuzz/replay.c
replays += tests/fuzz/replay_analyze tests/fuzz/replay_query tests/fuzz/replay_serve tests/fuzz/replay_dates tests/fuzz/replay_sanitize
tests_fuzz_replay_sanitize_SOURCES = tests/fuzz/fuzz_sanitize.c tests/fuzz/replay.c
tests_fuzz_replay_dates_SOURCES = tests/fuzz/fuzz_dates.c tests/fuzz/replay.c
tests_fuzz_replay_serve_SOURCES = tests/fuzz/fuzz_serve.c tests/fuzz/replay.c
tests_fuzz_replay_query_SOURCES = tests/fuzz/fuzz_query.c tests/fuzz/replay.c
tests_fuzz_replay_analyze_SOURCES = tests/fuzz/fuzz_analyze.c tests/fuzz/replay.c
tests_fuzz_replay_mustache_SOURCES = tests/fuzz/fuzz_mustache.c tests/fuzz/replay.c
tests_fuzz_replay_json_SOURCES = tests/fuzz/fuzz_json.c tests/fuzz/replay.c
tests_fuzz_replay_config_SOURCES = tests/fuzz/fuzz_config.c tests/fuzz/replay.c
tests_fuzz_replay_uuid_SOURCES = tests/fuzz/fuzz_uuid.c tests/fuzz/replay.c
tests_fuzz_replay_text_SOURCES = tests/fuzz/fuzz_text.c tests/fuzz/replay.c
tests_fuzz_replay_http_SOURCES = tests/fuzz/fuzz_http.c tests/fuzz/replay.c
tests_fuzz_replay_http_CPPFLAGS = $(AM_CPPFLAGS) -iquote $(srcdir)/tests/unit
tests_fuzz_replay_field_SOURCES = tests/fuzz/fuzz_field.c tests/fuzz/replay.c
tests_fuzz_replay_token_SOURCES = tests/fuzz/fuzz_token.c tests/fuzz/replay.c
tests_fuzz_replay_cron_SOURCES = tests/fuzz/fuzz_cron.c tests/fuzz/replay.c
replays += tests/fuzz/replay_tokenizer tests/fuzz/replay_transfer tests/fuzz/replay_mcp
tests_fuzz_replay_transfer_SOURCES = tests/fuzz/fuzz_transfer.c tests/fuzz/replay.c
tests_fuzz_replay_mcp_SOURCES = tests/fuzz/fuzz_mcp.c tests/fuzz/replay.c
tests_fuzz_replay_mcp_CPPFLAGS = $(AM_CPPFLAGS) -iquote $(srcdir)/tests/unit
tests_fuzz_replay_tokenizer_SOURCES = tests/fuzz/fuzz_tokenizer.c tests/fuzz/replay.c
tests_fuzz_replay_tokenizer_CPPFLAGS = $(AM_CPPFLAGS) -iquote $(srcdir)/tests/unit
EXTRA_DIST += tests/fuzz/corpus

# The fuzz build makes the fuzz targets and nothing else: their main() is libFuzzer's.
if FUZZ
LDADD += $(LOCI_FUZZ_LINK)
noinst_PROGRAMS += $(fuzz_targets)
else
noinst_PROGRAMS += tests/bench/bench_simd tests/bench/bench_embed tests/bench/bench_scan tests/bench/embed_texts \
    tests/bench/bench_vector tests/browser/render_page
tests_bench_bench_vector_SOURCES = tests/bench/bench_vector.c tests/bench/vector_peers.h tests/bench/vector_world.c \
    tests/bench/vector_world.h
check_PROGRAMS += $(replays)
EXTRA_PROGRAMS = tests/bench/hello tests/bench/bench_index tests/bench/bench_bm25
tests_bench_bench_bm25_SOURCES = tests/bench/bench_bm25.c tests/bench/bm25_fts5.c tests/bench/bm25_fts5.h \
    tests/bench/bm25_quality.c tests/bench/bm25_quality.h
tests_bench_bench_bm25_LDADD = $(LDADD) -lsqlite3
tests_bench_bench_index_CPPFLAGS = $(AM_CPPFLAGS) -iquote $(srcdir)/tests/unit
tests_bench_bench_index_LDADD = tests/unit/libgraphtest.a tests/unit/libstack.a $(LDADD)
EXTRA_DIST += tests/bench/http tests/bench/mcp tests/bench/mcp.mjs tests/bench/memory_curve tests/bench/memory_curve.mjs tests/bench/hello.sh tests/bench/memory tests/bench/vector tests/bench/bm25 tests/bench/vector_peers.cc tests/bench/texts.mjs tests/bench/embed tests/bench/embed_peers
if HAVE_CMOCKA
check_PROGRAMS += $(unit_tests)
check_LIBRARIES = tests/unit/libstack.a tests/unit/libgraphtest.a tests/unit/libhouse.a tests/unit/libjobsworld.a tests/unit/libmodeltest.a tests/unit/libfakehttp.a
endif
endif
TESTS = $(check_PROGRAMS)
