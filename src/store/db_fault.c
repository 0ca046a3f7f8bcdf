/* What went wrong at MariaDB, in the words of the house: codes for callers, details for logs only. */
#include <assert.h>
#include <errmsg.h>
#include <mysqld_error.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "app.h"
#include "db_impl.h"
#include "log.h"
#include "metrics.h"

/* Errors that have no name in the client's headers. */
#define ER_CONNECTION_KILLED_ 1927
#define ER_STATEMENT_TIMEOUT_ 1969
#define CR_SERVER_LOST_EXTENDED_ 2055
#define SQL_SHOWN 300 /* characters of a statement in a log line */

bool db_errno_lost(unsigned error)
{
    switch (error) {
    case CR_SERVER_GONE_ERROR:
    case CR_SERVER_LOST:
    case CR_SERVER_LOST_EXTENDED_:
    case CR_MALFORMED_PACKET:
    case CR_COMMANDS_OUT_OF_SYNC:
    case CR_NEW_STMT_METADATA: /* its rows still stand in the line */
    case ER_CONNECTION_KILLED_:
    case ER_SERVER_SHUTDOWN:
    case ER_UNKNOWN_COM_ERROR:   /* a cluster's node that has lost the others: it refuses everything */
    case ER_ERROR_DURING_COMMIT: /* nobody knows what it saved */
    case ER_NET_READ_ERROR:
    case ER_NET_READ_INTERRUPTED:
    case ER_NET_ERROR_ON_WRITE:
    case ER_NET_WRITE_INTERRUPTED: return true;
    default: return false;
    }
}

bool db_errno_host(unsigned error)
{
    switch (error) {
    case CR_CONNECTION_ERROR:
    case CR_CONN_HOST_ERROR:
    case CR_UNKNOWN_HOST:
    case CR_SERVER_HANDSHAKE_ERR:
    case CR_SERVER_GONE_ERROR:
    case CR_SERVER_LOST:
    case CR_SERVER_LOST_EXTENDED_:
    case ER_SERVER_SHUTDOWN:
    case ER_UNKNOWN_COM_ERROR: return true;
    default: return false;
    }
}

bool db_errno_conflict(unsigned error)
{
    return error == ER_LOCK_DEADLOCK || error == ER_LOCK_WAIT_TIMEOUT || error == ER_CHECKREAD;
}

bool db_was_duplicate(const struct ctx *c)
{
    return c->db->last_errno == ER_DUP_ENTRY;
}

static void db_fault_count(const struct ctx *c, const struct metric *what)
{
    if (c->app && c->app->metrics)
        metrics_add(c->app->metrics, what, "", 1);
}

void db_host_gone(struct ctx *c)
{
    struct db *db = c->db;
    bool lived = db_hosts_died(db->hosts, db->on->host, db->last_error);

    if (lived && c->app && c->app->log)
        log_say(c->app->log, LOG_WARN, "MariaDB %s cannot be used, its accounts move to other hosts: %s",
                db->hosts->names[db->on->host].text, db->last_error);
}

void db_aftermath(struct ctx *c)
{
    static const struct metric LOST = { "loci_db_lost_total", METRIC_COUNTER,
                                        "connections to the database lost in use" };
    static const struct metric CONFLICT = { "loci_db_conflicts_total", METRIC_COUNTER,
                                            "statements that failed on a deadlock or lock timeout" };
    struct db *db = c->db;
    unsigned e = db->last_errno;

    if (db_errno_lost(e)) {
        db_fault_count(c, &LOST);
        /* a lost connection says nothing of its host yet: the next attempt to connect does */
        if (e == ER_UNKNOWN_COM_ERROR || e == ER_SERVER_SHUTDOWN)
            db_host_gone(c);
        db_drop(db);
    } else if (db_errno_conflict(e)) {
        db_fault_count(c, &CONFLICT);
    } else {
        return;
    }
    if (db->tx == TX_OPEN) {
        db->tx = db_errno_lost(e) ? TX_LOST : TX_CONFLICT;
        db->tx_errno = e;
    }
}

/* The server quotes the offending value in these: that is somebody's content, which no log may hold. */
static bool quotes_content(unsigned error)
{
    return error == ER_DUP_ENTRY || error == ER_TRUNCATED_WRONG_VALUE ||
           error == ER_TRUNCATED_WRONG_VALUE_FOR_FIELD || error == ER_ILLEGAL_VALUE_FOR_TYPE ||
           error == ER_WRONG_VALUE_FOR_TYPE || error == ER_WRONG_VALUE || error == ER_DATA_OUT_OF_RANGE;
}

static const char *detail(const struct db *db)
{
    return quotes_content(db->last_errno) ? "a value does not fit" : db->last_error;
}

static void log_detail(struct ctx *c, const char *sql)
{
    if (c->app && c->app->log && log_wants(c->app->log, LOG_DEBUG))
        log_say(c->app->log, LOG_DEBUG, "database error %u: %s: %.*s", c->db->last_errno, detail(c->db),
                SQL_SHOWN, sql);
}

static err fail_later(struct ctx *c, err code, int after_s, const char *message)
{
    bool first = c->fault.code == ERR_OK;
    err e = fail(c, code, "%s", message);

    if (first)
        c->fault.retry_after_s = after_s;
    return e;
}

err db_fault_away(struct ctx *c)
{
    log_detail(c, "(connecting)");
    return fail_later(c, ERR_UNAVAILABLE, 2, "the database is unavailable; try again in a moment");
}

err db_fault_unknown(struct ctx *c)
{
    log_detail(c, "COMMIT");
    return fail_later(c, ERR_UNAVAILABLE, 2,
                      "the connection was lost while saving: check whether the change was saved before you repeat it");
}

static bool is_away(unsigned e)
{
    switch (e) {
    case CR_CONNECTION_ERROR:
    case CR_CONN_HOST_ERROR:
    case ER_CON_COUNT_ERROR:
    case ER_OPTION_PREVENTS_STATEMENT: /* read-only */
    case ER_DISK_FULL:
    case ER_RECORD_FILE_FULL:
    case ER_QUERY_INTERRUPTED: return true;
    default: return db_errno_lost(e);
    }
}

/* Text outside ASCII for a column that holds only ASCII, compared or stored. */
static bool is_foreign_text(unsigned e)
{
    return e == ER_CANT_AGGREGATE_2COLLATIONS || e == ER_CANT_AGGREGATE_3COLLATIONS ||
           e == ER_CANT_AGGREGATE_NCOLLATIONS || e == ER_TRUNCATED_WRONG_VALUE_FOR_FIELD;
}

/* A read outside of transactions locks nothing: it waited for a node of a cluster that has not caught up. */
static bool waited_for_node(const struct db *db)
{
    return db->last_errno == ER_LOCK_WAIT_TIMEOUT && db->tx == TX_NONE && db->hosts->n > 1;
}

err db_fault(struct ctx *c, const char *sql)
{
    unsigned e = c->db->last_errno;

    log_detail(c, sql);
    if (is_away(e))
        return fail_later(c, ERR_UNAVAILABLE, 2, "the database connection was lost; try again in a moment");
    if (waited_for_node(c->db))
        return fail_later(c, ERR_UNAVAILABLE, 2, "the database has not caught up; try again in a moment");
    if (db_errno_conflict(e))
        return fail(c, ERR_CONFLICT, "concurrent change of the same row; try again");
    if (e == ER_DUP_ENTRY)
        return fail(c, ERR_CONFLICT, "it exists already");
    if (e == ER_STATEMENT_TIMEOUT_)
        return fail(c, ERR_DEADLINE, "the time allowed for this request is over");
    if (e == ER_NET_PACKET_TOO_LARGE)
        return fail(c, ERR_TOO_LARGE, "more data at once than the database accepts");
    if (is_foreign_text(e))
        return fail(c, ERR_INVALID, "a text has characters that are not allowed there");
    return fail(c, ERR_INTERNAL, "database error %u: %s in: %.*s", e, detail(c->db), SQL_SHOWN, sql);
}

void db_jitter(int n)
{
    uint32_t r = 0;
    struct timespec t = {0};

    if (getrandom(&r, sizeof r, 0) != sizeof r)
        r = (uint32_t)clock_monotonic_us();
    t.tv_nsec = (long)(5 + r % 36) * 1000000L * n;
    nanosleep(&t, NULL);
}
