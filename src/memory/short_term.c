/* Short-term memory by key; see short_term.h. */
#include "short_term.h"

#include <string.h>

#include "app.h"
#include "audit.h"
#include "content.h"
#include "db.h"
#include "short_term_store.h"
#include "subject.h"
#include "working_write.h"

ENUMX_DEFINE(short_term_type, SHORT_TERM_TYPE);
ENUMX_DEFINE(promote_state, PROMOTE_STATE);

static struct instant short_term_later(struct instant t, int64_t seconds)
{
    return (struct instant){t.us + seconds * SECOND_US};
}

/* ---- what is asked of input */

static err short_term_enter(struct ctx *c, const struct short_term_key *at, enum access_level level)
{
    TRY(working_enter(c, &(struct working_scope){.agent_id = at->agent_id, .session_id = at->session_id}, level));
    if (!*at->key || str_code_points(at->key, strlen(at->key)) > SHORT_TERM_KEY)
        return fail_field(c, "/key", "a key must be 1 to %d characters long", SHORT_TERM_KEY);
    return ERR_OK;
}

static err short_term_check_new(struct ctx *c, const struct short_term_new *in)
{
    if (in->ttl_s && (in->ttl_s < SHORT_TERM_TTL_MIN || in->ttl_s > SHORT_TERM_TTL_MAX))
        return fail_field(c, "/ttl", "ttl of short-term memory must be %d to %d seconds", SHORT_TERM_TTL_MIN, SHORT_TERM_TTL_MAX);
    if (strlen(json_text(c->arena, in->value)) > SHORT_TERM_VALUE)
        return fail_field(c, "/value", "a value can have at most %d bytes of JSON", SHORT_TERM_VALUE);
    if (in->tags.n > SHORT_TERM_TAGS)
        return fail_field(c, "/tags", "at most %d tags", SHORT_TERM_TAGS);
    for (size_t i = 0; i < in->tags.n; i++)
        if (str_code_points(in->tags.v[i], strlen(in->tags.v[i])) > SHORT_TERM_TAG)
            return fail_field(c, arena_printf(c->arena, "/tags/%zu", i), "a tag has at most %d characters", SHORT_TERM_TAG);
    return ERR_OK;
}

static struct bytes hash_of(struct ctx *c, const struct json *value)
{
    struct buf b;

    buf_init(&b, c->arena, 256);
    content_canonical(&b, value);
    return content_hash(c->arena, "", buf_str(&b), NULL);
}

/* ---- writing */

struct writing {
    const struct short_term_new *in;
    struct short_term *out;
};

/* What was read or promoted before it expired is another memory's. */
static void begin_anew(struct ctx *c, struct short_term *s)
{
    s->access_count = 0;
    s->last_accessed_at = (struct instant){0};
    s->created_at = c->now;
}

static void forget_promotion(struct short_term *s)
{
    s->promote_state = PROMOTE_NONE;
    s->promote_attempts = 0;
    s->promote_error = NULL;
    s->promoted_node_id = (struct uuid){0};
}

static void short_term_fill(struct ctx *c, const struct short_term_new *in, struct short_term *s)
{
    s->memory_value = in->value;
    s->memory_type = in->type;
    s->tags = in->tags;
    s->ttl_seconds = in->ttl_s ? in->ttl_s : SHORT_TERM_TTL;
    s->expires_at = short_term_later(c->now, s->ttl_seconds);
    s->content_hash = hash_of(c, in->value);
    s->updated_at = c->now;
}

static err short_term_note(struct ctx *c, const char *kind, const struct short_term *s)
{
    struct json *said = json_obj(c->arena);

    json_set_str(c->arena, said, "session_id", s->session_id);
    json_set_str(c->arena, said, "memory_key", s->memory_key);
    json_set_int(c->arena, said, "version", s->version);
    return audit_add(c, &(struct audit){.kind = kind, .subject_kind = "short_term", .subject_id = s->id, .after = said});
}

static err short_term_insert(struct ctx *c, const struct short_term_new *in, struct short_term *out)
{
    int64_t live;

    TRY(short_term_store_count(c, in->at.agent_id, &live));
    if (live >= SHORT_TERM_ROWS)
        return fail_reason(c, ERR_CONFLICT, "quota_exceeded", "an agent can have at most %d short-term memories", SHORT_TERM_ROWS);
    *out = (struct short_term){ .id = uuid_new(c->now.us), .agent_id = in->at.agent_id, .memory_key = in->at.key, .version = 1,
                                .session_id = in->at.session_id ? in->at.session_id : SHORT_TERM_SESSION, .created_at = c->now };
    short_term_fill(c, in, out);
    TRY(short_term_store_insert(c, out));
    return short_term_note(c, "short_term.create", out);
}

static err write_row(struct ctx *c, void *arg)
{
    const struct writing *w = arg;
    struct bytes before;
    bool found;

    TRY(short_term_store_lock(c, &w->in->at, &found, w->out));
    if (!found)
        return short_term_insert(c, w->in, w->out);
    before = w->out->content_hash;
    if (w->out->expires_at.us <= c->now.us) {
        begin_anew(c, w->out);
        forget_promotion(w->out);
    }
    short_term_fill(c, w->in, w->out);
    if (memcmp(before.p, w->out->content_hash.p, before.n) != 0)
        forget_promotion(w->out);
    w->out->version++;
    TRY(short_term_store_update(c, w->out));
    return short_term_note(c, "short_term.update", w->out);
}

err short_term_write(struct ctx *c, const struct short_term_new *in, struct short_term *out)
{
    struct writing w = {in, out};
    err e;

    TRY(short_term_enter(c, &in->at, ACCESS_WRITE));
    TRY(short_term_check_new(c, in));
    e = db_tx(c, write_row, &w);
    if (e != ERR_OK && db_was_duplicate(c)) { /* somebody wrote the same key first: now it is there */
        ctx_forgive(c);
        return db_tx(c, write_row, &w);
    }
    return e;
}

struct removing {
    const struct short_term_key *at;
    bool was_there;
};

static err short_term_remove_row(struct ctx *c, void *arg)
{
    struct removing *r = arg;
    struct short_term s;
    bool found;
    int64_t n;

    TRY(short_term_store_lock(c, r->at, &found, &s));
    r->was_there = found && s.expires_at.us > c->now.us;
    if (!r->was_there) /* what has expired is the cleanup's: it may be worth remembering */
        return ERR_OK;
    TRY(short_term_store_delete(c, r->at, &n));
    return short_term_note(c, "short_term.delete", &s);
}

err short_term_remove(struct ctx *c, const struct short_term_key *at, bool *was_there)
{
    struct removing r = {.at = at};

    TRY(short_term_enter(c, at, ACCESS_WRITE));
    TRY(db_tx(c, short_term_remove_row, &r));
    *was_there = r.was_there;
    return ERR_OK;
}

/* ---- reading */

struct reading {
    const struct short_term_key *at;
    bool *found;
    struct short_term *out;
};

/* The promise is kept by a task; made twice it is one. */
static err use_row(struct ctx *c, void *arg)
{
    const struct reading *r = arg;

    TRY(short_term_store_touch(c, r->at, r->found));
    if (!*r->found)
        return ERR_OK;
    TRY(short_term_store_by_key(c, r->at, r->found, r->out));
    if (!*r->found || r->out->promote_state != PROMOTE_QUEUED)
        return ERR_OK;
    return c->app->promote_later ? c->app->promote_later(c, &r->out->id, r->out->version) : ERR_OK;
}

err short_term_read(struct ctx *c, const struct short_term_key *at, bool peek, bool *found, struct short_term *out)
{
    struct reading r = {at, found, out};

    TRY(short_term_enter(c, at, ACCESS_READ));
    return peek ? short_term_store_by_key(c, at, found, out) : db_tx(c, use_row, &r);
}

err short_term_list(struct ctx *c, const struct short_term_filter *f, struct page *out)
{
    struct short_term *rows;
    struct uuid before;
    size_t n;

    TRY(subject_require(c, f->agent_id, ACCESS_READ));
    TRY(page_begin(c, f->cursor, &before));
    TRY(short_term_store_list(c, f, before, &rows, &n));
    PAGE_END(c, out, rows, n, f->limit, struct short_term, id);
    return ERR_OK;
}

struct refreshing {
    struct uuid agent_id, id;
    struct short_term *out;
};

static err refresh_row(struct ctx *c, void *arg)
{
    const struct refreshing *r = arg;
    int64_t n;
    bool found;

    TRY(short_term_store_extend(c, r->agent_id, r->id, &n));
    TRY(short_term_store_get(c, r->agent_id, r->id, &found, r->out));
    return found ? short_term_note(c, "short_term.refresh", r->out) : fail(c, ERR_NOT_FOUND, "no such short-term memory");
}

err short_term_refresh(struct ctx *c, struct uuid agent_id, struct uuid id, struct short_term *out)
{
    struct refreshing r = {agent_id, id, out};

    TRY(subject_require(c, agent_id, ACCESS_WRITE));
    return db_tx(c, refresh_row, &r);
}

/* ---- how much there is */

err short_term_sessions(struct ctx *c, struct uuid agent_id, struct short_term_count **rows, size_t *n)
{
    TRY(subject_require(c, agent_id, ACCESS_READ));
    *rows = ARENA_ARRAY(c->arena, struct short_term_count, SHORT_TERM_SESSIONS);
    return short_term_store_sessions(c, agent_id, *rows, SHORT_TERM_SESSIONS, n);
}

err short_term_counts(struct ctx *c, const struct uuid *agents, size_t n, struct short_term_count **rows, size_t *found)
{
    TRY(access_permit(c, PERM_MEMORY_MANAGE));
    *rows = ARENA_ARRAY(c->arena, struct short_term_count, n + 1);
    return short_term_store_counts(c, agents, n, *rows, found);
}
