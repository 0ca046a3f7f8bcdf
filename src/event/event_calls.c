/* The operation of events. Waiting and streaming are done by whoever serves it on a socket for listeners (http/listen.c). */
#include "event_calls.h"

#include "event.h"

#define NUMBER_MAX 9e15

static const struct field EVENT_OUT[] = {
    F_INT(struct event, id, 0, 1, NUMBER_MAX, 1, "its number in the account's stream: they have no gaps, so that missing ones would be noticed"),
    F_UUID(struct event, event_id, 0, "its own id, the same in webhooks"),
    F_STR(struct event, kind, 0, 0, LIMIT_EVENT_KIND, "what happened, such as memory_pool_key_write or node.update"),
    F_TIME(struct event, at, 0, "when"),
    F_STR(struct event, subject_kind, FIELD_NULLABLE, 0, 64, "what it happened to: node, pool, edge …"),
    F_UUID(struct event, subject_id, FIELD_NULLABLE, "which one"),
    F_UUID(struct event, space_id, FIELD_NULLABLE, "the space it is in; only who may read that hears of it"),
    F_OBJECT(struct event, payload, 0, LIMIT_ATTRS, "what the kind has to say besides; never content. Read the subject for that"),
    F_END
};

static const struct field ANSWER_OUT[] = {
    F_LIST(struct event_answer, events, 0, LIMIT_PAGE, EVENT_OUT, struct event, "oldest first"),
    F_INT(struct event_answer, last_id, 0, 0, NUMBER_MAX, 0, "give this as `after` next time, also when there is no event"),
    F_INT(struct event_answer, oldest_id, 0, 0, NUMBER_MAX, 0, "the oldest event that is kept"),
    F_INT(struct event_answer, newest_id, 0, 0, NUMBER_MAX, 0, "the newest event of the account"),
    F_BOOL(struct event_answer, reset, 0, false, "what followed `after` is no longer kept: read what you need anew, then go on from last_id"),
    F_END
};

static const struct field LIST_IN[] = {
    F_INT(struct event_wish, after, 0, -1, NUMBER_MAX, -1, "last_id of the answer before; -1: only what happens from now on"),
    F_INT(struct event_wish, wait, 0, 0, 25, 0, "seconds to wait until there is an event"),
    F_STRS(struct event_wish, kinds, 0, LIMIT_EVENT_KINDS, "only these kinds; node.* is all that begin with it"),
    F_UUIDS(struct event_wish, spaces, FIELD_SPACE, LIMIT_EVENT_SPACES, "only events in these spaces"),
    F_INT(struct event_wish, limit, 0, 1, LIMIT_PAGE, LIMIT_PAGE, "how many events at most"),
    F_END
};

static err list(struct ctx *c, const void *in, void *out)
{
    return event_list(c, in, out);
}

static const struct op LIST = {
    .name = "event.list", .method = "GET", .path = "/api/v1/events", .tool = "list_events", .tag = "events",
    .summary = "What has happened since: long poll, or a stream of server-sent events.",
    .help = "With `Accept: text/event-stream` the answer is a stream that stays open: each event has its number as its id, and a client "
            "that comes back with `Last-Event-ID` (or `after`) misses nothing and hears nothing twice. An event named `reset` says that "
            "what followed that number is no longer kept. You hear only of what you may read at that moment; job.* needs jobs.read, "
            "escalation.* oversight.read, webhook.* account.manage.",
    .perm = PERM_MEMORY_READ, .flags = OP_READONLY | OP_IDEMPOTENT, .also = "text/event-stream",
    OP_IN(LIST_IN, struct event_wish), OP_OUT(ANSWER_OUT, struct event_answer), .run = list,
};

const struct op *const event_calls_table[] = { &LIST, NULL };
