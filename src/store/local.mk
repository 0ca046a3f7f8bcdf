# MariaDB (statements, transactions, migrations) and Redis.
noinst_LIBRARIES += src/store/libstore.a
src_store_libstore_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_store) $(see_field) $(see_base) $(MARIADB_CFLAGS) $(HIREDIS_CFLAGS) \
    $(SODIUM_CFLAGS)
src_store_libstore_a_SOURCES = \
    src/store/db.c src/store/db.h src/store/db_impl.h \
    src/store/db_bind.c \
    src/store/db_fault.c \
    src/store/db_hold.c \
    src/store/db_host.c src/store/db_host.h \
    src/store/db_later.c \
    src/store/db_query.c \
    src/store/db_row.c \
    src/store/db_stmt.c \
    src/store/db_tx.c \
    src/store/db_watch.c \
    src/store/hosts.c src/store/hosts.h \
    src/store/like.c src/store/like.h \
    src/store/kv.c src/store/kv_arg.c src/store/kv.h src/store/kv_impl.h src/store/kv_publish.c \
    src/store/kv_dial.c src/store/kv_dial.h \
    src/store/kv_master.c src/store/kv_master.h \
    src/store/kv_feed.c src/store/kv_feed.h src/store/kv_watch.c src/store/kv_watch.h \
    src/store/migrate.c src/store/migrate.h \
    src/store/migrate_lease.c src/store/migrate_lease.h \
    src/store/migrate_split.c src/store/migrate_split.h \
    src/store/row.c src/store/row.h \
    src/store/sql.c
