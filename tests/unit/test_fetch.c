/* The guard of fetching: what a name resolves to decides, all of it, once; and robots.txt. */
#include <arpa/inet.h>
#include <netdb.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#undef fail /* ours comes with ctx.h */

#include "app.h"
#include "config.h"
#include "feed_pages.h"
#include "fetch.h"

/* ---- a resolver whose answers change: ours stands before that of the C library, for libcurl, too */

static const char *answers[4]; /* addresses apart by spaces, for each time it is asked */
static size_t asked;

static struct addrinfo *made_address(const char *text)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    struct addrinfo *i = calloc(1, sizeof *i + sizeof v6);
    bool is_v6 = strchr(text, ':') != NULL;

    i->ai_family = is_v6 ? AF_INET6 : AF_INET;
    i->ai_socktype = SOCK_STREAM;
    i->ai_addrlen = is_v6 ? sizeof v6 : sizeof v4;
    i->ai_addr = (struct sockaddr *)(i + 1);
    assert_int_equal(inet_pton(i->ai_family, text, is_v6 ? (void *)&v6.sin6_addr : (void *)&v4.sin_addr), 1);
    memcpy(i->ai_addr, is_v6 ? (const void *)&v6 : (const void *)&v4, i->ai_addrlen);
    return i;
}

int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **out)
{
    struct addrinfo **end = out;

    (void)name, (void)service, (void)hints;
    *out = NULL;
    for (const char *p = answers[asked < 3 ? asked : 3]; p && *p;) {
        char text[64] = {0};
        size_t n = strcspn(p, " ");

        memcpy(text, p, n);
        *end = made_address(text);
        end = &(*end)->ai_next;
        p += n + (p[n] == ' ');
    }
    asked++;
    return *out ? 0 : EAI_NONAME;
}

void freeaddrinfo(struct addrinfo *i)
{
    for (struct addrinfo *next; i; i = next) {
        next = i->ai_next;
        free(i);
    }
}

/* ---- the guard */

struct world {
    struct config conf;
    struct app app;
    struct ctx c;
};

static void world_begin(struct world *w, const char *allow, const char *first, const char *second)
{
    *w = (struct world){.conf = {.fetch_allow = allow}, .c = {.arena = arena_new(1024 * 1024)}};
    w->app.conf = &w->conf;
    w->c.app = &w->app;
    answers[0] = first;
    answers[1] = answers[2] = answers[3] = second;
    asked = 0;
}

static void one_bad_address_refuses_the_host(void **state)
{
    static const char *const BAD[] = {"8.8.8.8 10.0.0.1", "10.0.0.1 8.8.8.8", "2606:4700::1 ::1", "169.254.169.254", "::ffff:127.0.0.1",
                                      "64:ff9b::a00:1", "2002:a00:1::", "fe80::1", "0.0.0.0"};

    (void)state;
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        struct world w;
        const char *pin;

        world_begin(&w, "", BAD[i], BAD[i]);
        assert_int_equal(fetch_pin(&w.c, "http://name.example/", &pin), ERR_INVALID);
        assert_string_equal(w.c.fault.reason, "fetch_refused");
        arena_free(w.c.arena);
    }
}

/* The second answer leads inside: nobody asks for it, because the connection goes to the address that was looked at. */
static void a_name_is_resolved_once(void **state)
{
    struct world w;
    struct fetched f;
    const char *pin;

    (void)state;
    world_begin(&w, "", "8.8.8.8 2606:4700::1", "127.0.0.1");
    assert_int_equal(fetch_pin(&w.c, "https://name.example/x", &pin), ERR_OK);
    assert_string_equal(pin, "name.example:443:8.8.8.8,[2606:4700::1]");
    assert_int_equal(asked, 1);
    arena_free(w.c.arena);
    world_begin(&w, "name.example:1", "127.0.0.1", "8.8.8.8");
    assert_int_equal(fetch_url(&w.c, "http://name.example:1/", NULL, NULL, &f), ERR_PROVIDER); /* refused by the port, not by us */
    assert_int_equal(asked, 1);
    arena_free(w.c.arena);
}

static void exceptions_never_reach_link_local(void **state)
{
    struct world w;
    const char *pin;

    (void)state;
    world_begin(&w, "wiki.intern:*", "10.0.0.7", "");
    assert_int_equal(fetch_pin(&w.c, "http://wiki.intern:81/", &pin), ERR_OK);
    arena_free(w.c.arena);
    world_begin(&w, "wiki.intern:*", "169.254.169.254", "");
    assert_int_equal(fetch_pin(&w.c, "http://wiki.intern/", &pin), ERR_INVALID);
    arena_free(w.c.arena);
    world_begin(&w, "wiki.intern:80", "10.0.0.7", "");
    assert_int_equal(fetch_pin(&w.c, "http://wiki.intern:81/", &pin), ERR_INVALID);
    assert_int_equal(asked, 0);
    arena_free(w.c.arena);
}

static void robots(void **state)
{
    static const char RULES[] = "User-agent: evil\nDisallow: /\n\nUser-agent: good\nUser-agent: *\nDisallow: /private # all of it\n"
                                "Allow: /private/open\nDisallow:\n\nUser-agent: other\nDisallow: /p\n";

    (void)state;
    assert_true(feed_robots_allow("", "/x"));
    assert_true(feed_robots_allow(RULES, "/page"));
    assert_false(feed_robots_allow(RULES, "/private/x"));
    assert_true(feed_robots_allow(RULES, "/private/open/x"));
    assert_false(feed_robots_allow("user-agent:*\ndisallow:/", "/"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_bad_address_refuses_the_host),
        cmocka_unit_test(a_name_is_resolved_once),
        cmocka_unit_test(exceptions_never_reach_link_local),
        cmocka_unit_test(robots),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
