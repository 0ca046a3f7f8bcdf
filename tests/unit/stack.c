/* Private servers for tests; see stack.h. */
#include "stack.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <mysql.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "db.h"
#include "kv.h"
#include "migrate.h"

#define START_S 60
#define ARGV(...) ((const char *const[]){ __VA_ARGS__, NULL })

struct server {
    pid_t pid;
    char data[PATH_MAX + 8], socket[PATH_MAX + 16];
};

static struct {
    pid_t owner; /* forked children must not take the servers down */
    char folder[PATH_MAX];
    char kv_socket[PATH_MAX + 16], log[PATH_MAX + 8];
    struct server db, second;
    pid_t kv;
    struct config *conf;
} stack;

_Noreturn static void give_up(int code, const char *what)
{
    fprintf(stderr, "test stack: %s (%s)\n", what, stack.log);
    exit(code);
}

/* ---- processes */

/* The child dies with us, and says what it has to say in the log. */
static pid_t spawn(const char *const *argv)
{
    pid_t pid = fork();
    int log;

    if (pid != 0)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    log = open(stack.log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (log >= 0) {
        dup2(log, 1);
        dup2(log, 2);
    }
    execvp(argv[0], (char *const *)(uintptr_t)argv);
    _exit(127);
}

static int run(const char *const *argv)
{
    int status = 0;
    pid_t pid = spawn(argv);

    if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
        return -1;
    return WEXITSTATUS(status);
}

static void end(pid_t *pid, int sig)
{
    if (*pid <= 0)
        return;
    kill(*pid, sig);
    if (sig == SIGKILL || sig == SIGTERM) {
        waitpid(*pid, NULL, 0);
        *pid = 0;
    } else if (sig == SIGSTOP) {
        waitpid(*pid, NULL, WUNTRACED); /* all its threads stand still */
    }
}

static void clean_up(void)
{
    if (stack.owner != getpid())
        return;
    end(&stack.db.pid, SIGKILL);
    end(&stack.second.pid, SIGKILL);
    end(&stack.kv, SIGKILL);
    if (!getenv("LOCI_KEEP"))
        run(ARGV("rm", "-rf", stack.folder));
}

/* A program that crashes cleans nothing up: this child of it does, once the pipe tells that it is gone. */
static void leave_a_guard(void)
{
    int ends[2];
    char byte;

    if (getenv("LOCI_KEEP") || pipe2(ends, O_CLOEXEC) != 0 || fork() != 0)
        return;
    setsid();
    close(ends[1]);
    while (read(ends[0], &byte, 1) > 0)
        continue;
    if (access(stack.folder, F_OK) == 0)
        execlp("rm", "rm", "-rf", stack.folder, (char *)NULL);
    _exit(0);
}

static bool answers(const char *path)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool ok;

    snprintf(at.sun_path, sizeof at.sun_path, "%.*s", (int)sizeof at.sun_path - 1, path);
    ok = connect(fd, (struct sockaddr *)&at, sizeof at) == 0;
    close(fd);
    return ok;
}

static void wait_for(pid_t pid, const char *socket_path, const char *name)
{
    for (int i = 0; i < START_S * 100; i++) {
        if (answers(socket_path))
            return;
        if (waitpid(pid, NULL, WNOHANG) == pid)
            break;
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    give_up(1, name);
}

/* ---- MariaDB */

/* A data folder made once per build folder, which every test program copies. */
static void template_path(char out[PATH_MAX])
{
    char exe[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);

    exe[n > 0 ? n : 0] = 0;
    snprintf(out, PATH_MAX, "%s/db-template", dirname(exe));
}

static void make_template(const char *path)
{
    char unready[PATH_MAX + 8], data[PATH_MAX + 24];
    int rc;

    snprintf(unready, sizeof unready, "%s.new", path);
    snprintf(data, sizeof data, "--datadir=%s", unready);
    run(ARGV("rm", "-rf", unready));
    rc = run(ARGV("mariadb-install-db", "--no-defaults", data, "--auth-root-authentication-method=normal",
                  "--skip-test-db", "--skip-name-resolve", "--innodb-log-file-size=8M",
                  "--innodb-undo-tablespaces=0"));
    if (rc == 127)
        give_up(77, "skipped: no mariadb-install-db here; the package mariadb-server-core has it");
    if (rc != 0 || rename(unready, path) != 0)
        give_up(1, "mariadb-install-db failed");
}

static void copy_template(const struct server *to)
{
    char path[PATH_MAX], lock[PATH_MAX + 8];
    struct stat st;
    int fd;

    template_path(path);
    snprintf(lock, sizeof lock, "%s.lock", path);
    fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || flock(fd, LOCK_EX) != 0)
        give_up(1, "cannot lock the data template");
    if (stat(path, &st) != 0)
        make_template(path);
    close(fd);
    if (run(ARGV("cp", "-a", path, to->data)) != 0)
        give_up(1, "cannot copy the data template");
}

int stack_spawn(const char *const *argv)
{
    return spawn(argv);
}

void stack_end(int *pid, int sig)
{
    end(pid, sig);
}

int stack_run(const char *const *argv)
{
    return run(argv);
}

/* Options after those that every server of ours has; ended by NULL. */
static void start_db(struct server *to, const char *const *more)
{
    char data[PATH_MAX + 64], sock[PATH_MAX + 64], tmp[PATH_MAX + 64];
    const char *argv[32] = { "mariadbd", "--no-defaults", data, sock, tmp, "--user=root", "--innodb-buffer-pool-size=32M",
                             "--innodb-log-file-size=8M", "--innodb-flush-log-at-trx-commit=2", "--skip-log-bin",
                             "--innodb-undo-tablespaces=0", "--max-allowed-packet=32M", "--key-buffer-size=1M",
                             "--aria-pagecache-buffer-size=8M" };
    size_t n = 0;

    snprintf(data, sizeof data, "--datadir=%s", to->data);
    snprintf(sock, sizeof sock, "--socket=%s", to->socket);
    /* Each server empties its folder for temporary tables when it starts. */
    snprintf(tmp, sizeof tmp, "--tmpdir=%s", to == &stack.db ? stack.folder : to->data);
    unlink(to->socket);
    while (argv[n])
        n++;
    while (*more && n < sizeof argv / sizeof *argv - 1)
        argv[n++] = *more++;
    to->pid = spawn(argv);
    wait_for(to->pid, to->socket, "mariadbd did not start");
}

void stack_db_again(void)
{
    start_db(&stack.db, ARGV("--skip-networking"));
}

const char *stack_second_begin(void)
{
    snprintf(stack.second.data, sizeof stack.second.data, "%s/second", stack.folder);
    snprintf(stack.second.socket, sizeof stack.second.socket, "%s/second.sock", stack.folder);
    copy_template(&stack.second);
    stack_second_again();
    return stack.second.socket;
}

void stack_second_again(void)
{
    start_db(&stack.second, ARGV("--skip-networking"));
}

void stack_second_signal(int sig)
{
    end(&stack.second.pid, sig);
}

void stack_db_again_on(int port, const char *cert, const char *key, const char *ca)
{
    const char *more[8] = {"--bind-address=127.0.0.1"};
    char text[4][PATH_MAX + 16];
    size_t n = 1;

    snprintf(text[0], sizeof text[0], "--port=%d", port);
    snprintf(text[1], sizeof text[1], "--ssl-cert=%s", cert ? cert : "");
    snprintf(text[2], sizeof text[2], "--ssl-key=%s", key ? key : "");
    snprintf(text[3], sizeof text[3], "--ssl-ca=%s", ca ? ca : "");
    for (int i = 0; i < 4; i++)
        if (i == 0 || (i == 1 && cert) || (i == 2 && key) || (i == 3 && ca))
            more[n++] = text[i];
    start_db(&stack.db, more);
}

void stack_db_signal(int sig)
{
    end(&stack.db.pid, sig);
}

/* ---- Redis */

void stack_kv_again(void)
{
    unlink(stack.kv_socket);
    stack.kv = spawn(ARGV("redis-server", "--port", "0", "--unixsocket", stack.kv_socket, "--save", "",
                          "--appendonly", "no", "--dir", stack.folder));
    wait_for(stack.kv, stack.kv_socket, "redis-server did not start");
}

void stack_kv_signal(int sig)
{
    end(&stack.kv, sig);
}

/* ---- both */

static bool installed(const char *program)
{
    char path[PATH_MAX], *dirs = strdup(getenv("PATH")), *rest = dirs, *dir;
    bool found = false;

    while (!found && (dir = strsep(&rest, ":"))) {
        snprintf(path, sizeof path, "%s/%s", dir, program);
        found = access(path, X_OK) == 0;
    }
    free(dirs);
    return found;
}

static void make_folder(void)
{
    const char *path = getenv("PATH");
    char more[PATH_MAX * 2];

    snprintf(more, sizeof more, "%s:/usr/sbin", path ? path : "/usr/bin:/bin");
    setenv("PATH", more, 1);
    snprintf(stack.folder, sizeof stack.folder, "/tmp/loci-unit-XXXXXX");
    if (!mkdtemp(stack.folder))
        give_up(1, "no folder under /tmp");
    stack.owner = getpid();
    atexit(clean_up);
    snprintf(stack.db.data, sizeof stack.db.data, "%s/db", stack.folder);
    snprintf(stack.db.socket, sizeof stack.db.socket, "%s/db.sock", stack.folder);
    snprintf(stack.kv_socket, sizeof stack.kv_socket, "%s/kv.sock", stack.folder);
    snprintf(stack.log, sizeof stack.log, "%s/log", stack.folder);
    leave_a_guard();
}

const char *stack_folder(void)
{
    if (!stack.owner)
        make_folder();
    return stack.folder;
}

static void start_servers(void)
{
    if (!installed("mariadbd") || !installed("redis-server"))
        give_up(77, "skipped: needs the packages mariadb-server-core and redis-server");
    copy_template(&stack.db);
    stack_kv_again();
    stack_db_again();
}

struct config *stack_start(void)
{
    static struct arena *arena;
    const char *why = NULL;

    signal(SIGPIPE, SIG_IGN);
    if (!arena)
        arena = arena_new(4u * 1024 * 1024);
    stack_folder();
    start_servers();
    setenv("LOCI_DB_SOCKET", stack.db.socket, 1);
    setenv("LOCI_REDIS_SOCKET", stack.kv_socket, 1);
    setenv("LOCI_DB_USER", "root", 1);
    setenv("LOCI_DB_PASSWORD", "", 1);
    setenv("LOCI_DB_NAME", "loci_unit", 1);
    stack.conf = config_load(arena, NULL, &why);
    if (!stack.conf)
        give_up(1, why);
    return stack.conf;
}

void stack_ctx(struct ctx *c, const struct config *conf, int deadline_s)
{
    *c = (struct ctx){.arena = request_arena_new(), .db = db_open(conf), .kv = kv_open(conf)};
    ctx_begin(c, deadline_s);
}

void stack_ctx_done(struct ctx *c)
{
    db_close(c->db);
    kv_close(c->kv);
    arena_free(c->arena);
}

void stack_empty_schema(struct ctx *c)
{
    MYSQL *my = mysql_init(NULL);
    const struct config *conf = stack.conf;
    const char *sql = arena_printf(
        c->arena, "CREATE OR REPLACE DATABASE `%s` CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin",
        conf->db_name);

    if (!mysql_real_connect(my, NULL, conf->db_user, conf->db_password, NULL, 0, conf->db_socket, 0) ||
        mysql_query(my, "SET foreign_key_checks = 0") != 0 || /* tables go in any order */
        mysql_query(my, sql) != 0)
        give_up(1, arena_strdup(c->arena, mysql_error(my)));
    mysql_close(my);
}

void stack_fresh_schema(struct ctx *c)
{
    const char *src = getenv("srcdir");
    struct migrate_report report;

    stack_empty_schema(c);
    if (migrate_run(c, arena_printf(c->arena, "%s/sql", src ? src : "."), &report) != ERR_OK)
        give_up(1, c->fault.message);
}
