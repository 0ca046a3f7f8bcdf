/* Addresses that a server's name must not lead to; and that net_ask looks at the address, not at the name. */
#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#undef fail /* ours comes with ctx.h */

#include "net.h"

static void check(bool ok, const char *what)
{
    if (!ok)
        print_error("wrong about %s\n", what);
    assert_true(ok);
}

static bool is_private(const char *text)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};

    if (inet_pton(AF_INET, text, &v4.sin_addr) == 1)
        return net_is_private((struct sockaddr *)&v4);
    assert_int_equal(inet_pton(AF_INET6, text, &v6.sin6_addr), 1);
    return net_is_private((struct sockaddr *)&v6);
}

static void private_addresses(void **state)
{
    static const char *const PRIVATE[] = {
        "0.0.0.0", "10.0.0.1", "10.255.255.255", "100.64.0.1", "127.0.0.1", "127.255.255.254", "169.254.169.254", "172.16.0.1",
        "172.31.255.255", "192.168.1.1", "198.18.0.1", "224.0.0.1", "255.255.255.255", "::", "::1", "fe80::1", "fc00::1", "fd12::1",
        "ff02::1", "::ffff:127.0.0.1", "::ffff:10.1.2.3", "64:ff9b::7f00:1", "2002:7f00:1::", "2001:db8::1", "2001::1"};
    static const char *const PUBLIC[] = {"1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0",
                                         "126.255.255.255", "128.0.0.1", "172.15.255.255", "172.32.0.0", "192.167.255.255",
                                         "223.255.255.255", "2606:4700::1111", "2a00::1", "::ffff:8.8.8.8", "2002:808:808::"};
    struct sockaddr unix_socket = {.sa_family = AF_UNIX};

    (void)state;
    for (size_t i = 0; i < sizeof PRIVATE / sizeof *PRIVATE; i++)
        check(is_private(PRIVATE[i]), PRIVATE[i]);
    for (size_t i = 0; i < sizeof PUBLIC / sizeof *PUBLIC; i++)
        check(!is_private(PUBLIC[i]), PUBLIC[i]);
    assert_true(net_is_private(&unix_socket));
}

/* A socket that listens, so that only the rule can refuse. */
static int listening(int *port)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof a;
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof a), 0);
    assert_int_equal(listen(fd, 4), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &n), 0);
    *port = ntohs(a.sin_port);
    return fd;
}

static void the_address_counts_not_the_name(void **state)
{
    static const char *const HOSTS[] = {"127.0.0.1", "localhost", "127.1", "2130706433", "[::ffff:127.0.0.1]"};
    struct ctx c = {.arena = arena_new(1024 * 1024)};
    struct net_answer a;
    int port, fd = listening(&port);

    (void)state;
    for (size_t i = 0; i < sizeof HOSTS / sizeof *HOSTS; i++) {
        const char *url = arena_printf(c.arena, "http://%s:%d/", HOSTS[i], port);

        ctx_forgive(&c);
        check(net_ask(&c, &(struct net_request){.url = url, .ms = 2000, .max = 100}, &a) == ERR_PROVIDER, url);
    }
    ctx_forgive(&c); /* the same address, where it may be asked: nobody answers there */
    assert_int_equal(net_ask(&c, &(struct net_request){.url = arena_printf(c.arena, "http://127.0.0.1:%d/", port), .ms = 50,
                                                       .max = 100, .may_be_private = true}, &a), ERR_DEADLINE);
    close(fd);
    arena_free(c.arena);
}

static void only_http(void **state)
{
    static const char *const URLS[] = {"file:///etc/passwd", "gopher://127.0.0.1/", "ftp://127.0.0.1/x", "nonsense", ""};
    struct ctx c = {.arena = arena_new(1024 * 1024)};
    struct net_answer a;

    (void)state;
    for (size_t i = 0; i < sizeof URLS / sizeof *URLS; i++) {
        ctx_forgive(&c);
        assert_int_equal(net_ask(&c, &(struct net_request){.url = URLS[i], .ms = 30000, .max = 100, .may_be_private = true}, &a),
                         ERR_PROVIDER);
    }
    arena_free(c.arena);
}

static void why_a_server_is_not_reached(void **state)
{
    struct arena *a = arena_new(1 << 20);
    int port, fd = listening(&port);
    char longest[300];

    (void)state;
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    assert_null(net_why_unreached(a, "", "127.0.0.1", port));
    close(fd);
    assert_string_equal(net_why_unreached(a, "", "127.0.0.1", port), arena_printf(a, "127.0.0.1:%d: Connection refused", port));
    assert_string_equal(net_why_unreached(a, "/nowhere/x.sock", "127.0.0.1", port), "/nowhere/x.sock: No such file or directory");
    assert_non_null(strstr(net_why_unreached(a, longest, "", 0), "File name too long"));
    assert_non_null(strstr(net_why_unreached(a, "", "nowhere.invalid", 9), "nowhere.invalid:9: "));
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(private_addresses),
        cmocka_unit_test(the_address_counts_not_the_name),
        cmocka_unit_test(only_http),
        cmocka_unit_test(why_a_server_is_not_reached),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
