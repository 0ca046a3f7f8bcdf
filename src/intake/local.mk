# Bytes to text. The readers of formats run in a program of their own, loci-extract, which closes a cage about itself.
noinst_LIBRARIES += src/intake/libextract.a
src_intake_libextract_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_intake) $(see_base)
src_intake_libextract_a_SOURCES = src/intake/cage.c src/intake/cage.h src/intake/extract.h src/intake/extract_docx.c src/intake/extract_eml.c \
    src/intake/extract_epub.c src/intake/extract_html.c src/intake/extract_odt.c src/intake/extract_pptx.c src/intake/extract_text.c \
    src/intake/extract_xlsx.c src/intake/extract_xml.c src/intake/extract_xml.h src/intake/extract_zip.c src/intake/extract_zip.h
# Starting it, and what needs no foreign parser.
noinst_LIBRARIES += src/intake/libintake.a
src_intake_libintake_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_intake) $(see_net) $(see_base)
src_intake_libintake_a_SOURCES = src/intake/intake.c src/intake/intake.h src/intake/intake_child.c src/intake/intake_child.h \
    src/intake/intake_format.c src/intake/intake_format.h src/intake/intake_pages.c src/intake/intake_pages.h
# Archives that go out.
src_intake_libintake_a_SOURCES += src/intake/zip_write.c src/intake/zip_write.h
# Where texts are cut.
src_intake_libintake_a_SOURCES += src/intake/chunk_marks.c src/intake/chunk_marks.h src/intake/chunker.c src/intake/chunker.h \
    src/intake/chunker_impl.h src/intake/chunker_semantic.c
