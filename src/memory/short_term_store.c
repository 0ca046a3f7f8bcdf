/* SQL of short-term memory. */
#include "short_term_store.h"

#include "db.h"
#include "like.h"
#include "strs_json.h"

#define WHERE_KEY " WHERE account_id = ? AND agent_id = ? AND session_id = ? AND memory_key = ?"
#define SESSION(at) ((at)->session_id ? (at)->session_id : SHORT_TERM_SESSION)
#define KEY(at) IN(c->account_id), IN((at)->agent_id), IN(SESSION(at)), IN((at)->key)

err short_term_store_row(struct ctx *c, struct db_cursor *q, bool *found, struct short_term *s)
{
    const char *value = NULL, *type = NULL, *tags = NULL, *state = NULL;
    int t = 0, p = 0;

    TRY(db_row(q, c, found, OUT(&s->id), OUT(&s->agent_id), OUT(&s->session_id), OUT(&s->memory_key), OUT(&value), OUT(&type),
               OUT(&tags), OUT(&s->ttl_seconds), OUT(&s->expires_at), OUT(&s->access_count), OUT_OPT(&s->last_accessed_at),
               OUT(&s->version), OUT(&s->content_hash), OUT(&state), OUT(&s->promote_attempts), OUT_OPT(&s->promote_error),
               OUT_OPT(&s->promoted_node_id), OUT(&s->created_at), OUT(&s->updated_at)));
    if (!*found)
        return ERR_OK;
    if (!enumx_parse(&short_term_type_enumx, type, &t) || !enumx_parse(&promote_state_enumx, state, &p))
        return fail(c, ERR_INTERNAL, "a row of short-term memory has a type or state that this program does not know");
    s->memory_value = json_raw(c->arena, value);
    s->memory_type = (enum short_term_type)t;
    s->promote_state = (enum promote_state)p;
    s->tags = strs_from_json(c->arena, tags);
    return ERR_OK;
}

err short_term_store_lock(struct ctx *c, const struct short_term_key *at, bool *found, struct short_term *out)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT " SHORT_TERM_COLUMNS " FROM short_term_memory" WHERE_KEY " FOR UPDATE", KEY(at)));
    return short_term_store_row(c, &q, found, out);
}

err short_term_store_by_key(struct ctx *c, const struct short_term_key *at, bool *found, struct short_term *out)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT " SHORT_TERM_COLUMNS " FROM short_term_memory" WHERE_KEY " AND expires_at > ?", KEY(at), IN(c->now)));
    return short_term_store_row(c, &q, found, out);
}

err short_term_store_get(struct ctx *c, struct uuid agent_id, struct uuid id, bool *found, struct short_term *out)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q,
        "SELECT " SHORT_TERM_COLUMNS " FROM short_term_memory WHERE account_id = ? AND id = ? AND agent_id = ? AND expires_at > ?",
        IN(c->account_id), IN(id), IN(agent_id), IN(c->now)));
    return short_term_store_row(c, &q, found, out);
}

err short_term_store_list(struct ctx *c, const struct short_term_filter *f, struct uuid before, struct short_term **rows, size_t *n)
{
    struct short_term *list = ARENA_ARRAY(c->arena, struct short_term, (size_t)f->limit + 1);
    scoped_cursor q = {0};
    struct sql s;
    bool found;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT " SHORT_TERM_COLUMNS " FROM short_term_memory WHERE account_id = ? AND agent_id = ? AND id < ? AND expires_at > ?",
            IN(c->account_id), IN(f->agent_id), IN(before), IN(c->now));
    if (f->session_id)
        sql_add(&s, " AND session_id = ?", IN(f->session_id));
    if (f->type >= 0)
        sql_add(&s, " AND memory_type = ?", IN(enumx_name(&short_term_type_enumx, f->type)));
    if (f->q)
        sql_add(&s, " AND memory_key LIKE ?", IN(like_part(c->arena, f->q)));
    sql_add(&s, " ORDER BY id DESC LIMIT ?", IN(f->limit + 1));
    TRY(sql_query(c, &q, &s));
    for (*n = 0; (int64_t)*n <= f->limit; ++*n) {
        TRY(short_term_store_row(c, &q, &found, &list[*n]));
        if (!found)
            break;
    }
    *rows = list;
    return ERR_OK;
}

static void short_term_store_add_words(struct sql *s, struct strs words, int64_t chars)
{
    sql_add(s, " AND (1 = 0");
    for (size_t i = 0; i < words.n; i++)
        sql_add(s, " OR memory_key COLLATE utf8mb4_general_ci LIKE ? OR LEFT(memory_value, ?) COLLATE utf8mb4_general_ci LIKE ?",
                IN(like_part(s->arena, words.v[i])), IN(chars), IN(like_part(s->arena, words.v[i])));
    sql_add(s, ")");
}

err short_term_store_heads(struct ctx *c, struct uuid agent_id, const char *session_id, struct strs words, int64_t chars,
                           struct live_key *rows, size_t max, size_t *n)
{
    scoped_cursor q = {0};
    struct sql s;
    bool found;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT session_id, memory_key, LEFT(memory_value, ?), id, created_at FROM short_term_memory"
                " WHERE account_id = ? AND agent_id = ? AND expires_at > ?", IN(chars), IN(c->account_id), IN(agent_id), IN(c->now));
    if (session_id)
        sql_add(&s, " AND session_id = ?", IN(session_id));
    short_term_store_add_words(&s, words, chars);
    sql_add(&s, " ORDER BY id DESC LIMIT ?", IN((int64_t)max));
    TRY(sql_query(c, &q, &s));
    for (*n = 0; *n < max; ++*n) {
        struct live_key *k = &rows[*n];

        TRY(db_row(&q, c, &found, OUT(&k->scope), OUT(&k->key), OUT(&k->value), OUT(&k->id), OUT(&k->created_at)));
        if (!found)
            break;
    }
    return ERR_OK;
}

err short_term_store_count(struct ctx *c, struct uuid agent_id, int64_t *live)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q, "SELECT COUNT(*) FROM short_term_memory WHERE account_id = ? AND agent_id = ? AND expires_at > ?",
                 IN(c->account_id), IN(agent_id), IN(c->now)));
    return db_row(&q, c, &found, OUT(live));
}

/* ---- changing */

#define COUNTED "COUNT(*), CAST(SUM(promote_state = 'queued') AS INTEGER), MIN(expires_at), MAX(updated_at) FROM short_term_memory WHERE account_id = ? AND expires_at > ?"

static err short_term_store_read_counts(struct ctx *c, struct db_cursor *q, bool of_sessions, struct short_term_count *rows, size_t max,
                                        size_t *n)
{
    for (*n = 0; *n < max; ++*n) {
        struct short_term_count *r = &rows[*n];
        bool found;

        *r = (struct short_term_count){0};
        TRY(of_sessions ? db_row(q, c, &found, OUT(&r->session_id), OUT(&r->rows), OUT(&r->queued), OUT(&r->next_expiry), OUT(&r->last_write))
                        : db_row(q, c, &found, OUT(&r->agent_id), OUT(&r->rows), OUT(&r->queued), OUT(&r->next_expiry), OUT(&r->last_write)));
        if (!found)
            break;
    }
    return ERR_OK;
}

err short_term_store_sessions(struct ctx *c, struct uuid agent_id, struct short_term_count *rows, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT session_id, " COUNTED " AND agent_id = ? GROUP BY session_id ORDER BY MAX(updated_at) DESC LIMIT ?",
                 IN(c->account_id), IN(c->now), IN(agent_id), IN((int64_t)max)));
    return short_term_store_read_counts(c, &q, true, rows, max, n);
}

err short_term_store_counts(struct ctx *c, const struct uuid *agents, size_t n, struct short_term_count *rows, size_t *found)
{
    scoped_cursor q = {0};
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT agent_id, " COUNTED, IN(c->account_id), IN(c->now));
    sql_add_in_uuids(&s, "agent_id", agents, n);
    sql_add(&s, " GROUP BY agent_id");
    TRY(sql_query(c, &q, &s));
    return short_term_store_read_counts(c, &q, false, rows, n, found);
}

err short_term_store_insert(struct ctx *c, const struct short_term *s)
{
    return db_exec(c, NULL,
        "INSERT INTO short_term_memory (account_id, id, agent_id, session_id, memory_key, memory_value, memory_type, tags,"
        " ttl_seconds, expires_at, content_hash, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        IN(c->account_id), IN(s->id), IN(s->agent_id), IN(s->session_id), IN(s->memory_key), IN(json_text(c->arena, s->memory_value)),
        IN(enumx_name(&short_term_type_enumx, (int)s->memory_type)), IN(json_text(c->arena, strs_to_json(c->arena, s->tags))),
        IN(s->ttl_seconds), IN(s->expires_at), IN(s->content_hash), IN(s->created_at), IN(s->updated_at));
}

err short_term_store_update(struct ctx *c, const struct short_term *s)
{
    return db_exec(c, NULL,
        "UPDATE short_term_memory SET memory_value = ?, memory_type = ?, tags = ?, ttl_seconds = ?, expires_at = ?,"
        " access_count = ?, last_accessed_at = ?, version = ?, content_hash = ?, promote_state = ?, promote_attempts = ?,"
        " promote_error = ?, promoted_node_id = ?, created_at = ?, updated_at = ? WHERE account_id = ? AND id = ?",
        IN(json_text(c->arena, s->memory_value)), IN(enumx_name(&short_term_type_enumx, (int)s->memory_type)),
        IN(json_text(c->arena, strs_to_json(c->arena, s->tags))), IN(s->ttl_seconds), IN(s->expires_at), IN(s->access_count),
        IN_OPT(s->last_accessed_at), IN(s->version), IN(s->content_hash),
        IN(enumx_name(&promote_state_enumx, (int)s->promote_state)), IN(s->promote_attempts), IN_OPT(s->promote_error),
        IN_OPT(s->promoted_node_id), IN(s->created_at), IN(s->updated_at), IN(c->account_id), IN(s->id));
}

/* The state looks at the count before it has grown: columns are set from left to right. */
err short_term_store_touch(struct ctx *c, const struct short_term_key *at, bool *found)
{
    int64_t n;

    TRY(db_exec(c, &n,
        "UPDATE short_term_memory SET"
        " promote_state = IF(promote_state = 'none' AND access_count + 1 >= ?, 'queued', promote_state),"
        " access_count = access_count + 1, last_accessed_at = ?" WHERE_KEY " AND expires_at > ?",
        IN(SHORT_TERM_USES), IN(c->now), KEY(at), IN(c->now)));
    *found = n > 0;
    return ERR_OK;
}

err short_term_store_extend(struct ctx *c, struct uuid agent_id, struct uuid id, int64_t *changed)
{
    return db_exec(c, changed,
        "UPDATE short_term_memory SET expires_at = LEAST(? + INTERVAL ttl_seconds SECOND, created_at + INTERVAL ? DAY)"
        " WHERE account_id = ? AND id = ? AND agent_id = ? AND expires_at > ?",
        IN(c->now), IN(SHORT_TERM_DAYS), IN(c->account_id), IN(id), IN(agent_id), IN(c->now));
}

err short_term_store_delete(struct ctx *c, const struct short_term_key *at, int64_t *n)
{
    return db_exec(c, n, "DELETE FROM short_term_memory" WHERE_KEY, KEY(at));
}
