# A language model, where one is configured.
noinst_LIBRARIES += src/llm/libllm.a
src_llm_libllm_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_llm) $(see_net) $(see_store) $(see_base)
src_llm_libllm_a_SOURCES = \
    src/llm/llm.c src/llm/llm.h \
    src/llm/llm_schema.c src/llm/llm_schema.h \
    src/llm/llm_store.c src/llm/llm_store.h
