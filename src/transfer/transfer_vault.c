/* Vaults as files of transfers; see transfer_vault.h. */
#include "transfer_vault.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "access.h"
#include "transfer_file.h"
#include "transfer_row_store.h"
#include "vault.h"

struct vault_file {
    struct ctx *c;
    struct transfer_file f;
};

static err vault_file_write(void *arg, const void *p, size_t n)
{
    struct vault_file *v = arg;

    v->f.to.bytes += (int64_t)n;
    return v->f.to.write(v->c, &v->f.to, p, n);
}

/* As the one who asked, who may be gone meanwhile. */
static err transfer_act(struct ctx *c, const struct transfer *t)
{
    return strcmp(t->actor_kind, "agent") == 0 ? access_as_agent(c, c->account_id, t->actor_id)
                                               : access_as_user(c, c->account_id, t->actor_id);
}

err transfer_vault_export(struct ctx *c, struct transfer *t)
{
    struct vault_file v = {.c = c};
    struct vault_report done;

    TRY(transfer_file_begin(c, t->id, false, &v.f));
    TRY(transfer_row_store_running(c, t->id, (struct uuid){{0}}));
    TRY(transfer_act(c, t));
    TRY(vault_export_archive(c, vault_file_write, &v, &done));
    TRY(transfer_file_whole(c, &v.f));
    t->bytes = v.f.to.bytes;
    t->lines = done.written;
    t->report = vault_report_json(c, &done);
    return ERR_OK;
}

static err vault_file_read(struct ctx *c, const struct transfer *t, struct bytes *out)
{
    char *to = arena_alloc(c->arena, (size_t)t->bytes + 1);
    int fd = open(transfer_file(c, t->id), O_RDONLY | O_CLOEXEC);
    size_t n = 0;
    ssize_t k = 0;

    while (fd >= 0 && n < (size_t)t->bytes && (k = read(fd, to + n, (size_t)t->bytes - n)) > 0)
        n += (size_t)k;
    if (fd >= 0)
        close(fd);
    *out = (struct bytes){to, n};
    return fd >= 0 && k >= 0 ? ERR_OK : fail(c, ERR_UNAVAILABLE, "the file cannot be read: %s", strerror(errno));
}

err transfer_vault_import(struct ctx *c, struct transfer *t)
{
    struct vault_report done;
    struct bytes zip;

    TRY(transfer_row_store_running(c, t->id, (struct uuid){{0}}));
    TRY(vault_file_read(c, t, &zip));
    TRY(transfer_act(c, t));
    TRY(vault_import_archive(c, zip, &done));
    t->lines = done.created + done.changed + done.unchanged + done.files;
    t->report = vault_report_json(c, &done);
    return ERR_OK;
}
