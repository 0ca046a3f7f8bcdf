# FastCGI, routing, envelope.
noinst_LIBRARIES += src/http/libhttp.a
src_http_libhttp_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_http) $(see_call) $(see_view) $(see_graph) $(see_base) $(FCGI_CFLAGS)
src_http_libhttp_a_SOURCES =
