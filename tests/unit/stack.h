/* A MariaDB and a Redis for the tests of one program: the ones of ./check, or its own. */
#ifndef LOCI_TESTS_STACK_H
#define LOCI_TESTS_STACK_H

#include "config.h"
#include "ctx.h"

enum stack_kind {
    STACK_ANY, /* those that LOCI_DB_SOCKET and LOCI_REDIS_SOCKET name, else its own */
    STACK_OWN  /* its own in any case: for tests that kill them */
};

/* Starts what is needed; ends the program with 77 (skipped) where the servers are not installed.
 * Everything ends with the program, however it ends. The settings last as long as it. */
struct config *stack_start(enum stack_kind kind);
/* A folder of this program's own, removed at its end. */
const char *stack_folder(void);

/* A request on a connection of its own; deadline_s 0: none. */
void stack_ctx(struct ctx *c, const struct config *conf, int deadline_s);
void stack_ctx_done(struct ctx *c);
/* An empty database … */
void stack_empty_schema(struct ctx *c);
/* … and one with all migrations applied. */
void stack_fresh_schema(struct ctx *c);

/* SIGKILL, or SIGSTOP and the like; and start again. Only with STACK_OWN. */
void stack_db_signal(int sig);
void stack_db_again(void);
void stack_kv_signal(int sig);
void stack_kv_again(void);

#endif
