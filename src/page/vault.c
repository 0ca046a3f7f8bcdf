/* Vaults in: a folder or an archive becomes pages and files beside them; see vault.h. */
#include "vault_impl.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attachment.h"
#include "intake.h"
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
    struct vault_report *report;
    struct uuid space; /* of drafts: files beside pages lie there */
    int dir;
    const struct bytes *bytes; /* of each file of an archive; NULL: they are in the folder */
    const char **paths;
    struct uuid *pages; /* nil: no page */
    size_t n;
};

void vault_report_begin(struct ctx *c, struct vault_report *r)
{
    *r = (struct vault_report){.errors = {ARENA_ARRAY(c->arena, struct vault_error, VAULT_ERRORS), 0}};
}

void vault_fault(struct ctx *c, struct vault_report *r, const char *path, const char *message)
{
    struct vault_error *errors = r->errors.v;

    r->failed++;
    if (r->errors.n < VAULT_ERRORS)
        errors[r->errors.n++] = (struct vault_error){arena_strdup(c->arena, path), arena_strdup(c->arena, message)};
}

/* ---- which files */

static bool is_markdown_name(const char *name)
{
    size_t n = strlen(name);

    return n > 3 && strcasecmp(name + n - 3, ".md") == 0;
}

/* One of the folder or of the archive: taken, named as a fault, or left where it is. */
static void vault_meet(struct vault_walk *w, const char *path, int64_t size)
{
    int64_t most = is_markdown_name(path) ? LIMIT_PAGE_BODY : ATTACHMENT_BYTES;

    if (!is_markdown_name(path) && !attachment_is_name(path))
        w->report->others++;
    else if (strlen(path) > PAGE_PATH || !str_is_utf8(path, strlen(path)) || !attachment_path_is_plain(path))
        vault_fault(w->c, w->report, path, "the path is too long, not UTF-8, or leaves the folder");
    else if (size > most)
        vault_fault(w->c, w->report, path, "the file is too large");
    else
        w->paths[w->n++] = path;
}

/* ---- the folder */

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
    if (S_ISREG(s.st_mode))
        vault_meet(w, whole, s.st_size);
    else
        w->report->others++;
}

static bool vault_read(struct ctx *c, int dir, const char *path, size_t max, struct bytes *out)
{
    int fd = openat(dir, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    char *text = arena_alloc(c->arena, max + 1);
    size_t n = 0;
    ssize_t k = 0;

    while (fd >= 0 && n < max && (k = read(fd, text + n, max - n)) > 0)
        n += (size_t)k;
    if (fd >= 0)
        close(fd);
    text[n] = 0;
    *out = (struct bytes){text, n};
    return fd >= 0 && k >= 0;
}

/* ---- the archive */

/* Some part of it begins with a dot, as names of the programs' own do; a part of nothing but dots leads out of the folder. */
static bool is_hidden(const char *path)
{
    for (const char *at = path; at; at = strchr(at, '/') ? strchr(at, '/') + 1 : NULL)
        if (*at == '.' && at[strspn(at, ".")] != '/')
            return true;
    return strncmp(path, "__MACOSX/", 9) == 0;
}

static void vault_unpack(struct vault_walk *w, const struct intake_text *found)
{
    struct bytes *bytes = ARENA_ARRAY(w->c->arena, struct bytes, found->n_parts + 1);

    for (size_t i = 0; i < found->n_parts; i++) {
        const char *path = found->parts[i].name;

        bytes[w->n] = found->parts[i].bytes;
        if (!is_hidden(path) && *path && path[strlen(path) - 1] != '/')
            vault_meet(w, path, (int64_t)bytes[w->n].n);
    }
    w->bytes = bytes;
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
        json_set_str(c->arena, metadata, "newline", VAULT_CRLF);
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

static err vault_attach(struct vault_walk *w, struct ctx *part, const char *path, struct bytes b)
{
    struct attachment made;
    bool changed = false;

    TRY(attachment_put(part, w->space, path, b, &made, &changed));
    w->report->files++;
    w->report->files_changed += changed;
    return ERR_OK;
}

static err vault_take(struct vault_walk *w, struct ctx *part, size_t i, struct bytes b)
{
    if (!is_markdown_name(w->paths[i]))
        return vault_attach(w, part, w->paths[i], b);
    if (!str_is_utf8(b.p, b.n) || memchr(b.p, 0, b.n))
        return fail(part, ERR_INVALID, "not UTF-8");
    return vault_page(part, w->paths[i], arena_strndup(part->arena, b.p, b.n), w->report, &w->pages[i]);
}

static err vault_file(struct vault_walk *w, struct ctx *part, size_t i)
{
    size_t most = is_markdown_name(w->paths[i]) ? LIMIT_PAGE_BODY : ATTACHMENT_BYTES;
    struct bytes b = w->bytes ? w->bytes[i] : (struct bytes){0};
    err e;

    if (!w->bytes && !vault_read(part, w->dir, w->paths[i], most, &b)) {
        vault_fault(w->c, w->report, w->paths[i], "cannot be read");
        return ERR_OK;
    }
    if (!b.n)
        b.p = "";
    e = vault_take(w, part, i, b);
    if (e == ERR_UNAVAILABLE || e == ERR_DEADLINE)
        return e;
    if (e != ERR_OK)
        vault_fault(w->c, w->report, w->paths[i], part->fault.message ? part->fault.message : "refused");
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
static err vault_each(struct vault_walk *w, bool links)
{
    struct ctx part;
    err e = ERR_OK;

    portion_begin(w->c, &part);
    for (size_t i = 0; i < w->n && e == ERR_OK; i++) {
        portion_next(&part);
        part.now = clock_now();
        e = links ? vault_links(w, &part, i) : vault_file(w, &part, i);
    }
    return portion_end(w->c, &part, e);
}

static err vault_begin(struct ctx *c, struct vault_walk *w, size_t most, struct vault_report *out)
{
    *w = (struct vault_walk){.c = c, .report = out, .dir = -1};
    vault_report_begin(c, out);
    w->paths = ARENA_ARRAY(c->arena, const char *, most + 1);
    w->pages = ARENA_ARRAY(c->arena, struct uuid, most + 1);
    return wiki_space_of(c, WIKI_PAGE, WIKI_DRAFT, &w->space); /* what it widens must outlive the portions */
}

/* First pages and files, then the links between them. */
static err vault_do(struct vault_walk *w)
{
    TRY(vault_each(w, false));
    TRY(vault_each(w, true));
    return page_links_bind_pending(w->c);
}

err vault_import(struct ctx *c, const char *dir, struct vault_report *out)
{
    struct vault_walk w;
    err e;

    TRY(vault_begin(c, &w, VAULT_FILES, out));
    w.dir = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (w.dir < 0)
        return fail(c, ERR_NOT_FOUND, "cannot open the folder '%s': %s", dir, strerror(errno));
    vault_folder(&w, dup(w.dir), "", 0);
    e = vault_do(&w);
    close(w.dir);
    return e;
}

err vault_import_archive(struct ctx *c, struct bytes zip, struct vault_report *out)
{
    struct intake_text found;
    struct vault_walk w;

    if (zip.n > VAULT_ARCHIVE)
        return fail(c, ERR_TOO_LARGE, "an archive has at most %d bytes; locictl pages import reads folders of any size", VAULT_ARCHIVE);
    TRY(intake_unpack(c, zip, &found));
    TRY(vault_begin(c, &w, found.n_parts, out));
    vault_unpack(&w, &found);
    return vault_do(&w);
}

/* ---- what became of it */

static struct json *report_part(struct ctx *c, struct json *o, const char *name, int64_t added, int64_t there)
{
    struct json *part = json_set(c->arena, o, name, json_obj(c->arena));

    json_set_int(c->arena, part, "added", added);
    json_set_int(c->arena, part, "there", there);
    return part;
}

struct json *vault_report_json(struct ctx *c, const struct vault_report *r)
{
    const struct vault_error *v = r->errors.v;
    struct json *o = json_obj(c->arena), *pages = report_part(c, o, "pages", r->created, r->unchanged), *errors;

    json_set_int(c->arena, pages, "changed", r->changed);
    report_part(c, o, "files", r->files_changed, r->files - r->files_changed);
    json_set_int(c->arena, report_part(c, o, "links", r->links, 0), "pending", r->pending);
    json_set_int(c->arena, o, "failed", r->failed);
    json_set_int(c->arena, o, "left_out", r->others);
    errors = json_set(c->arena, o, "errors", json_arr(c->arena));
    for (size_t i = 0; i < r->errors.n; i++) {
        struct json *one = json_obj(c->arena);

        json_push(errors, one);
        json_set_str(c->arena, one, "path", v[i].path);
        json_set_str(c->arena, one, "message", v[i].message);
    }
    return o;
}
