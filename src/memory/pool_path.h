/* Keys of pools are paths into one document: their grammar, and what they do to JSON values. */
#ifndef LOCI_POOL_PATH_H
#define LOCI_POOL_PATH_H

#include <stdbool.h>

#include "ctx.h"
#include "json.h"

#define POOL_KEY 512     /* bytes of a key */
#define POOL_SEGMENT 100 /* bytes of a segment */
#define POOL_SEGMENTS 8

/* A key taken apart. */
struct pool_path {
    const char *key;
    const char *segments[POOL_SEGMENTS];
    size_t n;
};

/* ERR_INVALID naming `pointer`: empty segments, too long, too many, control characters. */
err pool_path_parse(struct ctx *c, const char *pointer, const char *key, struct pool_path *out);
/* Whether a member's name could be a segment. */
bool pool_path_is_segment(const char *name);
/* The key of the first n segments. */
const char *pool_path_prefix(struct arena *a, const struct pool_path *p, size_t n);
/* How many segments a key has that is known to be one. */
size_t pool_path_depth(const char *key);
/* Where rows below a key begin and end: [key ".", key "/"). */
const char *pool_path_from(struct arena *a, const char *key);
const char *pool_path_to(struct arena *a, const char *key);

/* What is at the segments from `from` on inside a value; NULL: nothing. */
const struct json *pool_path_get(const struct json *value, const struct pool_path *p, size_t from);
/* The value with v there. Objects on the way are made; NULL: something on the way is no object. Neither is changed. */
struct json *pool_path_set(struct arena *a, const struct json *value, const struct pool_path *p, size_t from, const struct json *v);
/* The value without what is there; NULL: there was nothing. */
struct json *pool_path_cut(struct arena *a, const struct json *value, const struct pool_path *p, size_t from);
/* Adds the value of a row to a document of which `base` segments lead to its root; rows come in the order of their keys. */
void pool_path_graft(struct arena *a, struct json *root, size_t base, const char *key, const struct json *value);
/* Objects merge deep, all else replaces; null is a value. */
const struct json *pool_path_merge(struct arena *a, const struct json *old, const struct json *in);

#endif
