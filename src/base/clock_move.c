/* How far tests have moved the wall clock: a number in a small file that all programs of a stack map; see clock.h. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"

#define MAGIC "lociclk1"
#define PATH_MAX_BYTES 4096

/* The whole file. */
struct moved_file {
    char magic[8];
    _Atomic int64_t us;
};

/* A global that changes, since clock_now() is called where there is no context: once, before the first thread. */
static struct moved_file unmoved, *moved = &unmoved;

/* A whole file or none: another program may start at the same time. One that is there stays as it is. */
static bool make_file(const char *path)
{
    struct moved_file fresh = {.magic = MAGIC};
    char draft[PATH_MAX_BYTES];
    int n = snprintf(draft, sizeof draft, "%s.%d", path, (int)getpid()), fd;
    bool made;

    if (n >= (int)sizeof draft) {
        errno = ENAMETOOLONG;
        return false;
    }
    fd = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return false;
    made = write(fd, &fresh, sizeof fresh) == sizeof fresh && (!link(draft, path) || errno == EEXIST);
    close(fd);
    unlink(draft);
    return made;
}

/* Ours by its size and first bytes before anything is written to it: whoever mistypes the setting must not lose a file. And of our own
 * user, who alone may write it: who can move the clock can end sessions and delete what is due. */
static bool is_clock_file(int fd)
{
    char magic[sizeof moved->magic];
    struct stat s;

    if (fstat(fd, &s))
        return false;
    errno = EPERM;
    if (!S_ISREG(s.st_mode) || s.st_uid != geteuid() || (s.st_mode & (S_IRWXG | S_IRWXO)))
        return false;
    errno = EINVAL;
    return s.st_size == sizeof *moved && pread(fd, magic, sizeof magic, 0) == sizeof magic && memcmp(magic, MAGIC, sizeof magic) == 0;
}

static bool clock_move_map_file(int fd)
{
    void *at = is_clock_file(fd) ? mmap(NULL, sizeof *moved, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;

    if (at != MAP_FAILED)
        moved = at;
    return at != MAP_FAILED;
}

bool clock_follow(const char *path)
{
    struct stat s;
    bool mapped;
    int fd, why;

    if (lstat(path, &s) && (errno != ENOENT || !make_file(path)))
        return false;
    fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return false;
    mapped = clock_move_map_file(fd);
    why = errno;
    close(fd);
    errno = why;
    return mapped;
}

int64_t clock_moved_us(void)
{
    return atomic_load_explicit(&moved->us, memory_order_relaxed);
}

int64_t clock_move(int64_t us)
{
    assert(us >= 0 && moved != &unmoved);
    return atomic_fetch_add(&moved->us, us) + us;
}

struct instant clock_of_db(struct instant db_now)
{
    return (struct instant){db_now.us + clock_moved_us()};
}
