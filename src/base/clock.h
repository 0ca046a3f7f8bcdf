/* Instants: microseconds since 1970 UTC; 0 means "none". Time is read once per request, into ctx. */
#ifndef LOCI_CLOCK_H
#define LOCI_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "arena.h"

struct instant {
    int64_t us;
};

#define INSTANT_TEXT 28 /* 2026-11-18T11:26:59.123456Z and a NUL */
#define SECOND_US 1000000LL
#define DAY_US (86400 * SECOND_US)

struct instant clock_now(void);    /* the only reader of the wall clock in the house, and how far it was moved */
int64_t clock_monotonic_us(void);  /* for durations and deadlines */
int64_t clock_thread_cpu_us(void); /* processor time of the calling thread */

/* ---- a clock that tests move (debug.clock_file; clock_move.c and docs/decisions/0026-clock.md) */

/* From now on the wall clock of this process is as far ahead as the file says, at each moment. The file is shared by the programs of a
 * stack, and made when it is missing; one that is no clock file is never written to. false: errno says why. Before the first thread. */
bool clock_follow(const char *path);
/* How far ahead it is; 0 without such a file. */
int64_t clock_moved_us(void);
/* Moves it on, for all who follow the file, and returns how far ahead it is then. Never back: rows would be in the future. */
int64_t clock_move(int64_t us);
/* An instant that MariaDB said to be now, by the clock of this process. */
struct instant clock_of_db(struct instant db_now);

const char *instant_text(struct instant t, char out[INSTANT_TEXT]); /* RFC 3339, UTC, microseconds */
/* RFC 3339 with Z or an offset, fraction optional; years 1970 to 9999. */
bool instant_parse(const char *s, struct instant *out);

struct civil {
    int year, month, day, hour, minute, second, us, weekday; /* weekday: 0 is Sunday */
};
struct civil instant_civil(struct instant t);
struct instant civil_instant(struct civil c); /* weekday is ignored */
int days_in_month(int year, int month);

#endif
