/* Operations on connectors. */
#include "connector_calls.h"

#include "connector.h"
#include "thing.h"

#define TAG .tag = "knowledge"
#define CONNECTORS_PATH "/api/v1/ai/rag/connectors"

OP_CALL(CONNECTOR_LIST, struct thing_page, struct page, connector_list(c, in, out),
        .name = "connector.list", .method = "GET", .path = CONNECTORS_PATH, TAG,
        .summary = "Lists the connectors of the knowledge bases that you manage, newest first.", .perm = PERM_RAG_MANAGE,
        .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST, OP_PAGE, OP_GIVE(CONNECTOR, struct connector));

OP_CALL(CONNECTOR_GET, struct thing_key, struct connector, connector_get(c, in->id, out),
        .name = "connector.get", .method = "GET", .path = CONNECTORS_PATH "/:id", TAG, .summary = "Returns one connector.",
        .perm = PERM_RAG_MANAGE, .flags = OP_READONLY | OP_IDEMPOTENT | OP_ETAG, OP_KEY(CONNECTOR), OP_GIVE(CONNECTOR, struct connector));

OP_CALL(CONNECTOR_CREATE, struct connector, struct connector, connector_create(c, in, out),
        .name = "connector.create", .method = "POST", .path = CONNECTORS_PATH, TAG,
        .summary = "Creates a connector: it keeps a knowledge base equal to a folder of the server, a git repository, or web pages.",
        .help = "A folder must be below one that the operator lists in ingest.folders. Documents are added, changed and archived when it "
                "looks: by itself (sync_frequency) or when it is asked to.",
        .perm = PERM_RAG_MANAGE, .flags = OP_CREATES | OP_ETAG, OP_MAKE(CONNECTOR, struct connector), OP_GIVE(CONNECTOR, struct connector));

OP_CALL(CONNECTOR_UPDATE, struct connector_change, struct connector, connector_update(c, in, out),
        .name = "connector.update", .method = "PATCH", .path = CONNECTORS_PATH "/:id", TAG, .summary = "Changes a connector.",
        .perm = PERM_RAG_MANAGE, .flags = OP_ETAG | OP_MATCH, OP_CHANGE(CONNECTOR, struct connector_change),
        OP_GIVE(CONNECTOR, struct connector));

OP_CALL(CONNECTOR_DELETE, struct thing_key, void, connector_delete(c, in),
        .name = "connector.delete", .method = "DELETE", .path = CONNECTORS_PATH "/:id", TAG,
        .summary = "Deletes a connector; the documents that it brought stay.", .perm = PERM_RAG_MANAGE,
        .flags = OP_DESTRUCTIVE | OP_MATCH | OP_NO_BODY, OP_KEY(CONNECTOR));

static const struct field SYNC_IN[] = {
    F_UUID(struct connector_ask, id, FIELD_REQUIRED, "id of the connector"),
    F_BOOL(struct connector_ask, prune_all, 0, false, "archive what is gone, also where that is more than half"),
    F_END
};

OP_CALL(CONNECTOR_SYNC, struct connector_ask, struct connector, connector_sync(c, in, out),
        .name = "connector.sync", .method = "POST", .path = CONNECTORS_PATH "/:id/sync", TAG,
        .summary = "Makes a connector look now, in the background; last_sync_result says what it found.",
        .help = "A file or page is compared by its hash; a bad one stops no other. If more than half of the documents are gone there, "
                "nothing is archived and the status is error, until a sync with prune_all.",
        .perm = PERM_RAG_MANAGE, .flags = OP_IDEMPOTENT | OP_ETAG, OP_IN(SYNC_IN, struct connector_ask),
        OP_GIVE(CONNECTOR, struct connector));

const struct op *const connector_calls_table[] = {&CONNECTOR_LIST, &CONNECTOR_GET, &CONNECTOR_CREATE, &CONNECTOR_UPDATE,
                                                  &CONNECTOR_DELETE, &CONNECTOR_SYNC, NULL};
