/* Lists of hosts that one setting names: read from text, put in an order for each account, and remembered as dead. */
#ifndef LOCI_HOSTS_H
#define LOCI_HOSTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "uuid.h"

#define HOSTS_MAX 16
#define SENTINEL_PORT 26379 /* where none is named */

struct host_name {
    const char *text;   /* as it was written: what people are shown, and what the order is made of */
    const char *socket; /* a path, or "" … */
    const char *host;   /* … and then this and */
    int port;
};

/* "db1:3306, [::1]:3307 /run/mysqld/mysqld.sock": separated by commas or spaces; without a port it is the one given. false: *why is a
 * sentence's end. An empty text is a list of none. */
bool hosts_parse(struct arena *a, const char *text, int port, struct host_name *out, size_t *n, const char **why);

/* Rendezvous hashing: for each id every host has a weight, and the heaviest one is its own. One that is gone moves only its own ids,
 * each to the next of its order. */
uint64_t host_weight(struct uuid id, uint64_t host_key);
uint64_t host_key_of(const char *text);

/* ---- whether a host is there: changed by one thread at a time, read by all */

#define HOST_PAUSE_FIRST_US 1000000
#define HOST_PAUSE_MAX_US 5000000
#define HOST_FRESH_US 30000000 /* one that came back is not taken for up to date in all it shows for so long */

struct host_state {
    _Atomic int64_t dead_us; /* since when; 0: it lives */
    _Atomic int64_t back_us; /* when it came back; 0: it never went */
    int64_t probe_us;        /* when it is looked at next */
    int64_t pause_us;
};

/* Each takes the time of the monotonic clock. true: it lived until now. */
bool host_died(struct host_state *s, int64_t now_us);
bool host_probe_due(const struct host_state *s, int64_t now_us);
/* true: it is back. */
bool host_probed(struct host_state *s, bool well, int64_t now_us);
bool host_lives(const struct host_state *s);
bool host_is_fresh(const struct host_state *s, int64_t now_us);

#endif
