# The call table: operations as data, checking, and the gate before them.
noinst_LIBRARIES += src/call/libcall.a
src_call_libcall_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_call) $(see_graph) $(see_base)
src_call_libcall_a_SOURCES =
