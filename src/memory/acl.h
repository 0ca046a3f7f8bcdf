/* access_control as two families of clients write it: both shapes in, grants of the space inside, both shapes out. */
#ifndef LOCI_ACL_H
#define LOCI_ACL_H

#include "access.h"
#include "ctx.h"
#include "json.h"

#define ACL_IDS 500 /* in one list */

/* What `agents:[…]` and `public:true` give here: read, or write. */
struct acl_rules {
    enum access_level agents, everyone;
};

/* {read, write, agents, users: [ids], public_read, public: bool}; the highest level that one of them gives counts. Inside the
 * caller's transaction and past the gate: rows of agents, users and everyone that do not say so go or change. Rows that
 * manage stay, and so do those of teams and roles, those that expired, and higher levels than the shape can say. An unknown
 * member, or an id that is none of the account's: ERR_INVALID naming its place below /access_control. */
err acl_apply(struct ctx *c, struct uuid space_id, const struct acl_rules *r, const struct json *access_control);
/* The same as an object that acl_apply would change nothing by, and in words who has access. */
err acl_show(struct ctx *c, struct uuid space_id, const struct acl_rules *r, const struct json **out, const char **words);

#endif
