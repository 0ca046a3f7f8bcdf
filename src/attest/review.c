/* Deciding about facts and episodes; see review.h. */
#include "review.h"

#include "access.h"
#include "audit.h"
#include "db.h"
#include "episode.h"
#include "fact_put.h"
#include "review_store.h"

ENUMX_DEFINE(review_kind, REVIEW_KIND);
ENUMX_DEFINE(review_decision, REVIEW_DECISION);

err review_list(struct ctx *c, const struct review_filter *f, struct page *out)
{
    struct uuids spaces = access_spaces(c);
    struct uuid before;
    struct list rows;

    TRY(page_begin(c, f->cursor, &before));
    TRY(review_store_list(c, f, spaces, before, &rows));
    PAGE_END(c, out, rows.v, rows.n, f->limit, struct review_item, id);
    return ERR_OK;
}

static err review_decide_tx(struct ctx *c, const struct review_in *in)
{
    struct json *o = json_obj(c->arena);
    struct uuid space_id;
    bool is_fact, found, accept = in->decision == REVIEW_ACCEPT;

    TRY(review_store_sort(c, in->id, &space_id, &is_fact, &found));
    if (!found || !access_may_read(c, space_id))
        return fail(c, ERR_NOT_FOUND, "nothing with this id waits for a decision");
    TRY(access_require(c, space_id, ACCESS_WRITE));
    TRY(is_fact ? fact_judge(c, in->id, accept) : episode_judge(c, in->id, accept));
    json_set_str(c->arena, o, "decision", enumx_name(&review_decision_enumx, (int)in->decision));
    json_set_str(c->arena, o, "reason", in->reason);
    return audit_add(c, &(struct audit){.kind = "belief_review", .subject_kind = "node", .subject_id = in->id, .space_id = space_id,
                                        .after = o});
}
DB_TX_IN(review_decide, struct review_in)
