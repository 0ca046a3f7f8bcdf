/* Questions: put before people once, and what came of them. */
#include "access.h"
#include "ask.h"
#include "content.h"
#include "db.h"
#include "escalation_impl.h"
#include "inert.h"
#include "limit.h"
#include "principal.h"

struct json *escalation_ids(struct ctx *c, const struct uuid *ids, size_t n)
{
    struct json *list = json_arr(c->arena);

    for (size_t i = 0; i < n; i++)
        json_push(list, json_str(c->arena, uuid_text(ids[i], arena_alloc(c->arena, UUID_TEXT))));
    return list;
}

static const struct json *context_of(struct ctx *c, const struct question *q)
{
    struct json *o = json_obj(c->arena);

    json_set_str(c->arena, o, "query", q->query);
    json_set_str(c->arena, o, "grade", q->verdict);
    json_set(c->arena, o, "best_score", json_num(c->arena, q->best));
    json_set(c->arena, o, "hit_ids", escalation_ids(c, q->hits, q->n_hits));
    json_set(c->arena, o, "spaces", escalation_ids(c, q->spaces.v, q->spaces.n));
    return o;
}

struct asking {
    const struct question *question;
    struct bytes hash;
    struct escalation_asked *out;
};

static void escalation_say(struct escalation_asked *out, const char *status, const struct escalation *e)
{
    *out = (struct escalation_asked){.status = status};
    if (e) {
        out->id = e->id;
        out->seen_count = e->seen_count;
    }
}

static err escalation_put_question(struct ctx *c, const struct asking *a)
{
    struct escalation e = {
        .asker_kind = enumx_name(&principal_kind_enumx, (int)c->who->kind),
        .agent_id = c->who->id,
        .title = text_cut(c->arena, a->question->query, LIMIT_NAME, true),
        .escalation_type = "low_confidence_recall",
        .severity = ESCALATION_MEDIUM,
        .context = context_of(c, a->question),
        .question_hash = a->hash,
        .dedup_key = a->hash,
    };

    TRY(escalation_put(c, &e));
    escalation_say(a->out, "queued", &e);
    return ERR_OK;
}

static err escalation_insert_ask(struct ctx *c, void *arg)
{
    const struct asking *a = arg;
    struct instant since = {c->now.us - ESCALATION_REST_US};
    int64_t of_agent, of_account;
    struct escalation e;
    bool found;

    TRY(escalation_store_find(c, a->hash, since, &found, &e));
    if (found) {
        TRY(escalation_store_seen(c, e.id));
        e.seen_count++;
        escalation_say(a->out, e.resolved_at.us ? "no_answer" : "already_queued", &e);
        return ERR_OK;
    }
    TRY(escalation_store_count(c, c->who->id, true, &of_agent, &of_account));
    if (of_agent >= ESCALATIONS_OF_AGENT || of_account >= ESCALATIONS_OF_ACCOUNT) {
        escalation_say(a->out, "queue_full", NULL);
        return ERR_OK;
    }
    return escalation_put_question(c, a);
}

static err ask_once(struct ctx *c, const struct question *q, struct escalation_asked *out)
{
    struct asking a = {q, content_question_hash(c->arena, UUID_STR(c->who->id), q->query), out};
    err e = db_tx(c, escalation_insert_ask, &a);

    /* Somebody asked the same at the same time: theirs is there now. */
    if (e != ERR_OK && db_was_duplicate(c)) {
        ctx_forgive(c);
        return db_tx(c, escalation_insert_ask, &a);
    }
    return e;
}

err escalation_ask(struct ctx *c, const char *query, struct escalation_asked *out)
{
    return ask_once(c, &(struct question){.query = query, .verdict = "asked", .best = -1}, out);
}

err escalation_ask_for_recall(struct ctx *c, const struct question *q, struct question_state *out)
{
    struct escalation_asked asked;

    TRY(ask_once(c, q, &asked));
    *out = (struct question_state){ .status = asked.status, .id = asked.id, .seen_count = asked.seen_count,
                                    .is_open = str_eq(asked.status, "queued") || str_eq(asked.status, "already_queued") };
    return ERR_OK;
}
