/* git as a child process; see feed_git_child.h. */
#include "feed_git_child.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "fetch.h"

#define GIT_ARGS 64
#define LOOK_MS 500 /* how often a stop is looked for */
#define SAID 300

err git_place_open(struct ctx *c, const char *url, struct git_place *p)
{
    const char *tmp = getenv("TMPDIR");

    *p = (struct git_place){.is_http = str_starts(url, "http://"), .until_us = clock_monotonic_us() + GIT_SECONDS * SECOND_US};
    TRY(fetch_pin(c, url, &p->pin));
    (void)snprintf(p->dir, sizeof p->dir, "%s/loci-git-XXXXXX", tmp && strlen(tmp) < 40 ? tmp : P_tmpdir);
    if (!mkdtemp(p->dir)) {
        p->dir[0] = 0;
        return fail(c, ERR_INTERNAL, "cannot make a directory for git: %s", strerror(errno));
    }
    return ERR_OK;
}

static int git_remove(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    (void)type;
    (void)at;
    return remove(path);
}

void git_place_close(struct git_place *p)
{
    if (p->dir[0])
        (void)nftw(p->dir, git_remove, 16, FTW_DEPTH | FTW_PHYS);
    p->dir[0] = 0;
}

/* ---- what it is run with */

/* Only this protocol, this address, no redirect, no proxy, no hook, no credential; limits are set before git begins. */
static void git_arguments(struct ctx *c, const struct git_place *p, const char *const *args, char **argv)
{
    static const char *const ALWAYS[] = {
        "/usr/bin/prlimit", "--cpu=120", "--fsize=1073741824", "--nofile=256", "--core=0", "--", "/usr/bin/git",
        "-c", "protocol.allow=never", "-c", "core.hooksPath=/dev/null", "-c", "http.followRedirects=false", "-c", "http.proxy=",
        "-c", "credential.helper=", "-c", "transfer.bundleURI=false", "-c", "transfer.fsckObjects=true",
        "-c", "fetch.recurseSubmodules=false",
        "-c", "http.lowSpeedLimit=1000", "-c", "http.lowSpeedTime=30", "-c", "core.fsmonitor=false", "-c", "gc.auto=0",
        "-c", "maintenance.auto=false", "-c", "core.symlinks=false"};
    size_t n = 0;

    for (size_t i = 0; i < sizeof ALWAYS / sizeof *ALWAYS; i++)
        argv[n++] = arena_strdup(c->arena, ALWAYS[i]);
    argv[n++] = arena_strdup(c->arena, "-c");
    argv[n++] = arena_printf(c->arena, "protocol.%s.allow=always", p->is_http ? "http" : "https");
    if (p->pin) {
        argv[n++] = arena_strdup(c->arena, "-c");
        argv[n++] = arena_printf(c->arena, "http.curloptResolve=%s", p->pin);
    }
    for (size_t i = 0; args[i] && n < GIT_ARGS - 1; i++)
        argv[n++] = arena_strdup(c->arena, args[i]);
    argv[n] = NULL;
}

static void git_environment(struct ctx *c, const struct git_place *p, char **env)
{
    size_t n = 0;

    env[n++] = arena_strdup(c->arena, "PATH=/usr/bin:/bin");
    env[n++] = arena_strdup(c->arena, "LC_ALL=C");
    env[n++] = arena_printf(c->arena, "HOME=%s", p->dir);
    env[n++] = arena_printf(c->arena, "GIT_CEILING_DIRECTORIES=%s", p->dir);
    env[n++] = arena_strdup(c->arena, "GIT_CONFIG_NOSYSTEM=1");
    env[n++] = arena_strdup(c->arena, "GIT_CONFIG_GLOBAL=/dev/null");
    env[n++] = arena_strdup(c->arena, "GIT_TERMINAL_PROMPT=0");
    env[n++] = arena_strdup(c->arena, "GIT_ASKPASS=/bin/false");
    env[n++] = arena_strdup(c->arena, p->is_http ? "GIT_ALLOW_PROTOCOL=http" : "GIT_ALLOW_PROTOCOL=https");
    env[n++] = arena_strdup(c->arena, "GIT_PROTOCOL_FROM_USER=0");
    env[n] = NULL;
}

/* ---- running it */

static int git_spawn(struct ctx *c, const struct git_place *p, const char *const *args, int in, int out, int errors, pid_t *pid)
{
    char *argv[GIT_ARGS], *env[16];
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attr;
    int rc;

    git_arguments(c, p, args, argv);
    git_environment(c, p, env);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attr);
    if (in >= 0)
        posix_spawn_file_actions_adddup2(&files, in, 0);
    else
        posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, out, 1);
    posix_spawn_file_actions_adddup2(&files, errors, 2);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP);
    rc = posix_spawn(pid, argv[0], &files, &attr, argv, env);
    posix_spawnattr_destroy(&attr);
    posix_spawn_file_actions_destroy(&files);
    return rc;
}

/* Its exit status; -1: it was ended, since its time is over or somebody stops us. */
static int git_wait(const struct git_place *p, const struct git_walk *w, pid_t pid)
{
    struct pollfd fd = {(int)syscall(SYS_pidfd_open, pid, 0), POLLIN, 0};
    bool is_late = false;
    int status = 0;

    while (fd.fd >= 0 && !is_late && poll(&fd, 1, LOOK_MS) == 0)
        is_late = clock_monotonic_us() > p->until_us || w->should_stop(w->stop_arg);
    (void)kill(-pid, SIGKILL); /* what it has started, too */
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (fd.fd >= 0)
        close(fd.fd);
    return is_late || !WIFEXITED(status) ? -1 : WEXITSTATUS(status);
}

/* The last line that it said, without control characters. */
static const char *git_said(struct ctx *c, int errors)
{
    char *text = arena_alloc(c->arena, SAID + 1), *line = text;
    off_t size = lseek(errors, 0, SEEK_END);
    ssize_t n = pread(errors, text, SAID, size > SAID ? size - SAID : 0);

    text[n > 0 ? n : 0] = 0;
    for (char *s = text; *s; s++) {
        if (*s == '\n' && s[1])
            line = s + 1;
        if ((unsigned char)*s < ' ' || (unsigned char)*s > '~')
            *s = s == line - 1 ? '\n' : ' ';
    }
    return line;
}

static err git_judge(struct ctx *c, const struct git_walk *w, int status, int errors)
{
    if (status == 0)
        return ERR_OK;
    if (status == 127)
        return fail(c, ERR_INVALID, "git is not installed on the server");
    if (w->should_stop(w->stop_arg))
        return fail(c, ERR_UNAVAILABLE, "the scheduler stops");
    return fail_reason(c, ERR_INVALID, "fetch_failed", status < 0 ? "git took too long or too much: %s" : "git: %s", git_said(c, errors));
}

err git_run(struct ctx *c, const struct git_place *p, const struct git_walk *w, const char *const *args, int in, int *out)
{
    int to = memfd_create("loci-git-out", MFD_CLOEXEC), errors = memfd_create("loci-git-said", MFD_CLOEXEC);
    err e = ERR_OK;
    pid_t pid;

    if (to < 0 || errors < 0 || git_spawn(c, p, args, in, to, errors, &pid) != 0)
        e = fail(c, ERR_INTERNAL, "git cannot be started: is it installed?");
    else
        e = git_judge(c, w, git_wait(p, w, pid), errors);
    if (errors >= 0)
        close(errors);
    if (e == ERR_OK && out)
        *out = to;
    else if (to >= 0)
        close(to);
    return e;
}
