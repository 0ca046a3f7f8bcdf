# The call table: operations as data, checking, and the gate before them.
noinst_LIBRARIES += src/call/libcall.a
src_call_libcall_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_call) $(see_view) $(see_access) $(see_record) $(see_field) $(see_base)
src_call_libcall_a_SOURCES = \
    src/call/call.c src/call/call.h \
    src/call/op.h src/call/op_table.c \
    src/call/openapi.c src/call/openapi.h \
    src/call/page_call.c src/call/page_call.h \
    src/call/form_parts_html.c src/call/parts_html.c src/call/parts_html.h src/call/tabs_parts_html.c
