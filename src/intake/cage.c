/* Closing the cage; see cage.h. */
#include "cage.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__ /* its shadow is larger than any limit */
#define CAGE_MEMORY RLIM_INFINITY
#else
#define CAGE_MEMORY (512ul * 1024 * 1024)
#endif
#define CAGE_CPU_S 30
#define CAGE_FILES 32
#define CAGE_INSTRUCTIONS 256

const char *cage_layer_name(int layer)
{
#define CAGE_NAME(name, text) text,
    static const char *const NAMES[] = {CAGE_LAYERS(CAGE_NAME)};

    return NAMES[layer];
}

/* ---- limits */

static bool cage_limit(__rlimit_resource_t what, rlim_t most)
{
    return setrlimit(what, &(struct rlimit){most, most}) == 0;
}

static bool cage_limits(void)
{
    return cage_limit(RLIMIT_AS, CAGE_MEMORY) && cage_limit(RLIMIT_CPU, CAGE_CPU_S) && cage_limit(RLIMIT_NOFILE, CAGE_FILES) &&
           cage_limit(RLIMIT_FSIZE, 0) && cage_limit(RLIMIT_CORE, 0);
}

/* ---- files */

static bool landlock_allow(int rules, const char *path, uint64_t access)
{
    struct landlock_path_beneath_attr rule = {.allowed_access = access, .parent_fd = open(path, O_PATH | O_CLOEXEC)};
    bool ok;
    struct stat st;

    if (rule.parent_fd < 0)
        return true; /* it is not there: nothing to allow */
    if (fstat(rule.parent_fd, &st) == 0 && !S_ISDIR(st.st_mode))
        rule.allowed_access &= LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE;
    ok = syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
    close(rule.parent_fd);
    return ok;
}

/* What a program needs to start, and the maps of characters of poppler. */
static bool landlock_allow_program(int rules, const char *program)
{
    static const char *const READ[] = {"/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/share/poppler", "/etc/ld.so.cache"};
    uint64_t access = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_EXECUTE;

    for (size_t i = 0; i < sizeof READ / sizeof *READ; i++)
        if (!landlock_allow(rules, READ[i], access))
            return false;
    return landlock_allow(rules, program, access);
}

static bool cage_landlock(const char *program)
{
    struct landlock_ruleset_attr attr = {.handled_access_fs = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1};
    int rules = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof attr, 0);
    bool ok;

    if (rules < 0)
        return false;
    ok = (!program || landlock_allow_program(rules, program)) && syscall(SYS_landlock_restrict_self, rules, 0) == 0;
    close(rules);
    return ok;
}

/* ---- system calls */

#if defined __x86_64__
#define CAGE_ARCH AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define CAGE_ARCH AUDIT_ARCH_AARCH64
#else
#define CAGE_ARCH 0
#endif
#ifdef SYS_fork
#define CAGE_FORKS SYS_fork, SYS_vfork,
#else
#define CAGE_FORKS
#endif

/* All that a reader of bytes in memory needs. */
static const int CAGE_ALLOWED[] = {
    SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_close, SYS_fstat, SYS_lseek, SYS_mmap, SYS_mprotect, SYS_munmap, SYS_mremap, SYS_brk,
    SYS_madvise, SYS_futex, SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_exit, SYS_exit_group, SYS_getpid, SYS_gettid,
    SYS_tgkill, SYS_clock_gettime, SYS_getrandom, SYS_sched_yield, SYS_restart_syscall};

/* What a foreign program must not do; which files it reads is Landlock's. */
static const int CAGE_FORBIDDEN[] = {CAGE_FORKS
    SYS_clone, SYS_clone3, SYS_execveat, SYS_socket, SYS_socketpair, SYS_connect, SYS_bind, SYS_listen, SYS_accept, SYS_accept4, SYS_sendto,
    SYS_sendmsg, SYS_sendmmsg, SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kill, SYS_mount, SYS_umount2, SYS_pivot_root,
    SYS_chroot, SYS_move_mount, SYS_open_tree, SYS_fsopen, SYS_fsmount, SYS_fsconfig, SYS_fspick, SYS_mount_setattr, SYS_keyctl,
    SYS_add_key, SYS_request_key, SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register, SYS_bpf,
    SYS_perf_event_open, SYS_userfaultfd,
    SYS_unshare, SYS_setns, SYS_memfd_create, SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_kexec_load, SYS_open_by_handle_at,
    SYS_name_to_handle_at, SYS_quotactl, SYS_reboot, SYS_swapon, SYS_swapoff, SYS_pidfd_open, SYS_pidfd_getfd, SYS_pidfd_send_signal,
    SYS_personality, SYS_setuid, SYS_setgid, SYS_setresuid, SYS_setresgid, SYS_capset, SYS_shmget, SYS_shmat, SYS_msgget, SYS_semget,
    SYS_mq_open, SYS_inotify_init1, SYS_fanotify_init, SYS_acct, SYS_settimeofday, SYS_clock_settime, SYS_sethostname};

struct filter {
    struct sock_filter v[CAGE_INSTRUCTIONS];
    unsigned short n;
};

static void filter_put(struct filter *f, uint16_t code, uint32_t k, uint8_t yes, uint8_t no)
{
    if (f->n < CAGE_INSTRUCTIONS)
        f->v[f->n++] = (struct sock_filter){code, yes, no, k};
}

static void filter_put_calls(struct filter *f, const int *calls, size_t n, uint32_t answer)
{
    for (size_t i = 0; i < n; i++) {
        filter_put(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)calls[i], 0, 1);
        filter_put(f, BPF_RET | BPF_K, answer, 0, 0);
    }
}

static bool cage_seccomp(bool is_program)
{
    const uint32_t refused = SECCOMP_RET_ERRNO | EPERM;
    struct filter f = {0};
    struct sock_fprog program = {.filter = f.v};

    if (!CAGE_ARCH)
        return false;
    filter_put(&f, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch), 0, 0);
    filter_put(&f, BPF_JMP | BPF_JEQ | BPF_K, CAGE_ARCH, 1, 0);
    filter_put(&f, BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS, 0, 0);
    filter_put(&f, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
    filter_put(&f, BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1); /* x32 */
    filter_put(&f, BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS, 0, 0);
    if (is_program)
        filter_put_calls(&f, CAGE_FORBIDDEN, sizeof CAGE_FORBIDDEN / sizeof *CAGE_FORBIDDEN, refused);
    else
        filter_put_calls(&f, CAGE_ALLOWED, sizeof CAGE_ALLOWED / sizeof *CAGE_ALLOWED, SECCOMP_RET_ALLOW);
    filter_put(&f, BPF_RET | BPF_K, is_program ? SECCOMP_RET_ALLOW : refused, 0, 0);
    program.len = f.n;
    return f.n < CAGE_INSTRUCTIONS && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

bool cage_close(struct cage *c, const char *program, pid_t parent)
{
    *c = (struct cage){0};
    c->holds[CAGE_PARENT] = prctl(PR_SET_PDEATHSIG, SIGKILL) == 0;
    if (getppid() != parent)
        return false; /* it died before */
    c->holds[CAGE_PRIVILEGES] = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
    c->holds[CAGE_NAMESPACES] = unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0;
    c->holds[CAGE_LANDLOCK] = cage_landlock(program);
    c->holds[CAGE_LIMITS] = cage_limits();
    c->holds[CAGE_SECCOMP] = cage_seccomp(program != NULL);
    return c->holds[CAGE_LIMITS] && c->holds[CAGE_PRIVILEGES] && c->holds[CAGE_SECCOMP];
}
