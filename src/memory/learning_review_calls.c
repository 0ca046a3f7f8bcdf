/* The operations of compound learnings: what came of them, and reviews. */
#include "learning_calls.h"
#include "memory_calls.h"

/* ---- use */

struct by_id {
    struct uuid id;
    const char *reason;
    bool successful;
};

static const struct field ID_IN[] = {
    F_UUID(struct by_id, id, FIELD_REQUIRED, "id of the learning"),
    F_END
};

static const struct field REASON_IN[] = {
    F_UUID(struct by_id, id, FIELD_REQUIRED, "id of the learning"),
    F_STR(struct by_id, reason, FIELD_REQUIRED, 1, LEARNING_REASON, "why"),
    F_END
};

static const struct field OUTCOME_IN[] = {
    F_UUID(struct by_id, id, FIELD_REQUIRED, "id of the learning"),
    F_BOOL(struct by_id, successful, FIELD_REQUIRED, false, "outcome of the work"),
    F_END
};

#define LEARNING_CHANGE(NAME, call, verb_, path_, tool_, perm_, in_, summary_, help_) \
    OP_CALL(NAME, struct by_id, struct learning, call, \
            .name = "learning." verb_, .method = "POST", .path = L path_, .tool = (tool_), TAG, .summary = (summary_), .help = (help_), \
            .perm = (perm_), OP_IN(in_, struct by_id), OP_OUT(LEARNING_OUT, struct learning))

LEARNING_CHANGE(LEARNING_REINFORCE, learning_reinforce(c, in->id, out), "reinforce", "/reinforce/:id", "reinforce_learning", PERM_MEMORY_WRITE, ID_IN,
                "Reports that a learning helped.",
                "Raises its importance and counts a good outcome; for a merged learning this applies to the one kept.");
LEARNING_CHANGE(LEARNING_OUTCOME, learning_outcome(c, in->id, in->successful, out), "outcome", "/learnings/:id/outcome", NULL,
                PERM_MEMORY_WRITE, OUTCOME_IN, "Reports the outcome of work that used a learning.", NULL);
LEARNING_CHANGE(LEARNING_VERIFY, learning_verify(c, in->id, out), "verify", "/learnings/:id/verify", "verify_learning", PERM_MEMORY_REVIEW, ID_IN,
                "Verifies a learning.", "You cannot verify your own; repeating it has no effect.");
LEARNING_CHANGE(LEARNING_DISPUTE, learning_dispute(c, in->id, in->reason, out), "dispute", "/learnings/:id/dispute", "dispute_learning",
                PERM_MEMORY_REVIEW, REASON_IN, "Disputes a learning.", "Recall leaves it out from now on; undispute restores it.");
LEARNING_CHANGE(LEARNING_UNDISPUTE, learning_undispute(c, in->id, in->reason, out), "undispute", "/learnings/:id/undispute", NULL,
                PERM_MEMORY_REVIEW, REASON_IN, "Withdraws a dispute.", NULL);
LEARNING_CHANGE(LEARNING_UNSUPERSEDE, learning_unsupersede(c, in->id, in->reason, out), "unsupersede", "/learnings/:id/unsupersede",
                "unsupersede_learning", PERM_MEMORY_REVIEW, REASON_IN, "Restores a learning that was superseded.", NULL);

/* ---- many, two, none yet */

struct verify_in {
    struct uuids learning_ids;
};

static const struct field VERIFY_IN[] = {
    F_UUIDS(struct verify_in, learning_ids, FIELD_REQUIRED, LEARNING_BATCH, "ids, up to 100"),
    F_END
};

struct verify_error {
    int64_t index;
    const char *code, *message;
};

static const struct field ERROR_OUT[] = {
    F_INT(struct verify_error, index, 0, 0, LEARNING_BATCH, 0, "index in learning_ids, from 0"),
    F_STR(struct verify_error, code, 0, 0, 32, "error code"),
    F_STR(struct verify_error, message, 0, 0, LIMIT_DESCRIPTION, "error message"),
    F_END
};

struct verify_out {
    struct list learnings, errors;
};

static const struct field VERIFY_OUT[] = {
    F_LIST(struct verify_out, learnings, 0, LEARNING_BATCH, LEARNING_OUT, struct learning, "verified learnings, in the order of the ids"),
    F_LIST(struct verify_out, errors, 0, LEARNING_BATCH, ERROR_OUT, struct verify_error, "learnings not verified, with reason"),
    F_END
};

static void learning_review_call_note(struct ctx *c, struct list *errors, size_t index, err e)
{
    const char *message = e != ERR_INTERNAL ? c->fault.message : NULL;

    ((struct verify_error *)errors->v)[errors->n++] =
        (struct verify_error){(int64_t)index, err_info(e)->slug, message ? message : err_info(e)->meaning};
    ctx_forgive(c);
}

/* Each stands alone. Where none could be confirmed, the call fails as the first did. */
static err verify_batch(struct ctx *c, const void *in, void *out)
{
    struct uuids ids = ((const struct verify_in *)in)->learning_ids;
    struct learning *rows = ARENA_ARRAY(c->arena, struct learning, ids.n + 1);
    struct verify_out *o = out;

    *o = (struct verify_out){{rows, 0}, {ARENA_ARRAY(c->arena, struct verify_error, ids.n + 1), 0}};
    for (size_t i = 0; i < ids.n; i++) {
        err e = learning_verify(c, ids.v[i], &rows[o->learnings.n]);

        if (e == ERR_OK)
            o->learnings.n++;
        else if (e == ERR_UNAVAILABLE || e == ERR_DEADLINE)
            return e;
        else
            learning_review_call_note(c, &o->errors, i, e);
    }
    return ids.n && !o->learnings.n ? learning_verify(c, ids.v[0], rows) : ERR_OK;
}

static const struct op LEARNING_VERIFY_BATCH = {
    .name = "learning.verify_batch", .method = "POST", .path = L "/verify_batch", .tool = "verify_learning_batch", TAG,
    .summary = "Verifies several learnings.",
    .help = "Each is independent: those that cannot be verified are listed in errors. If none can be verified, the call fails with the first error.",
    .perm = PERM_MEMORY_REVIEW, OP_IN(VERIFY_IN, struct verify_in), OP_OUT(VERIFY_OUT, struct verify_out), .run = verify_batch,
};

struct resolve_in {
    struct uuid winner_id, loser_id;
    const char *reason;
};

static const struct field RESOLVE_IN[] = {
    F_UUID(struct resolve_in, winner_id, FIELD_REQUIRED, "id of the correct learning"),
    F_UUID(struct resolve_in, loser_id, FIELD_REQUIRED, "id of the wrong learning"),
    F_STR(struct resolve_in, reason, FIELD_REQUIRED, 1, LEARNING_REASON, "why"),
    F_END
};

OP_CALL(LEARNING_RESOLVE_CONTRADICTION, struct resolve_in, struct learning, learning_resolve(c, in->winner_id, in->loser_id, in->reason, out),
        .name = "learning.resolve_contradiction", .method = "POST", .path = L "/resolve_contradiction", .tool = "resolve_contradiction", TAG,
        .summary = "Resolves a contradiction between two learnings.",
        .help = "The winner gains importance and supersedes the loser. Returns the winner.",
        .perm = PERM_MEMORY_REVIEW, OP_IN(RESOLVE_IN, struct resolve_in), OP_OUT(LEARNING_OUT, struct learning));

const struct op *const learning_review_calls_table[] = {&LEARNING_REINFORCE, &LEARNING_OUTCOME, &LEARNING_VERIFY, &LEARNING_VERIFY_BATCH,
                                                        &LEARNING_DISPUTE, &LEARNING_UNDISPUTE, &LEARNING_UNSUPERSEDE,
                                                        &LEARNING_RESOLVE_CONTRADICTION, NULL};
