/* The operation that waits until everything is settled. */
#include "jobs_calls.h"
#include "settle.h"

static const struct field WISH_IN[] = {
    F_STR(struct settle_wish, account, FIELD_NULLABLE | FIELD_SLUG, 1, LIMIT_SLUG, "slug of the account; without: all accounts"),
    F_STRS(struct settle_wish, parts, 0, SETTLE_PARTS, "wait for these only: relay, vectors, uses, queue, runs"),
    F_STRS(struct settle_wish, kinds, 0, LIMIT_SETTLE_KINDS, "of the queue, only these kinds of task"),
    F_INT(struct settle_wish, wait_s, 0, 0, LIMIT_SETTLE_WAIT_S, 0, "seconds to wait until all is done"),
    F_END
};

static const struct field STATE_OUT[] = {
    F_BOOL(struct settle_state, settled, 0, false, "nothing is left to do"),
    F_INT(struct settle_state, relay, 0, 0, 0, 0, "events that subscribers do not see yet"),
    F_INT(struct settle_state, vectors, 0, 0, 0, 0, "nodes that wait for a vector"),
    F_INT(struct settle_state, uses, 0, 0, 0, 0, "processes that have not written the uses and reads they counted"),
    F_INT(struct settle_state, queue, 0, 0, 0, 0, "tasks that are due or running"),
    F_INT(struct settle_state, runs, 0, 0, 0, 0, "runs of jobs that are waiting or running"),
    F_INT(struct settle_state, later, 0, 0, 0, 0, "tasks that wait for a later time; they do not count"),
    F_END
};

OP_CALL(SYSTEM_SETTLED, struct settle_wish, struct settle_state, settle_wait(c, in, out),
        .name = "system.settled", .method = "GET", .path = "/api/v1/system/settled", .tag = "jobs",
        .summary = "Waits until the work behind the answers is done. Returns what is left of it.",
        .help = "Events are relayed, vectors made, uses and reads written, due tasks and runs of jobs ended. Each process is asked to "
                "write what it holds in memory.",
        .perm = PERM_JOBS_READ, .flags = OP_OPERATOR | OP_READONLY | OP_IDEMPOTENT,
        OP_IN(WISH_IN, struct settle_wish), OP_OUT(STATE_OUT, struct settle_state));

const struct op *const settle_calls_table[] = {&SYSTEM_SETTLED, NULL};
