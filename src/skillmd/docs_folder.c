/* The registry as a folder; see docs_folder.h. */
#include "docs_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "docs_snapshot.h"

#define MARK ".loci-sha256" /* what the folder has: one hash of all files */
#define FOLDER_DEPTH 8

bool folder_put(int dir, const char *path, struct bytes b)
{
    int at = dup(dir), fd, next;
    const char *part = path;
    size_t n = 0;

    for (const char *slash = strchr(part, '/'); at >= 0 && slash; part = slash + 1, slash = strchr(part, '/')) {
        char name[NAME_MAX + 1];

        snprintf(name, sizeof name, "%.*s", (int)(slash - part), part);
        mkdirat(at, name, 0755);
        next = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        close(at);
        at = next;
    }
    fd = at >= 0 ? openat(at, part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644) : -1;
    while (fd >= 0 && n < b.n) {
        ssize_t took = write(fd, (const char *)b.p + n, b.n - n);

        if (took <= 0)
            break;
        n += (size_t)took;
    }
    if (at >= 0)
        close(at);
    return fd >= 0 && close(fd) == 0 && n == b.n;
}

/* Only below a folder that this file made; links are not followed. */
static void folder_remove(int at, const char *name, int depth)
{
    int fd = depth < FOLDER_DEPTH ? openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;

    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d))
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 && unlinkat(dirfd(d), e->d_name, 0) != 0)
            folder_remove(dirfd(d), e->d_name, depth + 1);
    if (d)
        closedir(d);
    unlinkat(at, name, AT_REMOVEDIR);
}

static const char *folder_mark(struct ctx *c, const struct list *files)
{
    const struct docs_file *v = files->v;
    struct buf b;

    buf_init(&b, c->arena, 4096);
    for (size_t i = 0; i < files->n; i++)
        buf_printf(&b, "%s  %s\n", v[i].sha256, v[i].path);
    return buf_str(&b);
}

static bool folder_is_same(struct ctx *c, int at, const char *name, const char *mark)
{
    const char *path = arena_printf(c->arena, "%s/" MARK, name);
    size_t want = strlen(mark), n = 0;
    char *have = arena_alloc(c->arena, want + 2);
    int fd = openat(at, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

    while (fd >= 0 && n <= want) {
        ssize_t took = read(fd, have + n, want + 1 - n);

        if (took <= 0)
            break;
        n += (size_t)took;
    }
    if (fd >= 0)
        close(fd);
    return n == want && memcmp(have, mark, n) == 0;
}

static bool folder_fill(int at, const char *name, const struct list *files, const char *mark)
{
    int fd = mkdirat(at, name, 0755) == 0 ? openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
    const struct docs_file *v = files->v;
    bool done = fd >= 0;

    for (size_t i = 0; i < files->n && done; i++)
        done = folder_put(fd, v[i].path, v[i].content);
    done = done && folder_put(fd, MARK, (struct bytes){mark, strlen(mark)});
    if (fd >= 0)
        close(fd);
    return done;
}

/* Something that this file did not make stays. */
static bool folder_swap(struct ctx *c, int at, const char *name, const char *fresh)
{
    const char *old = arena_printf(c->arena, ".%s.old", name);
    bool was_there = faccessat(at, arena_printf(c->arena, "%s/" MARK, name), F_OK, AT_SYMLINK_NOFOLLOW) == 0;

    folder_remove(at, old, 0);
    if (was_there && renameat(at, name, at, old) != 0)
        return false;
    if (renameat(at, fresh, at, name) != 0)
        return false;
    folder_remove(at, old, 0);
    return true;
}

err docs_folder_write(struct ctx *c, const char *dir, const char *name, int64_t *files, bool *changed)
{
    const char *fresh = arena_printf(c->arena, ".%s.new", name), *mark;
    struct list all;
    bool done;
    int at;

    TRY(docs_snapshot(c, &all));
    *files = (int64_t)all.n;
    mark = folder_mark(c, &all);
    at = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (at < 0)
        return fail(c, ERR_UNAVAILABLE, "the folder %s cannot be opened: %s", dir, strerror(errno));
    *changed = !folder_is_same(c, at, name, mark);
    done = true;
    if (*changed) {
        folder_remove(at, fresh, 0);
        done = folder_fill(at, fresh, &all, mark) && folder_swap(c, at, name, fresh);
    }
    close(at);
    return done ? ERR_OK : fail(c, ERR_UNAVAILABLE, "the folder %s/%s cannot be written: %s", dir, name, strerror(errno));
}
