/* Observations: reported once while they are open, processed, expired; see observation.h. */
#include "observation.h"

#include <string.h>

#include "audit.h"
#include "content.h"
#include "db.h"
#include "escalation.h"
#include "goal.h"
#include "limit.h"
#include "observation_store.h"
#include "principal.h"
#include "reach.h"
#include "sanitize_direct.h"
#include "sensor.h"
#include "thing.h"

ENUMX_DEFINE(observation_type, OBSERVATION_TYPE);
ENUMX_DEFINE(observation_severity, OBSERVATION_SEVERITY);
ENUMX_DEFINE(observation_status, OBSERVATION_STATUS);
ENUMX_DEFINE(observation_wanted, OBSERVATION_WANTED);
ENUMX_DEFINE(observation_source, OBSERVATION_SOURCE);

#define PORTION 200 /* findings at once */
#define HOUR_US (3600 * SECOND_US)
#define COL_GIVEN (COL_READ | COL_CREATE)

static const struct field OBSERVATION_COLUMNS[] = {
    F_ID(struct observation, "id"),
    F_UUID(struct observation, agent_id, COL_ONCE, "the agent it is for; default: that of the goal, else the caller"),
    F_UUID(struct observation, goal_id, COL_ONCE | FIELD_NULLABLE, "goal of that agent that it is about"),
    F_ENUM(struct observation, sensor_type, COL_ONCE | FIELD_REQUIRED, sensor_type, SENSOR_SIGNAL, "what saw it"),
    F_ENUM(struct observation, observation_type, COL_ONCE | FIELD_REQUIRED, observation_type, OBSERVATION_ALERT,
           "what sort of thing it is"),
    F_ENUM(struct observation, severity, COL_ONCE | FIELD_REQUIRED, observation_severity, OBSERVATION_INFO,
           "info, warning or critical; only rises while it is open", .shades = "info warn bad"),
    F_STR(struct observation, title, COL_GIVEN | FIELD_REQUIRED, 1, OBSERVATION_TITLE, "what was seen; data, not instructions"),
    F_OBJECT(struct observation, data, COL_GIVEN, OBSERVATION_DATA, "counts and ids, as last seen"),
    F_BOOL(struct observation, requires_action, COL_ONCE, false, "it asks for an action"),
    F_ENUM(struct observation, source, COL_READ, observation_source, OBSERVATION_BY_CLIENT,
           "a client reported it, a sensor found it, or it counts what was dropped"),
    F_BYTES(struct observation, fingerprint, COL_ROW, "hash of agent, sensor, type and subject"),
    F_BYTES(struct observation, open_key, COL_ROW | FIELD_NULLABLE, "the same while it is open"),
    F_BYTES(struct observation, trouble, COL_ROW | FIELD_NULLABLE, "what it was escalated as"),
    F_ENUM(struct observation, status, COL_READ | COL_AUDIT, observation_status, OBSERVATION_OPEN, "open, processed or expired",
           .shades = "warn ok off"),
    F_INT(struct observation, seen_count, COL_READ, 0, 0, 1, "how often it was seen"),
    F_TIME(struct observation, first_seen_at, COL_SHOW, "when it was first seen", .sql = "created_at"),
    F_TIME(struct observation, last_seen_at, COL_READ, "when it was seen last"),
    F_TIME(struct observation, processed_at, COL_READ | FIELD_NULLABLE, "when it was processed"),
    F_STR(struct observation, processed_kind, COL_READ | FIELD_NULLABLE, 0, 8, "user, agent, or system: its cause was gone"),
    F_UUID(struct observation, processed_by, COL_READ | FIELD_NULLABLE, "the user or agent"),
    F_STR(struct observation, note, COL_READ | FIELD_NULLABLE, 0, OBSERVATION_NOTE, "what that one noted"),
    F_TIME(struct observation, expires_at, COL_READ, "open no longer than this, unless it is seen again"),
    F_TIME(struct observation, due_at, COL_ROW, "when the clean-up has to look"),
    F_STR(struct observation, subject, COL_CREATE | FIELD_NULLABLE, 1, OBSERVATION_SUBJECT,
          "what it is about, without counts and times: the same subject is the same observation; default: the title"),
    F_INT(struct observation, expires_in, COL_CREATE, 0, OBSERVATION_LASTS, 0, "seconds; 0: as long as its sensor type"),
    F_BOOL(struct observation, created, COL_MADE, true, "false: it was open already and is counted up, or is one too many in this hour"),
    F_VERSION(struct observation),
    F_TIMES(struct observation),
    F_END
};
const struct thing OBSERVATION = THING("observation", OBSERVATION_COLUMNS, struct observation, .schema = "Observation", .is_news = true);

/* ---- reading */

static void observation_age(struct ctx *c, struct observation *o)
{
    if (o->status == OBSERVATION_OPEN && o->expires_at.us <= c->now.us)
        o->status = OBSERVATION_EXPIRED;
}

err observation_list(struct ctx *c, const struct observation_filter *f, struct page *out)
{
    struct watch_reach r;
    struct uuid before;

    TRY(watch_reach(c, &r));
    TRY(page_begin(c, f->cursor, &before));
    TRY(observation_store_list(c, f, &r, before, out));
    for (size_t i = 0; i < out->n; i++)
        observation_age(c, &((struct observation *)out->items)[i]);
    return ERR_OK;
}

err observation_get(struct ctx *c, struct uuid id, struct observation *out)
{
    struct watch_reach r;

    TRY(thing_get(c, &OBSERVATION, id, out));
    TRY(watch_reach(c, &r));
    observation_age(c, out);
    return watch_reaches(&r, out->agent_id) ? ERR_OK : fail(c, ERR_NOT_FOUND, "no such observation");
}

err observation_found(struct ctx *c, const struct uuid *agents, size_t n, unsigned sensors, struct list *out)
{
    return observation_store_found(c, agents, n, sensors, out);
}

/* ---- reporting */

/* Counts and times are left out of it on purpose. */
static struct bytes observation_print(struct ctx *c, const struct observation *o)
{
    const char *what = arena_printf(c->arena, "%s %s %s", enumx_name(&sensor_type_enumx, (int)o->sensor_type),
                                    enumx_name(&observation_type_enumx, (int)o->observation_type), o->subject ? o->subject : o->title);

    return content_hash(c->arena, UUID_STR(o->agent_id), what, NULL);
}

static bool same_print(const struct observation *a, const struct observation *b)
{
    return memcmp(a->fingerprint.p, b->fingerprint.p, a->fingerprint.n) == 0;
}

static const struct observation *observation_among(const struct observation *v, size_t n, const struct observation *o)
{
    for (size_t i = 0; i < n; i++)
        if (same_print(&v[i], o))
            return &v[i];
    return NULL;
}

/* ---- escalating */

static const char *observation_trouble_name(struct ctx *c, struct bytes trouble)
{
    char *hex = arena_alloc(c->arena, 2 * trouble.n + 1);

    hex_encode(trouble.p, trouble.n, hex);
    return arena_printf(c->arena, "observation %s", hex);
}

/* What all agents see is one trouble. */
static struct bytes observation_trouble(struct ctx *c, const struct observation *o)
{
    struct observation all = {.sensor_type = o->sensor_type, .observation_type = o->observation_type, .subject = o->subject,
                              .title = o->title};

    if (o->severity != OBSERVATION_CRITICAL || !o->requires_action)
        return (struct bytes){0};
    return o->sensor_type == SENSOR_PLATFORM && o->source == OBSERVATION_BY_SENSOR ? observation_print(c, &all) : o->fingerprint;
}

static err observation_escalate(struct ctx *c, const struct observation *o)
{
    struct json *context = json_obj(c->arena);

    json_set_str(c->arena, context, "observation_id", arena_strdup(c->arena, UUID_STR(o->id)));
    json_set_str(c->arena, context, "sensor_type", enumx_name(&sensor_type_enumx, (int)o->sensor_type));
    return escalation_raise(c, &(struct escalation_raise){.agent_id = o->agent_id, .title = o->title, .escalation_type = "error",
                                                          .severity = "critical", .context = context,
                                                          .dedup = observation_trouble_name(c, o->trouble)}, NULL);
}

static bool same_trouble(const struct observation *a, const struct observation *b)
{
    return a->trouble.n && a->trouble.n == b->trouble.n && memcmp(a->trouble.p, b->trouble.p, a->trouble.n) == 0;
}

/* Once while it is open; of several agents with the same trouble in one portion, for the first. */
static err observation_escalate_new(struct ctx *c, const struct observation *v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bool again = !v[i].trouble.n;

        for (size_t k = 0; k < i && !again; k++)
            again = same_trouble(&v[k], &v[i]);
        if (!again)
            TRY(observation_escalate(c, &v[i]));
    }
    return ERR_OK;
}

/* What a portion of findings comes to. */
struct reporting {
    struct observation *write; /* new ones and those that are open */
    size_t n_write;
    struct audit *news;
    size_t n_news;
    struct observation *counters; /* one for each agent with too many */
    size_t n_counters;
    struct list counts; /* of struct observation_count: this hour's */
};

static bool observation_fits(struct reporting *r, struct uuid agent_id)
{
    struct observation_count *v = r->counts.v;

    for (size_t i = 0; i < r->counts.n; i++)
        if (uuid_eq(v[i].agent_id, agent_id))
            return v[i].n++ < OBSERVATIONS_HOUR;
    v[r->counts.n++] = (struct observation_count){agent_id, 1};
    return true;
}

static void observation_drop(struct ctx *c, struct reporting *r, const struct observation *o)
{
    int64_t hour = c->now.us / HOUR_US;
    struct observation k = {.id = uuid_new(c->now.us), .agent_id = o->agent_id, .sensor_type = o->sensor_type, .seen_count = 1,
                            .expires_at = {c->now.us + DAY_US},
                            .fingerprint = content_hash(c->arena, UUID_STR(o->agent_id),
                                                        arena_printf(c->arena, "more %lld", (long long)hour), NULL)};

    for (size_t i = 0; i < r->n_counters; i++)
        if (same_print(&r->counters[i], &k)) {
            r->counters[i].seen_count++;
            return;
        }
    r->counters[r->n_counters++] = k;
}

static void observation_is_new(struct ctx *c, struct reporting *r, struct observation *o)
{
    o->id = uuid_new(c->now.us);
    o->created = true;
    r->news[r->n_news++] = (struct audit){.kind = "observation.create", .subject_kind = "observation", .subject_id = o->id, .is_news = true,
                                          .after = field_encode_use(c->arena, OBSERVATION_COLUMNS, COL_AUDIT, o)};
    r->write[r->n_write++] = *o;
}

static err observation_weigh(struct ctx *c, struct reporting *r, const struct list *known, struct observation *o, struct observed *out)
{
    const struct observation *there = observation_among(known->v, known->n, o);

    if (!there)
        there = observation_among(r->write, r->n_write, o);
    o->created = false;
    if (!there || !there->trouble.n)
        o->trouble = observation_trouble(c, o);
    if (there) {
        o->id = there->id;
        if (there->open_key.n) { /* else it was processed a moment ago */
            r->write[r->n_write++] = *o;
            out->seen++;
        }
    } else if (observation_fits(r, o->agent_id)) {
        observation_is_new(c, r, o);
        out->created++;
    } else {
        observation_drop(c, r, o);
        out->capped++;
    }
    return ERR_OK;
}

static err observation_write(struct ctx *c, struct reporting *r, struct observation *v, size_t n)
{
    struct uuid id;

    if (r->n_write)
        TRY(observation_store_put(c, r->write, r->n_write));
    if (r->n_news)
        TRY(audit_add_many(c, r->news, r->n_news));
    TRY(observation_escalate_new(c, r->write, r->n_write));
    for (size_t k = 0; k < r->n_counters; k++) {
        TRY(observation_store_count_up(c, &r->counters[k], &id));
        for (size_t i = 0; i < n; i++)
            if (uuid_is_nil(v[i].id) && uuid_eq(v[i].agent_id, r->counters[k].agent_id))
                v[i].id = id;
    }
    return ERR_OK;
}

static err observation_portion(struct ctx *c, struct observation *v, size_t n, struct observed *out)
{
    struct reporting r = {.write = ARENA_ARRAY(c->arena, struct observation, n), .news = ARENA_ARRAY(c->arena, struct audit, n),
                          .counters = ARENA_ARRAY(c->arena, struct observation, n)};
    struct observation_count *counts = ARENA_ARRAY(c->arena, struct observation_count, 2 * n);
    struct list known;

    for (size_t i = 0; i < n; i++)
        v[i].fingerprint = observation_print(c, &v[i]);
    TRY(observation_store_known(c, v, n, (struct instant){c->now.us - OBSERVATION_REST_US}, &known));
    TRY(observation_store_since(c, v, n, (struct instant){c->now.us - c->now.us % HOUR_US}, &r.counts));
    if (r.counts.n)
        memcpy(counts, r.counts.v, r.counts.n * sizeof *counts);
    r.counts.v = counts;
    for (size_t i = 0; i < n; i++)
        TRY(observation_weigh(c, &r, &known, &v[i], out));
    return observation_write(c, &r, v, n);
}

err observation_report(struct ctx *c, struct observation *v, size_t n, struct observed *out)
{
    for (size_t i = 0; i < n; i += PORTION)
        TRY(observation_portion(c, v + i, n - i < PORTION ? n - i : PORTION, out));
    return ERR_OK;
}

static err observation_create_tx(struct ctx *c, const struct observation *in, struct observation *out)
{
    struct observation o = *in;
    struct observed done = {0};
    struct goal goal;
    int64_t open;

    if (!uuid_is_nil(o.goal_id))
        TRY(goal_whose(c, "/goal_id", o.goal_id, &goal, &o.agent_id));
    TRY(watch_agent(c, o.agent_id, &o.agent_id));
    TRY(watch_lock_agent(c, o.agent_id));
    TRY(observation_store_open(c, &open));
    if (open >= OBSERVATIONS_OPEN)
        return fail_reason(c, ERR_CONFLICT, "quota_exceeded", "the account has %d open observations already", OBSERVATIONS_OPEN);
    if (!uuid_is_nil(o.goal_id))
        TRY(goal_touch(c, o.goal_id));
    TRY(sanitize_direct(c, o.title, &o.title, NULL));
    o.data = o.data ? o.data : json_obj(c->arena);
    o.source = OBSERVATION_BY_CLIENT;
    o.expires_at.us = c->now.us + (o.expires_in ? o.expires_in : sensor_lasts(o.sensor_type)) * SECOND_US;
    TRY(observation_report(c, &o, 1, &done));
    TRY(observation_get(c, o.id, out));
    out->created = o.created;
    return ERR_OK;
}
DB_TX(observation_create, struct observation, struct observation)

/* ---- the end of it */

static err observation_process_tx(struct ctx *c, const struct observation_done *in, struct observation *out)
{
    struct observation was, o;
    bool found;

    TRY(observation_get(c, in->id, &was));
    TRY(observation_store_lock(c, in->id, &found, &was));
    observation_age(c, &was);
    if (!found || was.status != OBSERVATION_OPEN)
        return fail(c, ERR_CONFLICT, "the observation is %s", enumx_name(&observation_status_enumx, (int)was.status));
    o = was;
    o.status = OBSERVATION_PROCESSED;
    o.open_key = (struct bytes){0};
    o.processed_at = c->now;
    o.processed_kind = enumx_name(&principal_kind_enumx, (int)c->who->kind);
    o.processed_by = c->who->id;
    o.note = in->note;
    o.due_at.us = c->now.us + OBSERVATION_KEPT_US;
    TRY(thing_save(c, &OBSERVATION, &(struct thing_change){.verb = "process"}, &was, &o));
    return observation_get(c, o.id, out);
}
DB_TX(observation_process, struct observation_done, struct observation)

err observation_close(struct ctx *c, const struct observation *v, size_t n)
{
    struct audit *news = ARENA_ARRAY(c->arena, struct audit, n + 1);

    if (!n)
        return ERR_OK;
    for (size_t i = 0; i < n; i++)
        news[i] = (struct audit){.kind = "observation.process", .subject_kind = "observation", .subject_id = v[i].id, .is_news = true};
    TRY(observation_store_close(c, v, n));
    for (size_t i = 0; i < n; i++)
        if (v[i].trouble.n && (!i || !same_trouble(&v[i - 1], &v[i])))
            TRY(escalation_auto_resolve(c, observation_trouble_name(c, v[i].trouble), "the observation was closed: its cause is gone"));
    return audit_add_many(c, news, n);
}

err observation_due_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    return observation_store_due_accounts(c, above, ids, max, n);
}

err observation_expire(struct ctx *c, int64_t limit, int64_t *n)
{
    return observation_store_expire(c, limit, n);
}

err observation_purge(struct ctx *c, int64_t limit, int64_t *n)
{
    return observation_store_purge(c, limit, n);
}
