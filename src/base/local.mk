# The ground: memory, strings, JSON, time, ids, errors, config, log, metrics. Sees nothing else of ours.
noinst_LIBRARIES += src/base/libbase.a
src_base_libbase_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_base) $(YAJL_CFLAGS) $(SODIUM_CFLAGS) $(UTF8PROC_CFLAGS)
src_base_libbase_a_SOURCES = \
    src/base/app.h \
    src/base/arena.c src/base/arena.h \
    src/base/block.c src/base/block.h \
    src/base/clock.c src/base/clock.h src/base/clock_move.c \
    src/base/config.c src/base/config.h \
    src/base/ctx.c src/base/ctx.h \
    src/base/enumx.c src/base/enumx.h \
    src/base/err.c src/base/err.h \
    src/base/errand.c src/base/errand.h \
    src/base/json.h src/base/json_guard.h src/base/json_names.h \
    src/base/json_build.c \
    src/base/json_guard.c \
    src/base/json_names.c \
    src/base/json_read.c \
    src/base/json_write.c \
    src/base/limit.h \
    src/base/list.h \
    src/base/log.c src/base/log.h src/base/log_queue.c src/base/log_queue.h \
    src/base/metrics.c src/base/metrics.h \
    src/base/pace.c src/base/pace.h \
    src/base/random.c src/base/random.h \
    src/base/str.c src/base/str.h \
    src/base/systemd.c src/base/systemd.h \
    src/base/unicode.c src/base/unicode.h \
    src/base/uuid.c src/base/uuid.h \
    src/base/zone.c src/base/zone.h
