/* Settling: an answer that becomes a memory, or none. */
#include "access.h"
#include "audit.h"
#include "db.h"
#include "escalation_impl.h"
#include "fact.h"
#include "inert.h"
#include "knowledge.h"
#include "learning.h"
#include "limit.h"
#include "match.h"
#include "node.h"
#include "space.h"
#include "thing.h"

ENUMX_DEFINE(answer_kind, ANSWER_KIND);

#define IMPORTANCE 0.7 /* a person took the trouble */

struct settling {
    const struct escalation_answer *answer; /* NULL: there is none */
    struct uuid id;
    const char *note;
    int64_t if_version;
};

/* Where the best hit lives, else the first space that was asked, if the person may write there; else with the agent that asked. */
static err space_of_answer(struct ctx *c, const struct escalation *e, struct uuid wanted, struct uuid *out)
{
    struct uuid ids[2];
    struct node_brief brief = {0};
    size_t n = 0;

    if (!uuid_is_nil(wanted)) {
        *out = wanted;
        return ERR_OK;
    }
    if (escalation_ids_of(json_get(e->context, "hit_ids"), ids, 1) == 1) {
        TRY(node_briefs(c, ids, 1, &brief));
        ids[n] = brief.space_id;
        n += !uuid_is_nil(brief.space_id);
    }
    n += escalation_ids_of(json_get(e->context, "spaces"), ids + n, 1);
    for (size_t i = 0; i < n; i++)
        if (access_may_write(c, ids[i])) {
            *out = ids[i];
            return ERR_OK;
        }
    TRY(space_of_agent(c, e->agent_id, out));
    if (uuid_is_nil(*out))
        return fail_field(c, "/space_id", "space_id is required: no space can be derived for the answer");
    space_widen(c, *out, ACCESS_WRITE); /* who may answer an agent may put the answer where it looks */
    return ERR_OK;
}

/* The query is the title, so that the same words find it; answered otherwise another time, the new fact supersedes this one. */
static err answer_fact(struct ctx *c, const struct escalation *e, const char *title, const struct escalation_answer *in,
                       struct uuid *node_id)
{
    struct json *attrs = json_obj(c->arena);
    struct fact_new f = {.subject = title, .predicate = "answer", .object = json_str(c->arena, in->text),
                         .statement = in->text, .attrs = attrs, .importance = IMPORTANCE, .confidence = 1,
                         .decay_rate = -1, .source_kind = "user"};
    struct fact_recorded made;

    TRY(space_of_answer(c, e, in->space_id, &f.space_id));
    json_set_str(c->arena, attrs, "escalation_id", uuid_text(e->id, arena_alloc(c->arena, UUID_TEXT)));
    TRY(fact_record(c, &f, 1, &made));
    *node_id = made.node.id;
    return ERR_OK;
}

static err answer_knowledge(struct ctx *c, const char *title, const char *text, struct uuid *node_id)
{
    struct knowledge k, made;

    thing_defaults(&KNOWLEDGE, &k);
    k.title = title;
    k.content = text;
    k.access_level = AUDIENCE_ACCOUNT;
    TRY(access_permit(c, PERM_MEMORY_WRITE));
    TRY(knowledge_create(c, &k, &made));
    *node_id = made.id;
    return ERR_OK;
}

static err answer_learning(struct ctx *c, const char *title, const char *text, struct uuid *node_id)
{
    struct learning_new l = {.title = title, .content = text, .category = LEARNING_FACT, .scope = LEARNING_GLOBAL,
                             .importance_score = IMPORTANCE, .confidence_score = IMPORTANCE};
    struct learning_made made;

    TRY(access_permit(c, PERM_MEMORY_WRITE));
    TRY(learning_create(c, &l, &made));
    *node_id = uuid_is_nil(made.of) ? made.learning.id : made.of;
    return ERR_OK;
}

static err write_answer(struct ctx *c, const struct escalation *e, const struct escalation_answer *in, struct uuid *node_id)
{
    const char *query = json_get_str(e->context, "query");
    const char *title = text_cut(c->arena, query ? query : e->title, LIMIT_TITLE, true);

    if (in->kind == ANSWER_FACT)
        return answer_fact(c, e, title, in, node_id);
    if (!uuid_is_nil(in->space_id))
        return fail_field(c, "/space_id", "only a fact is stored in a space of your choice");
    return in->kind == ANSWER_LEARNING ? answer_learning(c, title, in->text, node_id) : answer_knowledge(c, title, in->text, node_id);
}

static err escalation_answer_of(struct ctx *c, const struct escalation *e, const struct escalation_answer *in, struct uuid *node_id)
{
    struct node node;

    if (!uuid_is_nil(in->space_id))
        TRY(access_require(c, in->space_id, ACCESS_WRITE));
    if (!in->text == uuid_is_nil(in->node_id))
        return fail_field(c, "/text", "give either text or node_id");
    if (in->text)
        return write_answer(c, e, in, node_id);
    TRY(node_get(c, in->node_id, &node));
    *node_id = node.id;
    return ERR_OK;
}

static err escalation_settle(struct ctx *c, void *arg)
{
    const struct settling *s = arg;
    struct json *said = json_obj(c->arena);
    struct escalation e;
    int64_t changed;

    TRY(escalation_find(c, s->id, &e));
    TRY(match_version(c, s->if_version, e.version));
    if (e.resolved_at.us)
        return fail(c, ERR_CONFLICT, "the escalation is already resolved");
    if (s->answer)
        TRY(escalation_answer_of(c, &e, s->answer, &e.answer_node_id));
    e.status = ESCALATION_IS_RESOLVED;
    e.resolved_by = c->who->id;
    e.resolution = s->note;
    TRY(escalation_store_resolve(c, &e, &changed));
    if (!changed)
        return match_lost(c, s->if_version);
    json_set_str(c->arena, said, "status", "resolved");
    if (s->answer)
        json_set_str(c->arena, said, "answer_node_id", uuid_text(e.answer_node_id, arena_alloc(c->arena, UUID_TEXT)));
    return audit_add(c, &(struct audit){ .kind = s->answer ? "escalation.answer" : "escalation.resolve",
                                         .subject_kind = "escalation", .subject_id = e.id, .after = said, .is_news = true });
}

err escalation_answer(struct ctx *c, const struct escalation_answer *in, struct escalation *out)
{
    struct settling s = {.answer = in, .id = in->id, .if_version = c->if_match};

    TRY(db_tx(c, escalation_settle, &s));
    return escalation_get(c, in->id, out);
}

err escalation_resolve(struct ctx *c, struct uuid id, const char *note, int64_t if_version, struct escalation *out)
{
    struct settling s = {.id = id, .note = note, .if_version = if_version};

    TRY(db_tx(c, escalation_settle, &s));
    return escalation_get(c, id, out);
}
