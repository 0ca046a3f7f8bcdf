/* Climbing: who did not react in time is passed by, and when nobody is left the admins are reminded once a day. */
#include "escalation_climb.h"
#include "db.h"
#include "escalation_impl.h"
#include "notification.h"

#define ADMINS 100

err escalation_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    return escalation_store_due(c, above, ids, max, n);
}

static bool is_active(const struct uuids *active, struct uuid id)
{
    for (size_t i = 0; i < active->n; i++)
        if (uuid_eq(active->v[i], id))
            return true;
    return false;
}

/* The next one of the chain who is still there. */
static bool next_person(struct escalation *e, const struct uuids *active)
{
    struct uuid people[ESCALATION_CHAIN];
    size_t n = escalation_people(e->chain, people, ESCALATION_CHAIN);

    for (size_t i = uuid_is_nil(e->escalated_to) ? 0 : (size_t)e->current_level + 1; i < n; i++)
        if (is_active(active, people[i])) {
            e->current_level = (int64_t)i;
            e->escalated_to = people[i];
            return true;
        }
    return false;
}

/* The clock goes on from when it should have rung, unless that lies too far back. */
static void escalation_wind(const struct ctx *c, struct escalation *e)
{
    struct instant next;

    e->status = ESCALATION_IS_OPEN;
    e->acknowledged_at = (struct instant){0};
    e->acknowledged_by = (struct uuid){{0}};
    next = escalation_clock(e, e->next_escalation_at);
    e->next_escalation_at = next.us > c->now.us ? next : escalation_clock(e, c->now);
}

static err climb_one(struct ctx *c, struct escalation *e, const struct uuids *active)
{
    struct json *said = json_obj(c->arena);

    if (next_person(e, active)) {
        escalation_wind(c, e);
        json_set(c->arena, said, "level", json_int(c->arena, e->current_level));
        TRY(escalation_save(c, e, "climb", said));
        return escalation_tell(c, e);
    }
    e->next_escalation_at = (struct instant){0};
    e->exhausted_at = c->now;
    e->remind_at = c->now;
    return escalation_save(c, e, "exhaust", NULL);
}

/* Their chains as trees, and who of all these people is still there. */
static err open_chains(struct ctx *c, struct escalation *rows, size_t n, struct uuids *active)
{
    struct uuid *people = ARENA_ARRAY(c->arena, struct uuid, n * ESCALATION_CHAIN);
    size_t n_people = 0;

    for (size_t i = 0; i < n; i++) {
        rows[i].chain = json_opened(c->arena, rows[i].chain);
        if (!rows[i].chain->first)
            TRY(escalation_chain(c, rows[i].agent_id, &rows[i].chain)); /* one of before there were chains */
        n_people += escalation_people(rows[i].chain, people + n_people, ESCALATION_CHAIN);
    }
    return escalation_store_active(c, people, n_people, active);
}

err escalation_climb(struct ctx *c, int64_t limit, int64_t *seen)
{
    struct uuids active;
    struct escalation *rows;
    struct list due;

    TRY(escalation_store_late(c, limit, &due));
    *seen = (int64_t)due.n;
    if (!due.n)
        return ERR_OK;
    rows = due.v;
    TRY(open_chains(c, rows, due.n, &active));
    for (size_t i = 0; i < due.n; i++)
        TRY(climb_one(c, &rows[i], &active));
    return ERR_OK;
}

err escalation_remind(struct ctx *c, int64_t *reminded)
{
    struct uuids admins;
    struct notification_new n = {.category = "escalation", .severity = "critical", .link = "/admin/escalations?status=exhausted",
                                 .title = "Escalations without a taker"};
    int64_t late;

    *reminded = 0;
    TRY(escalation_store_remind(c, (struct instant){c->now.us + DAY_US}, &late));
    if (!late)
        return ERR_OK;
    TRY(escalation_store_admins(c, ADMINS, &admins));
    n.body = arena_printf(c->arena, "%lld unresolved, and everyone who could be asked was asked.", (long long)late);
    for (size_t i = 0; i < admins.n; i++) {
        n.user_id = admins.v[i];
        TRY(notification_send(c, &n));
    }
    *reminded = (int64_t)admins.n;
    return ERR_OK;
}
