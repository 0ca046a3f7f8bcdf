/* Which host of MariaDB an account uses now; see db_host.h. */
#include "db_host.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "db_impl.h"

#define LIST_ARENA (1024 * 1024)

static pthread_mutex_t lists_lock = PTHREAD_MUTEX_INITIALIZER;
static struct db_hosts *lists;

/* ---- the lists */

/* The old settings are a list of one. */
static void hosts_of_one(struct db_hosts *h)
{
    const struct config *conf = &h->conf;

    h->n = 1;
    h->names[0] = (struct host_name){.socket = conf->db_socket, .host = conf->db_host, .port = (int)conf->db_port};
    h->names[0].text = *conf->db_socket ? conf->db_socket : arena_printf(h->arena, "%s:%d", conf->db_host, (int)conf->db_port);
}

/* What is used of the settings, which may end before the list does. */
static void hosts_keep_config(struct db_hosts *h, const struct config *conf)
{
    const char **texts[] = {&h->conf.db_hosts, &h->conf.db_socket, &h->conf.db_host, &h->conf.db_user, &h->conf.db_password,
                            &h->conf.db_tls_ca, &h->conf.db_tls_cert, &h->conf.db_tls_key};

    h->conf = *conf;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i] = arena_strdup(h->arena, *texts[i]);
}

static struct db_hosts *db_hosts_new(const struct config *conf)
{
    struct db_hosts *h = calloc(1, sizeof *h);
    pthread_condattr_t attr;
    const char *why;

    assert(h);
    h->arena = arena_new(LIST_ARENA);
    hosts_keep_config(h, conf);
    pthread_mutex_init(&h->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&h->wake, &attr);
    pthread_condattr_destroy(&attr);
    if (!hosts_parse(h->arena, h->conf.db_hosts, (int)conf->db_port, h->names, &h->n, &why) || h->n == 0)
        hosts_of_one(h);
    for (size_t i = 0; i < h->n; i++)
        h->keys[i] = host_key_of(h->names[i].text);
    return h;
}

static bool hosts_are_those(const struct db_hosts *h, const struct config *conf)
{
    const struct config *own = &h->conf;

    if (*conf->db_hosts || *own->db_hosts)
        return str_eq(own->db_hosts, conf->db_hosts);
    return str_eq(own->db_socket, conf->db_socket) && str_eq(own->db_host, conf->db_host) && own->db_port == conf->db_port;
}

struct db_hosts *db_hosts_of(const struct config *conf)
{
    struct db_hosts *h;

    pthread_mutex_lock(&lists_lock);
    for (h = lists; h && !hosts_are_those(h, conf); h = h->next)
        ;
    if (!h) {
        h = db_hosts_new(conf);
        h->next = lists;
        lists = h;
    }
    pthread_mutex_unlock(&lists_lock);
    return h;
}

void db_hosts_each(void (*visit)(struct db_hosts *h))
{
    pthread_mutex_lock(&lists_lock);
    for (struct db_hosts *h = lists; h; h = h->next)
        visit(h);
    pthread_mutex_unlock(&lists_lock);
}

/* ---- whose turn it is */

/* Of those that live, or of all. */
static size_t hosts_heaviest(const struct db_hosts *h, struct uuid account_id, bool living)
{
    size_t best = DB_HOST_NONE;
    uint64_t most = 0;

    for (size_t i = 0; i < h->n; i++) {
        uint64_t weight;

        if (living && !host_lives(&h->state[i]))
            continue;
        weight = host_weight(account_id, h->keys[i]);
        if (best != DB_HOST_NONE && weight <= most)
            continue;
        best = i;
        most = weight;
    }
    return best;
}

size_t db_hosts_choose(const struct db_hosts *h, struct uuid account_id)
{
    return h->n == 1 ? 0 : hosts_heaviest(h, account_id, true);
}

bool db_hosts_is_home(const struct db_hosts *h, size_t host, struct uuid account_id)
{
    int64_t now_us;

    if (h->n == 1)
        return true;
    if (uuid_is_nil(account_id) || hosts_heaviest(h, account_id, false) != host)
        return false;
    now_us = clock_monotonic_us();
    return !host_is_fresh(&h->state[host], now_us);
}

/* ---- dead or alive */

/* Under the lock. Whoever waits for an answer of it hears that the connection has ended. */
static void hosts_cut(struct db_hosts *h, size_t host)
{
    for (struct db_line *line = h->lines; line; line = line->next)
        if (line->host == host)
            (void)!shutdown((int)mysql_get_socket(line->my), SHUT_RDWR);
}

bool db_hosts_died(struct db_hosts *h, size_t host, const char *why)
{
    bool lived;

    if (h->n == 1)
        return false; /* there is no other: it is asked each time, as long as that does not take too long */
    pthread_mutex_lock(&h->lock);
    lived = host_died(&h->state[host], clock_monotonic_us());
    if (lived) {
        snprintf(h->why[host], DB_WHY, "%s", why);
        atomic_fetch_add(&h->changes, 1);
        hosts_cut(h, host);
    }
    pthread_mutex_unlock(&h->lock);
    return lived;
}

void db_hosts_probed(struct db_hosts *h, size_t host, bool well, const char *why)
{
    pthread_mutex_lock(&h->lock);
    if (host_probed(&h->state[host], well, clock_monotonic_us()))
        atomic_fetch_add(&h->changes, 1);
    snprintf(h->why[host], DB_WHY, "%s", well ? "" : why);
    pthread_mutex_unlock(&h->lock);
}

void db_hosts_enter(struct db_hosts *h, struct db_line *line)
{
    pthread_mutex_lock(&h->lock);
    line->next = h->lines;
    h->lines = line;
    pthread_mutex_unlock(&h->lock);
}

void db_hosts_leave(struct db_hosts *h, struct db_line *line)
{
    pthread_mutex_lock(&h->lock);
    for (struct db_line **at = &h->lines; *at; at = &(*at)->next)
        if (*at == line) {
            *at = line->next;
            break;
        }
    pthread_mutex_unlock(&h->lock);
}

size_t db_hosts_list(const struct ctx *c, struct db_host_now *out, size_t max)
{
    struct db_hosts *h = c->db->hosts;
    int64_t now_us = clock_monotonic_us();
    size_t n = h->n < max ? h->n : max;

    pthread_mutex_lock(&h->lock);
    for (size_t i = 0; i < n; i++) {
        int64_t dead_us = atomic_load(&h->state[i].dead_us);

        out[i] = (struct db_host_now){.name = h->names[i].text, .lives = !dead_us, .away_s = dead_us ? (now_us - dead_us) / SECOND_US : 0,
                                      .why = arena_strdup(c->arena, h->why[i])};
    }
    pthread_mutex_unlock(&h->lock);
    return n;
}
