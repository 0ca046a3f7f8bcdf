/* Working memory: what an agent has in mind for minutes or hours, by key, in Redis and nowhere else. */
#ifndef LOCI_WORKING_H
#define LOCI_WORKING_H

#include <stdbool.h>
#include <stdint.h>

#include "ctx.h"
#include "json.h"
#include "list.h"

#define WORKING_KEY 200            /* bytes */
#define WORKING_ID 128             /* characters of a session, run or task */
#define WORKING_VALUE (256 * 1024) /* bytes of JSON */
#define WORKING_TTL 3600
#define WORKING_TTL_MAX 86400
#define WORKING_KEYS 512 /* of a scope */
#define WORKING_BYTES (8 * 1024 * 1024)
#define WORKING_SCOPES 64    /* of an agent */
#define WORKING_MESSAGES 500 /* of a conversation; the oldest go */
#define WORKING_CONVERSATION (1024 * 1024)
#define WORKING_PAD (64 * 1024) /* bytes of a scratch pad; the oldest paragraphs go */
#define WORKING_SHARED_KEYS 64  /* that others have put into a scope */
#define WORKING_SHARED_BYTES (256 * 1024)

#define WORKING_SHARED "shared:" /* begins the keys that others wrote */

/* The parts but the agent may be NULL. Router and service write it the same way, so that what one wrote the other reads. */
struct working_scope {
    struct uuid agent_id;
    const char *session_id, *run_id, *task_id;
};

/* a:<agent>[:s:<session>][:r:<run>][:t:<task>]; a colon in an id is %3A, so that two scopes never look alike. */
const char *working_scope_text(struct arena *a, const struct working_scope *s);

/* The other way round; false: that is none. */
bool working_scope_read(struct arena *a, const char *text, struct working_scope *out);

/* Each asks the gate about the subject itself. ERR_UNAVAILABLE: Redis is away. */

struct working_new {
    const char *key;
    const struct json *value;
    int64_t ttl_s; /* 0: the key's own default */
    bool if_absent;
};

struct working_stored {
    const char *key;
    bool stored; /* false: if_absent, and it was there */
    int64_t ttl_s;
    struct instant expires_at; /* of what is there now */
    int64_t size_bytes;
};

err working_store(struct ctx *c, const struct working_scope *s, const struct working_new *in, struct working_stored *out);
/* NULL when it is absent; a stored null is there. */
err working_find(struct ctx *c, const struct working_scope *s, const char *key, const struct json **value);
/* The same, but what is absent is ERR_NOT_FOUND. */
err working_retrieve(struct ctx *c, const struct working_scope *s, const char *key, const struct json **value);
err working_remove(struct ctx *c, const struct working_scope *s, const char *key, bool *was_there);
/* Of this scope only. One that has neither session, run nor task must be meant: bare. */
err working_clear(struct ctx *c, const struct working_scope *s, bool bare, int64_t *n);

struct working_message {
    const char *role;
    const struct json *content;
    struct instant timestamp; /* 0: now */
};

/* One of both: a message for a list of them, or a text. */
struct working_addition {
    const char *key;
    const struct working_message *message;
    const char *text;
};

/* Atomic; makes what is absent. The time to live begins anew, and is never cut short. */
err working_append(struct ctx *c, const struct working_scope *s, const struct working_addition *a, struct working_stored *out);

/* Live keys that begin with prefix (NULL: all), sorted. values: an object with what they hold, or NULL. */
err working_keys(struct ctx *c, const struct working_scope *s, const char *prefix, struct strs *out);
err working_all(struct ctx *c, const struct working_scope *s, const char *prefix, struct strs *keys,
                const struct json **values);

struct working_stats {
    int64_t key_count, total_size_bytes;
    const char *context_id; /* the scope */
    struct uuid agent_id;
    const char *task_id, *workflow_run_id;
};

err working_statistics(struct ctx *c, const struct working_scope *s, struct working_stats *out);

/* Puts a copy into the scope that another agent has of the same session and run, where both agents may write to one space by
 * name or team; else ERR_NOT_FOUND. An agent shares as itself. */
err working_share(struct ctx *c, const struct working_scope *s, struct uuid target_agent_id, const struct working_new *in,
                  struct working_stored *out);
/* What source put there for the agent of the scope. */
err working_retrieve_shared(struct ctx *c, const struct working_scope *s, struct uuid source_agent_id, const char *key,
                            const struct json **value);

/* Has the key this form, which is 1 to WORKING_KEY bytes without control characters? Else ERR_INVALID naming /key. */
err working_check_key(struct ctx *c, const char *key);

#endif
