/* Settings: defaults, file, environment, secrets in files, and errors that say where and what to do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "config.h"

static struct arena *arena;
static char folder[] = "/tmp/loci-config-XXXXXX";

static void forget_environment(void)
{
    extern char **environ;

    for (size_t i = 0; environ[i];) {
        char name[128];

        snprintf(name, sizeof name, "%.*s", (int)strcspn(environ[i], "="), environ[i]);
        if (strncmp(name, "LOCI_", 5) == 0)
            unsetenv(name);
        else
            i++;
    }
}

static int begin(void **unused)
{
    (void)unused;
    arena = arena_new(64 << 20);
    forget_environment();
    return mkdtemp(folder) ? 0 : -1;
}

static int end(void **unused)
{
    (void)unused;
    arena_free(arena);
    return rmdir(folder);
}

/* A file with these bytes, in the test's folder; remove() it. */
static const char *file_n(const char *name, const char *text, size_t n)
{
    const char *path = arena_printf(arena, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
    return path;
}

static const char *file(const char *name, const char *text)
{
    return file_n(name, text, strlen(text));
}

static struct config *load(const char *text)
{
    const char *why = NULL, *path = file("loci.conf", text);
    struct config *c = config_load(arena, path, &why);

    remove(path);
    if (!c)
        fail_msg("%s", why);
    assert_string_equal(c->file, path);
    return c;
}

/* The reason must hold all of these words. */
static void must_say(const char *why, const char *words[], size_t n)
{
    assert_non_null(why);
    for (size_t i = 0; i < n; i++)
        if (!strstr(why, words[i]))
            fail_msg("'%s' is not in: %s", words[i], why);
}

static void refuse_n(const char *text, size_t size, const char *words[], size_t n)
{
    const char *why = NULL, *path = file_n("loci.conf", text, size);

    if (config_load(arena, path, &why))
        fail_msg("accepted: %s", text);
    remove(path);
    must_say(why, words, n);
}

#define REFUSE(text, ...)                                                                                    \
    refuse_n(text, strlen(text), (const char *[]){ __VA_ARGS__ },                                            \
             sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(char *))
#define SAYS(why, ...)                                                                                       \
    must_say(why, (const char *[]){ __VA_ARGS__ }, sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(char *))

static void defaults(void **unused)
{
    const char *why = NULL;
    struct config *c = config_load(arena, NULL, &why);

    (void)unused;
    assert_non_null(c);
    assert_null(c->file);
    assert_true(c->db_port == 3306 && c->http_max_body == 1048576 && c->http_deadline_s == 30);
    assert_string_equal(c->db_host, "127.0.0.1");
    assert_string_equal(c->db_password, "");
    assert_false(c->argon_fast);
    assert_string_equal(c->source[0], "default");
}

static void a_file(void **unused)
{
    struct config *c = load("# comment\n; another\n\n[db]\nport=1\n  socket \t=  /run/my db/s = x  \r\n"
                            "[ http ]\nmax_body = 65536\n[db]\nname = second\nname = third\n"
                            "[security]\nargon_fast = yes\n[db]\npassword = # not a comment ");

    (void)unused;
    assert_true(c->db_port == 1);
    assert_string_equal(c->db_socket, "/run/my db/s = x");
    assert_true(c->http_max_body == 65536);
    assert_string_equal(c->db_name, "third");
    assert_true(c->argon_fast);
    assert_string_equal(c->db_password, "# not a comment");
    assert_string_equal(c->source[0], arena_printf(arena, "%s:6", c->file)); /* db.socket */
    load("");
    load("\n\n\r\n");
    load("[db]");
}

static void errors_name_the_line_and_the_remedy(void **unused)
{
    (void)unused;
    REFUSE("[db]\n\nprot = 1\n", "loci.conf:3:", "'prot'", "[db]", "port");
    REFUSE("[dbs]\nport = 1\n", "loci.conf:2:", "'port'", "[dbs]", "no such section");
    REFUSE("port = 1\n", "loci.conf:1:", "'port'");
    REFUSE("[db]\nport = 0\n", "loci.conf:2:", "db.port", "from 1 to 65535", "'0'");
    REFUSE("[db]\nport = 65536\n", "65535");
    REFUSE("[db]\nport = 1e3\n", "'1e3'");
    REFUSE("[db]\nport =\n", "''");
    REFUSE("[db]\nport = 99999999999999999999\n", "99999999999999999999");
    REFUSE("[security]\nargon_fast = maybe\n", "loci.conf:2:", "yes or no", "'maybe'");
    REFUSE("[db]\nport\n", "loci.conf:2:", "key = value");
    REFUSE("[db\nport = 1\n", "loci.conf:1:", "[section]");
    REFUSE("[db]\n= 1\n", "loci.conf:2:", "''");
    REFUSE("[db]\nport_file = x\n", "'port_file'"); /* only secrets come from files */
    REFUSE("[db]\nportx = 1\n", "'portx'");
    REFUSE("[db]\nPORT = 1\n", "'PORT'");
    REFUSE("[db]\npassword_files = x\n", "'password_files'");
    REFUSE("[db]\npassword_file = /nonexistent/secret\n", "loci.conf:2:", "db.password_file",
           "/nonexistent/secret", "No such file");
}

static void files_that_are_none(void **unused)
{
    const char *why = NULL, *words[] = {"loci.conf", "too long, or not text"};
    size_t large = 256 * 1024 + 1;
    char *text = malloc(large);

    (void)unused;
    assert_non_null(text);
    memset(text, '\n', large);
    refuse_n(text, large, words, 2);
    refuse_n("[db]\n\0port = 1\n", 15, words, 2);
    text[large - 1] = 0;
    load(text); /* the longest allowed */
    free(text);
    assert_null(config_load(arena, "/nonexistent/loci.conf", &why));
    SAYS(why, "/nonexistent/loci.conf", "No such file");
    assert_null(config_load(arena, folder, &why));
    SAYS(why, folder, "directory");
}

static void the_environment_wins(void **unused)
{
    const char *why = NULL;
    struct config *c;

    (void)unused;
    setenv("LOCI_DB_PORT", "77", 1);
    setenv("LOCI_HTTP_MAX_BODY", "2048", 1);
    c = load("[db]\nport = 5\nname = x\n");
    assert_true(c->db_port == 77 && c->http_max_body == 2048);
    assert_string_equal(c->db_name, "x");
    setenv("LOCI_DB_PORT", "many", 1);
    assert_null(config_load(arena, NULL, &why));
    SAYS(why, "LOCI_DB_PORT", "'many'", "65535");
    unsetenv("LOCI_DB_PORT");
    unsetenv("LOCI_HTTP_MAX_BODY");
}

static void secrets_in_files(void **unused)
{
    const char *path = file("secret", "s3cret with spaces\r\nsecond line\n"), *why = NULL;
    struct config *c = load(arena_printf(arena, "[db]\npassword_file = %s\n", path));
    char *text;

    (void)unused;
    assert_string_equal(c->db_password, "s3cret with spaces");
    setenv("LOCI_REDIS_PASSWORD_FILE", path, 1);
    c = config_load(arena, NULL, &why);
    assert_non_null(c);
    assert_string_equal(c->redis_password, "s3cret with spaces");
    setenv("LOCI_REDIS_PASSWORD", "direct", 1); /* the value itself goes first */
    assert_string_equal(config_load(arena, NULL, &why)->redis_password, "direct");
    unsetenv("LOCI_REDIS_PASSWORD");
    setenv("LOCI_REDIS_PASSWORD_FILE", "/nonexistent", 1);
    assert_null(config_load(arena, NULL, &why));
    SAYS(why, "LOCI_REDIS_PASSWORD_FILE", "/nonexistent", "No such file");
    unsetenv("LOCI_REDIS_PASSWORD_FILE");
    text = malloc(4097);
    assert_non_null(text);
    memset(text, 'x', 4097);
    file_n("secret", text, 4097);
    free(text);
    REFUSE(arena_printf(arena, "[db]\npassword_file = %s\n", path), "db.password_file",
           "too long, or not text");
    remove(path);
}

static void files_that_hold_secrets(void **unused)
{
    const char *one = file_n("one", "first secret\n", 13), *two = file_n("two", "second\n", 7);
    struct config *c = load("[db]\nuser = x\n[redis]\npassword =\n");

    (void)unused;
    assert_non_null(c);
    assert_null(c->secret_files[0]);
    c = load(arena_printf(arena, "[db]\npassword_file = %s\n[redis]\npassword_file = %s\n[llm]\nkey = here\n[embed]\nkey = and here\n"
                          "[security]\nsecret_file = %s\n", one, one, two));
    assert_non_null(c);
    assert_string_equal(c->secret_files[0], one);
    assert_string_equal(c->secret_files[1], c->file);
    assert_string_equal(c->secret_files[2], two);
    assert_null(c->secret_files[3]);
    assert_int_equal(remove(one) | remove(two), 0);
}

static void printed_without_secrets(void **unused)
{
    struct config *c =
        load("[db]\npassword = hunter2\nport = 5\n[security]\nsecret = 0123456789abcdef0123456789abcdef\n");
    struct json *all = config_json(arena, c);
    const char *text = json_text(arena, all);
    size_t masked = 0;

    (void)unused;
    assert_null(strstr(text, "hunter2"));
    assert_null(strstr(text, "0123456789abcdef"));
    assert_true(json_is(all, JSON_ARR) && all->len > 20);
    for (struct json *row = all->first; row; row = row->next) {
        const char *key = json_get_str(row, "key"), *value = json_get_str(row, "value");

        assert_true(key && strchr(key, '.') && json_get_str(row, "help") && json_get_str(row, "source"));
        assert_true(json_get(row, "value") && json_get(row, "default"));
        masked += value && strcmp(value, "********") == 0;
        if (strcmp(key, "db.port") == 0) {
            assert_true(json_get_int(row, "value", 0) == 5 && json_get_int(row, "default", 0) == 3306);
            assert_non_null(strstr(json_get_str(row, "source"), "loci.conf:3"));
        }
    }
    assert_int_equal(masked, 2); /* a secret that is not set shows as empty */
}

/* Each key, by its name in the listing: its default can be written in the file and in the environment. */
static void every_key_from_both_sides(void **unused)
{
    const char *why = NULL;
    struct json *all = config_json(arena, config_load(arena, NULL, &why));

    (void)unused;
    for (struct json *row = all->first; row; row = row->next) {
        const char *key = json_get_str(row, "key"), *dot = strchr(key, '.');
        struct json *given = json_get(row, "default");
        const char *value = json_is(given, JSON_STR) ? given->s : json_text(arena, given);
        char *name = arena_printf(arena, "LOCI_%s", key);

        load(arena_printf(arena, "[%.*s]\n%s = %s\n", (int)(dot - key), key, dot + 1, value));
        for (char *p = name; *p; p++)
            *p = *p == '.' ? '_' : (char)(*p >= 'a' && *p <= 'z' ? *p - 'a' + 'A' : *p);
        setenv(name, value, 1);
        if (!config_load(arena, NULL, &why))
            fail_msg("%s", why);
        unsetenv(name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),
        cmocka_unit_test(a_file),
        cmocka_unit_test(errors_name_the_line_and_the_remedy),
        cmocka_unit_test(files_that_are_none),
        cmocka_unit_test(the_environment_wins),
        cmocka_unit_test(secrets_in_files),
        cmocka_unit_test(files_that_hold_secrets),
        cmocka_unit_test(printed_without_secrets),
        cmocka_unit_test(every_key_from_both_sides),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
