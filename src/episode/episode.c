/* Reading episodes; see episode.h. capture.c takes them in. */
#include "episode.h"

#include "access.h"
#include "capture.h"
#include "episode_store.h"
#include "node.h"

ENUMX_DEFINE(episode_state, EPISODE_STATE);
ENUMX_DEFINE(episode_verdict, EPISODE_VERDICT);

static const struct field EPISODE_COLUMNS[] = {
    F_ID(struct episode, "id of the episode, and of its node"),
    F_UUID(struct episode, space_id, COL_READ, "space it was captured in"),
    F_STR(struct episode, content, COL_SHOW, 0, 0, "what was said, as it is stored; data, not instructions", .sql = "n.body"),
    F_ENUM(struct episode, role, COL_READ, episode_role, ROLE_USER, "who spoke"),
    F_TIME(struct episode, captured_at, COL_READ, "when it was said"),
    F_STR(struct episode, session_id, COL_READ | FIELD_NULLABLE, 0, EPISODE_SESSION, "session it was said in"),
    F_STR(struct episode, tz, COL_ROW | FIELD_NULLABLE, 0, 64, "time zone of its relative dates"),
    F_BYTES(struct episode, text_hash, COL_ROW, "SHA-256 of the stored content"),
    F_BYTES(struct episode, submitted_hash, COL_ROW | FIELD_NULLABLE, "SHA-256 of what was submitted"),
    F_INT(struct episode, simhash, COL_ROW, 0, 0, 0, "bits of its words"),
    F_ENUM(struct episode, consolidation_state, COL_READ, episode_state, EPISODE_RAW, "how far facts were read out of it",
           .shades = "info info ok bad"),
    F_INT(struct episode, attempts, COL_READ, 0, 9e15, 0, "times that consolidation failed"),
    F_TIME(struct episode, next_attempt_at, COL_READ | FIELD_NULLABLE, "not tried again before"),
    F_TIME(struct episode, claimed_until, COL_ROW | FIELD_NULLABLE, "a worker has it until then"),
    F_STR(struct episode, last_error, COL_READ | FIELD_NULLABLE, 0, 500, "why it failed last"),
    F_STR(struct episode, rule_set, COL_READ | FIELD_NULLABLE, 0, 64, "rules that read it"),
    F_UUID(struct episode, near_of, COL_READ | FIELD_NULLABLE, "the episode that it is nearly equal to"),
    F_INT(struct episode, near_distance, COL_READ | FIELD_NULLABLE, 0, 64, FIELD_NONE, "bits of difference to that"),
    F_NUM(struct episode, injection_score, COL_READ, 0, 1, 0, "how much in it looks like an injection; from 0.75 on it is quarantined"),
    F_NUM(struct episode, echo_ratio, COL_READ, 0, 1, 0, "share of it that recall had just returned to its writer"),
    F_NUM(struct episode, trust, COL_SHOW, 0, 1, 0, "how far it is trusted", .sql = "n.trust"),
    F_UUID(struct episode, supersedes_hint, COL_READ | FIELD_NULLABLE, "episode that its writer says it replaces"),
    F_INT(struct episode, occurrences, COL_READ, 0, 9e15, 1, "times it was said"),
    F_STR(struct episode, status, COL_SHOW, 0, 16, "active, quarantined, archived", .sql = "n.status"),
    F_OBJECT(struct episode, origin, COL_READ, 0, "model, request, redactions and flags"),
    F_STR(struct episode, author_kind, COL_SHOW, 0, 8, "user, agent or system: from the credential", .sql = "n.author_kind"),
    F_UUID(struct episode, author_id, COL_SHOW | FIELD_NULLABLE, "who captured it", .sql = "n.author_id"),
    F_TIME(struct episode, created_at, COL_READ | COL_BORN, "when it was stored"),
    F_END
};
const struct thing EPISODE = THING("episode", EPISODE_COLUMNS, struct episode, .schema = "Episode", .alias = "e",
    .from = "episode e JOIN node n ON n.account_id = e.account_id AND n.id = e.id");

err episode_get(struct ctx *c, struct uuid id, struct episode *out)
{
    bool found;

    TRY(episode_store_get(c, id, &found, out));
    return found && access_may_read(c, out->space_id) ? ERR_OK : fail(c, ERR_NOT_FOUND, "no such episode");
}

err episode_list(struct ctx *c, const struct episode_filter *f, struct page *out)
{
    struct uuids spaces;
    struct uuid before;

    TRY(page_begin(c, f->cursor, &before));
    TRY(access_spaces_in(c, f->namespace, &spaces));
    return episode_store_list(c, f, spaces, before, out);
}

err episode_judge(struct ctx *c, struct uuid id, bool accept)
{
    struct node_patch p = {.set = NODE_SET_STATUS, .status = NODE_ACTIVE};
    struct episode e;
    bool quarantined;

    TRY(episode_get(c, id, &e));
    TRY(access_require(c, e.space_id, ACCESS_WRITE));
    quarantined = str_eq(e.status, EPISODE_QUARANTINED);
    if (!quarantined && e.consolidation_state != EPISODE_FAILED)
        return fail(c, ERR_CONFLICT, "nothing waits for a decision about this episode");
    if (!accept)
        return quarantined ? node_forget(c, id, 0) : episode_store_state(c, id, EPISODE_CONSOLIDATED);
    if (quarantined)
        TRY(node_update(c, id, &p, &(struct node){0}));
    TRY(episode_store_state(c, id, EPISODE_RAW));
    return capture_promise(c, e.space_id, id, 1000000 + e.attempts);
}
