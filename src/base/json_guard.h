/* The check that stands before the JSON parser. */
#ifndef LOCI_JSON_GUARD_H
#define LOCI_JSON_GUARD_H

#include "json.h"

/* Says whether the bytes may be given to the parser; *at is where the fault was found. It does not check the grammar.
 * *nodes: the most there may be; it is set to how many there are, if it is JSON. */
enum json_fault json_guard(const char *text, size_t n, size_t *nodes, size_t *at);

#endif
