/* The profile of fusion that an account has of its own, fitted to its judged queries: settings.recall.profile. */
#ifndef LOCI_FITTED_H
#define LOCI_FITTED_H

#include "recall.h"

struct fitted {
    bool given;                /* false: the profile of the model holds */
    enum recall_fusion fusion; /* weighted or rrf */
    double alpha;              /* share of dense in the weighted fusion */
    double alpha_short;        /* the same for a text of a sentence */
    double alpha_skill;        /* the same for skills */
};

/* text: the setting as JSON, or NULL; model: the one that serves, such as "builtin:use-lite-en". Settings are anybody's JSON: what
 * makes no sense, or was fitted to another model, is not given. */
struct fitted fitted_read(struct arena *a, const char *text, const char *model);
struct json *fitted_json(struct arena *a, const struct fitted *f, const char *model);

/* The one in effect, and the model it goes with; *own: it is the account's, not the model's. In profile.c. */
err fitted_now(struct ctx *c, struct fitted *out, const char **model, bool *own);

#endif
