/* The socket that listeners come to, and the files that they may take; see listen.h. */
#include <string.h>
#include <sys/resource.h>

#include "config.h"
#include "listen_impl.h"

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

void listen_allow_files(const struct config *conf)
{
    rlim_t want = (rlim_t)conf->events_listeners + LISTEN_BEYOND + 1024;
    struct rlimit r;

    if (getrlimit(RLIMIT_NOFILE, &r) != 0 || r.rlim_cur >= want)
        return;
    r.rlim_cur = r.rlim_max == RLIM_INFINITY || r.rlim_max > want ? want : r.rlim_max;
    (void)!setrlimit(RLIMIT_NOFILE, &r);
}
