/* Keeping and showing the access log; see access_log.h. */
#include "access_log.h"

#include <assert.h>

#include "access.h"
#include "access_log_impl.h"
#include "context_impl.h"
#include "db.h"
#include "principal.h"
#include "space_room.h"

ENUMX_DEFINE(access_action, ACCESS_ACTION);
ENUMX_DEFINE(access_type, ACCESS_TYPE);

static enum access_type way_of(const struct ctx *c)
{
    if (!c->who || c->who->kind == PRINCIPAL_SYSTEM)
        return LOGGED_BY_SYSTEM;
    if (c->who->kind == PRINCIPAL_AGENT)
        return LOGGED_BY_AGENT;
    return c->who->session ? LOGGED_BY_USER : LOGGED_BY_API;
}

struct access_row access_row_of(const struct ctx *c, enum access_action action, struct uuid context_id, struct uuid entry_id)
{
    struct access_row r = {
        .account_id = c->account_id, .id = uuid_new(c->now.us), .space_id = context_id, .entry_id = entry_id, .action = action,
        .access_type = way_of(c), .success = true, .request_id = c->request_id ? c->request_id : "", .ip = c->ip ? c->ip : "",
        .user_agent = c->user_agent ? c->user_agent : "", .created_at = c->now};

    if (c->who && c->who->kind == PRINCIPAL_USER)
        r.user_id = c->who->id;
    if (c->who && c->who->kind == PRINCIPAL_AGENT)
        r.agent_id = c->who->id;
    return r;
}

static struct access_row row_of_change(const struct ctx *c, const struct access_change *a)
{
    struct access_row r = access_row_of(c, a->action, a->context_id, a->entry_id);

    r.is_change = !uuid_is_nil(a->entry_id);
    r.version_before = a->version_before;
    r.version_after = a->version_after;
    r.size_change = a->size_change;
    r.metadata = a->metadata;
    if (a->by_workflow)
        r.access_type = LOGGED_BY_WORKFLOW;
    return r;
}

err access_log_changes(struct ctx *c, const struct access_change *a, size_t n)
{
    struct access_row *rows = ARENA_ARRAY(c->arena, struct access_row, n + 1);

    assert(db_in_tx(c));
    for (size_t i = 0; i < n; i++)
        rows[i] = row_of_change(c, &a[i]);
    return n ? access_log_store_insert(c, rows, n) : ERR_OK;
}

err access_log_change(struct ctx *c, const struct access_change *a)
{
    return access_log_changes(c, a, 1);
}

err access_log_list(struct ctx *c, const char *context, const struct access_filter *f, struct page *out)
{
    struct access_event *rows;
    struct context x;
    struct uuid before;
    size_t n;

    TRY(context_find_to_govern(c, context, &x));
    TRY(space_room_permit(c, &(struct space){.id = x.id, .kind = SPACE_CONTEXT, .owner_agent_id = x.owner_agent_id}, SPACE_LISTS_GRANTS));
    TRY(page_begin(c, f->cursor, &before));
    TRY(access_log_store_list(c, x.id, f, before, &rows, &n));
    PAGE_END(c, out, rows, n, f->limit, struct access_event, id);
    return ERR_OK;
}

static struct instant oldest_kept(const struct ctx *c)
{
    return (struct instant){c->now.us - ACCESS_LOG_DAYS * DAY_US};
}

err access_log_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    return access_log_store_due(c, oldest_kept(c), above, ids, max, n);
}

err access_log_purge(struct ctx *c, int64_t limit, int64_t *n)
{
    return access_log_store_purge(c, oldest_kept(c), limit, n);
}
