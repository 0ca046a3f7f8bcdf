# The event stream and webhooks.
noinst_LIBRARIES += src/event/libevent.a
src_event_libevent_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_event) $(see_net) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_store) $(see_field) $(see_base) $(SODIUM_CFLAGS)
src_event_libevent_a_SOURCES = \
    src/event/event.c src/event/event.h \
    src/event/event_hear.c src/event/event_hear.h \
    src/event/event_store.c src/event/event_store.h src/event/event_redis_store.c \
    src/event/relay.c src/event/relay.h src/event/relay_thread.c \
    src/event/webhook.c src/event/webhook.h src/event/webhook_impl.h src/event/webhook_send.c src/event/webhook_sign.c \
    src/event/webhook_store.c src/event/webhook_store.h
# Their operations and jobs.
noinst_LIBRARIES += src/event/libevent_ops.a
src_event_libevent_ops_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_event) $(see_call) $(see_view) $(see_jobs) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_field) $(see_base)
src_event_libevent_ops_a_SOURCES = \
    src/event/event_calls.c src/event/event_calls.h \
    src/event/event_job.c src/event/event_job.h \
    src/event/event_html.h src/event/webhook_html.c \
    src/event/webhook_calls.c src/event/webhook_job.c src/event/webhook_job.h
