# The frame of the admin pages.
noinst_LIBRARIES += src/admin/libadmin.a
src_admin_libadmin_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_admin) $(see_http) $(see_call) $(see_view) $(see_graph) $(see_base)
src_admin_libadmin_a_SOURCES =
