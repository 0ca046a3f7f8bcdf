/* Operations on browser sessions. They begin on the login page. */
#include "people_calls.h"
#include "session.h"

#define TAG "users"

struct of_user {
    struct uuid id;
};

static const struct field OF_USER[] = {
    F_UUID(struct of_user, id, FIELD_REQUIRED, "id of the user"),
    F_END
};

static const struct field SESSION_OUT[] = {
    F_STR(struct session, id, 0, 0, 0, "id of the session; not a secret"),
    F_TIME(struct session, created_at, 0, "login"),
    F_TIME(struct session, seen_at, 0, "last request"),
    F_TIME(struct session, ends_at, 0, "latest end of the session"),
    F_STR(struct session, ip, 0, 0, 0, "IP address at login"),
    F_STR(struct session, user_agent, 0, 0, 0, "browser (User-Agent)"),
    F_BOOL(struct session, current, 0, 0, "the session of this request"),
    F_END
};

/* Not a page: there are few. */
struct list_out {
    struct list sessions;
};

static const struct field LIST_OUT[] = {
    F_LIST(struct list_out, sessions, 0, 0, SESSION_OUT, struct session, "newest first, at most 200"),
    F_END
};

static err session_call_list(struct ctx *c, const void *in, void *out)
{
    struct list *l = &((struct list_out *)out)->sessions;
    struct session *rows;

    TRY(session_list(c, ((const struct of_user *)in)->id, &rows, &l->n));
    l->v = rows;
    return ERR_OK;
}

static const struct op LIST = {
    .name = "session.list", .method = "GET", .path = "/api/v1/users/:id/sessions", .tag = TAG,
    .summary = "Lists your browser sessions, or with account.manage those of another user.",
    .flags = OP_OPEN | OP_READONLY | OP_IDEMPOTENT,
    OP_IN(OF_USER, struct of_user), OP_OUT(LIST_OUT, struct list_out), .run = session_call_list,
};

struct end_in {
    struct uuid id;
    const char *session_id;
};

static const struct field END_IN[] = {
    F_UUID(struct end_in, id, FIELD_REQUIRED, "id of the user"),
    F_STR(struct end_in, session_id, FIELD_REQUIRED, 1, 64, "id of the session"),
    F_END
};

OP_CALL(END, struct end_in, void, session_end(c, in->id, in->session_id),
        .name = "session.end", .method = "DELETE", .path = "/api/v1/users/:id/sessions/:session_id", .tag = TAG,
        .summary = "Ends a browser session.",
        .flags = OP_OPEN | OP_DESTRUCTIVE | OP_NO_BODY, OP_IN(END_IN, struct end_in));

OP_CALL(END_ALL, struct of_user, void, session_end_every(c, in->id),
        .name = "session.end_all", .method = "DELETE", .path = "/api/v1/users/:id/sessions", .tag = TAG,
        .summary = "Ends all browser sessions of a user.",
        .flags = OP_OPEN | OP_DESTRUCTIVE | OP_IDEMPOTENT | OP_NO_BODY, OP_IN(OF_USER, struct of_user));

const struct op *const session_calls_table[] = {&LIST, &END, &END_ALL, NULL};
