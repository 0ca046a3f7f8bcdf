/* The socket that listeners come to, and the files that they may take; see listen.h. */
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "config.h"
#include "listen_impl.h"

#define BACKLOG 1024

const char *listen_socket(struct arena *a, const struct config *conf)
{
    const char *web = conf->web_socket;
    size_t n = strlen(web);

    if (*conf->events_socket || !n)
        return conf->events_socket;
    if (n > 5 && strcmp(web + n - 5, ".sock") == 0)
        n -= 5;
    return arena_printf(a, "%.*s-events.sock", (int)n, web);
}

int listen_bind(const char *path)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    mode_t old;
    bool bound;

    if (fd < 0 || strlen(path) >= sizeof to.sun_path)
        return -1;
    memcpy(to.sun_path, path, strlen(path));
    unlink(path);
    old = umask(0117);                   /* the web server's group may connect */
    bound = bind(fd, (struct sockaddr *)&to, sizeof to) == 0 && listen(fd, BACKLOG) == 0;
    umask(old);
    if (bound)
        return fd;
    close(fd);
    return -1;
}

void listen_allow_files(const struct config *conf)
{
    rlim_t want = (rlim_t)conf->events_listeners + LISTEN_BEYOND + 1024;
    struct rlimit r;

    if (getrlimit(RLIMIT_NOFILE, &r) != 0 || r.rlim_cur >= want)
        return;
    r.rlim_cur = r.rlim_max == RLIM_INFINITY || r.rlim_max > want ? want : r.rlim_max;
    (void)!setrlimit(RLIMIT_NOFILE, &r);
}
