# Templates: parsed once, rendered from a lookup interface.
noinst_LIBRARIES += src/view/libview.a
src_view_libview_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_view) $(see_base)
src_view_libview_a_SOURCES =
