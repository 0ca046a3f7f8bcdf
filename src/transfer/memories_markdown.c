/* Memories in Markdown: front matter, links between notes, folders and tar archives of them; see memories.h. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memories.h"

#define LINKS_MAX (4 * MEMORIES_MAX)
#define FOLDERS_DEEP 16
#define TAR_BLOCK 512
#define LINK_BYTES 512  /* a name, what is shown for it, and the brackets */
#define FRONT_LINES 200 /* more is no front matter */

/* ---- one file */

static bool is_markdown(const char *path)
{
    size_t n = strlen(path);

    return n > 3 && strcmp(path + n - 3, ".md") == 0;
}

/* "folder/Tea time.md" is "Tea time". */
static const char *memories_markdown_name_of(struct arena *a, const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;

    return arena_strndup(a, base, strlen(base) - 3);
}

static const char *memories_markdown_trimmed(struct arena *a, const char *s, size_t n)
{
    while (n && strchr(" \t\r\"'", s[n - 1]))
        n--;
    while (n && strchr(" \t\"'", *s))
        s++, n--;
    return arena_strndup(a, s, n);
}

/* "key: value" becomes an attribute; title and date say what they are. "[a, b]" is a list of texts. */
static void front_line(struct ctx *c, struct memory_in *m, const char *line, size_t n)
{
    const char *colon = memchr(line, ':', n), *key, *value;
    struct json *list;

    if (!colon || colon == line || *line == ' ' || *line == '-' || *line == '#')
        return;
    key = memories_markdown_trimmed(c->arena, line, (size_t)(colon - line));
    value = memories_markdown_trimmed(c->arena, colon + 1, n - (size_t)(colon + 1 - line));
    if (str_empty(key) || str_empty(value) || json_get(m->attrs, key))
        return;
    if (strcmp(key, "title") == 0) {
        m->title = value;
    } else if (strcmp(key, "date") == 0 || strcmp(key, "created") == 0) {
        if (!instant_parse(value, &m->at) && !instant_parse(arena_printf(c->arena, "%.10sT00:00:00Z", value), &m->at))
            m->at.us = 0;
    } else if (*value == '[' && value[strlen(value) - 1] == ']') {
        list = json_set(c->arena, m->attrs, key, json_arr(c->arena));
        for (const char *p = value + 1; *p && *p != ']'; p += strcspn(p, ",]"), p += *p == ',') {
            const char *item = memories_markdown_trimmed(c->arena, p, strcspn(p, ",]"));

            if (*item)
                json_push(list, json_str(c->arena, item));
        }
    } else {
        json_set_str(c->arena, m->attrs, key, value);
    }
}

/* Between a first line "---" and the next; returns where the text begins. */
static const char *front_matter(struct ctx *c, struct memory_in *m, const char *text)
{
    const char *p = text, *end;
    int lines = 0;

    if (!str_starts(text, "---\n") && !str_starts(text, "---\r\n"))
        return text;
    for (p = strchr(text, '\n') + 1; *p && lines < FRONT_LINES; p = *end ? end + 1 : end, lines++) {
        end = p + strcspn(p, "\n");
        if (str_starts(p, "---") && strspn(p + 3, " \r") == (size_t)(end - p - 3))
            return *end ? end + 1 : end;
        front_line(c, m, p, (size_t)(end - p));
    }
    return text; /* it never ended: it was none */
}

static err memories_markdown_add_link(struct ctx *c, struct memories *m, const char *from, size_t n)
{
    const char *to = memories_markdown_trimmed(c->arena, from, strcspn(arena_strndup(c->arena, from, n), "|#"));

    if (!m->links)
        m->links = ARENA_ARRAY(c->arena, struct memory_link, LINKS_MAX);
    if (m->n_links == LINKS_MAX)
        return fail(c, ERR_TOO_LARGE, "a folder may contain at most %d links; split it", LINKS_MAX);
    if (*to)
        m->links[m->n_links++] = (struct memory_link){m->n - 1, to};
    return ERR_OK;
}

/* On the same line, and not far: else NULL. */
static const char *link_end(const char *p)
{
    for (size_t i = 0; i < LINK_BYTES && p[i] && p[i] != '\n'; i++)
        if (p[i] == ']' && p[i + 1] == ']')
            return p + i;
    return NULL;
}

/* [[Name]], [[Name|shown]], [[Name#part]]; not inside code. */
static err find_links(struct ctx *c, struct memories *m, const char *text)
{
    bool fenced = false, at_line = true;

    for (const char *p = text; *p; p++) {
        const char *end;

        if (at_line && str_starts(p, "```"))
            fenced = !fenced;
        at_line = *p == '\n';
        if (fenced)
            continue;
        if (*p == '`' && (end = strchr(p + 1, '`'))) {
            p = end;
            continue;
        }
        if (p[0] != '[' || p[1] != '[' || !(end = link_end(p + 2)))
            continue;
        TRY(memories_markdown_add_link(c, m, p + 2, (size_t)(end - p - 2)));
        p = end + 1;
    }
    return ERR_OK;
}

err memories_add_markdown(struct ctx *c, struct memories *m, const char *path, const char *text, size_t n)
{
    const char *body = arena_strndup(c->arena, text, n);
    struct memory_in *one;

    if (!str_is_utf8(text, n))
        return fail(c, ERR_INVALID, "'%s' is not UTF-8", path);
    if (!m->v)
        m->v = ARENA_ARRAY(c->arena, struct memory_in, MEMORIES_MAX);
    if (m->n == MEMORIES_MAX)
        return fail(c, ERR_TOO_LARGE, "a folder may contain at most %d notes; split it", MEMORIES_MAX);
    one = &m->v[m->n++];
    *one = (struct memory_in){.key = arena_strdup(c->arena, path), .kind = "note", .attrs = json_obj(c->arena)};
    body = front_matter(c, one, body);
    one->body = body + strspn(body, "\r\n");
    one->name = memories_markdown_name_of(c->arena, path);
    if (!one->title)
        one->title = one->name;
    return find_links(c, m, one->body);
}

/* ---- many */

static err memories_markdown_read_all(struct ctx *c, const char *path, const char **text, size_t *n)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    struct stat st;
    char *p;
    ssize_t got = 1;

    if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        if (fd >= 0)
            close(fd);
        return fail(c, ERR_INVALID, "'%s' cannot be read", path);
    }
    if (st.st_size > (off_t)MEMORIES_BYTES) {
        close(fd);
        return fail(c, ERR_TOO_LARGE, "a file may have at most %u MB; split it", MEMORIES_BYTES >> 20);
    }
    p = arena_alloc(c->arena, (size_t)st.st_size + 1);
    for (*n = 0; *n < (size_t)st.st_size && got > 0; *n += (size_t)(got > 0 ? got : 0))
        got = read(fd, p + *n, (size_t)st.st_size - *n);
    close(fd);
    *text = p;
    return got < 0 ? fail(c, ERR_INVALID, "'%s' cannot be read: %s", path, strerror(errno)) : ERR_OK;
}

struct folder {
    struct memories *out;
    size_t bytes;
};

static err read_folder(struct ctx *c, struct folder *f, const char *root, const char *below, int depth);

static err read_entry(struct ctx *c, struct folder *f, const char *root, const char *name, int depth)
{
    const char *path = arena_printf(c->arena, "%s/%s", root, name), *text;
    struct stat st;
    size_t n;

    if (lstat(path, &st) != 0)
        return ERR_OK;
    if (S_ISDIR(st.st_mode))
        return depth < FOLDERS_DEEP ? read_folder(c, f, root, name, depth + 1) : ERR_OK;
    if (!S_ISREG(st.st_mode) || !is_markdown(name))
        return ERR_OK;
    TRY(memories_markdown_read_all(c, path, &text, &n));
    f->bytes += n;
    if (f->bytes > MEMORIES_BYTES)
        return fail(c, ERR_TOO_LARGE, "the notes of a folder may have at most %u MB; split it", MEMORIES_BYTES >> 20);
    return memories_add_markdown(c, f->out, name, text, n);
}

/* In the order of names, so that two readings are one. */
static err read_folder(struct ctx *c, struct folder *f, const char *root, const char *below, int depth)
{
    struct dirent **names;
    int n = scandir(*below ? arena_printf(c->arena, "%s/%s", root, below) : root, &names, NULL, alphasort);
    err e = ERR_OK;

    if (n < 0)
        return fail(c, ERR_INVALID, "'%s' cannot be read: %s", root, strerror(errno));
    arena_defer(c->arena, free, names);
    for (int i = 0; i < n; i++) {
        arena_defer(c->arena, free, names[i]);
        if (e == ERR_OK && names[i]->d_name[0] != '.')
            e = read_entry(c, f, root, *below ? arena_printf(c->arena, "%s/%s", below, names[i]->d_name) : names[i]->d_name, depth);
    }
    return e;
}

/* The size in a header: octal digits. */
static bool octal(const char *p, size_t n, size_t *out)
{
    *out = 0;
    for (size_t i = 0; i < n && p[i] && p[i] != ' '; i++) {
        if (p[i] < '0' || p[i] > '7')
            return false;
        *out = *out * 8 + (size_t)(p[i] - '0');
    }
    return true;
}

err memories_read_tar(struct ctx *c, const char *bytes, size_t n, struct memories *out)
{
    *out = (struct memories){0};
    for (size_t at = 0; at + TAR_BLOCK <= n && bytes[at];) {
        const char *head = bytes + at, *name = arena_strndup(c->arena, head, strnlen(head, 100));
        size_t size;

        if (memcmp(head + 257, "ustar", 5) != 0 || !octal(head + 124, 12, &size))
            return fail(c, ERR_INVALID, "not a tar archive (ustar)");
        if (memcmp(head + 257, "ustar\0", 6) == 0 && head[345])
            name = arena_printf(c->arena, "%.155s/%s", head + 345, name);
        at += TAR_BLOCK;
        if (size > n - at)
            return fail(c, ERR_INVALID, "the archive ends within '%s'", name);
        if ((head[156] == '0' || !head[156]) && is_markdown(name))
            TRY(memories_add_markdown(c, out, str_starts(name, "./") ? name + 2 : name, bytes + at, size));
        at += (size + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK;
    }
    return ERR_OK;
}

err memories_read(struct ctx *c, enum memories_format format, const char *path, struct memories *out)
{
    struct folder f = {.out = out};
    const char *text;
    struct stat st;
    size_t n;

    *out = (struct memories){0};
    if (format == MEMORIES_MARKDOWN && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        return read_folder(c, &f, path, "", 0);
    TRY(memories_markdown_read_all(c, path, &text, &n));
    return format == MEMORIES_MARKDOWN ? memories_read_tar(c, text, n, out) : memories_read_json(c, format, text, n, out);
}
