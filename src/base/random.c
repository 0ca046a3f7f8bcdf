/* Random bytes for ids; see random.h. */
#include "random.h"

#include <assert.h>
#include <sodium.h>
#include <string.h>

#define POOL 1024

static _Thread_local unsigned char pool[POOL];
static _Thread_local size_t left;

/* What was given out is wiped, so that a later look into the memory finds no id's bytes twice. */
void random_fill(void *out, size_t n)
{
    assert(n <= 64);
    if (left < n) {
        randombytes_buf(pool, POOL);
        left = POOL;
    }
    left -= n;
    memcpy(out, pool + left, n);
    memset(pool + left, 0, n);
}
