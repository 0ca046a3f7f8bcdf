/* Whether a server lets itself be connected to, for operators who want to know why not. */
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "net.h"

#define REACH_SECONDS 3

/* 0, or errno. */
static int reach_address(int family, const struct sockaddr *a, socklen_t n)
{
    struct timeval most = {.tv_sec = REACH_SECONDS};
    int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0), no = 0;

    if (fd < 0)
        return errno;
    (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most);
    if (connect(fd, a, n) != 0)
        no = errno == EINPROGRESS || errno == EAGAIN ? ETIMEDOUT : errno;
    close(fd);
    return no;
}

static const char *reach_socket(struct arena *a, const char *path)
{
    struct sockaddr_un un = {.sun_family = AF_UNIX};
    int no = ENAMETOOLONG;

    if (strlen(path) < sizeof un.sun_path) {
        memcpy(un.sun_path, path, strlen(path));
        no = reach_address(AF_UNIX, (const struct sockaddr *)&un, sizeof un);
    }
    return no ? arena_printf(a, "%s: %s", path, strerror(no)) : NULL;
}

const char *net_why_unreached(struct arena *a, const char *socket_path, const char *host, int64_t port)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *all = NULL;
    char service[24];
    int no, last = 0;

    if (*socket_path)
        return reach_socket(a, socket_path);
    (void)snprintf(service, sizeof service, "%lld", (long long)port);
    no = getaddrinfo(host, service, &hints, &all);
    if (no != 0)
        return arena_printf(a, "%s:%s: %s", host, service, gai_strerror(no));
    for (const struct addrinfo *i = all; i; i = i->ai_next)
        if ((last = reach_address(i->ai_family, i->ai_addr, i->ai_addrlen)) == 0)
            break;
    freeaddrinfo(all);
    return last ? arena_printf(a, "%s:%s: %s", host, service, strerror(last)) : NULL;
}
