/* Reading events, and who may hear which; see event.h. */
#include "event.h"

#include <string.h>

#include "access.h"
#include "event_store.h"
#include "principal.h"

/* What a listener needs besides memory.read, and which members of what was written with the change he is told: NULL none, "*"
 * all. Of everything else he hears kind, subject, space and time, and reads the rest where he may. */
static const struct rule {
    const char *prefix;
    enum permission perm;
    const char *members;
} RULES[] = {
    { "memory_pool_key_write", PERM_MEMORY_READ, "pool_id key version writer_agent_id is_bulletin deleted timestamp" },
    { "memory_pool_update", PERM_MEMORY_READ, "pool_id version" },
    { "context_pool_update", PERM_MEMORY_READ, "workflow_run_id pool_id version" },
    { "fact.superseded", PERM_MEMORY_READ, "superseded_by" },
    { "memory.consolidated", PERM_MEMORY_READ, "agent_id" },
    { "job.", PERM_JOBS_READ, "*" },
    { "escalation.", PERM_OVERSIGHT_READ, NULL },
    { "trust.", PERM_OVERSIGHT_READ, NULL },
    { "goal.", PERM_OVERSIGHT_READ, NULL },
    { "observation.", PERM_OVERSIGHT_READ, NULL },
    { "proposal.", PERM_OVERSIGHT_READ, NULL },
    { "recommendation.", PERM_OVERSIGHT_READ, NULL },
    { "intervention_policy.", PERM_OVERSIGHT_READ, NULL },
    { "feedback.", PERM_OVERSIGHT_READ, NULL },
    { "notification.", PERM_OVERSIGHT_READ, "user_id severity" },
    { "webhook.", PERM_ACCOUNT_MANAGE, "*" },
    { "model.", PERM_MEMORY_READ, NULL },
};

static const struct rule *event_rule_of(const char *kind)
{
    for (size_t i = 0; i < sizeof RULES / sizeof *RULES; i++)
        if (str_starts(kind, RULES[i].prefix))
            return &RULES[i];
    return NULL;
}

/* What concerns no space and has no rule is for those who may read the whole trail. */
bool event_audible(const struct ctx *c, const char *kind, struct uuid space_id)
{
    const struct rule *r = event_rule_of(kind);
    bool of_account = uuid_is_nil(space_id);
    enum permission perm = r ? r->perm : of_account ? PERM_AUDIT_READ : PERM_MEMORY_READ;

    return c->who && permissions_have(c->who->perms, perm) && (of_account || access_may_read(c, space_id));
}

/* ---- filters */

static bool kind_matches(const char *pattern, const char *kind)
{
    size_t n = strlen(pattern);

    if (n && pattern[n - 1] == '*')
        return strncmp(pattern, kind, n - 1) == 0;
    return strcmp(pattern, kind) == 0;
}

bool event_matches(const struct event_filter *f, const char *kind, struct uuid space_id)
{
    bool kind_ok = !f->kinds.n, space_ok = !f->spaces.n;

    for (size_t i = 0; i < f->kinds.n && !kind_ok; i++)
        kind_ok = kind_matches(f->kinds.v[i], kind);
    for (size_t i = 0; i < f->spaces.n && !space_ok; i++)
        space_ok = uuid_eq(f->spaces.v[i], space_id);
    return kind_ok && space_ok;
}

static bool is_kind(const char *s)
{
    size_t n = strlen(s), plain = strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789_.");

    return n && n <= LIMIT_EVENT_KIND && (plain == n || (plain == n - 1 && s[plain] == '*'));
}

err event_filter_check(struct ctx *c, const struct event_filter *f)
{
    for (size_t i = 0; i < f->kinds.n; i++)
        if (!is_kind(f->kinds.v[i]))
            return fail_field(c, arena_printf(c->arena, "/kinds/%zu", i),
                              "a kind must be 1 to %d of a-z, 0-9, '_' and '.', and may end with '*'", LIMIT_EVENT_KIND);
    for (size_t i = 0; i < f->spaces.n; i++)
        TRY(access_require(c, f->spaces.v[i], ACCESS_READ));
    return ERR_OK;
}

/* ---- their text */

static bool event_is_among(const char *words, const char *word)
{
    size_t n = strlen(word), len;

    for (const char *p = words; *p; p += len + (p[len] == ' ')) {
        len = strcspn(p, " ");
        if (len == n && memcmp(p, word, n) == 0)
            return true;
    }
    return false;
}

static const struct json *event_payload_of(struct ctx *c, const char *kind, const char *raw)
{
    const struct rule *r = event_rule_of(kind);
    struct json *out = json_obj(c->arena);
    const struct json *all = r && r->members && raw ? json_opened(c->arena, json_raw(c->arena, raw)) : NULL;

    for (const struct json *m = all ? all->first : NULL; m; m = m->next)
        if (strcmp(r->members, "*") == 0 || event_is_among(r->members, m->key))
            json_set(c->arena, out, m->key, arena_memdup(c->arena, m, sizeof *m));
    return out;
}

static void event_set_id(struct ctx *c, struct json *j, const char *key, struct uuid id)
{
    json_set_str(c->arena, j, key, uuid_is_nil(id) ? NULL : arena_strdup(c->arena, UUID_STR(id)));
}

void event_tell(struct ctx *c, struct event *e, const char *raw)
{
    struct json *j = json_obj(c->arena);

    if (str_empty(e->subject_kind))
        e->subject_kind = NULL;
    e->payload = event_payload_of(c, e->kind, raw);
    json_set_int(c->arena, j, "id", e->id);
    event_set_id(c, j, "event_id", e->event_id);
    json_set_str(c->arena, j, "kind", e->kind);
    json_set_str(c->arena, j, "at", arena_strdup(c->arena, instant_text(e->at, (char[INSTANT_TEXT]){0})));
    json_set_str(c->arena, j, "subject_kind", e->subject_kind);
    event_set_id(c, j, "subject_id", e->subject_id);
    event_set_id(c, j, "space_id", e->space_id);
    json_set(c->arena, j, "payload", arena_memdup(c->arena, e->payload, sizeof *e->payload));
    e->text = json_text(c->arena, j);
}

static void get_id(const struct json *j, const char *key, struct uuid *out)
{
    const char *text = json_get_str(j, key);

    if (!text || !uuid_parse(text, out))
        *out = (struct uuid){{0}};
}

err event_open(struct ctx *c, struct event *e)
{
    const char *why, *at;
    struct json *j;

    if (e->payload)
        return ERR_OK;
    if (json_parse(c->arena, e->text, strlen(e->text), &j, &why) != JSON_OK)
        return fail(c, ERR_INTERNAL, "an event in Redis cannot be read: %s", why);
    at = json_get_str(j, "at");
    get_id(j, "event_id", &e->event_id);
    get_id(j, "subject_id", &e->subject_id);
    if (at && !instant_parse(at, &e->at))
        e->at = (struct instant){0};
    e->subject_kind = json_get_str(j, "subject_kind");
    e->payload = json_get(j, "payload");
    if (!e->payload)
        e->payload = json_obj(c->arena);
    return ERR_OK;
}

/* ---- reading */

err event_bounds(struct ctx *c, int64_t *oldest, int64_t *newest)
{
    return event_store_bounds(c, oldest, newest);
}

err event_listen(struct ctx *c)
{
    return event_redis_listen(c);
}

/* Redis first. Where it is away, has dropped what is asked for, or lost what must be there, the tables have it. */
err event_read(struct ctx *c, int64_t after, int64_t newest, size_t max, struct event_page *out)
{
    struct fault before = c->fault;

    *out = (struct event_page){0};
    if (event_redis_read(c, after, max, &out->rows, &out->n) != ERR_OK) {
        c->fault = before;
        out->n = 0;
    }
    if (out->n && out->rows[0].id == after + 1)
        return ERR_OK;
    if (!out->n && after >= newest)
        return ERR_OK;
    return event_store_read(c, after, max, out);
}

/* ---- for callers */

#define PAGES_LOOKED_AT 10

/* Takes of a page what the caller hears, at most what is left of his limit. */
static err event_take(struct ctx *c, const struct event_wish *w, const struct event_page *page, struct event_answer *out)
{
    struct event *events = out->events.v;

    for (size_t i = 0; i < page->n && (int64_t)out->events.n < w->limit; i++) {
        struct event *e = &page->rows[i];

        out->last_id = e->id;
        if (!event_matches(&w->filter, e->kind, e->space_id) || !event_audible(c, e->kind, e->space_id))
            continue;
        TRY(event_open(c, e));
        events[out->events.n++] = *e;
    }
    return ERR_OK;
}

err event_list(struct ctx *c, const struct event_wish *w, struct event_answer *out)
{
    struct event_page page;

    TRY(event_filter_check(c, &w->filter));
    *out = (struct event_answer){.events.v = ARENA_ARRAY(c->arena, struct event, (size_t)w->limit + 1)};
    TRY(event_bounds(c, &out->oldest_id, &out->newest_id));
    out->last_id = w->after < 0 ? out->newest_id : w->after;
    out->reset = out->last_id > out->newest_id || out->last_id < out->oldest_id - 1;
    for (int i = 0; i < PAGES_LOOKED_AT && !out->reset && (int64_t)out->events.n < w->limit && out->last_id < out->newest_id; i++) {
        TRY(event_read(c, out->last_id, out->newest_id, EVENT_PAGE, &page));
        out->reset = page.gone && !out->events.n;
        if (!page.n)
            break;
        TRY(event_take(c, w, &page, out));
    }
    if (out->reset)
        out->last_id = out->newest_id;
    return ERR_OK;
}
