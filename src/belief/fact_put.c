/* Claims in, facts out; see fact_put.h. */
#include "fact_put.h"

#include <assert.h>
#include <sodium.h>
#include <string.h>

#include "access.h"
#include "audit.h"
#include "content.h"
#include "db.h"
#include "entity.h"
#include "entity_root.h"
#include "fact_claim_store.h"
#include "fact_erase.h"
#include "fact_write.h"
#include "inert.h"
#include "limit.h"
#include "node.h"
#include "node_many.h"
#include "predicate.h"
#include "principal.h"
#include "row.h"

#define WITHDRAWN_AT_ONCE 200

/* ---- a claim */

/* own: the slot of its subject, if that were part of nothing: merging entities does not make it another derivation. */
static struct bytes derive_key_of(struct ctx *c, const struct fact_claim *k, struct bytes own)
{
    char hex[2 * FOLD_KEY + 1], slot[2 * crypto_hash_sha256_BYTES + 1];
    const char *text;

    hex_encode(k->object_key.p, k->object_key.n, hex);
    hex_encode(own.p, own.n, slot);
    text = arena_printf(c->arena, "%s %s %d %d %lld %lld-%lld %s %s", slot, hex, k->negative, (int)k->modality,
        (long long)k->occurrence_seq,
                        (long long)k->span_start, (long long)k->span_end, arena_strdup(c->arena, UUID_STR(k->source_id)),
                        uuid_is_nil(k->source_id) || !uuid_is_nil(k->successor_id) ? arena_strdup(c->arena, UUID_STR(k->id)) : "");
    return (struct bytes){content_hash(c->arena, "claim", text, NULL).p, FOLD_KEY};
}

static struct fact_claim claim_of(struct ctx *c, const struct fact_saying *in)
{
    bool own = uuid_is_nil(in->author_id) && !in->author_kind;

    return (struct fact_claim){
        .id = uuid_new(c->now.us), .space_id = in->space_id, .object_key = claim_object_key(c, in->object), .object_json = in->object,
        .statement = in->statement, .negative = in->negative, .modality = in->modality, .at = in->at.us ? in->at : c->now,
            .until = in->until,
        .source_id = in->source_id, .occurrence_seq = in->occurrence_seq, .span_start = in->span_start, .span_end = in->span_end,
        .author_kind = own ? enumx_name(&principal_kind_enumx, (int)c->who->kind) : in->author_kind,
            .author_id = own ? c->who->id : in->author_id,
        .role = in->role, .confidence = in->confidence < 0 ? veracity_confidence(in->veracity) : in->confidence,
        .trust = in->trust < 0 ? trust_of_role(c, in->role) : in->trust, .veracity = in->veracity, .fact_type = in->fact_type,
        .rule_id = in->rule_id, .state = in->accepted ? CLAIM_ACCEPTED : CLAIM_COUNTED, .successor_id = in->successor_id,
            .recorded_at = c->now};
}

/* The entities that subject and value name; root: what the subject is part of. */
static err name_entities(struct ctx *c, const struct fact_saying *in, struct fact_claim *k, struct uuid *root)
{
    struct entity_name names[2] = {{.surface = in->subject, .type = in->subject_type, .mint = true}, {.surface = ""}};
    const struct predicate *p = predicate_find(in->predicate);
    bool text = json_is(in->object, JSON_STR) && str_code_points(in->object->s, strlen(in->object->s)) <= FACT_SUBJECT;

    if (text && uuid_is_nil(in->object_id))
        names[1] = (struct entity_name){.surface = in->object->s, .mint = in->object_is_entity || p->names_entity};
    if (!uuid_is_nil(in->subject_id))
        names[0].surface = "";
    TRY(entity_resolve(c, in->space_id, names, 2));
    k->subject_id = uuid_is_nil(in->subject_id) ? names[0].id : in->subject_id;
    k->object_entity_id = uuid_is_nil(in->object_id) ? names[1].id : in->object_id;
    if (uuid_is_nil(k->subject_id))
        return fail_field(c, "/subject", "subject is no name");
    return entity_root(c, k->subject_id, root);
}

/* ---- reconciling */

static void fold_claims(struct ctx *c, struct reconciling *r)
{
    struct fold_claim *v = ARENA_ARRAY(c->arena, struct fold_claim, r->n_claims + 1);

    r->run_of = ARENA_ARRAY(c->arena, size_t, r->n_claims + 1);
    for (size_t i = 0; i < r->n_claims; i++) {
        const struct fact_claim *k = &r->claims[i];

        v[i] = (struct fold_claim){.negative = k->negative, .modality = (enum fold_modality)k->modality, .at = k->at.us,
            .until = k->until.us,
                                   .voice = trust_voice_rank(k->role), .trust = k->trust, .accepted = k->state == CLAIM_ACCEPTED,
                                   .withdrawn = k->state == CLAIM_WITHDRAWN};
        memcpy(v[i].object, k->object_key.p, FOLD_KEY);
        memcpy(v[i].author, &k->author_id, sizeof v[i].author);
    }
    r->fold = fact_fold(c->arena, v, r->n_claims, predicate_find(r->slot.predicate)->single);
    for (size_t i = 0; i < r->n_claims; i++)
        r->run_of[i] = v[i].run;
}

/* A fact of that value which was part of another run, and is of none now. */
static struct uuid left_over(const struct reconciling *r, size_t run)
{
    const struct fold_run *x = &r->fold.runs[run];

    for (size_t i = 0; i < r->n_facts; i++) {
        const struct slot_fact *f = &r->facts[i];
        bool taken = !f->loose || f->negative != x->negative || memcmp(f->object_key.p, x->object, FOLD_KEY) != 0;

        for (size_t k = 0; k < r->n_claims && !taken; k++)
            taken = uuid_eq(r->claims[k].fact_id, f->id);
        for (size_t k = 0; k < run && !taken; k++)
            taken = uuid_eq(r->ids[k], f->id);
        if (!taken)
            return f->id;
    }
    return (struct uuid){{0}};
}

/* Each run keeps the fact of its oldest claim, if no run before it has it. */
static void name_runs(struct ctx *c, struct reconciling *r)
{
    r->ids = ARENA_ARRAY(c->arena, struct uuid, r->fold.n + 1);
    r->is_new = ARENA_ARRAY(c->arena, bool, r->fold.n + 1);
    for (size_t run = 0; run < r->fold.n; run++) {
        for (size_t i = 0; i < r->n_claims && uuid_is_nil(r->ids[run]); i++) {
            bool taken = r->run_of[i] != run || !fact_there(r, r->claims[i].fact_id); /* it may be another's since entities parted */

            for (size_t k = 0; k < run && !taken; k++)
                taken = uuid_eq(r->ids[k], r->claims[i].fact_id);
            if (!taken)
                r->ids[run] = r->claims[i].fact_id;
        }
        if (uuid_is_nil(r->ids[run]))
            r->ids[run] = left_over(r, run);
        r->is_new[run] = uuid_is_nil(r->ids[run]);
        if (r->is_new[run])
            r->ids[run] = uuid_new(c->now.us);
    }
}

/* The name of what a fact is about. */
static err fact_title(struct ctx *c, struct uuid subject, const char **title)
{
    struct node_brief brief;

    TRY(node_briefs(c, &subject, 1, &brief));
    *title = uuid_is_nil(brief.id) ? "" : text_cut(c->arena, brief.title, LIMIT_TITLE, true);
    return ERR_OK;
}

/* The slot is locked. more: a claim that is not written yet, or NULL. */
static err reconcile(struct ctx *c, struct reconciling *r, const struct fact_claim *more)
{
    struct list claims, facts;
    const char *title;

    TRY(claim_store_of_slot(c, r->slot.slot_key, &claims));
    TRY(claim_store_facts(c, r->slot.slot_key, &facts));
    r->claims = ARENA_ARRAY(c->arena, struct fact_claim, claims.n + 2);
    if (claims.n)
        memcpy(r->claims, claims.v, claims.n * sizeof *r->claims);
    r->n_claims = claims.n;
    r->facts = facts.v;
    r->n_facts = facts.n;
    if (more) {
        r->fresh = more->id;
        r->claims[r->n_claims++] = *more;
    }
    fold_claims(c, r);
    name_runs(c, r);
    TRY(fact_title(c, r->slot.subject_id, &title));
    return fact_write_runs(c, r, title);
}

static err note_fact(struct ctx *c, const struct reconciling *r, const struct fact_said *said)
{
    struct json *o = json_obj(c->arena);

    json_set_str(c->arena, o, "outcome", enumx_name(&fact_outcome_enumx, (int)said->outcome));
    json_set_str(c->arena, o, "claim_id", arena_strdup(c->arena, UUID_STR(said->claim_id)));
    return audit_add(c, &(struct audit){.kind = said->outcome == FACT_HELD || said->outcome == FACT_CONTESTED ? "fact_contradict"
        : said->outcome == FACT_SUPERSEDING ? "fact_supersede" : "fact_record", .subject_kind = "node", .subject_id = said->fact_id,
        .space_id = r->slot.space_id, .after = o, .is_news = true});
}

/* What became of the newest claim. */
static void say_outcome(const struct reconciling *r, struct fact_said *out)
{
    size_t run = r->run_of[r->n_claims - 1];
    const struct fold_run *x = &r->fold.runs[run];

    out->fact_id = r->ids[run];
    out->outcome = r->is_new[run] ? FACT_CREATED : FACT_CORROBORATED;
    if (x->state == FOLD_HELD || x->state == FOLD_CONTRADICTED) {
        out->outcome = FACT_HELD;
        out->other_id = r->ids[x->successor];
        return;
    }
    if (x->contested && x->state == FOLD_ACTIVE) {
        out->outcome = FACT_CONTESTED;
        out->other_id = x->successor == FOLD_NONE ? out->other_id : r->ids[x->successor];
        return;
    }
    for (size_t i = 0; i < r->fold.n && r->is_new[run]; i++)
        if (r->fold.runs[i].state == FOLD_SUPERSEDED && r->fold.runs[i].successor == run) {
            out->outcome = FACT_SUPERSEDING;
            out->other_id = r->ids[i];
        }
}

static err find_derived(struct ctx *c, const struct fact_claim *k, struct fact_said *out)
{
    struct fact_claim old;

    TRY(claim_store_derived(c, k->derive_key, &out->was_there, &old));
    if (out->was_there) {
        out->outcome = FACT_CORROBORATED;
        out->fact_id = old.fact_id;
        out->claim_id = old.id;
    }
    return ERR_OK;
}

/* New evidence of a fact that was forgotten: it is believed again. */
static err bring_back(struct ctx *c, const struct reconciling *r, struct uuid fact_id)
{
    struct node_wish w = {.id = fact_id, .what = NODE_WISH_REVIVE};

    for (size_t i = 0; i < r->n_facts; i++)
        if (uuid_eq(r->facts[i].id, fact_id) && r->facts[i].forgotten) {
            TRY(node_change_many(c, &w, 1));
            return fact_refold(c, r->slot.slot_key);
        }
    return ERR_OK;
}

/* Of its subject alone, or of all that it is one with. */
static err is_suppressed(struct ctx *c, const struct fact_claim *k, struct bytes own, bool *is_so)
{
    TRY(claim_store_suppressed(c, fact_suppress_key(c, own, k->object_key, k->negative), is_so));
    if (*is_so || memcmp(own.p, k->slot_key.p, own.n) == 0)
        return ERR_OK;
    return claim_store_suppressed(c, fact_suppress_key(c, k->slot_key, k->object_key, k->negative), is_so);
}

err fact_put(struct ctx *c, const struct fact_saying *in, struct fact_said *out)
{
    struct bytes own;
    struct reconciling r = {.slot = {.space_id = in->space_id, .predicate = in->predicate}};
    struct fact_claim k = claim_of(c, in);

    assert(db_in_tx(c));
    *out = (struct fact_said){.claim_id = k.id};
    TRY(access_require(c, in->space_id, ACCESS_WRITE));
    TRY(name_entities(c, in, &k, &r.slot.subject_id));
    own = claim_slot_key(c, in->space_id, k.subject_id, in->predicate, k.object_key);
    k.slot_key = r.slot.slot_key = claim_slot_key(c, in->space_id, r.slot.subject_id, in->predicate, k.object_key);
    k.derive_key = derive_key_of(c, &k, own);
    out->subject_id = r.slot.subject_id;
    TRY(is_suppressed(c, &k, own, &out->was_suppressed));
    out->was_there = out->was_suppressed;
    if (out->was_suppressed)
        return ERR_OK;
    TRY(claim_store_slot(c, &r.slot));
    TRY(find_derived(c, &k, out));
    if (out->was_there)
        return ERR_OK;
    TRY(reconcile(c, &r, &k));
    TRY(row_insert(c, &FACT_CLAIM, &r.claims[r.n_claims - 1]));
    say_outcome(&r, out);
    TRY(bring_back(c, &r, out->fact_id));
    return note_fact(c, &r, out);
}

err fact_refold(struct ctx *c, struct bytes slot_key)
{
    return fact_refold_about(c, slot_key, false);
}

err fact_refold_about(struct ctx *c, struct bytes slot_key, bool anew)
{
    struct reconciling r = {.about_anew = anew};
    bool found;

    TRY(claim_store_slot_get(c, slot_key, &found, &r.slot));
    if (!found || uuid_is_nil(r.slot.subject_id))
        return ERR_OK;
    TRY(access_require(c, r.slot.space_id, ACCESS_WRITE));
    return reconcile(c, &r, NULL);
}

err fact_withdraw(struct ctx *c, struct uuid claim_id)
{
    struct fact_claim k;
    bool found;

    TRY(claim_store_get(c, claim_id, &found, &k));
    if (!found)
        return fail(c, ERR_NOT_FOUND, "no such claim");
    TRY(access_require(c, k.space_id, ACCESS_WRITE));
    TRY(claim_store_state(c, claim_id, CLAIM_WITHDRAWN));
    return fact_refold(c, k.slot_key);
}

err fact_withdraw_of(struct ctx *c, const struct uuid *sources, size_t n)
{
    const struct fact_claim *v;
    struct list claims;

    assert(db_in_tx(c));
    do {
        TRY(claim_store_of_sources(c, sources, n, WITHDRAWN_AT_ONCE, &claims));
        v = claims.v;
        for (size_t i = 0; i < claims.n; i++)
            TRY(claim_store_state(c, v[i].id, CLAIM_WITHDRAWN));
        for (size_t i = 0; i < claims.n; i++)
            if (!i || memcmp(v[i].slot_key.p, v[i - 1].slot_key.p, v[i].slot_key.n) != 0)
                TRY(fact_refold(c, v[i].slot_key));
    } while (claims.n == WITHDRAWN_AT_ONCE);
    return ERR_OK;
}

err fact_judge(struct ctx *c, struct uuid fact_id, bool accept)
{
    const struct fact_claim *k;
    struct list claims;

    TRY(claim_store_of_fact(c, fact_id, FACT_SLOT_CLAIMS, &claims));
    k = claims.v;
    if (!claims.n)
        return fail(c, ERR_CONFLICT, "the fact rests on no claims; write its key instead");
    TRY(access_require(c, k->space_id, ACCESS_WRITE));
    for (size_t i = 0; i < claims.n; i++)
        if (k[i].state != CLAIM_WITHDRAWN)
            TRY(claim_store_state(c, k[i].id, accept ? CLAIM_ACCEPTED : CLAIM_WITHDRAWN));
    return fact_refold(c, k->slot_key);
}
