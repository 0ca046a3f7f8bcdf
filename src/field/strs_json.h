/* Lists of strings and ids as JSON arrays, and back. */
#ifndef LOCI_STRS_JSON_H
#define LOCI_STRS_JSON_H

#include "json.h"
#include "list.h"

struct json *strs_to_json(struct arena *a, struct strs list);
/* NULL text gives an empty list with v == NULL; what is not a string is left out. */
struct strs strs_from_json(struct arena *a, const char *text);
struct json *uuids_to_json(struct arena *a, struct uuids list);
/* Likewise; what is not an id is left out. */
struct uuids uuids_from_json(struct arena *a, const char *text);

#endif
