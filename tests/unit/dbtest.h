/* What tests of the stores share: cmocka, one request to work with, and short ways to ask the database. */
#ifndef LOCI_TESTS_DBTEST_H
#define LOCI_TESTS_DBTEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#undef fail /* err.h has one of its own */

#include "db.h"
#include "stack.h"

/* Ends the test with a sentence. */
#define BROKEN(...) (print_error(__VA_ARGS__), print_error("\n"), _fail(__FILE__, __LINE__))

extern struct config *test_conf;
extern struct ctx test; /* begun anew for each test */

#define OK(call) test_ok(&test, (call), #call, __FILE__, __LINE__)
void test_ok(const struct ctx *c, err e, const char *what, const char *file, int line);

void test_sql(const char *sql);       /* must succeed */
int64_t test_number(const char *sql); /* first column of its first row */
char *test_text_of(size_t n);         /* n letters, in the request's arena */

/* Group: a stack of its own and an empty schema. Test: a new request with 30 seconds. */
int test_group_begins(void **state);
int test_group_ends(void **state);
int test_begins(void **state);
/* A group with a second connection, test_other, to disturb the first one with. */
extern struct ctx test_other;
int test_pair_begins(void **state);
int test_pair_ends(void **state);

#define CASE(f) cmocka_unit_test_setup(f, test_begins)

#endif
