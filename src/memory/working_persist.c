/* Between Redis and entries; see working_persist.h. */
#include "working_persist.h"

#include <sodium.h>
#include <string.h>

#include "context.h"
#include "db.h"
#include "entry.h"
#include "portion.h"
#include "working_kind.h"
#include "working_write.h"

#define NAME "working:"
#define HASHED NAME "#" /* of names that would be longer than a key may be */

/* ---- names */

static const char *entry_key(struct ctx *c, const char *scope, const char *key)
{
    const char *name = arena_printf(c->arena, NAME "%s:%s", scope, key);
    uint8_t hash[crypto_hash_sha256_BYTES];
    char *hex = arena_alloc(c->arena, sizeof hash * 2 + 1);

    if (strlen(name) <= ENTRY_KEY)
        return name;
    crypto_hash_sha256(hash, (const unsigned char *)name, strlen(name));
    hex_encode(hash, sizeof hash, hex);
    return arena_printf(c->arena, HASHED "%s", hex);
}

/* as_text: the entry's content is the JSON text of the value. */
static const struct json *origin_json(struct ctx *c, const char *scope, const char *key, bool as_text)
{
    struct json *o = json_obj(c->arena);

    if (as_text)
        json_set_bool(c->arena, o, "as_text", true);
    json_set_str(c->arena, o, "scope", scope);
    json_set_str(c->arena, o, "key", key);
    return o;
}

/* ---- persisting */

struct persisting {
    const char *scope, *context;
    struct strs keys;
    const char **texts; /* NULL: absent */
    double importance;
    struct working_persisted *out;
    struct ctx part; /* in its memory a value is opened, one at a time */
};

/* What a key holds, as an entry can: what grew deeper than an entry may be (a list of messages is deeper than the messages) is
 * kept as its text. */
static const struct json *working_persist_content_of(struct arena *a, const char *text, bool *as_text)
{
    const struct json *value = json_opened(a, json_raw(a, text));

    *as_text = !value || json_depth(value) > JSON_DEPTH_MAX;
    return *as_text ? json_str(a, text) : value;
}

/* NULL: an entry cannot hold it. */
static const struct json *persistable(struct arena *a, const char *key, const char *text, bool *as_text)
{
    const struct json *content;

    *as_text = text && str_eq(text, "null"); /* no entry's content is null */
    if (*as_text)
        return json_str(a, text);
    if (!text || strlen(text) > ENTRY_CONTENT || str_starts(key, WORKING_SHARED))
        return NULL;
    content = working_persist_content_of(a, text, as_text);
    return *as_text && strlen(json_text(a, content)) > ENTRY_CONTENT ? NULL : content;
}

static err working_persist_put_entry(struct ctx *c, const struct persisting *p, const char *key, const struct json *content, bool as_text,
                                     struct entry *out)
{
    int type;
    struct entry_new in = {
        .entry_key = entry_key(c, p->scope, key), .memory_type = MEMORY_WORKING,
        .metadata = origin_json(c, p->scope, key, as_text), .content = content, .importance_score = p->importance, .confidence_score = 1.0,
        .expires_at = { c->now.us + WORKING_PERSIST_HOURS * 3600 * SECOND_US },
    };

    if (!enumx_parse(&entry_type_enumx, working_kind_of(key)->entry_type, &type))
        return fail(c, ERR_INTERNAL, "unknown entry type '%s'", working_kind_of(key)->entry_type);
    in.entry_type = type;
    return entry_put(c, p->context, &in, out);
}

static err persist(struct ctx *c, void *arg)
{
    struct persisting *p = arg;

    *p->out = (struct working_persisted){ .skipped.v = ARENA_ARRAY(c->arena, const char *, p->keys.n + 1),
                                          .archived.v = ARENA_ARRAY(c->arena, const char *, WORKING_ARCHIVED) };
    for (size_t i = 0; i < p->keys.n; i++) {
        bool as_text = false;
        const struct json *content = persistable(p->part.arena, p->keys.v[i], p->texts[i], &as_text);
        struct entry e;

        if (!content) {
            p->out->skipped.v[p->out->skipped.n++] = p->keys.v[i];
            continue;
        }
        TRY(working_persist_put_entry(c, p, p->keys.v[i], content, as_text, &e));
        for (size_t k = 0; k < e.evicted.n && p->out->archived.n < WORKING_ARCHIVED; k++)
            p->out->archived.v[p->out->archived.n++] = e.evicted.v[k];
        p->out->archived_count += (int64_t)e.evicted.n;
        p->out->persisted += e.created || e.changed;
        p->out->unchanged += !e.created && !e.changed;
        portion_next(&p->part);
    }
    return ERR_OK;
}

/* Past the gate. */
static err persist_scope(struct ctx *c, const struct working_scope *s, struct strs keys, double importance,
                         struct working_persisted *out)
{
    struct persisting p = {.scope = working_scope_text(c->arena, s), .keys = keys, .importance = importance, .out = out};
    struct context x;

    if (!keys.n)
        TRY(working_store_keys(c, s, &p.keys));
    TRY(working_store_values(c, s, p.keys, &p.texts));
    TRY(context_ensure(c, s->agent_id, CONTEXT_WORKING, &x));
    p.context = x.context_id;
    portion_begin(c, &p.part);
    return db_tx(c, persist, &p);
}

err working_persist(struct ctx *c, const struct working_scope *s, struct strs keys, double importance, struct working_persisted *out)
{
    TRY(working_enter(c, s, ACCESS_WRITE));
    return persist_scope(c, s, keys, importance, out);
}

/* ---- making room */

/* Persists a scope and drops it. */
static err retire(struct ctx *c, const char *scope)
{
    struct working_persisted done;
    struct working_scope s;
    int64_t n;

    if (!working_scope_read(c->arena, scope, &s))
        return fail(c, ERR_INTERNAL, "no scope: %s", scope);
    TRY(persist_scope(c, &s, (struct strs){0}, 0.5, &done));
    for (size_t i = 0; i < done.skipped.n; i++)
        if (!str_starts(done.skipped.v[i], WORKING_SHARED))
            return fail_reason(c, ERR_CONFLICT, "quota_exceeded",
                               "the agent has %d scopes and the oldest cannot be persisted; clear one first", WORKING_SCOPES);
    return working_store_clear(c, &s, &n);
}

err working_made_room(struct ctx *c, const struct working_written *w, bool *again)
{
    *again = w->word == WORKING_FULL_SCOPES;
    return *again ? retire(c, w->oldest) : ERR_OK;
}

/* ---- loading */

struct loading {
    const struct working_scope *scope;
    const char *scope_text, *context;
    bool overwrite, archived; /* archived: entries that had to make room, where nothing else is there */
    struct working_loaded *out;
};

static err working_persist_load_entry(struct ctx *c, const struct loading *l, const struct entry *e)
{
    const struct json *origin = json_opened(c->arena, e->metadata);
    const char *key = json_get_str(origin, "key"), *text;
    struct working_written w;
    struct working_stored stored;
    bool again;

    if (!key || (l->archived && !e->archived_at.us) || !str_eq(json_get_str(origin, "scope"),
                                                               l->scope_text) || (e->expires_at.us && e->expires_at.us <= c->now.us))
        return ERR_OK;
    if (json_get_bool(origin, "as_text", false) && json_is(json_opened(c->arena, e->content), JSON_STR))
        text = json_opened(c->arena, e->content)->s;
    else
        TRY(working_value_text(c, json_opened(c->arena, e->content), &text));
    do {
        TRY(working_store_put(c, l->scope, key, text, working_kind_of(key)->ttl_s, !l->overwrite || l->archived, &w));
        TRY(working_made_room(c, &w, &again));
    } while (again);
    TRY(working_written(c, key, &w, &stored));
    l->out->loaded += stored.stored;
    l->out->kept += !stored.stored && !l->archived;
    return ERR_OK;
}

static err load_names(struct ctx *c, const struct loading *l, const char *prefix)
{
    struct entry_filter f = {.entry_type = -1, .memory_type = MEMORY_WORKING, .prefix = prefix, .limit = 100,
                             .include_archived = l->archived};
    struct page page;

    do {
        TRY(entry_list(c, l->context, &f, &page));
        for (size_t i = 0; i < page.n; i++)
            TRY(working_persist_load_entry(c, l, &((const struct entry *)page.items)[i]));
        f.cursor = page.next_cursor;
    } while (page.has_more);
    return ERR_OK;
}

err working_load(struct ctx *c, const struct working_scope *s, bool overwrite, struct working_loaded *out)
{
    struct loading l = {.scope = s, .scope_text = working_scope_text(c->arena, s), .overwrite = overwrite, .out = out};
    struct context x;

    *out = (struct working_loaded){0};
    TRY(working_enter(c, s, ACCESS_WRITE));
    TRY(context_ensure(c, s->agent_id, CONTEXT_WORKING, &x));
    l.context = x.context_id;
    for (int nth = 0; nth < 2; nth++) {
        l.archived = nth == 1;
        TRY(load_names(c, &l, arena_printf(c->arena, NAME "%s:", l.scope_text)));
        if (strlen(NAME ":") + strlen(l.scope_text) + WORKING_KEY > ENTRY_KEY)
            TRY(load_names(c, &l, HASHED));
    }
    return ERR_OK;
}
