/* The table of sensors, and a pass of them; see sensor.h. */
#include "sensor.h"

#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "json.h"
#include "log.h"
#include "observation.h"
#include "sensor_store.h"

/* ask NULL: clients report it. Each takes the account and the time of the request, and answers findings. */
static const struct sensor {
    enum sensor_type type;
    int hours;
    bool always; /* of agents that name no sensors */
    err (*ask)(struct ctx *c, struct db_cursor *q);
} SENSORS[] = {
    {SENSOR_KNOWLEDGE, 24, true, sensor_store_knowledge},
    {SENSOR_PLATFORM, 2, true, sensor_store_platform},
    {SENSOR_PEER, 12, false, sensor_store_peers},
    {SENSOR_GOAL, 12, false, sensor_store_goals},
    {SENSOR_GOVERNANCE, 168, false, sensor_store_governance},
    {SENSOR_WORKSPACE, 24, false, sensor_store_workspace},
    {SENSOR_RECOMMENDATION, 72, true, sensor_store_advice},
    {SENSOR_SIGNAL, 24, false, NULL},
    {SENSOR_CODE, 24, false, NULL},
    {SENSOR_BUDGET, 24, false, NULL},
};
#define N_SENSORS (sizeof SENSORS / sizeof *SENSORS)

int64_t sensor_lasts(enum sensor_type type)
{
    for (size_t i = 0; i < N_SENSORS; i++)
        if (SENSORS[i].type == type)
            return SENSORS[i].hours * 3600;
    return 86400;
}

err sensor_due_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    return sensor_store_due_accounts(c, above, ids, max, n);
}

/* ---- agents */

struct sensor_watched {
    struct uuid *ids; /* ascending */
    unsigned *sensors;
    size_t n;
    unsigned any;
};

static unsigned sensor_set(struct ctx *c, const char *text)
{
    const struct json *list = json_opened(c->arena, json_raw(c->arena, text));
    unsigned set = 0;
    int type;

    for (const struct json *j = json_is(list, JSON_ARR) ? list->first : NULL; j; j = j->next)
        if (json_is(j, JSON_STR) && enumx_parse(&sensor_type_enumx, j->s, &type))
            set |= 1u << type;
    if (set)
        return set;
    for (size_t i = 0; i < N_SENSORS; i++)
        set |= SENSORS[i].always ? 1u << SENSORS[i].type : 0;
    return set;
}

static err sensor_agents(struct ctx *c, struct uuid behind, int64_t limit, struct sensor_watched *w)
{
    const struct sensor_agent *v;
    struct list list;

    TRY(sensor_store_agents(c, behind, limit, &list));
    v = list.v;
    *w = (struct sensor_watched){.ids = ARENA_ARRAY(c->arena, struct uuid, list.n + 1), .n = list.n,
                                 .sensors = ARENA_ARRAY(c->arena, unsigned, list.n + 1)};
    for (size_t i = 0; i < list.n; i++) {
        w->ids[i] = v[i].id;
        w->sensors[i] = sensor_set(c, v[i].sensors);
        w->any |= w->sensors[i];
    }
    return ERR_OK;
}

/* ---- findings */

struct sensor_found {
    struct observation *v;
    size_t n, cap;
};

static void sensor_add(struct ctx *c, struct sensor_found *f, const struct observation *o)
{
    if (f->n == f->cap) {
        struct observation *more = ARENA_ARRAY(c->arena, struct observation, f->cap = f->cap ? 2 * f->cap : 64);

        if (f->n)
            memcpy(more, f->v, f->n * sizeof *more);
        f->v = more;
    }
    f->v[f->n++] = *o;
}

static struct observation sensor_observed(struct ctx *c, const struct sensor *s, const struct sensor_finding *f)
{
    struct observation o = {.goal_id = f->goal_id, .sensor_type = s->type, .title = f->title, .subject = f->subject,
                            .data = json_raw(c->arena, f->data), .requires_action = f->requires_action, .source = OBSERVATION_BY_SENSOR,
                            .expires_at = {c->now.us + (f->hours ? f->hours : s->hours) * 3600 * SECOND_US}};
    int value = 0;

    if (enumx_parse(&observation_type_enumx, f->type, &value))
        o.observation_type = (enum observation_type)value;
    if (enumx_parse(&observation_severity_enumx, f->severity, &value))
        o.severity = (enum observation_severity)value;
    return o;
}

/* Each agent that has the sensor gets what is its own, and what is everybody's. */
static void sensor_share(struct ctx *c, const struct sensor *s, const struct list *findings, const struct sensor_watched *w,
                         struct sensor_found *out)
{
    const struct sensor_finding *f = findings->v;

    for (size_t i = 0; i < findings->n; i++) {
        struct observation o = sensor_observed(c, s, &f[i]);

        for (size_t k = 0; k < w->n; k++) {
            o.agent_id = w->ids[k];
            if (w->sensors[k] >> s->type & 1 && (uuid_is_nil(f[i].agent_id) || uuid_eq(f[i].agent_id, w->ids[k])))
                sensor_add(c, out, &o);
        }
    }
}

/* One that cannot look is named, and what it found before stays; an error that passes ends the pass, which is tried again. */
static err sensor_ask(struct ctx *c, const struct sensor *s, const struct sensor_watched *w, struct sensor_found *found, unsigned *looked,
                      struct sensing *out)
{
    struct list findings;
    err e;

    out->asked++;
    e = sensor_store_findings(c, s->ask, &findings);
    if (e == ERR_INTERNAL) {
        out->failed[out->n_failed] = enumx_name(&sensor_type_enumx, (int)s->type);
        log_say(c->app->log, LOG_ERROR, "sensor %s: %s", out->failed[out->n_failed++], c->fault.message);
        ctx_forgive(c);
        return ERR_OK;
    }
    TRY(e);
    *looked |= 1u << s->type;
    sensor_share(c, s, &findings, w, found);
    return ERR_OK;
}

/* ---- causes that are gone */

static int sensor_by_id(const void *a, const void *b)
{
    return uuid_cmp(*(const struct uuid *)a, *(const struct uuid *)b);
}

static err sensor_close(struct ctx *c, const struct sensor_watched *w, unsigned looked, const struct sensor_found *found,
                        struct sensing *out)
{
    struct uuid *seen = ARENA_ARRAY(c->arena, struct uuid, found->n + 1);
    struct observation *v;
    struct list open;
    size_t n = 0;

    for (size_t i = 0; i < found->n; i++)
        seen[i] = found->v[i].id;
    if (found->n)
        qsort(seen, found->n, sizeof *seen, sensor_by_id);
    TRY(observation_found(c, w->ids, w->n, looked, &open));
    v = open.v;
    for (size_t i = 0; i < open.n; i++)
        if (!bsearch(&v[i].id, seen, found->n, sizeof *seen, sensor_by_id))
            v[n++] = v[i];
    out->closed = (int64_t)n;
    return observation_close(c, v, n);
}

err sensor_pass(struct ctx *c, struct uuid behind, int64_t limit, struct sensing *out)
{
    struct sensor_watched w;
    struct sensor_found found = {0};
    struct observed done = {0};
    unsigned looked = 0;

    *out = (struct sensing){0};
    TRY(sensor_agents(c, behind, limit, &w));
    if (!w.n)
        return ERR_OK;
    out->agents = (int64_t)w.n;
    out->last = w.ids[w.n - 1];
    for (size_t i = 0; i < N_SENSORS; i++)
        if (SENSORS[i].ask && w.any >> SENSORS[i].type & 1)
            TRY(sensor_ask(c, &SENSORS[i], &w, &found, &looked, out));
    TRY(observation_report(c, found.v, found.n, &done));
    out->created = done.created;
    out->seen = done.seen;
    out->capped = done.capped;
    return sensor_close(c, &w, looked, &found, out);
}
