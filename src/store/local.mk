# MariaDB (statements, transactions, migrations) and Redis.
noinst_LIBRARIES += src/store/libstore.a
src_store_libstore_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_store) $(see_base) $(MARIADB_CFLAGS) $(HIREDIS_CFLAGS)
src_store_libstore_a_SOURCES =
