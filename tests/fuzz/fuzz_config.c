/* Fuzzes the reader of loci.conf: it answers with settings or with a reason, and never shows a secret. */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The bytes as a file in memory, open; its path goes to path. */
static int as_file(const uint8_t *data, size_t size, char *path, size_t path_size)
{
    int fd = memfd_create("loci.conf", MFD_CLOEXEC);

    assert(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    snprintf(path, path_size, "/proc/self/fd/%d", fd);
    return fd;
}

static void check_settings(struct arena *a, const struct config *c)
{
    struct json *all = config_json(a, c);

    assert(c->db_port >= 1 && c->db_port <= 65535);
    assert(c->db_socket && c->db_password && c->secret && c->log_level);
    for (struct json *row = all->first; row; row = row->next) {
        const char *key = json_get_str(row, "key"), *value = json_get_str(row, "value");

        if (strcmp(key, "security.secret") == 0 || strstr(key, "password"))
            assert(*value == '\0' || strcmp(value, "********") == 0);
    }
    assert(*json_text(a, all) == '[');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a;
    const struct config *c;
    const char *why = NULL;
    char path[64];
    int fd;

    if (memmem(data, size, "_file",
               5)) /* would open whatever the fuzzer names, terminals and pipes included */
        return 0;
    a = arena_new(64 << 20);
    fd = as_file(data, size, path, sizeof path);
    c = config_load(a, path, &why);
    if (c)
        check_settings(a, c);
    else
        assert(why && strstr(why, path));
    close(fd);
    arena_free(a);
    return 0;
}
