/* The operation of events. Waiting and streaming are done by whoever serves it on a socket for listeners (http/listen.c). */
#include "event_calls.h"

#include "event.h"

#define NUMBER_MAX 9e15

static const struct field EVENT_OUT[] = {
    F_INT(struct event, id, 0, 1, NUMBER_MAX, 1, "number in the account's stream; numbers have no gaps"),
    F_UUID(struct event, event_id, 0, "event id, the same in webhooks"),
    F_STR(struct event, kind, 0, 0, LIMIT_EVENT_KIND, "kind of event, such as memory_pool_key_write or node.update"),
    F_TIME(struct event, at, 0, "when"),
    F_STR(struct event, subject_kind, FIELD_NULLABLE, 0, 64, "kind of subject: node, pool, edge …"),
    F_UUID(struct event, subject_id, FIELD_NULLABLE, "its id"),
    F_UUID(struct event, space_id, FIELD_NULLABLE, "space of the subject; only callers that can read it get the event"),
    F_OBJECT(struct event, payload, 0, LIMIT_ATTRS, "further data of this kind of event, never content"),
    F_END
};

static const struct field ANSWER_OUT[] = {
    F_LIST(struct event_answer, events, 0, LIMIT_PAGE, EVENT_OUT, struct event, "oldest first"),
    F_INT(struct event_answer, last_id, 0, 0, NUMBER_MAX, 0, "pass this as `after` next time, even if there was no event"),
    F_INT(struct event_answer, oldest_id, 0, 0, NUMBER_MAX, 0, "number of the oldest event kept"),
    F_INT(struct event_answer, newest_id, 0, 0, NUMBER_MAX, 0, "number of the newest event"),
    F_BOOL(struct event_answer, reset, 0, false, "events after `after` are no longer kept: reload your state, then continue from last_id"),
    F_END
};

static const struct field LIST_IN[] = {
    F_INT(struct event_wish, after, 0, -1, NUMBER_MAX, -1, "last_id of the previous answer; -1: only new events"),
    F_INT(struct event_wish, wait, 0, 0, 25, 0, "seconds to wait for an event"),
    F_STRS(struct event_wish, kinds, 0, LIMIT_EVENT_KINDS, "only these kinds; node.* matches all kinds with this prefix"),
    F_UUIDS(struct event_wish, spaces, FIELD_SPACE, LIMIT_EVENT_SPACES, "only events in these spaces"),
    F_INT(struct event_wish, limit, 0, 1, LIMIT_PAGE, LIMIT_PAGE, "maximum number of events"),
    F_END
};

OP_CALL(EVENT_LIST, struct event_wish, struct event_answer, event_list(c, in, out),
        .name = "event.list", .method = "GET", .path = "/api/v1/events", .tool = "list_events", .tag = "events",
        .summary = "Returns new events: long poll, or a stream of server-sent events.",
        .help = "With `Accept: text/event-stream` the connection stays open and streams events. The id of each event is its number; a client "
                "that reconnects with `Last-Event-ID` (or `after`) gets every event exactly once. An event named `reset` means that events after "
                "that number are no longer kept. You get only events of what you may read at that moment; job.* requires jobs.read, escalation.* "
                "oversight.read, webhook.* account.manage.",
        .perm = PERM_MEMORY_READ, .flags = OP_READONLY | OP_IDEMPOTENT, .also = "text/event-stream",
        OP_IN(LIST_IN, struct event_wish), OP_OUT(ANSWER_OUT, struct event_answer));

const struct op *const event_calls_table[] = {&EVENT_LIST, NULL};
