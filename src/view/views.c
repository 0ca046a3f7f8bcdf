/* Finds and loads the template files; see views.h. */
#include "views.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mustache.h"
#include "statics.h"
#include "words.h"

#define FOLDERS_DEEP 4
#define ENDING ".mustache"

struct views {
    struct arena *arena;
    struct mustache_set *set;
    const char *static_mark;
    const char **why; /* while loading */
};

static bool views_wrong(struct views *v, const char *path)
{
    *v->why = arena_printf(v->arena, "%s: %s", path, strerror(errno));
    return false;
}

static bool views_read_all(int fd, char *p, size_t n)
{
    while (n) {
        ssize_t got = read(fd, p, n);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            errno = got ? errno : EIO;
            return false;
        }
        p += got;
        n -= (size_t)got;
    }
    return true;
}

/* ---- what indents a template is for who reads it */

static bool opens(const char *at, const char *end, const char *tag)
{
    size_t n = strlen(tag);

    return (size_t)(end - at) > n && memcmp(at, tag, n) == 0 && strchr("> \n", at[n]);
}

/* The end of what stands there as it is typed: behind </pre> and </textarea>. NULL: nothing of that kind begins here. */
static const char *kept_until(const char *at, const char *end)
{
    const char *close = opens(at, end, "<pre") ? "</pre>" : opens(at, end, "<textarea") ? "</textarea>" : NULL;
    const char *found = close ? strstr(at, close) : NULL;

    return !close ? NULL : found ? found + strlen(close) : end;
}

/* Leaves out what lines begin with, and keeps the lines, which messages name by number. text ends with a NUL. */
static size_t views_trim(char *text, size_t n)
{
    const char *at = text, *end = text + n, *kept;
    bool begins = true;
    char *to = text;

    while (at < end) {
        kept = kept_until(at, end);
        if (kept) {
            memmove(to, at, (size_t)(kept - at));
            to += kept - at;
            at = kept;
            begins = false;
            continue;
        }
        begins = begins ? *at == ' ' || *at == '\t' : false;
        if (!begins)
            *to++ = *at;
        begins = begins || *at == '\n';
        at++;
    }
    return (size_t)(to - text);
}

/* ---- loading */

static bool load_open_file(struct views *v, int fd, const char *path, const char *name)
{
    struct stat st;
    char *text;

    if (fstat(fd, &st) < 0)
        return views_wrong(v, path);
    if (st.st_size > (off_t)MUSTACHE_TEMPLATE_MAX) {
        errno = EFBIG;
        return views_wrong(v, path);
    }
    text = arena_alloc(v->arena, (size_t)st.st_size + 1);
    if (!views_read_all(fd, text, (size_t)st.st_size))
        return views_wrong(v, path);
    text[st.st_size] = 0;
    return mustache_add(v->set, name, path, text, views_trim(text, (size_t)st.st_size), v->why);
}

static bool load_file(struct views *v, const char *path, const char *name)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool ok;

    if (fd < 0)
        return views_wrong(v, path);
    ok = load_open_file(v, fd, path, name);
    close(fd);
    return ok;
}

static bool load_folder(struct views *v, const char *path, const char *prefix, int deep);

static bool views_load_entry(struct views *v, const char *path, const char *prefix, const char *entry, int deep)
{
    const char *inner = arena_printf(v->arena, "%s/%s", path, entry);
    size_t n = strlen(entry), ending = sizeof ENDING - 1;
    struct stat st;

    if (entry[0] == '.')
        return true;
    if (stat(inner, &st) < 0)
        return views_wrong(v, inner);
    if (S_ISDIR(st.st_mode))
        return deep == FOLDERS_DEEP || load_folder(v, inner, arena_printf(v->arena, "%s%s/", prefix, entry), deep + 1);
    if (n <= ending || strcmp(entry + n - ending, ENDING) != 0)
        return true;
    return load_file(v, inner, arena_printf(v->arena, "%s%.*s", prefix, (int)(n - ending), entry));
}

static bool load_folder(struct views *v, const char *path, const char *prefix, int deep)
{
    DIR *d = opendir(path);
    struct dirent *e;
    bool ok = true;

    if (!d)
        return views_wrong(v, path);
    while (ok && (e = readdir(d)))
        ok = views_load_entry(v, path, prefix, e->d_name, deep);
    closedir(d);
    return ok;
}

struct views *views_load(struct arena *a, const char *data_dir, const char **why)
{
    struct views *v = ARENA_NEW(a, struct views);

    v->arena = a;
    v->why = why;
    v->set = mustache_set_new(a);
    mustache_set_raw_suffix(v->set, "_html");
    if (!load_folder(v, arena_printf(a, "%s/templates", data_dir), "", 0) || !mustache_link(v->set, true, why))
        return NULL;
    v->why = NULL;
    v->static_mark = statics_mark(a, data_dir);
    return v;
}

const char *views_static_mark(const struct views *v)
{
    return v->static_mark;
}

bool views_has(const struct views *v, const char *name)
{
    return mustache_find(v->set, name) != NULL;
}

/* ---- rendering */

static const void *views_member(const void *value, const char *name)
{
    const void *found = mustache_json.member(value, name);

    return found ? found : words_ending(value, name);
}

err views_render(const struct views *v, const char *name, const struct json *model, struct buf *out)
{
    const struct mustache *t = mustache_find(v->set, name);
    struct mustache_lookup lookup = mustache_json;

    lookup.member = views_member;
    return t && mustache_render(t, &lookup, model, out) == MUSTACHE_OK ? ERR_OK : ERR_INTERNAL;
}
