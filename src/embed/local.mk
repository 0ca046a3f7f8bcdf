# Texts to vectors. The model is mapped from a packed file; see docs/decisions/0004-embedder.md.
noinst_LIBRARIES += src/embed/libembed.a
src_embed_libembed_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_embed) $(see_net) $(see_simd) $(see_base) $(SODIUM_CFLAGS) $(UTF8PROC_CFLAGS)
src_embed_libembed_a_SOURCES = \
    src/embed/attention.c src/embed/attention.h \
    src/embed/bert.c src/embed/bert.h \
    src/embed/bert_layout.c src/embed/bert_layout.h \
    src/embed/bert_pack.c src/embed/bert_pack.h \
    src/embed/embed.c src/embed/embed.h src/embed/embed_http.c src/embed/embed_http.h \
    src/embed/embedder.c src/embed/embedder.h \
    src/embed/model_file.c src/embed/model_file.h \
    src/embed/model_layout.c src/embed/model_layout.h \
    src/embed/model_pack.c src/embed/model_pack.h \
    src/embed/model_weights.c src/embed/model_weights.h \
    src/embed/package_file.c src/embed/package_file.h \
    src/embed/products.c src/embed/products.h src/embed/self_test.c \
    src/embed/tokenizer.c src/embed/tokenizer.h \
    src/embed/transformer.c src/embed/transformer.h \
    src/embed/vocabulary.c src/embed/vocabulary.h \
    src/embed/windows.c src/embed/windows.h \
    src/embed/wordpieces.c src/embed/wordpieces.h src/embed/wordpieces_newer.h
