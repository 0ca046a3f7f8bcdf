/* MariaDB over TLS: only with a certificate that is good, and never without it when it was asked for. */
#include <arpa/inet.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "db.h"
#include "dbtest.h"

#define ARGV(...) ((const char *const[]){ __VA_ARGS__, NULL })

static int port;

static const char *in_folder(const char *name)
{
    return arena_printf(test.arena, "%s/%s", stack_folder(), name);
}

static void openssl(const char *const *argv)
{
    assert_int_equal(stack_run(argv), 0);
}

/* NAME.crt for the host, vouched for by CA.crt, and its key. */
static void make_cert(const char *ca, const char *name, const char *host)
{
    const char *key = in_folder(arena_printf(test.arena, "%s.key", name)), *csr = in_folder("new.csr");
    const char *crt = in_folder(arena_printf(test.arena, "%s.crt", name)), *ext = in_folder("new.ext");
    const char *ca_crt = in_folder(arena_printf(test.arena, "%s.crt", ca)), *ca_key = in_folder(arena_printf(test.arena, "%s.key", ca));
    FILE *f = fopen(ext, "w");

    assert_non_null(f);
    fprintf(f, "subjectAltName=%s\n", host);
    fclose(f);
    openssl(ARGV("openssl", "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=test",
                 "-keyout", key, "-out", csr));
    openssl(ARGV("openssl", "x509", "-req", "-in", csr, "-CA", ca_crt, "-CAkey", ca_key, "-CAcreateserial", "-days", "2", "-extfile",
                 ext, "-out", crt));
}

static void make_ca(const char *name)
{
    openssl(ARGV("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                 "-subj", arena_printf(test.arena, "/CN=%s", name), "-keyout", in_folder(arena_printf(test.arena, "%s.key", name)),
                 "-out", in_folder(arena_printf(test.arena, "%s.crt", name))));
}

static int free_port(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    socklen_t n = sizeof at;

    assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &n), 0);
    close(fd);
    return ntohs(at.sin_port);
}

static void serve(const char *name, const char *ca)
{
    stack_db_signal(SIGTERM);
    stack_db_again_on(port, name ? in_folder(arena_printf(test.arena, "%s.crt", name)) : NULL,
                      name ? in_folder(arena_printf(test.arena, "%s.key", name)) : NULL, ca ? in_folder(ca) : NULL);
}

static struct config asking(const char *ca)
{
    struct config conf = *test_conf;

    conf.db_socket = "";
    conf.db_host = "127.0.0.1";
    conf.db_port = port;
    conf.db_tls = true;
    conf.db_tls_ca = ca ? in_folder(ca) : "";
    return conf;
}

/* The cipher of a connection that these settings make; NULL: they make none. */
static const char *cipher(const struct config *conf)
{
    struct ctx c;
    const char *name = NULL, *text = NULL, *copy = NULL;
    scoped_cursor q = {0};
    bool found;

    stack_ctx(&c, conf, 30);
    if (db_query(&c, &q, "SHOW SESSION STATUS LIKE 'Ssl_cipher'") == ERR_OK && db_row(&q, &c, &found, OUT(&name), OUT(&text)) == ERR_OK)
        copy = arena_strdup(test.arena, text);
    else
        assert_int_equal(c.fault.code, ERR_UNAVAILABLE);
    db_cursor_done(&q);
    stack_ctx_done(&c);
    return copy;
}

static void only_a_good_certificate_will_do(void **state)
{
    struct config conf;

    (void)state;
    serve("server", NULL);
    conf = asking("ca.crt");
    assert_non_null(cipher(&conf));
    assert_true(*cipher(&conf));
    conf.db_host = "localhost"; /* by TCP, and named in the certificate, too */
    assert_true(*cipher(&conf));
    conf = asking("other.crt"); /* nobody we know vouches for it */
    assert_null(cipher(&conf));
    conf = asking(NULL);
    assert_null(cipher(&conf));
    conf = asking("nothing.crt");
    assert_null(cipher(&conf));
    serve("elsewhere", NULL); /* somebody else's */
    conf = asking("ca.crt");
    assert_null(cipher(&conf));
}

static void a_server_without_tls_is_not_talked_to(void **state)
{
    struct config conf;

    (void)state;
    serve(NULL, NULL);
    conf = asking("ca.crt");
    assert_null(cipher(&conf));
    conf.db_tls = false;
    assert_string_equal(cipher(&conf), "");
}

static void our_own_certificate(void **state)
{
    struct config conf;

    (void)state;
    serve("server", "ca.crt");
    conf = asking("ca.crt");
    test_sql("GRANT ALL ON *.* TO careful@'127.0.0.1' IDENTIFIED BY 'x' REQUIRE X509");
    conf.db_user = "careful";
    conf.db_password = "x";
    assert_null(cipher(&conf));
    conf.db_tls_cert = in_folder("client.crt");
    conf.db_tls_key = in_folder("client.key");
    assert_true(*cipher(&conf));
}

/* Reads that are asked now and answered later; of more rows than one record holds. */
static void what_is_asked_is_answered(void **state)
{
    struct config conf;
    struct ctx c;

    (void)state;
    serve("server", NULL);
    conf = asking("ca.crt");
    stack_ctx(&c, &conf, 30);
    for (int round = 0; round < 3; round++) {
        struct db_later later;
        scoped_cursor q = {0};
        bool found = true;
        int64_t n = 0, sum = 0;

        db_ask(&c, &later, "SELECT seq FROM seq_1_to_10000 WHERE seq > ?", IN(0));
        if (round == 1)
            test_ok(&c, db_ping(&c), "ping", __FILE__, __LINE__);
        for (test_ok(&c, db_answer(&c, &later, &q), "answer", __FILE__, __LINE__); found; sum += n) {
            n = 0;
            test_ok(&c, db_row(&q, &c, &found, OUT(&n)), "row", __FILE__, __LINE__);
        }
        assert_int_equal(sum, 10000 * 10001 / 2);
    }
    stack_ctx_done(&c);
}

static int begins(void **state)
{
    if (test_group_begins(state) != 0)
        return 1;
    if (stack_run(ARGV("openssl", "version")) != 0)
        return 1;
    port = free_port();
    make_ca("ca");
    make_ca("other");
    make_cert("ca", "server", "DNS:localhost,IP:127.0.0.1");
    make_cert("ca", "elsewhere", "DNS:elsewhere.example");
    make_cert("ca", "client", "DNS:client.example");
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(only_a_good_certificate_will_do),
        CASE(a_server_without_tls_is_not_talked_to),
        CASE(our_own_certificate),
        CASE(what_is_asked_is_answered),
    };

    return cmocka_run_group_tests(tests, begins, test_group_ends);
}
