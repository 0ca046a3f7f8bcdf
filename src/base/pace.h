/* How many calls of each account were answered, and within what time: gathered in memory until somebody takes it away. */
#ifndef LOCI_PACE_H
#define LOCI_PACE_H

#include <stddef.h>
#include <stdint.h>

#include "uuid.h"

enum pace_kind { PACE_RECALL, PACE_WRITE, PACE_KINDS };

#define PACE_BUCKETS 84   /* four to an octave, from 32 microseconds to a minute */
#define PACE_ACCOUNTS 256 /* that call between two takings; those of further ones are not counted */

struct pace_row {
    struct uuid account_id;
    uint32_t n[PACE_KINDS][PACE_BUCKETS];
};

struct pace;

struct pace *pace_new(void);
void pace_free(struct pace *p);
/* One call more; NULL counts nothing. Takes a lock for a few instructions, and no memory. */
void pace_note(struct pace *p, struct uuid account_id, enum pace_kind kind, int64_t us);
/* What one account has by now, which is counted from nothing again; false: there is none left. */
bool pace_take(struct pace *p, struct pace_row *out);

/* A time that stands for those of a bucket, in seconds: at most a tenth off. */
double pace_seconds(int bucket);

#endif
