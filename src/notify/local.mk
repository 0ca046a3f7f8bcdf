# Notifications: what people are told.
noinst_LIBRARIES += src/notify/libnotify.a
src_notify_libnotify_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_notify) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_store) $(see_field) $(see_base)
src_notify_libnotify_a_SOURCES = src/notify/notification.c src/notify/notification.h src/notify/notification_store.c src/notify/notification_store.h
# Their operations and job.
noinst_LIBRARIES += src/notify/libnotify_ops.a
src_notify_libnotify_ops_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_notify) $(see_jobs) $(see_call) $(see_view) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_field) $(see_base)
src_notify_libnotify_ops_a_SOURCES = src/notify/notification_calls.c src/notify/notify_calls.h src/notify/notifications_html.c src/notify/notify_html.h src/notify/notification_job.c src/notify/notification_job.h
