/* What the configuration of the nginx in front says about Loci, for `locictl doctor`. */
#ifndef LOCI_NGINX_CONF_H
#define LOCI_NGINX_CONF_H

#include <stdbool.h>
#include <stdint.h>

#include "arena.h"

struct nginx_conf {
    const char *unread; /* a file that it includes and that cannot be read, with the reason; NULL: none */
    const char *clash;  /* two uses of one shared memory zone, which nginx refuses; NULL: none */
    bool serves_loci;   /* some server sets $loci_upstream */
    const char *data;   /* $loci_data: the folder that holds static/; NULL: not set */
    int64_t workers;    /* auto: one for each processor */
    int64_t keepalive;  /* connections that a worker keeps to loci-web: the most of all servers */
};

/* Reads the file and all that it includes. false: this file itself cannot be read (errno). Texts live in the arena. */
bool nginx_conf_read(struct arena *a, const char *path, struct nginx_conf *out);

#endif
