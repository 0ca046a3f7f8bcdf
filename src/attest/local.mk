# Attest: attestations, reliability, promotion, core blocks.
noinst_LIBRARIES += src/attest/libattest.a
src_attest_libattest_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_attest) $(see_belief) $(see_episode) $(see_jobs) $(see_recall) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_store) $(see_field) $(see_base)
src_attest_libattest_a_SOURCES = src/attest/attestation.c src/attest/attestation.h src/attest/attestation_store.c \
    src/attest/attestation_store.h src/attest/core_block.c src/attest/core_block.h src/attest/core_block_store.c \
    src/attest/core_block_store.h src/attest/promotion.c src/attest/promotion.h src/attest/promotion_store.c src/attest/promotion_store.h \
    src/attest/review.c src/attest/review.h src/attest/review_store.c src/attest/review_store.h
# Its operations and jobs.
noinst_LIBRARIES += src/attest/libattest_ops.a
src_attest_libattest_ops_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_attest) $(see_jobs) $(see_call) $(see_view) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_field) $(see_base)
src_attest_libattest_ops_a_SOURCES = src/attest/attest_calls.c src/attest/attest_calls.h \
    src/attest/promotion_job.c src/attest/promotion_job.h
