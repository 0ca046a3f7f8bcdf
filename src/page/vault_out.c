/* Vaults out: pages and the files beside them as a folder or an archive; see vault.h. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attachment.h"
#include "json.h"
#include "limit.h"
#include "portion.h"
#include "str.h"
#include "vault_impl.h"
#include "wiki_page.h"
#include "zip_write.h"

/* One export: where files go, and what became of them. */
struct vault_out {
    struct ctx *c;
    struct vault_report *report;
    int dir;                /* a folder, or */
    struct zip_writer *zip; /* an archive */
};

/* ---- into a folder */

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

    if (!str_eq(json_get_str(json_opened(c->arena, p->metadata), "newline"), VAULT_CRLF))
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

/* ERR_CONFLICT: there is a file of that name, or it cannot be written; errno says why. */
static err vault_folder_put(struct vault_out *o, struct ctx *part, const char *path, struct bytes b)
{
    const char *name;
    int at = folder_for(part, o->dir, path, &name), fd;
    bool done;

    fd = at >= 0 ? openat(at, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644) : -1;
    done = fd >= 0 && write_whole(fd, b.p, b.n);
    if (fd >= 0 && close(fd) != 0)
        done = false;
    if (at >= 0)
        close(at);
    return done ? ERR_OK : ERR_CONFLICT;
}

/* ---- either */

static err vault_put(struct vault_out *o, struct ctx *part, const char *path, struct bytes b)
{
    err e;

    if (!attachment_path_is_plain(path)) {
        vault_fault(o->c, o->report, path, "not a path below the folder");
        return ERR_OK;
    }
    e = o->zip ? zip_add(o->zip, path, b) : vault_folder_put(o, part, path, b);
    if (e == ERR_TOO_LARGE)
        return fail(part, e, "an archive has at most %d files and 4 GiB; locictl pages export writes a folder", ZIP_FILES);
    if (e == ERR_CONFLICT)
        vault_fault(o->c, o->report, path, strerror(errno));
    else if (e == ERR_OK)
        o->report->written++;
    return e == ERR_CONFLICT ? ERR_OK : e;
}

static err vault_put_page(struct vault_out *o, struct ctx *part, struct uuid id)
{
    const char *bytes;
    struct wiki_page p;

    TRY(wiki_page_by_id(part, id, &p));
    bytes = vault_bytes(part, &p);
    return vault_put(o, part, p.path ? p.path : arena_printf(part->arena, "%s.md", p.slug), (struct bytes){bytes, strlen(bytes)});
}

static err vault_put_file(struct vault_out *o, struct ctx *part, const struct attachment *a)
{
    struct bytes piece;
    struct buf b;

    buf_init(&b, part->arena, (size_t)a->size_bytes + 1);
    do {
        TRY(attachment_bytes(part, a->id, (int64_t)b.len, &piece));
        buf_add(&b, piece.n ? piece.p : "", piece.n);
    } while (piece.n && (int64_t)b.len < a->size_bytes);
    return vault_put(o, part, a->path, (struct bytes){b.data, b.len});
}

/* One page of the list, in memory of its own; each of its items likewise. */
static err vault_some(struct vault_out *o, struct ctx *part, bool files, const char *cursor, struct page *page)
{
    struct wiki_filter f = {.type = WIKI_PAGE, .status = -1, .is_public = -1, .limit = 100, .cursor = cursor};
    struct ctx one;
    err e;

    TRY(files ? attachment_list(part, &(struct thing_page){100, cursor}, page) : wiki_page_list(part, &f, page));
    portion_begin(part, &one);
    e = ERR_OK;
    for (size_t i = 0; e == ERR_OK && i < page->n; i++) {
        portion_next(&one);
        e = files ? vault_put_file(o, &one, &((const struct attachment *)page->items)[i])
                  : vault_put_page(o, &one, ((const struct wiki_page *)page->items)[i].id);
    }
    return portion_end(part, &one, e);
}

static err vault_put_all(struct vault_out *o, bool files)
{
    char cursor[LIMIT_CURSOR + 1] = "";
    struct page page = {.has_more = true};
    struct ctx part;
    err e = ERR_OK;

    portion_begin(o->c, &part);
    while (e == ERR_OK && page.has_more) {
        portion_next(&part);
        e = vault_some(o, &part, files, *cursor ? arena_strdup(part.arena, cursor) : NULL, &page);
        if (e == ERR_OK && page.next_cursor) {
            size_t n = strnlen(page.next_cursor, LIMIT_CURSOR);

            memcpy(cursor, page.next_cursor, n);
            cursor[n] = 0;
        }
    }
    return portion_end(o->c, &part, e);
}

err vault_export(struct ctx *c, const char *dir, struct vault_report *out)
{
    struct vault_out o = {.c = c, .report = out};
    err e;

    vault_report_begin(c, out);
    if (mkdir(dir, 0755) != 0 && errno != EEXIST)
        return fail(c, ERR_INVALID, "cannot make the folder '%s': %s", dir, strerror(errno));
    o.dir = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (o.dir < 0)
        return fail(c, ERR_NOT_FOUND, "cannot open the folder '%s': %s", dir, strerror(errno));
    e = vault_put_all(&o, false);
    if (e == ERR_OK)
        e = vault_put_all(&o, true);
    close(o.dir);
    return e;
}

err vault_export_archive(struct ctx *c, err (*write)(void *arg, const void *p, size_t n), void *arg, struct vault_report *out)
{
    struct zip_writer zip = {.write = write, .arg = arg};
    struct vault_out o = {.c = c, .report = out, .zip = &zip, .dir = -1};

    vault_report_begin(c, out);
    zip_begin(&zip, c->arena);
    TRY(vault_put_all(&o, false));
    TRY(vault_put_all(&o, true));
    return zip_end(&zip);
}
