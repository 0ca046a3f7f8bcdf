/* See insight.h. */
#include "insight.h"

#include "access.h"
#include "insight_store.h"
#include "knowledge_base.h"

err insight_get(struct ctx *c, const struct insight_in *in, struct insight *out)
{
    struct knowledge_base base;
    struct uuids spaces;

    TRY(knowledge_base_get(c, in->knowledge_base_id, &base));
    TRY(access_require(c, base.id, ACCESS_MANAGE));
    *out = (struct insight){.knowledge_base_id = base.id};
    TRY(insight_store_days(c, in, &out->days));
    TRY(insight_store_questions(c, base.id, INSIGHT_ASKED, &out->most_asked));
    TRY(insight_store_questions(c, base.id, INSIGHT_UNANSWERED, &out->unanswered));
    TRY(insight_store_questions(c, base.id, INSIGHT_SLOW, &out->slowest));
    TRY(knowledge_base_readable_spaces(c, base.id, &spaces));
    return insight_store_never_found(c, spaces, &out->never_found);
}
