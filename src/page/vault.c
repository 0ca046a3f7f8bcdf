/* Vaults in and out; see vault.h. */
#include "vault.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "json.h"
#include "limit.h"
#include "link_scan.h"
#include "page_link.h"
#include "portion.h"
#include "str.h"
#include "wiki_page.h"
#include "wiki_page_store.h"
#include "wiki_space.h"
#include "wiki_text.h"

#define FRONT_NAMES 20 /* aliases or tags of one file */

/* One import: paths of the files, and the pages they became. */
struct vault_walk {
    struct ctx *c;
    const char *dir;
    struct vault_report *report;
    const char **paths;
    struct uuid *pages;
    size_t n;
};

static void vault_fault(struct vault_walk *w, const char *path, const char *message)
{
    struct vault_error *errors = w->report->errors.v;

    w->report->failed++;
    if (w->report->errors.n < VAULT_ERRORS)
        errors[w->report->errors.n++] = (struct vault_error){arena_strdup(w->c->arena, path), arena_strdup(w->c->arena, message)};
}

/* ---- the folder */

static bool is_markdown_name(const char *name)
{
    size_t n = strlen(name);

    return n > 3 && strcasecmp(name + n - 3, ".md") == 0;
}

static void vault_visit(struct vault_walk *w, int at, const char *path, const char *name, int depth);

/* Folders whose names begin with a dot are the programs' own. */
static void vault_folder(struct vault_walk *w, int at, const char *path, int depth)
{
    DIR *d = fdopendir(at);
    const struct dirent *e;

    if (!d) {
        close(at);
        return;
    }
    while ((e = readdir(d)) != NULL && w->n < VAULT_FILES)
        if (e->d_name[0] != '.')
            vault_visit(w, dirfd(d), path, e->d_name, depth);
    closedir(d);
}

static void vault_visit(struct vault_walk *w, int at, const char *path, const char *name, int depth)
{
    const char *whole = *path ? arena_printf(w->c->arena, "%s/%s", path, name) : arena_strdup(w->c->arena, name);
    struct stat s;
    int fd;

    if (fstatat(at, name, &s, AT_SYMLINK_NOFOLLOW) != 0)
        return;
    if (S_ISDIR(s.st_mode) && depth < VAULT_DEPTH) {
        fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (fd >= 0)
            vault_folder(w, fd, whole, depth + 1);
        return;
    }
    if (!S_ISREG(s.st_mode) || !is_markdown_name(name)) {
        w->report->others++;
        return;
    }
    if (s.st_size > LIMIT_PAGE_BODY || strlen(whole) > PAGE_PATH || !str_is_utf8(whole, strlen(whole))) {
        vault_fault(w, whole, s.st_size > LIMIT_PAGE_BODY ? "the file is larger than a page may be" : "the path is too long, or not UTF-8");
        return;
    }
    w->paths[w->n++] = whole;
}

static const char *vault_read(struct ctx *c, int dir, const char *path, size_t *n)
{
    int fd = openat(dir, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    char *text = arena_alloc(c->arena, LIMIT_PAGE_BODY + 1);
    ssize_t k = 0;

    *n = 0;
    while (fd >= 0 && *n < LIMIT_PAGE_BODY && (k = read(fd, text + *n, LIMIT_PAGE_BODY - *n)) > 0)
        *n += (size_t)k;
    if (fd >= 0)
        close(fd);
    return fd >= 0 && k >= 0 ? text : NULL;
}

/* ---- front matter: "aliases: [a, b]", or a line "- a" for each */

static const char *front_value(struct arena *a, const char *from, const char *to)
{
    while (from < to && strchr(" \t\"'", *from))
        from++;
    while (to > from && strchr(" \t\"'\r", to[-1]))
        to--;
    return arena_strndup(a, from, (size_t)(to - from));
}

static void front_take(struct arena *a, struct strs *out, const char *from, const char *to)
{
    const char *value = front_value(a, from, to);

    if (*value && out->n < FRONT_NAMES && str_code_points(value, strlen(value)) <= WIKI_NAME)
        out->v[out->n++] = value;
}

static void front_inline(struct arena *a, struct strs *out, const char *from, const char *to)
{
    if (from < to && *from == '[') {
        from++;
        to -= to > from && to[-1] == ']';
        for (const char *comma; from < to; from = comma + 1) {
            comma = memchr(from, ',', (size_t)(to - from));
            if (!comma)
                comma = to;
            front_take(a, out, from, comma);
        }
    } else {
        front_take(a, out, from, to);
    }
}

static struct strs front_list(struct arena *a, const char *text, size_t n, const char *name)
{
    struct strs out = {ARENA_ARRAY(a, const char *, FRONT_NAMES), 0};
    size_t k = strlen(name);
    bool is_in = false;

    for (const char *p = text, *end = text + n; p < end;) {
        const char *feed = memchr(p, '\n', (size_t)(end - p)), *to = feed ? feed : end, *at = p + strspn(p, " \t");

        if (is_in && at < to && *at == '-' && at > p - 1)
            front_take(a, &out, at + 1, to);
        else if (is_in && at == p)
            is_in = false;
        if ((size_t)(to - p) > k && strncmp(p, name, k) == 0 && p[k] == ':') {
            const char *value = p + k + 1 + strspn(p + k + 1, " \t");

            is_in = true;
            if (value < to)
                front_inline(a, &out, value, to);
        }
        p = to + 1;
    }
    return out;
}

/* ---- one file */

static const char *vault_title(struct arena *a, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char *title = arena_strndup(a, name, strlen(name) - 3);

    title[str_first_bytes(title, PAGE_TITLE)] = 0;
    return title;
}

/* Lines that end with CR LF are kept as LF, and written as they were: that must give the same bytes. */
static bool has_crlf_only(const char *text)
{
    size_t feeds = 0, pairs = 0;

    for (const char *p = text; *p; p++) {
        feeds += *p == '\n';
        pairs += *p == '\r' && p[1] == '\n';
    }
    return pairs && feeds == pairs;
}

static err vault_page_update(struct ctx *c, const struct wiki_page *was, const struct wiki_page *in, struct vault_report *report)
{
    struct wiki_page_change ch = {.to.ref = was->slug};
    struct wiki_page now;

    change_to(&ch, content, in->content);
    change_to(&ch, metadata, in->metadata);
    change_to(&ch, aliases, in->aliases);
    TRY(wiki_page_update(c, WIKI_PAGE, &ch, &now));
    if (now.version != was->version)
        report->changed++;
    else
        report->unchanged++;
    return ERR_OK;
}

static err vault_page(struct ctx *c, const char *path, const char *text, struct vault_report *report, struct uuid *id)
{
    struct wiki_page in = {.type = WIKI_PAGE, .title = vault_title(c->arena, path), .content = text, .path = path,
        .is_deferred = true}, was, made;
    struct json *metadata = json_obj(c->arena);
    struct link_scan scan;
    bool found;

    if (has_crlf_only(text))
        json_set_str(c->arena, metadata, "newline", "crlf");
    else if (strchr(text, '\r'))
        return fail(c, ERR_INVALID, "line ends of both kinds");
    in.metadata = metadata;
    TRY(wiki_clean_text(c, &in.content));
    link_scan(c->arena, in.content, strlen(in.content), &scan);
    in.aliases = front_list(c->arena, in.content, scan.front, "aliases");
    in.tags = front_list(c->arena, in.content, scan.front, "tags");
    TRY(wiki_page_store_by_path(c, path, &found, &was));
    if (found) {
        *id = was.id;
        return vault_page_update(c, &was, &in, report);
    }
    TRY(wiki_page_create(c, WIKI_PAGE, &in, &made));
    *id = made.id;
    report->created++;
    return ERR_OK;
}

static err vault_file(struct vault_walk *w, struct ctx *part, int dir, size_t i)
{
    const char *text;
    size_t n;
    err e;

    text = vault_read(part, dir, w->paths[i], &n);
    if (!text || !str_is_utf8(text, n) || memchr(text, 0, n)) {
        vault_fault(w, w->paths[i], text ? "not UTF-8" : "cannot be read");
        return ERR_OK;
    }
    e = vault_page(part, w->paths[i], text, w->report, &w->pages[i]);
    if (e == ERR_UNAVAILABLE || e == ERR_DEADLINE)
        return e;
    if (e != ERR_OK)
        vault_fault(w, w->paths[i], part->fault.message ? part->fault.message : "refused");
    return ERR_OK;
}

static err vault_links(struct vault_walk *w, struct ctx *part, size_t i)
{
    struct link_counts counts;

    if (uuid_is_nil(w->pages[i]))
        return ERR_OK;
    TRY(page_links_extract_again(part, w->pages[i], &counts));
    w->report->links += counts.extracted;
    w->report->pending += counts.pending;
    return ERR_OK;
}

/* Each in memory of its own. */
static err vault_each(struct vault_walk *w, int dir, bool links)
{
    struct ctx part;
    err e = ERR_OK;

    portion_begin(w->c, &part);
    for (size_t i = 0; i < w->n && e == ERR_OK; i++) {
        portion_next(&part);
        part.now = clock_now();
        e = links ? vault_links(w, &part, i) : vault_file(w, &part, dir, i);
    }
    return portion_end(w->c, &part, e);
}

err vault_import(struct ctx *c, const char *dir, struct vault_report *out)
{
    struct vault_walk w = {.c = c, .dir = dir, .report = out};
    int at = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct uuid space;
    err e;

    *out = (struct vault_report){.errors = {ARENA_ARRAY(c->arena, struct vault_error, VAULT_ERRORS), 0}};
    TRY(wiki_space_of(c, WIKI_PAGE, WIKI_DRAFT, &space)); /* what it widens must outlive the portions */
    if (at < 0)
        return fail(c, ERR_NOT_FOUND, "cannot open the folder '%s': %s", dir, strerror(errno));
    w.paths = ARENA_ARRAY(c->arena, const char *, VAULT_FILES);
    w.pages = ARENA_ARRAY(c->arena, struct uuid, VAULT_FILES);
    vault_folder(&w, dup(at), "", 0);
    e = vault_each(&w, at, false);
    close(at);
    TRY(e);
    TRY(vault_each(&w, -1, true));
    return page_links_bind_pending(c);
}

/* ---- out */

/* A relative path whose parts are plain names. */
static bool path_is_plain(const char *path)
{
    for (const char *p = path; *p;) {
        size_t n = strcspn(p, "/");

        if (n == 0 || (n == 1 && p[0] == '.') || (n == 2 && p[0] == '.' && p[1] == '.'))
            return false;
        p += n;
        p += *p == '/';
        if (p[-1] == '/' && !*p)
            return false;
    }
    return *path;
}

/* The folder that the file is in, made where it is not there; *name: of the file in it. */
static int folder_for(struct ctx *c, int dir, const char *path, const char **name)
{
    int at = dup(dir);

    for (const char *slash; at >= 0 && (slash = strchr(path, '/')) != NULL; path = slash + 1) {
        const char *part = arena_strndup(c->arena, path, (size_t)(slash - path));
        int next;

        (void)mkdirat(at, part, 0755);
        next = openat(at, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        close(at);
        at = next;
    }
    *name = path;
    return at;
}

static const char *vault_bytes(struct ctx *c, const struct wiki_page *p)
{
    struct buf b;

    if (!str_eq(json_get_str(json_opened(c->arena, p->metadata), "newline"), "crlf"))
        return p->content;
    buf_init(&b, c->arena, strlen(p->content) + 64);
    for (const char *s = p->content; *s; s++) {
        if (*s == '\n')
            buf_putc(&b, '\r');
        buf_putc(&b, *s);
    }
    return buf_str(&b);
}

static bool write_whole(int fd, const char *p, size_t n)
{
    while (n) {
        ssize_t k = write(fd, p, n);

        if (k <= 0)
            return false;
        p += k;
        n -= (size_t)k;
    }
    return true;
}

static void vault_write(struct vault_walk *w, struct ctx *part, int dir, const struct wiki_page *p)
{
    const char *path = p->path ? p->path : arena_printf(part->arena, "%s.md", p->slug), *name, *bytes = vault_bytes(part, p);
    int at, fd;
    bool done;

    if (!path_is_plain(path)) {
        vault_fault(w, path, "not a path below the folder");
        return;
    }
    at = folder_for(part, dir, path, &name);
    fd = at >= 0 ? openat(at, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644) : -1;
    done = fd >= 0 && write_whole(fd, bytes, strlen(bytes));
    if (fd >= 0 && close(fd) != 0)
        done = false;
    if (at >= 0)
        close(at);
    if (done)
        w->report->written++;
    else
        vault_fault(w, path, strerror(errno));
}

static err vault_write_all(struct vault_walk *w, int dir)
{
    struct wiki_filter f = {.type = WIKI_PAGE, .status = -1, .is_public = -1, .limit = 100};
    struct ctx part;
    struct page page = {.has_more = true};
    err e = ERR_OK;
    char cursor[LIMIT_CURSOR + 1] = "";

    portion_begin(w->c, &part);
    while (e == ERR_OK && page.has_more) {
        portion_next(&part);
        f.cursor = *cursor ? arena_strdup(part.arena, cursor) : NULL;
        e = wiki_page_list(&part, &f, &page);
        for (size_t i = 0; e == ERR_OK && i < page.n; i++) {
            struct wiki_page p;

            e = wiki_page_by_id(&part, ((const struct wiki_page *)page.items)[i].id, &p);
            if (e == ERR_OK)
                vault_write(w, &part, dir, &p);
        }
        if (e == ERR_OK && page.next_cursor) {
            size_t n = strnlen(page.next_cursor, LIMIT_CURSOR);

            memcpy(cursor, page.next_cursor, n);
            cursor[n] = 0;
        }
    }
    return portion_end(w->c, &part, e);
}

err vault_export(struct ctx *c, const char *dir, struct vault_report *out)
{
    struct vault_walk w = {.c = c, .dir = dir, .report = out};
    int at;
    err e;

    *out = (struct vault_report){.errors = {ARENA_ARRAY(c->arena, struct vault_error, VAULT_ERRORS), 0}};
    if (mkdir(dir, 0755) != 0 && errno != EEXIST)
        return fail(c, ERR_INVALID, "cannot make the folder '%s': %s", dir, strerror(errno));
    at = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (at < 0)
        return fail(c, ERR_NOT_FOUND, "cannot open the folder '%s': %s", dir, strerror(errno));
    e = vault_write_all(&w, at);
    close(at);
    return e;
}
