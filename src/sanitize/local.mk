# Private data and injection markers out of a text: a pure module.
noinst_LIBRARIES += src/sanitize/libsanitize.a
src_sanitize_libsanitize_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_sanitize) $(see_base) $(UTF8PROC_CFLAGS)
src_sanitize_libsanitize_a_SOURCES = \
    src/sanitize/sanitize.c src/sanitize/sanitize_direct.c src/sanitize/sanitize_direct.h src/sanitize/sanitize.h src/sanitize/sanitize_impl.h \
    src/sanitize/sanitize_fence.c src/sanitize/sanitize_marker.c src/sanitize/sanitize_named.c src/sanitize/sanitize_phrase.c \
    src/sanitize/sanitize_private.c src/sanitize/sanitize_secret.c src/sanitize/sanitize_view.c
