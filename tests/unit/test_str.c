/* Text buffers and the questions asked of strings: UTF-8, slugs, numbers, hex, base64url. */
#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "str.h"

static struct arena *arena;

static int open_arena(void **unused)
{
    (void)unused;
    arena = arena_new(64 << 20);
    return 0;
}

static int close_arena(void **unused)
{
    (void)unused;
    arena_free(arena);
    return 0;
}

static void buffers_grow(void **unused)
{
    (void)unused;
    for (size_t first = 0; first < 40; first++) {
        struct buf b;

        buf_init(&b, arena, first);
        assert_string_equal(buf_str(&b), "");
        for (int i = 0; i < 300; i++) {
            size_t before = b.len;

            buf_printf(&b, "%d,", i);
            buf_putc(&b, 'x');
            buf_puts(&b, "");
            buf_puts(&b, "yz");
            buf_add(&b, "w", 1);
            buf_add(&b, NULL, 0);
            assert_int_equal(b.data[b.len], 0);
            assert_int_equal(strlen(buf_str(&b)), b.len);
            assert_string_equal(b.data + b.len - 4, "xyzw");
            assert_true(b.len > before + 5);
        }
        assert_true(strncmp(buf_str(&b), "0,xyzw1,xyzw2,xyzw", 18) == 0);
    }
}

static void a_buffer_can_be_added_to_itself(void **unused)
{
    struct buf b;

    (void)unused;
    buf_init(&b, arena, 4);
    buf_puts(&b, "ab");
    for (int i = 0; i < 10; i++)
        buf_add(&b, b.data, b.len);
    assert_int_equal(b.len, 2048);
    for (size_t i = 0; i < b.len; i++)
        assert_int_equal(b.data[i], "ab"[i % 2]);
}

static void comparisons(void **unused)
{
    (void)unused;
    assert_true(str_eq(NULL, NULL) && str_eq("a", "a") && !str_eq("a", NULL) && !str_eq(NULL, "") &&
                !str_eq("a", "b"));
    assert_true(str_empty(NULL) && str_empty("") && !str_empty(" "));
    assert_true(str_starts("abc", "ab") && str_starts("abc", "") && !str_starts("ab", "abc") &&
                !str_starts("abc", "b"));
}

/* ---- UTF-8 */

/* The definition, by arithmetic: decode, then ask whether that code point is written this way. */
static bool reference_utf8(const unsigned char *p, size_t n)
{
    static const uint32_t LEAST[] = {0, 0, 0x80, 0x800, 0x10000};

    for (size_t i = 0, len; i < n; i += len) {
        uint32_t point = p[i];

        len = p[i] < 0x80 ? 1 : p[i] >> 5 == 6 ? 2 : p[i] >> 4 == 14 ? 3 : p[i] >> 3 == 30 ? 4 : 0;
        if (!len || len > n - i)
            return false;
        if (len > 1)
            point &= (1u << (7 - len)) - 1;
        for (size_t k = 1; k < len; k++) {
            if (p[i + k] >> 6 != 2)
                return false;
            point = point << 6 | (p[i + k] & 63);
        }
        if (point < LEAST[len] || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff))
            return false;
    }
    return true;
}

static void check_utf8(const unsigned char *p, size_t n)
{
    if (str_is_utf8((const char *)p, n) != reference_utf8(p, n))
        fail_msg("%02x %02x %02x %02x, first %zu: should be %d", p[0], p[1], p[2], p[3], n,
                 reference_utf8(p, n));
}

static void utf8_by_definition(void **unused)
{
    static const unsigned char EDGES[] = { 0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f,
                                           0xa0, 0xbf, 0xc0, 0xc2, 0xf0, 0xff };
    enum { N = sizeof EDGES };
    unsigned char p[4] = {0};

    (void)unused;
    for (int first = 0; first < 256; first++)
        for (int second = 0; second < 256; second++) {
            p[0] = (unsigned char)first;
            p[1] = (unsigned char)second;
            check_utf8(p, 1);
            check_utf8(p, 2);
            for (int rest = 0; rest < N * N; rest++) {
                p[2] = EDGES[rest / N];
                p[3] = EDGES[rest % N];
                check_utf8(p, 4);
                if (rest % N == 0)
                    check_utf8(p, 3);
            }
        }
    assert_true(str_is_utf8("", 0));
}

static size_t encode(uint32_t point, char *out)
{
    if (point < 0x80) {
        out[0] = (char)point;
        return 1;
    }
    if (point < 0x800) {
        out[0] = (char)(0xc0 | point >> 6);
        out[1] = (char)(0x80 | (point & 63));
        return 2;
    }
    if (point < 0x10000) {
        out[0] = (char)(0xe0 | point >> 12);
        out[1] = (char)(0x80 | (point >> 6 & 63));
        out[2] = (char)(0x80 | (point & 63));
        return 3;
    }
    out[0] = (char)(0xf0 | point >> 18);
    out[1] = (char)(0x80 | (point >> 12 & 63));
    out[2] = (char)(0x80 | (point >> 6 & 63));
    out[3] = (char)(0x80 | (point & 63));
    return 4;
}

/* On exact-size heap buffers, so that ASan sees a read behind a truncated sequence. */
static void every_code_point(void **unused)
{
    char *exact[5];

    (void)unused;
    for (size_t n = 1; n <= 4; n++)
        assert_non_null(exact[n] = malloc(n));
    for (uint32_t point = 0; point < 0x110000; point += point < 0x3000 ? 1 : 61) {
        char text[4];
        size_t n = encode(point, text);
        bool surrogate = point >= 0xd800 && point <= 0xdfff;

        memcpy(exact[n], text, n);
        if (str_is_utf8(exact[n], n) == surrogate)
            fail_msg("U+%04X", (unsigned)point);
        assert_int_equal(str_code_points(exact[n], n), 1);
        for (size_t cut = 1; cut < n; cut++) {
            memcpy(exact[cut], text, cut);
            if (str_is_utf8(exact[cut], cut))
                fail_msg("U+%04X cut to %zu bytes", (unsigned)point, cut);
        }
    }
    for (size_t n = 1; n <= 4; n++)
        free(exact[n]);
    assert_int_equal(str_code_points("a\xc3\xbc\xf0\x9f\x98\x80", 7), 3);
    assert_int_equal(str_code_points("", 0), 0);
    assert_int_equal(str_first_bytes("a\xc3\xbc\xf0\x9f\x98\x80z", 3), 7);
    assert_int_equal(str_first_bytes("a\xc3\xbc", 1), 1);
    assert_int_equal(str_first_bytes("a\xc3\xbc", 0), 0);
    assert_int_equal(str_first_bytes("a\xc3\xbc", 5), 3);
    assert_int_equal(str_first_bytes("", 5), 0);
}

/* ---- words and numbers */

static void slugs(void **unused)
{
    static const char *const GOOD[] = {"a", "0", "a-b_c.d", "agent.42", "x-", "9lives"};
    static const char *const BAD[] = {
        "", "-a", ".a", "_a", "A", "a b", "a/b", "\xc3\xa4", "a\n", "a:b", "aB"
    };
    char hundred[102];

    (void)unused;
    for (size_t i = 0; i < sizeof GOOD / sizeof GOOD[0]; i++)
        if (!str_is_slug(GOOD[i]))
            fail_msg("'%s' refused", GOOD[i]);
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++)
        if (str_is_slug(BAD[i]))
            fail_msg("'%s' accepted", BAD[i]);
    assert_false(str_is_slug(NULL));
    memset(hundred, 'a', 101);
    hundred[101] = 0;
    assert_false(str_is_slug(hundred));
    hundred[100] = 0;
    assert_true(str_is_slug(hundred));
}

static void whole_numbers(void **unused)
{
    static const struct {
        const char *text;
        int64_t value;
    } GOOD[] = { { "0", 0 },
                 { "-0", 0 },
                 { "+7", 7 },
                 { "007", 7 },
                 { "-1", -1 },
                 { "9223372036854775807", INT64_MAX },
                 { "-9223372036854775808", INT64_MIN } };
    static const char *const BAD[] = { "",
                                       " 1",
                                       "1 ",
                                       "1.0",
                                       "1e3",
                                       "0x10",
                                       "-",
                                       "+",
                                       "--1",
                                       "+-1",
                                       "a",
                                       "1a",
                                       "9223372036854775808",
                                       "-9223372036854775809",
                                       "\xd9\xa1" };

    (void)unused;
    for (size_t i = 0; i < sizeof GOOD / sizeof GOOD[0]; i++) {
        int64_t v = 12345;

        assert_true(str_to_i64(GOOD[i].text, &v));
        assert_true(v == GOOD[i].value);
    }
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
        int64_t v = 12345;

        if (str_to_i64(BAD[i], &v) || v != 12345)
            fail_msg("'%s' accepted", BAD[i]);
    }
}

static void real_numbers(void **unused)
{
    static const struct {
        const char *text;
        double value;
    } GOOD[] = {
        { "0", 0 }, { "-2.5", -2.5 }, { "1e3", 1000 }, { "1E-2", 0.01 }, { "1.7976931348623157e308", DBL_MAX }
    };
    static const char *const BAD[] = { "",      " 1",    "1 ", "nan",  "inf", "infinity", "-inf",
                                       "0x1p3", "1e400", "+1", ".5",   "-.5", "1,5",      "1e",
                                       "--1",   "1 2",   "-",  "-nan", "0x8", "1e5x" };

    (void)unused;
    for (size_t i = 0; i < sizeof GOOD / sizeof GOOD[0]; i++) {
        double v = 12345;

        assert_true(str_to_double(GOOD[i].text, &v));
        assert_true(v >= GOOD[i].value && v <= GOOD[i].value);
    }
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
        double v = 12345;

        if (str_to_double(BAD[i], &v))
            fail_msg("'%s' accepted", BAD[i]);
    }
}

static void truth(void **unused)
{
    bool v = false;

    (void)unused;
    assert_true(str_to_bool("yes", &v) && v);
    assert_true(str_to_bool("off", &v) && !v);
    assert_true(str_to_bool("1", &v) && v);
    assert_true(str_to_bool("false", &v) && !v);
    assert_false(str_to_bool("", &v) || str_to_bool("TRUE", &v) || str_to_bool("2", &v) ||
                 str_to_bool("yes ", &v));
}

/* ---- hex and base64url */

static void hex(void **unused)
{
    uint8_t all[256], back[256];
    char text[513];

    (void)unused;
    for (int i = 0; i < 256; i++)
        all[i] = (uint8_t)i;
    hex_encode(all, 256, text);
    assert_int_equal(strlen(text), 512);
    assert_true(strncmp(text, "000102", 6) == 0);
    assert_true(hex_decode(text, 512, back));
    assert_memory_equal(all, back, 256);
    assert_true(hex_decode("fFAa", 4, back));
    assert_int_equal(back[0], 0xff);
    assert_int_equal(back[1], 0xaa);
    assert_true(hex_decode("", 0, back));
    assert_false(hex_decode("fff", 3, back));
    assert_false(hex_decode("fg", 2, back));
    assert_false(hex_decode("g0", 2, back));
    assert_false(hex_decode("0", 2, back)); /* the NUL is not a digit */
    hex_encode(all, 0, text);
    assert_string_equal(text, "");
}

static void base64url_vectors(void **unused)
{
    static const struct {
        const char *plain, *coded;
    } RFC4648[] = {
        { "", "" },           { "f", "Zg" },          { "fo", "Zm8" },          { "foo", "Zm9v" },
        { "foob", "Zm9vYg" }, { "fooba", "Zm9vYmE" }, { "foobar", "Zm9vYmFy" }, { "\xfb\xff", "-_8" }
    };
    static const char *const BAD[] = { "Z",    "Zg==",  "Zg=",    "Zh",    "Zm9",     "Zm+v",
                                       "Zm/v", "Zm9v ", "Zm9v\n", "Zm9vY", "\xff\xff" };
    struct bytes got;

    (void)unused;
    for (size_t i = 0; i < sizeof RFC4648 / sizeof RFC4648[0]; i++) {
        size_t n = strlen(RFC4648[i].plain);

        assert_string_equal(b64url_encode(arena, RFC4648[i].plain, n), RFC4648[i].coded);
        assert_true(b64url_decode(arena, RFC4648[i].coded, &got));
        assert_int_equal(got.n, n);
        assert_memory_equal(got.p, RFC4648[i].plain, n);
    }
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++)
        if (b64url_decode(arena, BAD[i], &got))
            fail_msg("'%s' accepted", BAD[i]);
}

static void base64url_every_length(void **unused)
{
    uint8_t bytes[300];
    struct bytes got;

    (void)unused;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 167 + 13);
    for (size_t n = 0; n <= sizeof bytes; n++) {
        char *text = b64url_encode(arena, bytes, n);

        assert_int_equal(strlen(text), (n * 4 + 2) / 3);
        assert_true(b64url_decode(arena, text, &got));
        assert_int_equal(got.n, n);
        assert_memory_equal(got.p, bytes, n);
    }
}

static void hashes(void **unused)
{
    (void)unused;
    assert_true(hash_bytes("abc", 3, 0) == hash_bytes("abc", 3, 0));
    assert_true(hash_bytes("abc", 3, 0) != hash_bytes("abd", 3, 0));
    assert_true(hash_bytes("abc", 3, 0) != hash_bytes("abc", 3, 1));
    assert_true(hash_bytes("", 0, 0) != hash_bytes("\0", 1, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buffers_grow),
        cmocka_unit_test(a_buffer_can_be_added_to_itself),
        cmocka_unit_test(comparisons),
        cmocka_unit_test(utf8_by_definition),
        cmocka_unit_test(every_code_point),
        cmocka_unit_test(slugs),
        cmocka_unit_test(whole_numbers),
        cmocka_unit_test(real_numbers),
        cmocka_unit_test(truth),
        cmocka_unit_test(hex),
        cmocka_unit_test(base64url_vectors),
        cmocka_unit_test(base64url_every_length),
        cmocka_unit_test(hashes),
    };

    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
