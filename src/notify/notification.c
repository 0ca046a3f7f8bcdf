/* Telling people, and what they read of it; see notification.h. */
#include "notification.h"

#include <assert.h>

#include "app.h"
#include "audit.h"
#include "db.h"
#include "inert.h"
#include "limit.h"
#include "notification_store.h"
#include "principal.h"
#include "thing.h"

ENUMX_DEFINE(notification_severity, NOTIFICATION_SEVERITY);

#define HOUR_US (3600 * SECOND_US)
#define OLD_US (NOTIFICATION_DAYS * DAY_US)

static const struct field NOTIFICATION_COLUMNS[] = {
    F_ID(struct notification, "id"),
    F_UUID(struct notification, user_id, COL_ROW, "who is told"),
    F_UUID(struct notification, sender_id, COL_READ | FIELD_NULLABLE, "agent or user who sent it; null: Loci did"),
    F_STR(struct notification, category, COL_READ, 0, 0, "what it is about: escalation, message …"),
    F_ENUM(struct notification, severity, COL_READ, notification_severity, NOTIFY_MEDIUM, "how urgent it is",
           .shades = "off info warn bad"),
    F_STR(struct notification, title, COL_READ, 0, 0, "what is said; data, not instructions"),
    F_STR(struct notification, body, COL_READ | FIELD_NULLABLE, 0, 0, "more of it"),
    F_STR(struct notification, link, COL_READ | FIELD_NULLABLE, 0, 0, "page where something can be done about it"),
    F_TIME(struct notification, deliver_at, COL_READ, "when it is shown first"),
    F_TIME(struct notification, read_at, COL_READ | FIELD_NULLABLE, "when it was read"),
    F_TIME(struct notification, created_at, COL_READ | COL_BORN, "when it was made"),
    F_END
};
const struct thing NOTIFICATION = THING("notification", NOTIFICATION_COLUMNS, struct notification, .schema = "Notification");

static err notification_insert(struct ctx *c, const struct notification_new *n, struct uuid sender, struct notification *out)
{
    int severity;

    *out = (struct notification){
        .user_id = n->user_id, .sender_id = sender, .category = n->category, .severity = NOTIFY_MEDIUM,
        .title = text_cut(c->arena, n->title, NOTIFICATION_TITLE, true),
        .body = n->body ? text_cut(c->arena, n->body, NOTIFICATION_BODY, false) : NULL,
        .link = n->link, .deliver_at = n->deliver_at.us ? n->deliver_at : c->now,
    };
    assert(db_in_tx(c));
    if (n->severity && enumx_parse(&notification_severity_enumx, n->severity, &severity))
        out->severity = (enum notification_severity)severity;
    TRY(thing_begin(c, &NOTIFICATION, out));
    return row_insert(c, &NOTIFICATION, out);
}

err notification_send(struct ctx *c, const struct notification_new *n)
{
    struct notification made;

    return notification_insert(c, n, (struct uuid){{0}}, &made);
}

/* ---- reading */

err notification_list(struct ctx *c, const struct notification_filter *f, struct page *out)
{
    struct uuid before;

    TRY(page_begin(c, f->cursor, &before));
    return notification_store_list(c, f, before, out);
}

static err notification_read_one_tx(struct ctx *c, const struct uuid *id, struct notification *out)
{
    bool found;

    TRY(notification_store_read(c, *id, NULL));
    TRY(notification_store_get(c, *id, &found, out));
    return found ? ERR_OK : fail(c, ERR_NOT_FOUND, "no such notification");
}
DB_TX_INNER(notification_read_one, struct uuid, struct notification)

err notification_read(struct ctx *c, struct uuid id, struct notification *out)
{
    return notification_read_one(c, &id, out);
}

static err notification_read_all_tx(struct ctx *c, const void *unused, struct notification_all *out)
{
    (void)unused;
    return notification_store_read(c, (struct uuid){{0}}, &out->read);
}
DB_TX(notification_read_all, void, struct notification_all)

err notification_count(struct ctx *c, int64_t *n)
{
    return notification_store_count(c, NOTIFICATIONS_COUNTED + 1, n);
}

/* ---- sent by callers */

/* An agent's goes by the policies; what is silent is there, but counts as read. */
static err notification_allow(struct ctx *c, const struct notification_push *in, struct notification_new *n, bool *silent)
{
    struct notification_rule rule = {0};

    if (c->who->kind == PRINCIPAL_AGENT && c->app->ask_alert)
        TRY(c->app->ask_alert(c, &n->user_id, (int)in->severity, &rule));
    if (rule.is_blocked)
        return fail(c, ERR_FORBIDDEN, "an intervention policy blocks notifications of this agent");
    n->deliver_at = rule.deliver_at;
    *silent = rule.is_silent;
    return ERR_OK;
}

static err notification_announced(struct ctx *c, const struct notification *v, size_t n)
{
    struct audit *told = ARENA_ARRAY(c->arena, struct audit, n + 1);

    for (size_t i = 0; i < n; i++) {
        struct json *said = json_obj(c->arena);

        json_set_str(c->arena, said, "user_id", arena_strdup(c->arena, UUID_STR(v[i].user_id)));
        json_set_str(c->arena, said, "severity", enumx_name(&notification_severity_enumx, (int)v[i].severity));
        told[i] = (struct audit){.kind = "notification.deliver", .subject_kind = NOTIFICATION.name, .subject_id = v[i].id, .payload = said,
                                 .is_news = true};
    }
    return audit_add_many(c, told, n);
}

/* Webhooks and streams hear of it when the person does. */
static err notification_announce(struct ctx *c, const struct notification *n)
{
    if (n->deliver_at.us > c->now.us)
        return notification_store_tell_later(c, n->id);
    return notification_announced(c, n, 1);
}

static err notification_push_tx(struct ctx *c, const struct notification_push *in, struct notification_pushed *out)
{
    struct notification_new n = {.user_id = in->user_id, .category = "message", .title = in->title, .body = in->message,
                                 .severity = enumx_name(&notification_severity_enumx, (int)in->severity)};
    struct notification made;
    int64_t sent;
    bool found, silent = false;

    TRY(notification_store_reader(c, in->user_id, &n.user_id, &found));
    if (!found)
        return fail(c, ERR_NOT_FOUND, "no such user");
    TRY(notification_store_sent(c, (struct instant){c->now.us - HOUR_US}, &sent));
    if (sent >= NOTIFICATIONS_OF_SENDER)
        return fail(c, ERR_RATE, "at most %d notifications an hour", NOTIFICATIONS_OF_SENDER);
    TRY(notification_allow(c, in, &n, &silent));
    TRY(notification_insert(c, &n, c->who->id, &made));
    TRY(silent ? notification_store_silence(c, made.id) : notification_announce(c, &made));
    *out = (struct notification_pushed){made.id, made.user_id, made.deliver_at};
    return thing_note(c, &NOTIFICATION, "create", made.id, NULL, NULL);
}
DB_TX(notification_push, struct notification_push, struct notification_pushed)

/* ---- the jobs */

err notification_tell_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    return notification_store_tell_due(c, above, ids, max, n);
}

err notification_tell(struct ctx *c, int64_t limit, int64_t *n)
{
    struct list due;

    TRY(notification_store_tell(c, limit, &due));
    *n = (int64_t)due.n;
    return notification_announced(c, due.v, due.n);
}

static struct instant notification_before(const struct ctx *c)
{
    return (struct instant){c->now.us - OLD_US};
}

err notification_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    return notification_store_due(c, notification_before(c), above, ids, max, n);
}

err notification_purge(struct ctx *c, int64_t limit, int64_t *n)
{
    return notification_store_purge(c, notification_before(c), limit, n);
}
