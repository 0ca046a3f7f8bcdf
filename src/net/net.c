/* One call, one easy handle; see net.h. */
#include "net.h"

#include <curl/curl.h>

struct receiver {
    struct buf body;
    size_t max;
};

static size_t receive(char *p, size_t size, size_t n, void *arg)
{
    struct receiver *r = arg;

    if (r->body.len + size * n > r->max)
        return 0;
    buf_add(&r->body, p, size * n);
    return size * n;
}

static CURLcode perform(CURL *h, const char *url, long ms, struct receiver *r, long *status)
{
    CURLcode e;

    curl_easy_setopt(h, CURLOPT_URL, url);
    curl_easy_setopt(h, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(h, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(h, CURLOPT_PROXY, "");
    curl_easy_setopt(h, CURLOPT_TIMEOUT_MS, ms);
    curl_easy_setopt(h, CURLOPT_CONNECTTIMEOUT_MS, ms < 3000 ? ms : 3000);
    curl_easy_setopt(h, CURLOPT_WRITEFUNCTION, receive);
    curl_easy_setopt(h, CURLOPT_WRITEDATA, r);
    e = curl_easy_perform(h);
    if (e == CURLE_OK)
        e = curl_easy_getinfo(h, CURLINFO_RESPONSE_CODE, status);
    return e;
}

err net_get(struct ctx *c, const char *url, int seconds, size_t max, struct net_answer *out)
{
    struct receiver r = {.max = max};
    int left = ctx_seconds_left(c);
    long status = 0;
    CURLcode e;
    CURL *h;

    TRY(ctx_check_deadline(c));
    h = curl_easy_init();
    if (!h)
        return fail(c, ERR_INTERNAL, "libcurl cannot be used");
    buf_init(&r.body, c->arena, 1024);
    e = perform(h, url, 1000L * (seconds < left ? seconds : left), &r, &status);
    curl_easy_cleanup(h);
    if (e == CURLE_OPERATION_TIMEDOUT)
        return fail(c, ERR_DEADLINE, "%s did not answer in time", url);
    if (e != CURLE_OK)
        return fail(c, ERR_PROVIDER, "%s: %s", url, e == CURLE_WRITE_ERROR ? "answers too much" : curl_easy_strerror(e));
    *out = (struct net_answer){(int)status, {buf_str(&r.body), r.body.len}};
    return ERR_OK;
}
