/* A change of a pool before it is written: the rows around the paths it touches, and what becomes of them. */
#ifndef LOCI_POOL_WORK_H
#define LOCI_POOL_WORK_H

#include "pool_data.h"
#include "pool_path.h"

enum pool_fate { POOL_KEPT, POOL_PUT, POOL_DROPPED };

struct pool_slot {
    struct pool_entry e;
    const struct json *was; /* value of a row that is put again; NULL: a new row */
    enum pool_fate fate;
};

struct pool_work {
    struct arena *arena;
    struct pool_slot *rows; /* in the order of keys */
    size_t n;
    struct pool_slot *made; /* at most `room` new ones, in any order */
    size_t n_made, room;
};

/* rows: no row is below another. Expired ones are dropped at once. */
void pool_work_begin(struct pool_work *w, struct arena *a, const struct pool_entry *rows, size_t n, size_t room);

struct pool_seen {
    const struct json *value; /* NULL: nothing, or rows below, whose values are not here */
    bool exists, is_below;
    int64_t version; /* 0: nothing */
};
void pool_work_see(struct pool_work *w, const struct pool_path *p, struct pool_seen *out);

/* Where p is inside the value of a row above it, that row gives way to one row for each member beside the way to p, so that p can
 * become a row of its own, with an end of its own; the others keep the end of the row. *split: the row, NULL when there is none above p; *parts: how
 * many rows that makes, at the beginning of w->made. The answer is NULL, or the name of a member that cannot be a segment of a
 * key; then nothing is changed. */
const char *pool_work_split(struct pool_work *w, const struct pool_path *p, const struct pool_entry **split, size_t *parts);
/* false: something on the way is no object. */
bool pool_work_set(struct pool_work *w, const struct pool_path *p, const struct json *value);
/* The rows of `by`, which were made from nothing, are all there shall be. */
void pool_work_replace(struct pool_work *w, const struct pool_work *by);
/* false: there was nothing. */
bool pool_work_cut(struct pool_work *w, const struct pool_path *p);
/* Objects merge, all else replaces; p without segments is the document. NULL, or the name of a member that cannot be part of a
 * key where it would have to. */
const char *pool_work_merge(struct pool_work *w, const struct pool_path *p, const struct json *value);

#endif
