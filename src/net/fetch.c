/* Fetching pages; see fetch.h. */
#include "fetch.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <netdb.h>
#include <string.h>
#include <strings.h>

#include "app.h"
#include "config.h"
#include "net.h"

struct fetch {
    struct ctx *c;
    const char *url, *pin, *etag, *last_modified;
    bool may_be_private;
    struct buf body;
    struct fetched got;
    const char *next; /* where it is redirected to; NULL: nowhere */
};

struct fetch_parts {
    const char *scheme, *host, *port;
};

/* ---- the address */

static const char *part_of(struct ctx *c, CURLU *u, CURLUPart part, unsigned flags)
{
    char *s = NULL;
    const char *copy = curl_url_get(u, part, &s, flags) == CURLUE_OK ? arena_strdup(c->arena, s) : NULL;

    curl_free(s);
    return copy;
}

static bool fetch_is_allowed(struct ctx *c, const struct fetch_parts *p)
{
    const char *exact = arena_printf(c->arena, "%s:%s", p->host, p->port), *any = arena_printf(c->arena, "%s:*", p->host);

    for (const char *w = c->app->conf->fetch_allow; *w;) {
        size_t n = strcspn(w, " ");

        if ((strlen(exact) == n && strncasecmp(w, exact, n) == 0) || (strlen(any) == n && strncasecmp(w, any, n) == 0))
            return true;
        w += n + (w[n] == ' ');
    }
    return false;
}

static bool port_is_usual(const char *port)
{
    static const char *const PORTS[] = {"80", "443", "8080", "8443"};

    for (size_t i = 0; i < sizeof PORTS / sizeof *PORTS; i++)
        if (str_eq(port, PORTS[i]))
            return true;
    return false;
}

static const char *fetch_look(struct ctx *c, const char *url, struct fetch_parts *out)
{
    const char *why = NULL;
    CURLU *u;

    for (const char *p = url; *p; p++)
        if ((unsigned char)*p <= ' ' || *p == 0x7f)
            return "is no address";
    u = curl_url();
    if (!u || curl_url_set(u, CURLUPART_URL, url, 0) != CURLUE_OK) {
        curl_url_cleanup(u);
        return "is no address";
    }
    out->scheme = part_of(c, u, CURLUPART_SCHEME, 0);
    out->host = part_of(c, u, CURLUPART_HOST, 0);
    out->port = part_of(c, u, CURLUPART_PORT, CURLU_DEFAULT_PORT);
    if (!out->scheme || !out->host || !out->port || (!str_eq(out->scheme, "http") && !str_eq(out->scheme, "https")))
        why = "must begin with http:// or https://";
    else if (part_of(c, u, CURLUPART_USER, 0) || part_of(c, u, CURLUPART_PASSWORD, 0))
        why = "must hold no user and no password";
    else if (!port_is_usual(out->port) && !fetch_is_allowed(c, out))
        why = "must use port 80, 443, 8080 or 8443";
    curl_url_cleanup(u);
    return why;
}

const char *fetch_fault(struct ctx *c, const char *url)
{
    struct fetch_parts p;

    return fetch_look(c, url, &p);
}

bool fetch_is_listed(struct ctx *c, const char *url)
{
    struct fetch_parts p;

    return !fetch_look(c, url, &p) && fetch_is_allowed(c, &p);
}

/* Link-local, with the metadata of clouds: no exception reaches it. */
static bool is_link_local(const struct sockaddr *a)
{
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;

    if (a->sa_family == AF_INET) {
        memcpy(&v4, a, sizeof v4);
        return ntohl(v4.sin_addr.s_addr) >> 16 == 0xa9fe;
    }
    memcpy(&v6, a, sizeof v6);
    return (v6.sin6_addr.s6_addr[0] == 0xfe && (v6.sin6_addr.s6_addr[1] & 0xc0) == 0x80) ||
           (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr) && v6.sin6_addr.s6_addr[12] == 169 && v6.sin6_addr.s6_addr[13] == 254);
}

static bool address_may_be_called(const struct sockaddr *a, bool may_be_private)
{
    return (a->sa_family == AF_INET || a->sa_family == AF_INET6) && !is_link_local(a) && (may_be_private || !net_is_private(a));
}

static err fetch_refuse(struct ctx *c, const char *url, const char *why)
{
    return fail_reason(c, ERR_INVALID, "fetch_refused", "%s %s", url, why);
}

/* All addresses of the host, asked once; one that may not be called refuses the host. */
static err pin_host(struct ctx *c, const char *url, const struct fetch_parts *p, bool may_be_private, const char **pin)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *all = NULL;
    const char *host = *p->host == '[' ? arena_strndup(c->arena, p->host + 1, strlen(p->host) - 2) : p->host;
    char text[INET6_ADDRSTRLEN];
    struct buf b;
    bool ok = true;

    if (getaddrinfo(host, p->port, &hints, &all) != 0)
        return fail_reason(c, ERR_PROVIDER, "fetch_failed", "the host %s is not known", p->host);
    buf_init(&b, c->arena, 128);
    buf_printf(&b, "%s:%s:", host, p->port);
    for (const struct addrinfo *i = all; i && ok; i = i->ai_next) {
        ok = address_may_be_called(i->ai_addr, may_be_private) && getnameinfo(i->ai_addr, i->ai_addrlen, text, sizeof text, NULL, 0,
            NI_NUMERICHOST) == 0;
        if (ok)
            buf_printf(&b, i->ai_family == AF_INET6 ? "%s[%s]" : "%s%s", i == all ? "" : ",", text);
    }
    freeaddrinfo(all);
    *pin = *p->host == '[' ? NULL : buf_str(&b); /* an address needs no name */
    return ok ? ERR_OK : fetch_refuse(c, url, "is at an address that only this network knows");
}

static err fetch_check(struct ctx *c, const char *url, const char **pin, bool *may_be_private)
{
    struct fetch_parts p;
    const char *why = fetch_look(c, url, &p);

    if (why)
        return fetch_refuse(c, url, why);
    *may_be_private = fetch_is_allowed(c, &p);
    return pin_host(c, url, &p, *may_be_private, pin);
}

err fetch_pin(struct ctx *c, const char *url, const char **pin)
{
    bool may_be_private;

    return fetch_check(c, url, pin, &may_be_private);
}

/* ---- one request */

static size_t fetch_receive(char *p, size_t size, size_t n, void *arg)
{
    struct fetch *f = arg;

    if (f->body.len + size * n > FETCH_MAX)
        return 0;
    buf_add(&f->body, p, size * n);
    return size * n;
}

static size_t fetch_hear_header(char *p, size_t size, size_t n, void *arg)
{
    static const struct {
        const char *name;
        size_t at;
    } WANTED[] = {{"ETag:", offsetof(struct fetched, etag)}, {"Last-Modified:", offsetof(struct fetched, last_modified)}};
    struct fetch *f = arg;
    const char *line = arena_strndup(f->c->arena, p, size * n), *value;

    for (size_t i = 0; i < sizeof WANTED / sizeof *WANTED; i++) {
        if (strncasecmp(line, WANTED[i].name, strlen(WANTED[i].name)) != 0)
            continue;
        value = line + strlen(WANTED[i].name);
        value += strspn(value, " \t");
        if (strlen(value) < 250)
            *(const char **)((char *)&f->got + WANTED[i].at) = arena_strndup(f->c->arena, value, strcspn(value, "\r\n"));
    }
    return size * n;
}

/* The last moment at which the address is known and nothing was sent: a name that leads elsewhere by now gets no further. */
static curl_socket_t fetch_open(void *arg, curlsocktype purpose, struct curl_sockaddr *a)
{
    const struct fetch *f = arg;

    if (purpose != CURLSOCKTYPE_IPCXN || !address_may_be_called(&a->addr, f->may_be_private))
        return CURL_SOCKET_BAD;
    return socket(a->family, a->socktype | SOCK_CLOEXEC, a->protocol);
}

static struct curl_slist *fetch_headers(struct fetch *f)
{
    struct curl_slist *list = curl_slist_append(NULL, "Accept: text/html, text/plain, application/pdf, */*;q=0.5");

    if (!str_empty(f->etag))
        list = curl_slist_append(list, arena_printf(f->c->arena, "If-None-Match: %s", f->etag));
    if (!str_empty(f->last_modified))
        list = curl_slist_append(list, arena_printf(f->c->arena, "If-Modified-Since: %s", f->last_modified));
    return list;
}

static void fetch_prepare(CURL *h, struct fetch *f, struct curl_slist *headers, struct curl_slist *pins)
{
    curl_easy_setopt(h, CURLOPT_URL, f->url);
    curl_easy_setopt(h, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(h, CURLOPT_USERAGENT, "Loci/" LOCI_VERSION);
    curl_easy_setopt(h, CURLOPT_RESOLVE, pins);
    curl_easy_setopt(h, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(h, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(h, CURLOPT_PROXY, "");
    curl_easy_setopt(h, CURLOPT_ACCEPT_ENCODING, "");
    curl_easy_setopt(h, CURLOPT_TIMEOUT_MS, (long)net_ms_left(f->c, FETCH_SECONDS * 1000));
    curl_easy_setopt(h, CURLOPT_CONNECTTIMEOUT_MS, 5000L);
    curl_easy_setopt(h, CURLOPT_WRITEFUNCTION, fetch_receive);
    curl_easy_setopt(h, CURLOPT_WRITEDATA, f);
    curl_easy_setopt(h, CURLOPT_HEADERFUNCTION, fetch_hear_header);
    curl_easy_setopt(h, CURLOPT_HEADERDATA, f);
    curl_easy_setopt(h, CURLOPT_OPENSOCKETFUNCTION, fetch_open);
    curl_easy_setopt(h, CURLOPT_OPENSOCKETDATA, f);
}

static void fetch_note(CURL *h, struct fetch *f)
{
    char *media = NULL, *next = NULL;
    long status = 0;

    curl_easy_getinfo(h, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(h, CURLINFO_CONTENT_TYPE, &media);
    curl_easy_getinfo(h, CURLINFO_REDIRECT_URL, &next);
    f->got.status = (int)status;
    f->got.media = arena_strdup(f->c->arena, media);
    f->got.url = f->url;
    f->got.body = (struct bytes){buf_str(&f->body), f->body.len};
    f->next = status >= 300 && status < 400 && status != 304 ? arena_strdup(f->c->arena, next) : NULL;
}

static err fetch_once(struct fetch *f)
{
    struct curl_slist *headers, *pins;
    CURLcode e;
    CURL *h;

    TRY(fetch_check(f->c, f->url, &f->pin, &f->may_be_private));
    if (!(h = curl_easy_init()))
        return fail(f->c, ERR_INTERNAL, "libcurl cannot be used");
    headers = fetch_headers(f);
    pins = f->pin ? curl_slist_append(NULL, f->pin) : NULL;
    f->got = (struct fetched){0};
    buf_init(&f->body, f->c->arena, 65536);
    fetch_prepare(h, f, headers, pins);
    e = curl_easy_perform(h);
    if (e == CURLE_OK)
        fetch_note(h, f);
    curl_easy_cleanup(h);
    curl_slist_free_all(headers);
    curl_slist_free_all(pins);
    if (e == CURLE_WRITE_ERROR)
        return fail_reason(f->c, ERR_INVALID, "too_large", "%s is larger than %d bytes", f->url, FETCH_MAX);
    if (e != CURLE_OK)
        return fail_reason(f->c, ERR_PROVIDER, e == CURLE_PEER_FAILED_VERIFICATION ? "tls" : "fetch_failed", "%s: %s", f->url,
                           curl_easy_strerror(e));
    return ctx_check_size(f->c);
}

err fetch_url(struct ctx *c, const char *url, const char *etag, const char *last_modified, struct fetched *out)
{
    struct fetch f = {.c = c, .url = url, .etag = etag, .last_modified = last_modified};

    for (int i = 0; i <= FETCH_REDIRECTS; i++) {
        TRY(fetch_once(&f));
        if (!f.next) {
            *out = f.got;
            return ERR_OK;
        }
        if (str_starts(f.url, "https:") && !str_starts(f.next, "https:"))
            return fetch_refuse(c, f.next, "leads from https to http");
        f.url = f.next;
    }
    return fetch_refuse(c, url, "redirects too often");
}
