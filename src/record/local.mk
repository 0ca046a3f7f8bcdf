# Whose request it is, what it may do, and the record of what it did.
noinst_LIBRARIES += src/record/librecord.a
src_record_librecord_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_record) $(see_store) $(see_field) $(see_base) $(SODIUM_CFLAGS)
src_record_librecord_a_SOURCES = \
    src/record/audit.c src/record/audit.h \
    src/record/audit_store.c src/record/audit_store.h \
    src/record/changes.c src/record/changes.h \
    src/record/input_check.c src/record/input_check.h \
    src/record/match.h \
    src/record/outbox.c src/record/outbox.h \
    src/record/outbox_store.c src/record/outbox_store.h \
    src/record/permission.c src/record/permission.h \
    src/record/principal.c src/record/principal.h src/record/voice.c src/record/voice.h \
    src/record/replay.c src/record/replay.h \
    src/record/replay_store.c src/record/replay_store.h \
    src/record/thing.c src/record/thing.h \
    src/record/uses.h \
    src/record/wake.c src/record/wake.h
