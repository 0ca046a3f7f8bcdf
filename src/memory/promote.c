/* Promotion of rows, one transaction each; see promote.h. */
#include "promote.h"

#include "access_log.h"
#include "context.h"
#include "db.h"
#include "echo.h"
#include "entry_impl.h"
#include "long_term.h"
#include "outbox.h"
#include "promote_alike.h"
#include "promote_store.h"
#include "subject.h"

ENUMX_DEFINE(promotion, PROMOTION);

#define SEEN_AGAIN 0.03 /* importance that a duplicate adds */

/* ---- one row */

struct promoting {
    struct promote_look *look;
    int64_t version;     /* of the row, when its text was looked at */
    const char *context; /* where to */
    struct echo echo;
    enum promotion *done; /* the caller's, who may want to know before it is committed */
};

enum entry_type promote_entry_type(enum short_term_type t)
{
    switch (t) {
    case SHORT_TASK_CONTEXT: return ENTRY_FACT;
    case SHORT_CONVERSATION: return ENTRY_SUMMARY;
    case SHORT_TOOL_RESULT: return ENTRY_TOOL_OUTPUT;
    case SHORT_REFLECTION: return ENTRY_REFLECTION;
    case SHORT_OBSERVATION: break;
    }
    return ENTRY_OBSERVATION;
}

static const struct json *origin(struct ctx *c, const struct promoting *p, const struct short_term *s)
{
    struct json *o = json_obj(c->arena);

    json_set_str(c->arena, o, "memory_key", s->memory_key);
    json_set_str(c->arena, o, "source_session", s->session_id);
    json_set_int(c->arena, o, "original_access_count", s->access_count);
    json_set_str(c->arena, o, "consolidated_at", instant_text(c->now, arena_alloc(c->arena, INSTANT_TEXT)));
    if (p->echo.ratio >= ECHO_DOUBTED)
        json_set(c->arena, o, "echo_ratio", json_num(c->arena, lifecycle_round(p->echo.ratio)));
    return o;
}

static struct entry_new promote_entry_of(struct ctx *c, const struct promoting *p, const struct short_term *s)
{
    bool is_fact = s->memory_type == SHORT_TASK_CONTEXT;
    double used = (double)s->access_count / 10;

    return (struct entry_new){
        .entry_key = s->memory_key, .entry_type = (int)promote_entry_type(s->memory_type),
        .memory_type = is_fact ? MEMORY_FACTUAL : MEMORY_EXPERIENTIAL, .content = json_opened(c->arena, s->memory_value),
        .context_tags = s->tags, .metadata = origin(c, p, s),
        .importance_score = ((used < 0.8 ? used : 0.8) + 0.1) * (p->echo.ratio >= ECHO_DOUBTED ? 0.5 : 1),
        .confidence_score = 0.7, .decay_rate = is_fact ? 0 : 0.01,
    };
}

/* The live entry with the row's key; *found false: there is none. */
static err entry_with_key(struct ctx *c, const char *context, const char *key, bool *found, struct entry *out)
{
    err e = entry_get(c, context, key, out);

    *found = e == ERR_OK && (str_eq(out->entry_key, key) || !uuid_is_nil(out->merged_from)) && !out->archived_at.us;
    if (e != ERR_NOT_FOUND)
        return e;
    ctx_forgive(c);
    return ERR_OK;
}

static err promote_tell(struct ctx *c, const struct entry *e, struct uuid agent_id)
{
    struct json *said = json_obj(c->arena);

    json_set_str(c->arena, said, "agent_id", arena_strdup(c->arena, UUID_STR(agent_id)));
    return outbox_add(c, "memory.consolidated", e->id, e->context_id, said);
}

static err seen_again(struct ctx *c, struct promoting *p, const struct short_term *s, struct entry *e)
{
    TRY(entry_boost(c, p->context, UUID_STR(e->id), SEEN_AGAIN, e));
    *p->done = PROMOTION_DUPLICATE;
    p->look->became = e->id;
    return promote_store_done(c, s->id, PROMOTE_DUPLICATE, e->id);
}

/* Did this very row, of this session, become the entry? */
static bool is_of_row(struct ctx *c, const struct entry *e, const struct short_term *s)
{
    const struct json *origin = json_opened(c->arena, e->metadata);

    return str_eq(json_get_str(origin, "source_session"), s->session_id) && str_eq(json_get_str(origin, "memory_key"), s->memory_key);
}

/* Where the row's content belongs: under its key, or, while that key has other content that is not of the row's session, under the
 * session's own key, so that neither hides the other. */
struct promotion_place {
    const char *key;
    bool holds;                      /* an entry of the row is there; it gets a version */
    bool same;                       /* `entry` has this very content */
    struct entry entry;
};

static err look_at_key(struct ctx *c, const struct promoting *p, const char *key, const struct json *content, struct promotion_place *out)
{
    bool found;

    out->key = key;
    TRY(entry_with_key(c, p->context, key, &found, &out->entry));
    out->holds = found && uuid_is_nil(out->entry.merged_from);
    out->same = found && json_equal(json_opened(c->arena, out->entry.content), content);
    return ERR_OK;
}

static err find_promotion_place(struct ctx *c, const struct promoting *p, const struct short_term *s, const struct json *content,
                                struct promotion_place *out)
{
    TRY(look_at_key(c, p, s->memory_key, content, out));
    if (out->same || !out->holds || is_of_row(c, &out->entry, s))
        return ERR_OK;
    return look_at_key(c, p, long_term_session_key(c, s->memory_key, s->session_id), content, out);
}

static err promote_put(struct ctx *c, struct promoting *p, const struct short_term *s)
{
    struct entry_new in = promote_entry_of(c, p, s);
    struct promotion_place at;
    struct entry e;
    bool same;

    TRY(find_promotion_place(c, p, s, in.content, &at));
    same = at.same;
    e = at.entry;
    if (!same && !at.holds && p->look->version == s->version)
        TRY(promote_alike_now(c, p->look, p->context, &same, &e));
    if (same)
        return seen_again(c, p, s, &e);
    in.entry_key = at.key;
    if (!at.holds && p->echo.ratio >= ECHO_REFUSED) {
        *p->done = PROMOTION_ECHO;
        return promote_store_done(c, s->id, PROMOTE_DUPLICATE, p->echo.of);
    }
    TRY(entry_put(c, p->context, &in, &e));
    TRY(access_log_change(c, &(struct access_change){.action = LOGGED_PROMOTE, .context_id = e.context_id, .entry_id = e.id}));
    TRY(promote_tell(c, &e, s->agent_id));
    *p->done = PROMOTION_MADE;
    p->look->became = e.id;
    return promote_store_done(c, s->id, PROMOTE_PROMOTED, e.id);
}

static err promote_promote(struct ctx *c, void *arg)
{
    struct promoting *p = arg;
    struct short_term s;
    bool found;

    *p->done = PROMOTION_NONE;
    p->look->became = (struct uuid){{0}};
    TRY(promote_store_lock(c, p->look->id, &found, &s));
    return found && s.version == p->version ? promote_put(c, p, &s) : ERR_OK; /* else its new text's turn comes */
}

/* Redis and what was shown are asked before the transaction. */
static err promote_try_once(struct ctx *c, const struct short_term *s, struct promoting *p)
{
    struct entry_row said = {0};
    struct context x;

    TRY(context_ensure(c, s->agent_id, CONTEXT_LONG_TERM, &x));
    TRY(entry_take_content(c, json_opened(c->arena, s->memory_value), NULL, &said));
    TRY(echo_of_agent(c, s->agent_id, said.entry.content_text, x.id, &p->echo));
    p->context = x.context_id;
    p->version = s->version;
    return db_tx(c, promote_promote, p);
}

/* Not the row's fault: it is tried again without being counted. A conflict is: db_tx() has repeated those with other writers, what
 * is left says why this row cannot be written, such as an archived context. */
static bool promotion_is_put_off(err e)
{
    return e == ERR_UNAVAILABLE || e == ERR_DEADLINE;
}

err promote_one(struct ctx *c, struct promote_look *row, enum promotion *out, const char **why)
{
    struct promoting p = {.look = row, .done = out};
    struct short_term s;
    bool found;
    err e;

    *why = NULL;
    *out = PROMOTION_NONE;
    TRY(promote_store_get(c, row->id, &found, &s));
    e = found ? promote_try_once(c, &s, &p) : ERR_OK;
    if (e != ERR_OK) {
        *out = PROMOTION_FAILED;
        row->became = (struct uuid){{0}};
    }
    if (e == ERR_OK || promotion_is_put_off(e))
        return e;
    *why = c->fault.message ? c->fault.message : err_info(e)->meaning;
    ctx_forgive(c);
    return promote_store_failed(c, row->id, *why);
}

/* ---- many */

err promote_due(struct ctx *c, const struct promote_filter *f, struct uuid *ids, size_t max, size_t *n)
{
    return promote_store_due(c, f, ids, max, n);
}

err promote_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    return promote_store_accounts(c, above, ids, max, n);
}

err promote_expired_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    return promote_store_expired_accounts(c, above, ids, max, n);
}

static err expired_rows(struct ctx *c, bool is_worth, struct promise *rows, struct uuid *ids, size_t max, size_t *n)
{
    struct instant failed_before = {c->now.us - PROMOTE_FAILED_DAYS * DAY_US};

    TRY(promote_store_expired(c, failed_before, is_worth, rows, max, n));
    for (size_t i = 0; i < *n; i++)
        ids[i] = rows[i].id;
    return ERR_OK;
}

err promote_queue_expired(struct ctx *c, size_t max, struct promise *promised, size_t *n)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, max + 1);

    TRY(expired_rows(c, true, promised, ids, max, n));
    return *n ? promote_store_queue(c, ids, *n) : ERR_OK;
}

err promote_delete_expired(struct ctx *c, int64_t max, int64_t *n)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, (size_t)max + 1);
    struct promise *rows = ARENA_ARRAY(c->arena, struct promise, (size_t)max + 1);
    size_t k;

    TRY(expired_rows(c, false, rows, ids, (size_t)max, &k));
    *n = (int64_t)k;
    return k ? promote_store_delete(c, ids, k) : ERR_OK;
}

err promote_agent(struct ctx *c, struct uuid agent_id, const char *session_id, struct consolidated *out)
{
    struct promote_filter f = {.agent_id = agent_id, .session_id = session_id};
    struct uuid ids[PROMOTE_AT_ONCE];
    struct promote_looks looks;
    size_t n;

    *out = (struct consolidated){0};
    TRY(subject_require(c, agent_id, ACCESS_WRITE));
    TRY(promote_due(c, &f, ids, PROMOTE_AT_ONCE, &n));
    TRY(promote_look(c, ids, n, &looks));
    for (size_t i = 0; i < n; i++) {
        enum promotion done;
        const char *why;

        TRY(promote_one(c, &looks.rows[i], &done, &why));
        out->promoted += done == PROMOTION_MADE;
        out->duplicates += done == PROMOTION_DUPLICATE || done == PROMOTION_ECHO;
        out->failed += done == PROMOTION_FAILED;
    }
    promote_give_vectors(c, &looks);
    return promote_store_waiting(c, &f, &out->queued, &out->expired);
}
