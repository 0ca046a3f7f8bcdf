/* What becomes of a learning: seen again, confirmed, disputed, superseded, back again; see learning.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "access.h"
#include "app.h"
#include "audit.h"
#include "db.h"
#include "learning_impl.h"
#include "node.h"

#define REINFORCED 0.05
#define INJECTED_CONFIDENCE 0.02
#define VERIFIED 0.15
#define VERIFIED_CONFIDENCE 0.1
#define WON 0.10
#define DISPROVEN_IMPORTANCE 0.05
#define DISPROVEN_CONFIDENCE 0.1

struct change {
    struct uuid id;
    const char *verb, *reason;
    bool is_review, successful, archived;
    const char *proof; /* of what its author's work is worth: 0 to 1 (struct app.trust_evidence); NULL: of nothing */
    double worth;
    /* From the row as it is to what it shall be: sets members of l, and of p what is the node's. idle: nothing to do. */
    err (*apply)(struct ctx *c, struct change *h, struct learning *l, struct node_patch *p);
    bool idle;
};

/* ---- one change, whichever */

/* Locks the row, so that two changes of one learning follow each other, and reads it as it is then. */
static err learning_change_take(struct ctx *c, struct uuid id, bool is_review, struct learning *l)
{
    bool found;

    TRY(learning_store_lock(c, id, &found));
    TRY(learning_read(c, id, l));
    TRY(access_require(c, l->space_id, ACCESS_WRITE));
    if (l->is_archived)
        return fail(c, ERR_CONFLICT, "the learning is archived; unarchive it before changing it");
    if (is_review && (uuid_eq(l->author_id, c->who->id) || uuid_eq(l->source_agent_id, c->who->id)))
        return fail(c, ERR_INVALID, "you cannot review your own learning");
    return ERR_OK;
}

static err learning_change_say(struct ctx *c, const struct learning *l, const char *verb, const char *reason)
{
    struct json *after = json_obj(c->arena);

    json_set_str(c->arena, after, "status", enumx_name(&learning_status_enumx, (int)l->status));
    if (reason)
        json_set_str(c->arena, after, "reason", reason);
    return audit_add(c, &(struct audit){.kind = verb, .subject_kind = "node", .subject_id = l->id, .space_id = l->space_id,
                                        .after = after, .is_news = true});
}

static err learning_change_write(struct ctx *c, const struct learning *l, const struct node_patch *p, const char *verb, const char *reason)
{
    TRY(node_update(c, l->id, p, &(struct node){0}));
    TRY(learning_store_update(c, l));
    return learning_change_say(c, l, verb, reason);
}

static err learning_change_body(struct ctx *c, void *arg)
{
    struct change *h = arg;
    struct node_patch p = {0};
    struct learning l;

    h->idle = false;
    TRY(learning_change_take(c, h->id, h->is_review, &l));
    TRY(h->apply(c, h, &l, &p));
    if (h->idle)
        return ERR_OK;
    TRY(learning_change_write(c, &l, &p, h->verb, h->reason));
    if (!h->proof || !c->app->trust_evidence)
        return ERR_OK;
    return c->app->trust_evidence(c, uuid_is_nil(l.source_agent_id) ? &l.author_id : &l.source_agent_id, h->proof, &l.id, h->worth);
}

static err learning_change_run(struct ctx *c, struct change *h, struct learning *out)
{
    TRY(db_tx(c, learning_change_body, h));
    return learning_read(c, h->id, out);
}

static void gain(struct node_patch *p, const struct learning *l, double importance, double confidence)
{
    p->set |= NODE_SET_BOOST | NODE_SET_CONFIDENCE;
    p->boost = importance;
    p->confidence = fmin(1, l->confidence_score + confidence);
}

static void learning_change_become(struct node_patch *p, struct learning *l, enum learning_status status)
{
    l->status = status;
    p->set |= NODE_SET_STATUS;
    p->status = enumx_name(&learning_status_enumx, (int)status);
}

static bool is_in_use(const struct learning *l)
{
    return l->status == LEARNING_ACTIVE || l->status == LEARNING_VERIFIED;
}

err learning_must_be_in_use(struct ctx *c, const struct learning *l)
{
    if (is_in_use(l))
        return ERR_OK;
    return fail(c, ERR_CONFLICT, "the learning is %s", enumx_name(&learning_status_enumx, (int)l->status));
}

/* ---- use */

static err apply_seen(struct ctx *c, struct change *h, struct learning *l, struct node_patch *p)
{
    (void)c, (void)h;
    gain(p, l, SEEN_AGAIN, SEEN_AGAIN_CONFIDENCE);
    return ERR_OK;
}

err learning_seen_again(struct ctx *c, struct uuid id, struct learning *out)
{
    struct change h = {.id = id, .verb = "learning.seen", .apply = apply_seen};

    return learning_change_run(c, &h, out);
}

static err apply_reinforce(struct ctx *c, struct change *h, struct learning *l, struct node_patch *p)
{
    (void)h;
    TRY(learning_must_be_in_use(c, l));
    l->injection_count++;
    l->positive_outcome_count++;
    gain(p, l, REINFORCED, 0);
    return ERR_OK;
}

/* Whoever used one that was merged away has used the one that stayed. */
static err run_on_keeper(struct ctx *c, struct change *h, struct learning *out)
{
    struct uuid from;

    TRY(learning_follow(c, &h->id, &from));
    TRY(learning_change_run(c, h, out));
    out->merged_from = from;
    return ERR_OK;
}

err learning_reinforce(struct ctx *c, struct uuid id, struct learning *out)
{
    struct change h = {.id = id, .verb = "learning.reinforce", .apply = apply_reinforce};

    return run_on_keeper(c, &h, out);
}

static err apply_outcome(struct ctx *c, struct change *h, struct learning *l, struct node_patch *p)
{
    TRY(learning_must_be_in_use(c, l));
    l->injection_count++;
    l->positive_outcome_count += h->successful;
    l->negative_outcome_count += !h->successful;
    l->last_injected_at = c->now;
    gain(p, l, 0, h->successful ? INJECTED_CONFIDENCE : 0);
    return ERR_OK;
}

err learning_outcome(struct ctx *c, struct uuid id, bool successful, struct learning *out)
{
    struct change h = {.id = id, .verb = "learning.outcome", .apply = apply_outcome, .successful = successful};

    return run_on_keeper(c, &h, out);
}

/* ---- review */

static err apply_verify(struct ctx *c, struct change *h, struct learning *l, struct node_patch *p)
{
    TRY(learning_must_be_in_use(c, l));
    h->idle = l->status == LEARNING_VERIFIED;
    learning_change_become(p, l, LEARNING_VERIFIED);
    gain(p, l, VERIFIED, VERIFIED_CONFIDENCE);
    l->verified_at = c->now;
    l->verified_by = c->who->id;
    return ERR_OK;
}

static struct change verification(struct uuid id)
{
    return (struct change){.id = id, .verb = "learning.verify", .is_review = true, .apply = apply_verify,
                           .proof = "learning_verified", .worth = 1};
}

err learning_verify(struct ctx *c, struct uuid id, struct learning *out)
{
    struct change h = verification(id);

    return learning_change_run(c, &h, out);
}

static err apply_dispute(struct ctx *c, struct change *h, struct learning *l, struct node_patch *p)
{
    struct json *before = json_obj(c->arena);

    TRY(learning_must_be_in_use(c, l));
    json_set_str(c->arena, before, "status", enumx_name(&learning_status_enumx, (int)l->status));
    json_set(c->arena, before, "importance", json_num(c->arena, l->importance_score));
    json_set(c->arena, before, "confidence", json_num(c->arena, l->confidence_score));
    l->before_dispute = json_text(c->arena, before);
    learning_change_become(p, l, LEARNING_DISPROVEN);
    p->set |= NODE_SET_IMPORTANCE | NODE_SET_CONFIDENCE;
    p->importance = DISPROVEN_IMPORTANCE;
    p->confidence = DISPROVEN_CONFIDENCE;
    l->disproven_at = c->now;
    l->disproven_by = c->who->id;
    l->contradiction_note = h->reason;
    return ERR_OK;
}

err learning_dispute(struct ctx *c, struct uuid id, const char *reason, struct learning *out)
{
    struct change h = {.id = id, .verb = "learning.dispute", .reason = reason, .is_review = true, .apply = apply_dispute,
                       .proof = "learning_disproven"};

    return learning_change_run(c, &h, out);
}

/* In use again: under the key of its text, unless another that says the same is in use meanwhile. */
static err come_back(struct ctx *c, const struct learning *l)
{
    struct learning_key key = learning_key(c, l->space_id, l->content);
    struct uuid other;
    err e;

    TRY(learning_store_release(c, key.live_key));
    TRY(learning_store_equal(c, &key, l->space_id, &other));
    e = learning_store_claim(c, l->id, &key);
    if (e != ERR_CONFLICT || !db_was_duplicate(c))
        return e;
    ctx_forgive(c);
    return fail_reason(c, ERR_CONFLICT, "duplicate", "a duplicate learning exists now: %s", UUID_STR(other));
}

static err apply_undispute(struct ctx *c, struct change *h, struct learning *l, struct node_patch *p)
{
    const struct json *before = json_opened(c->arena, json_raw(c->arena, l->before_dispute));
    const struct json *importance = json_get(before, "importance"), *confidence = json_get(before, "confidence");

    if (l->status != LEARNING_DISPROVEN)
        return fail(c, ERR_CONFLICT, "the learning is not disputed");
    TRY(come_back(c, l));
    learning_change_become(p, l, str_eq(json_get_str(before, "status"), "verified") ? LEARNING_VERIFIED : LEARNING_ACTIVE);
    p->set |= NODE_SET_IMPORTANCE | NODE_SET_CONFIDENCE;
    p->importance = importance ? json_number(importance) : l->importance_score;
    p->confidence = confidence ? json_number(confidence) : l->confidence_score;
    l->before_dispute = NULL;
    l->disproven_at = (struct instant){0};
    l->disproven_by = (struct uuid){{0}};
    l->contradiction_note = h->reason;
    return ERR_OK;
}

err learning_undispute(struct ctx *c, struct uuid id, const char *reason, struct learning *out)
{
    struct change h = {.id = id, .verb = "learning.undispute", .reason = reason, .is_review = true, .apply = apply_undispute};

    return learning_change_run(c, &h, out);
}

/* ---- out of the way */

static err learning_change_archive_body(struct ctx *c, void *arg)
{
    const struct change *h = arg;
    struct node_patch p = {0};
    struct learning l;
    bool found;

    TRY(learning_store_lock(c, h->id, &found));
    TRY(learning_read(c, h->id, &l));
    if (h->archived)
        return node_archive(c, h->id, 0, NULL);
    if (!l.is_archived)
        return ERR_OK;
    learning_change_become(&p, &l, !uuid_is_nil(l.superseded_by) ? LEARNING_SUPERSEDED : l.disproven_at.us ? LEARNING_DISPROVEN
                   : l.verified_at.us ? LEARNING_VERIFIED : LEARNING_ACTIVE);
    if (is_in_use(&l))
        TRY(come_back(c, &l));
    TRY(node_unarchive(c, h->id, 0, NULL));
    return node_update(c, h->id, &p, &(struct node){0});
}

err learning_archive(struct ctx *c, struct uuid id, bool archived, struct learning *out)
{
    struct change h = {.id = id, .archived = archived};

    TRY(db_tx(c, learning_change_archive_body, &h));
    return learning_read(c, id, out);
}

/* ---- two that contradict each other */

static err apply_unsupersede(struct ctx *c, struct change *h, struct learning *l, struct node_patch *p)
{
    if (l->status != LEARNING_SUPERSEDED)
        return fail(c, ERR_CONFLICT, "the learning is not superseded");
    TRY(come_back(c, l));
    learning_change_become(p, l, l->verified_at.us ? LEARNING_VERIFIED : LEARNING_ACTIVE);
    p->set |= NODE_SET_SUPERSEDED;
    l->contradiction_note = h->reason;
    l->contradiction_resolved_at = (struct instant){0};
    return ERR_OK;
}

err learning_unsupersede(struct ctx *c, struct uuid id, const char *reason, struct learning *out)
{
    struct change h = {.id = id, .verb = "learning.unsupersede", .reason = reason, .is_review = true, .apply = apply_unsupersede};

    return learning_change_run(c, &h, out);
}

struct contest {
    struct uuid winner_id, loser_id;
    const char *reason;
};

/* The winner is in use, so no chain of losers leads back to it. */
static err contest_body(struct ctx *c, void *arg)
{
    const struct contest *t = arg;
    bool winner_first = uuid_cmp(t->winner_id, t->loser_id) < 0;
    struct learning w, l;
    struct node_patch pw = {0}, pl = {.set = NODE_SET_SUPERSEDED, .superseded_by = t->winner_id};

    TRY(learning_change_take(c, winner_first ? t->winner_id : t->loser_id, true, winner_first ? &w : &l));
    TRY(learning_change_take(c, winner_first ? t->loser_id : t->winner_id, true, winner_first ? &l : &w));
    TRY(learning_must_be_in_use(c, &w));
    TRY(learning_must_be_in_use(c, &l));
    gain(&pw, &w, WON, 0);
    learning_change_become(&pl, &l, LEARNING_SUPERSEDED);
    w.contradiction_resolved_at = l.contradiction_resolved_at = c->now;
    l.contradiction_note = t->reason;
    TRY(learning_change_write(c, &w, &pw, "learning.win", t->reason));
    return learning_change_write(c, &l, &pl, "learning.supersede", t->reason);
}

err learning_resolve(struct ctx *c, struct uuid winner_id, struct uuid loser_id, const char *reason, struct learning *winner)
{
    struct contest t = {winner_id, loser_id, reason};

    if (uuid_eq(winner_id, loser_id))
        return fail_field(c, "/loser_id", "winner and loser are the same");
    TRY(db_tx(c, contest_body, &t));
    return learning_read(c, winner_id, winner);
}

/* ---- for everyone */

static err mark_promoted(struct ctx *c, struct change *h, struct learning *l, struct node_patch *p)
{
    (void)h;
    (void)p;
    l->promoted_at = c->now;
    return ERR_OK;
}

err learning_mark_promoted(struct ctx *c, struct uuid id)
{
    struct change h = {.id = id, .verb = "learning.promote", .apply = mark_promoted};

    return learning_change_body(c, &h);
}
