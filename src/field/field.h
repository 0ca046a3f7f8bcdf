/* Fields as data: one table decodes, validates, encodes and is published; a table of columns is also what rows are read and
 * written by (thing_table.h). */
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
    FT_BYTES,    /* struct bytes; only in columns, never on the wire */
};

#define FIELD_REQUIRED 1u /* input: must be there. Output fields are always there */
#define FIELD_NULLABLE 2u /* null is allowed (input) or possible (output) */
#define FIELD_QUERY 4u    /* input: in the query string although the call has a body */
#define FIELD_SLUG 8u        /* FT_STR, FT_STRS: [a-z0-9][a-z0-9_.-]{0,99} */
#define FIELD_EMAIL 16u   /* FT_STR: an address */
#define FIELD_SECRET 32u  /* never logged, published as format password */
#define FIELD_RAW 64u     /* FT_STR: leading and trailing white space is kept; else it is trimmed */
#define FIELD_UNSAID 128u /* input: left out is another thing than any value (the handler asks given()); no default is published */
#define FIELD_EITHER 256u /* input: published as of the query string although the call has a body, and taken from the body, too */
#define FIELD_VALUES 512u /* FT_JSON, FT_OBJECT: a list or object of values, each of which may have JSON_DEPTH_MAX levels; the service asks */
#define FIELD_AGENT 1024u /* input, FT_UUID: an agent's "me" or slug stands for its id. So it does where the name is …agent_id */
#define FIELD_SPACE 2048u /* the same of a space's slug, and of space_id */
#define FIELD_IN_QUERY (FIELD_QUERY | FIELD_EITHER)

/* What a column of a thing is for. */
#define COL_ROW (1u << 16)                           /* kept in the table of the thing; else `sql` computes it, or the service sets it */
#define COL_CREATE (1u << 17)                        /* taken by the operation that makes one; FIELD_REQUIRED is meant there */
#define COL_PATCH (1u << 18)                         /* taken by the operation that changes one */
#define COL_SHOW (1u << 19)                          /* in answers */
#define COL_AUDIT (1u << 20)                         /* in the before and after of audit events */
#define COL_KEY (1u << 21)                           /* the id */
#define COL_VERSION (1u << 22)                       /* int64_t: 1 at first, one more with every change */
#define COL_BORN (1u << 23)                          /* struct instant: when it was created */
#define COL_TOUCHED (1u << 24)                       /* struct instant: when it was last changed */
#define COL_RESET (1u << 25)                         /* in a change, null stands for the default */
#define COL_UNIQUE (1u << 26)                        /* a second one is refused: ERR_CONFLICT names it */
#define COL_SEALED (1u << 27)                        /* written when it is created, never read by a table: hashes of secrets */
#define COL_MADE (1u << 28)                          /* only in the answer of the operation that creates one: a secret that is shown once */
#define COL_LISTED (1u << 29)                        /* only in the answers of lists: a score */
#define COL_CHANGED (1u << 30)                       /* only in the answers of changes (OP_CHANGE) */
#define COL_READ (COL_ROW | COL_SHOW)                /* set by the service only */
#define COL_ONCE (COL_READ | COL_CREATE | COL_AUDIT) /* given when it is created */
#define COL_LATER (COL_READ | COL_PATCH | COL_AUDIT) /* starts with its default, can be changed */
#define COL_OPEN (COL_ONCE | COL_PATCH)              /* given when it is created, can be changed */

/* A nullable FT_INT that is null; a nullable FT_NUM that is null is NAN. */
#define FIELD_NONE INT64_MIN

struct field {
    enum field_type type;
    unsigned flags;
    const char *name;
    size_t off;
    double min, max;  /* FT_INT, FT_NUM: value; FT_STR: code points; FT_STRS …: items; FT_OBJECT, FT_JSON: bytes */
    double otherwise; /* default of FT_INT, FT_NUM, FT_BOOL, FT_ENUM */
    const struct enumx *enumx;
    const struct field *sub;
    size_t sub_size;
    const char *sub_named; /* "TABLE:struct type" of sub: what its schema is called after */
    const char *help;
    const char *schema;       /* another name for the schema of sub */
    const char *preset;       /* default of FT_STR; NULL: none */
    const char *sql;          /* of a column that is not read by its name alone: the expression */
    const char *label, *hint; /* in a form; label NULL: it has no field there */
    const char *shades;       /* FT_ENUM in pages: the badge of each value, "ok warn off"; NULL: no badge */
};

/* Every input struct begins with this when its handler asks what was said: `given(in, member)`. */
struct given {
    uint64_t bits[12]; /* one bit per byte of the struct: offset of the member */
};
#define given(in, member) \
    (((in)->given.bits[offsetof(typeof(*(in)), member) / 64] >> (offsetof(typeof(*(in)), member) % 64)) & 1)

#define F_CHECK_(s, m, type_) (offsetof(s, m) + 0 * sizeof(struct { \
    _Static_assert(_Generic(((s *)0)->m, type_: 1, default: 0), "member " #m " must be of type " #type_); int unused_; }))
#define F_ENUM_CHECK_(s, m) (offsetof(s, m) + 0 * sizeof(char[sizeof(((s *)0)->m) == sizeof(int) ? 1 : -1]))

#define F_STR(s, m, flags_, min_, max_, help_, ...) \
    {.type = FT_STR, .flags = (flags_), .name = #m, .off = F_CHECK_(s, m, const char *), .min = (min_), .max = (max_), .help = (help_) __VA_OPT__(,) __VA_ARGS__}
#define F_INT(s, m, flags_, min_, max_, default_, help_, ...) \
    {.type = FT_INT, .flags = (flags_), .name = #m, .off = F_CHECK_(s, m, int64_t), .min = (min_), .max = (max_), .otherwise = (default_), .help = (help_) __VA_OPT__(,) __VA_ARGS__}
#define F_NUM(s, m, flags_, min_, max_, default_, help_, ...) \
    {.type = FT_NUM, .flags = (flags_), .name = #m, .off = F_CHECK_(s, m, double), .min = (min_), .max = (max_), .otherwise = (default_), .help = (help_) __VA_OPT__(,) __VA_ARGS__}
#define F_BOOL(s, m, flags_, default_, help_, ...) \
    {.type = FT_BOOL, .flags = (flags_), .name = #m, .off = F_CHECK_(s, m, bool), .otherwise = (default_), .help = (help_) __VA_OPT__(,) __VA_ARGS__}
#define F_ENUM(s, m, flags_, enum_, default_, help_, ...) \
    {.type = FT_ENUM, .flags = (flags_), .name = #m, .off = F_ENUM_CHECK_(s, m), .otherwise = (default_), .enumx = &enum_##_enumx, .help = (help_) __VA_OPT__(,) __VA_ARGS__}
#define F_UUID(s, m, flags_, help_, ...) \
    {.type = FT_UUID, .flags = (flags_), .name = #m, .off = F_CHECK_(s, m, struct uuid), .help = (help_) __VA_OPT__(,) __VA_ARGS__}
#define F_TIME(s, m, flags_, help_, ...) \
    {.type = FT_TIME, .flags = (flags_), .name = #m, .off = F_CHECK_(s, m, struct instant), .help = (help_) __VA_OPT__(,) __VA_ARGS__}
#define F_OBJECT(s, m, flags_, max_bytes_, help_, ...) \
    {.type = FT_OBJECT, .flags = (flags_), .name = #m, .off = F_CHECK_(s, m, const struct json *), .max = (max_bytes_), .help = (help_) __VA_OPT__(,) __VA_ARGS__}
#define F_JSON(s, m, flags_, max_bytes_, help_, ...) \
    {.type = FT_JSON, .flags = (flags_), .name = #m, .off = F_CHECK_(s, m, const struct json *), .max = (max_bytes_), .help = (help_) __VA_OPT__(,) __VA_ARGS__}
#define F_STRS(s, m, flags_, max_items_, help_, ...) \
    {.type = FT_STRS, .flags = (flags_), .name = #m, .off = F_CHECK_(s, m, struct strs), .max = (max_items_), .help = (help_) __VA_OPT__(,) __VA_ARGS__}
#define F_UUIDS(s, m, flags_, max_items_, help_, ...) \
    {.type = FT_UUIDS, .flags = (flags_), .name = #m, .off = F_CHECK_(s, m, struct uuids), .max = (max_items_), .help = (help_) __VA_OPT__(,) __VA_ARGS__}
#define F_NUMS(s, m, flags_, min_items_, max_items_, help_, ...) \
    {.type = FT_NUMS, .flags = (flags_), .name = #m, .off = F_CHECK_(s, m, struct nums), .min = (min_items_), .max = (max_items_), .help = (help_) __VA_OPT__(,) __VA_ARGS__}
#define F_OBJ(s, m, flags_, sub_table_, sub_struct_, help_, ...) \
    {.type = FT_OBJ, .flags = (flags_), .name = #m, .off = F_CHECK_(s, m, const sub_struct_ *), .sub = (sub_table_), .sub_size = sizeof(sub_struct_), .sub_named = #sub_table_ ":" #sub_struct_, .help = (help_) __VA_OPT__(,) __VA_ARGS__}
#define F_LIST(s, m, flags_, max_items_, sub_table_, sub_struct_, help_, ...) \
    {.type = FT_LIST, .flags = (flags_), .name = #m, .off = F_CHECK_(s, m, struct list), .max = (max_items_), .sub = (sub_table_), .sub_size = sizeof(sub_struct_), .sub_named = #sub_table_ ":" #sub_struct_, .help = (help_) __VA_OPT__(,) __VA_ARGS__}
#define F_BYTES(s, m, flags_, help_, ...) \
    {.type = FT_BYTES, .flags = (flags_), .name = #m, .off = F_CHECK_(s, m, struct bytes), .help = (help_) __VA_OPT__(,) __VA_ARGS__}
/* Callers know the member by another name. */
#define F_STR_AS(name_, s, m, flags_, min_, max_, help_) \
    {.type = FT_STR, .flags = (flags_), .name = (name_), .off = F_CHECK_(s, m, const char *), .min = (min_), .max = (max_), .help = (help_)}
#define F_ENUM_AS(name_, s, m, flags_, enum_, default_, help_) \
    {.type = FT_ENUM, .flags = (flags_), .name = (name_), .off = F_ENUM_CHECK_(s, m), .otherwise = (default_), .enumx = &enum_##_enumx, \
     .help = (help_)}
#define F_UUID_AS(name_, s, m, flags_, help_) \
    {.type = FT_UUID, .flags = (flags_), .name = (name_), .off = F_CHECK_(s, m, struct uuid), .help = (help_)}
#define F_END {.type = FT_END}

/* The columns that most things have. */
#define F_ID(s, help_) F_UUID(s, id, COL_READ | COL_KEY, help_)
#define F_VERSION(s) F_INT(s, version, COL_READ | COL_VERSION, 0, 0, 0, "version; increases with every change; the ETag")
#define F_TIMES(s) F_TIME(s, created_at, COL_READ | COL_BORN, "when it was created"), \
                   F_TIME(s, updated_at, COL_READ | COL_TOUCHED, "when it was last changed")

/* limit and cursor of a list call */
#define F_PAGE(s) \
    F_INT(s, limit, 0, 1, LIMIT_PAGE, LIMIT_PAGE_DEFAULT, "maximum number of rows"), \
    F_STR(s, cursor, 0, 0, LIMIT_CURSOR, "next_cursor of the previous page; opaque")

/* Fills `in` (zeroed by the caller) from args, an object. Every fault is kept with its pointer (up to 16), none passes:
 * unknown members, wrong types, out of range, malformed. has_given: the struct begins with struct given. */
err field_decode(struct ctx *c, const struct field *table, const struct json *args, void *in, bool has_given);
/* The struct as a JSON object. */
struct json *field_encode(struct arena *a, const struct field *table, const void *out);
/* … of the columns that have this use: COL_AUDIT. */
struct json *field_encode_use(struct arena *a, const struct field *table, unsigned use, const void *row);
/* JSON Schema (2020-12) of the table as an object. as_input: required and defaults are given, unknown members refused. */
struct json *field_schema(struct arena *a, const struct field *table, bool as_input);
/* Schema of one field. */
struct json *field_schema_one(struct arena *a, const struct field *f, bool as_input);

/* The schemas of answers that a document names once and refers to: "Node", "Hit". */
struct schema_names {
    struct arena *arena;
    struct json *schemas; /* an object: name and schema */
    const char *prefix;   /* for a name that another table has already: "Pool" */
};
/* {"$ref": …} of the table, which it adds when it is new; called: its name, or NULL; named: "TABLE:struct type". */
struct json *field_schema_named(struct schema_names *n, const struct field *table, const char *called, const char *named);
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

/* ---- columns (field_part.c) */

/* A change of a thing: `struct agent_change {struct thing_change change; struct agent to;}`. to has the id and what was given. */
struct thing_change {
    struct given given; /* of the struct that this one begins */
    int64_t if_version; /* 0: any */
    const char *verb;   /* of the audit event; NULL: update */
};
#define changes(ch, m) \
    (((ch)->change.given.bits[offsetof(typeof(*(ch)), to.m) / 64] >> (offsetof(typeof(*(ch)), to.m) % 64)) & 1)
/* Says one thing of a change, for callers in the house. */
#define change_to(ch, m, value) \
    ((ch)->change.given.bits[offsetof(typeof(*(ch)), to.m) / 64] |= (uint64_t)1 << (offsetof(typeof(*(ch)), to.m) % 64), \
     (ch)->to.m = (value))
/* One change of one member. */
#define CHANGE_OF(type, id_, m, value, ...) \
    (&(type){.change.given.bits[offsetof(type, to.m) / 64] = (uint64_t)1 << (offsetof(type, to.m) % 64), \
             .to = {.id = (id_), .m = (value)} __VA_OPT__(,) __VA_ARGS__})

/* The fields of an operation: the columns that have this use (COL_CREATE, COL_PATCH, COL_KEY, COL_SHOW with COL_MADE, COL_LISTED or
 * COL_CHANGED), the row being at this offset in its struct. */
const struct field *field_part(struct arena *a, const struct field *table, unsigned use, size_t at);
/* Every member gets its default. */
void field_defaults(const struct field *table, void *row);
/* What a new row has of itself: defaults of what nobody gives, id, version and times. */
void field_begin_row(struct ctx *c, const struct field *table, void *row);
/* The next version, changed now. */
void field_touch(struct ctx *c, const struct field *table, void *row);
/* Into row what the change says. */
void field_apply(const struct field *table, const struct thing_change *ch, size_t at, const void *to, void *row);
/* The limits of what can be given, for callers that met no field_decode; texts are trimmed as there. */
err field_check(struct ctx *c, const struct field *table, void *row);
/* … of what the change says: the rest of the row may be older than its limits. */
err field_check_change(struct ctx *c, const struct field *table, const struct thing_change *ch, size_t at, void *row);
bool field_is_given(const struct given *g, size_t off);
/* Does the change say anything? */
bool field_is_any_given(const struct field *table, const struct given *g, size_t at);
/* Bytes of a member. */
size_t field_size(const struct field *f);
const struct field *field_with(const struct field *table, unsigned use); /* the first; NULL: none */

#endif
