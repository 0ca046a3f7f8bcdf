/* Connectors: each keeps a knowledge base equal to a folder of the server or to a list of web pages. */
#ifndef LOCI_CONNECTOR_H
#define LOCI_CONNECTOR_H

#include "ctx.h"
#include "enumx.h"
#include "json.h"
#include "page.h"
#include "thing_table.h"

#define CONNECTORS 200           /* of an account */
#define CONNECTOR_FILES 10000    /* that it brings */
#define CONNECTOR_ENTRIES 200000 /* that it looks at */
#define CONNECTOR_PAGES 500
#define CONNECTOR_LOCATION 16000

#define CONNECTOR_TYPE(X) X(CONNECTOR_FOLDER, "folder") X(CONNECTOR_URL, "url") X(CONNECTOR_GIT, "git")
ENUMX_DECLARE(connector_type, CONNECTOR_TYPE);
#define SYNC_FREQUENCY(X) \
    X(SYNC_MANUAL, "manual") X(SYNC_HOURLY, "hourly") X(SYNC_DAILY, "daily") X(SYNC_WEEKLY, "weekly") X(SYNC_MONTHLY, "monthly")
ENUMX_DECLARE(sync_frequency, SYNC_FREQUENCY);
#define CONNECTOR_STATUS(X) X(CONNECTOR_ACTIVE, "active") X(CONNECTOR_PAUSED, "paused") X(CONNECTOR_ERROR, "error")
ENUMX_DECLARE(connector_status, CONNECTOR_STATUS);

struct connector {
    struct uuid id, knowledge_base_id;
    const char *name;
    enum connector_type connector_type;
    const char *location, *include, *exclude;
    bool prune;
    enum sync_frequency sync_frequency;
    enum connector_status status;
    bool is_syncing;
    int64_t documents_synced;
    struct instant last_sync_at;
    const struct json *last_sync_result;
    const char *sync_error;
    struct instant next_sync_at;
    struct uuid created_by;
    int64_t version;
    struct instant created_at, updated_at;
};
extern const struct thing CONNECTOR;

struct connector_change {
    struct thing_change change;
    struct connector to;
};

/* All of them ask for the level manage of the base. */
err connector_get(struct ctx *c, struct uuid id, struct connector *out);
err connector_list(struct ctx *c, const struct thing_page *in, struct page *out);
err connector_create(struct ctx *c, const struct connector *in, struct connector *out);
err connector_update(struct ctx *c, const struct connector_change *ch, struct connector *out);
/* Its documents stay. */
err connector_delete(struct ctx *c, const struct thing_key *key);

struct connector_ask {
    struct uuid id;
    bool prune_all; /* also where more than half is gone */
};
/* Promises a look; one that is promised is the same. */
err connector_sync(struct ctx *c, const struct connector_ask *in, struct connector *out);

/* ---- the task and the job */

err connector_work(struct ctx *c, const struct connector_ask *in, bool (*should_stop)(void *arg), void *arg);
err connector_gave_up(struct ctx *c, struct uuid id, const char *why);
/* Promises those that are due. */
err connector_sweep(struct ctx *c, int64_t limit, int64_t *n);
err connector_sweep_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);

#endif
