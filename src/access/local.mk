# The gate: accounts, roles, spaces, grants, and who may touch which.
noinst_LIBRARIES += src/access/libaccess.a
src_access_libaccess_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_access) $(see_record) $(see_store) $(see_field) $(see_base) $(SODIUM_CFLAGS)
src_access_libaccess_a_SOURCES = \
    src/access/access.c src/access/access.h \
    src/access/access_cache.c \
    src/access/access_gate_store.c \
    src/access/access_impl.h \
    src/access/access_store.c \
    src/access/grant.c src/access/grant.h \
    src/access/grant_store.c src/access/grant_store.h \
    src/access/password.c src/access/password.h \
    src/access/role.c src/access/role.h \
    src/access/role_store.c src/access/role_store.h \
    src/access/space.c src/access/space.h \
    src/access/space_change.c \
    src/access/space_impl.h \
    src/access/space_make.c \
    src/access/space_room.c src/access/space_room.h \
    src/access/space_store.c src/access/space_store.h \
    src/access/token_text.c src/access/token_text.h \
    src/access/session_key.c src/access/session_key.h
