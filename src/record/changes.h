/* The feed of changes: what processes hold in memory of rows that others may change ends before the change can be seen. */
#ifndef LOCI_CHANGES_H
#define LOCI_CHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctx.h"

struct app;
struct config;
struct kv_feed;

#define CHANGES_CHANNEL "loci:changes"
/* Messages: `access ACCOUNT` (compiled access sets), `node ACCOUNT ID…` and `node ACCOUNT *` (rows of nodes), `uses
 * ACCOUNT ID…` (of these rows only counters and scores), `account ACCOUNT` (all of it may be another). One that is not understood ends everything that is held. */
#define CHANGES_OF_ACCESS "access "
#define CHANGES_OF_NODES "node "
#define CHANGES_OF_USES "uses "

/* Who holds something in memory (struct app.hearers). */
struct change_hearer {
    bool (*heard)(const struct app *app, const char *message);            /* false: the message is not for it, or not understood */
    void (*forget)(const struct app *app, const struct uuid *account_id); /* all that it holds of the account; NULL: of all */
    void (*tick)(struct ctx *c);                                          /* NULL: nothing to do */
};
/* Takes an id off the text of a message. */
bool changes_take_id(const char **text, struct uuid *id);

/* The line of a process that holds something (struct app.feed). */
struct kv_feed *changes_feed_new(const struct config *conf);
void changes_feed_free(struct kv_feed *feed);
/* About once a second, by one thread, in programs with a feed. */
void changes_tick(struct ctx *c);
/* Hears what was told until now, without waiting: what has changed is no longer held when this returns. Says on which
 * subscription (kv_feed_drain): what was taken in on another one is not to be used, and on 0 nothing is. */
uint64_t changes_listen(const struct app *app);

/* Inside a transaction, when the rows are locked by it: nobody hands out what he holds of them once it is committed. n rows,
 * or more than anybody would list: the whole account. */
err changes_of_nodes(struct ctx *c, struct uuid account_id, const struct uuid *ids, size_t n);
/* The same where the nodes were only used. */
err changes_of_uses(struct ctx *c, struct uuid account_id, const struct uuid *ids, size_t n);
/* Inside a transaction that puts many rows of an account in place, with instants of their own: all that is held of it ends, and
 * once it is over (struct app.account_replaced) what asks for changes by their time, too. */
err changes_of_account(struct ctx *c, struct uuid account_id);

#endif
