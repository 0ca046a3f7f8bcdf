/* MariaDB: typed statements, transactions that are repeated on conflict, and reconnecting by generation. */
#ifndef LOCI_DB_H
#define LOCI_DB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctx.h"
#include "str.h"

struct config;
struct db;

/* A connection of one thread; it connects at first use and again after a loss. Never NULL. conf stays the
 * caller's. The program ignores SIGPIPE. */
struct db *db_open(const struct config *conf);
void db_close(struct db *db);
/* The thread has nothing to do: a connection whose buffer grew large hangs up, as the library never shrinks it. */
void db_rest(struct db *db);

/* What the connections of this process hold. */
struct db_memory {
    size_t statements, statement_bytes, connection_bytes;
};
struct db_memory db_memory(void);
/* db.hosts: one of several is used for each account, the first of the account's order that lives, and so within one transaction. */
struct db_host_now {
    const char *name;
    bool lives;
    int64_t away_s;  /* how long it does not */
    const char *why; /* "" */
};
size_t db_hosts_list(const struct ctx *c, struct db_host_now *out, size_t max);
/* Is the account's next read at its own host, where every other program writes what belongs to it? Always, where there is one host.
 * Locks of rows are seen by others only there. */
bool db_is_home(const struct ctx *c);
/* Asks one of them now, for an operator: its version and its place in a cluster, or why it cannot be used. */
bool db_host_ask(struct ctx *c, size_t host, const char **detail);
/* Before the program ends: nobody looks at hosts any more. */
void db_watch_end(void);
/* Is the server there? Connects if need be. */
err db_ping(struct ctx *c);
/* Which connection this thread has, without a round trip while it lives: another number after a loss; 0: there is none now,
 * and none could be made. Not within a transaction. */
uint64_t db_connection(struct ctx *c);
/* What the server or the library last said about a failure, for logs and the doctor, never for callers; ""
 * if nothing. */
const char *db_last_error(const struct ctx *c);

/* ---- values -------------------------------------------------------------------------------------------- */

enum db_type { DB_NULL, DB_I64, DB_DOUBLE, DB_TEXT, DB_BLOB, DB_UUID, DB_TIME };

struct db_in {
    enum db_type type;
    union {
        int64_t i64;
        double d;
        struct bytes bytes; /* TEXT and BLOB: not copied */
        struct uuid uuid;
        struct instant time;
    };
};

struct db_in db_in_i64(int64_t v);
struct db_in db_in_bool(bool v);
struct db_in db_in_double(double v);
struct db_in db_in_text(const char *s); /* must not be NULL: see IN_OPT */
struct db_in db_in_bytes(struct bytes b);
struct db_in db_in_uuid(struct uuid id);
struct db_in db_in_time(struct instant t);
struct db_in db_opt_text(const char *s);    /* NULL gives NULL */
struct db_in db_opt_bytes(struct bytes b);  /* p == NULL gives NULL */
struct db_in db_opt_uuid(struct uuid id);   /* nil gives NULL */
struct db_in db_opt_time(struct instant t); /* 0 gives NULL */

/* IN(x): never NULL. IN_OPT(x): the empty value of the type (NULL text, nil id, instant 0) is stored as
 * NULL. */
#define IN(x)                                                                                                \
    _Generic((x), bool: db_in_bool, char *: db_in_text, const char *: db_in_text, struct bytes: db_in_bytes, \
             struct uuid: db_in_uuid, struct instant: db_in_time, double: db_in_double, float: db_in_double, \
             default: db_in_i64)(x)
#define IN_OPT(x)                                                                                            \
    _Generic((x), char *: db_opt_text, const char *: db_opt_text, struct bytes: db_opt_bytes, \
             struct uuid: db_opt_uuid, struct instant: db_opt_time)(x)

struct db_out {
    enum db_type type;
    uint8_t size;   /* of the integer behind p: 4 or 8; bool: 1 */
    bool nullable;  /* NULL becomes the empty value of the type; else NULL is a fault of ours */
    bool *was_null; /* told when not NULL */
    void *p;
};

struct db_out db_out_int(int *p);
struct db_out db_out_i64(int64_t *p);
struct db_out db_out_bool(bool *p);
struct db_out db_out_double(double *p);
struct db_out db_out_text(const char **p);   /* into the request's arena */
struct db_out db_out_bytes(struct bytes *p); /* likewise */
struct db_out db_out_uuid(struct uuid *p);
struct db_out db_out_time(struct instant *p);
struct db_out db_out_opt(struct db_out o, bool *was_null);

#define OUT(p)                                                                                               \
    _Generic((p), int *: db_out_int, int64_t *: db_out_i64, bool *: db_out_bool, double *: db_out_double, \
             const char **: db_out_text, struct bytes *: db_out_bytes, struct uuid *: db_out_uuid, \
             struct instant *: db_out_time)(p)
/* NULL is expected here and becomes NULL text, nil, 0 … */
#define OUT_OPT(p) db_out_opt(OUT(p), NULL)
/* … and *flag says whether it was. */
#define OUT_NULLABLE(p, flag) db_out_opt(OUT(p), (flag))

/* What statements and transactions fail with: ERR_UNAVAILABLE (away, lost, read-only; retry_after_s says
 * when), ERR_CONFLICT (exists already, or somebody else is changing it), ERR_DEADLINE, ERR_TOO_LARGE,
 * ERR_INVALID (text outside ASCII where the column holds only that), ERR_INTERNAL for all else. No message
 * but an ERR_INTERNAL's holds SQL, none holds a value. */

/* ---- statements ---------------------------------------------------------------------------------------- */

/* Rows of one statement; buffered on our side, so that other statements may run meanwhile. Declare it
 * beside its db_query, or begin it with {0}: what returns earlier would otherwise release an unset one. */
struct db_cursor {
    struct db *db;
    void *stmt;
    struct arena *arena;
};
/* Before a query: what the cursor read last is given back. */
void db_cursor_begin(struct ctx *c, struct db_cursor *q);
void db_cursor_done(struct db_cursor *q);
#define scoped_cursor __attribute__((cleanup(db_cursor_done))) struct db_cursor

#define DB_INS_(...)   ((const struct db_in[]){ { DB_NULL, { 0 } } __VA_OPT__(, ) __VA_ARGS__ })
#define DB_OUTS_(...)  ((const struct db_out[]){ { 0 } __VA_OPT__(, ) __VA_ARGS__ })
#define DB_COUNT_(arr) (sizeof(arr) / sizeof(*(arr)) - 1)

/* sql is a literal: the prepared statement is kept per connection under its address. */
#define db_query(c, q, sql, ...)                                                                             \
    db_query_((c), (q), "" sql, DB_INS_(__VA_ARGS__) + 1, DB_COUNT_(DB_INS_(__VA_ARGS__)))
/* Next row: *found says whether there was one. */
#define db_row(q, c, found, ...)                                                                             \
    db_row_((c), (q), (found), DB_OUTS_(__VA_ARGS__) + 1, DB_COUNT_(DB_OUTS_(__VA_ARGS__)))
/* What is left of a statement whose only column is an id: at most max of them. */
err db_ids(struct ctx *c, struct db_cursor *q, struct uuid *ids, size_t max, size_t *n);
/* A statement without rows; *changed (may be NULL) is the number of rows it changed (matched, for UPDATE). */
#define db_exec(c, changed, sql, ...)                                                                        \
    db_exec_((c), (changed), "" sql, DB_INS_(__VA_ARGS__) + 1, DB_COUNT_(DB_INS_(__VA_ARGS__)))

err db_query_(struct ctx *c, struct db_cursor *q, const char *sql, const struct db_in *in, size_t n_in);
err db_row_(struct ctx *c, struct db_cursor *q, bool *found, const struct db_out *out, size_t n_out);
err db_exec_(struct ctx *c, int64_t *changed, const char *sql, const struct db_in *in, size_t n_in);

/* A read that the server works on while the caller does something else. It may be asked once at a time: another one, and
 * a request that ends, lets go of it. Where it could not be sent, or was lost, db_answer runs it then, so only that can
 * fail; in a transaction it does so always. Other statements may run meanwhile. */
struct db_later {
    const char *sql;
    const struct db_in *in;
    size_t n_in;
    uint64_t number; /* 0: not sent */
};
#define db_ask(c, later, sql, ...)                                                                           \
    db_ask_((c), (later), "" sql, DB_INS_(__VA_ARGS__) + 1, DB_COUNT_(DB_INS_(__VA_ARGS__)))
void db_ask_(struct ctx *c, struct db_later *l, const char *sql, const struct db_in *in, size_t n_in);
err db_answer(struct ctx *c, const struct db_later *l, struct db_cursor *q);

/* A statement put together from literals, for lists with optional filters. At most SQL_PARAMS_MAX values. */
#define SQL_PARAMS_MAX 20000
struct sql {
    struct arena *arena;
    struct buf text;
    struct db_in *in;
    size_t n, cap;
};
void sql_init(struct sql *s, struct arena *a);
#define sql_add(s, literal, ...)                                                                             \
    sql_add_((s), "" literal, DB_INS_(__VA_ARGS__) + 1, DB_COUNT_(DB_INS_(__VA_ARGS__)))
void sql_add_(struct sql *s, const char *text, const struct db_in *in, size_t n_in);
/* " AND column IN (…)"; the list is padded to a power of two so that few texts are prepared. n == 0: " AND
 * 0". */
#define sql_add_in_uuids(s, column, ids, n) sql_add_in_uuids_((s), " AND " column " IN (", (ids), (n))
void sql_add_in_uuids_(struct sql *s, const char *head, const struct uuid *ids, size_t n);
err sql_query(struct ctx *c, struct db_cursor *q, struct sql *s);
err sql_exec(struct ctx *c, int64_t *changed, struct sql *s);
/* The rows of a statement, at most max, as an array in the request's arena: read() fills one of `size` bytes, which are zero. */
err sql_rows(struct ctx *c, struct sql *s, size_t max, size_t size, err (*read)(struct ctx *c, struct db_cursor *q, bool *found, void *row),
             void **rows, size_t *n);

/* Why the last failed statement of this thread failed, where a service must know. */
bool db_was_duplicate(const struct ctx *c); /* unique key: 1062 */

/* ---- transactions -------------------------------------------------------------------------------------- */

/* Begins, runs body, commits. Deadlocks and lost certifications (1213, 1205, 1020, and a connection lost
 * before commit) roll back and run body again, up to 3 times with jitter: body must be repeatable and
 * never touch the network. Inside another transaction body just joins it: whoever forgives a failure in
 * there answers for what was written before it. Any error rolls back. A connection lost in the commit
 * itself is not repeated: nobody knows whether it was saved. */
err db_tx(struct ctx *c, err (*body)(struct ctx *c, void *arg), void *arg);
bool db_in_tx(const struct ctx *c);

/* The service is a transaction around service##_tx, which stands above it: err service_tx(struct ctx *c, const in_type *in, out_type *out).
 * It may run more than once. */
struct tx_call {
    const void *in;
    void *out;
};
#define DB_TX(service, in_type, out_type)                                                                    \
    static err service##_in_tx_(struct ctx *c, void *arg)                                                    \
    {                                                                                                        \
        const struct tx_call *call = arg;                                                                    \
        return service##_tx(c, (const in_type *)call->in, (out_type *)call->out);                            \
    }                                                                                                        \
    err service(struct ctx *c, const in_type *in, out_type *out)                                             \
    {                                                                                                        \
        return db_tx(c, service##_in_tx_, &(struct tx_call){ in, out });                                     \
    }
/* The same of a service that answers nothing. */
#define DB_TX_IN(service, in_type)                                                                           \
    static err service##_in_tx_(struct ctx *c, void *arg)                                                    \
    {                                                                                                        \
        return service##_tx(c, (const in_type *)((const struct tx_call *)arg)->in);                          \
    }                                                                                                        \
    err service(struct ctx *c, const in_type *in)                                                            \
    {                                                                                                        \
        return db_tx(c, service##_in_tx_, &(struct tx_call){ in, NULL });                                    \
    }

/* The same for this file alone: the service around it does more, before the transaction or after the commit. */
#define DB_TX_INNER(service, in_type, out_type)                                                              \
    static err service(struct ctx *c, const in_type *in, out_type *out);                                     \
    DB_TX(service, in_type, out_type)
#define DB_TX_IN_INNER(service, in_type)                                                                     \
    static err service(struct ctx *c, const in_type *in);                                                    \
    DB_TX_IN(service, in_type)

/* One transaction for all that an operation changes, so that its answer can be saved with it. From db_hold_begin() on, the
 * first db_tx or writing statement opens the transaction and runs opened(), and it stays open (db_in_tx) until db_hold_end().
 * Each further db_tx is a savepoint: if its body fails, that part is undone alone. When the transaction is lost (conflict,
 * connection), every statement fails until db_hold_end(), which asks for the whole operation to be run again. */
struct db_hold {
    err (*opened)(struct ctx *c, void *arg);
    void *arg;
    bool unopened; /* a conflict kept it from being opened */
    int tries;     /* how often it was run again */
};
void db_hold_begin(struct ctx *c, struct db_hold *h);
/* Is its transaction open, and fit to be committed? */
bool db_hold_is_open(const struct ctx *c);
/* Commits, or rolls back where !save. *again (a few times, while there is time): nothing was saved, through no fault of the operation, or (connection lost in the
 * commit) nobody knows whether it was: the caller finds out by what opened() wrote. */
err db_hold_end(struct ctx *c, bool save, bool *again);

/* A change of several statements (literals, separated by "; ", none of them with rows) in one round trip: all or none.
 * Inside a transaction it joins that; and where something waits for the commit, it is an ordinary transaction. For the
 * few writes that there are most of: the server works less on one compound statement than on five calls. */
#define db_atomic(c, statements, ...) \
    db_atomic_((c), "BEGIN NOT ATOMIC ROLLBACK; START TRANSACTION; " statements "; COMMIT; END", \
               "BEGIN NOT ATOMIC " statements "; END", DB_INS_(__VA_ARGS__) + 1, DB_COUNT_(DB_INS_(__VA_ARGS__)))
err db_atomic_(struct ctx *c, const char *alone, const char *joining, const struct db_in *in, size_t n_in);

/* ---- for migrations and the doctor only ---------------------------------------------------------------- */

/* Runs one statement as text, without parameters. */
err db_run_text(struct ctx *c, const char *sql, size_t n);
const char *db_server_version(struct ctx *c); /* "" when it is away */

/* ---- for tests only ------------------------------------------------------------------------------------ */

/* The n-th call to the server from now on (1: the next; 0: none) fails with this server or client error
 * number, unsent; a number that means a lost connection also closes it. */
void db_test_fail_at(struct db *db, int64_t n, unsigned error);
/* Calls to the server so far: statements, begins, commits; preparing is not counted. */
int64_t db_test_calls(const struct db *db);

#endif
