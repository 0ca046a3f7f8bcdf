# Calls to the outside over HTTP.
noinst_LIBRARIES += src/net/libnet.a
src_net_libnet_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_net) $(see_base) $(CURL_CFLAGS)
src_net_libnet_a_SOURCES = src/net/address.c src/net/fetch.c src/net/fetch.h src/net/net.c src/net/net.h src/net/reach.c
