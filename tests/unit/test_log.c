/* Logs: one line of valid JSON for each call, whatever is in the message. */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "clock.h"
#include "log.h"

static struct arena *arena;
static struct log a_log = {.level = LOG_INFO, .fd = -1, .program = "test"};
static int read_end;

static int begin(void **unused)
{
    int ends[2];

    (void)unused;
    arena = arena_new(64 << 20);
    if (pipe2(ends, O_NONBLOCK) != 0)
        return -1;
    read_end = ends[0];
    a_log.fd = ends[1];
    return 0;
}

static int end(void **unused)
{
    (void)unused;
    close(read_end);
    close(a_log.fd);
    arena_free(arena);
    return 0;
}

/* All that was logged since the last call. */
static const char *lines(void)
{
    char *text = arena_alloc(arena, 65537);
    ssize_t n = read(read_end, text, 65536);

    text[n > 0 ? n : 0] = 0;
    return text;
}

/* The one line since the last call, as an object. */
static struct json *line(void)
{
    const char *text = lines(), *newline = strchr(text, '\n'), *why = "";
    struct json *j = NULL;

    assert_true(newline && !newline[1]);
    if (json_parse(arena, text, (size_t)(newline - text), &j, &why) != JSON_OK)
        fail_msg("%s: %s", why, text);
    assert_true(json_is(j, JSON_OBJ));
    return j;
}

static void one_line(void **unused)
{
    struct json *fields = json_obj(arena), *j;
    struct instant at;

    (void)unused;
    json_set_str(arena, fields, "request_id", "r1");
    json_set_int(arena, fields, "status", 200);
    json_set(arena, fields, "more", json_arr(arena));
    json_push(json_get(fields, "more"), json_str(arena, "x"));
    log_write(arena, &a_log, LOG_WARN, "it \"works\"\n\x01", fields);
    j = line();
    assert_true(instant_parse(json_get_str(j, "ts"), &at));
    assert_true(clock_now().us - at.us < 60 * SECOND_US);
    assert_string_equal(json_get_str(j, "level"), "warn");
    assert_string_equal(json_get_str(j, "program"), "test");
    assert_string_equal(json_get_str(j, "msg"), "it \"works\"\n\x01");
    assert_string_equal(json_get_str(j, "request_id"), "r1");
    assert_true(json_get_int(j, "status", 0) == 200);
    assert_int_equal(json_get(j, "more")->len, 1);
    assert_int_equal(fields->len, 3); /* the caller's object is as it was */
    assert_string_equal(fields->first->key, "request_id");
    assert_ptr_equal(fields->first->next->next, fields->last);
    log_say(&a_log, LOG_ERROR, "%d of %s", 3, "four");
    assert_string_equal(json_get_str(line(), "msg"), "3 of four");
}

static void levels(void **unused)
{
    enum log_level level = LOG_INFO;

    (void)unused;
    assert_true(log_level_parse("debug", &level) && level == LOG_DEBUG);
    assert_true(log_level_parse("error", &level) && level == LOG_ERROR);
    assert_false(log_level_parse("ERROR", &level) || log_level_parse("", &level) ||
                 log_level_parse("loud", &level));
    log_say(&a_log, LOG_DEBUG, "not wanted");
    log_say(NULL, LOG_ERROR, "nowhere to go");
    assert_string_equal(lines(), "");
    assert_false(log_wants(&a_log, LOG_DEBUG) || log_wants(NULL, LOG_ERROR));
    a_log.level = LOG_ERROR;
    log_say(&a_log, LOG_WARN, "not wanted");
    assert_string_equal(lines(), "");
    log_say(&a_log, LOG_ERROR, "wanted");
    a_log.level = LOG_INFO;
    assert_string_equal(json_get_str(line(), "msg"), "wanted");
}

/* Messages quote what users sent: megabytes, or bytes that are no text. */
static void long_and_broken_texts(void **unused)
{
    struct json *fields = json_obj(arena), *j;
    char *text = malloc((2 << 20) + 1);
    size_t n;

    (void)unused;
    assert_non_null(text);
    memset(text, 'x', 2 << 20);
    text[2 << 20] = 0;
    json_set_str(arena, fields, "path", text);
    log_write(arena, &a_log, LOG_INFO, text, fields);
    j = line();
    assert_int_equal(strlen(json_get_str(j, "msg")), 4096);
    assert_int_equal(strlen(json_get_str(j, "path")), 4096);
    log_say(&a_log, LOG_INFO, "%s", text);
    assert_int_equal(strlen(json_get_str(line(), "msg")), 4096);
    for (size_t first = 0; first < 4; first++) { /* four bytes each: the cut goes before a character */
        for (size_t i = 0; i < 2000; i++)
            memcpy(text + first + 4 * i, "\xf0\x9f\x98\x80", 4);
        text[first + 8000] = 0;
        log_write(arena, &a_log, LOG_INFO, text, NULL);
        n = strlen(json_get_str(line(), "msg"));
        assert_true(n <= 4096 && n > 4092 && (n - first) % 4 == 0);
        text[first] = 'x';
    }
    free(text);
    log_write(arena, &a_log, LOG_INFO, "a\xff\xc3z \xc3\xa4", NULL);
    assert_string_equal(json_get_str(line(), "msg"), "a??z ??");
    log_write(arena, &a_log, LOG_INFO, NULL, NULL);
    assert_true(json_is(json_get(line(), "msg"), JSON_NULL));
}

static void a_log_that_is_gone_does_no_harm(void **unused)
{
    struct log closed = {.level = LOG_INFO, .fd = -1, .program = "test"};

    (void)unused;
    log_say(&closed, LOG_ERROR, "nobody reads this");
}

/* ---- lines that wait for others */

static void *many_lines(void *arg)
{
    const struct log *l = arg;

    for (int i = 0; i < 500; i++)
        log_say(l, LOG_INFO, "%d", i);
    return NULL;
}

static void waiting_lines_keep_their_order(void **unused)
{
    struct log l = a_log;
    const char *text;

    (void)unused;
    l.queue = log_queue_new(l.fd);
    log_say(&l, LOG_INFO, "first");
    log_say(&l, LOG_INFO, "second");
    log_say(&l, LOG_WARN, "third"); /* is there at once, behind the two */
    text = lines();
    assert_true(strstr(text, "first") && strstr(text, "first") < strstr(text, "second") && strstr(text, "second") < strstr(text, "third"));
    log_say(&l, LOG_INFO, "by itself");
    for (text = lines(); !*text; text = lines())
        usleep(1000);
    assert_non_null(strstr(text, "by itself"));
    log_say(&l, LOG_INFO, "flushed");
    log_flush(&l);
    assert_non_null(strstr(lines(), "flushed"));
    log_say(&l, LOG_INFO, "at the end");
    log_queue_free(l.queue);
    assert_non_null(strstr(lines(), "at the end"));
    log_flush(&a_log); /* has no queue */
}

static void no_waiting_line_is_lost(void **unused)
{
    char path[] = "/tmp/loci-log-XXXXXX";
    struct log l = a_log;
    pthread_t threads[4];
    int seen = 0;
    char *text;
    ssize_t n;

    (void)unused;
    l.fd = mkstemp(path);
    unlink(path);
    l.queue = log_queue_new(l.fd);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, many_lines, &l), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    log_queue_free(l.queue);
    text = arena_alloc(arena, 1 << 20); /* more than the buffer holds */
    n = pread(l.fd, text, (1 << 20) - 1, 0);
    text[n > 0 ? n : 0] = 0;
    for (const char *at = text, *end; (end = strchr(at, '\n')); at = end + 1, seen++)
        assert_true(*at == '{' && end[-1] == '}');
    assert_int_equal(seen, 2000);
    assert_true(n > 65536);
    close(l.fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_line),
        cmocka_unit_test(levels),
        cmocka_unit_test(long_and_broken_texts),
        cmocka_unit_test(waiting_lines_keep_their_order), cmocka_unit_test(no_waiting_line_is_lost),
        cmocka_unit_test(a_log_that_is_gone_does_no_harm),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
