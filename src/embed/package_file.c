/* Files of npm packages; see package_file.h. */
#include "package_file.h"

#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

err package_read(struct ctx *c, const char *path, uint8_t *buffer, size_t room, size_t *used)
{
    FILE *f = fopen(path, "rb");
    bool failed;

    if (!f)
        return fail(c, errno == ENOENT ? ERR_NOT_FOUND : ERR_INVALID, "%s: %s", path, strerror(errno));
    *used += fread(buffer + *used, 1, room - *used, f);
    failed = ferror(f) || getc(f) != EOF;
    fclose(f);
    return failed ? fail(c, ERR_INVALID, "%s: cannot be read, or is longer than expected", path) : ERR_OK;
}

err package_check(struct ctx *c, const char *package, const char *what, const uint8_t *p, size_t n,
                  const uint8_t expected[MODEL_HASH])
{
    uint8_t hash[crypto_hash_sha256_BYTES];

    crypto_hash_sha256(hash, p, n);
    if (memcmp(hash, expected, sizeof hash) == 0)
        return ERR_OK;
    return fail(c, ERR_INVALID, "%s: not that of %s, its checksum differs", what, package);
}
