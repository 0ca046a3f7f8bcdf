/* Skills as Agent Skills for other programs; see skill_served.h. */
#include "skill_served.h"

#include <ctype.h>
#include <sodium.h>
#include <string.h>

#include "docs_snapshot.h"
#include "skill.h"
#include "skill_file.h"
#include "skill_resource.h"
#include "skill_served_store.h"
#include "space.h"
#include "zip_write.h"

#define DIGEST "sha256:"

/* ---- names, addresses, digests */

/* a-z, 0-9 and single hyphens inside. */
static bool served_name_ok(const char *name)
{
    size_t n = strlen(name);

    return n && n <= SERVED_NAME && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == n && name[0] != '-' && name[n - 1] != '-' &&
           !strstr(name, "--");
}

static const char *served_uri(struct arena *a, const char *space, const char *slug, const char *path)
{
    struct buf b;

    buf_init(&b, a, 128);
    buf_printf(&b, SERVED_SCHEME "%s/%s/", space, slug);
    for (; *path; path++)
        if (isalnum((unsigned char)*path) || strchr("-._~/", *path))
            buf_putc(&b, *path);
        else
            buf_printf(&b, "%%%02X", (unsigned)(unsigned char)*path);
    return buf_str(&b);
}

static const char *digest_of_hash(struct arena *a, struct bytes hash)
{
    char *hex = arena_alloc(a, 2 * hash.n + 1);

    hex_encode(hash.p, hash.n, hex);
    return arena_printf(a, DIGEST "%s", hex);
}

static const char *digest_of_bytes(struct arena *a, struct bytes b)
{
    uint8_t sum[crypto_hash_sha256_BYTES];

    crypto_hash_sha256(sum, b.p ? b.p : (const void *)"", b.n);
    return digest_of_hash(a, (struct bytes){sum, sizeof sum});
}

static const char *served_media(const char *path)
{
    static const char *const ENDS[][2] = {
        {".md", "text/markdown"}, {".txt", "text/plain"}, {".py", "text/x-python"}, {".sh", "text/x-shellscript"},
        {".js", "text/javascript"}, {".ts", "text/plain"}, {".json", "application/json"}, {".html", "text/html"},
        {".css", "text/css"}, {".xml", "application/xml"}, {".yaml", "application/yaml"}, {".yml", "application/yaml"},
        {".csv", "text/csv"}, {".svg", "image/svg+xml"}, {".png", "image/png"}, {".jpg", "image/jpeg"},
        {".pdf", "application/pdf"}, {".zip", "application/zip"}, {".ttf", "font/ttf"}};
    const char *dot = strrchr(path, '.');

    for (size_t i = 0; dot && i < sizeof ENDS / sizeof *ENDS; i++)
        if (strcasecmp(dot, ENDS[i][0]) == 0)
            return ENDS[i][1];
    return "application/octet-stream";
}

/* ---- SKILL.md */

static const char *front_text(const struct json *front, const char *key)
{
    const char *s = json_get_str(front, key);

    return str_empty(s) ? NULL : s;
}

/* Its file as it was written, where that has what the Agent Skills specification wants; else with name and description set. */
static void served_main(struct ctx *c, const struct skill *s, struct served_skill *out)
{
    const char *file = skill_file_write(c, s), *body = s->body ? s->body : "", *front = "", *name, *about;
    size_t head = strlen(file) > strlen(body) ? strlen(file) - strlen(body) : 0;

    if (s->front_matter && head)
        front = skill_head_inside(c->arena, arena_strndup(c->arena, file, head));
    out->content = file;
    out->frontmatter = yaml_front_typed(c->arena, front);
    name = front_text(out->frontmatter, "name");
    about = front_text(out->frontmatter, "description");
    if (str_eq(name, s->slug) && about)
        return;
    if (!str_eq(name, s->slug))
        front = yaml_front_with(c->arena, front, "name", json_str(c->arena, s->slug));
    if (!about)
        front = yaml_front_with(c->arena, front, "description", json_str(c->arena, s->description));
    out->content = arena_printf(c->arena, "---\n%s---\n%s%s", front, s->front_matter && head ? "" : "\n", body);
    out->frontmatter = yaml_front_typed(c->arena, front);
}

static void served_files(struct ctx *c, struct served_skill *out, const char *space, const char *slug, const struct list *rows)
{
    const struct served_row *r = rows->v;
    struct served_file *v = ARENA_ARRAY(c->arena, struct served_file, rows->n + 1);
    struct bytes main_text = {out->content, strlen(out->content)};
    size_t n = 1;

    v[0] = (struct served_file){out->uri, SERVED_MAIN, served_media(SERVED_MAIN),
                                digest_of_bytes(c->arena, main_text), (int64_t)main_text.n};
    for (size_t i = 0; i < rows->n; i++)
        if (uuid_eq(r[i].skill_id, out->id))
            v[n++] = (struct served_file){served_uri(c->arena, space, slug, r[i].path), r[i].path, served_media(r[i].path),
                                          digest_of_hash(c->arena, r[i].hash), r[i].size};
    out->resources = (struct list){v, n};
}

/* False: others could not read it as a skill. */
static bool served_one(struct ctx *c, const struct skill *s, const char *space, const struct list *files, struct served_skill *out)
{
    if (!served_name_ok(s->slug))
        return false;
    *out = (struct served_skill){.id = s->id, .name = s->slug, .description = s->description};
    out->uri = served_uri(c->arena, space, s->slug, SERVED_MAIN);
    served_main(c, s, out);
    if (!out->frontmatter)
        return false;
    served_files(c, out, space, s->slug, files);
    return true;
}

/* ---- lists */

static err served_page(struct ctx *c, const struct skill *v, size_t n, struct served_skill *out, size_t *kept)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, n + 1), at = {{0}};
    struct space space = {0};
    struct list files = {0};

    *kept = 0;
    for (size_t i = 0; i < n; i++)
        ids[i] = v[i].id;
    if (n)
        TRY(skill_served_store_files(c, ids, n, &files));
    for (size_t i = 0; i < n; i++) {
        if (!uuid_eq(at, v[i].space_id))
            TRY(space_get(c, at = v[i].space_id, &space)); /* spaces are few, and skills of one are mostly together */
        *kept += served_one(c, &v[i], space.slug, &files, &out[*kept]);
    }
    return ERR_OK;
}

static struct uuids served_spaces(struct ctx *c)
{
    struct uuids all = skill_spaces(c);
    size_t n = 0;

    for (size_t i = 0; i < all.n; i++)
        if (access_space_kind(c->access, all.v[i]) == SPACE_SKILLS)
            all.v[n++] = all.v[i];
    all.n = n;
    return all;
}

err skill_served_list(struct ctx *c, const struct served_filter *f, struct page *out)
{
    struct served_skill *v;
    struct uuid before;
    struct page read;

    TRY(page_begin(c, f->cursor, &before));
    TRY(skill_served_store_list(c, served_spaces(c), NULL, before, f->limit, &read));
    v = ARENA_ARRAY(c->arena, struct served_skill, read.n + 1);
    *out = (struct page){.items = v, .next_cursor = read.next_cursor, .has_more = read.has_more};
    return served_page(c, read.items, read.n, v, &out->n);
}

static err served_missing(struct ctx *c)
{
    return fail(c, ERR_NOT_FOUND, "no such skill is served");
}

static err served_in(struct ctx *c, struct uuid space_id, const char *slug, struct served_skill *out)
{
    struct uuid last;
    struct page read;
    size_t kept;

    TRY(page_begin(c, NULL, &last));
    TRY(skill_served_store_list(c, (struct uuids){&space_id, 1}, slug, last, 1, &read));
    TRY(served_page(c, read.items, read.n, out, &kept));
    return kept ? ERR_OK : served_missing(c);
}

/* "skill://space/slug/…": the two names; false: it is none of ours. */
static bool served_parts(struct arena *a, const char *uri, const char **space, const char **slug)
{
    const char *p = str_starts(uri, SERVED_SCHEME) ? uri + strlen(SERVED_SCHEME) : "";
    size_t n = strcspn(p, "/"), m = p[n] ? strcspn(p + n + 1, "/") : 0;

    if (!n || !m || !p[n + 1 + m])
        return false;
    *space = arena_strndup(a, p, n);
    *slug = arena_strndup(a, p + n + 1, m);
    return str_is_slug(*space) && served_name_ok(*slug);
}

static err served_by_uri(struct ctx *c, const char *uri, struct served_skill *out)
{
    const char *space, *slug;
    struct space s;
    err e;

    if (!served_parts(c->arena, uri, &space, &slug))
        return served_missing(c);
    e = space_by_slug(c, SPACE_SKILLS, space, &s);
    if (e == ERR_NOT_FOUND)
        return served_missing(c);
    TRY(e);
    return access_may_read(c, s.id) ? served_in(c, s.id, slug, out) : served_missing(c);
}

err skill_served_get(struct ctx *c, const char *uri, struct served_skill *out)
{
    TRY(served_by_uri(c, uri, out));
    return str_eq(out->uri, uri) ? ERR_OK : served_missing(c);
}

/* ---- bytes */

static err served_bytes(struct ctx *c, const struct served_skill *s, const struct served_file *f, struct bytes *out)
{
    struct skill_resource r;

    if (str_eq(f->path, SERVED_MAIN)) {
        *out = (struct bytes){s->content, strlen(s->content)};
        return ERR_OK;
    }
    TRY(skill_resource_get(c, UUID_STR(s->id), f->path, &r));
    *out = r.content;
    return ERR_OK;
}

static const char *base64_text(struct arena *a, struct bytes b)
{
    size_t n = sodium_base64_encoded_len(b.n, sodium_base64_VARIANT_ORIGINAL);

    return sodium_bin2base64(arena_alloc(a, n), n, b.p, b.n, sodium_base64_VARIANT_ORIGINAL);
}

err skill_served_read(struct ctx *c, const char *uri, struct served_content *out)
{
    const struct served_file *v;
    struct served_skill s;

    TRY(served_by_uri(c, uri, &s));
    v = s.resources.v;
    for (size_t i = 0; i < s.resources.n; i++) {
        if (!str_eq(v[i].uri, uri))
            continue;
        *out = (struct served_content){.uri = uri, .media = v[i].media, .digest = v[i].digest, .size = v[i].size};
        TRY(served_bytes(c, &s, &v[i], &out->bytes));
        if (!out->bytes.n || (str_is_utf8(out->bytes.p, out->bytes.n) && !memchr(out->bytes.p, 0, out->bytes.n)))
            out->text = arena_strndup(c->arena, out->bytes.p ? out->bytes.p : "", out->bytes.n);
        else
            out->base64 = base64_text(c->arena, out->bytes);
        return ERR_OK;
    }
    return fail(c, ERR_NOT_FOUND, "the skill has no such file");
}

/* ---- the site */

static err served_archive(struct ctx *c, const struct served_skill *s, struct bytes *out)
{
    const struct served_file *v = s->resources.v;
    struct zip_file *files = ARENA_ARRAY(c->arena, struct zip_file, s->resources.n);

    for (size_t i = 0; i < s->resources.n; i++) {
        files[i].path = v[i].path;
        TRY(served_bytes(c, s, &v[i], &files[i].content));
    }
    *out = zip_write(c->arena, files, s->resources.n);
    return ERR_OK;
}

/* Its archive is made only when nobody knows its digest; without Redis nobody does. */
static err archive_digest(struct ctx *c, const struct served_skill *s, const char **digest)
{
    const struct served_file *v = s->resources.v;
    struct bytes zip;
    const char *of;
    struct buf b;

    buf_init(&b, c->arena, 1024);
    for (size_t i = 0; i < s->resources.n; i++)
        buf_printf(&b, "%s %s\n", v[i].digest, v[i].path);
    of = digest_of_bytes(c->arena, (struct bytes){b.data, b.len});
    if (skill_served_store_known(c, of, digest) != ERR_OK)
        ctx_forgive(c);
    if (*digest)
        return ERR_OK;
    TRY(served_archive(c, s, &zip));
    *digest = digest_of_bytes(c->arena, zip);
    if (skill_served_store_keep(c, of, *digest) != ERR_OK)
        ctx_forgive(c);
    return ERR_OK;
}

static err served_site_space(struct ctx *c, struct space *s)
{
    err e = space_by_slug(c, SPACE_SKILLS, SKILL_SPACE, s);

    if (e == ERR_NOT_FOUND || (e == ERR_OK && !access_may_read(c, s->id))) {
        ctx_forgive(c);
        return served_missing(c);
    }
    return e;
}

static err site_entry(struct ctx *c, const struct served_skill *s, struct served_entry *e)
{
    const struct served_file *main_file = s->resources.v;

    *e = (struct served_entry){.name = s->name, .description = s->description, .is_archive = s->resources.n > 1};
    e->file = arena_printf(c->arena, e->is_archive ? "%s.zip" : "%s/" SERVED_MAIN, s->name);
    e->digest = main_file->digest;
    return e->is_archive ? archive_digest(c, s, &e->digest) : ERR_OK;
}

err skill_served_site(struct ctx *c, struct list *out)
{
    struct served_entry *v = ARENA_ARRAY(c->arena, struct served_entry, SERVED_SITE);
    struct served_skill page[SERVED_PAGE];
    struct space space;
    struct uuid before;
    struct page read = {0};
    size_t kept;
    err e = served_site_space(c, &space);

    *out = (struct list){v, 0};
    if (e == ERR_NOT_FOUND) {
        ctx_forgive(c);
        return ERR_OK;
    }
    TRY(e);
    do {
        TRY(page_begin(c, read.next_cursor, &before));
        TRY(skill_served_store_list(c, (struct uuids){&space.id, 1}, NULL, before, SERVED_PAGE, &read));
        TRY(served_page(c, read.items, read.n, page, &kept));
        for (size_t i = 0; i < kept && out->n < SERVED_SITE; i++)
            TRY(site_entry(c, &page[i], &v[out->n++]));
    } while (read.next_cursor && out->n < SERVED_SITE);
    return ERR_OK;
}

err skill_served_artifact(struct ctx *c, const char *name, bool is_archive, struct bytes *out)
{
    struct served_skill s;
    struct space space;

    if (!served_name_ok(name))
        return served_missing(c);
    TRY(served_site_space(c, &space));
    TRY(served_in(c, space.id, name, &s));
    if (is_archive)
        return s.resources.n > 1 ? served_archive(c, &s, out) : served_missing(c);
    *out = (struct bytes){s.content, strlen(s.content)};
    return ERR_OK;
}
