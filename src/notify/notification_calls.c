/* The operations of notifications. */
#include "notification.h"
#include "notify_calls.h"

#define TAG .tag = "oversight"
#define PATH "/api/v1/ai/notifications"

static const struct field LIST_IN[] = {
    F_BOOL(struct notification_filter, unread, 0, false, "only unread ones"),
    F_PAGE(struct notification_filter),
    F_END
};

OP_CALL(NOTIFICATION_LIST, struct notification_filter, struct page, notification_list(c, in, out),
        .name = "notification.list", .method = "GET", .path = PATH, TAG, .summary = "Lists what you were told, newest first.",
        .help = "Only your own, and only what is due by now. They are kept for 90 days.", .perm = PERM_NONE,
        .flags = OP_OPEN | OP_READONLY | OP_IDEMPOTENT | OP_LIST, OP_IN(LIST_IN, struct notification_filter),
        OP_GIVE(NOTIFICATION, struct notification));

struct notification_id {
    struct uuid id;
};

static const struct field BY_ID[] = {
    F_UUID(struct notification_id, id, FIELD_REQUIRED, "id of the notification"),
    F_END
};

OP_CALL(NOTIFICATION_READ, struct notification_id, struct notification, notification_read(c, in->id, out),
        .name = "notification.read", .method = "POST", .path = PATH "/:id/read", TAG, .summary = "Marks a notification of yours as read.",
        .perm = PERM_NONE, .flags = OP_OPEN | OP_IDEMPOTENT, OP_IN(BY_ID, struct notification_id),
        OP_GIVE(NOTIFICATION, struct notification));

static const struct field ALL_OUT[] = {
    F_INT(struct notification_all, read, 0, 0, 9e15, 0, "how many were unread"),
    F_END
};

OP_CALL(NOTIFICATION_READ_ALL, void, struct notification_all, notification_read_all(c, in, out),
        .name = "notification.read_all", .method = "POST", .path = PATH "/read_all", TAG,
        .summary = "Marks all notifications of yours as read.", .perm = PERM_NONE, .flags = OP_OPEN | OP_IDEMPOTENT,
        OP_OUT(ALL_OUT, struct notification_all));

static const struct field PUSH_IN[] = {
    F_UUID(struct notification_push, user_id, FIELD_NULLABLE, "who is told; default: the owner of the account"),
    F_STR(struct notification_push, title, FIELD_REQUIRED, 1, NOTIFICATION_TITLE, "one line"),
    F_STR(struct notification_push, message, FIELD_REQUIRED, 1, NOTIFICATION_BODY, "what is to be said"),
    F_ENUM(struct notification_push, severity, 0, notification_severity, NOTIFY_MEDIUM, "how urgent it is"),
    F_END
};

static const struct field PUSH_OUT[] = {
    F_UUID(struct notification_pushed, id, 0, "id of the notification"),
    F_UUID(struct notification_pushed, user_id, 0, "who is told"),
    F_TIME(struct notification_pushed, deliver_at, 0, "when it is shown"),
    F_END
};

OP_CALL(NOTIFICATION_PUSH, struct notification_push, struct notification_pushed, notification_push(c, in, out),
        .name = "notification.create", .method = "POST", .path = PATH, .tool = "send_proactive_notification", TAG,
        .summary = "Tells a person something that cannot wait until they ask.", .help = "At most 10 an hour for each sender.",
        .perm = PERM_OVERSIGHT_WRITE, OP_IN(PUSH_IN, struct notification_push), OP_OUT(PUSH_OUT, struct notification_pushed));

const struct op *const notification_calls_table[] = {&NOTIFICATION_LIST, &NOTIFICATION_READ, &NOTIFICATION_READ_ALL,
                                                    &NOTIFICATION_PUSH, NULL};
