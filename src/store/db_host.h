/* The hosts of MariaDB that all threads of a process share: which of them live, and whose turn it is; only the files of
 * store/db*.c include this. docs/decisions/0063-hosts.md has the reasons. */
#ifndef LOCI_DB_HOST_H
#define LOCI_DB_HOST_H

#include <mysql.h>
#include <pthread.h>

#include "config.h"
#include "db.h"
#include "hosts.h"

#define DB_HOST_NONE SIZE_MAX
#define DB_WHY 200 /* of a reason */

struct db_line;

/* One list of the settings; all connections with the same list share it, and it lasts as long as the process. */
struct db_hosts {
    struct db_hosts *next;
    struct arena *arena;
    struct config conf; /* a copy: the one of the program may end before */
    struct host_name names[HOSTS_MAX];
    uint64_t keys[HOSTS_MAX];
    size_t n;
    struct host_state state[HOSTS_MAX];
    _Atomic uint64_t changes;
    pthread_mutex_t lock; /* of what follows, and of changes of a state */
    char why[HOSTS_MAX][DB_WHY];
    struct db_line *lines; /* connections that end when their host dies */
    /* of the watch (db_watch.c) */
    pthread_cond_t wake;
    pthread_t thread;
    bool is_watched, stopping;
};

struct db_hosts *db_hosts_of(const struct config *conf);
/* For all lists of the process. */
void db_hosts_each(void (*visit)(struct db_hosts *h));

/* The first of the account's order that lives; DB_HOST_NONE: none does. Nil: the host of what belongs to no account. */
size_t db_hosts_choose(const struct db_hosts *h, struct uuid account_id);
/* Is it the account's own, and not just back? Then what others commit in the account is committed there. */
bool db_hosts_is_home(const struct db_hosts *h, size_t host, struct uuid account_id);
/* Nobody takes it until the watch finds it well, and connections to it end. */
bool db_hosts_died(struct db_hosts *h, size_t host, const char *why); /* true: it lived until now */
void db_hosts_probed(struct db_hosts *h, size_t host, bool well, const char *why);

void db_hosts_enter(struct db_hosts *h, struct db_line *line);
/* Before it is closed. */
void db_hosts_leave(struct db_hosts *h, struct db_line *line);

/* What a server says of itself. */
struct db_node {
    int64_t cluster_size; /* 0: it is no node of a cluster */
    bool is_ready, is_synced;
};
#define DB_NOT_READY "the node is not ready: it has left its cluster, or joins it"
bool db_node_ask(MYSQL *my, struct db_node *out);

/* Connects; my has its other options. */
bool db_dial(const struct config *conf, const struct host_name *at, const char *schema, MYSQL *my);

/* Looks at every host of a list of several once a second, from a thread of its own (db_watch_end in db.h). */
void db_watch_begin(struct db_hosts *h);

#endif
