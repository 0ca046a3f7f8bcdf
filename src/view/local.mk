# Templates: parsed once, rendered from a lookup interface.
noinst_LIBRARIES += src/view/libview.a
src_view_libview_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_view) $(see_base) $(CMARK_CFLAGS)
src_view_libview_a_SOURCES = \
    src/view/chart.c src/view/chart.h \
    src/view/diff.c src/view/diff.h \
    src/view/markdown.c src/view/markdown.h \
    src/view/model.c src/view/model.h \
    src/view/mustache.h src/view/mustache_impl.h \
    src/view/mustache_json.c \
    src/view/mustache_parse.c \
    src/view/mustache_render.c \
    src/view/mustache_scan.c \
    src/view/mustache_set.c \
    src/view/statics.c src/view/statics.h \
    src/view/views.c src/view/views.h \
    src/view/words.c src/view/words.h
