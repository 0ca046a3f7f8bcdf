/* Messages are brought into one form before they are kept; see working_message.h. */
#include "working_message.h"

#include <string.h>

#include "clock.h"

err working_message_json(struct ctx *c, const char *pointer, const struct working_message *m, const struct json **out)
{
    struct json *o = json_obj(c->arena);
    size_t points = m->role ? str_code_points(m->role, strlen(m->role)) : 0;

    if (points == 0 || points > WORKING_ROLE)
        return fail_field(c, arena_printf(c->arena, "%s/role", pointer), "role must be 1 to %d characters long", WORKING_ROLE);
    if (!m->content || json_is(m->content, JSON_NULL))
        return fail_field(c, arena_printf(c->arena, "%s/content", pointer), "a message needs content");
    json_set_str(c->arena, o, "role", m->role);
    json_set(c->arena, o, "content", json_raw(c->arena, json_text(c->arena, m->content)));
    json_set_str(c->arena, o, "timestamp", instant_text(m->timestamp.us ? m->timestamp : c->now, arena_alloc(c->arena, INSTANT_TEXT)));
    *out = o;
    return ERR_OK;
}

static err working_message_read_message(struct ctx *c, const char *pointer, const struct json *j, const struct json **out)
{
    struct working_message m = {.role = json_get_str(j, "role"), .content = json_get(j, "content")};
    const struct json *when = json_get(j, "timestamp");

    if (!json_is(j, JSON_OBJ))
        return fail_field(c, pointer, "a message must be an object {role, content, timestamp}");
    for (const struct json *f = j->first; f; f = f->next)
        if (!str_eq(f->key, "role") && !str_eq(f->key, "content") && !str_eq(f->key, "timestamp"))
            return fail_field(c, arena_printf(c->arena, "%s/%s", pointer, f->key), "unknown field '%s'", f->key);
    if (when && !(json_is(when, JSON_STR) && instant_parse(when->s, &m.timestamp)))
        return fail_field(c, arena_printf(c->arena, "%s/timestamp", pointer), "timestamp must be a time such as 2026-11-18T09:30:00Z");
    return working_message_json(c, pointer, &m, out);
}

err working_messages_check(struct ctx *c, const struct json **value)
{
    struct json *kept = json_arr(c->arena);
    size_t surplus, i = 0;

    if (!json_is(*value, JSON_ARR))
        return fail_field(c, "/value", "conversation_context must be a list of messages {role, content, timestamp}");
    surplus = (*value)->len > WORKING_MESSAGES ? (*value)->len - WORKING_MESSAGES : 0;
    for (const struct json *j = (*value)->first; j; j = j->next, i++) {
        const struct json *m = NULL;

        TRY(working_message_read_message(c, arena_printf(c->arena, "/value/%zu", i), j, &m));
        if (i >= surplus)
            json_push(kept, json_raw(c->arena, json_text(c->arena, m)));
    }
    *value = kept;
    return ERR_OK;
}
