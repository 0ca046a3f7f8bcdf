# Facts out of text, by rules: a pure module.
noinst_LIBRARIES += src/extract/libextract.a
src_extract_libextract_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_extract) $(see_recall) $(see_base)
src_extract_libextract_a_SOURCES = \
    src/extract/extract.c src/extract/rule_extract.h src/extract/extract_impl.h src/extract/extract_clause.c src/extract/extract_date.c \
    src/extract/extract_noun.c src/extract/extract_rule.c src/extract/extract_token.c
