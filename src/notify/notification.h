/* Notifications: what a person is told, and when. Each person sees only their own. */
#ifndef LOCI_NOTIFICATION_H
#define LOCI_NOTIFICATION_H

#include "ctx.h"
#include "enumx.h"
#include "page.h"
#include "thing_table.h"

#define NOTIFICATION_TITLE 255
#define NOTIFICATION_BODY 2000
#define NOTIFICATION_DAYS 90
#define NOTIFICATIONS_OF_SENDER 10 /* an hour */
#define NOTIFICATIONS_COUNTED 99   /* more are shown as 99+ */

#define NOTIFICATION_SEVERITY(X) X(NOTIFY_LOW, "low") X(NOTIFY_MEDIUM, "medium") X(NOTIFY_HIGH, "high") X(NOTIFY_CRITICAL, "critical")
ENUMX_DECLARE(notification_severity, NOTIFICATION_SEVERITY);

struct notification_new {
    struct uuid user_id;
    const char *category;      /* a word: escalation, proposal, message */
    const char *severity;      /* low, medium, high or critical; NULL: medium */
    const char *title;         /* cut to 255 characters */
    const char *body;          /* cut to 2,000; NULL: none */
    const char *link;          /* a page of ours: "/admin/inbox"; NULL: none */
    struct instant deliver_at; /* held back until then; 0: now */
};
/* Inside the transaction of what it tells about. */
err notification_send(struct ctx *c, const struct notification_new *n);

struct notification {
    struct uuid id, user_id, sender_id; /* sender_id nil: Loci itself */
    enum notification_severity severity;
    const char *category, *title, *body, *link;
    struct instant deliver_at, read_at, created_at;
};
extern const struct thing NOTIFICATION;

struct notification_filter {
    bool unread;
    int64_t limit;
    const char *cursor;
};
/* The caller's own that are due, newest first. */
err notification_list(struct ctx *c, const struct notification_filter *f, struct page *out);
err notification_read(struct ctx *c, struct uuid id, struct notification *out);
struct notification_all {
    int64_t read;
};
err notification_read_all(struct ctx *c, const void *unused, struct notification_all *out);
/* Unread ones that are due, at most NOTIFICATIONS_COUNTED + 1. */
err notification_count(struct ctx *c, int64_t *n);

struct notification_push {
    struct uuid user_id; /* nil: the owner of the account */
    const char *title, *message;
    enum notification_severity severity;
};
struct notification_pushed {
    struct uuid id, user_id;
    struct instant deliver_at;
};
/* What policies say to it: struct app.ask_alert. */
struct notification_rule {
    bool is_blocked, is_silent;
    struct instant deliver_at; /* 0: at once */
};
/* A caller tells a person something by itself: ERR_RATE after 10 in an hour. */
err notification_push(struct ctx *c, const struct notification_push *in, struct notification_pushed *out);

/* The event notification.deliver of those whose time has come; what is shown at once has it at once. */
err notification_tell_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);
err notification_tell(struct ctx *c, int64_t limit, int64_t *n);

err notification_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);
err notification_purge(struct ctx *c, int64_t limit, int64_t *n);

#endif
