/* Events for others; see outbox.h. */
#include "outbox.h"

#include <assert.h>

#include "app.h"
#include "db.h"
#include "outbox_store.h"

static void outbox_tell(struct ctx *c, void *arg)
{
    (void)arg;
    c->app->news_made(c);
}

void outbox_made_news(struct ctx *c)
{
    if (!c->app || !c->app->news_made)
        return;
    if (!db_in_tx(c)) {
        c->app->news_made(c);
        return;
    }
    for (const struct tx_after *t = c->tx_after; t; t = t->next)
        if (t->run == outbox_tell) /* once is enough */
            return;
    ctx_after_tx(c, outbox_tell, NULL);
}

err outbox_add(struct ctx *c, const char *kind, struct uuid subject_id, struct uuid space_id, const struct json *payload)
{
    return outbox_add_many(c, kind, space_id, &(struct outbox_event){subject_id, payload}, 1);
}

err outbox_add_many(struct ctx *c, const char *kind, struct uuid space_id, const struct outbox_event *events, size_t n)
{
    assert(db_in_tx(c));
    if (!n)
        return ERR_OK;
    outbox_made_news(c);
    return outbox_store_insert(c, kind, space_id, events, n);
}

err outbox_purge(struct ctx *c, struct instant older_than, int64_t limit, int64_t *n)
{
    return outbox_store_purge(c, older_than, limit, n);
}
