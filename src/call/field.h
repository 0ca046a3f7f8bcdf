/* Fields of requests and answers as data: one table decodes, validates, encodes and is published. */
#ifndef LOCI_FIELD_H
#define LOCI_FIELD_H

#include <stddef.h>
#include <stdint.h>

#include "clock.h"
#include "ctx.h"
#include "enumx.h"
#include "json.h"
#include "list.h"
#include "uuid.h"

/* The C type of the member, behind the dash. */
enum field_type {
    FT_END,
    FT_STR,      /* const char *; absent or null: NULL */
    FT_INT,      /* int64_t */
    FT_NUM,      /* double */
    FT_BOOL,     /* bool */
    FT_ENUM,     /* an enum declared by ENUMX_DECLARE */
    FT_UUID,     /* struct uuid; absent or null: nil */
    FT_TIME,     /* struct instant; absent or null: 0 */
    FT_OBJECT,   /* const struct json *, a JSON object; absent or null: NULL */
    FT_JSON,     /* const struct json *, any JSON */
    FT_STRS,     /* struct strs */
    FT_UUIDS,    /* struct uuids */
    FT_NUMS,     /* struct nums: finite numbers */
    FT_OBJ,      /* const struct <sub> *; absent or null: NULL */
    FT_LIST,     /* struct list of <sub> */
};

#define FIELD_REQUIRED 1u    /* input: must be there. Output fields are always there */
#define FIELD_NULLABLE 2u    /* null is allowed (input) or possible (output) */
#define FIELD_QUERY 4u       /* input: in the query string although the call has a body */
#define FIELD_SLUG 8u        /* FT_STR, FT_STRS: [a-z0-9][a-z0-9_.-]{0,99} */
#define FIELD_EMAIL 16u      /* FT_STR: an address */
#define FIELD_SECRET 32u     /* never logged, published as format password */
#define FIELD_RAW 64u        /* FT_STR: leading and trailing white space is kept; else it is trimmed */
#define FIELD_UNSAID 128u    /* input: left out is another thing than any value (the handler asks given()); no default is published */
#define FIELD_EITHER 256u     /* input: published as of the query string although the call has a body, and taken from the body, too */
#define FIELD_VALUES 512u    /* FT_JSON, FT_OBJECT: a list or object of values, each of which may have JSON_DEPTH_MAX levels; the service asks */
#define FIELD_AGENT 1024u     /* input, FT_UUID: an agent's "me" or slug stands for its id. So it does where the name is …agent_id */
#define FIELD_SPACE 2048u    /* the same of a space's slug, and of space_id */
#define FIELD_IN_QUERY (FIELD_QUERY | FIELD_EITHER)

struct field {
    enum field_type type;
    unsigned flags;
    const char *name;
    size_t off;
    double min, max;             /* FT_INT, FT_NUM: value; FT_STR: code points; FT_STRS …: items; FT_OBJECT, FT_JSON: bytes */
    double otherwise;            /* default of FT_INT, FT_NUM, FT_BOOL, FT_ENUM */
    const struct enumx *enumx;
    const struct field *sub;
    size_t sub_size;
    const char *help;
};

/* Every input struct begins with this when its handler asks what was said: `given(in, member)`. */
struct given {
    uint64_t bits[8];            /* one bit per byte of the struct: offset of the member */
};
#define given(in, member) \
    (((in)->given.bits[offsetof(typeof(*(in)), member) / 64] >> (offsetof(typeof(*(in)), member) % 64)) & 1)

#define F_CHECK_(s, m, type_) \
    (offsetof(s, m) + 0 * sizeof(char[_Generic(((s *)0)->m, type_: 1, default: -1)]))
#define F_ENUM_CHECK_(s, m) (offsetof(s, m) + 0 * sizeof(char[sizeof(((s *)0)->m) == sizeof(int) ? 1 : -1]))

#define F_STR(s, m, flags_, min_, max_, help_) \
    {.type = FT_STR, .flags = (flags_), .name = #m, .off = F_CHECK_(s, m, const char *), .min = (min_), .max = (max_), .help = (help_)}
#define F_INT(s, m, flags_, min_, max_, default_, help_) \
    {.type = FT_INT, .flags = (flags_), .name = #m, .off = F_CHECK_(s, m, int64_t), .min = (min_), .max = (max_), .otherwise = (default_), .help = (help_)}
#define F_NUM(s, m, flags_, min_, max_, default_, help_) \
    {.type = FT_NUM, .flags = (flags_), .name = #m, .off = F_CHECK_(s, m, double), .min = (min_), .max = (max_), .otherwise = (default_), .help = (help_)}
#define F_BOOL(s, m, flags_, default_, help_) \
    {.type = FT_BOOL, .flags = (flags_), .name = #m, .off = F_CHECK_(s, m, bool), .otherwise = (default_), .help = (help_)}
#define F_ENUM(s, m, flags_, enum_, default_, help_) \
    {.type = FT_ENUM, .flags = (flags_), .name = #m, .off = F_ENUM_CHECK_(s, m), .otherwise = (default_), .enumx = &enum_##_enumx, .help = (help_)}
#define F_UUID(s, m, flags_, help_) \
    {.type = FT_UUID, .flags = (flags_), .name = #m, .off = F_CHECK_(s, m, struct uuid), .help = (help_)}
#define F_TIME(s, m, flags_, help_) \
    {.type = FT_TIME, .flags = (flags_), .name = #m, .off = F_CHECK_(s, m, struct instant), .help = (help_)}
#define F_OBJECT(s, m, flags_, max_bytes_, help_) \
    {.type = FT_OBJECT, .flags = (flags_), .name = #m, .off = F_CHECK_(s, m, const struct json *), .max = (max_bytes_), .help = (help_)}
#define F_JSON(s, m, flags_, max_bytes_, help_) \
    {.type = FT_JSON, .flags = (flags_), .name = #m, .off = F_CHECK_(s, m, const struct json *), .max = (max_bytes_), .help = (help_)}
#define F_STRS(s, m, flags_, max_items_, help_) \
    {.type = FT_STRS, .flags = (flags_), .name = #m, .off = F_CHECK_(s, m, struct strs), .max = (max_items_), .help = (help_)}
#define F_UUIDS(s, m, flags_, max_items_, help_) \
    {.type = FT_UUIDS, .flags = (flags_), .name = #m, .off = F_CHECK_(s, m, struct uuids), .max = (max_items_), .help = (help_)}
#define F_NUMS(s, m, flags_, min_items_, max_items_, help_) \
    {.type = FT_NUMS, .flags = (flags_), .name = #m, .off = F_CHECK_(s, m, struct nums), .min = (min_items_), .max = (max_items_), .help = (help_)}
#define F_OBJ(s, m, flags_, sub_table_, sub_struct_, help_) \
    {.type = FT_OBJ, .flags = (flags_), .name = #m, .off = F_CHECK_(s, m, const sub_struct_ *), .sub = (sub_table_), .sub_size = sizeof(sub_struct_), .help = (help_)}
#define F_LIST(s, m, flags_, max_items_, sub_table_, sub_struct_, help_) \
    {.type = FT_LIST, .flags = (flags_), .name = #m, .off = F_CHECK_(s, m, struct list), .max = (max_items_), .sub = (sub_table_), .sub_size = sizeof(sub_struct_), .help = (help_)}
#define F_END {.type = FT_END}

/* limit and cursor of a list call */
#define F_PAGE(s) \
    F_INT(s, limit, 0, 1, LIMIT_PAGE, LIMIT_PAGE_DEFAULT, "maximum number of rows"), \
    F_STR(s, cursor, 0, 0, LIMIT_CURSOR, "next_cursor of the previous page; opaque")

/* Fills `in` (zeroed by the caller) from args, an object. Every fault is kept with its pointer (up to 16), none passes:
 * unknown members, wrong types, out of range, malformed. has_given: the struct begins with struct given. */
err field_decode(struct ctx *c, const struct field *table, const struct json *args, void *in, bool has_given);
/* The struct as a JSON object. */
struct json *field_encode(struct arena *a, const struct field *table, const void *out);
/* JSON Schema (2020-12) of the table as an object. as_input: required and defaults are given, unknown members refused. */
struct json *field_schema(struct arena *a, const struct field *table, bool as_input);
/* Schema of one field. */
struct json *field_schema_one(struct arena *a, const struct field *f, bool as_input);
/* One value of a query string or path as the JSON value the field wants; what is not one stays text, and is refused
 * by field_decode. */
struct json *field_from_text(struct arena *a, const struct field *f, const char *text);
bool field_is_agent(const struct field *f);
bool field_is_space(const struct field *f);
/* "; did you mean body or title?" for a member that the table does not have; empty when nothing comes near. */
const char *field_hint(struct arena *a, const struct field *table, const char *said);
const struct field *field_find(const struct field *table, const char *name);
/* Is what is left out of a request the same as `otherwise`? Only then the documents name it. */
bool field_has_default(const struct field *f);

#endif
