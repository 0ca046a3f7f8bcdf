/* Profiles: how much a model's similarity is worth beside words, and what its cosines mean; see recall_impl.h. */
#include <string.h>

#include "recall_impl.h"

/* Measured with the built-in model, a sentence encoder, over public sets: weighted fusion with a share of .3 loses nowhere to
 * words alone; a text as short as a sentence gains from more, tools and skills, whose words are seldom the user's, from most. */
static const struct fitted BUILTIN = {
    .given = true, .fusion = FUSION_WEIGHTED, .alpha = 0.3, .alpha_short = 0.5, .alpha_skill = 0.67,
};

/* Of a model that nobody has measured, ranks are taken, not cosines. */
static const struct fitted UNKNOWN = {.given = true, .fusion = FUSION_RRF, .alpha = 0.5, .alpha_short = 0.5, .alpha_skill = 0.5};

/* What the account has had fitted goes before what is known of the model. */
static const struct fitted *of_model(const struct model_profile *m)
{
    if (m->fitted.given)
        return &m->fitted;
    return strcmp(m->provider, "builtin") == 0 || strcmp(m->provider, "none") == 0 ? &BUILTIN : &UNKNOWN;
}

err fitted_now(struct ctx *c, struct fitted *out, const char **model, bool *own)
{
    struct model_profile m;

    TRY(model_profile(c, &m));
    *out = *of_model(&m);
    *model = arena_printf(c->arena, "%s:%s", m.provider, m.name);
    *own = m.fitted.given;
    return ERR_OK;
}

err recall_profile(struct recall *r)
{
    TRY(model_profile(r->c, &r->profile.model));
    r->profile.use = *(r->in->fitted ? r->in->fitted : of_model(&r->profile.model));
    return ERR_OK;
}
