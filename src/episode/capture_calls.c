/* Operations on captures and episodes. */
#include "capture.h"
#include "episode_calls.h"

#define TAG .tag = "belief"
#define M "/api/v1/memory"
#define CONTENT_MAX (1024 * 1024)
#define COUNT_MAX 9e15

/* ---- capture */

#define CAPTURE_FIELDS(s) \
    F_STR(s, content, FIELD_REQUIRED | FIELD_RAW, 1, CONTENT_MAX, "what was said; at most 256 KiB, never cut or chunked"), \
    F_ENUM(s, role, 0, episode_role, ROLE_USER, "who spoke; system is refused"), \
    F_UUID(s, target_namespace, FIELD_NULLABLE | FIELD_SPACE, "id or slug of a namespace, context or domain; default: the agent's own"), \
    F_TIME(s, captured_at, FIELD_NULLABLE, "when it was said, at most five minutes ahead; default: now"), \
    F_STR(s, session_id, FIELD_NULLABLE, 1, EPISODE_SESSION, "session it was said in"), \
    F_STR(s, tz, FIELD_NULLABLE, 1, 64, "time zone of its relative dates, as in Europe/Berlin"), \
    F_STRS(s, scope, 0, EPISODE_LABELS, "projects, topics or tasks that it belongs to"), \
    F_STRS(s, tags, 0, EPISODE_LABELS, "tags"), \
    F_NUM(s, trust, 0, 0, 1, 1, "lowers the trust that your role earns; never raises it"), \
    F_STR(s, model_family, FIELD_NULLABLE, 1, EPISODE_MODEL, "model that wrote it; recorded, never believed"), \
    F_STR(s, model_version, FIELD_NULLABLE, 1, EPISODE_MODEL, "its version"), \
    F_UUID(s, supersedes, FIELD_NULLABLE, "id of an episode of the same space that it replaces: a hint for consolidation"), \
    F_UUID(s, id, FIELD_NULLABLE, "of a signed capture: a new UUIDv7, which it gets"), \
    F_UUID(s, key_id, FIELD_NULLABLE, "of a signed capture: which of your keys"), \
    F_STR(s, signature, FIELD_NULLABLE, 1, 128, "Ed25519 as base64url, over the bytes of docs/decisions/0060; needs captured_at")

static const struct field CAPTURE_IN[] = {CAPTURE_FIELDS(struct capture_in), F_END};

static const struct field NEAR_OUT[] = {
    F_UUID(struct capture_near, id, 0, "id of the episode that it is nearly equal to"),
    F_INT(struct capture_near, distance, 0, 0, 64, 0, "bits of difference"),
    F_STR(struct capture_near, by, 0, 0, 16, "simhash"),
    F_END
};

static const struct field REDACTION_OUT[] = {
    F_STR(struct capture_redaction, pattern_id, 0, 0, 64, "what was recognised"),
    F_STR(struct capture_redaction, kind, 0, 0, 16, "secret, email, phone, card, iban, ssn or marker"),
    F_INT(struct capture_redaction, start, 0, 0, COUNT_MAX, 0, "first byte of the content as submitted"),
    F_INT(struct capture_redaction, end, 0, 0, COUNT_MAX, 0, "byte behind the last"),
    F_END
};

static const struct field CAPTURED_OUT[] = {
    F_UUID(struct captured, episode_id, 0, "id of the episode, new or there before"),
    F_ENUM(struct captured, verdict, 0, episode_verdict, EPISODE_NEW,
        "exact_duplicate: counted as another occurrence; near_duplicate: stored, too"),
    F_OBJ(struct captured, near, FIELD_NULLABLE, NEAR_OUT, struct capture_near, "the nearest episode of the space, if near enough"),
    F_UUID(struct captured, namespace, 0, "space it is in"),
    F_INT(struct captured, occurrence, 0, 0, COUNT_MAX, 1, "how often the text was captured there"),
    F_NUM(struct captured, trust, 0, 0, 1, 0, "how far it is trusted"),
    F_LIST(struct captured, redactions, 0, CONTENT_MAX, REDACTION_OUT, struct capture_redaction, "what was taken out"),
    F_STRS(struct captured, injection_flags, 0, 64, "injection markers that were found"),
    F_NUM(struct captured, injection_score, 0, 0, 1, 0, "how much it looks like an injection"),
    F_BOOL(struct captured, quarantined, 0, false, "stored, but neither recalled nor consolidated until a person looks at it"),
    F_NUM(struct captured, echo_ratio, 0, 0, 1, 0, "share of it that recall had just returned to you; it makes no claims"),
    F_STR(struct captured, embedding, 0, 0, 16, "queued, or off"),
    F_UUID(struct captured, supersedes, FIELD_NULLABLE, "the hint, as given"),
    F_END
};

OP_CALL(CAPTURE, struct capture_in, struct captured, capture(c, in, out),
        .name = "capture", .method = "POST", .path = M "/capture", .tool = "capture", TAG,
        .summary = "Stores what was said as an immutable episode; facts are read out of it in the background.",
        .help = "Secrets and private data are redacted, injection markers taken out; spans in the receipt count bytes of what you sent. "
            "The same "
                "text in the same space is one episode with several occurrences.",
        .perm = PERM_MEMORY_WRITE, OP_IN(CAPTURE_IN, struct capture_in), OP_OUT(CAPTURED_OUT, struct captured));

/* ---- many */

struct batch_in {
    struct list items; /* of struct capture_in */
    struct uuid target_namespace;
    const char *model_family;
};

static const struct field BATCH_IN[] = {
    F_LIST(struct batch_in, items, FIELD_REQUIRED, EPISODE_BATCH, CAPTURE_IN, struct capture_in, "1 to 64 captures", .min = 1),
    F_UUID(struct batch_in, target_namespace, FIELD_NULLABLE | FIELD_SPACE, "id or slug of a space, for items that name none"),
    F_STR(struct batch_in, model_family, FIELD_NULLABLE, 1, EPISODE_MODEL, "model that wrote them, for items that name none"),
    F_END
};

struct batch_out {
    struct list results; /* of struct capture_result */
    int64_t captured, failed;
};

static const struct field RESULT_OUT[] = {
    F_INT(struct capture_result, index, 0, 0, EPISODE_BATCH, 0, "place of the item in the request"),
    F_OBJ(struct capture_result, receipt, FIELD_NULLABLE, CAPTURED_OUT, struct captured, "the receipt; null: it was refused"),
    F_STR(struct capture_result, code, FIELD_NULLABLE, 0, 32, "why it was refused: a code"),
    F_STR(struct capture_result, reason, FIELD_NULLABLE, 0, 64, "a word for programs, where the code has several causes"),
    F_STR(struct capture_result, message, FIELD_NULLABLE, 0, 1000, "a sentence"),
    F_END
};

static const struct field BATCH_OUT[] = {
    F_LIST(struct batch_out, results, 0, EPISODE_BATCH, RESULT_OUT, struct capture_result, "in the order of the items"),
    F_INT(struct batch_out, captured, 0, 0, EPISODE_BATCH, 0, "items that were stored"),
    F_INT(struct batch_out, failed, 0, 0, EPISODE_BATCH, 0, "items that were refused"),
    F_END
};

static err capture_call_batch(struct ctx *c, const void *in, void *out)
{
    const struct batch_in *b = in;
    struct capture_in *items = ARENA_ARRAY(c->arena, struct capture_in, b->items.n + 1);
    struct capture_result *results = ARENA_ARRAY(c->arena, struct capture_result, b->items.n + 1);
    struct batch_out *o = out;

    if (!b->items.n)
        return fail_field(c, "/items", "items is empty");
    for (size_t i = 0; i < b->items.n; i++) {
        items[i] = ((const struct capture_in *)b->items.v)[i];
        if (uuid_is_nil(items[i].target_namespace))
            items[i].target_namespace = b->target_namespace;
        if (!items[i].model_family)
            items[i].model_family = b->model_family;
    }
    TRY(capture_many(c, items, b->items.n, results));
    for (size_t i = 0; i < b->items.n; i++)
        *(results[i].receipt ? &o->captured : &o->failed) += 1;
    o->results = (struct list){results, b->items.n};
    return ERR_OK;
}

static const struct op CAPTURE_BATCH = {
    .name = "capture.batch", .method = "POST", .path = M "/capture/batch", .tool = "batch_capture", TAG,
    .summary = "Captures up to 64 texts in one transaction; returns a receipt or an error for each.",
    .help = "Each item stands alone: a bad one does not stop the others.",
    .perm = PERM_MEMORY_WRITE, OP_IN(BATCH_IN, struct batch_in), OP_OUT(BATCH_OUT, struct batch_out), .run = capture_call_batch,
};

/* ---- episodes */

static const struct field EPISODE_FILTER[] = {
    F_UUID(struct episode_filter, namespace, FIELD_NULLABLE | FIELD_SPACE, "only of this space"),
    F_ENUM(struct episode_filter, role, FIELD_UNSAID, episode_role, -1, "only of this role"),
    F_ENUM(struct episode_filter, state, FIELD_UNSAID, episode_state, -1, "only in this state of consolidation"),
    F_STR(struct episode_filter, session_id, FIELD_NULLABLE, 1, EPISODE_SESSION, "only of this session"),
    F_TIME(struct episode_filter, since, FIELD_NULLABLE, "said at or after this time"),
    F_TIME(struct episode_filter, until, FIELD_NULLABLE, "said before this time"),
    F_PAGE(struct episode_filter),
    F_END
};

OP_CALL(EPISODE_LIST, struct episode_filter, struct page, episode_list(c, in, out),
        .name = "episode.list", .method = "GET", .path = M "/episodes", TAG,
        .summary = "Lists episodes that you can read, newest first.", .perm = PERM_MEMORY_READ,
        .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST, OP_IN(EPISODE_FILTER, struct episode_filter), OP_GIVE(EPISODE, struct episode));

OP_CALL(EPISODE_GET, struct thing_key, struct episode, episode_get(c, in->id, out),
        .name = "episode.get", .method = "GET", .path = M "/episodes/:id", TAG,
        .summary = "Returns one episode with its state of consolidation.", .perm = PERM_MEMORY_READ,
        .flags = OP_READONLY | OP_IDEMPOTENT, OP_KEY(EPISODE), OP_GIVE(EPISODE, struct episode));

const struct op *const capture_calls_table[] = {&CAPTURE, &CAPTURE_BATCH, &EPISODE_LIST, &EPISODE_GET, NULL};
