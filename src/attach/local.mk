# Files beside pages: pictures, documents.
noinst_LIBRARIES += src/attach/libattach.a
src_attach_libattach_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_attach) $(see_wikitext) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_store) $(see_field) $(see_base) $(SODIUM_CFLAGS)
src_attach_libattach_a_SOURCES = src/attach/attachment.c src/attach/attachment.h src/attach/attachment_store.c src/attach/attachment_store.h
# Its operations.
noinst_LIBRARIES += src/attach/libattach_ops.a
src_attach_libattach_ops_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_attach) $(see_call) $(see_view) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_field) $(see_base)
src_attach_libattach_ops_a_SOURCES = src/attach/attachment_calls.c src/attach/attachment_calls.h
