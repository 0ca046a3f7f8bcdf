# Tables of fields: what a struct, a request, an answer, a row and a form have in common.
noinst_LIBRARIES += src/field/libfield.a
src_field_libfield_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_field) $(see_base)
src_field_libfield_a_SOURCES = \
    src/field/field.h src/field/field_decode.c src/field/field_encode.c src/field/field_hint.c src/field/field_part.c \
    src/field/field_schema.c \
    src/field/page.c src/field/page.h \
    src/field/strs_json.c src/field/strs_json.h \
    src/field/thing_table.h
