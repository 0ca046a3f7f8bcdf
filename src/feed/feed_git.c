/* Walking through a git repository; see feed_git.h. */
#include "feed_git.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "connector.h"
#include "feed_git_child.h"
#include "fetch.h"

#define GIT_PATH 470 /* bytes: with the connector's id it is an external_id */
#define GIT_BRANCH 200

struct git_entry {
    const char *path, *hash;
    int64_t size;
};

struct git_list {
    struct git_entry *v;
    size_t n;
    int64_t bytes;
};

/* ---- the address */

/* A name as git allows it, which no option and no range of commits is. */
static bool git_is_branch(const char *s)
{
    return *s && *s != '-' && *s != '/' && strlen(s) <= GIT_BRANCH && !strstr(s, "..") &&
           !s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/-")];
}

static err git_parts(struct ctx *c, const char *location, const char **url, const char **branch)
{
    const char *hash = strchr(location, '#'), *why;

    *url = hash ? arena_strndup(c->arena, location, (size_t)(hash - location)) : location;
    *branch = hash ? hash + 1 : NULL;
    why = fetch_fault(c, *url);
    if (why)
        return fail_field(c, "/location", "%s %s", *url, why);
    if (!str_starts(*url, "https://") && !fetch_is_listed(c, *url))
        return fail_field(c, "/location", "a repository must begin with https://");
    return !*branch || git_is_branch(*branch) ? ERR_OK : fail_field(c, "/location", "'%s' is no branch", *branch);
}

err feed_git_check(struct ctx *c, const char *location)
{
    const char *url, *branch;

    return git_parts(c, location, &url, &branch);
}

/* ---- its files */

static err git_clone(struct ctx *c, const struct git_place *p, const struct git_walk *w, const char *url, const char *branch)
{
    const char *const named[] = {"clone", "--bare", "--depth=1", "--single-branch", "--no-tags", "--quiet", "--branch", branch, "--", url,
                                 p->dir, NULL};
    const char *const plain[] = {"clone", "--bare", "--depth=1", "--single-branch", "--no-tags", "--quiet", "--", url, p->dir, NULL};

    return git_run(c, p, w, branch ? named : plain, -1, NULL);
}

static char *git_text(struct ctx *c, int fd, size_t *n)
{
    struct stat st;
    char *text;

    if (fstat(fd, &st) != 0 || st.st_size > FETCH_MAX)
        return NULL;
    *n = (size_t)st.st_size;
    text = arena_alloc(c->arena, *n + 1);
    return pread(fd, text, *n, 0) == st.st_size ? text : NULL;
}

/* The next word of a line, which ends there; *line stands behind it. */
static const char *git_word(char **line)
{
    char *word = *line + strspn(*line, " ");

    *line = word + strcspn(word, " \t");
    if (**line)
        *(*line)++ = 0;
    return word;
}

/* "mode type hash size<TAB>path". What is no file is said, and not followed. */
static err git_entry(struct ctx *c, const struct git_walk *w, char *line, struct git_list *l)
{
    const char *mode = git_word(&line), *type = git_word(&line), *hash = git_word(&line), *size = git_word(&line);
    struct git_file f = {.path = line};
    int64_t bytes = 0;

    if (!*line || (!str_to_i64(size, &bytes) && !str_eq(size, "-")))
        return fail(c, ERR_INVALID, "git lists what cannot be read");
    if (str_eq(type, "commit"))
        f.why = "a submodule: it is not followed";
    else if (str_eq(mode, "120000"))
        f.why = "a symbolic link: it is not followed";
    else if (strlen(f.path) > GIT_PATH)
        f.why = "its path is too long";
    else if (bytes > GIT_FILE)
        f.why = "it is too large";
    if (f.why)
        return w->take(w->arg, &f);
    if (!w->wants(w->arg, f.path))
        return ERR_OK;
    l->v[l->n++] = (struct git_entry){f.path, hash, bytes};
    l->bytes += bytes;
    return l->bytes <= GIT_TOTAL ? ERR_OK : fail_reason(c, ERR_TOO_LARGE, "too_large", "the files have more than %d MiB", GIT_TOTAL >> 20);
}

static err git_read_list(struct ctx *c, const struct git_place *p, const struct git_walk *w, struct git_list *l)
{
    const char *const args[] = {"--git-dir", p->dir, "ls-tree", "-r", "-l", "-z", "--full-tree", "HEAD", NULL};
    size_t n = 0, entries = 0;
    char *text;
    int fd;

    TRY(git_run(c, p, w, args, -1, &fd));
    text = git_text(c, fd, &n);
    close(fd);
    if (!text)
        return fail_reason(c, ERR_TOO_LARGE, "too_many_files", "the list of its files is too long");
    for (size_t i = 0; i < n; i++)
        entries += !text[i];
    if (entries > CONNECTOR_ENTRIES)
        return fail_reason(c, ERR_TOO_LARGE, "too_many_files", "the repository has more than %d files", CONNECTOR_ENTRIES);
    l->v = ARENA_ARRAY(c->arena, struct git_entry, entries + 1);
    for (char *line = text, *next; line < text + n; line = next) {
        next = line + strlen(line) + 1;
        TRY(git_entry(c, w, line, l));
    }
    return ERR_OK;
}

/* "hash blob size<LF>content<LF>", in the order that was asked for. */
static err git_take_all(struct ctx *c, const struct git_walk *w, const struct git_list *l, const char *p, size_t n)
{
    const char *end = p + n;

    for (size_t i = 0; i < l->n; i++) {
        const char *data = memchr(p, '\n', (size_t)(end - p));
        size_t size = (size_t)l->v[i].size;
        struct git_file f = {.path = l->v[i].path};

        if (!data || size + 2 > (size_t)(end - data) || strncmp(p, l->v[i].hash, strlen(l->v[i].hash)) != 0)
            return fail(c, ERR_INVALID, "git answers something else");
        f.data = (struct bytes){data + 1, size};
        TRY(w->take(w->arg, &f));
        p = data + size + 2;
    }
    return ERR_OK;
}

static err git_read_files(struct ctx *c, const struct git_place *p, const struct git_walk *w, const struct git_list *l)
{
    const char *const args[] = {"--git-dir", p->dir, "cat-file", "--batch", NULL};
    int in = memfd_create("loci-git-in", MFD_CLOEXEC), fd = -1;
    struct stat st = {0};
    struct buf hashes;
    void *map;
    err e;

    buf_init(&hashes, c->arena, FETCH_MAX);
    for (size_t i = 0; i < l->n; i++)
        buf_printf(&hashes, "%s\n", l->v[i].hash);
    if (in < 0 || write(in, buf_str(&hashes), hashes.len) != (ssize_t)hashes.len || lseek(in, 0, SEEK_SET) != 0)
        e = fail(c, ERR_INTERNAL, "no memory for the list of files");
    else
        e = git_run(c, p, w, args, in, &fd);
    if (in >= 0)
        close(in);
    TRY(e);
    (void)fstat(fd, &st);
    map = st.st_size ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    close(fd);
    if (map == MAP_FAILED)
        return l->n ? fail(c, ERR_INVALID, "git answers nothing") : ERR_OK;
    e = git_take_all(c, w, l, map, (size_t)st.st_size);
    munmap(map, (size_t)st.st_size);
    return e;
}

err feed_git_walk(struct ctx *c, const char *location, const struct git_walk *w)
{
    const char *url, *branch;
    struct git_list l = {0};
    struct git_place p;
    err e;

    TRY(git_parts(c, location, &url, &branch));
    TRY(git_place_open(c, url, &p));
    e = git_clone(c, &p, w, url, branch);
    if (e == ERR_OK)
        e = git_read_list(c, &p, w, &l);
    if (e == ERR_OK)
        e = git_read_files(c, &p, w, &l);
    git_place_close(&p);
    return e;
}
