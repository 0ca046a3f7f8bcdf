/* Observations: what sensors and clients saw that an agent should know. The same finding is one row while it is open. */
#ifndef LOCI_OBSERVATION_H
#define LOCI_OBSERVATION_H

#include "agent.h"
#include "ctx.h"
#include "enumx.h"
#include "json.h"
#include "list.h"
#include "page.h"
#include "str.h"
#include "thing_table.h"

#define OBSERVATION_TITLE 255
#define OBSERVATION_DATA 16384 /* bytes */
#define OBSERVATION_SUBJECT 255
#define OBSERVATION_NOTE 500
#define OBSERVATION_LASTS (30 * 86400)        /* seconds, at most */
#define OBSERVATIONS_HOUR 100                 /* new ones of an agent; what is more is counted in one row */
#define OBSERVATIONS_OPEN 50000               /* of an account */
#define OBSERVATION_REST_US (900 * SECOND_US) /* processed: the same is not news again so soon */
#define OBSERVATION_KEPT_US (7 * DAY_US)      /* after it was processed, … */
#define OBSERVATION_GONE_US DAY_US            /* … after it expired */

#define OBSERVATION_TYPE(X) \
    X(OBSERVATION_ANOMALY, "anomaly") X(OBSERVATION_DEGRADATION, "degradation") X(OBSERVATION_OPPORTUNITY, "opportunity") \
    X(OBSERVATION_RECOMMENDATION, "recommendation") X(OBSERVATION_REQUEST, "request") X(OBSERVATION_ALERT, "alert")
ENUMX_DECLARE(observation_type, OBSERVATION_TYPE);

#define OBSERVATION_SEVERITY(X) X(OBSERVATION_INFO, "info") X(OBSERVATION_WARNING, "warning") X(OBSERVATION_CRITICAL, "critical")
ENUMX_DECLARE(observation_severity, OBSERVATION_SEVERITY);

#define OBSERVATION_STATUS(X) X(OBSERVATION_OPEN, "open") X(OBSERVATION_PROCESSED, "processed") X(OBSERVATION_EXPIRED, "expired")
ENUMX_DECLARE(observation_status, OBSERVATION_STATUS);
/* Of a list: one of these, or any. */
#define OBSERVATION_WANTED(X) \
    X(OBSERVED_OPEN, "open") X(OBSERVED_PROCESSED, "processed") X(OBSERVED_EXPIRED, "expired") X(OBSERVED_ANY, "any")
ENUMX_DECLARE(observation_wanted, OBSERVATION_WANTED);

#define OBSERVATION_SOURCE(X) X(OBSERVATION_BY_CLIENT, "client") X(OBSERVATION_BY_SENSOR, "sensor") X(OBSERVATION_COUNTER, "counter")
ENUMX_DECLARE(observation_source, OBSERVATION_SOURCE);

struct observation {
    struct uuid id, agent_id, goal_id;
    enum sensor_type sensor_type;
    enum observation_type observation_type;
    enum observation_severity severity;
    const char *title;
    const struct json *data;
    bool requires_action;
    enum observation_source source;
    struct bytes fingerprint, open_key, trouble; /* trouble: what it was escalated as */
    enum observation_status status;              /* as it is now: an open one whose time is over has expired */
    int64_t seen_count;
    struct instant first_seen_at, last_seen_at, processed_at;
    const char *processed_kind; /* user, agent or system */
    struct uuid processed_by;
    const char *note;
    struct instant expires_at, due_at;
    int64_t version;
    struct instant created_at, updated_at;
    const char *subject; /* of a new one: what it is about; NULL: its title */
    int64_t expires_in;  /* … seconds; 0: as its sensor has it */
    bool created;        /* … the answer: it is new; false: it was seen again, or is one too many */
};
extern const struct thing OBSERVATION;

struct observation_filter {
    struct uuid agent_id;      /* nil: all in reach */
    int sensor_type, severity; /* of the enums, or -1: any */
    enum observation_wanted status;
    int64_t limit;
    const char *cursor;
};
err observation_list(struct ctx *c, const struct observation_filter *f, struct page *out);
err observation_get(struct ctx *c, struct uuid id, struct observation *out);
/* By a client. */
err observation_create(struct ctx *c, const struct observation *in, struct observation *out);

struct observation_done {
    struct uuid id;
    const char *note;
};
/* ERR_CONFLICT: it is not open. */
err observation_process(struct ctx *c, const struct observation_done *in, struct observation *out);

/* ---- inside a transaction that holds the lock of each agent */

struct observed {
    int64_t created, seen, capped;
};
/* Gives each its id, and says whether it is new. */
err observation_report(struct ctx *c, struct observation *v, size_t n, struct observed *out);
/* Their causes are gone. */
err observation_close(struct ctx *c, const struct observation *v, size_t n);
/* Open ones that sensors of these types found for these agents. */
err observation_found(struct ctx *c, const struct uuid *agents, size_t n, unsigned sensors, struct list *out);

/* ---- for the clean-up */

err observation_due_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);
err observation_expire(struct ctx *c, int64_t limit, int64_t *n);
err observation_purge(struct ctx *c, int64_t limit, int64_t *n);

#endif
