/* What `locictl doctor` learns from nginx's files: the words, blocks and includes of nginx, zones that clash, what is kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "nginx_conf.h"

static struct arena *arena;
static char folder[] = "/tmp/loci-nginx-XXXXXX";
static struct nginx_conf conf;

static int begin(void **unused)
{
    (void)unused;
    arena = arena_new(64 << 20);
    return mkdtemp(folder) ? 0 : -1;
}

static int end(void **unused)
{
    (void)unused;
    arena_free(arena);
    return rmdir(folder);
}

static const char *file_of(const char *name, const char *text)
{
    const char *path = arena_printf(arena, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
    return path;
}

static bool read_text(const char *text)
{
    const char *path = file_of("nginx.conf", text);
    bool ok = nginx_conf_read(arena, path, &conf);

    assert_int_equal(remove(path), 0);
    return ok;
}

static void what_concerns_loci(void **unused)
{
    (void)unused;
    assert_true(read_text("# worker_processes 9;\nworker_processes 3; events { worker_connections 10; }\n"
                          "http { upstream other { server unix:/o; keepalive 90; }\n"
                          "  upstream \"loci_web\" { server unix:/run/loci/web.sock; keepalive 7; }\n"
                          "  log_format x '{\"a\":\"$b\"} ; set $loci_data /wrong;'; map $a $b { \"~^[{}]\" \"${x};\"; default a${x}b; }\n"
                          "  server { set $loci_upstream loci_web; set $loci_data /usr/share/loci; keepalive 8; } }\n"));
    assert_true(conf.serves_loci);
    assert_int_equal(conf.workers, 3);
    assert_int_equal(conf.keepalive, 7);
    assert_string_equal(conf.data, "/usr/share/loci");
    assert_null(conf.clash);
    assert_null(conf.unread);
}

static void zones_that_clash(void **unused)
{
    (void)unused;
    assert_true(read_text("limit_req_zone $a zone=loci:1m rate=1r/s; ssl_session_cache shared:loci:10m;"));
    assert_string_equal(conf.clash, "the zone 'loci' is declared by limit_req_zone and by ssl_session_cache");
    assert_true(read_text("limit_req_zone $a zone=loci:1m rate=1r/s; limit_req_zone $a zone=loci:1m rate=1r/s;"));
    assert_non_null(conf.clash);
    assert_true(read_text("limit_req_zone $a zone=loci:1m rate=1r/s; server { limit_req zone=loci; ssl_session_cache builtin:9 shared:tls:1m; }"
                          "server { limit_req zone=loci; ssl_session_cache shared:tls; }"));
    assert_null(conf.clash);
}

static void includes(void **unused)
{
    const char *one = file_of("one.part", "set $loci_upstream u; include two.part;"), *two = file_of("two.part", "set $loci_data /d; include two.part;");

    (void)unused;
    assert_true(read_text("upstream u { server s; keepalive 4; } server { include on*.part; include nothing-*; }"));
    assert_true(conf.serves_loci);
    assert_string_equal(conf.data, "/d");
    assert_int_equal(conf.keepalive, 4);
    assert_true(read_text(arena_printf(arena, "include %s; include nowhere.conf;", one)));
    assert_non_null(strstr(conf.unread, "/nowhere.conf: No such file"));
    assert_int_equal(remove(one) | remove(two), 0);
}

static void broken_files(void **unused)
{
    static const char *const TEXTS[] = {"", ";", "}}}", "{", "set", "set $loci_upstream", "\"", "'\\", "upstream", "upstream {", "include;",
                                        "worker_processes auto", "# only", "keepalive x;", "$loci ${ ${x"};

    (void)unused;
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        assert_true(read_text(TEXTS[i]));
        assert_false(conf.serves_loci);
    }
    assert_true(read_text("worker_processes auto;"));
    assert_int_equal(conf.workers, sysconf(_SC_NPROCESSORS_ONLN));
    assert_false(nginx_conf_read(arena, "/nowhere/nginx.conf", &conf));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_concerns_loci), cmocka_unit_test(zones_that_clash),
        cmocka_unit_test(includes), cmocka_unit_test(broken_files),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
