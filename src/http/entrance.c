/* Taking connections, and leaving them to the next process; see entrance.h. */
#include "entrance.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define BACKLOG 4096 /* the kernel's own limit (net.core.somaxconn) comes before it */
#define LAST_MS 100  /* a web server that has looked the path up connects within this */
#define PAUSE_MS 50  /* no file is free: some will be */

static bool entrance_path(struct sockaddr_un *to, const char *path, const char *suffix)
{
    int n = snprintf(to->sun_path, sizeof to->sun_path, "%s%s", path, suffix);

    to->sun_family = AF_UNIX;
    errno = ENAMETOOLONG;
    return n > 0 && (size_t)n < sizeof to->sun_path;
}

/* Bound beside the path and moved there, so that there is no moment without a socket that listens. */
static bool entrance_bind(struct entrance *e, const char *path)
{
    struct sockaddr_un to = {0};
    struct stat st;
    mode_t old;
    bool bound;

    if (!entrance_path(&to, path, ".new"))
        return false;
    unlink(to.sun_path);
    old = umask(0117); /* the web server's group may connect */
    bound = bind(e->fd, (struct sockaddr *)&to, sizeof to) == 0;
    umask(old);
    if (!bound || listen(e->fd, BACKLOG) || stat(to.sun_path, &st) || rename(to.sun_path, path))
        return false;
    e->path = path;
    e->device = st.st_dev;
    e->inode = st.st_ino;
    return true;
}

static bool entrance_watch(const struct entrance *e, int fd, int how, uint32_t events)
{
    struct epoll_event ev = {.events = events, .data.fd = fd};

    return epoll_ctl(e->poll_fd, how, fd, &ev) == 0;
}

bool entrance_open(struct entrance *e, int inherited, const char *path)
{
    *e = (struct entrance){.fd = inherited, .stop_fd = eventfd(0, EFD_CLOEXEC), .poll_fd = epoll_create1(EPOLL_CLOEXEC)};
    if (inherited < 0) {
        e->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (e->fd < 0 || !entrance_bind(e, path))
            return false;
    }
    (void)setsockopt(e->fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int)); /* of a manager's TCP socket, for all it accepts */
    return e->stop_fd >= 0 && e->poll_fd >= 0 && fcntl(e->fd, F_SETFL, fcntl(e->fd, F_GETFL) | O_NONBLOCK) == 0 &&
           entrance_watch(e, e->stop_fd, EPOLL_CTL_ADD, EPOLLIN) && entrance_watch(e, e->fd, EPOLL_CTL_ADD, EPOLLIN | EPOLLONESHOT);
}

/* What is in the queue of our own socket would be lost with it. */
static int entrance_take_last(const struct entrance *e)
{
    struct pollfd p = {.fd = e->fd, .events = POLLIN};
    int fd = -1;

    if (!e->path)
        return -1;
    while (fd < 0 && poll(&p, 1, LAST_MS) > 0)
        fd = accept4(e->fd, NULL, NULL, SOCK_CLOEXEC);
    return fd;
}

int entrance_take(struct entrance *e)
{
    struct epoll_event ev;

    while (!atomic_load(&e->stopped)) {
        int fd;

        if (epoll_wait(e->poll_fd, &ev, 1, -1) != 1 || ev.data.fd != e->fd)
            continue;
        fd = accept4(e->fd, NULL, NULL, SOCK_CLOEXEC);
        if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS))
            poll(NULL, 0, PAUSE_MS);
        (void)!entrance_watch(e, e->fd, EPOLL_CTL_MOD, EPOLLIN | EPOLLONESHOT);
        if (fd >= 0)
            return fd;
    }
    return entrance_take_last(e);
}

void entrance_stop(struct entrance *e)
{
    struct stat st;

    if (e->path && stat(e->path, &st) == 0 && st.st_dev == e->device && st.st_ino == e->inode)
        unlink(e->path); /* no later process has put its own there */
    atomic_store(&e->stopped, true);
    (void)!eventfd_write(e->stop_fd, 1);
}

void entrance_close(struct entrance *e)
{
    close(e->fd);
    close(e->stop_fd);
    close(e->poll_fd);
}
