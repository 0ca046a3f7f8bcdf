/* Starting loci-extract and hearing it to the end; see intake_child.h. */
#include "intake_child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app.h"
#include "config.h"
#include "extract.h"

#define CHILD_OUT_MAX (2 * EXTRACT_TEXT + 64u * 1024 * 1024) /* a mail has its attachments in it */
#define CHILD_PIECE 65536

struct child {
    pid_t pid;
    int in, out, errors; /* in: the file; the others: what we read */
    int far_out, far_errors;
};

const char *intake_program(struct ctx *c)
{
    const char *set = c->app->conf->intake_extract;

    return str_empty(set) ? LOCI_LIBEXECDIR "/loci-extract" : set;
}

static void child_close(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static bool child_write(int fd, struct bytes in)
{
    size_t done = 0;
    ssize_t n = 0;

    while (done < in.n && (n = write(fd, (const char *)in.p + done, in.n - done)) > 0)
        done += (size_t)n;
    return done == in.n && lseek(fd, 0, SEEK_SET) == 0;
}

static bool child_pipes(struct child *k)
{
    int out[2], errors[2];

    if (pipe2(out, O_CLOEXEC) != 0)
        return false;
    k->out = out[0];
    k->far_out = out[1];
    if (pipe2(errors, O_CLOEXEC) != 0)
        return false;
    k->errors = errors[0];
    k->far_errors = errors[1];
    return true;
}

/* A process group of its own, so that the end reaches all that it might have made. */
static int child_spawn(struct ctx *c, struct child *k, const char *const *args)
{
    static char *const NOTHING[] = {NULL};
    const char *program = intake_program(c);
    char *argv[6] = {arena_strdup(c->arena, program)};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attr;
    int rc;

    for (size_t i = 0; args[i] && i < 4; i++)
        argv[i + 1] = arena_strdup(c->arena, args[i]);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attr);
    posix_spawn_file_actions_adddup2(&files, k->in, 0);
    posix_spawn_file_actions_adddup2(&files, k->far_out, 1);
    posix_spawn_file_actions_adddup2(&files, k->far_errors, 2);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP);
    rc = posix_spawn(&k->pid, program, &files, &attr, argv, NOTHING);
    posix_spawnattr_destroy(&attr);
    posix_spawn_file_actions_destroy(&files);
    return rc;
}

static void child_hear_errors(struct child *k, struct child_answer *a)
{
    size_t have = strlen(a->errors);
    char piece[512];
    ssize_t n = read(k->errors, piece, sizeof piece);

    if (n <= 0) {
        child_close(&k->errors);
        return;
    }
    if ((size_t)n > sizeof a->errors - 1 - have)
        n = (ssize_t)(sizeof a->errors - 1 - have);
    memcpy(a->errors + have, piece, (size_t)n);
}

static void child_hear(struct ctx *c, struct child *k, struct child_answer *a)
{
    char *piece = arena_alloc(c->arena, CHILD_PIECE);
    int64_t end = clock_monotonic_us() + INTAKE_WALL_S * SECOND_US, left;

    while (k->out >= 0 && !a->is_too_large && !a->is_late) {
        struct pollfd fds[2] = {{k->out, POLLIN, 0}, {k->errors, POLLIN, 0}};
        ssize_t n;

        left = end - clock_monotonic_us();
        a->is_late = left <= 0 || poll(fds, 2, (int)(left / 1000) + 1) == 0;
        if (!a->is_late && fds[1].revents)
            child_hear_errors(k, a);
        if (a->is_late || !fds[0].revents)
            continue;
        n = read(k->out, piece, CHILD_PIECE);
        if (n <= 0)
            child_close(&k->out);
        else if (a->out.len + (size_t)n > CHILD_OUT_MAX || arena_refused(c->arena))
            a->is_too_large = true;
        else
            buf_add(&a->out, piece, (size_t)n);
    }
    while (k->errors >= 0 && k->out < 0)
        child_hear_errors(k, a);
}

err intake_child_run(struct ctx *c, const char *const *args, struct bytes in, struct child_answer *out)
{
    struct child k = {.in = memfd_create("loci-intake", MFD_CLOEXEC), .out = -1, .errors = -1, .far_out = -1, .far_errors = -1};
    bool ok = k.in >= 0 && child_write(k.in, in) && child_pipes(&k);
    int rc = ok ? child_spawn(c, &k, args) : errno;

    *out = (struct child_answer){0};
    buf_init(&out->out, c->arena, CHILD_PIECE);
    child_close(&k.in);
    child_close(&k.far_out);
    child_close(&k.far_errors);
    if (rc == 0) {
        child_hear(c, &k, out);
        if (out->is_late || out->is_too_large)
            kill(-k.pid, SIGKILL);
        while (waitpid(k.pid, &out->status, 0) < 0 && errno == EINTR)
            ;
    }
    child_close(&k.out);
    child_close(&k.errors);
    return rc == 0 ? ERR_OK : fail(c, ERR_UNAVAILABLE, "%s cannot be started: %s", intake_program(c), strerror(rc));
}
