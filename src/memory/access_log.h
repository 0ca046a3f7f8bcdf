/* Who did what with a context and its entries: changes in their transaction, reads gathered and written within a second. */
#ifndef LOCI_ACCESS_LOG_H
#define LOCI_ACCESS_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "ctx.h"
#include "enumx.h"
#include "json.h"
#include "page.h"

#define ACCESS_LOG_DAYS 90
#define ACCESS_ERROR 255 /* bytes of a reason */

#define ACCESS_ACTION(X) \
    X(LOGGED_READ, "read") X(LOGGED_WRITE, "write") X(LOGGED_UPDATE, "update") X(LOGGED_DELETE, "delete") \
    X(LOGGED_SEARCH, "search") X(LOGGED_EXPORT, "export") X(LOGGED_IMPORT, "import") X(LOGGED_CLONE, "clone") \
    X(LOGGED_ARCHIVE, "archive") X(LOGGED_UNARCHIVE, "unarchive") X(LOGGED_CREATE, "create") \
    X(LOGGED_SNAPSHOT, "snapshot") X(LOGGED_RESTORE, "restore") X(LOGGED_GRANT, "grant") X(LOGGED_REVOKE, "revoke") \
    X(LOGGED_PROMOTE, "promote") X(LOGGED_MERGE, "merge")
ENUMX_DECLARE(access_action, ACCESS_ACTION);

#define ACCESS_TYPE(X) \
    X(LOGGED_BY_USER, "user") X(LOGGED_BY_AGENT, "agent") X(LOGGED_BY_WORKFLOW, "workflow") X(LOGGED_BY_API, "api") \
    X(LOGGED_BY_SYSTEM, "system")
ENUMX_DECLARE(access_type, ACCESS_TYPE);

/* ---- writing */

struct access_change {
    enum access_action action;
    struct uuid context_id, entry_id;      /* no entry: nil */
    int64_t version_before, version_after; /* of the entry's content; 0: there was, or is, none */
    int64_t size_change;
    bool by_workflow; /* its source is a workflow */
    const struct json *metadata;
};

/* Inside the transaction of the change. */
err access_log_change(struct ctx *c, const struct access_change *a);
/* The same for n changes, in one statement. */
err access_log_changes(struct ctx *c, const struct access_change *a, size_t n);

struct access_read {
    enum access_action action;
    struct uuid context_id, entry_id;
    const char *query; /* NULL: it was no search */
    bool keeps_query;  /* the context asks for its text; else only a hash is kept */
    int64_t hits;
    const char *refused; /* why; NULL: it was not */
};

/* Noted in the process; what comes while too many wait is dropped and counted. */
void access_log_read(struct ctx *c, const struct access_read *r);
/* Nobody may tell a refusal from what is not there: only who manages the context sees it here. */
void access_log_refusal(struct ctx *c, enum access_action action, struct uuid context_id, const char *why);

/* Reads of a process that wait (struct app.access_reads). */
struct access_reads;
struct access_reads *access_reads_new(void);
void access_reads_free(struct access_reads *r);
/* Writes them all, and counts them on their contexts. */
err access_log_flush(struct ctx *c);

/* ---- reading */

struct access_event {
    struct uuid id;
    enum access_action action;
    enum access_type access_type;
    bool success;
    const char *error_message;
    struct uuid user_id, agent_id, entry_id;
    const struct json *previous_value, *new_value; /* NULL: none, or it is there no more */
    const struct json *changes_summary;            /* NULL: nothing changed */
    const char *request_id, *ip_address, *user_agent;
    const struct json *metadata;
    struct instant created_at;
};

struct access_filter {
    int action;                     /* an enum's value, or -1: any */
    int success;                    /* 0, 1, or -1: any */
    struct uuid agent_id, entry_id; /* nil: any */
    struct instant from, to;        /* from ≤ created_at < to; 0: open */
    int64_t limit;
    const char *cursor;
};

/* Newest first; needs the level manage. */
err access_log_list(struct ctx *c, const char *context, const struct access_filter *f, struct page *out);

/* ---- for the job that lets go of what is older than ACCESS_LOG_DAYS */

err access_log_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);
err access_log_purge(struct ctx *c, int64_t limit, int64_t *n);

#endif
