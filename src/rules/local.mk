# Rules: by which facts are read out of texts.
noinst_LIBRARIES += src/rules/librules.a
src_rules_librules_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_rules) $(see_extract) $(see_access) $(see_record) $(see_store) $(see_field) $(see_base)
src_rules_librules_a_SOURCES = src/rules/rule_dir.c src/rules/rule_dir.h src/rules/rule_set.c src/rules/rule_set.h src/rules/rule_set_store.c src/rules/rule_set_store.h
# Its operations.
noinst_LIBRARIES += src/rules/librules_ops.a
src_rules_librules_ops_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_rules) $(see_extract) $(see_call) $(see_view) $(see_access) $(see_record) $(see_field) $(see_base)
src_rules_librules_ops_a_SOURCES = src/rules/rule_calls.c src/rules/rule_calls.h
