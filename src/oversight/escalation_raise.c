/* Raising: whom it goes to, how long each has, and the same trouble once. */
#include "audit.h"
#include "content.h"
#include "db.h"
#include "escalation_impl.h"
#include "inert.h"
#include "limit.h"
#include "notification.h"
#include "principal.h"
#include "row.h"
#include "thing.h"

ENUMX_DEFINE(escalation_type, ESCALATION_TYPE);
ENUMX_DEFINE(escalation_severity, ESCALATION_SEVERITY);

#define HOUR_US (3600 * SECOND_US)
#define ACKNOWLEDGED_TIMES 4 /* who has taken it on has that much longer */

int64_t escalation_hours(enum escalation_severity severity)
{
    static const int64_t HOURS[] = {[ESCALATION_LOW] = 24, [ESCALATION_MEDIUM] = 12, [ESCALATION_HIGH] = 4, [ESCALATION_CRITICAL] = 1};

    return HOURS[severity];
}

static const char *severity_name(const struct escalation *e)
{
    return enumx_name(&escalation_severity_enumx, (int)e->severity);
}

struct instant escalation_clock(const struct escalation *e, struct instant from)
{
    int64_t times = e->acknowledged_at.us ? ACKNOWLEDGED_TIMES : 1;

    return (struct instant){from.us + e->timeout_hours * times * HOUR_US};
}

void escalation_change_severity(struct ctx *c, struct escalation *e, enum escalation_severity severity, int64_t hours)
{
    bool worse = severity > e->severity;

    e->severity = severity;
    e->timeout_hours = hours;
    if (worse && e->next_escalation_at.us)
        e->next_escalation_at = escalation_clock(e, c->now);
}

/* ---- the chain */

err escalation_chain(struct ctx *c, struct uuid agent_id, const struct json **out)
{
    struct escalation_person people[ESCALATION_CHAIN];
    struct json *list = json_arr(c->arena);
    size_t n;

    TRY(escalation_store_people(c, agent_id, people, ESCALATION_CHAIN, &n));
    for (size_t i = 0; i < n; i++) {
        struct json *person = json_obj(c->arena);

        json_set_str(c->arena, person, "user_id", uuid_text(people[i].user_id, arena_alloc(c->arena, UUID_TEXT)));
        json_set_str(c->arena, person, "role", people[i].role);
        json_push(list, person);
    }
    *out = list;
    return ERR_OK;
}

size_t escalation_people(const struct json *chain, struct uuid *ids, size_t max)
{
    size_t n = 0;

    for (const struct json *j = json_is(chain, JSON_ARR) ? chain->first : NULL; j && n < max; j = j->next) {
        const char *id = json_get_str(j, "user_id");

        n += id && uuid_parse(id, &ids[n]);
    }
    return n;
}

err escalation_tell(struct ctx *c, const struct escalation *e)
{
    struct notification_new n = {
        .user_id = e->escalated_to, .category = "escalation", .severity = severity_name(e), .title = e->title,
        .body = arena_printf(c->arena, "%s, %s. You have %lld h until the next person is asked.", e->escalation_type, severity_name(e),
                             (long long)e->timeout_hours),
        .link = arena_printf(c->arena, "/admin/escalations/%s", UUID_STR(e->id)),
    };

    return uuid_is_nil(e->escalated_to) ? ERR_OK : notification_send(c, &n);
}

err escalation_put(struct ctx *c, struct escalation *e)
{
    struct json *said = json_obj(c->arena);

    e->status = ESCALATION_IS_OPEN;
    e->seen_count = 1;
    e->last_seen_at = c->now;
    e->timeout_hours = e->timeout_hours ? e->timeout_hours : escalation_hours(e->severity);
    e->next_escalation_at = escalation_clock(e, c->now);
    TRY(escalation_chain(c, e->agent_id, &e->chain));
    escalation_people(e->chain, &e->escalated_to, 1);
    TRY(thing_begin(c, &ESCALATION, e));
    TRY(row_insert(c, &ESCALATION, e));
    json_set_str(c->arena, said, "escalation_type", e->escalation_type);
    json_set_str(c->arena, said, "severity", severity_name(e));
    TRY(audit_add(c, &(struct audit){.kind = "escalation.create", .subject_kind = "escalation", .subject_id = e->id, .after = said,
                                     .is_news = true}));
    return escalation_tell(c, e);
}

err escalation_save(struct ctx *c, struct escalation *e, const char *verb, const struct json *said)
{
    int64_t changed;

    TRY(escalation_store_save(c, e, &changed));
    if (!changed)
        return fail(c, ERR_CONFLICT, "another person changed it meanwhile");
    return audit_add(c, &(struct audit){.kind = arena_printf(c->arena, "escalation.%s", verb), .subject_kind = "escalation",
                                        .subject_id = e->id, .after = said, .is_news = true});
}

/* ---- raising */

/* Seen again; a severity above that of before has the shorter clock from now on. */
static err escalation_again(struct ctx *c, const struct escalation *in, struct escalation *e)
{
    struct json *said = json_obj(c->arena);

    TRY(escalation_store_seen(c, e->id));
    e->seen_count++;
    if (in->severity <= e->severity)
        return ERR_OK;
    escalation_change_severity(c, e, in->severity, in->timeout_hours ? in->timeout_hours : escalation_hours(in->severity));
    json_set_str(c->arena, said, "severity", severity_name(e));
    return escalation_save(c, e, "worsen", said);
}

static err escalation_check_room(struct ctx *c, const struct escalation *e)
{
    int64_t of_agent, of_account;

    if (e->severity == ESCALATION_CRITICAL)
        return ERR_OK;
    TRY(escalation_store_count(c, e->agent_id, false, &of_agent, &of_account));
    if (of_account >= ESCALATIONS_OF_ACCOUNT)
        return fail(c, ERR_CONFLICT, "the account has %d open escalations: resolve some first", ESCALATIONS_OF_ACCOUNT);
    if (c->who->kind == PRINCIPAL_AGENT && of_agent >= ESCALATIONS_OF_AGENT)
        return fail(c, ERR_CONFLICT, "the agent has %d open escalations", ESCALATIONS_OF_AGENT);
    return ERR_OK;
}

static err escalation_raise_row_tx(struct ctx *c, const struct escalation *in, struct escalation *out)
{
    bool found;
    err e;

    *out = *in;
    TRY(escalation_store_open(c, in->dedup_key, &found, out));
    if (found)
        return escalation_again(c, in, out);
    *out = *in;
    TRY(escalation_check_room(c, out));
    e = escalation_put(c, out);
    if (e == ERR_OK || !db_was_duplicate(c))
        return e;
    ctx_forgive(c); /* somebody raised the same at the same time: theirs is there now */
    TRY(escalation_store_open(c, in->dedup_key, &found, out));
    return found ? escalation_again(c, in, out) : fail(c, ERR_CONFLICT, "the same escalation is being raised");
}
DB_TX_INNER(escalation_raise_row, struct escalation, struct escalation)

static struct bytes house_key(struct ctx *c, const char *dedup)
{
    return content_hash(c->arena, "house", dedup, NULL);
}

static enum escalation_severity severity_of(const char *name)
{
    int severity;

    return name && enumx_parse(&escalation_severity_enumx, name, &severity) ? (enum escalation_severity)severity : ESCALATION_MEDIUM;
}

err escalation_raise(struct ctx *c, const struct escalation_raise *in, struct uuid *id)
{
    bool of_agent = !uuid_is_nil(in->agent_id);
    const char *once = in->dedup ? in->dedup : arena_strdup(c->arena, UUID_STR(uuid_new(c->now.us)));
    struct escalation made, e = {
        .asker_kind = enumx_name(&principal_kind_enumx, of_agent ? PRINCIPAL_AGENT : (int)c->who->kind),
        .agent_id = of_agent ? in->agent_id : c->who->id,
        .title = text_cut(c->arena, in->title, LIMIT_NAME, true),
        .escalation_type = in->escalation_type,
        .severity = severity_of(in->severity),
        .context = in->context ? in->context : json_obj(c->arena),
        .timeout_hours = in->timeout_hours,
        .question_hash = house_key(c, once),
        .dedup_key = house_key(c, once),
    };

    TRY(escalation_raise_row(c, &e, &made));
    if (id)
        *id = made.id;
    return ERR_OK;
}

struct easing {
    struct bytes key;
    const char *why;
};

static err escalation_ease_tx(struct ctx *c, const struct easing *in)
{
    struct json *said = json_obj(c->arena);
    struct escalation e = {0};
    int64_t changed;
    bool found;

    TRY(escalation_store_open(c, in->key, &found, &e));
    if (!found)
        return ERR_OK;
    e.status = ESCALATION_IS_GONE;
    e.resolution = in->why;
    TRY(escalation_store_resolve(c, &e, &changed));
    json_set_str(c->arena, said, "status", enumx_name(&escalation_status_enumx, (int)e.status));
    return audit_add(c, &(struct audit){.kind = "escalation.auto_resolve", .subject_kind = "escalation", .subject_id = e.id,
                                        .after = said, .is_news = true});
}
DB_TX_IN_INNER(escalation_ease, struct easing)

err escalation_auto_resolve(struct ctx *c, const char *dedup, const char *why)
{
    return escalation_ease(c, &(struct easing){house_key(c, dedup), why});
}

/* ---- raised by callers */

err escalation_create(struct ctx *c, const struct escalation_new *in, struct escalation_asked *out)
{
    const char *type = enumx_name(&escalation_type_enumx, (int)in->escalation_type);
    struct bytes key = content_hash(c->arena, UUID_STR(c->who->id), arena_printf(c->arena, "%s\n%s", type, in->title), NULL);
    struct escalation made, e = {
        .asker_kind = enumx_name(&principal_kind_enumx, (int)c->who->kind), .agent_id = c->who->id, .title = in->title,
        .escalation_type = type, .severity = in->severity,
        .context = in->context ? in->context : json_obj(c->arena), .timeout_hours = in->timeout_hours,
        .question_hash = key, .dedup_key = key,
    };

    TRY(escalation_raise_row(c, &e, &made));
    *out = (struct escalation_asked){made.seen_count > 1 ? "already_queued" : "queued", made.id, made.seen_count};
    return ERR_OK;
}
