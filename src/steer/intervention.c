/* Intervention policies, made and changed; see intervention.h. */
#include "intervention.h"

#include <string.h>

#include "agent.h"
#include "db.h"
#include "intervention_store.h"
#include "limit.h"
#include "match.h"
#include "thing.h"
#include "trust.h"
#include "user.h"
#include "zone.h"

ENUMX_DEFINE(intervention_scope, INTERVENTION_SCOPE);
ENUMX_DEFINE(intervention_category, INTERVENTION_CATEGORY);
ENUMX_DEFINE(intervention_rule, INTERVENTION_RULE);

static const struct field INTERVENTION_COLUMNS[] = {
    F_ID(struct intervention, "id of the policy"),
    F_UUID(struct intervention, user_id, COL_OPEN | FIELD_NULLABLE, "person it is for; null: everybody", .label = "Person"),
    F_UUID(struct intervention, agent_id, COL_OPEN | FIELD_NULLABLE, "agent it is for; null: every agent", .label = "Agent"),
    F_ENUM(struct intervention, scope, COL_READ, intervention_scope, SCOPE_GLOBAL,
        "agent: of one agent; action_type: of one kind of action; global"),
    F_ENUM(struct intervention, action_category, COL_OPEN | FIELD_REQUIRED, intervention_category, ACTION_ALL,
        "actions it is about; *: all",
        .label = "Action"),
    F_ENUM(struct intervention, policy, COL_OPEN | FIELD_REQUIRED, intervention_rule, RULE_REQUIRE_APPROVAL, "what it says",
        .label = "Policy", .shades = "ok off info warn bad"),
    F_INT(struct intervention, priority, COL_OPEN, -100, 100, 0, "the higher one wins", .label = "Priority"),
    F_OBJECT(struct intervention, conditions, COL_OPEN, LIMIT_SETTINGS,
        "{trust_tier_minimum, severity_max, max_daily_notifications, quiet_hours: {start: \"22:00\", end: \"07:00\", tz}}"),
    F_STRS(struct intervention, preferred_channels, COL_OPEN, INTERVENTION_CHANNELS,
        "how people are told: notification, webhook, event; none named: notification", .label = "Channels"),
    F_BOOL(struct intervention, is_active, COL_OPEN, true, "whether it counts", .label = "Active"),
    F_VERSION(struct intervention),
    F_TIMES(struct intervention),
    F_END
};
const struct thing INTERVENTION =
    THING("intervention_policy", INTERVENTION_COLUMNS, struct intervention, .schema = "InterventionPolicy", .is_news = true);

/* ---- conditions */

static const struct field QUIET[] = {
    F_STR(struct quiet_hours, start, FIELD_REQUIRED, 5, 5, "HH:MM"),
    F_STR(struct quiet_hours, end, FIELD_REQUIRED, 5, 5, "HH:MM; may be after midnight"),
    F_STR(struct quiet_hours, tz, 0, 1, ZONE_NAME, "time zone", .preset = "UTC"),
    F_END
};
static const struct field CONDITIONS[] = {
    F_ENUM(struct intervention_conditions, trust_tier_minimum, FIELD_NULLABLE, trust_tier, -1, "the agent has this tier, or a higher one"),
    F_ENUM(struct intervention_conditions, severity_max, FIELD_NULLABLE, urgency, -1, "nothing that is more severe"),
    F_OBJ(struct intervention_conditions, quiet_hours, FIELD_NULLABLE, QUIET, struct quiet_hours,
        "notifications wait until these are over"),
    F_INT(struct intervention_conditions, max_daily_notifications, FIELD_NULLABLE, 0, 1000, FIELD_NONE, "of a person and UTC day"),
    F_END
};

/* "22:00" → 1320; -1: it is none. */
static int quiet_minutes(const char *s)
{
    static const char DIGITS[] = "0123456789";
    int h, m;

    if (strspn(s, DIGITS) != 2 || s[2] != ':' || strspn(s + 3, DIGITS) != 2 || s[5])
        return -1;
    h = (s[0] - '0') * 10 + s[1] - '0';
    m = (s[3] - '0') * 10 + s[4] - '0';
    return h < 24 && m < 60 ? h * 60 + m : -1;
}

static err quiet_check(struct ctx *c, const struct quiet_hours *q)
{
    struct zone zone;

    if (!q)
        return ERR_OK;
    if (quiet_minutes(q->start) < 0)
        return fail_field(c, "/conditions/quiet_hours/start", "a time such as 22:00");
    if (quiet_minutes(q->end) < 0 || quiet_minutes(q->end) == quiet_minutes(q->start))
        return fail_field(c, "/conditions/quiet_hours/end", "a time such as 07:00, another than the start");
    return zone_find(c->arena, q->tz, &zone) ? ERR_OK : fail_field(c, "/conditions/quiet_hours/tz", "no such time zone");
}

err intervention_read_conditions(struct ctx *c, const struct json *conditions, struct intervention_conditions *out)
{
    err e;

    *out = (struct intervention_conditions){.trust_tier_minimum = -1, .severity_max = -1, .max_daily_notifications = FIELD_NONE};
    if (!conditions)
        return ERR_OK;
    e = field_decode(c, CONDITIONS, json_opened(c->arena, conditions), out, false);
    for (struct field_error *f = e == ERR_OK ? NULL : c->fault.fields; f; f = f->next)
        f->pointer = arena_printf(c->arena, "/conditions%s", f->pointer);
    TRY(e);
    return quiet_check(c, out->quiet_hours);
}

struct instant quiet_hours_end(struct arena *a, const struct quiet_hours *q, struct instant now)
{
    int start = quiet_minutes(q->start), end = quiet_minutes(q->end), minute;
    struct zone zone;
    int64_t local, day;

    if (!zone_find(a, q->tz, &zone))
        return (struct instant){0};
    local = now.us + zone_offset(&zone, now.us) * SECOND_US;
    day = local - local % DAY_US;
    minute = (int)((local - day) / (60 * SECOND_US));
    if (start < end ? minute < start || minute >= end : minute < start && minute >= end)
        return (struct instant){0};
    if (minute >= end)
        day += DAY_US; /* they pass midnight */
    return (struct instant){zone_instant(&zone, day + end * 60 * SECOND_US)};
}

/* ---- policies */

static err intervention_check(struct ctx *c, struct intervention *p)
{
    static const char *const CHANNELS = " notification webhook event ";
    struct intervention_conditions read;
    struct agent agent;
    struct user user;

    if (!uuid_is_nil(p->agent_id))
        TRY(agent_get(c, p->agent_id, &agent));
    if (!uuid_is_nil(p->user_id))
        TRY(user_get(c, p->user_id, &user));
    if (!p->preferred_channels.n)
        p->preferred_channels = (struct strs){ARENA_ARRAY(c->arena, const char *, 1), 1}, p->preferred_channels.v[0] = "notification";
    for (size_t i = 0; i < p->preferred_channels.n; i++)
        if (!strstr(CHANNELS, arena_printf(c->arena, " %s ", p->preferred_channels.v[i])))
            return fail_field(c, "/preferred_channels", "channels are notification, webhook and event");
    if (!p->conditions)
        p->conditions = json_obj(c->arena);
    p->scope = !uuid_is_nil(p->agent_id) ? SCOPE_AGENT : p->action_category != ACTION_ALL ? SCOPE_ACTION : SCOPE_GLOBAL;
    return intervention_read_conditions(c, p->conditions, &read);
}

err intervention_list(struct ctx *c, const struct intervention_filter *f, struct page *out)
{
    struct uuid before;

    TRY(page_begin(c, f->cursor, &before));
    return intervention_store_list(c, f, before, out);
}

err intervention_get(struct ctx *c, struct uuid id, struct intervention *out)
{
    return thing_get(c, &INTERVENTION, id, out);
}

static err intervention_create_tx(struct ctx *c, const struct intervention *in, struct intervention *out)
{
    int64_t n;

    TRY(intervention_store_count(c, &n));
    if (n >= INTERVENTION_POLICIES)
        return fail_reason(c, ERR_CONFLICT, "quota_exceeded", "an account has at most %d intervention policies", INTERVENTION_POLICIES);
    *out = *in;
    TRY(thing_begin(c, &INTERVENTION, out));
    TRY(intervention_check(c, out));
    return thing_insert(c, &INTERVENTION, out);
}
DB_TX(intervention_create, struct intervention, struct intervention)

static err intervention_update_tx(struct ctx *c, const struct intervention_change *ch, struct intervention *out)
{
    struct intervention was;

    TRY(thing_take(c, &INTERVENTION, ch->to.id, ch->change.if_version, &was));
    *out = was;
    TRY(thing_apply(c, &INTERVENTION, ch, out));
    TRY(intervention_check(c, out));
    return thing_save(c, &INTERVENTION, &ch->change, &was, out);
}
DB_TX(intervention_update, struct intervention_change, struct intervention)

err intervention_delete(struct ctx *c, const struct thing_key *key)
{
    return thing_delete(c, &INTERVENTION, key);
}
