/* Host, Origin and the headers of revision 2026-07-28; see mcp_headers.h. */
#include "mcp_headers.h"

#include <sodium.h>
#include <string.h>
#include <strings.h>

/* ---- where it was sent to */

/* The name in "name:port" or "[::1]:port"; 0: it is none. */
static size_t name_length(const char *host)
{
    size_t n = *host == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":/ ");

    if (n > strlen(host) || (host[n] && host[n] != ':'))
        return 0;
    return host[n] && strspn(host + n + 1, "0123456789") != strlen(host + n + 1) ? 0 : n;
}

static bool mcp_headers_is_name(const char *name, size_t n, const char *want, size_t want_n)
{
    return n == want_n && strncasecmp(name, want, n) == 0;
}

static bool in_list(const char *name, size_t n, const char *list)
{
    for (size_t len; *list; list += len) {
        list += strspn(list, " ");
        len = strcspn(list, " ");
        if (len && mcp_headers_is_name(name, n, list, len))
            return true;
    }
    return false;
}

bool mcp_host_allowed(const struct config *conf, const char *host)
{
    const char *own = strstr(conf->web_public_url, "://");
    size_t n = host ? name_length(host) : 0;

    if (!n)
        return false;
    own = own ? own + 3 : "";
    return in_list(host, n, "localhost 127.0.0.1 [::1]") || in_list(host, n, conf->mcp_hosts) ||
           mcp_headers_is_name(host, n, own, *own == '[' ? strcspn(own, "]") + 1 : strcspn(own, ":/"));
}

bool mcp_origin_allowed(const struct config *conf, const char *origin)
{
    const char *host = strncasecmp(origin, "http://", 7) == 0 ? origin + 7 : strncasecmp(origin, "https://", 8) == 0 ? origin + 8 : NULL;

    return in_list(origin, strlen(origin), conf->http_cors_origins) || (host && mcp_host_allowed(conf, host));
}

/* ---- what it says of the body */

/* "=?base64?…?=" stands for text that no header can hold. NULL: malformed. */
static const char *header_text(struct arena *a, const char *v)
{
    static const char OPEN[] = "=?base64?", CLOSE[] = "?=";
    size_t n = strlen(v), head = sizeof OPEN - 1, tail = sizeof CLOSE - 1, len;
    unsigned char *out;

    if (n < head + tail || strncmp(v, OPEN, head) != 0 || strcmp(v + n - tail, CLOSE) != 0)
        return v;
    out = arena_alloc(a, n);
    if (sodium_base642bin(out, n - 1, v + head, n - head - tail, NULL, &len, NULL, sodium_base64_VARIANT_ORIGINAL) != 0)
        return NULL;
    out[len] = 0;
    return strlen((char *)out) == len && str_is_utf8((char *)out, len) ? (char *)out : NULL;
}

static err must_equal(struct ctx *c, struct mcp *m, const char *header, const char *sent, const char *said)
{
    const char *text = sent ? header_text(c->arena, sent) : NULL;

    if ((sent && !text) || !str_eq(text, said))
        return mcp_refuse(c, m, MCP_HEADER, 400, "the header %s does not match the body", header);
    return ERR_OK;
}

static const char *mcp_headers_name_of(const struct mcp *m)
{
    static const struct { const char *method, *member; } NAMED[] = {
        {"tools/call", "name"}, {"prompts/get", "name"}, {"resources/read", "uri"},
        {"tasks/get", "taskId"}, {"tasks/update", "taskId"}, {"tasks/cancel", "taskId"},
    };

    for (size_t i = 0; i < sizeof NAMED / sizeof *NAMED; i++)
        if (strcmp(m->method, NAMED[i].method) == 0)
            return mcp_param_str(m, NAMED[i].member);
    return NULL;
}

/* A scalar as a header spells it; NULL: nothing is said. */
static const char *spelled(struct arena *a, const struct json *v)
{
    if (!v || v->type == JSON_NULL)
        return NULL;
    return v->type == JSON_STR ? v->s : json_text(a, v);
}

/* Parameters of a tool whose schema wants them in a header, too. */
static err mcp_headers_check_params(struct ctx *c, struct exchange *x, struct mcp *m)
{
    const struct mcp_fixture *f = strcmp(m->method, "tools/call") == 0 ? mcp_fixture_find(c, mcp_param_str(m, "name")) : NULL;
    struct json *schema;
    const char *why;

    if (!f || json_parse(c->arena, f->schema, strlen(f->schema), &schema, &why) != JSON_OK)
        return ERR_OK;
    for (const struct json *p = json_is(json_get(schema, "properties"), JSON_OBJ) ? json_get(schema, "properties")->first : NULL; p; p = p->next) {
        const char *header = json_get_str(p, "x-mcp-header"), *name;

        if (!header)
            continue;
        name = arena_printf(c->arena, "Mcp-Param-%s", header);
        TRY(must_equal(c, m, name, exchange_header(x, name), spelled(c->arena, json_get(mcp_param(m, "arguments"), p->key))));
    }
    return ERR_OK;
}

err mcp_check_headers(struct ctx *c, struct exchange *x, struct mcp *m)
{
    const char *version = exchange_header(x, "MCP-Protocol-Version"), *name;

    m->is_modern = mcp_is_modern(m, version);
    if (!m->is_modern)
        return ERR_OK;
    if (json_get(m->meta, MCP_META "protocolVersion"))
        TRY(must_equal(c, m, "MCP-Protocol-Version", version, json_get_str(m->meta, MCP_META "protocolVersion")));
    TRY(mcp_check_modern(c, m));
    TRY(must_equal(c, m, "Mcp-Method", exchange_header(x, "Mcp-Method"), m->method));
    name = mcp_headers_name_of(m);
    if (name)
        TRY(must_equal(c, m, "Mcp-Name", exchange_header(x, "Mcp-Name"), name));
    return mcp_headers_check_params(c, x, m);
}
