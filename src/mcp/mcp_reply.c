/* JSON answers, event streams, and questions to the client over HTTP; see mcp_reply.h. */
#include "mcp_reply.h"

#include <string.h>

#include "answer.h"
#include "mcp_mailbox_store.h"

#define ANSWER_WAIT_S 12 /* how long a person or program may take to answer a question */

static void send_event(struct ctx *c, struct exchange *x, struct mcp *m, const struct json *message)
{
    struct buf b;

    if (!m->peer->began) {
        m->peer->began = true;
        x->status = 200;
        exchange_set(x, "Content-Type", "text/event-stream");
        exchange_set(x, "X-Accel-Buffering", "no");
        answer_common(c, x);
    }
    buf_init(&b, c->arena, 256);
    buf_puts(&b, "data: ");
    json_write(&b, message, false);
    buf_puts(&b, "\n\n");
    exchange_stream(x, b.data, b.len);
    exchange_flush(x);
}

static void mcp_reply_notify(struct ctx *c, struct mcp *m, const char *method, struct json *params)
{
    send_event(c, m->peer->carrier, m, mcp_notification(c->arena, method, params));
}

/* The question goes out on the stream of the request it belongs to; its answer comes by a POST of its own, to any process. */
static err mcp_reply_ask(struct ctx *c, struct mcp *m, const char *method, struct json *params, const struct json **result)
{
    const char *id = arena_strdup(c->arena, UUID_STR(uuid_new(c->now.us))), *text, *why;
    struct json *question = mcp_notification(c->arena, method, params), *answer;

    json_set_str(c->arena, question, "id", id);
    TRY(mcp_mailbox_store_open(c, id));
    send_event(c, m->peer->carrier, m, question);
    TRY(mcp_mailbox_store_wait(c, id, ANSWER_WAIT_S, &text));
    if (!text)
        return fail(c, ERR_DEADLINE, "the client did not answer");
    if (json_parse(c->arena, text, strlen(text), &answer, &why) != JSON_OK || !json_get(answer, "result"))
        return fail(c, ERR_UNAVAILABLE, "the client could not answer");
    *result = json_get(answer, "result");
    return ERR_OK;
}

/* Closing the stream is how a client of this transport cancels: a comment line finds out. */
static bool mcp_reply_is_there(struct ctx *c, struct mcp *m)
{
    struct exchange *x = m->peer->carrier;

    (void)c;
    if (m->peer->began) {
        exchange_stream(x, ":\n\n", 3);
        exchange_flush(x);
    }
    return !x->broken;
}

void mcp_reply_prepare(struct ctx *c, struct exchange *x, struct mcp *m)
{
    const char *accept = exchange_header(x, "Accept");

    (void)c;
    if (!accept || !strstr(accept, "text/event-stream") || strcmp(m->method, "tools/call") != 0)
        return;
    if (m->is_modern && !m->progress && !m->log_level)
        return;
    m->peer->notify = mcp_reply_notify;
    m->peer->is_there = mcp_reply_is_there;
    if (!m->is_modern)
        m->peer->ask = mcp_reply_ask;
}

void mcp_reply(struct ctx *c, struct exchange *x, struct mcp *m, struct json *message)
{
    if (m->peer->began) {
        send_event(c, x, m, message);
        return;
    }
    x->status = m->fault.code ? m->fault.http : 200;
    if (!str_empty(m->fault.scope))
        exchange_set(x, "WWW-Authenticate", arena_printf(c->arena, "Bearer realm=\"loci\", error=\"insufficient_scope\", scope=\"%s\"",
                                                         m->fault.scope));
    exchange_set(x, "Content-Type", "application/json");
    json_write(&x->body, message, false);
}

err mcp_reply_take(struct ctx *c, const struct mcp *m)
{
    if (!m->id || m->id->type != JSON_STR)
        return ERR_OK;
    return mcp_mailbox_store_put(c, m->id->s, json_text(c->arena, m->params));
}
