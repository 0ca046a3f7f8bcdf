/* Profiles: how much a model's similarity is worth beside words, and what its cosines mean; see recall_impl.h. */
#include <string.h>

#include "recall_impl.h"
#include "vector_models.h"

/* Measured with the built-in model, a sentence encoder, over public sets: weighted fusion with a share of .3 loses nowhere to
 * words alone; a text as short as a sentence gains from more, tools and skills, whose words are seldom the user's, from most. */
static const struct profile BUILTIN = {
    .fusion = FUSION_WEIGHTED, .alpha = 0.3, .alpha_short = 0.5, .alpha_skill = 0.67,
};

/* Of a model that nobody has measured, ranks are taken, not cosines. */
static const struct profile UNKNOWN = {.fusion = FUSION_RRF, .alpha = 0.5, .alpha_short = 0.5, .alpha_skill = 0.5};

err recall_profile(struct recall *r)
{
    struct model_profile m;

    TRY(model_profile(r->c, &m));
    r->profile = strcmp(m.provider, "builtin") == 0 || strcmp(m.provider, "none") == 0 ? BUILTIN : UNKNOWN;
    r->profile.model = m.provider;
    r->profile.at_zero = m.at_zero;
    r->profile.at_half = m.at_half;
    return ERR_OK;
}
