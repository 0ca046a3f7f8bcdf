/* Memories in JSON: lists of mem0, conversations of ChatGPT and Claude; see memories.h. */
#include <stdlib.h>
#include <string.h>

#include "memories.h"

ENUMX_DEFINE(memories_format, MEMORIES_FORMAT);

static struct memory_in *memories_json_add(struct ctx *c, struct memories *m)
{
    if (!m->v)
        m->v = ARENA_ARRAY(c->arena, struct memory_in, MEMORIES_MAX);
    if (m->n == MEMORIES_MAX)
        return NULL;
    m->v[m->n] = (struct memory_in){.attrs = json_obj(c->arena)};
    return &m->v[m->n++];
}

static err too_many(struct ctx *c)
{
    return fail(c, ERR_TOO_LARGE, "a file may contain at most %d memories; split it", MEMORIES_MAX);
}

static struct json *memories_json_copy(struct ctx *c, const struct json *j)
{
    return json_raw(c->arena, json_text(c->arena, j)); /* a tree has one parent */
}

/* Seconds since 1970 as a number, or RFC 3339 as a text. */
static struct instant memories_json_read_time(const struct json *j)
{
    struct instant t = {0};

    if (json_is(j, JSON_STR) && !instant_parse(j->s, &t))
        t.us = 0;
    if ((json_is(j, JSON_INT) || json_is(j, JSON_NUM)) && json_number(j) > 0 && json_number(j) < 4e9)
        t.us = (int64_t)(json_number(j) * 1e6);
    return t;
}

/* ---- mem0: {"results": [{"id", "memory", …}]}, or the list alone */

static err read_mem0(struct ctx *c, const struct json *top, struct memories *m)
{
    static const char *const KEPT[] = {"user_id", "agent_id", "run_id", "categories", "metadata"};
    const struct json *list = json_is(top, JSON_ARR) ? top : json_get(top, "results") ? json_get(top, "results") : json_get(top, "memories");

    if (!json_is(list, JSON_ARR))
        return fail(c, ERR_INVALID, "not a list of mem0: {\"results\": [{\"id\", \"memory\"}]}");
    for (const struct json *j = list->first; j; j = j->next) {
        const char *text = json_get_str(j, "memory"), *id = json_get_str(j, "id");
        struct memory_in *one;

        if (str_empty(text) || str_empty(id))
            return fail(c, ERR_INVALID, "entry %zu of the list has no \"id\" or no \"memory\"", m->n + 1);
        one = memories_json_add(c, m);
        if (!one)
            return too_many(c);
        one->key = id;
        one->kind = "note";
        one->body = text;
        one->at = memories_json_read_time(json_get(j, "created_at"));
        for (size_t i = 0; i < sizeof KEPT / sizeof *KEPT; i++)
            if (json_get(j, KEPT[i]) && !json_is(json_get(j, KEPT[i]), JSON_NULL))
                json_set(c->arena, one->attrs, KEPT[i], memories_json_copy(c, json_get(j, KEPT[i])));
    }
    return ERR_OK;
}

/* ---- conversations */

struct said {
    const char *id, *speaker, *text;
    struct instant at;
    size_t nth;
};

static int by_time(const void *a, const void *b)
{
    const struct said *x = a, *y = b;

    if (x->at.us != y->at.us)
        return x->at.us < y->at.us ? -1 : 1;
    return x->nth < y->nth ? -1 : 1;
}

/* The turns of a conversation, in their order, as episodes of one session. */
static err memories_json_add_session(struct ctx *c, struct memories *m, const char *session, const char *title, struct said *v, size_t n)
{
    if (n)
        qsort(v, n, sizeof *v, by_time);
    for (size_t i = 0; i < n; i++) {
        struct memory_in *one = memories_json_add(c, m);

        if (!one)
            return too_many(c);
        one->key = arena_printf(c->arena, "%s/%s", session, v[i].id);
        one->kind = "episode";
        one->title = title;
        one->body = v[i].text;
        one->at = v[i].at;
        json_set_str(c->arena, one->attrs, "session", session);
        json_set_int(c->arena, one->attrs, "seq", (int64_t)i + 1);
        json_set_str(c->arena, one->attrs, "speaker", v[i].speaker);
    }
    return ERR_OK;
}

/* ChatGPT: content.parts, of which the texts count. */
static const char *parts_text(struct ctx *c, const struct json *content)
{
    const struct json *parts = json_get(content, "parts");
    struct buf b;

    buf_init(&b, c->arena, 256);
    for (const struct json *p = json_is(parts, JSON_ARR) ? parts->first : NULL; p; p = p->next)
        if (json_is(p, JSON_STR) && p->len)
            buf_printf(&b, "%s%s", b.len ? "\n" : "", p->s);
    return buf_str(&b);
}

static err read_chatgpt(struct ctx *c, const struct json *conversation, struct memories *m)
{
    const struct json *mapping = json_get(conversation, "mapping");
    const char *session = json_get_str(conversation, "conversation_id");
    struct said *v = ARENA_ARRAY(c->arena, struct said, mapping->len + 1);
    size_t n = 0;

    if (!session)
        session = json_get_str(conversation, "id");
    if (str_empty(session))
        return fail(c, ERR_INVALID, "a conversation has no id");
    for (const struct json *node = mapping->first; node; node = node->next) {
        const struct json *said = json_get(node, "message");
        const char *role = json_get_str(json_get(said, "author"), "role"), *text = parts_text(c, json_get(said, "content"));

        if (str_empty(text) || str_empty(role) || strcmp(role, "system") == 0)
            continue;
        v[n] = (struct said){node->key, role, text, memories_json_read_time(json_get(said, "create_time")), n};
        n++;
    }
    return memories_json_add_session(c, m, session, json_get_str(conversation, "title"), v, n);
}

static err read_claude(struct ctx *c, const struct json *conversation, struct memories *m)
{
    const struct json *list = json_get(conversation, "chat_messages");
    const char *session = json_get_str(conversation, "uuid");
    struct said *v = ARENA_ARRAY(c->arena, struct said, list->len + 1);
    size_t n = 0;

    if (str_empty(session))
        return fail(c, ERR_INVALID, "a conversation has no uuid");
    for (const struct json *j = list->first; j; j = j->next) {
        const char *text = json_get_str(j, "text"), *speaker = json_get_str(j, "sender"), *id = json_get_str(j, "uuid");

        if (str_empty(text) || str_empty(speaker))
            continue;
        v[n] = (struct said){id ? id : arena_printf(c->arena, "%zu", n), speaker, text, memories_json_read_time(json_get(j, "created_at")),
                             n};
        n++;
    }
    return memories_json_add_session(c, m, session, json_get_str(conversation, "name"), v, n);
}

static err read_chat(struct ctx *c, const struct json *top, struct memories *m)
{
    if (!json_is(top, JSON_ARR))
        return fail(c, ERR_INVALID, "not a list of conversations (conversations.json of ChatGPT or Claude)");
    for (const struct json *j = top->first; j; j = j->next) {
        if (json_is(json_get(j, "mapping"), JSON_OBJ))
            TRY(read_chatgpt(c, j, m));
        else if (json_is(json_get(j, "chat_messages"), JSON_ARR))
            TRY(read_claude(c, j, m));
        else
            return fail(c, ERR_INVALID, "a conversation has neither \"mapping\" (ChatGPT) nor \"chat_messages\" (Claude)");
    }
    return ERR_OK;
}

err memories_read_json(struct ctx *c, enum memories_format format, const char *text, size_t n, struct memories *out)
{
    struct json *top;
    const char *why;

    *out = (struct memories){0};
    if (json_parse_large(c->arena, text, n, MEMORIES_VALUES, &top, &why) != JSON_OK)
        return fail(c, ERR_INVALID, "the file is not JSON: %s", why);
    return format == MEMORIES_MEM0 ? read_mem0(c, top, out) : read_chat(c, top, out);
}
