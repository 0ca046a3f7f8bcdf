/* Lists as services and calls pass them on: what is in them, and how many. */
#ifndef LOCI_LIST_H
#define LOCI_LIST_H

#include <stddef.h>

#include "uuid.h"

struct strs { const char **v; size_t n; };
struct uuids { struct uuid *v; size_t n; };
struct nums { double *v; size_t n; };
struct list { void *v; size_t n; };

#endif
