/* Walking through folders of the server; see feed_folder.h. */
#include "feed_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "app.h"
#include "config.h"

#define FOLDER_DEPTH 32
#define FOLDER_PATH 470 /* bytes: with the connector's id it is an external_id */

struct folder_walk {
    struct ctx *c;
    size_t n, most;
    err (*take)(void *arg, const struct feed_file *f);
    void *arg;
};

static int open_beneath(int root, const char *path, int flags)
{
    struct open_how how = {.flags = (unsigned)(flags | O_CLOEXEC | O_NONBLOCK),
                           .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};

    return (int)syscall(SYS_openat2, root, path, &how, sizeof how);
}

/* The root that the operator listed, opened, and what is below it. */
static int open_listed(struct ctx *c, const char *path)
{
    for (const char *w = c->app->conf->ingest_folders; *w;) {
        size_t n = strcspn(w, " "), len = n;
        const char *root = arena_strndup(c->arena, w, n), *below;
        int top, fd;

        while (len > 1 && root[len - 1] == '/')
            len--;
        w += n + (w[n] == ' ');
        if (*root != '/' || strncmp(path, root, len) != 0 || (path[len] && path[len] != '/'))
            continue;
        below = path + len + strspn(path + len, "/");
        top = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (top < 0)
            return -1;
        fd = open_beneath(top, *below ? below : ".", O_RDONLY | O_DIRECTORY);
        close(top);
        return fd;
    }
    errno = EACCES;
    return -1;
}

err feed_folder_check(struct ctx *c, const char *path)
{
    int fd = open_listed(c, path);

    if (fd < 0)
        return fail_field(c, "/location", "%s", errno == EACCES ? "the folder is not below one that the operator lists in ingest.folders"
                                                                : "the folder cannot be opened below the one that the operator lists");
    close(fd);
    return ERR_OK;
}

static err folder_walk(struct folder_walk *w, int fd, const char *path, int depth);

static err folder_take(struct folder_walk *w, int dir, const char *name, const char *path, int depth)
{
    struct feed_file f = {.path = path, .fd = open_beneath(dir, name, O_RDONLY)};
    struct stat st;
    err e;

    if (f.fd < 0)
        f.why = errno == ELOOP ? "a symbolic link: it is not followed" : strerror(errno);
    else if (fstat(f.fd, &st) != 0 || (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)))
        f.why = "neither a file nor a folder";
    else if (strlen(path) > FOLDER_PATH)
        f.why = "its path is too long";
    if (!f.why && S_ISDIR(st.st_mode))
        return folder_walk(w, f.fd, path, depth + 1);
    if (++w->n > w->most)
        e = fail_reason(w->c, ERR_TOO_LARGE, "too_many_files", "the folder has more than %zu files", w->most);
    else
        e = w->take(w->arg, &f);
    if (f.fd >= 0)
        close(f.fd);
    return e;
}

/* Closes fd. */
static err folder_walk(struct folder_walk *w, int fd, const char *path, int depth)
{
    DIR *d = depth < FOLDER_DEPTH ? fdopendir(fd) : NULL;
    struct dirent *entry;
    err e = ERR_OK;

    if (!d) {
        close(fd);
        return ERR_OK;
    }
    while (e == ERR_OK && (entry = readdir(d)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        e = folder_take(w, dirfd(d), entry->d_name, *path ? arena_printf(w->c->arena, "%s/%s", path, entry->d_name)
                                                          : arena_strdup(w->c->arena, entry->d_name), depth);
    }
    closedir(d);
    return e;
}

err feed_folder_walk(struct ctx *c, const char *path, size_t most, err (*take)(void *arg, const struct feed_file *f), void *arg)
{
    struct folder_walk w = {.c = c, .most = most, .take = take, .arg = arg};
    int fd = open_listed(c, path);

    if (fd < 0)
        return feed_folder_check(c, path);
    return folder_walk(&w, fd, "", 0);
}
