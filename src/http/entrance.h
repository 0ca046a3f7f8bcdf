/* A listening socket: of our own at a path, or inherited from a service manager, which keeps it when this process ends. */
#ifndef LOCI_ENTRANCE_H
#define LOCI_ENTRANCE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

struct entrance {
    int fd;      /* does not block; its queue is shared with every process that has the socket */
    int stop_fd; /* readable once it is stopped, for every thread that waits */
    int poll_fd;
    const char *path; /* NULL: inherited */
    dev_t device;     /* of what we put at the path */
    ino_t inode;
    _Atomic bool stopped;
};

/* inherited: a listening socket, or -1 for a new one at the path, which takes the place of an older one in one step: a process
 * that still listens there goes on with what is in its queue. false: errno says why. */
bool entrance_open(struct entrance *e, int inherited, const char *path);
/* Waits for a connection; any number of threads may. -1: stopped, and no connection is left that another process cannot take. */
int entrance_take(struct entrance *e);
/* Nobody new comes to a path of ours; an inherited queue is left to the next process. */
void entrance_stop(struct entrance *e);
void entrance_close(struct entrance *e);

#endif
