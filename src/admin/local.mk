# The frame of the admin pages.
noinst_LIBRARIES += src/admin/libadmin.a
src_admin_libadmin_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_admin) $(see_page) $(see_skillmd) $(see_attach) $(see_http) $(see_call) $(see_view) $(see_jobs) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_field) $(see_base) $(SODIUM_CFLAGS)
src_admin_libadmin_a_SOURCES = \
    src/admin/admin.c src/admin/admin.h \
    src/admin/cookie.c src/admin/cookie.h \
    src/admin/copy.c src/admin/copy.h \
    src/admin/docs.c src/admin/docs.h src/admin/docs_find.c src/admin/docs_find.h \
    src/admin/door.c src/admin/door.h \
    src/admin/frame.c src/admin/frame.h \
    src/admin/sheet.c src/admin/sheet.h \
    src/admin/site.c src/admin/site.h src/admin/skills_site.c src/admin/skills_site.h \
    src/admin/part.c src/admin/part.h \
    src/admin/overview_html.c src/admin/overview_html.h src/admin/overview_parts_html.c
