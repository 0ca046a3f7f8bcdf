/* Fuzzes the decoding of fields: any JSON object becomes a struct or a list of faults; what it became encodes to JSON that
 * becomes the same again. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "field.h"
#include "str.h"

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
    bool loud;
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
    F_INT(struct part, weight, 0, -100, 100, 7, "weight"),
    F_END,
};

static const struct field THING[] = {
    F_STR(struct sample, title, FIELD_REQUIRED, 1, 20, "title"),
    F_STR(struct sample, slug, FIELD_SLUG | FIELD_NULLABLE, 0, 100, "slug"),
    F_STR(struct sample, email, FIELD_EMAIL | FIELD_NULLABLE, 0, 254, "address"),
    F_STR(struct sample, body, FIELD_RAW | FIELD_NULLABLE, 0, 100, "text"),
    F_INT(struct sample, size, 0, -9e15, 9e15, 20, "size"),
    F_NUM(struct sample, share, 0, -1e300, 1e300, 0.5, "share"),
    F_BOOL(struct sample, loud, 0, true, "loud"),
    F_ENUM(struct sample, colour, 0, colour, COLOUR_RED, "colour"),
    F_UUID(struct sample, id, FIELD_NULLABLE, "id"),
    F_TIME(struct sample, at, FIELD_NULLABLE, "when"),
    F_OBJECT(struct sample, attrs, FIELD_NULLABLE, 500, "attributes"),
    F_JSON(struct sample, any, 0, 500, "anything"),
    F_STRS(struct sample, tags, FIELD_SLUG, 4, "tags"),
    F_UUIDS(struct sample, ids, 0, 4, "ids"),
    F_NUMS(struct sample, values, 0, 0, 4, "values"),
    F_OBJ(struct sample, part, FIELD_NULLABLE, PART, struct part, "one part"),
    F_LIST(struct sample, parts, 0, 4, PART, struct part, "parts"),
    F_END,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_faults(const struct ctx *c)
{
    int n = 0;

    assert(c->fault.code == ERR_INVALID && c->fault.message);
    for (const struct field_error *f = c->fault.fields; f; f = f->next, n++)
        assert(*f->pointer == '/' && *f->detail && str_is_utf8(f->detail, strlen(f->detail)));
    assert(n >= 1 && n <= FIELD_ERRORS_MAX);
}

/* A nil among ids is written as null, which no list of ids takes. */
static bool has_nil(const struct sample *t)
{
    for (size_t i = 0; i < t->ids.n; i++)
        if (uuid_is_nil(t->ids.v[i]))
            return true;
    return false;
}

static void there_and_back(struct ctx *c, const struct json *args)
{
    struct sample first = {0}, second = {0};
    const char *text, *why;
    struct json *out;

    if (field_decode(c, THING, args, &first, true) != ERR_OK) {
        check_faults(c);
        return;
    }
    assert(first.title && str_code_points(first.title, strlen(first.title)) <= 20);
    assert(first.size >= -9000000000000000 && first.size <= 9000000000000000);
    if (has_nil(&first))
        return;
    text = json_text(c->arena, field_encode(c->arena, THING, &first));
    assert(json_parse(c->arena, text, strlen(text), &out, &why) == JSON_OK);
    assert(field_decode(c, THING, out, &second, true) == ERR_OK);
    assert(strcmp(text, json_text(c->arena, field_encode(c->arena, THING, &second))) == 0);
}

/* The same bytes as one value of a query string, for every field. */
static void as_text(struct ctx *c, const char *text)
{
    for (const struct field *f = THING; f->type != FT_END; f++) {
        struct json *args = json_obj(c->arena);
        struct sample t = {0};

        ctx_forgive(c);
        json_set(c->arena, args, f->name, field_from_text(c->arena, f, text));
        if (field_decode(c, THING, args, &t, true) != ERR_OK)
            check_faults(c);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ctx c = {.arena = arena_new(256u << 20)};
    struct json *args;
    const char *why;

    if (json_parse(c.arena, (const char *)data, size, &args, &why) == JSON_OK && json_is(args, JSON_OBJ))
        there_and_back(&c, args);
    else if (size <= 1000 && str_is_utf8((const char *)data, size) && !memchr(data, 0, size))
        as_text(&c, arena_strndup(c.arena, (const char *)data, size));
    arena_free(c.arena);
    return 0;
}
