/* Findings, replaced as memories are looked at again; see finding.h. */
#include "finding.h"

#include "finding_store.h"

ENUMX_DEFINE(finding_class, FINDING_CLASS);

err finding_replace(struct ctx *c, enum finding_class class, const struct uuid *looked_at, size_t n_looked_at, const struct finding *rows,
                    size_t n)
{
    const char *name = enumx_name(&finding_class_enumx, (int)class);

    if (n_looked_at)
        TRY(finding_store_drop(c, name, looked_at, n_looked_at));
    return n ? finding_store_put(c, name, rows, n) : ERR_OK;
}
