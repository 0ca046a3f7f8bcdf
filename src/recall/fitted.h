/* How far an account believes meaning beside words, fitted to its judged queries: settings.recall.profile. */
#ifndef LOCI_FITTED_H
#define LOCI_FITTED_H

#include "recall.h"

#define FITTED_MOST 4.0

struct fitted {
    bool given;     /* false: one nat of meaning is as good as one of words */
    double meaning; /* what a nat of meaning is worth beside one of words */
};

/* text: the setting as JSON, or NULL; model: the one that serves, such as "builtin:use-lite-en". Settings are anybody's JSON: what
 * makes no sense, or was fitted to another model, is not given. */
struct fitted fitted_read(struct arena *a, const char *text, const char *model);
struct json *fitted_json(struct arena *a, const struct fitted *f, const char *model);

#endif
