# The inbox: all that waits for a person.
noinst_LIBRARIES += src/inbox/libinbox.a
src_inbox_libinbox_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_inbox) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_store) $(see_field) $(see_base)
src_inbox_libinbox_a_SOURCES = src/inbox/inbox.c src/inbox/inbox.h src/inbox/inbox_source_store.c src/inbox/inbox_store.c src/inbox/inbox_store.h \
    src/inbox/standing.h src/inbox/standing_store.c
# Its operation and page.
noinst_LIBRARIES += src/inbox/libinbox_ops.a
src_inbox_libinbox_ops_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_inbox) $(see_call) $(see_view) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_field) $(see_base)
src_inbox_libinbox_ops_a_SOURCES = src/inbox/inbox_calls.c src/inbox/inbox_calls.h src/inbox/inbox_html.c src/inbox/inbox_html.h \
    src/inbox/standing_html.c
