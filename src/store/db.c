/* The connection to MariaDB: made at first use, looked at before each use, made again after a loss. */
#include "db.h"

#include <assert.h>
#include <errmsg.h>
#include <mysqld_error.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "config.h"
#include "db_impl.h"

#define BACKOFF_FIRST_US 100000
#define BACKOFF_MAX_US 1000000

/* When any thread of this process last got through. Who was refused before that need not wait any longer: otherwise
 * single threads would go on saying that the database is away while the others work. */
static _Atomic int64_t reached_us;

static void library_init(void)
{
    mysql_library_init(0, NULL, NULL);
}

struct db *db_open(const struct config *conf)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct db *db = calloc(1, sizeof *db);

    assert(db);
    pthread_once(&once, library_init);
    db->conf = conf;
    db->hosts = db_hosts_of(conf);
    db->lines = calloc(db->hosts->n, sizeof *db->lines);
    assert(db->lines);
    for (size_t i = 0; i < db->hosts->n; i++) {
        db->lines[i].host = i;
        db->lines[i].literals.max = DB_LITERALS_MAX;
        db->lines[i].built.max = DB_BUILT_MAX;
    }
    db->on = db->lines;
    db_watch_begin(db->hosts);
    return db;
}

void db_close(struct db *db)
{
    if (!db)
        return;
    db_drop_all(db);
    free(db->lines);
    free(db);
}

void db_rest(struct db *db)
{
    for (size_t i = 0; i < db->hosts->n && db->tx == TX_NONE; i++) {
        db->on = &db->lines[i];
        if (db->on->my && db->on->my->net.max_packet > DB_BUFFER_KEPT)
            db_drop(db);
    }
}

void db_drop_all(struct db *db)
{
    for (size_t i = 0; i < db->hosts->n; i++) {
        db->on = &db->lines[i];
        db_drop(db);
    }
}

void db_drop(struct db *db)
{
    if (!db->on->my)
        return;
    if (db->hosts->n > 1)
        db_hosts_leave(db->hosts, db->on);
    /* First the connection: then the statements are closed without a word to the server. */
    mysql_close(db->on->my);
    db->on->my = NULL;
    db_unask(db);
    stmt_cache_clear(&db->on->literals, true);
    stmt_cache_clear(&db->on->built, true);
    db_count_buffer(db);
}

bool db_note(struct db *db, MYSQL_STMT *st)
{
    db->last_errno = st ? mysql_stmt_errno(st) : mysql_errno(db->on->my);
    snprintf(db->last_error, sizeof db->last_error, "%s", st ? mysql_stmt_error(st) : mysql_error(db->on->my));
    /* A failure without a number would pass for success. */
    if (!db->last_errno)
        db->last_errno = CR_UNKNOWN_ERROR;
    return false;
}

const char *db_last_error(const struct ctx *c)
{
    return c->db->last_error;
}

/* ---- connecting */

/* Between two statements the server has nothing to say: a readable socket is a goodbye. */
static bool is_alive(MYSQL *my)
{
    struct pollfd p = {.fd = (int)mysql_get_socket(my), .events = POLLIN | POLLRDHUP};

    return poll(&p, 1, 0) == 0;
}

static int64_t deadline_s(const struct db *db)
{
    return db->patient ? DB_PATIENT_S : db->conf->http_deadline_s;
}

static void set_options(struct db *db, MYSQL *my, unsigned connect_s)
{
    unsigned io_s = (unsigned)deadline_s(db) + DB_GRACE_S, off = 0;
    my_bool no = 0;
    char init[512];

    snprintf(
        init, sizeof init,
        "SET SESSION sql_mode='STRICT_ALL_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE,ERROR_FOR_DIVISION_BY_ZERO,"
        "NO_ENGINE_SUBSTITUTION,NO_AUTO_CREATE_USER', time_zone='+00:00', tx_isolation='READ-COMMITTED', "
        "autocommit=1, innodb_lock_wait_timeout=%d, max_statement_time=%lld",
        DB_LOCK_WAIT_S, (long long)deadline_s(db));
    mysql_options(my, MYSQL_SET_CHARSET_NAME, "utf8mb4");
    mysql_options(my, MYSQL_INIT_COMMAND, init);
    mysql_options(my, MYSQL_OPT_CONNECT_TIMEOUT, &connect_s);
    mysql_options(my, MYSQL_OPT_READ_TIMEOUT, &io_s);
    mysql_options(my, MYSQL_OPT_WRITE_TIMEOUT, &io_s);
    mysql_options(my, MYSQL_OPT_LOCAL_INFILE, &off);
    mysql_options(my, MYSQL_OPT_RECONNECT, &no);
    mysql_options(my, MYSQL_OPT_NONBLOCK, NULL); /* for those that are asked and answered later */
}

/* Without a socket TCP in any case: the library takes the host "localhost" for a socket of its own choice. */
static void set_transport(const struct config *conf, const struct host_name *at, MYSQL *my)
{
    unsigned tcp = MYSQL_PROTOCOL_TCP;
    my_bool yes = 1;

    if (!*at->socket)
        mysql_options(my, MYSQL_OPT_PROTOCOL, &tcp);
    if (!conf->db_tls)
        return;
    mysql_options(my, MYSQL_OPT_SSL_ENFORCE, &yes);
    mysql_options(my, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &yes);
    if (*conf->db_tls_ca)
        mysql_options(my, MYSQL_OPT_SSL_CA, conf->db_tls_ca);
    if (*conf->db_tls_cert)
        mysql_options(my, MYSQL_OPT_SSL_CERT, conf->db_tls_cert);
    if (*conf->db_tls_key)
        mysql_options(my, MYSQL_OPT_SSL_KEY, conf->db_tls_key);
}

bool db_dial(const struct config *conf, const struct host_name *at, const char *schema, MYSQL *my)
{
    bool local = *at->socket != 0;

    set_transport(conf, at, my);
    return mysql_real_connect(my, local ? NULL : at->host, conf->db_user, conf->db_password, schema, local ? 0 : (unsigned)at->port,
                              local ? at->socket : NULL, CLIENT_FOUND_ROWS) != NULL;
}

/* A large transaction goes to the other nodes in pieces, so that none of them holds all of it at once. */
static bool stream_large(struct db *db)
{
    static const char SQL[] = "SET SESSION wsrep_trx_fragment_unit='bytes', wsrep_trx_fragment_size=4194304";

    return mysql_real_query(db->on->my, SQL, sizeof SQL - 1) == 0 || db_note(db, NULL);
}

/* Of several hosts one may be there and yet not serve. */
static bool node_serves(struct db *db)
{
    struct db_node node = {.is_ready = true};

    if (db->hosts->n > 1 && !db_node_ask(db->on->my, &node))
        return db_note(db, NULL);
    db->on->in_cluster = node.cluster_size > 0;
    db->on->waits = false;
    if (node.is_ready)
        return !db->on->in_cluster || stream_large(db);
    db->last_errno = ER_UNKNOWN_COM_ERROR;
    snprintf(db->last_error, sizeof db->last_error, "%s", DB_NOT_READY);
    return false;
}

static void connected(struct db *db)
{
    db->on->limit_ms = deadline_s(db) * 1000;
    db->on->max_packet = 0;
    db->on->number = ++db->connects;
    db->backoff_us = 0;
    if (db->hosts->n > 1)
        db_hosts_enter(db->hosts, db->on);
    atomic_store(&reached_us, clock_monotonic_us());
}

static bool connect_now(struct db *db, unsigned connect_s)
{
    const struct config *conf = db->conf;
    MYSQL *my = db->on->my = mysql_init(NULL);
    bool ok;

    assert(my);
    set_options(db, my, connect_s);
    ok = db_dial(conf, &db->hosts->names[db->on->host], db->no_schema ? NULL : conf->db_name, my) || db_note(db, NULL);
    if (ok && node_serves(db)) {
        connected(db);
        return true;
    }
    mysql_close(my);
    db->on->my = NULL;
    return false;
}

/* The line to the host whose turn it is; a request keeps the one that it has begun with as long as that host lives. */
static bool take_line(struct ctx *c)
{
    struct db *db = c->db;
    size_t host;

    if (db->hosts->n == 1)
        return true;
    if (db->chosen_us == c->now.us && uuid_eq(db->chosen_for, c->account_id) && host_lives(&db->hosts->state[db->on->host]))
        return true;
    host = db_hosts_choose(db->hosts, c->account_id);
    if (host == DB_HOST_NONE)
        return false;
    db->on = &db->lines[host];
    db->chosen_us = c->now.us;
    db->chosen_for = c->account_id;
    return true;
}

bool db_is_home(const struct ctx *c)
{
    const struct db *db = c->db;
    bool chosen;

    if (db->hosts->n == 1)
        return true;
    chosen = db->chosen_us == c->now.us && uuid_eq(db->chosen_for, c->account_id);
    return db_hosts_is_home(db->hosts, chosen ? db->on->host : db_hosts_choose(db->hosts, c->account_id), c->account_id);
}

/* One that cannot be used is dead for all threads; then it is the turn of the next. */
static err connect_to_one(struct ctx *c)
{
    struct db *db = c->db;

    while (take_line(c)) {
        int left = ctx_seconds_left(c);

        if (db->on->my && is_alive(db->on->my))
            return ERR_OK;
        db_drop(db);
        if (connect_now(db, (unsigned)(left < 1 ? 1 : left < DB_LIST_CONNECT_S ? left : DB_LIST_CONNECT_S)))
            return ERR_OK;
        if (!db_errno_host(db->last_errno))
            return db_fault_away(c);
        db_host_gone(c);
    }
    db->last_errno = CR_CONN_HOST_ERROR;
    snprintf(db->last_error, sizeof db->last_error, "none of the hosts of db.hosts can be used");
    return db_fault_away(c);
}

/* A server that is away costs one attempt per back-off, not one per request. */
static err connect_to_only(struct ctx *c)
{
    struct db *db = c->db;
    int64_t began, took;
    int left = ctx_seconds_left(c);

    if (db->on->my && is_alive(db->on->my))
        return ERR_OK;
    db_drop(db);
    began = clock_monotonic_us();
    if (began < db->down_until_us && atomic_load(&reached_us) <= db->refused_us) {
        db->last_errno = db->connect_errno;
        return db_fault_away(c);
    }
    if (connect_now(db, (unsigned)(left < 1 ? 1 : left < DB_CONNECT_S ? left : DB_CONNECT_S)))
        return ERR_OK;
    db->connect_errno = db->last_errno;
    db->refused_us = clock_monotonic_us();
    took = db->refused_us - began;
    db->backoff_us = db->backoff_us ? db->backoff_us * 2 : BACKOFF_FIRST_US;
    if (db->backoff_us > BACKOFF_MAX_US)
        db->backoff_us = BACKOFF_MAX_US;
    /* one that takes long to say no is asked the less often */
    db->down_until_us = db->refused_us + (db->backoff_us > took ? db->backoff_us : took);
    return db_fault_away(c);
}

/* ---- time limits */

/* The server gives up when the request does. Setting the limit is a round trip, so it follows the deadline
 * loosely. */
static err fit_limit(struct ctx *c)
{
    struct db *db = c->db;
    int64_t max_ms = deadline_s(db) * 1000, left_ms = max_ms;
    char sql[64];
    int n;

    if (c->deadline_us)
        left_ms = (c->deadline_us - clock_monotonic_us()) / 1000;
    if (left_ms > max_ms)
        left_ms = max_ms;
    if (left_ms < 1)
        left_ms = 1;
    if (left_ms >= db->on->limit_ms - db->on->limit_ms / 10 && left_ms <= db->on->limit_ms + db->on->limit_ms / 4)
        return ERR_OK;
    n = snprintf(sql, sizeof sql, "SET max_statement_time=%lld.%03d", (long long)(left_ms / 1000),
                 (int)(left_ms % 1000));
    if (mysql_real_query(db->on->my, sql, (unsigned long)n)) {
        db_note(db, NULL);
        db_aftermath(c);
        return db_fault(c, sql);
    }
    db->on->limit_ms = left_ms;
    return ERR_OK;
}

/* What other nodes have committed is waited for, but on the account's own node in a program that says so: there nobody else writes. */
static err fit_wait(struct ctx *c)
{
    static const char *const SQL[] = {"SET SESSION wsrep_sync_wait=0", "SET SESSION wsrep_sync_wait=7"};
    struct db *db = c->db;
    bool wait;

    if (!db->on->in_cluster)
        return ERR_OK;
    wait = !(c->app && c->app->reads_at_home && db_is_home(c));
    if (wait == db->on->waits)
        return ERR_OK;
    if (mysql_real_query(db->on->my, SQL[wait], (unsigned long)strlen(SQL[wait]))) {
        db_note(db, NULL);
        db_aftermath(c);
        return db_fault(c, SQL[wait]);
    }
    db->on->waits = wait;
    return ERR_OK;
}

/* Work without a deadline, or with a very long one, needs a connection that waits as long. */
static void suit_patience(struct ctx *c)
{
    struct db *db = c->db;

    if (db->patient)
        return;
    if (c->deadline_us && ctx_seconds_left(c) <= 2 * db->conf->http_deadline_s)
        return;
    db->patient = true;
    db_drop_all(db);
}

err db_ready(struct ctx *c)
{
    struct db *db = c->db;

    db_hear(c);
    db_count_buffer(db);
    db->last_errno = 0;
    TRY(ctx_check_deadline(c));
    TRY(ctx_check_size(c));
    if (db->tx == TX_CONFLICT || db->tx == TX_LOST) {
        db->last_errno = db->tx_errno;
        return db_fault(c, "(a transaction that has ended)");
    }
    if (db->tx == TX_NONE) {
        suit_patience(c);
        TRY(db->hosts->n > 1 ? connect_to_one(c) : connect_to_only(c));
        TRY(fit_wait(c));
    }
    return fit_limit(c);
}

err db_ping(struct ctx *c)
{
    return db_run_text(c, "DO 1", 4);
}

uint64_t db_connection(struct ctx *c)
{
    assert(c->db->tx == TX_NONE);
    if (db_ready(c) == ERR_OK)
        return c->db->on->number + (atomic_load(&c->db->hosts->changes) << 32);
    ctx_forgive(c);
    return 0;
}

const char *db_server_version(struct ctx *c)
{
    if (db_ready(c) != ERR_OK) {
        ctx_forgive(c);
        return "";
    }
    return arena_strdup(c->arena, mysql_get_server_info(c->db->on->my));
}

/* ---- text, for what cannot be prepared */

bool db_send(struct db *db, const char *sql, size_t n)
{
    MYSQL_RES *rows;

    if (!db_call_begins(db))
        return false;
    if (mysql_real_query(db->on->my, sql, n))
        return db_note(db, NULL);
    rows = mysql_store_result(db->on->my);
    if (!rows && mysql_errno(db->on->my))
        return db_note(db, NULL);
    mysql_free_result(rows);
    return true;
}

err db_run_text(struct ctx *c, const char *sql, size_t n)
{
    TRY(db_ready(c));
    if (db_send(c->db, sql, n))
        return ERR_OK;
    db_aftermath(c);
    return db_fault(c, sql);
}

bool db_ask_max_packet(struct db *db)
{
    MYSQL_RES *rows;
    MYSQL_ROW row;

    if (mysql_query(db->on->my, "SELECT @@max_allowed_packet"))
        return db_note(db, NULL);
    rows = mysql_store_result(db->on->my);
    row = rows ? mysql_fetch_row(rows) : NULL;
    if (!row || !str_to_i64(row[0], &db->on->max_packet)) {
        mysql_free_result(rows);
        return db_note(db, NULL);
    }
    mysql_free_result(rows);
    return true;
}

err db_create_schema(struct ctx *c)
{
    struct db *db = c->db;
    struct buf sql;
    err e;

    buf_init(&sql, c->arena, 128);
    buf_puts(&sql, "CREATE DATABASE IF NOT EXISTS `");
    for (const char *p = db->conf->db_name; *p; p++) {
        if (*p == '`')
            buf_putc(&sql, '`');
        buf_putc(&sql, *p);
    }
    buf_puts(&sql, "` CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin");
    db_drop(db);
    db->no_schema = true;
    e = db_run_text(c, sql.data, sql.len);
    db->no_schema = false;
    db_drop(db);
    return e;
}

/* ---- tests */

bool db_call_begins(struct db *db)
{
    db->calls++;
    if (!db->fail_at || --db->fail_at)
        return true;
    db->last_errno = db->fail_errno;
    snprintf(db->last_error, sizeof db->last_error, "made to fail by a test");
    return false;
}

void db_test_fail_at(struct db *db, int64_t n, unsigned error)
{
    db->fail_at = n;
    db->fail_errno = error;
}

int64_t db_test_calls(const struct db *db)
{
    return db->calls;
}
