/* Feedback; see feedback.h. */
#include "feedback.h"

#include <math.h>

#include "access.h"
#include "db.h"
#include "feedback_store.h"
#include "notification.h"
#include "thing.h"
#include "trust_impl.h"
#include "trust_view.h"
#include "user.h"

ENUMX_DEFINE(feedback_type, FEEDBACK_TYPE);

static const struct field FEEDBACK_COLUMNS[] = {
    F_ID(struct feedback, "id of the feedback"),
    F_UUID(struct feedback, agent_id, COL_ONCE | FIELD_REQUIRED, "agent that it is about"),
    F_STR(struct feedback, agent_name, COL_SHOW, 0, 0, "its name", .sql = "a.name"),
    F_UUID(struct feedback, user_id, COL_READ, "person who gives it, or is asked for it"),
    F_STR(struct feedback, user_name, COL_SHOW, 0, 0, "name of that person", .sql = "u.name"),
    F_INT(struct feedback, rating, COL_ONCE | FIELD_REQUIRED | FIELD_NULLABLE, 1, 5, FIELD_NONE, "1 to 5; null: asked for, not given",
          .label = "Rating", .hint = "1 is poor, 5 is excellent"),
    F_ENUM(struct feedback, feedback_type, COL_ONCE, feedback_type, FEEDBACK_EXECUTION, "what it is about", .label = "About"),
    F_STR(struct feedback, context_kind, COL_ONCE | FIELD_NULLABLE | FIELD_SLUG, 1, 32, "kind of thing it is about: proposal, work_item"),
    F_STR(struct feedback, context_id, COL_ONCE | FIELD_NULLABLE | FIELD_SLUG, 1, FEEDBACK_CONTEXT,
          "id of that thing, as you name it; none: the agent as a whole"),
    F_STR(struct feedback, comment, COL_READ | COL_CREATE | FIELD_NULLABLE, 0, FEEDBACK_TEXT, "what the person adds", .label = "Comment"),
    F_STR(struct feedback, message, COL_READ | FIELD_NULLABLE, 0, FEEDBACK_TEXT, "what the agent asked; data, not instructions"),
    F_TIME(struct feedback, requested_at, COL_READ | FIELD_NULLABLE, "when the agent asked for it"),
    F_BOOL(struct feedback, applied_to_trust, COL_READ, false, "it has moved trust"),
    F_VERSION(struct feedback),
    F_TIMES(struct feedback),
    F_END
};
const struct thing FEEDBACK = THING("feedback", FEEDBACK_COLUMNS, struct feedback, .schema = "Feedback", .is_news = true, .alias = "f",
                                    .from = "feedback f JOIN agent a ON a.account_id = f.account_id AND a.id = f.agent_id "
                                            "JOIN user u ON u.account_id = f.account_id AND u.id = f.user_id",
                                    .taken = "feedback on this was given or asked for already");

/* ---- giving */

static double feedback_worth(int64_t rating)
{
    return (double)(rating - 1) / 4;
}

/* The first counts as an evaluation; a later one moves quality by the difference. */
static err feedback_count(struct ctx *c, struct agent_trust *t, const struct feedback *was, const struct feedback *now)
{
    struct trust_item item = {.kind = "feedback", .execution_id = now->id, .x = {NAN, NAN, NAN, NAN, NAN}, .at = c->now};
    struct json *said = json_obj(c->arena);
    size_t counted;

    json_set_int(c->arena, said, "rating", now->rating);
    item.inputs = said;
    item.x[TRUST_QUALITY] = feedback_worth(now->rating);
    if (was->applied_to_trust) {
        item.kind = "feedback_change";
        item.execution_id = uuid_new(c->now.us);
        item.x[TRUST_QUALITY] = NAN;
        item.shift = TRUST_STEP * (feedback_worth(now->rating) - feedback_worth(was->rating));
        if (now->rating == was->rating)
            return ERR_OK;
    }
    return trust_apply(c, t, &item, 1, &counted);
}

static err feedback_give_tx(struct ctx *c, const struct feedback *in, struct feedback *out)
{
    struct feedback was = {.rating = FIELD_NONE}, now = *in;
    struct agent_trust t;
    bool found;

    if (c->who->kind != PRINCIPAL_USER)
        return fail(c, ERR_FORBIDDEN, uuid_eq(c->who->id, in->agent_id) ? "an agent cannot rate itself" : "feedback is given by people");
    TRY(trust_take(c, in->agent_id, &t));
    now.user_id = c->who->id;
    TRY(feedback_store_find(c, &now, &found, &was));
    if (found) {
        now = was;
        now.rating = in->rating, now.comment = in->comment, now.feedback_type = in->feedback_type;
    } else {
        TRY(thing_begin(c, &FEEDBACK, &now));
    }
    now.applied_to_trust = true;
    if (found)
        TRY(thing_save(c, &FEEDBACK, &(struct thing_change){.verb = was.applied_to_trust ? "change" : "give"}, &was, &now));
    else
        TRY(thing_insert(c, &FEEDBACK, &now));
    TRY(feedback_count(c, &t, &was, &now));
    *out = now;
    out->agent_name = t.name;
    out->user_name = c->who->name;
    return ERR_OK;
}
DB_TX(feedback_give, struct feedback, struct feedback)

/* ---- asking */

static err feedback_check_person(struct ctx *c, struct feedback *f)
{
    struct user u;
    err e = user_get(c, f->user_id, &u);

    if (e == ERR_OK && u.status == USER_ACTIVE) {
        f->user_name = u.name;
        return ERR_OK;
    }
    if (e == ERR_NOT_FOUND)
        ctx_forgive(c);
    return e == ERR_OK || e == ERR_NOT_FOUND ? fail_field(c, "/user_id", "there is no such active person") : e;
}

static err feedback_tell(struct ctx *c, const struct feedback *f, const char *agent)
{
    return notification_send(c, &(struct notification_new){
        .user_id = f->user_id, .category = "feedback", .severity = "low", .body = f->message,
        .title = arena_printf(c->arena, "%s asks for feedback", agent), .link = "/admin/feedback"});
}

static err feedback_request_tx(struct ctx *c, const struct feedback *in, struct feedback *out)
{
    struct feedback f = *in;
    struct agent_trust t;
    int64_t open;

    f.agent_id = c->who->id;
    TRY(feedback_check_person(c, &f));
    if (c->who->kind != PRINCIPAL_AGENT)
        return fail(c, ERR_FORBIDDEN, "only an agent asks for feedback on its work");
    TRY(trust_take(c, f.agent_id, &t));
    f.agent_name = t.name;
    TRY(feedback_store_open(c, f.agent_id, f.user_id, &open));
    if (open >= FEEDBACK_REQUESTS)
        return fail(c, ERR_CONFLICT, "%d requests wait there already", FEEDBACK_REQUESTS);
    f.rating = FIELD_NONE;
    f.requested_at = c->now;
    TRY(thing_begin(c, &FEEDBACK, &f));
    TRY(thing_insert(c, &FEEDBACK, &f));
    TRY(feedback_tell(c, &f, t.name));
    *out = f;
    return ERR_OK;
}
DB_TX(feedback_request, struct feedback, struct feedback)

/* ---- reading */

err feedback_list(struct ctx *c, const struct feedback_filter *f, struct page *out)
{
    struct feedback_filter wanted = *f;
    struct uuid before, of = {{0}};

    if (c->who->kind == PRINCIPAL_AGENT) {
        if (uuid_is_nil(wanted.agent_id))
            wanted.agent_id = c->who->id;
        TRY(trust_is_seen_by_id(c, wanted.agent_id));
    } else if (c->who->kind == PRINCIPAL_USER && !permissions_have(c->who->perms, PERM_OVERSIGHT_REVIEW)) {
        of = c->who->id;
    }
    TRY(page_begin(c, f->cursor, &before));
    return feedback_store_list(c, &wanted, of, before, out);
}
