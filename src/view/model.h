/* Values as people read them: what page handlers put into the models of the templates. */
#ifndef LOCI_MODEL_H
#define LOCI_MODEL_H

#include "clock.h"
#include "json.h"

/* {iso, text, ago}, or null for an instant that is none; for the partials "time" and "ago". */
struct json *model_time(struct arena *a, struct instant t, struct instant now);
/* {kind, text}; kind: ok, warn, bad, info or off. For the partial "badge". Both are kept, not copied. */
struct json *model_badge(struct arena *a, const char *kind, const char *text);
const char *model_count(struct arena *a, int64_t n);                                      /* 12,345 */
const char *model_counted(struct arena *a, int64_t n, const char *one, const char *many); /* 1 key, 12,345 keys */
const char *model_bytes(struct arena *a, int64_t n);                                      /* 1.4 MiB */
const char *model_duration(struct arena *a, int64_t us);                                  /* 350 ms, 1.2 s, 3 min 5 s, 2 h 10 min */
/* Sets can.area.action for "area.action". */
void model_can(struct arena *a, struct json *can, const char *permission);
/* path?name=value&… of the members of query that are not empty, percent-encoded. Numbers and texts only. */
const char *model_href(struct arena *a, const char *path, const struct json *query);
/* s as one segment of a path or one value of a query. */
const char *model_encoded(struct arena *a, const char *s);
/* {next, first}: links to the page after and, when the query has a cursor, to the first one. */
struct json *model_pager(struct arena *a, const char *path, const struct json *query, const char *next_cursor);
/* [{value, text, selected}] for a <select>; text of each is its value. */
struct json *model_options(struct arena *a, const char *const *values, size_t n, const char *chosen);

#endif
