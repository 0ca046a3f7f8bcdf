/* A MariaDB and a Redis of its own for the tests of one program, so that programs can run beside each other. */
#ifndef LOCI_TESTS_STACK_H
#define LOCI_TESTS_STACK_H

#include "config.h"
#include "ctx.h"

/* Starts them; ends the program with 77 (skipped) where the servers are not installed.
 * Everything ends with the program, however it ends. The settings last as long as it. */
struct config *stack_start(void);
/* A folder of this program's own, removed at its end. */
const char *stack_folder(void);

/* A request on a connection of its own; deadline_s 0: none. */
void stack_ctx(struct ctx *c, const struct config *conf, int deadline_s);
void stack_ctx_done(struct ctx *c);
/* An empty database … */
void stack_empty_schema(struct ctx *c);
/* … and one with all migrations applied. */
void stack_fresh_schema(struct ctx *c);

/* SIGKILL, or SIGSTOP and the like; and start again. */
void stack_db_signal(int sig);
void stack_db_again(void);
/* The same on a TCP port of 127.0.0.1 too; cert, key: with TLS; ca: client certificates that it takes. Each may be NULL. */
void stack_db_again_on(int port, const char *cert, const char *key, const char *ca);
/* Another MariaDB beside the first, with nothing in it; its socket. */
const char *stack_second_begin(void);
void stack_second_again(void);
void stack_second_signal(int sig);
/* Starts a program that ends with this one, or by stack_end. */
int stack_spawn(const char *const *argv);
void stack_end(int *pid, int sig);
/* Runs a program to its end; its exit code. */
int stack_run(const char *const *argv);
void stack_kv_signal(int sig);
void stack_kv_again(void);

#endif
