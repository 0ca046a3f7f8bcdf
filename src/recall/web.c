/* One search over HTTP; see web.h. */
#include "web.h"

#include <string.h>

#include "app.h"
#include "config.h"
#include "json.h"
#include "net.h"

#define WEB_MS 3000
#define WEB_BYTES (512 * 1024)

bool web_is_configured(const struct ctx *c)
{
    return !str_empty(c->app->conf->recall_web_url);
}

static const char *web_address(struct ctx *c, const char *query)
{
    const char *base = c->app->conf->recall_web_url;
    size_t n = strlen(base);
    struct buf b;

    buf_init(&b, c->arena, n + 3 * strlen(query) + 32);
    buf_add(&b, base, n && base[n - 1] == '/' ? n - 1 : n);
    buf_puts(&b, "/search?format=json&q=");
    for (const unsigned char *p = (const unsigned char *)query; *p; p++) {
        if ((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9'))
            buf_putc(&b, (char)*p);
        else
            buf_printf(&b, "%%%02X", *p);
    }
    return buf_str(&b);
}

static const char *text_or_empty(const struct json *o, const char *key)
{
    const char *s = json_get_str(o, key);

    return s ? s : "";
}

/* Only pages have addresses that people can follow. */
static bool is_page(const char *url)
{
    return str_starts(url, "https://") || str_starts(url, "http://");
}

err web_search(struct ctx *c, const char *query, struct web_result **out, size_t *n)
{
    struct net_answer answer;
    struct json *all;
    const char *why;

    TRY(net_ask(c,
                &(struct net_request){ .url = web_address(c, query), .ms = WEB_MS, .max = WEB_BYTES,
                                       .may_be_private = c->app->conf->recall_web_private },
                &answer));
    if (answer.status != 200 || json_parse(c->arena, answer.body.p, answer.body.n, &all, &why) != JSON_OK)
        return fail(c, ERR_PROVIDER, "the web search answered status %d, or not JSON", answer.status);
    *out = ARENA_ARRAY(c->arena, struct web_result, WEB_RESULTS);
    *n = 0;
    all = json_get(all, "results");
    for (const struct json *r = json_is(all, JSON_ARR) ? all->first : NULL; r && *n < WEB_RESULTS; r = r->next)
        if (is_page(text_or_empty(r, "url")))
            (*out)[(*n)++] = (struct web_result){text_or_empty(r, "title"), text_or_empty(r, "url"), text_or_empty(r, "content")};
    return ERR_OK;
}
