/* JSON as a tree in an arena: read (strictly guarded), built, and written. The only JSON code of the house. */
#ifndef LOCI_JSON_H
#define LOCI_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "limit.h"
#include "str.h"

enum json_type { JSON_NULL, JSON_BOOL, JSON_INT, JSON_NUM, JSON_STR, JSON_RAW, JSON_ARR, JSON_OBJ };

/* A value. Strings are NUL-terminated and hold no NUL. A number that is no integer keeps the text it was read from. There are
 * many of them: 48 bytes each. Only what everybody tests the type for shares a place, so that `first` and `s` are NULL where
 * they mean nothing. */
struct json {
    uint8_t type; /* enum json_type */
    bool b;
    uint32_t len;    /* of s; of JSON_ARR and JSON_OBJ: number of children */
    const char *key; /* the member's name, when the parent is an object */
    struct json *next, *first;
    const char *s; /* JSON_STR; JSON_RAW: JSON text that is known to be valid; JSON_NUM: as read, or NULL */
    union {
        struct json *last; /* JSON_ARR and JSON_OBJ */
        int64_t i;         /* JSON_INT */
        double real;       /* JSON_NUM; json_number() is for both */
    };
};

enum json_fault {
    JSON_OK, JSON_MALFORMED, JSON_NOT_UTF8, JSON_TOO_DEEP, JSON_DUPLICATE_KEY, JSON_BAD_NUMBER,
    JSON_TOO_MANY            /* values, or bytes: more than JSON_NODES_MAX, or than the arena takes */
};

/* Strict RFC 8259: depth at most JSON_DEPTH_READ, at most JSON_NODES_MAX values, no NUL (raw or escaped), strict UTF-8, no lone
 * surrogates, no duplicate keys, no comments, nothing after the value; numbers too large for a double are refused. *why says
 * where and what. */
enum json_fault json_parse(struct arena *a, const char *text, size_t n, struct json **out, const char **why);
/* For what a program of ours or a provider writes: up to so many values. */
enum json_fault json_parse_large(struct arena *a, const char *text, size_t n, size_t nodes, struct json **out, const char **why);

/* Reading: all accept NULL and the wrong type and then say "no". */
struct json *json_get(const struct json *obj, const char *key);
const char *json_get_str(const struct json *obj, const char *key); /* NULL when absent or not a string */
int64_t json_get_int(const struct json *obj, const char *key, int64_t otherwise);
bool json_get_bool(const struct json *obj, const char *key, bool otherwise);
int json_depth(const struct json *j);     /* levels of arrays and objects; a plain value has 0 */
double json_number(const struct json *j); /* of JSON_INT and JSON_NUM; else 0 */
bool json_is(const struct json *j, enum json_type type);
bool json_equal(const struct json *a, const struct json *b); /* members in any order; 1 equals 1.0 */

/* Building. */
struct json *json_new(struct arena *a, enum json_type type);
struct json *json_obj(struct arena *a);
struct json *json_arr(struct arena *a);
struct json *json_str(struct arena *a, const char *s); /* NULL gives null; s is kept, not copied */
struct json *json_int(struct arena *a, int64_t v);
struct json *json_num(struct arena *a, double v); /* not finite gives null */
struct json *json_bool(struct arena *a, bool v);
/* What a raw one says, as a tree; NULL if its text is not JSON. All else is what it is. */
const struct json *json_opened(struct arena *a, const struct json *j);
struct json *json_raw(struct arena *a, const char *text); /* NULL gives null; text must be valid JSON */
void json_push(struct json *arr, struct json *value);
struct json *json_set(struct arena *a, struct json *obj, const char *key, struct json *value); /* key kept; returns value */
/* In the place of the member of that name, or as a new one: json_set() does not look, and of two the first counts.
 * Returns the member; value is not used further. */
struct json *json_put(struct arena *a, struct json *obj, const char *key, struct json *value);
void json_set_str(struct arena *a, struct json *obj, const char *key, const char *s);
void json_set_int(struct arena *a, struct json *obj, const char *key, int64_t v);
void json_set_bool(struct arena *a, struct json *obj, const char *key, bool v);

/* RFC 7396: what target becomes when patch is merged into it. Neither is changed. */
struct json *json_merge_patch(struct arena *a, const struct json *target, const struct json *patch);

/* Writing. for_html escapes '<' so that the text is safe inside a script block. */
void json_write(struct buf *out, const struct json *j, bool for_html);
const char *json_text(struct arena *a, const struct json *j);
const char *json_text_pretty(struct arena *a, const struct json *j); /* two spaces a level, for people */

#endif
