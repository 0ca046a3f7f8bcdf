/* Counters, gauges and histograms, counted from many threads and rendered as Prometheus reads them. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "metrics.h"

static const struct metric REQUESTS = {"loci_requests_total", METRIC_COUNTER, "Requests."};
static const struct metric OPEN = {"loci_open", METRIC_GAUGE, "What is open now."};
static const struct metric SECONDS = {"loci_request_seconds", METRIC_HISTOGRAM, "Time of a request."};

static const char *rendered(struct metrics *m, struct arena *a)
{
    struct buf b;

    buf_init(&b, a, 64);
    metrics_render(m, &b);
    return buf_str(&b);
}

static void counters_and_gauges(void **unused)
{
    struct arena *a = arena_new(16 << 20);
    struct metrics *m = metrics_new();

    (void)unused;
    assert_string_equal(rendered(m, a), "");
    metrics_add(m, &REQUESTS, "call=\"a\"", 1);
    metrics_set(m, &OPEN, "", 5);
    metrics_add(m, &REQUESTS, "call=\"b\"", 2);
    metrics_add(m, &REQUESTS, "call=\"a\"", 0.5);
    metrics_set(m, &OPEN, "", -3);
    assert_string_equal(rendered(m, a), "# HELP loci_requests_total Requests.\n"
                                        "# TYPE loci_requests_total counter\n"
                                        "loci_requests_total{call=\"a\"} 1.5\n"
                                        "loci_requests_total{call=\"b\"} 2\n"
                                        "# HELP loci_open What is open now.\n"
                                        "# TYPE loci_open gauge\n"
                                        "loci_open -3\n");
    metrics_add(m, &REQUESTS, "call=\"b\"", 123456789012345 - 2);
    assert_non_null(strstr(rendered(m, a), "call=\"b\"} 123456789012345\n"));
    metrics_free(m);
    arena_free(a);
}

static void histograms_are_cumulative(void **unused)
{
    struct arena *a = arena_new(16 << 20);
    struct metrics *m = metrics_new();
    const char *text;

    (void)unused;
    metrics_observe(m, &SECONDS, "", 0.0005); /* on the bound: in the bucket */
    metrics_observe(m, &SECONDS, "", 0.0006);
    metrics_observe(m, &SECONDS, "", 0.3);
    metrics_observe(m, &SECONDS, "", 1000);
    metrics_observe(m, &SECONDS, "call=\"x\"", 0.02);
    text = rendered(m, a);
    assert_non_null(strstr(text, "# TYPE loci_request_seconds histogram\n"));
    assert_non_null(strstr(text, "_bucket{le=\"0.0005\"} 1\n"));
    assert_non_null(strstr(text, "_bucket{le=\"0.001\"} 2\n"));
    assert_non_null(strstr(text, "_bucket{le=\"0.25\"} 2\n"));
    assert_non_null(strstr(text, "_bucket{le=\"0.5\"} 3\n"));
    assert_non_null(strstr(text, "_bucket{le=\"30\"} 3\n"));
    assert_non_null(strstr(text, "_bucket{le=\"+Inf\"} 4\n"));
    assert_non_null(strstr(text, "_sum{} 1000.3011\n"));
    assert_non_null(strstr(text, "_count{} 4\n"));
    assert_non_null(strstr(text, "_bucket{call=\"x\",le=\"0.025\"} 1\n"));
    assert_non_null(strstr(text, "_count{call=\"x\"} 1\n"));
    metrics_free(m);
    arena_free(a);
}

static void none_is_silent(void **unused)
{
    (void)unused;
    metrics_add(NULL, &REQUESTS, "", 1);
    metrics_set(NULL, &OPEN, "", 1);
    metrics_observe(NULL, &SECONDS, "", 1);
    metrics_free(NULL);
}

static void a_full_table_drops_what_is_new(void **unused)
{
    struct arena *a = arena_new(64 << 20);
    struct metrics *m = metrics_new();
    const char *text;

    (void)unused;
    for (int i = 0; i < 5000; i++)
        metrics_add(m, &REQUESTS, arena_printf(a, "n=\"%d\"", i), 1);
    metrics_add(m, &REQUESTS, "n=\"0\"", 1);
    text = rendered(m, a);
    assert_non_null(strstr(text, "{n=\"0\"} 2\n"));
    assert_non_null(strstr(text, "{n=\"4095\"} 1\n"));
    assert_null(strstr(text, "{n=\"4096\"}"));
    metrics_free(m);
    arena_free(a);
}

enum { THREADS = 4, TIMES = 5000 };

static void *count(void *m)
{
    for (int i = 0; i < TIMES; i++) {
        metrics_add(m, &REQUESTS, i % 2 ? "call=\"a\"" : "call=\"b\"", 1);
        metrics_observe(m, &SECONDS, "", 0.001 * i);
    }
    return NULL;
}

static void threads_lose_nothing(void **unused)
{
    struct arena *a = arena_new(16 << 20);
    struct metrics *m = metrics_new();
    pthread_t threads[THREADS];

    (void)unused;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, count, m), 0);
    rendered(m, a);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_non_null(strstr(rendered(m, a), "{call=\"a\"} 10000\n"));
    assert_non_null(strstr(rendered(m, a), "{call=\"b\"} 10000\n"));
    assert_non_null(strstr(rendered(m, a), "_count{} 20000\n"));
    metrics_free(m);
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counters_and_gauges),  cmocka_unit_test(histograms_are_cumulative),
        cmocka_unit_test(none_is_silent),       cmocka_unit_test(a_full_table_drops_what_is_new),
        cmocka_unit_test(threads_lose_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
