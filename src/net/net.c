/* One call, one easy handle; see net.h. */
#include "net.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <string.h>

#include "clock.h"

#define CONNECT_MS 3000L

struct receiver {
    struct buf body;
    size_t max;
};

static size_t net_receive(char *p, size_t size, size_t n, void *arg)
{
    struct receiver *r = arg;

    if (r->body.len + size * n > r->max)
        return 0;
    buf_add(&r->body, p, size * n);
    return size * n;
}

/* The last moment at which the address is known and nothing was sent. */
static curl_socket_t open_public(void *unused, curlsocktype purpose, struct curl_sockaddr *a)
{
    (void)unused;
    if (purpose != CURLSOCKTYPE_IPCXN || net_is_private(&a->addr))
        return CURL_SOCKET_BAD;
    return socket(a->family, a->socktype | SOCK_CLOEXEC, a->protocol);
}

static struct curl_slist *net_headers_of(struct ctx *c, const struct net_request *r)
{
    struct curl_slist *list = curl_slist_append(NULL, "Accept: application/json");

    if (r->body.p)
        list = curl_slist_append(list, "Content-Type: application/json");
    if (!str_empty(r->bearer))
        list = curl_slist_append(list, arena_printf(c->arena, "Authorization: Bearer %s", r->bearer));
    for (const char *const *h = r->headers; h && *h; h++)
        list = curl_slist_append(list, *h);
    return list;
}

static void net_prepare(CURL *h, const struct net_request *r, long ms, struct receiver *to)
{
    curl_easy_setopt(h, CURLOPT_URL, r->url);
    curl_easy_setopt(h, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(h, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(h, CURLOPT_PROXY, "");
    curl_easy_setopt(h, CURLOPT_TIMEOUT_MS, ms);
    curl_easy_setopt(h, CURLOPT_CONNECTTIMEOUT_MS, ms < CONNECT_MS ? ms : CONNECT_MS);
    curl_easy_setopt(h, CURLOPT_WRITEFUNCTION, net_receive);
    curl_easy_setopt(h, CURLOPT_WRITEDATA, to);
    if (!r->may_be_private)
        curl_easy_setopt(h, CURLOPT_OPENSOCKETFUNCTION, open_public);
    if (r->body.p) {
        curl_easy_setopt(h, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)r->body.n);
        curl_easy_setopt(h, CURLOPT_POSTFIELDS, r->body.p);
    }
}

static CURLcode perform(CURL *h, struct ctx *c, const struct net_request *r, struct net_answer *out)
{
    struct curl_slist *headers = net_headers_of(c, r);
    curl_off_t patience = 0;
    long status = 0;
    CURLcode e;

    curl_easy_setopt(h, CURLOPT_HTTPHEADER, headers);
    e = curl_easy_perform(h);
    if (e == CURLE_OK)
        e = curl_easy_getinfo(h, CURLINFO_RESPONSE_CODE, &status);
    if (e == CURLE_OK && curl_easy_getinfo(h, CURLINFO_RETRY_AFTER, &patience) == CURLE_OK)
        out->retry_after_s = patience > 86400 ? 86400 : (int)patience;
    out->status = (int)status;
    curl_slist_free_all(headers);
    return e;
}

/* os: what the system says of the connection, 0: nothing. */
static err net_complain(struct ctx *c, const struct net_request *r, CURLcode e, long os)
{
    if (e == CURLE_OPERATION_TIMEDOUT)
        return fail(c, ERR_DEADLINE, "%s did not answer in time", r->url);
    if (e == CURLE_COULDNT_CONNECT && !r->may_be_private)
        return fail(c, ERR_PROVIDER, "%s cannot be reached, or is at a private address, which is not allowed here", r->url);
    if (e == CURLE_COULDNT_CONNECT && os)
        return fail(c, ERR_PROVIDER, "%s: %s", r->url, strerror((int)os));
    return fail(c, ERR_PROVIDER, "%s: %s", r->url, e == CURLE_WRITE_ERROR ? "answers too much" : curl_easy_strerror(e));
}

int64_t net_ms_left(const struct ctx *c, int64_t most)
{
    int64_t left = c->deadline_us ? (c->deadline_us - clock_monotonic_us()) / 1000 : most;

    return left < 1 ? 1 : left < most ? left : most;
}

err net_ask(struct ctx *c, const struct net_request *r, struct net_answer *out)
{
    struct receiver to = {.max = r->max};
    struct net_answer a = {0};
    long os = 0;
    CURLcode e;
    CURL *h;

    TRY(ctx_check_deadline(c));
    h = curl_easy_init();
    if (!h)
        return fail(c, ERR_INTERNAL, "libcurl cannot be used");
    buf_init(&to.body, c->arena, 1024);
    net_prepare(h, r, (long)net_ms_left(c, r->ms), &to);
    e = perform(h, c, r, &a);
    (void)curl_easy_getinfo(h, CURLINFO_OS_ERRNO, &os);
    curl_easy_cleanup(h);
    if (e != CURLE_OK)
        return net_complain(c, r, e, os);
    a.body = (struct bytes){buf_str(&to.body), to.body.len};
    *out = a;
    return ERR_OK;
}

err net_get(struct ctx *c, const char *url, int seconds, size_t max, struct net_answer *out)
{
    return net_ask(c, &(struct net_request){.url = url, .ms = seconds * 1000, .max = max, .may_be_private = true}, out);
}

/* "127.0.0.1", "[::1]": as an address; false: it is a name. */
static bool read_address(const char *host, struct sockaddr_storage *out)
{
    struct sockaddr_in *v4 = (struct sockaddr_in *)out;
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)out;
    char inner[INET6_ADDRSTRLEN];
    size_t n = strlen(host);

    *out = (struct sockaddr_storage){0};
    if (inet_pton(AF_INET, host, &v4->sin_addr) == 1) {
        v4->sin_family = AF_INET;
        return true;
    }
    if (n < 3 || n - 2 >= sizeof inner || host[0] != '[' || host[n - 1] != ']')
        return false;
    memcpy(inner, host + 1, n - 2);
    inner[n - 2] = 0;
    v6->sin6_family = AF_INET6;
    return inet_pton(AF_INET6, inner, &v6->sin6_addr) == 1;
}

static const char *parts_fault(CURLU *u, bool may_be_private)
{
    char *scheme = NULL, *host = NULL, *other = NULL;
    struct sockaddr_storage address;
    const char *why = NULL;

    if (curl_url_get(u, CURLUPART_SCHEME, &scheme, 0) || curl_url_get(u, CURLUPART_HOST, &host, 0))
        why = "is no address";
    else if (strcmp(scheme, "https") != 0 && (!may_be_private || strcmp(scheme, "http") != 0))
        why = "must begin with https://";
    else if (!curl_url_get(u, CURLUPART_USER, &other, 0) || !curl_url_get(u, CURLUPART_PASSWORD, &other, 0) ||
             !curl_url_get(u, CURLUPART_FRAGMENT, &other, 0))
        why = "must hold no user, password or fragment";
    else if (!may_be_private && (strcmp(host, "localhost") == 0 || (read_address(host,
                                                                                 &address) && net_is_private((struct sockaddr *)&address))))
        why = "is at a private address, which is not allowed here";
    curl_free(scheme);
    curl_free(host);
    curl_free(other);
    return why;
}

const char *net_url_fault(const char *url, bool may_be_private)
{
    CURLU *u = curl_url();
    const char *why = "is no address";

    for (const char *p = url; *p; p++)
        if (*p <= ' ' || *p > '~') {
            curl_url_cleanup(u);
            return why;
        }
    if (u && curl_url_set(u, CURLUPART_URL, url, 0) == CURLUE_OK)
        why = parts_fault(u, may_be_private);
    curl_url_cleanup(u);
    return why;
}
