/* Working memory by key; see working.h. */
#include "working.h"

#include <stdlib.h>
#include <string.h>

#include "subject.h"
#include "working_kind.h"
#include "working_message.h"
#include "working_persist.h"
#include "working_store.h"
#include "working_write.h"

/* ---- scopes and keys */

static void working_add_part(struct buf *b, char letter, const char *id)
{
    if (!id)
        return;
    buf_printf(b, ":%c:", letter);
    for (; *id; id++)
        if (*id == ':')
            buf_puts(b, "%3A");
        else
            buf_putc(b, *id);
}

const char *working_scope_text(struct arena *a, const struct working_scope *s)
{
    struct buf b;

    buf_init(&b, a, 64);
    buf_printf(&b, "a:%s", UUID_STR(s->agent_id));
    working_add_part(&b, 's', s->session_id);
    working_add_part(&b, 'r', s->run_id);
    working_add_part(&b, 't', s->task_id);
    return buf_str(&b);
}

/* The part at *at, which is moved behind it; NULL: it has another letter. */
static const char *read_part(struct arena *a, const char **at, char letter)
{
    const char *p = *at;
    struct buf b;

    if (p[0] != ':' || p[1] != letter || p[2] != ':')
        return NULL;
    buf_init(&b, a, 64);
    for (p += 3; *p && *p != ':'; p++)
        if (strncmp(p, "%3A", 3) == 0) {
            buf_putc(&b, ':');
            p += 2;
        } else {
            buf_putc(&b, *p);
        }
    *at = p;
    return buf_str(&b);
}

bool working_scope_read(struct arena *a, const char *text, struct working_scope *out)
{
    const char *at = text + 2 + UUID_TEXT - 1;

    *out = (struct working_scope){0};
    if (strncmp(text, "a:", 2) != 0 || strlen(text) < 2 + UUID_TEXT - 1 || !uuid_parse(arena_strndup(a, text + 2, UUID_TEXT - 1),
                                                                                       &out->agent_id))
        return false;
    out->session_id = read_part(a, &at, 's');
    out->run_id = read_part(a, &at, 'r');
    out->task_id = read_part(a, &at, 't');
    return !*at;
}

static bool is_id(const char *s)
{
    size_t n = strlen(s);

    return n >= 1 && n <= WORKING_ID &&
           strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:-") == n;
}

static err check_id(struct ctx *c, const char *pointer, const char *id)
{
    return !id || is_id(id) ? ERR_OK : fail_field(c, pointer, "%s must be 1 to %d of A-Z a-z 0-9 . _ : -", pointer + 1, WORKING_ID);
}

err working_enter(struct ctx *c, const struct working_scope *s, enum access_level level)
{
    TRY(check_id(c, "/session_id", s->session_id));
    TRY(check_id(c, "/run_id", s->run_id));
    TRY(check_id(c, "/task_id", s->task_id));
    return subject_require(c, s->agent_id, level);
}

err working_check_key(struct ctx *c, const char *key)
{
    size_t n = strlen(key);

    if (n < 1 || n > WORKING_KEY)
        return fail_field(c, "/key", "a key must be 1 to %d bytes long", WORKING_KEY);
    if (str_starts(key, "__"))
        return fail_field(c, "/key", "a key must not begin with two underscores");
    for (const unsigned char *p = (const unsigned char *)key; *p; p++)
        if (*p < 0x20 || *p == 0x7f || (*p == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0))
            return fail_field(c, "/key", "a key must not contain control characters");
    return ERR_OK;
}

/* ---- writing */

static err check_own_key(struct ctx *c, const char *key)
{
    TRY(working_check_key(c, key));
    return str_starts(key, WORKING_SHARED)
               ? fail_field(c, "/key", "keys that begin with " WORKING_SHARED " are written by sharing")
               : ERR_OK;
}

static err check_ttl(struct ctx *c, int64_t ttl_s)
{
    return ttl_s >= 0 && ttl_s <= WORKING_TTL_MAX ? ERR_OK : fail_field(c, "/ttl", "ttl must be 1 to %d seconds", WORKING_TTL_MAX);
}

/* Items of a list stand one to a line: then a message is pushed without reading the others. */
static const char *value_text(struct ctx *c, const struct json *value)
{
    struct buf b;

    if (!json_is(value, JSON_ARR))
        return json_text(c->arena, value);
    buf_init(&b, c->arena, 1024);
    buf_putc(&b, '[');
    for (const struct json *j = value->first; j; j = j->next) {
        json_write(&b, j, false);
        if (j->next)
            buf_puts(&b, ",\n");
    }
    buf_putc(&b, ']');
    return buf_str(&b);
}

err working_value_text(struct ctx *c, const struct json *value, const char **out)
{
    *out = value_text(c, value);
    return strlen(*out) <= WORKING_VALUE ? ERR_OK : fail_field(c, "/value", "a value can have at most %d bytes of JSON", WORKING_VALUE);
}

err working_written(struct ctx *c, const char *key, const struct working_written *w, struct working_stored *out)
{
    switch (w->word) {
    case WORKING_FULL_KEYS:
        return fail_reason(c, ERR_CONFLICT, "quota_exceeded", "too many keys in this scope; remove some first");
    case WORKING_FULL_BYTES:
        return fail_reason(c, ERR_CONFLICT, "quota_exceeded", "too many bytes in this scope; remove some keys first");
    case WORKING_FULL_SCOPES:
        return fail_reason(c, ERR_CONFLICT, "quota_exceeded", "the agent has %d scopes; clear one first", WORKING_SCOPES);
    case WORKING_NOT_THAT:
        return fail(c, ERR_CONFLICT, "'%s' is neither a list of messages nor a text; cannot append", key);
    case WORKING_OK:
    case WORKING_EXISTS:
        break;
    }
    *out = (struct working_stored){ .key = key, .stored = w->word == WORKING_OK, .expires_at = { w->expires_ms * 1000 },
                                    .ttl_s = (w->left_ms + 500) / 1000, .size_bytes = w->size_bytes };
    return ERR_OK;
}

err working_store(struct ctx *c, const struct working_scope *s, const struct working_new *in, struct working_stored *out)
{
    const struct working_kind *kind = working_kind_of(in->key);
    const struct json *value = in->value;
    struct working_written w;
    const char *text;
    bool again;

    TRY(working_enter(c, s, ACCESS_WRITE));
    TRY(check_own_key(c, in->key));
    TRY(check_ttl(c, in->ttl_s));
    if (kind->check)
        TRY(kind->check(c, &value));
    TRY(working_value_text(c, value, &text));
    do {
        TRY(working_store_put(c, s, in->key, text, in->ttl_s ? in->ttl_s : kind->ttl_s, in->if_absent, &w));
        TRY(working_made_room(c, &w, &again));
    } while (again);
    return working_written(c, in->key, &w, out);
}

static err working_push(struct ctx *c, const struct working_scope *s, const struct working_addition *a, struct working_written *w)
{
    const struct json *item;

    TRY(working_message_json(c, "/message", a->message, &item));
    return working_store_push(c, s, a->key, json_text(c->arena, item), working_kind_of(a->key)->ttl_s, w);
}

static err working_add_text(struct ctx *c, const struct working_scope *s, const struct working_addition *a, struct working_written *w)
{
    const char *item = json_text(c->arena, json_str(c->arena, a->text));

    if (strlen(item) > WORKING_PAD)
        return fail_field(c, "/text", "a text can have at most %d bytes", WORKING_PAD);
    return working_store_add_text(c, s, a->key, item, working_kind_of(a->key)->ttl_s, w);
}

err working_append(struct ctx *c, const struct working_scope *s, const struct working_addition *a, struct working_stored *out)
{
    struct working_written w;
    bool again;

    TRY(working_enter(c, s, ACCESS_WRITE));
    TRY(check_own_key(c, a->key));
    if (!a->message == !a->text)
        return fail_field(c, "/message", "give either message or text");
    do {
        TRY(a->message ? working_push(c, s, a, &w) : working_add_text(c, s, a, &w));
        TRY(working_made_room(c, &w, &again));
    } while (again);
    return working_written(c, a->key, &w, out);
}

err working_remove(struct ctx *c, const struct working_scope *s, const char *key, bool *was_there)
{
    TRY(working_enter(c, s, ACCESS_WRITE));
    return working_store_remove(c, s, key, was_there);
}

err working_clear(struct ctx *c, const struct working_scope *s, bool bare, int64_t *n)
{
    TRY(working_enter(c, s, ACCESS_WRITE));
    if (!s->session_id && !s->run_id && !s->task_id && !bare)
        return fail_field(c, "/all", "give a session, run or task, or all=true");
    return working_store_clear(c, s, n);
}

/* ---- reading */

err working_find(struct ctx *c, const struct working_scope *s, const char *key, const struct json **value)
{
    const char *text;

    TRY(working_enter(c, s, ACCESS_READ));
    TRY(working_store_get(c, s, key, &text));
    *value = text ? json_raw(c->arena, text) : NULL;
    return ERR_OK;
}

err working_retrieve(struct ctx *c, const struct working_scope *s, const char *key, const struct json **value)
{
    TRY(working_find(c, s, key, value));
    return *value ? ERR_OK : fail(c, ERR_NOT_FOUND, "no value under this key");
}

static int working_by_bytes(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

err working_keys(struct ctx *c, const struct working_scope *s, const char *prefix, struct strs *out)
{
    size_t n = 0;

    TRY(working_enter(c, s, ACCESS_READ));
    TRY(working_store_keys(c, s, out));
    for (size_t i = 0; i < out->n; i++)
        if (!prefix || str_starts(out->v[i], prefix))
            out->v[n++] = out->v[i];
    out->n = n;
    qsort(out->v, n, sizeof *out->v, working_by_bytes);
    return ERR_OK;
}

err working_all(struct ctx *c, const struct working_scope *s, const char *prefix, struct strs *keys,
                const struct json **values)
{
    struct json *map = json_obj(c->arena);
    const char **texts;
    size_t n = 0;

    TRY(working_keys(c, s, prefix, keys));
    TRY(working_store_values(c, s, *keys, &texts));
    for (size_t i = 0; i < keys->n; i++)
        if (texts[i]) {
            json_set(c->arena, map, keys->v[i], json_raw(c->arena, texts[i]));
            keys->v[n++] = keys->v[i];
        }
    keys->n = n;
    *values = map;
    return ERR_OK;
}

err working_statistics(struct ctx *c, const struct working_scope *s, struct working_stats *out)
{
    *out = (struct working_stats){ .context_id = working_scope_text(c->arena, s), .agent_id = s->agent_id,
                                   .task_id = s->task_id, .workflow_run_id = s->run_id };
    TRY(working_enter(c, s, ACCESS_READ));
    return working_store_stats(c, s, &out->key_count, &out->total_size_bytes);
}
