/* Keeping bodies on disk, and taking files out of forms; see upload.h. */
#include "upload.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "app.h"
#include "config.h"
#include "multipart.h"

static void unlink_file(void *path)
{
    unlink(path);
}

err upload_open(struct ctx *c, const char **path, int *fd)
{
    char *made = arena_printf(c->arena, "%s/loci-upload-XXXXXX", c->app->conf->web_upload_dir);

    *fd = mkostemp(made, O_CLOEXEC);
    if (*fd < 0)
        return fail(c, ERR_UNAVAILABLE, "uploads cannot be stored in web.upload_dir");
    arena_defer(c->arena, unlink_file, made);
    *path = made;
    return ERR_OK;
}

static err upload_keep(struct ctx *c, const struct multipart_file *from, struct upload **out)
{
    struct upload *u = ARENA_NEW(c->arena, struct upload);
    size_t done = 0;
    ssize_t n = 0;
    int fd;

    TRY(upload_open(c, &u->path, &fd));
    while (done < from->n && (n = write(fd, from->bytes + done, from->n - done)) > 0)
        done += (size_t)n;
    if (close(fd) || done < from->n)
        return fail(c, ERR_UNAVAILABLE, "the upload cannot be stored: the server's disk is full");
    u->size = from->n;
    u->name = from->name;
    *out = u;
    return ERR_OK;
}

err upload_form(struct ctx *c, struct exchange *x, struct json **form, struct upload **file)
{
    struct multipart_file part;
    const char *path;
    char *body;
    size_t n;
    int fd;
    err e;

    *file = NULL;
    TRY(upload_open(c, &path, &fd));
    e = exchange_body_to(c, x, fd, (size_t)c->app->conf->http_max_upload, &n);
    body = e == ERR_OK && n ? mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    close(fd);
    TRY(e);
    if (body == MAP_FAILED)
        return fail(c, ERR_BAD_REQUEST, "the form is empty or cannot be read");
    e = multipart_read(c, x->media, body, n, form, &part);
    if (e == ERR_OK && part.field)
        e = upload_keep(c, &part, file);
    munmap(body, n);
    return e;
}
