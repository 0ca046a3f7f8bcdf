/* Parts of models that several pages have in common: lights, filters, choices, names behind ids. */
#ifndef LOCI_PARTS_PAGE_H
#define LOCI_PARTS_PAGE_H

#include "audit.h"
#include "enumx.h"
#include "grant.h"
#include "health.h"
#include "json.h"
#include "page.h"
#include "page_call.h"
#include "role.h"
#include "thing_table.h"
#include "token.h"

/* Short forms for building a model; each adds a member to obj. */
void put_time(struct ctx *c, struct json *obj, const char *name, struct instant t);
void put_badge(struct ctx *c, struct json *obj, const char *kind, const char *text); /* as "status" */
void put_id(struct ctx *c, struct json *obj, const char *name, struct uuid id);      /* nil: null */
/* An empty list that is a member. */
struct json *put_list(struct ctx *c, struct json *obj, const char *name);
/* Adds an empty object to a list. */
struct json *add_row(struct ctx *c, struct json *list);

/* [{value, text, selected}]: all for any value, then the names. any NULL: no such choice. */
struct json *enum_choices(struct ctx *c, const struct enumx *e, const char *any, const char *chosen);
void add_choice(struct ctx *c, struct json *list, const char *value, const char *text, bool selected);
/* The value of a query as an enum's number, or -1: any, or none that exists. */
int query_enum(const struct page_call *p, const char *name, const struct enumx *e);
/* The value that a select shows: what was posted, else otherwise. */
const char *chosen(const struct page_call *p, const char *name, const char *otherwise);

/* Choices of how long something shall last, in days; "0" is for ever, in the words of never. */
void put_lifetimes(struct ctx *c, struct json *m, const char *name, const char *value, const char *never);
/* The moment such a choice means; 0: never. */
err form_lifetime(struct ctx *c, const struct page_call *p, const char *name, struct instant *out);

/* The version a form was made from, of its hidden field; 0: not said. */
int64_t form_version(const struct page_call *p);
/* Passes e on; a fault of the field at pointer becomes one of the form's field. */
err in_words_of(struct ctx *c, err e, const char *pointer, const char *form_pointer);

/* q and pager of a list page; the query's names go on in the pager's links. */
void put_listing(struct ctx *c, struct page_call *p, const char *path, const struct page *page);

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

/* The list of lights for the partial "health", from the parts; href: what is behind them, or NULL. */
struct json *health_lights(struct ctx *c, const struct health_part parts[HEALTH_PARTS], const char *href);

/* One more page for the partial "tabs", in the list `tabs`. */
void add_tab(struct ctx *c, struct json *list, const char *text, const char *href, bool current);
/* {label, used, most (texts), meter (0.000 to 1.000), percent} as `name`, for the
 * partial "meter"; text makes the texts, such as model_bytes. */
void put_quota(struct ctx *c, struct json *obj, const char *name, const char *label, int64_t used, int64_t most,
               const char *(*text)(struct arena *a, int64_t n));

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

/* ---- form_parts_page.c: things and their forms, by their columns */

/* What the columns show: ids, texts, lists of texts, counts, {iso, text, ago}, badges where the column has shades. Returns obj. */
struct json *put_thing(struct ctx *c, struct json *obj, const struct thing *t, const void *row);
/* The same of each row of a list, as `name`. */
void put_things(struct ctx *c, struct json *obj, const char *name, const struct thing *t, const struct page *page);
/* The fields of a form, for the partial "form_field": the columns of this use (COL_CREATE, COL_PATCH) that have a label, with what was posted, what row has
 * (NULL: the defaults) and what is wrong with it. */
struct json *put_form(struct ctx *c, struct page_call *p, const char *name, const struct thing *t, unsigned use, const void *row);
/* One of its fields; NULL: it has none of this name. */
struct json *form_field(struct json *form, const char *name);
/* The form does not have this field, although the table has one. */
void form_without(struct json *form, const char *name);
/* One of its fields is chosen from these options instead. */
void form_choices(struct ctx *c, struct json *form, const char *name, struct json *options);

/* ---- grant_parts_page.c: for the partial "grants" */

/* `grants` of the space and the choices of the form that adds one; at: the page, which posts below itself. For who manages it. */
err put_grants(struct ctx *c, struct page_call *p, struct uuid space, const char *at, const struct names *names, const struct page *teams);
/* What its forms do, for rows …/grants and …/grants/:grant_id/remove below the page, which is folder/<space>tab; the first param is the
 * space. */
err post_grant(struct ctx *c, struct page_call *p, const char *folder, const char *tab);
err post_ungrant(struct ctx *c, struct page_call *p, const char *folder, const char *tab);
/* All of a page about access: may_grant, access_words and the parts above. level: of the caller; govern: what granting needs; words: who has access, as a sentence. */
err put_access_page(struct ctx *c, struct page_call *p, struct uuid space, enum access_level level, enum permission govern,
                    const char *words, const char *at, const struct names *names);

#endif
