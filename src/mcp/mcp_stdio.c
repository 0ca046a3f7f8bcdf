/* MCP over standard input and output: a message a line, for a client that started this program. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "mcp.h"
#include "mcp_impl.h"

#define TICK_MS 1000
#define PUT_ASIDE 64                   /* messages that came while an answer was awaited */
#define ANSWER_WAIT_MS (5 * 60 * 1000) /* a person is asked */

/* The lines of one client. The session's arena outlives the requests'. */
struct line {
    struct bytes text;
    struct line *next;
};

struct stdio {
    int in, out;
    struct arena *arena; /* of what stays */
    char *pending;       /* bytes that were read and not yet used; cap is max + 1 */
    size_t n, max;
    struct line *aside, **aside_end;
    size_t n_aside;
    const struct json *caps; /* of the client that said initialize */
    bool is_over;
    void (*tick)(struct ctx *c);
};

/* ---- lines */

static void mcp_stdio_write_all(struct stdio *s, const char *p, size_t n)
{
    while (n) {
        ssize_t done = write(s->out, p, n);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0) {
            s->is_over = true;
            return;
        }
        p += done;
        n -= (size_t)done;
    }
}

static void send_line(struct ctx *c, struct stdio *s, const struct json *message)
{
    struct buf b;

    buf_init(&b, c->arena, 1024);
    json_write(&b, message, false);
    buf_putc(&b, '\n');
    mcp_stdio_write_all(s, b.data, b.len);
}

/* What is there up to a line's end, in the arena; false: none is complete. A line that is too long is given as it is, so that
 * it is refused. */
static bool mcp_stdio_take_line(struct stdio *s, struct arena *a, struct bytes *line)
{
    char *end = s->n ? memchr(s->pending, '\n', s->n) : NULL;
    size_t len = end ? (size_t)(end - s->pending) : s->n, used = len + (end != NULL);

    if (!end && s->n < s->max && !(s->is_over && s->n))
        return false;
    *line = (struct bytes){arena_memdup(a, s->pending, len + 1), len};
    s->n -= used;
    memmove(s->pending, s->pending + used, s->n);
    return true;
}

/* More bytes, within that time (-1: however long); false: none came. */
static bool read_more(struct stdio *s, int wait_ms)
{
    struct pollfd p = {.fd = s->in, .events = POLLIN};
    ssize_t n;

    if (s->is_over || poll(&p, 1, wait_ms) <= 0)
        return false;
    n = read(s->in, s->pending + s->n, s->max - s->n);
    if (n < 0 && errno == EINTR)
        return true;
    if (n <= 0)
        s->is_over = true;
    else
        s->n += (size_t)n;
    return true;
}

/* Waits for a line, and looks after the house meanwhile. */
static bool mcp_stdio_next_line(struct ctx *c, struct stdio *s, struct bytes *line)
{
    if (s->aside) {
        *line = s->aside->text;
        s->aside = s->aside->next;
        if (!s->aside)
            s->aside_end = &s->aside;
        s->n_aside--;
        return true;
    }
    for (;;) {
        if (mcp_stdio_take_line(s, c->arena, line))
            return true;
        if (s->is_over)
            return false;
        if (read_more(s, TICK_MS))
            continue;
        ctx_begin(c, TICK_MS / 1000);
        s->tick(c);
        arena_reset(c->arena);
    }
}

/* ---- what is sent besides answers */

static void mcp_stdio_notify(struct ctx *c, struct mcp *m, const char *method, struct json *params)
{
    send_line(c, m->peer->carrier, mcp_notification(c->arena, method, params));
}

static void put_aside(struct stdio *s, struct bytes line)
{
    struct line *l;

    if (s->n_aside == PUT_ASIDE)
        return;
    l = ARENA_NEW(s->arena, struct line);
    l->text = (struct bytes){arena_memdup(s->arena, line.p, line.n + 1), line.n};
    *s->aside_end = l;
    s->aside_end = &l->next;
    s->n_aside++;
}

static bool is_answer_to(struct ctx *c, struct bytes line, const char *id, const struct json **result)
{
    struct mcp m = {0};

    if (mcp_read(c, line, &m) != ERR_OK || !m.is_answer || !json_is(m.id, JSON_STR) || strcmp(m.id->s, id) != 0)
        return false;
    *result = json_get(m.params, "result");
    return true;
}

static err mcp_stdio_ask(struct ctx *c, struct mcp *m, const char *method, struct json *params, const struct json **result)
{
    struct stdio *s = m->peer->carrier;
    const char *id = arena_strdup(c->arena, UUID_STR(uuid_new(c->now.us)));
    struct json *question = mcp_notification(c->arena, method, params);
    int64_t until = clock_monotonic_us() + ANSWER_WAIT_MS * 1000LL;
    struct bytes line;

    json_set_str(c->arena, question, "id", id);
    send_line(c, s, question);
    for (;;) {
        int64_t left = until - clock_monotonic_us();

        if (mcp_stdio_take_line(s, c->arena, &line)) {
            if (is_answer_to(c, line, id, result))
                return *result ? ERR_OK : fail(c, ERR_UNAVAILABLE, "the client could not answer");
            put_aside(s, line);
        } else if (left <= 0 || !read_more(s, (int)(left / 1000) + 1)) {
            return fail(c, ERR_DEADLINE, "the client did not answer");
        }
    }
}

/* ---- messages */

/* What the client said of itself when it began stays true. */
static void remember_client(struct stdio *s, const struct mcp *m)
{
    const struct json *caps = json_get(m->params, "capabilities");
    struct json *kept;
    const char *text, *why;

    if (!str_eq(m->method, "initialize") || !json_is(caps, JSON_OBJ))
        return;
    text = json_text(s->arena, caps);
    if (json_parse(s->arena, text, strlen(text), &kept, &why) == JSON_OK)
        s->caps = kept;
}

static err identify(struct ctx *c, const char *token)
{
    struct rate_state rate = {0};

    return access_by_token(c, token, &rate);
}

static void mcp_stdio_handle(struct ctx *c, struct stdio *s, const char *token, struct bytes line)
{
    struct mcp_peer peer = {.notify = mcp_stdio_notify, .ask = mcp_stdio_ask, .carrier = s};
    struct mcp m = {.peer = &peer};
    err e = mcp_read(c, line, &m);

    if (e == ERR_OK && (m.is_answer || !m.id))
        return; /* a notification, or an answer that came too late */
    if (e == ERR_OK)
        e = identify(c, token);
    if (e == ERR_OK) {
        remember_client(s, &m);
        m.caps = s->caps;
        m.is_modern = mcp_is_modern(&m, NULL);
        if (m.is_modern)
            e = mcp_check_modern(c, &m);
    }
    send_line(c, s, e == ERR_OK ? mcp_answer(c, &m) : mcp_fault_json(c, &m, e));
}

/* Lines put aside must not die with the request: they are in the session's arena, as next_line's own are in the request's. */
int mcp_stdio(struct ctx *c, const char *token, int in, int out, void (*tick)(struct ctx *c))
{
    struct arena *session = request_arena_new();
    struct stdio s = {.in = in, .out = out, .tick = tick, .arena = session, .max = (size_t)c->app->conf->http_max_body};
    struct bytes line;
    int code = 0;

    s.aside_end = &s.aside;
    s.pending = arena_alloc(session, s.max + 1);
    ctx_begin(c, (int)c->app->conf->http_deadline_s);
    c->request_id = c->ip = c->user_agent = "stdio";
    if (identify(c, token) != ERR_OK)
        code = 1;
    while (!code && mcp_stdio_next_line(c, &s, &line)) {
        ctx_begin(c, (int)c->app->conf->http_deadline_s);
        c->request_id = arena_strdup(c->arena, UUID_STR(uuid_new(c->now.us)));
        c->ip = "";
        c->user_agent = "locictl mcp";
        if (line.n)
            mcp_stdio_handle(c, &s, token, line);
        arena_reset(c->arena);
    }
    arena_free(session);
    return code;
}
