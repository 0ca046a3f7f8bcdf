/* The mark of all static files; see statics.h. */
#include "statics.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "str.h"

#define FOLDERS_DEEP 4
#define PART (64u * 1024)

static uint64_t of_file(const char *path, uint64_t mark, char *part)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n;

    if (fd < 0)
        return mark;
    while ((n = read(fd, part, PART)) > 0)
        mark = hash_bytes(part, (size_t)n, mark);
    close(fd);
    return mark;
}

/* A sum, since a folder tells its files in any order. */
static uint64_t of_folder(struct arena *a, const char *path, char *part, int deep)
{
    DIR *d = opendir(path);
    struct dirent *e;
    uint64_t sum = 0;
    struct stat st;

    if (!d)
        return 0;
    while ((e = readdir(d))) {
        const char *inner = arena_printf(a, "%s/%s", path, e->d_name);
        uint64_t name = hash_bytes(e->d_name, strlen(e->d_name), (uint64_t)deep + 1);

        if (e->d_name[0] == '.' || stat(inner, &st) < 0)
            continue;
        if (S_ISREG(st.st_mode))
            sum += of_file(inner, name, part);
        else if (S_ISDIR(st.st_mode) && deep < FOLDERS_DEEP)
            sum += name ^ of_folder(a, inner, part, deep + 1);
    }
    closedir(d);
    return sum;
}

const char *statics_mark(struct arena *a, const char *data_dir)
{
    uint64_t sum = of_folder(a, arena_printf(a, "%s/static", data_dir), arena_alloc(a, PART), 0);

    return arena_printf(a, "%010llx", (unsigned long long)(sum & 0xffffffffff));
}
