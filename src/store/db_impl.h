/* What the files of the MariaDB adapter share; nobody else includes this. */
#ifndef LOCI_DB_IMPL_H
#define LOCI_DB_IMPL_H

#include <mysql.h>

#include "db.h"
#include "db_host.h"

#define DB_LITERALS_MAX 160 /* statements kept per connection, of literals … */
#define DB_BUILT_MAX 48     /* … and of texts put together at run time */
#define DB_KEEP_PARAMS 128  /* a statement with more of them is not kept: it holds memory for each */
#define DB_BUCKETS 256

void db_count_buffer(struct db *db);

#define DB_BUFFER_KEPT (512 * 1024) /* a larger buffer is not kept between requests */
#define DB_LARGE (1 << 20)          /* bytes of values that any server takes in one statement */

#define DB_CONNECT_S 5
#define DB_LIST_CONNECT_S 3 /* where there is another host */
#define DB_PATIENT_S 3600   /* limit of work that has no deadline of its own */
#define DB_GRACE_S 5        /* we hang up this long after the server should have given up */
#define DB_LOCK_WAIT_S 5
#define DB_TRIES 3 /* repetitions after a conflict */

/* ---- statements */

enum col_class { COL_NONE, COL_INT, COL_DOUBLE, COL_DECIMAL, COL_BYTES, COL_TIME };

/* Where one column of the row being read lands; what is longer than the small buffer is fetched again,
 * into the arena. */
struct col {
    enum col_class class;
    enum enum_field_types type;
    unsigned long len;
    my_bool is_null, error;
    union {
        int64_t i64;
        double d;
        MYSQL_TIME time;
        char small[64];
    } v;
};

struct stmt {
    struct stmt *chain;
    const char *sql;           /* the literal itself; or our own text, that was built or made of a literal with holes */
    size_t n;                  /* length of a built text; 0: a literal */
    const char *literal;       /* as it stands in the program */
    const struct thing *thing; /* that fills the holes of the literal; NULL: it has none */
    uint64_t used_at;          /* tick of the cache */
    bool busy;                 /* its rows are being read */
    bool kept;                 /* in the cache; else it is closed when its rows have been read */
    bool is_read;              /* may run twice without harm */
    MYSQL_STMT *st;
    MYSQL_BIND *params;
    MYSQL_TIME *times; /* of parameters; made when first needed */
    size_t n_params;
    struct col *cols;
    MYSQL_BIND *binds;
    unsigned n_cols;
    size_t bytes; /* of it, as last counted */
};

struct stmt_cache {
    struct stmt *bucket[DB_BUCKETS];
    size_t count, max;
    uint64_t tick;
};

struct db_line;

/* A statement's text, which is also its name in a cache. */
struct sql_text {
    const char *s;
    size_t n;                  /* 0: a literal, known by its address … */
    const struct thing *thing; /* … and by the thing whose columns fill its holes (row.h); NULL: it has none */
};

void stmt_cache_clear(struct stmt_cache *cache, bool all); /* !all: only those that nobody reads from */
/* Finds or prepares; NULL: db->last_errno says why. */
struct stmt *stmt_get(struct db *db, struct sql_text text);
bool stmt_is_read(const char *sql);                     /* changes nothing, so it may run twice */
void stmt_forget(struct db_line *line, struct stmt *s); /* out of the cache, and closed unless it is busy */
void stmt_release(struct stmt *s);                      /* its rows are no longer needed */

/* Known when it is prepared, but for INSERT … RETURNING: then only once it has run. */
void stmt_count_cols(struct stmt *s);
void stmt_bind_in(struct stmt *s, const struct db_in *in, size_t n);
void stmt_bind_out(struct stmt *s);
_Noreturn void stmt_bug(const struct stmt *s, const char *what, size_t at);

/* ---- connection */

enum tx_state {
    TX_NONE,
    TX_OPEN,
    TX_CONFLICT, /* the server has rolled it back, or will be told to: run it again */
    TX_LOST      /* its connection is gone */
};

/* A statement whose answer nobody has come for. */
struct asked {
    struct stmt *stmt; /* NULL: there is none */
    uint64_t number;
    int waits; /* what the library waits for; 0: nothing more */
    int failed;
    bool is_heard; /* all rows are on our side */
};

/* A connection to one host. */
struct db_line {
    MYSQL *my;            /* NULL: not connected */
    size_t host;          /* in the list */
    struct db_line *next; /* of those that end with their host; under the lock of the list */
    uint64_t number;      /* which connection of the thread this is */
    int64_t limit_ms;     /* the session's max_statement_time */
    int64_t max_packet;   /* the server's limit; 0: not asked yet */
    bool in_cluster;      /* the server is a node of one … */
    bool waits;           /* … and its reads wait for what the others have committed */
    struct stmt_cache literals, built;
    size_t buffer_bytes; /* of the connection, as last counted */
    struct asked asked;
};

struct db {
    const struct config *conf;
    struct db_hosts *hosts;
    struct db_line *lines;  /* one for each host */
    struct db_line *on;     /* the one in use */
    int64_t chosen_us;      /* the instant of the request that it was chosen for, … */
    struct uuid chosen_for; /* … and the account */
    uint64_t connects;      /* so far */
    bool patient;           /* time-outs of work without a deadline */
    bool no_schema;         /* connect without choosing a database */
    int64_t refused_us, down_until_us, backoff_us;
    unsigned connect_errno; /* of the last attempt to connect that failed */
    enum tx_state tx;
    unsigned tx_errno; /* what ended it */
    bool in_body;      /* of a db_tx inside a held transaction */
    unsigned last_errno;
    char last_error[512];
    uint64_t asks; /* so far */
    int64_t calls, fail_at;
    unsigned fail_errno;
};

/* Before each call: the deadline, the connection, its time limit. */
err db_ready(struct ctx *c);
void db_drop(struct db *db); /* hangs up; statements die with the connection */
/* Ends the connections to the other hosts, too. */
void db_drop_all(struct db *db);
/* Counts a call to the server; false: a test wants it to fail. */
bool db_call_begins(struct db *db);
/* Notes what the library says about the last call on a statement (or, st == NULL, on the connection);
 * always false. */
bool db_note(struct db *db, MYSQL_STMT *st);
/* Sends text and forgets its rows. false: db->last_errno. */
bool db_send(struct db *db, const char *sql, size_t n);
bool db_ask_max_packet(struct db *db);
/* Creates the configured database where it is missing. */
err db_create_schema(struct ctx *c);

/* ---- asked for later */

void db_hear(struct ctx *c);  /* takes the whole answer, so that the connection is free for others */
void db_unask(struct db *db); /* the connection is gone */

/* ---- failures */

bool db_errno_lost(unsigned error);
/* The host is away, or cannot serve: another of the list may. */
bool db_errno_host(unsigned error);
bool db_errno_conflict(unsigned error);
/* The host in use is dead for all threads. */
void db_host_gone(struct ctx *c);
/* Drops a lost connection and spoils the open transaction, if the last failure does so. */
void db_aftermath(struct ctx *c);
/* db->last_errno as a failure of the request. */
err db_fault(struct ctx *c, const char *sql);
err db_fault_away(struct ctx *c);
err db_fault_unknown(struct ctx *c); /* lost while committing */
/* Waits a random while before the n-th repetition. */
void db_jitter(int n);

/* ---- transactions */

err db_tx_begin(struct ctx *c);
err db_tx_commit(struct ctx *c);
void db_tx_roll_back(struct db *db);
/* Opens the held transaction. */
err db_hold_open(struct ctx *c);
err db_hold_tx(struct ctx *c, err (*body)(struct ctx *c, void *arg), void *arg);

err db_run(struct ctx *c, struct db_cursor *q, int64_t *changed, struct sql_text text, const struct db_in *in,
           size_t n_in);

#endif
