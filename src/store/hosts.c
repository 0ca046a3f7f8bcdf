/* Lists of hosts; see hosts.h. */
#include "hosts.h"

#include <string.h>

#include "str.h"

#define SEPARATORS ", \t"

/* ---- reading */

static bool hosts_port(const char *text, int *port)
{
    int64_t n;

    if (!str_to_i64(text, &n) || n < 1 || n > 65535)
        return false;
    *port = (int)n;
    return true;
}

/* "[::1]:3306", "[::1]" */
static bool hosts_bracketed(struct arena *a, const char *text, struct host_name *h)
{
    const char *end = strchr(text, ']');

    if (!end || end == text + 1)
        return false;
    h->host = arena_strndup(a, text + 1, (size_t)(end - text - 1));
    return !end[1] || (end[1] == ':' && hosts_port(end + 2, &h->port));
}

static bool hosts_one(struct arena *a, const char *text, struct host_name *h)
{
    const char *colon = strchr(text, ':');

    if (*text == '/') {
        h->socket = text;
        return true;
    }
    if (*text == '[')
        return hosts_bracketed(a, text, h);
    if (colon == text)
        return false;
    h->host = colon ? arena_strndup(a, text, (size_t)(colon - text)) : text;
    return !colon || hosts_port(colon + 1, &h->port);
}

static bool hosts_has(const struct host_name *all, size_t n, const char *text)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq(all[i].text, text))
            return true;
    return false;
}

bool hosts_parse(struct arena *a, const char *text, int port, struct host_name *out, size_t *n, const char **why)
{
    size_t len;

    *n = 0;
    for (text += strspn(text, SEPARATORS); *text; text += len, text += strspn(text, SEPARATORS)) {
        struct host_name h = {.socket = "", .host = "", .port = port};

        len = strcspn(text, SEPARATORS);
        h.text = arena_strndup(a, text, len);
        if (!hosts_one(a, h.text, &h)) {
            *why = arena_printf(a, "'%s' is not host:port, [address]:port or the path of a socket", h.text);
            return false;
        }
        if (*n == HOSTS_MAX || hosts_has(out, *n, h.text)) {
            *why = *n == HOSTS_MAX ? arena_printf(a, "more than %d hosts", HOSTS_MAX) : arena_printf(a, "'%s' is named twice", h.text);
            return false;
        }
        out[(*n)++] = h;
    }
    return true;
}

/* ---- the order */

/* Every bit of the result depends on every bit of x. */
static uint64_t hosts_mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

uint64_t host_key_of(const char *text)
{
    return hosts_mix(hash_bytes(text, strlen(text), 0));
}

uint64_t host_weight(struct uuid id, uint64_t host_key)
{
    uint64_t half[2];

    memcpy(half, &id, sizeof half);
    return hosts_mix(hosts_mix(half[0] ^ host_key) ^ half[1]);
}

/* ---- dead or alive */

bool host_lives(const struct host_state *s)
{
    return !atomic_load_explicit(&s->dead_us, memory_order_relaxed);
}

bool host_died(struct host_state *s, int64_t now_us)
{
    if (!host_lives(s))
        return false;
    s->pause_us = HOST_PAUSE_FIRST_US;
    s->probe_us = now_us + s->pause_us;
    atomic_store(&s->dead_us, now_us);
    return true;
}

bool host_probe_due(const struct host_state *s, int64_t now_us)
{
    return atomic_load(&s->dead_us) && now_us >= s->probe_us; /* in this order: it is written in the other */
}

bool host_probed(struct host_state *s, bool well, int64_t now_us)
{
    if (host_lives(s))
        return false;
    if (well) {
        atomic_store(&s->back_us, now_us);
        atomic_store(&s->dead_us, 0);
        return true;
    }
    s->pause_us = s->pause_us * 2 < HOST_PAUSE_MAX_US ? s->pause_us * 2 : HOST_PAUSE_MAX_US;
    s->probe_us = now_us + s->pause_us;
    return false;
}

bool host_is_fresh(const struct host_state *s, int64_t now_us)
{
    int64_t back_us = atomic_load_explicit(&s->back_us, memory_order_relaxed);

    return back_us && now_us - back_us < HOST_FRESH_US;
}
