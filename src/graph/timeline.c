/* The timeline; see timeline.h. */
#include "timeline.h"

#include <assert.h>
#include <string.h>

#include "timeline_store.h"

err timeline_kinds(struct ctx *c, struct instant first, int n, struct list *kinds)
{
    assert(n > 0 && n <= TIMELINE_DAYS);
    return timeline_store_kinds(c, first, n, kinds);
}

err timeline_derived(struct ctx *c, const struct uuid *ids, size_t n, bool *derived)
{
    struct uuid *those = ARENA_ARRAY(c->arena, struct uuid, n + 1);
    size_t k = 0;

    memset(derived, 0, n * sizeof *derived);
    if (n)
        TRY(timeline_store_derived(c, ids, n, those, &k));
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < k && !derived[i]; j++)
            derived[i] = uuid_eq(ids[i], those[j]);
    return ERR_OK;
}
