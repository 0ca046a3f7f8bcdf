/* Events for others; see outbox.h. */
#include "outbox.h"

#include <assert.h>

#include "db.h"
#include "outbox_store.h"

err outbox_add(struct ctx *c, const char *kind, struct uuid subject_id, struct uuid space_id, const struct json *payload)
{
    assert(db_in_tx(c));
    return outbox_store_insert(c, kind, subject_id, space_id, payload);
}

err outbox_purge(struct ctx *c, struct instant older_than, int64_t limit, int64_t *n)
{
    return outbox_store_purge(c, older_than, limit, n);
}
