/* What tests of services share: a process (struct app), a schema, an account with people and agents, and ways to be one
 * of them. */
#ifndef LOCI_TESTS_HOUSE_H
#define LOCI_TESTS_HOUSE_H

/* First: it takes cmocka's `fail` away, err.h brings ours. */
#include "dbtest.h"

#include "access.h"
#include "account.h"
#include "agent.h"
#include "app.h"
#include "grant.h"
#include "role.h"
#include "space.h"
#include "team.h"
#include "token.h"
#include "user.h"

#define OWNER_EMAIL "owner@one.example"
#define PASSWORD "correct horse battery"

/* Ids of what the group begins with: account `one` with an owner, and account `two` with one, too. */
extern struct account house_one, house_two;
extern struct app house_app;
/* Another process that serves the same account: its own cache and connections. */
extern struct app house_other_app;
extern struct ctx other;

int house_begins(void **state); /* group */
int house_ends(void **state);
int house_test_begins(void **state); /* test: `test` is the system of account one */

#define HOUSE_CASE(f) cmocka_unit_test_setup(f, house_test_begins)

/* A new request of ctx: nobody yet. */
void house_request(struct ctx *c);
void house_be_system(struct ctx *c, const struct account *a);

/* Made by the system of account one. Names need not be unique over tests: a number is added. */
struct user house_user(const char *role);
struct agent house_agent(const char *role);
const char *house_token(struct uuid user_id, struct uuid agent_id, struct strs scopes);
const char *house_agent_token(struct uuid agent_id);
const char *house_user_token(struct uuid user_id);
struct space house_space(const char *slug); /* a context that only its maker manages */
void house_grant(struct uuid space, enum grantee_kind kind, const char *id, enum access_level level);

/* Comes with this token; the answer of the gate. */
err house_come(struct ctx *c, const char *token);
/* The same, where it must work. */
void house_be(struct ctx *c, const char *token);

/* What the counter of that name says; 0 when it never counted. */
double house_counted(const struct app *app, const char *metric);

#define STRS(...) ((struct strs){(const char *[]){__VA_ARGS__}, sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *)})

#define assert_err(call, code) assert_string_equal(err_info(call)->slug, err_info(code)->slug)

#endif
