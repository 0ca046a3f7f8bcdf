/* Taking it on, starting, handing it to another person, raising its severity. */
#include "db.h"
#include "escalation_impl.h"
#include "match.h"
#include "principal.h"

struct moving {
    const struct escalation_move *in;
    const char *verb;
    err (*move)(struct ctx *c, struct escalation *e, const struct escalation_move *in, struct json *said);
};

static err escalation_move_it_tx(struct ctx *c, const struct moving *m)
{
    struct json *said = json_obj(c->arena);
    struct escalation e;

    TRY(escalation_find(c, m->in->id, &e));
    TRY(match_version(c, c->if_match, e.version));
    if (e.resolved_at.us)
        return fail(c, ERR_CONFLICT, "the escalation is already resolved");
    TRY(m->move(c, &e, m->in, said));
    json_set_str(c->arena, said, "status", enumx_name(&escalation_status_enumx, (int)e.status));
    if (m->in->note)
        json_set_str(c->arena, said, "note", m->in->note);
    return escalation_save(c, &e, m->verb, said);
}
DB_TX_IN_INNER(escalation_move_it, struct moving)

static err escalation_move(struct ctx *c, const struct moving *m, struct escalation *out)
{
    TRY(escalation_move_it(c, m));
    return escalation_get(c, m->in->id, out);
}

/* Somebody has it now; that it had run out of people is over. */
static void take_on(struct ctx *c, struct escalation *e, enum escalation_status status)
{
    e->status = status;
    if (!e->acknowledged_at.us) {
        e->acknowledged_at = c->now;
        e->next_escalation_at = escalation_clock(e, c->now);
    }
    e->acknowledged_by = c->who->id;
    e->exhausted_at = e->remind_at = (struct instant){0};
}

static err move_acknowledge(struct ctx *c, struct escalation *e, const struct escalation_move *in, struct json *said)
{
    (void)in, (void)said;
    if (e->acknowledged_at.us)
        return fail(c, ERR_CONFLICT, "the escalation is already acknowledged");
    take_on(c, e, ESCALATION_IS_ACKNOWLEDGED);
    return ERR_OK;
}

err escalation_acknowledge(struct ctx *c, const struct escalation_move *in, struct escalation *out)
{
    return escalation_move(c, &(struct moving){in, "acknowledge", move_acknowledge}, out);
}

static err move_start(struct ctx *c, struct escalation *e, const struct escalation_move *in, struct json *said)
{
    (void)in, (void)said;
    if (e->status == ESCALATION_IS_STARTED)
        return fail(c, ERR_CONFLICT, "work on the escalation has already started");
    take_on(c, e, ESCALATION_IS_STARTED);
    return ERR_OK;
}

err escalation_start(struct ctx *c, const struct escalation_move *in, struct escalation *out)
{
    return escalation_move(c, &(struct moving){in, "start", move_start}, out);
}

static void begin_clock(struct ctx *c, struct escalation *e)
{
    e->status = ESCALATION_IS_OPEN;
    e->acknowledged_at = e->exhausted_at = e->remind_at = (struct instant){0};
    e->acknowledged_by = (struct uuid){{0}};
    e->next_escalation_at = escalation_clock(e, c->now);
}

static err move_reassign(struct ctx *c, struct escalation *e, const struct escalation_move *in, struct json *said)
{
    struct uuids active;

    TRY(escalation_store_active(c, &in->user_id, 1, &active));
    if (!active.n)
        return fail(c, ERR_NOT_FOUND, "no such user");
    e->escalated_to = in->user_id;
    begin_clock(c, e);
    json_set_str(c->arena, said, "user_id", uuid_text(in->user_id, arena_alloc(c->arena, UUID_TEXT)));
    return escalation_tell(c, e);
}

err escalation_reassign(struct ctx *c, const struct escalation_move *in, struct escalation *out)
{
    return escalation_move(c, &(struct moving){in, "reassign", move_reassign}, out);
}

static err move_severity(struct ctx *c, struct escalation *e, const struct escalation_move *in, struct json *said)
{
    escalation_change_severity(c, e, in->severity, escalation_hours(in->severity));
    json_set_str(c->arena, said, "severity", enumx_name(&escalation_severity_enumx, (int)in->severity));
    return ERR_OK;
}

err escalation_set_severity(struct ctx *c, const struct escalation_move *in, struct escalation *out)
{
    return escalation_move(c, &(struct moving){in, "severity", move_severity}, out);
}
