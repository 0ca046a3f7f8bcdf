/* Files beside pages: listed, sent, taken, removed. */
#include "attachment_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "attachment.h"
#include "space.h"

#define FILES "/api/v1/page_files"
#define TAG .tag = "pages"
#define MEDIA "application/octet-stream"

OP_CALL(ATTACHMENT_LIST, struct thing_page, struct page, attachment_list(c, in, out), .name = "page_file.list", .method = "GET",
        .path = FILES, TAG, .summary = "Lists files beside pages, such as pictures, newest first.", .perm = PERM_CONTENT_READ,
        .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST, OP_PAGE, OP_GIVE(ATTACHMENT, struct attachment));

/* Pictures are shown in place; everything else, also SVG, is a download without a type of its own: nothing of it can act. */
static err attachment_send(struct ctx *c, const void *in, struct sink *out)
{
    const char *slash;
    struct attachment a;
    struct bytes part;
    int64_t at = 0;

    TRY(attachment_get(c, ((const struct thing_key *)in)->id, &a));
    slash = strrchr(a.path, '/');
    out->media = a.media;
    if (!attachment_is_picture(&a))
        out->filename = sink_name(c, slash ? slash + 1 : a.path);
    do {
        TRY(attachment_bytes(c, a.id, at, &part));
        TRY(out->write(out, part.n ? part.p : "", part.n));
        at += (int64_t)part.n;
    } while (part.n && at < a.size_bytes);
    return ERR_OK;
}

static const struct op ATTACHMENT_GET = {
    .name = "page_file.get", .method = "GET", .path = FILES "/:id", TAG, .summary = "Sends a file beside a page, byte for byte.",
    .help = "Readable for those who may read its space, or a page that names it. Pictures have their type; anything else is a download.",
    .perm = PERM_CONTENT_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_STREAM,
    .media = MEDIA " image/png image/jpeg image/gif image/webp image/avif", OP_KEY(ATTACHMENT),
    .stream = attachment_send,
};

struct attachment_put_in {
    const char *path;
};
static const struct field PUT_IN[] = {
    F_STR(struct attachment_put_in, path, FIELD_REQUIRED | FIELD_QUERY | FIELD_RAW, 1, ATTACHMENT_PATH,
          "where it lies, such as img/quay.png"),
    F_END
};

static err attachment_file_bytes(struct ctx *c, const struct upload *file, struct bytes *out)
{
    uint8_t *to = arena_alloc(c->arena, file->size + 1);
    int fd = open(file->path, O_RDONLY | O_CLOEXEC);
    size_t n = 0;
    ssize_t k = 0;

    while (fd >= 0 && n < file->size && (k = read(fd, to + n, file->size - n)) > 0)
        n += (size_t)k;
    if (fd >= 0)
        close(fd);
    *out = (struct bytes){to, n};
    return fd >= 0 && k >= 0 ? ERR_OK : fail(c, ERR_INTERNAL, "the upload cannot be read: %s", strerror(errno));
}

static err attachment_taken(struct ctx *c, const void *in_, const struct upload *file, void *out)
{
    const struct attachment_put_in *in = in_;
    struct space drafts;
    struct bytes content;
    bool changed;

    if (file->size > ATTACHMENT_BYTES)
        return fail(c, ERR_TOO_LARGE, "a file has at most %d bytes", ATTACHMENT_BYTES);
    TRY(space_by_slug(c, SPACE_PAGES, "page-drafts", &drafts));
    TRY(attachment_file_bytes(c, file, &content));
    return attachment_put(c, drafts.id, in->path, content, out, &changed);
}

static const struct op ATTACHMENT_PUT = {
    .name = "page_file.put", .method = "POST", .path = FILES, TAG, .summary = "Takes a file beside pages; ![[its name]] shows it.",
    .help = "One with this path gets these bytes. At most 16 MiB each.", .perm = PERM_CONTENT_WRITE, .flags = OP_CREATES | OP_UPLOAD,
    .media = MEDIA " image/png image/jpeg image/gif image/webp", OP_IN(PUT_IN, struct attachment_put_in),
    OP_GIVE(ATTACHMENT, struct attachment), .take = attachment_taken,
};

OP_CALL(ATTACHMENT_DELETE, struct thing_key, void, attachment_delete(c, in), .name = "page_file.delete", .method = "DELETE",
        .path = FILES "/:id", TAG, .summary = "Deletes a file beside pages.", .perm = PERM_CONTENT_WRITE,
        .flags = OP_DESTRUCTIVE | OP_MATCH | OP_NO_BODY | OP_CONFIRM, OP_KEY(ATTACHMENT));

const struct op *const attachment_calls_table[] = {&ATTACHMENT_LIST, &ATTACHMENT_GET, &ATTACHMENT_PUT, &ATTACHMENT_DELETE, NULL};
