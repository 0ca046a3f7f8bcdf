/* Telling and hearing of changes; see changes.h, and docs/decisions/0008-node-cache.md for why it holds. */
#include "changes.h"

#include <assert.h>
#include <string.h>

#include "app.h"
#include "db.h"
#include "kv.h"
#include "kv_feed.h"
#include "str.h"

#define IDS_TOLD 256 /* beyond that the account is told */
#define OF_ACCOUNT "account "
#define ID_LEN (UUID_TEXT - 1)

struct kv_feed *changes_feed_new(const struct config *conf)
{
    return kv_feed_new(conf, CHANGES_CHANNEL);
}

void changes_feed_free(struct kv_feed *feed)
{
    kv_feed_free(feed);
}

/* ---- hearing */

bool changes_take_id(const char **text, struct uuid *id)
{
    char one[UUID_TEXT];

    if (strnlen(*text, ID_LEN) < ID_LEN)
        return false;
    memcpy(one, *text, ID_LEN);
    one[ID_LEN] = 0;
    *text += ID_LEN;
    return uuid_parse(one, id);
}

static bool heard_account(const struct app *app, const char *text)
{
    struct uuid account_id;

    if (!changes_take_id(&text, &account_id) || *text)
        return false;
    for (const struct change_hearer *const *h = app->hearers; h && *h; h++)
        (*h)->forget(app, &account_id);
    if (app->account_replaced)
        app->account_replaced(app, &account_id);
    return true;
}

static void changes_hear(void *arg, const char *message)
{
    const struct app *app = *(const struct app *const *)arg;

    if (str_starts(message, OF_ACCOUNT) && heard_account(app, message + strlen(OF_ACCOUNT)))
        return;
    for (const struct change_hearer *const *h = app->hearers; h && *h; h++)
        if ((*h)->heard(app, message))
            return;
    for (const struct change_hearer *const *h = app->hearers; h && *h; h++)
        (*h)->forget(app, NULL);
}

uint64_t changes_listen(const struct app *app)
{
    return kv_feed_drain(app->feed, changes_hear, &app);
}

void changes_tick(struct ctx *c)
{
    const struct app *app = c->app;

    if (!app->feed)
        return;
    changes_listen(app);
    kv_feed_keep(app->feed);
    for (const struct change_hearer *const *h = app->hearers; h && *h; h++)
        if ((*h)->tick)
            (*h)->tick(c);
}

/* ---- telling */

static err changes_tell(struct ctx *c, const char *of, struct uuid account_id, const struct uuid *ids, size_t n)
{
    struct buf text;

    assert(db_in_tx(c));
    if (n == 0)
        return ERR_OK;
    buf_init(&text, c->arena, 128);
    buf_puts(&text, of);
    buf_puts(&text, UUID_STR(account_id));
    if (n > IDS_TOLD)
        buf_puts(&text, " *");
    for (size_t i = 0; i < n && n <= IDS_TOLD; i++) {
        buf_putc(&text, ' ');
        buf_puts(&text, UUID_STR(ids[i]));
    }
    return kv_publish(c, CHANGES_CHANNEL, buf_str(&text));
}

err changes_of_nodes(struct ctx *c, struct uuid account_id, const struct uuid *ids, size_t n)
{
    return changes_tell(c, CHANGES_OF_NODES, account_id, ids, n);
}

err changes_of_uses(struct ctx *c, struct uuid account_id, const struct uuid *ids, size_t n)
{
    return changes_tell(c, CHANGES_OF_USES, account_id, ids, n);
}

/* Redis away: nobody trusts what he holds then, but for the recall index, which is read anew once a day. */
static void account_is_other(struct ctx *c, void *arg)
{
    const struct uuid *account_id = arg;
    struct fault before = c->fault;

    if (c->app->account_replaced)
        c->app->account_replaced(c->app, account_id);
    if (kv_publish(c, CHANGES_CHANNEL, arena_printf(c->arena, OF_ACCOUNT "%s", UUID_STR(*account_id))) != ERR_OK)
        c->fault = before;
}

err changes_of_account(struct ctx *c, struct uuid account_id)
{
    ctx_after_tx(c, account_is_other, arena_memdup(c->arena, &account_id, sizeof account_id));
    return changes_tell(c, CHANGES_OF_NODES, account_id, NULL, SIZE_MAX);
}
