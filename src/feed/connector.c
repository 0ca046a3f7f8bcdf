/* Making, reading and changing connectors; see connector.h. feed_sync.c looks. */
#include "connector.h"

#include <string.h>

#include "app.h"
#include "config.h"
#include "connector_store.h"
#include "db.h"
#include "feed_folder.h"
#include "feed_git.h"
#include "fetch.h"
#include "knowledge_base.h"
#include "limit.h"
#include "match.h"
#include "task.h"
#include "thing.h"

ENUMX_DEFINE(connector_type, CONNECTOR_TYPE);
ENUMX_DEFINE(sync_frequency, SYNC_FREQUENCY);
ENUMX_DEFINE(connector_status, CONNECTOR_STATUS);

static const struct field CONNECTOR_COLUMNS[] = {
    F_ID(struct connector, "id of the connector"),
    F_UUID(struct connector, knowledge_base_id, COL_ONCE | FIELD_REQUIRED, "knowledge base that it feeds",
           .label = "Knowledge base"),
    F_STR(struct connector, name, COL_OPEN | FIELD_REQUIRED, 1, LIMIT_NAME, "name", .label = "Name"),
    F_ENUM(struct connector, connector_type, COL_ONCE, connector_type, CONNECTOR_FOLDER,
           "folder: files on the server, below a folder that the operator lists in ingest.folders; url: public web pages; git: files of a "
           "repository at a public https address", .label = "Type"),
    F_STR(struct connector, location, COL_OPEN | FIELD_REQUIRED, 1, CONNECTOR_LOCATION,
          "the folder; addresses of pages and sitemaps (.xml), apart by white space; or the address of a repository, "
          "with #branch behind it", .label = "Folder, addresses or repository"),
    F_STR(struct connector, include, COL_OPEN | FIELD_NULLABLE, 0, 1000, "patterns of paths to take, such as *.md docs/*; default: all",
          .label = "Take only"),
    F_STR(struct connector, exclude, COL_OPEN | FIELD_NULLABLE, 0, 1000, "patterns of paths to leave out", .label = "Leave out"),
    F_BOOL(struct connector, prune, COL_OPEN, true, "archive documents whose file or page is gone", .label = "Archive what is gone"),
    F_ENUM(struct connector, sync_frequency, COL_OPEN, sync_frequency, SYNC_MANUAL, "how often it looks by itself", .label = "How often"),
    F_ENUM(struct connector, status, COL_LATER, connector_status, CONNECTOR_ACTIVE,
           "paused: it does not look by itself; error: the last look failed, or asks", .shades = "ok off bad"),
    F_BOOL(struct connector, is_syncing, COL_READ, false, "a look was asked for, and is not done"),
    F_INT(struct connector, documents_synced, COL_READ, 0, 9e15, 0, "live documents that it has brought"),
    F_TIME(struct connector, last_sync_at, COL_READ | FIELD_NULLABLE, "when it last looked"),
    F_JSON(struct connector, last_sync_result, COL_READ, 0,
           "counts of that look: added, changed, unchanged, archived, skipped, failed; errors"),
    F_STR(struct connector, sync_error, COL_READ | FIELD_NULLABLE, 0, 500, "why the status is error"),
    F_TIME(struct connector, next_sync_at, COL_READ | FIELD_NULLABLE, "when it looks next by itself"),
    F_UUID(struct connector, created_by, COL_READ, "principal who created it"),
    F_VERSION(struct connector),
    F_TIMES(struct connector),
    F_END
};
const struct thing CONNECTOR = THING("connector", CONNECTOR_COLUMNS, struct connector, .schema = "Connector");

/* ---- reading */

static err connector_missing(struct ctx *c)
{
    return fail(c, ERR_NOT_FOUND, "no such connector");
}

static bool connector_is_mine(struct ctx *c, const struct connector *k)
{
    return access_level(c->access, k->knowledge_base_id) == ACCESS_MANAGE;
}

err connector_get(struct ctx *c, struct uuid id, struct connector *out)
{
    err e = thing_get(c, &CONNECTOR, id, out);

    if (e != ERR_OK && e != ERR_NOT_FOUND)
        return e;
    ctx_forgive(c);
    return e == ERR_OK && connector_is_mine(c, out) ? ERR_OK : connector_missing(c);
}

err connector_list(struct ctx *c, const struct thing_page *in, struct page *out)
{
    struct uuids readable, managed;
    struct uuid before, *ids;

    TRY(page_begin(c, in->cursor, &before));
    TRY(knowledge_base_readable(c, (struct uuids){0}, &readable));
    ids = ARENA_ARRAY(c->arena, struct uuid, readable.n + 1);
    managed = (struct uuids){ids, 0};
    for (size_t i = 0; i < readable.n; i++)
        if (access_level(c->access, readable.v[i]) == ACCESS_MANAGE)
            ids[managed.n++] = readable.v[i];
    return connector_store_list(c, managed, before, in->limit, out);
}

/* ---- rules */

static err connector_check_pages(struct ctx *c, const struct connector *k)
{
    size_t n = 0;

    for (const char *p = k->location + strspn(k->location, " \t\r\n"); *p; n++) {
        size_t len = strcspn(p, " \t\r\n");
        const char *url = arena_strndup(c->arena, p, len), *why = fetch_fault(c, url);

        if (why)
            return fail_field(c, "/location", "%s %s", url, why);
        p += len;
        p += strspn(p, " \t\r\n");
    }
    return n <= CONNECTOR_PAGES ? ERR_OK : fail_field(c, "/location", "location can have at most %d addresses", CONNECTOR_PAGES);
}

static err connector_check(struct ctx *c, const struct connector *k)
{
    struct knowledge_base base;

    TRY(knowledge_base_get_to_write(c, k->knowledge_base_id, k->knowledge_base_id, &base));
    TRY(access_require(c, k->knowledge_base_id, ACCESS_MANAGE));
    if (k->connector_type == CONNECTOR_GIT)
        return feed_git_check(c, k->location);
    return k->connector_type == CONNECTOR_FOLDER ? feed_folder_check(c, k->location) : connector_check_pages(c, k);
}

static struct instant connector_next(const struct ctx *c, enum sync_frequency f)
{
    static const int64_t HOURS[] = {0, 1, 24, 7 * 24, 30 * 24};

    return (struct instant){HOURS[f] ? c->now.us + HOURS[f] * (DAY_US / 24) : 0};
}

/* ---- changing */

static err connector_create_tx(struct ctx *c, const struct connector *in, struct connector *out)
{
    int64_t n;

    *out = *in;
    TRY(connector_store_count(c, &n));
    if (n >= CONNECTORS)
        return fail_reason(c, ERR_CONFLICT, "quota_exceeded", "an account can have at most %d connectors", CONNECTORS);
    TRY(thing_begin(c, &CONNECTOR, out));
    TRY(connector_check(c, out));
    out->created_by = c->who->id;
    out->last_sync_result = json_obj(c->arena);
    out->next_sync_at = connector_next(c, out->sync_frequency);
    return thing_insert(c, &CONNECTOR, out);
}
DB_TX(connector_create, struct connector, struct connector)

static err connector_update_tx(struct ctx *c, const struct connector_change *ch, struct connector *out)
{
    struct connector was;

    TRY(connector_get(c, ch->to.id, &was));
    TRY(match_version(c, ch->change.if_version, was.version));
    *out = was;
    TRY(thing_apply(c, &CONNECTOR, ch, out));
    TRY(connector_check(c, out));
    if (out->sync_frequency != was.sync_frequency)
        out->next_sync_at = connector_next(c, out->sync_frequency);
    return thing_save(c, &CONNECTOR, &ch->change, &was, out);
}
DB_TX(connector_update, struct connector_change, struct connector)

static err connector_delete_tx(struct ctx *c, const struct thing_key *key)
{
    struct connector k;

    TRY(connector_get(c, key->id, &k));
    TRY(match_version(c, key->if_version, k.version));
    return thing_remove(c, &CONNECTOR, &k, key->if_version);
}
DB_TX_IN(connector_delete, struct thing_key)

/* ---- asking for a look */

static err connector_promise(struct ctx *c, const struct connector *k, bool prune_all)
{
    struct json *payload = json_obj(c->arena);
    const char *id = arena_strdup(c->arena, UUID_STR(k->id));

    json_set_str(c->arena, payload, "id", id);
    json_set_bool(c->arena, payload, "prune_all", prune_all);
    return task_enqueue(c, &(struct task_new){.kind = "sync_connector", .payload = payload, .lane = id, .priority = TASK_ASKED_LONG,
                                              .idem_key = arena_printf(c->arena, "%s-%lld", id, (long long)k->version)});
}

static err connector_mark(struct ctx *c, const struct connector *was, struct connector *out)
{
    *out = *was;
    out->is_syncing = true;
    out->next_sync_at = connector_next(c, was->sync_frequency);
    return thing_save(c, &CONNECTOR, &(struct thing_change){.verb = "sync"}, was, out);
}

static err connector_sync_tx(struct ctx *c, const struct connector_ask *in, struct connector *out)
{
    struct knowledge_base base;
    struct connector was;
    bool found;

    TRY(connector_get(c, in->id, &was));
    TRY(knowledge_base_get_to_write(c, was.knowledge_base_id, was.knowledge_base_id, &base));
    TRY(connector_store_lock(c, in->id, &found, &was));
    if (!found)
        return connector_missing(c);
    *out = was;
    if (was.is_syncing && !in->prune_all)
        return ERR_OK;
    TRY(connector_mark(c, &was, out));
    return connector_promise(c, out, in->prune_all);
}
DB_TX(connector_sync, struct connector_ask, struct connector)

err connector_sweep(struct ctx *c, int64_t limit, int64_t *n)
{
    const struct connector *rows;
    struct list due;

    TRY(connector_store_due(c, limit, &due));
    rows = due.v;
    for (size_t i = 0; i < due.n; i++) {
        struct connector now;

        TRY(connector_mark(c, &rows[i], &now));
        TRY(connector_promise(c, &now, false));
    }
    *n = (int64_t)due.n;
    return ERR_OK;
}

err connector_sweep_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    return connector_store_due_accounts(c, above, ids, max, n);
}
