/* Time-ordered identifiers (UUIDv7), their text form, and the nil that stands for "none". */
#ifndef LOCI_UUID_H
#define LOCI_UUID_H

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct uuid {
    uint8_t b[16];
};

#define UUID_TEXT 37 /* 36 characters and a NUL */

/* Random in its last 62 bits; ids made by one process never go backwards within a millisecond's counter. */
struct uuid uuid_new(int64_t unix_us);
struct uuid uuid_floor(int64_t unix_us);                    /* no id made at that time or later is smaller */
bool uuid_parse(const char *s, struct uuid *out);           /* 8-4-4-4-12 hex, any case, any version */
const char *uuid_text(struct uuid id, char out[UUID_TEXT]); /* returns out */
bool uuid_is_nil(struct uuid id);
/* Here, since sorting asks little else: two numbers are compared sooner than a function is called. */
static inline uint64_t uuid_half(const struct uuid *u, int i)
{
    uint64_t half;

    memcpy(&half, u->b + 8 * i, sizeof half);
    return be64toh(half);
}

static inline bool uuid_eq(struct uuid a, struct uuid b)
{
    return uuid_half(&a, 0) == uuid_half(&b, 0) && uuid_half(&a, 1) == uuid_half(&b, 1);
}

/* In the order of their bytes. */
static inline int uuid_cmp(struct uuid a, struct uuid b)
{
    int i = uuid_half(&a, 0) == uuid_half(&b, 0);
    uint64_t x = uuid_half(&a, i), y = uuid_half(&b, i);

    return (x > y) - (x < y);
}

/* For printf-style calls: UUID_STR(id) lives until the end of the enclosing block. */
#define UUID_STR(id) uuid_text((id), (char[UUID_TEXT]){0})

#endif
