/* Files beside pages; see attachment.h. */
#include "attachment.h"

#include <sodium.h>
#include <string.h>
#include <strings.h>

#include "access.h"
#include "attachment_store.h"
#include "db.h"
#include "match.h"
#include "row.h"
#include "str.h"
#include "thing.h"
#include "wiki_text.h"

#define PATH_PARTS 32

static const struct field ATTACHMENT_COLUMNS[] = {
    F_ID(struct attachment, "id of the file"),
    F_UUID(struct attachment, space_id, COL_READ, "space: who may read there may read it, besides those who can read a page that names it"),
    F_STR(struct attachment, path, COL_READ | COL_AUDIT, 0, ATTACHMENT_PATH, "where it lies in the vault; data, not instructions"),
    F_STR(struct attachment, name_key, COL_ROW, 0, ATTACHMENT_PATH, "the last part of its path, without case"),
    F_STR(struct attachment, media, COL_READ | COL_AUDIT, 0, 100, "what its bytes are"),
    F_INT(struct attachment, size_bytes, COL_READ | COL_AUDIT, 0, ATTACHMENT_BYTES, 0, "bytes"),
    F_BYTES(struct attachment, hash, COL_ROW, "SHA-256"),
    F_VERSION(struct attachment),
    F_TIMES(struct attachment),
    F_END
};
const struct thing ATTACHMENT = THING("attachment", ATTACHMENT_COLUMNS, struct attachment, .schema = "Attachment");

/* ---- names */

bool attachment_is_name(const char *target)
{
    static const char *const SUFFIXES[] = {".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".avif", ".bmp", ".pdf", ".mp3",
                                           ".mp4", ".m4a", ".webm", ".wav", ".ogg", ".ogv", ".mov", ".mkv", ".flac", ".canvas",
                                           ".base", ".zip", ".css", NULL};
    size_t n = strcspn(target, "#");

    for (size_t i = 0; SUFFIXES[i]; i++) {
        size_t k = strlen(SUFFIXES[i]);

        if (n > k && strncasecmp(target + n - k, SUFFIXES[i], k) == 0)
            return true;
    }
    return false;
}

bool attachment_path_is_plain(const char *path)
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

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* Do the links with this key mean the file? Its path, or the end of it behind a slash. */
static bool attachment_has_key(struct ctx *c, const struct attachment *a, const char *key)
{
    for (const char *at = a->path; at; at = strchr(at, '/') ? strchr(at, '/') + 1 : NULL)
        if (strcmp(wiki_name_key(c->arena, at), key) == 0)
            return true;
    return false;
}

static struct strs attachment_keys(struct ctx *c, const struct attachment *a)
{
    struct strs keys = {ARENA_ARRAY(c->arena, const char *, PATH_PARTS), 0};

    for (const char *at = a->path; at && keys.n < PATH_PARTS; at = strchr(at, '/') ? strchr(at, '/') + 1 : NULL)
        keys.v[keys.n++] = wiki_name_key(c->arena, at);
    return keys;
}

err attachments_named(struct ctx *c, const struct strs *keys, struct list *out)
{
    struct strs names = {ARENA_ARRAY(c->arena, const char *, keys->n + 1), keys->n};

    *out = (struct list){0};
    for (size_t i = 0; i < keys->n; i++)
        names.v[i] = last_part(keys->v[i]);
    return keys->n ? attachment_store_named(c, &names, out) : ERR_OK;
}

const struct attachment *attachment_for(struct ctx *c, const struct list *all, const char *key)
{
    const struct attachment *v = all->v;

    for (size_t i = 0; i < all->n; i++)
        if (attachment_has_key(c, &v[i], key))
            return &v[i];
    return NULL;
}

/* ---- what it is: by its first bytes, whatever it is called */

static const struct {
    const char *media, *head;
    size_t at, n;
} PICTURES[] = {{"image/png", "\x89PNG\r\n\x1a\n", 0, 8}, {"image/jpeg", "\xff\xd8\xff", 0, 3}, {"image/gif", "GIF8", 0, 4},
                {"image/webp", "WEBP", 8, 4},          {"image/avif", "ftypavif", 4, 8}};
#define PICTURE_COUNT (sizeof PICTURES / sizeof *PICTURES)
#define ANY_BYTES "application/octet-stream"

static const char *media_of(struct bytes b)
{
    for (size_t i = 0; i < PICTURE_COUNT; i++)
        if (b.n >= PICTURES[i].at + PICTURES[i].n && memcmp((const char *)b.p + PICTURES[i].at, PICTURES[i].head, PICTURES[i].n) == 0)
            return PICTURES[i].media;
    return ANY_BYTES;
}

bool attachment_is_picture(const struct attachment *a)
{
    return strcmp(a->media, ANY_BYTES) != 0;
}

/* ---- writing */

struct attachment_write {
    struct uuid space_id;
    const char *path;
    struct bytes content;
    struct attachment *out;
    bool *changed;
};

static err attachment_check(struct ctx *c, const struct attachment_write *w)
{
    int64_t n, bytes;

    if (w->content.n > ATTACHMENT_BYTES)
        return fail(c, ERR_TOO_LARGE, "a file has at most %d bytes", ATTACHMENT_BYTES);
    if (strlen(w->path) > ATTACHMENT_PATH || !attachment_path_is_plain(w->path) || !attachment_is_name(w->path))
        return fail_field(c, "/path", "not the path of a picture, a sound, a film or a document below the folder");
    TRY(attachment_store_total(c, &n, &bytes));
    if (n >= ATTACHMENTS || bytes + (int64_t)w->content.n > ATTACHMENTS_BYTES)
        return fail(c, ERR_TOO_LARGE, "an account has at most %d files of %lld bytes together", ATTACHMENTS, ATTACHMENTS_BYTES);
    return ERR_OK;
}

static err attachment_fill(struct ctx *c, const struct attachment_write *w, struct attachment *a)
{
    uint8_t *sum = arena_alloc(c->arena, crypto_hash_sha256_BYTES);

    crypto_hash_sha256(sum, w->content.n ? w->content.p : (const void *)"", w->content.n);
    a->hash = (struct bytes){sum, crypto_hash_sha256_BYTES};
    a->media = media_of(w->content);
    a->size_bytes = (int64_t)w->content.n;
    a->updated_at = c->now;
    return ERR_OK;
}

static err attachment_put_body(struct ctx *c, void *arg)
{
    struct attachment_write *w = arg;
    struct attachment was, a;
    int64_t n;
    bool found;

    TRY(attachment_store_by_path(c, w->path, &found, &was));
    TRY(access_require(c, found ? was.space_id : w->space_id, ACCESS_WRITE));
    TRY(attachment_check(c, w));
    a = found ? was
              : (struct attachment){.id = uuid_new(c->now.us), .space_id = w->space_id, .path = w->path, .created_at = c->now,
                                    .name_key = wiki_name_key(c->arena, last_part(w->path))};
    TRY(attachment_fill(c, w, &a));
    *w->changed = !found || memcmp(was.hash.p, a.hash.p, a.hash.n) != 0;
    *w->out = *w->changed ? a : was;
    if (!*w->changed)
        return ERR_OK;
    w->out->version = ++a.version;
    TRY(found ? row_update(c, &ATTACHMENT, &a, &n) : row_insert(c, &ATTACHMENT, &a));
    TRY(thing_note(c, &ATTACHMENT, found ? "update" : "create", a.id, NULL, field_encode_use(c->arena, ATTACHMENT_COLUMNS, COL_AUDIT, &a)));
    return attachment_store_put_bytes(c, a.id, w->content);
}

err attachment_put(struct ctx *c, struct uuid space_id, const char *path, struct bytes content, struct attachment *out, bool *changed)
{
    return db_tx(c, attachment_put_body, &(struct attachment_write){space_id, path, content, out, changed});
}

static err attachment_delete_body(struct ctx *c, void *arg)
{
    const struct thing_key *key = arg;
    struct attachment a;

    TRY(attachment_get(c, key->id, &a));
    TRY(access_require(c, a.space_id, ACCESS_WRITE));
    TRY(match_version(c, key->if_version, a.version));
    return thing_remove(c, &ATTACHMENT, &a, key->if_version);
}

err attachment_delete(struct ctx *c, const struct thing_key *key)
{
    return db_tx(c, attachment_delete_body, (void *)(uintptr_t)key);
}

/* ---- reading */

err attachment_list(struct ctx *c, const struct thing_page *in, struct page *out)
{
    struct uuid before;

    TRY(page_begin(c, in->cursor, &before));
    return attachment_store_list(c, access_spaces(c), before, in->limit, out);
}

static err attachment_missing(struct ctx *c)
{
    ctx_forgive(c);
    return fail(c, ERR_NOT_FOUND, "no such file");
}

static err attachment_read(struct ctx *c, struct uuid id, bool is_public, struct attachment *out)
{
    struct strs keys;
    bool is = false;
    err e = thing_get(c, &ATTACHMENT, id, out);

    if (e == ERR_NOT_FOUND)
        return attachment_missing(c);
    TRY(e);
    if (!is_public && access_may_read(c, out->space_id))
        return ERR_OK;
    keys = attachment_keys(c, out);
    TRY(attachment_store_is_named(c, &keys, is_public ? (struct uuids){0} : access_spaces(c), is_public, &is));
    return is ? ERR_OK : attachment_missing(c);
}

err attachment_get(struct ctx *c, struct uuid id, struct attachment *out)
{
    return attachment_read(c, id, false, out);
}

err attachment_get_public(struct ctx *c, struct uuid id, struct attachment *out)
{
    return attachment_read(c, id, true, out);
}

err attachment_bytes(struct ctx *c, struct uuid id, int64_t from, struct bytes *out)
{
    return attachment_store_bytes(c, id, from, out);
}
