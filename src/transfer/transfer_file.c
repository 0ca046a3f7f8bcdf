/* Files of exports and imports; see transfer_file.h. */
#include "transfer_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app.h"
#include "config.h"
#include "lines.h"
#include "portion.h"

#define PIECE 65536

const char *transfer_file(struct ctx *c, struct uuid id)
{
    return arena_printf(c->arena, "%s/%s-%s.jsonl", c->app->conf->transfer_dir, UUID_STR(c->account_id), UUID_STR(id));
}

static void transfer_file_close_fd(void *fd)
{
    close((int)(intptr_t)fd);
}

static err open_here(struct ctx *c, const char *path, int flags, int *fd)
{
    if (mkdir(c->app->conf->transfer_dir, 0700) != 0 && errno != EEXIST)
        return fail(c, ERR_UNAVAILABLE, "cannot create the folder transfer.dir: %s", strerror(errno));
    *fd = open(path, flags | O_CLOEXEC, 0600);
    if (*fd < 0)
        return fail(c, ERR_UNAVAILABLE, "files cannot be written to transfer.dir: %s", strerror(errno));
    arena_defer(c->arena, transfer_file_close_fd, (void *)(intptr_t)*fd);
    return ERR_OK;
}

err transfer_write_all(struct ctx *c, int fd, const char *p, size_t n)
{
    while (n) {
        ssize_t done = write(fd, p, n);

        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return fail(c, ERR_UNAVAILABLE, "the file cannot be written: %s", strerror(errno));
        p += done;
        n -= (size_t)done;
    }
    return ERR_OK;
}

err transfer_file_take(struct ctx *c, struct uuid id, const char *path)
{
    char *piece = arena_alloc(c->arena, PIECE);
    int from = open(path, O_RDONLY | O_CLOEXEC), to;
    ssize_t n;

    if (from < 0)
        return fail(c, ERR_INTERNAL, "the upload cannot be read: %s", strerror(errno));
    arena_defer(c->arena, transfer_file_close_fd, (void *)(intptr_t)from);
    TRY(open_here(c, transfer_file(c, id), O_WRONLY | O_CREAT | O_TRUNC, &to));
    while ((n = read(from, piece, PIECE)) > 0)
        TRY(transfer_write_all(c, to, piece, (size_t)n));
    return n < 0 ? fail(c, ERR_INTERNAL, "the upload cannot be read: %s", strerror(errno)) : ERR_OK;
}

static const char *transfer_file_part_of(struct ctx *c, const char *path)
{
    return arena_printf(c->arena, "%s.part", path);
}

void transfer_file_remove(struct ctx *c, struct uuid id)
{
    const char *path = transfer_file(c, id);

    unlink(path);
    unlink(transfer_file_part_of(c, path));
}

/* ---- writing one */

static err write_some(struct ctx *c, struct export_to *to, const char *p, size_t n)
{
    struct transfer_file *f = to->arg;

    if (to->bytes > f->max)
        return fail(c, ERR_TOO_LARGE, "the export is larger than %lld MB (transfer.max_mb)", (long long)(f->max >> 20));
    return transfer_write_all(c, f->fd, p, n);
}

static bool stops(struct export_to *to)
{
    const struct transfer_file *f = to->arg;

    return f->should_stop && f->should_stop(f->stop_arg);
}

/* Takes up where the lines end that are there and sound. *at: behind the last of them. */
static err read_on(struct ctx *c, struct transfer_file *f, int64_t *at)
{
    const struct transfer_tables *tables = transfer_tables_read(c->arena);
    struct transfer_line line;
    struct transfer_row last = {0};
    struct ctx part[2];
    struct lines l;
    const char *text;
    bool too_long;
    size_t n;
    int turn = 0;

    f->to.counts = ARENA_ARRAY(c->arena, int64_t, tables->n);
    if (!lines_open(&l, c->arena, f->part, TRANSFER_LINE_MAX))
        return ERR_OK;
    portion_begin(c, &part[0]);
    portion_begin(c, &part[1]);
    for (; lines_next(&l, &text, &n, &too_long); turn = !turn) {
        struct transfer_chain chain = f->to.chain;

        portion_next(&part[turn]);
        if (too_long || transfer_line_read(part[turn].arena, tables, &chain, text, n, &line) || line.kind == TRANSFER_END ||
            (line.kind == TRANSFER_HEAD) != (l.number == 1))
            break;
        *at += (int64_t)n + 1;
        f->to.lines = l.number;
        f->to.chain = chain;
        if (line.kind == TRANSFER_HEAD)
            continue;
        f->to.counts[line.row.table - tables->v]++;
        last = line.row;
    }
    f->to.after_table = last.table;
    f->to.after = last.v;
    return ERR_OK;
}

err transfer_file_begin(struct ctx *c, struct uuid id, bool resume, struct transfer_file *f)
{
    int64_t at = 0;

    f->path = transfer_file(c, id);
    f->part = transfer_file_part_of(c, f->path);
    f->max = c->app->conf->transfer_max_mb << 20;
    f->to = (struct export_to){.write = write_some, .should_stop = stops, .arg = f};
    if (resume)
        TRY(read_on(c, f, &at));
    if (!f->to.after_table) {
        f->to = (struct export_to){.write = write_some, .should_stop = stops, .arg = f};
        at = 0;
    }
    TRY(open_here(c, f->part, O_WRONLY | O_CREAT, &f->fd));
    if (ftruncate(f->fd, at) != 0 || lseek(f->fd, at, SEEK_SET) < 0)
        return fail(c, ERR_UNAVAILABLE, "the file cannot be written: %s", strerror(errno));
    f->to.bytes = at;
    return ERR_OK;
}

err transfer_file_whole(struct ctx *c, struct transfer_file *f)
{
    if (fsync(f->fd) != 0 || rename(f->part, f->path) != 0)
        return fail(c, ERR_UNAVAILABLE, "the file cannot be written: %s", strerror(errno));
    return ERR_OK;
}
