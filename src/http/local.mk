# FastCGI, routing, envelope.
noinst_LIBRARIES += src/http/libhttp.a
src_http_libhttp_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_http) $(see_call) $(see_view) $(see_event) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_field) $(see_base) $(FCGI_CFLAGS)
src_http_libhttp_a_SOURCES = \
    src/http/answer.c src/http/answer.h \
    src/http/api.c src/http/api.h \
    src/http/api_args.c src/http/api_args.h \
    src/http/csrf.c src/http/csrf.h \
    src/http/entrance.c src/http/entrance.h \
    src/http/exchange.c src/http/exchange.h \
    src/http/fcgi.c src/http/fcgi.h \
    src/http/fcgi_wire.c src/http/fcgi_wire.h \
    src/http/listen.c src/http/listen.h src/http/listen_impl.h src/http/listen_socket.c src/http/listener.c \
    src/http/multipart.c src/http/multipart.h \
    src/http/nginx_conf.c src/http/nginx_conf.h \
    src/http/upload.c src/http/upload.h \
    src/http/router.c src/http/router.h \
    src/http/seal.c src/http/seal.h \
    src/http/serve.c src/http/serve.h \
    src/http/watch.c src/http/watch.h
