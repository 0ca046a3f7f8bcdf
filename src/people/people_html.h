/* The tables of pages of people, agents and teams, each ended by a row without path; and the parts of models that name them. */
#ifndef LOCI_PEOPLE_HTML_H
#define LOCI_PEOPLE_HTML_H

#include "audit.h"
#include "grant.h"
#include "json.h"
#include "page.h"
#include "page_call.h"
#include "role.h"
#include "token.h"

extern const struct page_row tokens_pages[];
extern const struct page_row users_pages[];
extern const struct page_row agents_pages[];
extern const struct page_row teams_pages[];

/* Roles of that kind which the caller may give; chosen is selected. */
err role_options(struct ctx *c, enum role_kind kind, const char *chosen, struct json **out);

/* "active", "expired" or "revoked". */
const char *token_state(const struct ctx *c, const struct token *t);
/* The same as a badge, and is_live. */
void put_token_state(struct ctx *c, struct json *row, const struct token *t);
/* "tokens": a page of them with their states. */
void put_tokens(struct ctx *c, struct json *m, const struct page *page);

/* "sessions": list of {id, is_current, ip, browser, created_at, seen_at, ends_at}, and has_others. */
err put_sessions(struct ctx *c, struct json *m, struct uuid user_id);

/* Names of the account's people and agents (the newest hundred of each), for ids in lists. */
struct names;
err names_load(struct ctx *c, struct names **out);
/* NULL: not among them. */
const char *names_find(const struct names *n, struct uuid id);
/* Adds a choice for each of them to a select; false: none of them was the chosen one. */
bool names_choices(struct ctx *c, const struct names *n, struct json *list, const char *chosen);
/* Who did it: the name, or what is known of it. */
const char *actor_name(struct ctx *c, const struct names *n, const struct audit_event *e);

/* Adds {name, href} of a user or agent as `field`, for the partial "who"; null for nil, but for the kind system. kind: "user", "agent" or
 * "system"; NULL: whichever has the id. */
void put_who(struct ctx *c, struct json *obj, const char *field, const struct names *names, const char *kind, struct uuid id);

/* Of a page of teams; NULL: not among them. */
const char *team_name(const struct page *teams, struct uuid id);
/* grantee_name and grantee_href of a grant; teams: a page of them. */
void put_grantee(struct ctx *c, struct json *row, const struct grant *g, const struct names *names, const struct page *teams);

#endif
