/* What tests of the five words share: a fresh account with people and agents, and a way to act as each of them. */
#ifndef LOCI_TESTS_GRAPHTEST_H
#define LOCI_TESTS_GRAPHTEST_H

#include "dbtest.h"

#include "access.h"
#include "app.h"
#include "json.h"
#include "page.h"
#include "uuid.h"

enum actor { OWNER, EDITOR, ALICE, BOB, STRANGER, ACTORS };
/* OWNER and EDITOR are people, ALICE and BOB agents of the same account; STRANGER is an agent of another one. */

struct cast {
    struct uuid account_id[ACTORS], id[ACTORS];
    struct uuid own_space[ACTORS]; /* agents: their namespace */
    char token[ACTORS][80];
};
extern struct cast cast;
extern struct app test_app;

/* A group begins with a fresh schema and the cast above. */
int graph_group_begins(void **state);
int graph_group_ends(void **state);

/* Begins a new request of that actor, by token, with the access set as it is now. */
void act(enum actor who);
/* A day, or n of them, later; for the next act() and all after it. */
void days_pass(int n);
/* For a test whose steps must lie in one UTC day: where midnight is near, it begins after it. */
void within_day(void);

/* The call must fail with that code; the failure is forgiven. Returns the pointer of the first field at fault, or "". */
#define FAILS(call, code) test_fails((call), (code), #call, __FILE__, __LINE__)
const char *test_fails(err e, err code, const char *what, const char *file, int line);

struct json *test_json(const char *text);

#endif
