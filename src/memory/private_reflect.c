/* Reflecting: what an agent used most becomes one entry of its long-term memory; see private.h. */
#include <string.h>

#include "long_term.h"
#include "private_impl.h"
#include "private_store.h"
#include "promote.h"

#define VALUE_CHARS 300 /* of each key in the digest */

/* A line for each key, the most used first. */
static const char *digest(struct ctx *c, const struct pool_entry *rows, size_t n)
{
    struct buf b;

    buf_init(&b, c->arena, 1024);
    buf_puts(&b, "Used most:");
    for (size_t i = 0; i < n; i++) {
        const struct json *v = rows[i].value;
        const char *text = v->type == JSON_STR ? v->s : json_text(c->arena, v);

        buf_puts(&b, "\n- ");
        buf_puts(&b, rows[i].key);
        buf_puts(&b, ": ");
        buf_puts(&b, arena_strndup(c->arena, text, str_first_bytes(text, VALUE_CHARS)));
    }
    return buf_str(&b);
}

static const struct json *private_reflect_content_of(struct ctx *c, const char *text, struct strs keys)
{
    struct json *content = json_obj(c->arena), *list = json_arr(c->arena);

    for (size_t i = 0; i < keys.n; i++)
        json_push(list, json_str(c->arena, keys.v[i]));
    json_set_str(c->arena, content, "text", text);
    json_set(c->arena, content, "keys", list);
    return content;
}

static err private_reflect_write_down(struct ctx *c, struct uuid agent_id, const struct pool_entry *rows, size_t n,
                                      struct private_reflected *out)
{
    struct entry_new in = {ENTRY_NEW_DEFAULTS};
    struct entry e;

    out->keys = (struct strs){ARENA_ARRAY(c->arena, const char *, n + 1), n};
    for (size_t i = 0; i < n; i++)
        out->keys.v[i] = rows[i].key;
    out->text = digest(c, rows, n);
    in.entry_type = ENTRY_REFLECTION;
    in.entry_key = arena_printf(c->arena, "reflection:%s", instant_text(c->now, (char[INSTANT_TEXT]){0}));
    in.content = private_reflect_content_of(c, out->text, out->keys);
    TRY(long_term_put(c, agent_id, &in, &e));
    out->written = true;
    out->id = e.id;
    out->entry_key = e.entry_key;
    return ERR_OK;
}

static err reflect(struct ctx *c, struct uuid agent_id, struct private_reflected *out)
{
    struct pool_entry rows[REFLECT_KEYS];
    struct consolidated done;
    struct space pool;
    size_t n;

    TRY(promote_agent(c, agent_id, NULL, &done));
    out->promoted = done.promoted;
    out->duplicates = done.duplicates;
    out->failed = done.failed;
    TRY(private_pool(c, agent_id, &pool));
    TRY(private_store_used(c, pool.id, rows, REFLECT_KEYS, &n));
    return n ? private_reflect_write_down(c, agent_id, rows, n, out) : ERR_OK;
}

err private_reflect(struct ctx *c, struct uuid agent_id, struct private_reflected *out)
{
    struct uuid id;
    int64_t left;
    err e;

    *out = (struct private_reflected){0};
    TRY(subject_or_self(c, agent_id, ACCESS_WRITE, &id));
    TRY(private_store_turn(c, id, &left));
    if (left) {
        e = fail(c, ERR_RATE, "at most one reflection in %d minutes; try again in %lld seconds", REFLECT_SECONDS / 60, (long long)left);
        c->fault.retry_after_s = (int)left;
        return e;
    }
    e = reflect(c, id, out);
    if (e != ERR_OK)
        private_store_give_back(c, id);
    return e;
}
