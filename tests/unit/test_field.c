/* Fields as data: decoding names every fault, encoding and the schema follow from the same table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#undef fail

#include "field.h"
#include "limit.h"

#define COLOUR(X) X(COLOUR_NONE, "") X(COLOUR_RED, "red") X(COLOUR_SEA, "sea_green")
ENUMX_DECLARE(colour, COLOUR);
ENUMX_DEFINE(colour, COLOUR);

struct part {
    const char *name;
    int64_t weight;
};

struct sample {
    struct given given;
    const char *title, *slug, *email, *body;
    int64_t size;
    double share;
    bool loud, quiet;
    enum colour colour;
    struct uuid id;
    struct instant at;
    const struct json *attrs, *any;
    struct strs tags;
    struct uuids ids;
    struct nums values;
    const struct part *part;
    struct list parts;
};

static const struct field PART[] = {
    F_STR(struct part, name, FIELD_REQUIRED, 1, 10, "name"),
    F_INT(struct part, weight, 0, 0, 100, 7, "weight"),
    F_END,
};

static const struct field THING[] = {
    F_STR(struct sample, title, FIELD_REQUIRED, 1, 5, "title"),
    F_STR(struct sample, slug, FIELD_SLUG, 0, LIMIT_SLUG, "slug"),
    F_STR(struct sample, email, FIELD_EMAIL | FIELD_NULLABLE, 0, 254, "address"),
    F_STR(struct sample, body, FIELD_RAW, 0, 100, "text"),
    F_INT(struct sample, size, 0, 1, 100, 20, "size"),
    F_NUM(struct sample, share, 0, 0, 1, 0.5, "share"),
    F_BOOL(struct sample, loud, 0, true, "loud"),
    F_BOOL(struct sample, quiet, 0, false, "quiet"),
    F_ENUM(struct sample, colour, 0, colour, COLOUR_RED, "colour"),
    F_UUID(struct sample, id, FIELD_NULLABLE, "id"),
    F_TIME(struct sample, at, FIELD_NULLABLE, "when"),
    F_OBJECT(struct sample, attrs, FIELD_NULLABLE, 50, "attributes"),
    F_JSON(struct sample, any, 0, 50, "anything"),
    F_STRS(struct sample, tags, 0, 2, "tags"),
    F_UUIDS(struct sample, ids, 0, 2, "ids"),
    F_NUMS(struct sample, values, 0, 1, 3, "values"),
    F_OBJ(struct sample, part, FIELD_NULLABLE, PART, struct part, "one part"),
    F_LIST(struct sample, parts, 0, 2, PART, struct part, "parts"),
    F_END,
};

struct bed {
    struct ctx c;
    struct sample thing;
};

static int set_up(void **state)
{
    static struct bed bed;

    bed = (struct bed){.c = {.arena = request_arena_new()}};
    *state = &bed;
    return 0;
}

static int tear_down(void **state)
{
    arena_free(((struct bed *)*state)->c.arena);
    return 0;
}

static err decode(struct bed *b, const char *text)
{
    struct json *args;
    const char *why;

    ctx_forgive(&b->c);
    b->thing = (struct sample){0};
    assert_int_equal(json_parse(b->c.arena, text, strlen(text), &args, &why), JSON_OK);
    return field_decode(&b->c, THING, args, &b->thing, true);
}

/* The one fault of `text` is at `pointer`. */
static void refused(struct bed *b, const char *text, const char *pointer)
{
    assert_int_equal(decode(b, text), ERR_INVALID);
    assert_int_equal(b->c.fault.n_fields, 1);
    assert_string_equal(b->c.fault.fields->pointer, pointer);
}

static void defaults_and_given(void **state)
{
    struct bed *b = *state;

    assert_int_equal(decode(b, "{\"title\":\"  a\\tb \",\"email\":null}"), ERR_OK);
    assert_string_equal(b->thing.title, "a\tb");
    assert_int_equal(b->thing.size, 20);
    assert_true(b->thing.share > 0.49 && b->thing.share < 0.51);
    assert_true(b->thing.loud && !b->thing.quiet);
    assert_int_equal(b->thing.colour, COLOUR_RED);
    assert_true(given(&b->thing, title) && given(&b->thing, email));
    assert_false(given(&b->thing, size) || given(&b->thing, loud) || given(&b->thing, quiet));
    assert_null(b->thing.email);
    assert_null(b->thing.part);
}

static void names_have_one_spelling(void **state)
{
    struct bed *b = *state;

    assert_int_equal(decode(b, "{\"title\":\"e\\u0301\"}"), ERR_OK);
    assert_string_equal(b->thing.title, "\xc3\xa9");
    assert_int_equal(decode(b, "{\"title\":\"t\",\"body\":\"e\\u0301\"}"), ERR_OK);
    assert_string_equal(b->thing.body, "e\xcc\x81");
}

static void every_type(void **state)
{
    struct bed *b = *state;

    assert_int_equal(decode(b, "{\"title\":\"t\",\"slug\":\"a-b\",\"email\":\"a@b.example\",\"body\":\" x\\u0001 \",\"size\":1e1,"
                               "\"share\":1,\"quiet\":true,\"colour\":\"sea_green\","
                               "\"id\":\"01890000-0000-7000-8000-000000000001\",\"at\":\"2026-11-18T11:00:00+01:00\","
                               "\"attrs\":{\"k\":[1]},\"any\":null,\"tags\":[\"x\",\"y\"],"
                               "\"ids\":[\"01890000-0000-7000-8000-000000000001\"],\"values\":[0.5,-2],"
                               "\"part\":{\"name\":\"p\"},\"parts\":[{\"name\":\"q\",\"weight\":3}]}"), ERR_OK);
    assert_int_equal(b->thing.size, 10);
    assert_string_equal(b->thing.body, " x\001 ");
    assert_int_equal(b->thing.colour, COLOUR_SEA);
    assert_int_equal(b->thing.tags.n, 2);
    assert_int_equal(b->thing.ids.n, 1);
    assert_true(b->thing.values.v[1] < -1.9);
    assert_int_equal(b->thing.part->weight, 7);
    assert_int_equal(((struct part *)b->thing.parts.v)[0].weight, 3);
    assert_int_equal(instant_civil(b->thing.at).hour, 10);
}

static void faults_name_their_place(void **state)
{
    struct bed *b = *state;

    refused(b, "{}", "/title");
    refused(b, "{\"title\":\"\"}", "/title");
    refused(b, "{\"title\":\"123456\"}", "/title");
    refused(b, "{\"title\":\"a\\u0007\"}", "/title");
    refused(b, "{\"title\":5}", "/title");
    refused(b, "{\"title\":null}", "/title");
    refused(b, "{\"title\":\"t\",\"slug\":\"A\"}", "/slug");
    refused(b, "{\"title\":\"t\",\"email\":\"a@b@c\"}", "/email");
    refused(b, "{\"title\":\"t\",\"size\":0}", "/size");
    refused(b, "{\"title\":\"t\",\"size\":1e9}", "/size");
    refused(b, "{\"title\":\"t\",\"size\":1.5}", "/size");
    refused(b, "{\"title\":\"t\",\"size\":\"5\"}", "/size");
    refused(b, "{\"title\":\"t\",\"size\":9223372036854775808}", "/size");
    refused(b, "{\"title\":\"t\",\"share\":1.01}", "/share");
    refused(b, "{\"title\":\"t\",\"loud\":1}", "/loud");
    refused(b, "{\"title\":\"t\",\"colour\":\"blue\"}", "/colour");
    refused(b, "{\"title\":\"t\",\"colour\":\"\"}", "/colour");
    refused(b, "{\"title\":\"t\",\"id\":\"x\"}", "/id");
    refused(b, "{\"title\":\"t\",\"at\":\"yesterday\"}", "/at");
    refused(b, "{\"title\":\"t\",\"attrs\":[]}", "/attrs");
    refused(b, "{\"title\":\"t\",\"attrs\":{\"k\":\"0123456789012345678901234567890123456789012345\"}}", "/attrs");
    refused(b, "{\"title\":\"t\",\"tags\":[\"a\",\"b\",\"c\"]}", "/tags");
    refused(b, "{\"title\":\"t\",\"tags\":[\"a\",1]}", "/tags/1");
    refused(b, "{\"title\":\"t\",\"values\":[]}", "/values");
    refused(b, "{\"title\":\"t\",\"values\":[\"1\"]}", "/values/0");
    refused(b, "{\"title\":\"t\",\"part\":{\"name\":\"p\",\"weight\":101}}", "/part/weight");
    refused(b, "{\"title\":\"t\",\"part\":{\"name\":\"p\",\"colour\":1}}", "/part/colour");
    refused(b, "{\"title\":\"t\",\"parts\":[{\"name\":\"q\"},{}]}", "/parts/1/name");
    refused(b, "{\"title\":\"t\",\"surprise\":1}", "/surprise");
}

static void all_faults_are_told(void **state)
{
    struct bed *b = *state;

    assert_int_equal(decode(b, "{\"size\":0,\"share\":9,\"colour\":\"blue\"}"), ERR_INVALID);
    assert_int_equal(b->c.fault.n_fields, 4);
}

static void what_is_encoded_decodes(void **state)
{
    struct bed *b = *state;
    struct json *out;
    struct sample first;

    assert_int_equal(decode(b, "{\"title\":\"t\",\"slug\":\"s\",\"body\":\"x\",\"any\":[1,{\"a\":null}],\"tags\":[\"x\"],\"values\":[3],"
                               "\"parts\":[{\"name\":\"q\"}]}"), ERR_OK);
    first = b->thing;
    out = field_encode(b->c.arena, THING, &first);
    b->thing = (struct sample){0};
    assert_int_equal(field_decode(&b->c, THING, out, &b->thing, true), ERR_OK);
    assert_true(json_equal(out, field_encode(b->c.arena, THING, &b->thing)));
}

static void schema_says_the_same(void **state)
{
    struct bed *b = *state;
    struct json *s = field_schema(b->c.arena, THING, true), *size = json_get(json_get(s, "properties"), "size");

    assert_int_equal(json_get(s, "required")->len, 1);
    assert_false(json_get_bool(s, "additionalProperties", true));
    assert_true(json_number(json_get(size, "minimum")) > 0.5 && json_number(json_get(size, "maximum")) < 100.5);
    assert_int_equal(json_get_int(size, "default", 0), 20);
    assert_int_equal(json_get(json_get(json_get(s, "properties"), "colour"), "enum")->len, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(defaults_and_given, set_up, tear_down),
        cmocka_unit_test_setup_teardown(names_have_one_spelling, set_up, tear_down),
        cmocka_unit_test_setup_teardown(every_type, set_up, tear_down),
        cmocka_unit_test_setup_teardown(faults_name_their_place, set_up, tear_down),
        cmocka_unit_test_setup_teardown(all_faults_are_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_encoded_decodes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(schema_says_the_same, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
