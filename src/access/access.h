/* The access gate: which spaces a principal may read, write or manage, compiled once per request. */
#ifndef LOCI_ACCESS_H
#define LOCI_ACCESS_H

#include <stdbool.h>
#include <stddef.h>

#include "ctx.h"
#include "list.h"
#include "principal.h"

#define ACCESS_LEVEL(X) X(ACCESS_NONE, "none") X(ACCESS_READ, "read") X(ACCESS_WRITE, "write") X(ACCESS_MANAGE, "manage")
ENUMX_DECLARE(access_level, ACCESS_LEVEL);

struct space_access {
    struct uuid space_id;
    enum access_level level;
    bool archived;
    int kind;               /* enum space_kind; -1: not known, of one that this request made */
    struct uuid section_of; /* the space that it is a part of; nil: it is none */
};

/* Sorted by space id; readable is the same ids alone, for statements (sql_add_in_uuids). Archived spaces are readable
 * and manageable, never writable. Expired and deleted spaces are not in it. */
struct access {
    struct space_access *spaces;
    struct uuid *readable;
    size_t n;
    struct uuid own; /* an agent's own namespace; nil for everybody else */
};

enum access_level access_level(const struct access *a, struct uuid space_id);
/* -1: not known. */
int access_space_kind(const struct access *a, struct uuid space_id);
bool access_may_read(const struct ctx *c, struct uuid space_id);
bool access_may_write(const struct ctx *c, struct uuid space_id);
bool access_may_manage(const struct ctx *c, struct uuid space_id);

/* All that the caller may read, for statements (sql_add_in_uuids); or that one alone, if access_require lets it be read (nil: all). */
struct uuids access_spaces(const struct ctx *c);
err access_spaces_in(struct ctx *c, struct uuid wanted, struct uuids *out);
/* Those of a kind, and those that this request made, whose kind is not known. */
struct uuids access_spaces_of(struct ctx *c, int kind);

/* The gate's question about one space: ERR_NOT_FOUND when it may not even be read (as for one that does not exist),
 * ERR_FORBIDDEN when it may be read but not what is asked. */
err access_require(struct ctx *c, struct uuid space_id, enum access_level level);

/* The roles that the caller has: an agent's work roles, then the role of its credential. Never from what a request says. */
err access_roles(struct ctx *c, struct strs *out);

/* ERR_FORBIDDEN, written to the audit trail, unless the principal has the permission. */
err access_permit(struct ctx *c, enum permission p);

/* Identifies the caller by bearer token: fills who, account_id and access; takes one request from its rate bucket. A set
 * that is cached is used without any round trip while nothing is heard of a change (struct app.feed) and its
 * lease of the bucket lasts, else after one to Redis; MariaDB is read when it is not cached, or when Redis is away. */
struct rate_state {
    bool known; /* false: Redis away, nothing was counted */
    int limit, remaining, reset_s;
};
err access_by_token(struct ctx *c, const char *token, struct rate_state *rate);
/* The same for one who was let in before and listens since: nothing is taken from the bucket. */
err access_again_by_token(struct ctx *c, const char *token);
/* Another number whenever somebody's access may have changed; 0: nobody can tell. */
struct app;
uint64_t access_moment(const struct app *app);
/* access_by_token for a browser session's cookie value. */
err access_by_session(struct ctx *c, const char *cookie, struct rate_state *rate);
/* For what is done in somebody's name while he is away: with what that person may do and read now. ERR_NOT_FOUND: there is no
 * such person any more, or he is disabled. */
err access_as_user(struct ctx *c, struct uuid account_id, struct uuid user_id);
/* The same of an agent. */
err access_as_agent(struct ctx *c, struct uuid account_id, struct uuid agent_id);
/* For jobs and locictl: all permissions, all spaces of the account; name is the audit's actor, such as "job:retention". */
err access_as_system(struct ctx *c, struct uuid account_id, const char *name);

/* Every transaction that changes users, agents, teams, roles, tokens, spaces or grants calls this once, inside the
 * transaction: cached access sets of the account end with it, on every host. */
err access_changed(struct ctx *c);

#define ACCESS_STAMP 17 /* 16 hex digits of a hash of the password hash, and a NUL */
/* Hash of a password hash, which sessions carry: they end when it changes. */
void access_stamp(const char *password_hash, char out[ACCESS_STAMP]);

/* The process-wide cache of compiled sets (struct app.access_cache). */
struct access_cache;
struct access_cache *access_cache_new(size_t max_entries);
void access_cache_free(struct access_cache *cache);
/* For struct app.hearers. */
extern const struct change_hearer access_cache_hearer;

#endif
