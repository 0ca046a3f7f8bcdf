/* Forms with files: fields and the file as browsers send them, and nothing but a refusal for what is no such form. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#undef fail

#include "multipart.h"

#define MEDIA "multipart/form-data; boundary=----WebKitX"
#define D "------WebKitX"
#define FIELD(name, value) D "\r\nContent-Disposition: form-data; name=\"" name "\"\r\n\r\n" value "\r\n"

static struct ctx test;
static struct json *form;
static struct multipart_file file;

static err read_form(const char *media, const char *body, size_t n)
{
    char *exact = malloc(n ? n : 1); /* so that a byte past its end is seen */
    err e;

    memcpy(exact, body, n);
    ctx_forgive(&test);
    e = multipart_read(&test, media, exact, n, &form, &file);
    if (file.bytes)
        file.bytes = arena_memdup(test.arena, file.bytes, file.n);
    free(exact);
    return e;
}

#define READ(media, text) read_form(media, text, sizeof(text) - 1)

static void fields_and_a_file(void **state)
{
    (void)state;
    assert_int_equal(READ(MEDIA, FIELD("a", "one\r\ntwo") FIELD("b", "") FIELD("a", "\xc3\xa4")
                          D "\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a %22b%22 50%.json\"\r\n"
                          "Content-Type: application/json\r\n\r\n\0\r\n--\xff\r\n" D "--\r\n"), ERR_OK);
    assert_string_equal(json_get(form, "a")->first->s, "one\r\ntwo");
    assert_string_equal(json_get(form, "a")->last->s, "\xc3\xa4");
    assert_string_equal(json_get_str(form, "b"), "");
    assert_string_equal(file.field, "file");
    assert_string_equal(file.name, "a \"b\" 50%.json");
    assert_int_equal(file.n, 6);
    assert_memory_equal(file.bytes, "\0\r\n--\xff", 6);
}

static void no_file_chosen_and_an_empty_one(void **state)
{
    (void)state;
    assert_int_equal(READ(MEDIA, D "\r\ncontent-disposition: form-data; name=\"file\"; filename=\"\"\r\n\r\n\r\n" D "--"), ERR_OK);
    assert_null(file.field);
    assert_int_equal(READ("multipart/form-data; boundary=\"----WebKitX\"; charset=utf-8",
                          D "\r\nContent-Disposition: form-data; name=\"file\"; filename=\"e\"\r\n\r\n\r\n" D "--"), ERR_OK);
    assert_string_equal(file.field, "file");
    assert_int_equal(file.n, 0);
}

static void what_is_no_form_is_refused(void **state)
{
    static const char WHOLE[] = FIELD("a", "1") FIELD("b", "2") D "--\r\n";

    (void)state;
    assert_int_equal(READ(MEDIA, ""), ERR_BAD_REQUEST);
    assert_int_equal(READ(MEDIA, "nonsense"), ERR_BAD_REQUEST);
    assert_int_equal(READ("multipart/form-data", WHOLE), ERR_BAD_REQUEST);
    assert_int_equal(READ("multipart/form-data; boundary=", WHOLE), ERR_BAD_REQUEST);
    assert_int_equal(READ("multipart/form-data; boundary=other", WHOLE), ERR_BAD_REQUEST);
    assert_int_equal(READ(MEDIA, D "\r\nContent-Disposition: form-data\r\n\r\n1\r\n" D "--"), ERR_BAD_REQUEST);
    assert_int_equal(READ(MEDIA, FIELD("a", "\xff") D "--"), ERR_BAD_REQUEST);
    assert_int_equal(READ(MEDIA, FIELD("a", "x\0y") D "--"), ERR_BAD_REQUEST);
    for (size_t n = 0; n < sizeof WHOLE - 3; n++) /* cut anywhere before its last delimiter is whole */
        assert_int_equal(read_form(MEDIA, WHOLE, n), ERR_BAD_REQUEST);
    assert_int_equal(read_form(MEDIA, WHOLE, sizeof WHOLE - 3), ERR_OK);
}

static void too_many_parts(void **state)
{
    struct buf b;

    (void)state;
    buf_init(&b, test.arena, 1 << 16);
    for (int i = 0; i <= MULTIPART_PARTS; i++)
        buf_printf(&b, "%s", FIELD("a", "1"));
    buf_printf(&b, D "--");
    assert_int_equal(read_form(MEDIA, b.data, b.len), ERR_BAD_REQUEST);
}

static int begin(void **state)
{
    (void)state;
    test.arena = arena_new(64u << 20);
    return 0;
}

static int end(void **state)
{
    (void)state;
    arena_free(test.arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_and_a_file),
        cmocka_unit_test(no_file_chosen_and_an_empty_one),
        cmocka_unit_test(what_is_no_form_is_refused),
        cmocka_unit_test(too_many_parts),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
