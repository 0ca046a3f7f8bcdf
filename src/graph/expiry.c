/* Tidying up behind what has expired; see expiry.h. */
#include "expiry.h"

#include <string.h>

#include "app.h"
#include "audit.h"
#include "expiry_store.h"
#include "node.h"
#include "node_write_store.h"

static struct instant tokens_before(const struct ctx *c)
{
    return (struct instant){c->now.us - EXPIRED_TOKEN_DAYS * DAY_US};
}

err expiry_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    return expiry_store_due(c, tokens_before(c), c->now, above, ids, max, n);
}

/* The lowest id that something of that instant can have. */
static struct uuid first_id(struct instant t)
{
    struct uuid id = {0};
    uint64_t ms = (uint64_t)(t.us > 0 ? t.us / 1000 : 0);

    for (int i = 0; i < 6; i++)
        id.b[i] = (uint8_t)(ms >> (40 - 8 * i));
    id.b[6] = 0x70;
    id.b[8] = 0x80;
    return id;
}

err retention_due(struct ctx *c, struct instant audit_before, struct instant outbox_before, struct uuid above,
                  struct uuid *ids, size_t max, size_t *n)
{
    return expiry_store_retention_due(c, first_id(audit_before), first_id(outbox_before), above, ids, max, n);
}

/* ---- removing */

static struct uuid *expiry_ids_of(struct ctx *c, const struct expired *rows, size_t n)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, n + 1);

    for (size_t i = 0; i < n; i++)
        ids[i] = rows[i].id;
    return ids;
}

static err expiry_record(struct ctx *c, const struct expired *rows, size_t n, const char *kind, const char *subject, bool is_news)
{
    struct audit *events = ARENA_ARRAY(c->arena, struct audit, n + 1);

    for (size_t i = 0; i < n; i++)
        events[i] = (struct audit){.kind = kind, .subject_kind = subject, .subject_id = rows[i].id,
                                   .space_id = rows[i].space_id, .is_news = is_news};
    return audit_add_many(c, events, n);
}

err expiry_tokens(struct ctx *c, int64_t limit, int64_t *n)
{
    struct expired *rows = ARENA_ARRAY(c->arena, struct expired, (size_t)limit);
    size_t got;

    TRY(expiry_store_tokens(c, tokens_before(c), rows, (size_t)limit, &got));
    *n = (int64_t)got;
    if (got == 0)
        return ERR_OK;
    TRY(expiry_store_delete_tokens(c, expiry_ids_of(c, rows, got), got));
    return expiry_record(c, rows, got, "token.expire", "token", false);
}

/* An expired grant is in no compiled access set any more, so none has to be told. */
err expiry_grants(struct ctx *c, int64_t limit, int64_t *n)
{
    struct expired *rows = ARENA_ARRAY(c->arena, struct expired, (size_t)limit);
    size_t got;

    TRY(expiry_store_grants(c, c->now, rows, (size_t)limit, &got));
    *n = (int64_t)got;
    if (got == 0)
        return ERR_OK;
    TRY(expiry_store_delete_grants(c, expiry_ids_of(c, rows, got), got));
    return expiry_record(c, rows, got, "grant.expire", "grant", false);
}

err expiry_nodes(struct ctx *c, int64_t limit, int64_t *n)
{
    struct expired *rows = ARENA_ARRAY(c->arena, struct expired, (size_t)limit);
    size_t got, live = 0;

    TRY(expiry_store_nodes(c, c->now, rows, (size_t)limit, &got));
    *n = (int64_t)got;
    if (got == 0)
        return ERR_OK;
    TRY(node_write_expired(c, expiry_ids_of(c, rows, got), got));
    for (size_t i = 0; i < got; i++) /* of the others nobody has known for long */
        if (strcmp(rows[i].status, NODE_VERSION) != 0 && strcmp(rows[i].status, NODE_FORGOTTEN) != 0)
            rows[live++] = rows[i];
    if (!live)
        return ERR_OK;
    if (c->app->nodes_expired)
        TRY(c->app->nodes_expired(c, expiry_ids_of(c, rows, live), live));
    return expiry_record(c, rows, live, "node.expire", "node", true);
}
