# The page on which recall is tried.
noinst_LIBRARIES += src/playground/libplayground_ops.a
src_playground_libplayground_ops_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_playground) $(see_call) $(see_view) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_field) $(see_base)
src_playground_libplayground_ops_a_SOURCES = \
    src/playground/playground_answer_html.c src/playground/playground_chips_html.c src/playground/playground_compare_html.c \
    src/playground/playground_form_html.c src/playground/playground_html.c src/playground/playground_html.h \
    src/playground/playground_names_html.c src/playground/playground_why_html.c
