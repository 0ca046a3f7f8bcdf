/* One who waits for events: from its request to its end; see listen.h. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "access.h"
#include "answer.h"
#include "api.h"
#include "api_args.h"
#include "call.h"
#include "listen_impl.h"
#include "serve.h"

#define BEAT_US (20 * SECOND_US)
#define LOOK_US (5 * SECOND_US) /* where nobody hears of changes of access */
#define ASK_AGAIN_US SECOND_US
#define ASKED_S 5 /* for one look */

/* ---- its exchange */

static const char *param(struct exchange *x, const char *name)
{
    const struct listener *p = x->carrier;

    for (const struct fcgi_pair *one = p->params; one; one = one->next)
        if (strcmp(one->name, name) == 0)
            return one->value;
    return NULL;
}

static ssize_t no_body(struct exchange *x, char *buf, size_t n)
{
    (void)x;
    (void)buf;
    (void)n;
    return 0;
}

static bool to_wire(struct exchange *x, const char *text, size_t n)
{
    struct listener *p = x->carrier;

    fcgi_wire_write(&p->wire, text, n);
    return true;
}

static const struct exchange_io IO = {param, no_body, to_wire, NULL};

void listener_flush(struct listener *p)
{
    struct fcgi_wire *w = &p->wire;

    while (w->sent < w->n_out) {
        ssize_t n = send(p->fd, w->out + w->sent, w->n_out - w->sent, MSG_DONTWAIT | MSG_NOSIGNAL);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return;
        if (n <= 0) {
            p->phase = LISTENER_ENDING;
            break;
        }
        w->sent += (size_t)n;
    }
    w->n_out = w->sent = 0;
}

static void listener_end(struct listener *p)
{
    fcgi_wire_end(&p->wire);
    p->phase = LISTENER_ENDING;
}

static void listener_say(struct listener *p, const char *text)
{
    fcgi_wire_write(&p->wire, text, strlen(text));
    p->beat_us = clock_monotonic_us() + BEAT_US;
}

/* ---- letting in */

static void keep_filter(struct listener *p, const struct event_wish *w)
{
    p->wish = *w;
    p->wish.kinds.v = ARENA_ARRAY(p->arena, const char *, w->kinds.n + 1);
    for (size_t i = 0; i < w->kinds.n; i++)
        p->wish.kinds.v[i] = arena_strdup(p->arena, w->kinds.v[i]);
    p->wish.spaces.v = ARENA_ARRAY(p->arena, struct uuid, w->spaces.n + 1);
    for (size_t i = 0; i < w->spaces.n; i++)
        p->wish.spaces.v[i] = w->spaces.v[i];
}

static err listener_let_in(struct ctx *c, struct listener *p, const struct event_wish *w, int64_t newest)
{
    p->holder = uuid_is_nil(c->who->token_id) ? c->who->id : c->who->token_id;
    TRY(listen_room(c, p->of, c->account_id, p->holder));
    keep_filter(p, w);
    listen_join(p, c->account_id, newest);
    return ERR_OK;
}

/* ---- streams */

static bool wants_stream(struct exchange *x)
{
    const char *accept = exchange_header(x, "Accept");

    return strcmp(x->method, "GET") == 0 && accept && strstr(accept, "text/event-stream");
}

/* Where it goes on; *known: it said so, and the number is one that there was. */
static int64_t begin_at(struct exchange *x, const struct event_wish *w, int64_t oldest, int64_t newest, bool *known)
{
    const char *last = exchange_header(x, "Last-Event-ID");
    int64_t at = w->after;

    *known = true;
    if (last && !str_to_i64(last, &at))
        *known = false;
    else if (at < 0)
        at = newest;
    *known = *known && at <= newest && at >= oldest - 1;
    return *known ? at : newest;
}

void listener_reset(struct listener *p, int64_t newest)
{
    char text[160];

    p->at = newest;
    snprintf(text, sizeof text, "event: reset\nid: %lld\ndata: {\"reason\":\"gone\",\"newest_id\":%lld}\n\n", (long long)newest,
             (long long)newest);
    listener_say(p, text);
}

static err stream(struct ctx *c, struct exchange *x, struct listener *p, const struct event_wish *w)
{
    int64_t oldest, newest;
    bool known;

    TRY(event_filter_check(c, &w->filter));
    TRY(event_bounds(c, &oldest, &newest));
    p->looked_us = clock_monotonic_us();
    TRY(listener_let_in(c, p, w, newest));
    p->at = begin_at(x, w, oldest, newest, &known);
    exchange_set(x, "Content-Type", "text/event-stream");
    exchange_set(x, "X-Accel-Buffering", "no");
    answer_common(c, x);
    p->phase = LISTENER_STREAM;
    if (!exchange_stream(x, "", 0))
        return ERR_OK;
    listener_say(p, arena_printf(c->arena, "retry: 2000\nid: %lld\n\n", (long long)p->at));
    if (!known)
        listener_reset(p, newest);
    return ERR_OK;
}

/* ---- long polls */

static err poll_once(struct ctx *c, struct exchange *x, struct listener *p, const struct op *op, struct event_wish *w)
{
    struct event_answer out;

    if (p->account)
        w->after = p->at;
    TRY(event_list(c, w, &out));
    if (!p->account)
        TRY(listener_let_in(c, p, w, out.newest_id));
    p->at = out.last_id;
    if (out.events.n || out.reset || p->is_over || !w->wait) {
        answer_data(x, 200, field_encode(c->arena, op->out, &out), NULL);
        return ERR_OK;
    }
    if (p->phase == LISTENER_ASKING)
        p->until_us = clock_monotonic_us() + w->wait * SECOND_US;
    p->phase = LISTENER_WAITING;
    x->is_later = true;
    return ERR_OK;
}

/* ---- its request */

static err listener_begin(struct ctx *c, struct exchange *x, const struct op *op)
{
    struct event_wish *w = ARENA_NEW(c->arena, struct event_wish);
    struct listener *p = x->carrier;
    struct json *args;
    struct bytes body;

    p->moment = access_moment(c->app);
    TRY(p->account ? api_authenticate_again(c, x) : api_authenticate(c, x));
    TRY(call_permit(c, op));
    TRY(api_args(c, x, op, &args, &body));
    TRY(field_decode(c, op->in, args, w, false));
    return wants_stream(x) ? stream(c, x, p, w) : poll_once(c, x, p, op, w);
}

void listener_route(struct ctx *c, struct exchange *x, const struct route *r)
{
    err e = listener_begin(c, x, r->target);

    if (e != ERR_OK)
        answer_problem(c, x, e);
}

void listener_serve(struct listener *p, struct ctx *c)
{
    struct exchange x;

    exchange_begin(&x, c->arena, &IO, p);
    serve(c, p->of->routes, &x);
    if (p->phase != LISTENER_STREAM && !x.is_later)
        listener_end(p);
    listener_flush(p);
}

/* ---- afterwards */

/* Is it still let in? Then c is its context. One that may not listen any more is ended; where nobody can tell it waits. */
static bool listener_look(struct listener *p, struct ctx *c, int64_t now_us)
{
    struct exchange x;
    err e;

    ctx_begin(c, ASKED_S);
    c->request_id = "listener";
    exchange_begin(&x, c->arena, &IO, p);
    p->looked_us = now_us;
    p->moment = access_moment(c->app);
    e = api_authenticate_again(c, &x);
    if (e == ERR_OK && !permissions_have(c->who->perms, p->of->setup.op->perm))
        e = ERR_FORBIDDEN;
    if (e == ERR_UNAUTHORIZED || e == ERR_FORBIDDEN)
        listener_end(p);
    else if (e != ERR_OK)
        p->not_before_us = now_us + ASK_AGAIN_US;
    return e == ERR_OK;
}

static void listener_tell(struct listener *p, struct ctx *c, const struct event *e)
{
    if (event_matches(&p->wish.filter, e->kind, e->space_id) && event_audible(c, e->kind, e->space_id))
        listener_say(p, arena_printf(c->arena, "id: %lld\nevent: %s\ndata: %s\n\n", (long long)e->id, e->kind, e->text));
    p->at = e->id;
}

static bool listener_is_full(const struct listener *p)
{
    return p->wire.n_out - p->wire.sent > LISTEN_BACKLOG_BYTES;
}

void listener_hear(struct listener *p, struct ctx *c, const struct event_page *page)
{
    if (listener_look(p, c, clock_monotonic_us()))
        for (size_t i = 0; i < page->n && !listener_is_full(p); i++)
            if (page->rows[i].id > p->at)
                listener_tell(p, c, &page->rows[i]);
    arena_reset(c->arena);
    listener_flush(p);
}

bool listener_is_behind(const struct listener *p, int64_t now_us)
{
    return p->account && (p->phase == LISTENER_STREAM || p->phase == LISTENER_WAITING) && p->at < p->account->newest &&
           p->not_before_us <= now_us && !listener_is_full(p);
}

static void stream_tick(struct listener *p, struct ctx *c, int64_t now_us)
{
    uint64_t moment = p->of->moment;
    bool changed = moment ? moment != p->moment : now_us - p->looked_us > LOOK_US;

    if ((changed || now_us > p->beat_us) && p->not_before_us <= now_us) {
        listener_look(p, c, now_us);
        arena_reset(c->arena);
    }
    if (p->phase != LISTENER_STREAM || now_us <= p->beat_us)
        return;
    if (listener_is_full(p)) /* it has read nothing for twenty seconds */
        p->phase = LISTENER_ENDING;
    else
        listener_say(p, arena_printf(c->arena, ": still here\nid: %lld\n\n", (long long)p->at));
    arena_reset(c->arena);
}

void listener_stop(struct listener *p, struct ctx *c)
{
    if (p->phase == LISTENER_STREAM) {
        listener_end(p);
        listener_flush(p);
    } else if (p->phase == LISTENER_WAITING) {
        p->is_over = true;
        listener_serve(p, c);
    }
}

void listener_tick(struct listener *p, struct ctx *c, int64_t now_us)
{
    if (p->phase == LISTENER_STREAM) {
        stream_tick(p, c, now_us);
        listener_flush(p);
    } else if (p->phase == LISTENER_WAITING && now_us >= p->until_us) {
        p->is_over = true;
        listener_serve(p, c);
    } else if (p->phase == LISTENER_ASKING && now_us >= p->until_us) {
        p->phase = LISTENER_ENDING;
    }
}
