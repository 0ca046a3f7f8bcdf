/* What is in a pool: reading and writing by path, its changes, its figures. */
#ifndef LOCI_POOL_DATA_H
#define LOCI_POOL_DATA_H

#include "ctx.h"
#include "enumx.h"
#include "json.h"
#include "list.h"
#include "page.h"
#include "pool.h"

#define POOL_VALUE (64 * 1024)      /* bytes of a value as JSON */
#define POOL_DOCUMENT (1024 * 1024) /* … of what one read answers */
#define POOL_LEAVES 500             /* values of one merge */
#define POOL_WRITERS 10             /* named in the figures */
#define POOL_BULLETINS "agent_bulletin"

/* Bulletins are the key POOL_BULLETINS and all keys below it: their events say so, and a young one is not evicted. */
bool pool_is_bulletin(const char *key);

/* A row: the value of one path. */
struct pool_entry {
    const char *key;
    struct uuid node_id;
    const struct json *value; /* NULL where it was not asked for; null when deleted */
    int64_t size, version;
    const char *writer_kind;
    struct uuid writer_id;
    struct instant created_at, updated_at, expires_at, deleted_at;
    bool deleted;     /* or expired */
    bool is_pinned;   /* of one that is made now: its node is */
    bool keeps_value; /* of one that is written now: only its end changes */
};

/* ---- reading */

struct pool_value {
    bool success; /* always; the seed's word for an answer */
    const char *key;
    const struct json *value; /* null when there is none */
    bool found;
    int64_t version; /* of the row, or the largest of the rows below; 0: not there */
    struct instant updated_at;
    const char *writer_kind; /* NULL: several, or none */
    struct uuid writer_id;
    struct uuid node_id; /* of the one row; nil: several, or none */
};

/* Counts as use unless peek. key NULL: the whole document. ERR_TOO_LARGE when it is more than POOL_DOCUMENT. */
err pool_read(struct ctx *c, const char *ref, const char *key, bool peek, struct pool_value *out);

struct pool_entry_filter {
    const char *pool_id;   /* of a call: which one */
    const char *prefix;    /* what keys begin with; NULL: any */
    const char *tag;       /* of the key; NULL: any */
    int64_t since_version; /* changes after it in their order, deletions too; negative: live keys in theirs */
    bool newest_first;     /* changes, deletions too, the latest first, whatever since_version says */
    int64_t limit;
    const char *cursor;
};
/* Does not count as use. */
err pool_entries(struct ctx *c, const char *ref, const struct pool_entry_filter *f, struct page *out);

struct pool_hit {
    const char *key;
    const struct json *value;
    double score;
    int64_t version;
    struct uuid node_id, pool_id;
    bool untrusted; /* always: others wrote it */
};
struct pool_hits {
    struct list hits; /* of struct pool_hit */
};
/* Recall in pools that the caller can read; counts as use. */
struct pool_question {
    struct uuids pools; /* at least one */
    const char *query;
    int64_t limit;
    double min_importance; /* as it is now */
};
err pool_recall(struct ctx *c, const struct pool_question *q, struct pool_hits *out);
/* The same in this pool. */
err pool_query(struct ctx *c, const char *ref, const char *query, int64_t limit, struct pool_hits *out);

struct pool_writer {
    const char *kind;
    struct uuid id;
    int64_t keys;
};
struct pool_statistics {
    int64_t entry_count, total_keys, data_size_bytes, max_size_bytes, max_entries;
    double fill; /* of the limit that is nearer */
    int64_t version, access_count, write_count, evicted_count, expired_count, age_seconds;
    struct instant last_accessed_at;
    int64_t last_access_ago; /* seconds; negative: never */
    struct list writers;     /* of struct pool_writer, at most POOL_WRITERS */
};
err pool_statistics(struct ctx *c, const char *ref, struct pool_statistics *out);

/* ---- writing */

#define POOL_OP(X) X(POOL_OP_SET, "set") X(POOL_OP_INCREMENT, "increment") X(POOL_OP_APPEND, "append")
ENUMX_DECLARE(pool_op, POOL_OP);

struct pool_write {
    const char *key;
    enum pool_op op;
    const struct json *value; /* set, append */
    double by;                /* increment */
    int64_t max_len;          /* append: elements that are kept, the last ones; 0: all */
    int64_t if_version;       /* negative: any; 0: only if there is nothing; else the version it was read with */
    int64_t ttl_seconds;      /* 0: as the pool says */
    int if_absent;            /* 1: keep what is there; 0: replace it; -1: as the type of the pool says */
};

/* What a change answers. */
struct pool_written {
    bool success; /* always, likewise */
    const char *key;
    const struct json *value; /* what is there now; of a merge or delete NULL */
    bool written;             /* false: the value is the same as before, or nothing had to be done */
    int64_t version;          /* of the key; of a merge or delete that of the pool */
    struct instant updated_at, expires_at;
    struct strs evicted; /* keys that had to make room */
    struct uuid node_id; /* of the one row that was written; nil: none, or several */
};

/* ERR_PRECONDITION with the current version and value; ERR_CONFLICT with the reason not_an_object, not_a_number, not_an_array
 * or quota_exceeded. Nothing is changed by what fails. */
err pool_put(struct ctx *c, const char *ref, const struct pool_write *in, struct pool_written *out);
err pool_cut(struct ctx *c, const char *ref, const char *key, int64_t if_version, struct pool_written *out);
err pool_merge(struct ctx *c, const char *ref, const struct json *data, struct pool_written *out);

/* The whole document: keys that are not in it are deleted. if_version: of the pool; negative: any. */
err pool_replace(struct ctx *c, const char *ref, const struct json *data, int64_t if_version, struct pool_written *out);

/* ---- upkeep: for jobs, inside their transaction */

/* Makes tombstones of at most limit keys of the pool whose time is over. */
err pool_tidy(struct ctx *c, struct uuid pool, int64_t limit, int64_t *n);

#endif
