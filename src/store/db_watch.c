/* Looks at the hosts of MariaDB from behind, so that no request waits for one that is dead; see db_host.h. */
#include <assert.h>
#include <errmsg.h>
#include <mysqld_error.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "db_impl.h"

#define LOOK_S 1
#define ANSWER_S 2               /* one that says nothing for so long is dead: others wait for what it holds */
#define QUICK_US (SECOND_US / 2) /* a connection that ended at once says nothing of its host */

/* ---- what a server says of itself */

/* The text of the first row's column; false: it cannot be asked. */
static bool watch_read(MYSQL *my, const char *sql, void (*row_of)(struct db_node *out, char **row), struct db_node *out)
{
    MYSQL_RES *rows;
    MYSQL_ROW row;

    if (mysql_query(my, sql))
        return false;
    rows = mysql_store_result(my);
    while (rows && (row = mysql_fetch_row(rows)))
        row_of(out, row);
    mysql_free_result(rows);
    return true;
}

static void watch_on(struct db_node *out, char **row)
{
    out->cluster_size = row[0] && str_eq(row[0], "1");
}

static void watch_status(struct db_node *out, char **row)
{
    if (!row[0] || !row[1])
        return;
    if (str_eq(row[0], "wsrep_ready"))
        out->is_ready = str_eq(row[1], "ON");
    else if (str_eq(row[0], "wsrep_local_state"))
        out->is_synced = str_eq(row[1], "4");
    else if (str_eq(row[0], "wsrep_cluster_size"))
        (void)str_to_i64(row[1], &out->cluster_size);
}

bool db_node_ask(MYSQL *my, struct db_node *out)
{
    *out = (struct db_node){.is_ready = true, .is_synced = true};
    if (!watch_read(my, "SELECT @@global.wsrep_on", watch_on, out))
        return mysql_errno(my) == ER_UNKNOWN_SYSTEM_VARIABLE;
    if (!out->cluster_size)
        return true;
    *out = (struct db_node){.cluster_size = 1};
    return watch_read(my, "SHOW GLOBAL STATUS WHERE Variable_name IN ('wsrep_ready', 'wsrep_local_state', 'wsrep_cluster_size')",
                      watch_status, out);
}

/* ---- one host */

static MYSQL *watch_dial(const struct db_hosts *h, size_t host, char why[DB_WHY])
{
    MYSQL *my = mysql_init(NULL);
    unsigned s = ANSWER_S;

    assert(my);
    mysql_options(my, MYSQL_OPT_CONNECT_TIMEOUT, &s);
    mysql_options(my, MYSQL_OPT_READ_TIMEOUT, &s);
    mysql_options(my, MYSQL_OPT_WRITE_TIMEOUT, &s);
    if (db_dial(&h->conf, &h->names[host], NULL, my))
        return my;
    snprintf(why, DB_WHY, "%s", mysql_error(my));
    mysql_close(my);
    return NULL;
}

/* *my may be NULL, before and after. lives: what is good enough for one that is in use. */
static bool watch_try(const struct db_hosts *h, size_t host, MYSQL **my, bool lives, char why[DB_WHY])
{
    struct db_node node;

    if (!*my)
        *my = watch_dial(h, host, why);
    if (!*my)
        return false;
    if (!db_node_ask(*my, &node)) {
        snprintf(why, DB_WHY, "%s", mysql_error(*my));
        mysql_close(*my);
        *my = NULL;
        return false;
    }
    if (node.is_ready && (lives || node.is_synced))
        return true;
    snprintf(why, DB_WHY, "%s", node.is_ready ? "the node is not synced with its cluster yet" : DB_NOT_READY);
    return false;
}

static void watch_look(struct db_hosts *h, size_t host, MYSQL **my)
{
    int64_t began_us = clock_monotonic_us();
    bool lives = host_lives(&h->state[host]), kept = *my != NULL, well;
    char why[DB_WHY] = "";

    if (!lives && !host_probe_due(&h->state[host], began_us))
        return;
    well = watch_try(h, host, my, lives, why);
    if (!well && kept && !*my && clock_monotonic_us() - began_us < QUICK_US)
        well = watch_try(h, host, my, lives, why);
    if (!lives)
        db_hosts_probed(h, host, well, why);
    else if (!well)
        db_hosts_died(h, host, why);
}

/* ---- the thread */

static bool watch_pause(struct db_hosts *h)
{
    int64_t us = clock_monotonic_us() + LOOK_S * SECOND_US;
    struct timespec until = {.tv_sec = us / SECOND_US, .tv_nsec = us % SECOND_US * 1000};
    bool on;

    pthread_mutex_lock(&h->lock);
    while (!h->stopping && pthread_cond_timedwait(&h->wake, &h->lock, &until) == 0)
        ;
    on = !h->stopping;
    pthread_mutex_unlock(&h->lock);
    return on;
}

static void *watch_run(void *arg)
{
    struct db_hosts *h = arg;
    MYSQL *own[HOSTS_MAX] = {NULL};

    do {
        for (size_t i = 0; i < h->n; i++)
            watch_look(h, i, &own[i]);
    } while (watch_pause(h));
    for (size_t i = 0; i < h->n; i++)
        if (own[i])
            mysql_close(own[i]);
    mysql_thread_end();
    return NULL;
}

/* Signals are for the thread that waits for them. */
static bool watch_start(struct db_hosts *h)
{
    sigset_t all, before;
    bool ok;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    ok = pthread_create(&h->thread, NULL, watch_run, h) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return ok;
}

void db_watch_begin(struct db_hosts *h)
{
    if (h->n == 1)
        return;
    pthread_mutex_lock(&h->lock);
    if (!h->is_watched && !h->stopping)
        h->is_watched = watch_start(h);
    pthread_mutex_unlock(&h->lock);
}

static void watch_stop(struct db_hosts *h)
{
    bool was;

    pthread_mutex_lock(&h->lock);
    was = h->is_watched;
    h->stopping = was;
    pthread_cond_broadcast(&h->wake);
    pthread_mutex_unlock(&h->lock);
    if (!was)
        return;
    pthread_join(h->thread, NULL);
    h->is_watched = h->stopping = false;
}

void db_watch_end(void)
{
    db_hosts_each(watch_stop);
}

/* ---- for operators */

static void watch_flushes(struct db_node *out, char **row)
{
    out->is_synced = row[0] && str_eq(row[0], "1");
}

#define UNSAFE "; innodb_flush_log_at_trx_commit is not 1: commits can be lost"

/* Where commits are not flushed, a cluster loses some when its nodes crash one after the other. */
static const char *watch_describe(struct ctx *c, MYSQL *my)
{
    const char *version = mysql_get_server_info(my);
    struct db_node node, flushes = {0};

    if (!db_node_ask(my, &node) || !node.cluster_size)
        return arena_strdup(c->arena, version);
    (void)!watch_read(my, "SELECT @@global.innodb_flush_log_at_trx_commit", watch_flushes, &flushes);
    return arena_printf(c->arena, "%s, %s, in a cluster of %lld%s", version, node.is_synced ? "synced" : "not synced",
                        (long long)node.cluster_size, flushes.is_synced ? "" : UNSAFE);
}

bool db_host_ask(struct ctx *c, size_t host, const char **detail)
{
    const struct db_hosts *h = c->db->hosts;
    char why[DB_WHY] = "";
    MYSQL *my = NULL;
    bool well = watch_try(h, host, &my, true, why);

    *detail = well ? watch_describe(c, my) : arena_strdup(c->arena, why);
    if (my)
        mysql_close(my);
    return well;
}
