/* UUIDv7; see uuid.h. */
#include "uuid.h"

#include <stdatomic.h>
#include <string.h>

#include "random.h"
#include "str.h"

/* The last (millisecond << 12 | counter) given out: keeps ids of one process in the order of their making. */
static _Atomic uint64_t last_tick;

static uint64_t next_tick(int64_t unix_us)
{
    uint64_t now = (uint64_t)(unix_us / 1000) << 12 | ((uint64_t)(unix_us % 1000) << 2), prev = last_tick, next;

    do {
        next = now > prev ? now : prev + 1;
    } while (!atomic_compare_exchange_weak(&last_tick, &prev, next));
    return next;
}

struct uuid uuid_new(int64_t unix_us)
{
    uint64_t tick = next_tick(unix_us), ms = tick >> 12;
    struct uuid id;

    random_fill(id.b + 8, 8);
    for (int i = 0; i < 6; i++)
        id.b[i] = (uint8_t)(ms >> (40 - 8 * i));
    id.b[6] = (uint8_t)(0x70 | (tick >> 8 & 15));
    id.b[7] = (uint8_t)tick;
    id.b[8] = (uint8_t)(0x80 | (id.b[8] & 0x3f));
    return id;
}

struct uuid uuid_floor(int64_t unix_us)
{
    uint64_t ms = (uint64_t)unix_us / 1000;
    struct uuid id = {{0}};

    for (int i = 0; i < 6; i++)
        id.b[i] = (uint8_t)(ms >> (40 - 8 * i));
    return id;
}

bool uuid_parse(const char *s, struct uuid *out)
{
    char hex[33];
    size_t n = 0;
    struct uuid id;

    if (!s || strlen(s) != 36)
        return false;
    for (int i = 0; i < 36; i++) {
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;

        if (dash != (s[i] == '-'))
            return false;
        if (!dash)
            hex[n++] = s[i];
    }
    if (!hex_decode(hex, 32, id.b))
        return false;
    *out = id;
    return true;
}

const char *uuid_text(struct uuid id, char out[UUID_TEXT])
{
    char hex[33], *o = out;

    hex_encode(id.b, 16, hex);
    for (int i = 0; i < 32; i++) {
        if (i == 8 || i == 12 || i == 16 || i == 20)
            *o++ = '-';
        *o++ = hex[i];
    }
    *o = 0;
    return out;
}

bool uuid_is_nil(struct uuid id)
{
    static const struct uuid nil;

    return memcmp(&id, &nil, sizeof id) == 0;
}
