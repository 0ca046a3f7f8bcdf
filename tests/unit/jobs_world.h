/* A database with accounts and an engine whose clock stands where a test puts it: for the tests of jobs and queue. */
#ifndef LOCI_TESTS_JOBS_WORLD_H
#define LOCI_TESTS_JOBS_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#undef fail /* err.h has one of its own */
#undef fail_msg

#include "app.h"
#include "engine.h"
#include "jobs_own.h"
#include "log.h"
#include "run_store.h"
#include "stack.h"

#define fail_msg(...) \
    do { \
        print_error(__VA_ARGS__); \
        print_error("\n"); \
        _fail(__FILE__, __LINE__); \
    } while (0)

#define OK(call) \
    do { \
        if ((call) != ERR_OK) \
            fail_msg("%s: %s", #call, world.c.fault.message); \
    } while (0)

struct world {
    struct app app;
    struct log log;
    struct ctx c; /* the thread's own */
    struct engine *e;
    struct uuid accounts[16];
};
extern struct world world;

/* The servers, once a program. jobs: what the engine knows. */
void world_open(const struct job_list *list);
int world_close(void **state); /* ends a group */
/* Empty tables but for n accounts (active), a table `probe` (account_id, id, value) for jobs to work on, and a new engine
 * at `now`. The jobs of world.app.jobs are declared. */
void world_fresh(size_t n_accounts, const char *now);
void world_now(const char *now);
void world_pass(int64_t seconds);
/* A tick, then work until there is none; ERR_OK or the test fails. */
void world_work(void);
void world_tick(void);
bool world_work_once(void);
/* One number, or text, from the database. */
int64_t world_int(const char *sql);
const char *world_text(const char *sql);
/* What the thread's connection has read from indexes so far. */
int64_t world_rows_read(void);
void world_sql(const char *sql);
/* Forgets the failure and the arena of the thread. */
void world_calm(void);

#endif
