/* Time-ordered identifiers (UUIDv7), their text form, and the nil that stands for "none". */
#ifndef LOCI_UUID_H
#define LOCI_UUID_H

#include <stdbool.h>
#include <stdint.h>

struct uuid {
    uint8_t b[16];
};

#define UUID_TEXT 37     /* 36 characters and a NUL */

/* Random in its last 62 bits; ids made by one process never go backwards within a millisecond's counter. */
struct uuid uuid_new(int64_t unix_us);
struct uuid uuid_floor(int64_t unix_us);                   /* no id made at that time or later is smaller */
bool uuid_parse(const char *s, struct uuid *out);          /* 8-4-4-4-12 hex, any case, any version */
const char *uuid_text(struct uuid id, char out[UUID_TEXT]); /* returns out */
bool uuid_is_nil(struct uuid id);
bool uuid_eq(struct uuid a, struct uuid b);
int uuid_cmp(struct uuid a, struct uuid b);

/* For printf-style calls: UUID_STR(id) lives until the end of the enclosing block. */
#define UUID_STR(id) uuid_text((id), (char[UUID_TEXT]){0})

#endif
