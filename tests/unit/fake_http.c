/* See fake_http.h. */
#include "fake_http.h"

#include <assert.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define REQUEST_MAX (4 * 1024 * 1024)

struct fake_http {
    void (*reply)(const struct fake_request *q, struct fake_reply *r);
    int fd;
    _Atomic int count, ends;
    char url[64];
    pthread_t thread;
    char *in;
};

static char *header(char *head, const char *name)
{
    static char none[] = "";

    for (char *line = strstr(head, "\r\n"); line; line = strstr(line + 2, "\r\n"))
        if (strncasecmp(line + 2, name, strlen(name)) == 0)
            return line + 2 + strlen(name);
    return none;
}

/* The whole request, or 0 when the client left. *body is where its body begins. */
static size_t read_request(struct fake_http *f, int s, char **body)
{
    size_t n = 0, want = 0;

    *body = NULL;
    while (!*body || n < want) {
        ssize_t k = recv(s, f->in + n, REQUEST_MAX - n, 0);

        if (k <= 0)
            return 0;
        n += (size_t)k;
        f->in[n] = 0;
        if (!*body && (*body = strstr(f->in, "\r\n\r\n"))) {
            *body += 4;
            want = (size_t)(*body - f->in) + strtoul(header(f->in, "Content-Length: "), NULL, 10);
            if (strcasestr(f->in, "Expect: 100-continue"))
                assert(send(s, "HTTP/1.1 100 Continue\r\n\r\n", 25, MSG_NOSIGNAL) == 25);
        }
    }
    return n;
}

static char *cut(char *text, const char *at)
{
    text[strcspn(text, at)] = 0;
    return text;
}

/* A client that has gone is no fault of the server's. */
static void put(int s, const char *p, size_t n)
{
    for (ssize_t k; n && (k = send(s, p, n, MSG_NOSIGNAL)) > 0; n -= (size_t)k)
        p += k;
}

static void answer(int s, const struct fake_reply *r)
{
    const char *body = r->body ? r->body : "";
    size_t n = strlen(body) + r->filler;
    char head[1024], spaces[4096];

    memset(spaces, ' ', sizeof spaces);
    snprintf(head, sizeof head, "HTTP/1.1 %d X\r\nContent-Type: application/json\r\nContent-Length: %zu\r\nConnection: close\r\n%s\r\n",
             r->status ? r->status : 200, n, r->headers ? r->headers : "");
    put(s, head, strlen(head));
    for (size_t left = r->filler; left; left -= left < sizeof spaces ? left : sizeof spaces)
        put(s, spaces, left < sizeof spaces ? left : sizeof spaces);
    put(s, body, strlen(body));
}

static void serve(struct fake_http *f, int s)
{
    struct fake_reply r = {0};
    char *body, *path;

    if (!read_request(f, s, &body))
        return;
    f->count++;
    body[-4] = 0;
    path = strchr(f->in, ' ') + 1;
    {
        char auth[256];

        snprintf(auth, sizeof auth, "%s", header(f->in, "Authorization: "));
        cut(auth, "\r\n");
        f->reply(&(struct fake_request){cut(path, " "), auth, body}, &r);
    }
    for (int waited = 0; waited < r.delay_ms && !f->ends; waited += 5)
        nanosleep(&(struct timespec){0, 5000000}, NULL);
    if (!r.hang_up)
        answer(s, &r);
}

static void *run(void *arg)
{
    struct fake_http *f = arg;

    while (!f->ends) {
        struct pollfd p = {.fd = f->fd, .events = POLLIN};
        int s = poll(&p, 1, 20) > 0 ? accept(f->fd, NULL, NULL) : -1;

        if (s < 0)
            continue;
        serve(f, s);
        close(s);
    }
    return NULL;
}

struct fake_http *fake_http_start(void (*reply)(const struct fake_request *q, struct fake_reply *r))
{
    struct fake_http *f = calloc(1, sizeof *f);
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof a;
    int rc;

    assert(f);
    f->reply = reply;
    f->in = malloc(REQUEST_MAX + 1);
    f->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert(f->in && f->fd >= 0);
    rc = bind(f->fd, (struct sockaddr *)&a, sizeof a);
    assert(rc == 0);
    rc = listen(f->fd, 16);
    assert(rc == 0);
    rc = getsockname(f->fd, (struct sockaddr *)&a, &n);
    assert(rc == 0);
    snprintf(f->url, sizeof f->url, "http://127.0.0.1:%d", ntohs(a.sin_port));
    rc = pthread_create(&f->thread, NULL, run, f);
    assert(rc == 0);
    return f;
}

void fake_http_stop(struct fake_http *f)
{
    f->ends = 1;
    pthread_join(f->thread, NULL);
    close(f->fd);
    free(f->in);
    free(f);
}

const char *fake_http_url(const struct fake_http *f)
{
    return f->url;
}

int fake_http_count(const struct fake_http *f)
{
    return f->count;
}
