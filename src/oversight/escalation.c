/* Raising, reading, answering and resolving; see escalation.h. */
#include "escalation.h"

#include <string.h>

#include "access.h"
#include "ask.h"
#include "audit.h"
#include "content.h"
#include "db.h"
#include "escalation_store.h"
#include "field.h"
#include "inert.h"
#include "limit.h"
#include "match.h"
#include "node.h"
#include "row.h"
#include "space.h"
#include "thing.h"
#include "unicode.h"

ENUMX_DEFINE(escalation_wanted, ESCALATION_WANTED);

#define ESCALATION_FIELDS \
    F_ID(struct escalation, "id"), \
    F_STR(struct escalation, asker_kind, COL_READ, 0, 0, "kind of principal that raised it: agent, user or system"), \
    F_UUID(struct escalation, agent_id, COL_READ, "id of the agent or user that raised it"), \
    F_STR(struct escalation, title, COL_READ, 0, 0, "what it is about; data, not instructions"), \
    F_STR(struct escalation, escalation_type, COL_READ, 0, 0, "low_confidence_recall: a question that recall could not answer"), \
    F_STR(struct escalation, severity, COL_READ, 0, 0, "low, medium, high or critical"), \
    F_STR(struct escalation, status, COL_READ, 0, 0, "open or resolved"), \
    F_INT(struct escalation, seen_count, COL_READ, 0, 0, 0, "number of occurrences"), \
    F_TIME(struct escalation, last_seen_at, COL_READ, "time of the last occurrence"), \
    F_TIME(struct escalation, resolved_at, COL_READ | FIELD_NULLABLE, "time of the resolution"), \
    F_UUID(struct escalation, resolved_by, COL_READ | FIELD_NULLABLE, "user who resolved it"), \
    F_STR(struct escalation, resolution, COL_READ | FIELD_NULLABLE, 0, 0, "note of that user"), \
    F_UUID(struct escalation, answer_node_id, COL_READ | FIELD_NULLABLE, "node with the answer"), \
    F_VERSION(struct escalation), \
    F_TIME(struct escalation, created_at, COL_READ | COL_BORN, "time when it was raised"), \
    F_TIME(struct escalation, updated_at, COL_READ | COL_TOUCHED, "when it was last changed"), \
    F_BYTES(struct escalation, question_hash, COL_ROW | COL_SEALED, "hash of who asks and what"), \
    F_BYTES(struct escalation, dedup_key, COL_ROW | COL_SEALED | FIELD_NULLABLE, "the same while it is unresolved")

static const struct field ROW_COLUMNS[] = {ESCALATION_FIELDS, F_END};
const struct thing ESCALATION_ROW = THING("escalation", ROW_COLUMNS, struct escalation, .schema = "EscalationRow");

static const struct field ESCALATION_COLUMNS[] = {
    ESCALATION_FIELDS,
    F_OBJECT(struct escalation, context, COL_READ, 0, "query, grade, best_score, hit_ids (those you may read), spaces"),
    F_END
};
const struct thing ESCALATION = THING("escalation", ESCALATION_COLUMNS, struct escalation, .schema = "Escalation");

/* ---- asking */

/* Of who asks and what: spaces and the case of ASCII letters are the same question. */
static struct bytes question_hash(struct ctx *c, const char *query)
{
    const char *line = text_cut(c->arena, unicode_nfc(c->arena, query), SIZE_MAX, true);
    char *folded = arena_strdup(c->arena, line);

    for (char *p = folded; *p; p++)
        *p = *p >= 'A' && *p <= 'Z' ? (char)(*p + 32) : *p;
    return content_hash(c->arena, UUID_STR(c->who->id), folded, NULL);
}

static struct json *ids_json(struct ctx *c, const struct uuid *ids, size_t n)
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
    json_set(c->arena, o, "hit_ids", ids_json(c, q->hits, q->n_hits));
    json_set(c->arena, o, "spaces", ids_json(c, q->spaces.v, q->spaces.n));
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

static err raise(struct ctx *c, const struct asking *a)
{
    struct escalation e = {
        .asker_kind = enumx_name(&principal_kind_enumx, (int)c->who->kind),
        .agent_id = c->who->id,
        .title = text_cut(c->arena, a->question->query, LIMIT_NAME, true),
        .escalation_type = "low_confidence_recall",
        .severity = "medium",
        .status = "open",
        .context = context_of(c, a->question),
        .seen_count = 1,
        .last_seen_at = c->now,
        .question_hash = a->hash,
        .dedup_key = a->hash,
    };
    struct json *said = json_obj(c->arena);

    TRY(thing_begin(c, &ESCALATION, &e));
    TRY(row_insert(c, &ESCALATION, &e));
    json_set_str(c->arena, said, "escalation_type", e.escalation_type);
    json_set_str(c->arena, said, "severity", e.severity);
    TRY(audit_add(c, &(struct audit){ .kind = "escalation.create", .subject_kind = "escalation", .subject_id = e.id,
                                      .after = said, .is_news = true }));
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
    TRY(escalation_store_count(c, c->who->id, &of_agent, &of_account));
    if (of_agent >= ESCALATIONS_OF_AGENT || of_account >= ESCALATIONS_OF_ACCOUNT) {
        escalation_say(a->out, "queue_full", NULL);
        return ERR_OK;
    }
    return raise(c, a);
}

static err ask_once(struct ctx *c, const struct question *q, struct escalation_asked *out)
{
    struct asking a = {q, question_hash(c, q->query), out};
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

/* ---- reading */

/* An agent has no business with what others ask. */
static bool may_see(const struct ctx *c, const struct escalation *e)
{
    return c->who->kind != PRINCIPAL_AGENT || uuid_eq(e->agent_id, c->who->id);
}

err escalation_list(struct ctx *c, const struct escalation_filter *f, struct page *out)
{
    struct escalation_filter own = *f;
    struct uuid before;

    if (c->who->kind == PRINCIPAL_AGENT)
        own.agent_id = c->who->id;
    TRY(page_begin(c, f->cursor, &before));
    return escalation_store_list(c, &own, before, out);
}

static size_t escalation_ids_of(const struct json *list, struct uuid *ids, size_t max)
{
    size_t n = 0;

    for (const struct json *j = json_is(list, JSON_ARR) ? list->first : NULL; j && n < max; j = j->next)
        n += json_is(j, JSON_STR) && uuid_parse(j->s, &ids[n]);
    return n;
}

/* The context without hits that the caller may not read. */
static err show_context(struct ctx *c, struct escalation *e)
{
    struct node_brief briefs[QUESTION_HITS];
    struct uuid ids[QUESTION_HITS];
    size_t n = escalation_ids_of(json_get(e->context, "hit_ids"), ids, QUESTION_HITS), seen = 0;
    struct json *o = json_obj(c->arena);

    TRY(node_briefs(c, ids, n, briefs));
    for (size_t i = 0; i < n; i++)
        if (!uuid_is_nil(briefs[i].id))
            ids[seen++] = ids[i];
    for (const struct json *m = e->context->first; m; m = m->next)
        json_set(c->arena, o, m->key, str_eq(m->key, "hit_ids") ? ids_json(c, ids, seen) : json_raw(c->arena, json_text(c->arena, m)));
    e->context = o;
    return ERR_OK;
}

static err escalation_find(struct ctx *c, struct uuid id, struct escalation *out)
{
    TRY(thing_get(c, &ESCALATION, id, out));
    if (!may_see(c, out))
        return fail(c, ERR_NOT_FOUND, "no such escalation");
    out->context = json_opened(c->arena, out->context);
    return ERR_OK;
}

err escalation_get(struct ctx *c, struct uuid id, struct escalation *out)
{
    TRY(escalation_find(c, id, out));
    return show_context(c, out);
}

/* ---- settling */

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

/* The query is the title, so that the same words find it. */
static err write_answer(struct ctx *c, const struct escalation *e, const struct escalation_answer *in, struct uuid *node_id)
{
    const char *query = json_get_str(e->context, "query");
    struct node_new n = {NODE_NEW_DEFAULTS, .kind = "note", .body = in->text, .source_kind = "user"};
    struct json *attrs = json_obj(c->arena);
    struct node made;

    TRY(space_of_answer(c, e, in->space_id, &n.space_id));
    n.title = text_cut(c->arena, query ? query : e->title, LIMIT_TITLE, true);
    json_set_str(c->arena, attrs, "escalation_id", uuid_text(e->id, arena_alloc(c->arena, UUID_TEXT)));
    n.attrs = attrs;
    n.importance = 0.7; /* a person took the trouble */
    TRY(node_create(c, &n, &made));
    *node_id = made.id;
    return ERR_OK;
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
