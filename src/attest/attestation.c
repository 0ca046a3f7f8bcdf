/* Attestations and reliability; see attestation.h. */
#include "attestation.h"

#include <string.h>

#include "access.h"
#include "attestation_store.h"
#include "audit.h"
#include "db.h"
#include "fact_read.h"
#include "predicate.h"
#include "principal.h"
#include "promotion.h"

ENUMX_DEFINE(attest_stance, ATTEST_STANCE);

#define AGREED 0.25 /* weight of a peer's agreement; a person's decision counts 1 */

/* ---- numbers */

double reliability_of(double for_it, double against_it, double for_all, double against_all)
{
    double all = (1 + for_all) / (2 + for_all + against_all);

    return (1 + for_it + 2 * all) / (2 + for_it + against_it + 2);
}

double posterior_of(double support, double dispute)
{
    return (1 + 4 * support) / (2 + 4 * support + 4 * dispute);
}

err fact_weigh(struct ctx *c, struct uuid fact_id, struct attested *out)
{
    double support = 0, dispute = 0;
    const struct attestation *a;

    *out = (struct attested){0};
    TRY(attestation_store_list(c, fact_id, &out->attestations));
    a = out->attestations.v;
    for (size_t i = 0; i < out->attestations.n; i++) {
        if (a[i].is_author)
            continue;
        *(a[i].stance == ATTEST_SUPPORT ? &out->supporters : &out->disputers) += 1;
        *(a[i].stance == ATTEST_SUPPORT ? &support : &dispute) += a[i].reliability;
    }
    out->posterior = posterior_of(support, dispute);
    return ERR_OK;
}

/* ---- what an attestation says of others */

/* A peer's agreement is weak evidence; a person's word decides. Nobody's own attestation says anything of itself. */
static err note_reliability(struct ctx *c, const struct attestation *mine)
{
    bool person = c->who->kind == PRINCIPAL_USER;
    const struct attestation *a;
    struct list all;

    TRY(attestation_store_list(c, mine->fact_id, &all));
    a = all.v;
    for (size_t i = 0; i < all.n; i++) {
        bool same = a[i].stance == mine->stance;
        struct reliability_event e = {.principal_id = a[i].principal_id, .category = a[i].category, .cause_id = mine->fact_id,
                                      .other_id = mine->principal_id, .weight = person ? 1 : AGREED, .success = same,
                                      .kind = person ? same ? "confirmed" : "disproved" : "agreed"};

        if (uuid_eq(a[i].principal_id, mine->principal_id) || a[i].is_author || mine->is_author || (!person && !same))
            continue;
        TRY(reliability_store_add(c, &e));
        if (!person) {
            e.principal_id = mine->principal_id;
            e.other_id = a[i].principal_id;
            TRY(reliability_store_add(c, &e));
        }
    }
    return ERR_OK;
}

static err note_attestation(struct ctx *c, const struct fact *f, const char *stance)
{
    struct json *o = json_obj(c->arena);

    json_set_str(c->arena, o, "stance", stance);
    return audit_add(c, &(struct audit){.kind = "attest", .subject_kind = "node", .subject_id = f->id, .space_id = f->space_id,
                                        .after = o});
}

/* ---- calls */

static const char *attest_category_of(struct ctx *c, const struct attest_in *in, const struct fact *f)
{
    const struct predicate *p = predicate_find(f->predicate);

    if (in->category)
        return in->category;
    return p && !str_empty(p->group) && strlen(p->group) <= ATTEST_CATEGORY ? arena_strdup(c->arena, p->group) : "general";
}

static err fact_attest_tx(struct ctx *c, const struct attest_in *in, struct attested *out)
{
    struct attestation a = {.fact_id = in->id, .principal_id = c->who->id, .stance = in->stance, .note = in->note ? in->note : "",
                            .principal_kind = enumx_name(&principal_kind_enumx, (int)c->who->kind), .at = c->now};
    struct fact f;

    TRY(fact_get(c, in->id, &f));
    a.category = attest_category_of(c, in, &f);
    TRY(attestation_store_is_author(c, in->id, c->who->id, &a.is_author));
    TRY(attestation_store_put(c, &a));
    TRY(note_reliability(c, &a));
    TRY(note_attestation(c, &f, enumx_name(&attest_stance_enumx, (int)in->stance)));
    TRY(promotion_look_again(c, in->id));
    return fact_weigh(c, in->id, out);
}
DB_TX(fact_attest, struct attest_in, struct attested)

err fact_attestations(struct ctx *c, struct uuid fact_id, struct attested *out)
{
    struct fact f;

    TRY(fact_get(c, fact_id, &f));
    return fact_weigh(c, fact_id, out);
}

static err unattest_body(struct ctx *c, void *arg)
{
    const struct uuid *fact_id = arg;
    struct fact f;
    bool was_there;

    TRY(fact_get(c, *fact_id, &f));
    TRY(attestation_store_drop(c, *fact_id, c->who->id, &was_there));
    if (!was_there)
        return fail(c, ERR_NOT_FOUND, "you have not attested this fact");
    TRY(note_attestation(c, &f, "withdrawn"));
    return promotion_look_again(c, *fact_id);
}

err fact_unattest(struct ctx *c, struct uuid fact_id, struct attested *out)
{
    TRY(db_tx(c, unattest_body, &fact_id));
    return fact_weigh(c, fact_id, out);
}
