/* Spaces: the containers with an access list that every node lives in. */
#ifndef LOCI_SPACE_H
#define LOCI_SPACE_H

#include <stdbool.h>
#include <stdint.h>

#include "access.h"
#include "ctx.h"
#include "enumx.h"
#include "json.h"
#include "page.h"
#include "thing_table.h"

#define SPACE_KIND(X) \
    X(SPACE_NAMESPACE, "namespace") X(SPACE_CONTEXT, "context") X(SPACE_KNOWLEDGE_BASE, "knowledge_base") \
    X(SPACE_DOMAIN, "domain") X(SPACE_POOL, "pool") X(SPACE_PAGES, "pages") X(SPACE_SKILLS, "skills") \
    X(SPACE_TAXONOMY, "taxonomy")
ENUMX_DECLARE(space_kind, SPACE_KIND);

#define SPACE_STATUS(X) X(SPACE_ACTIVE, "active") X(SPACE_ARCHIVED, "archived")
ENUMX_DECLARE(space_status, SPACE_STATUS);

#define SPACE_RESTORE_DAYS 30     /* a deleted or expired space can be brought back for this long, … */
#define SPACE_RESTORE_DAYS_POOL 7 /* … a pool for this long */
int space_restore_days(enum space_kind kind);

struct space {
    struct uuid id;
    enum space_kind kind;
    const char *slug, *name, *description; /* slug NULL when it is made: from the id */
    struct uuid parent_id, owner_agent_id, team_id;
    const struct json *settings;
    enum space_status status;
    int64_t version;
    struct instant created_at, updated_at, archived_at, expires_at, deleted_at;
    bool is_section;          /* part of its parent: there while that is, and managed by who manages that; only rooms make one */
    enum access_level access; /* what the caller may do here */
};
extern const struct thing SPACE;

struct space_change {
    struct thing_change change;
    struct space to; /* settings are merged: RFC 7396 */
    bool by_room;    /* its room changes it: it has asked for its permission, keeps the log and its own rows */
};

struct space_filter {
    int kind, status; /* an enum's value, or -1: any */
    bool deleted;     /* instead of those that can be read, those that the caller may bring back */
    const char *q;    /* part of name or slug */
    int64_t limit;
    const char *cursor;
};

/* What callers may do; each asks the gate itself, and the room of the kind (space_room.h). An agent owns what it makes, a person gets a grant to manage it.
 * Namespaces are not made here: they come with their account, agent or team. */
err space_create(struct ctx *c, const struct space *in, struct space *out);
err space_get(struct ctx *c, struct uuid id, struct space *out);
err space_list(struct ctx *c, const struct space_filter *f, struct page *out);
/* Spaces whose time is over, of those that the caller owns, or could manage. */
err space_expired(struct ctx *c, struct uuids *out);
err space_update(struct ctx *c, const struct space_change *ch, struct space *out);
err space_archive(struct ctx *c, struct uuid id, int64_t if_version, struct space *out);
err space_unarchive(struct ctx *c, struct uuid id, int64_t if_version, struct space *out);
/* Also one that has expired. */
err space_delete(struct ctx *c, struct uuid id, int64_t if_version);
/* Deleted or expired; whoever could manage it then, or holds memory.manage. */
err space_restore(struct ctx *c, struct uuid id, struct space *out);

/* The space by kind and slug, readable ones only; ERR_NOT_FOUND. One that was made a moment ago, by somebody else who needed
 * it as well, is found, too: the access set of the request is older than it. */
err space_by_slug(struct ctx *c, enum space_kind kind, const char *slug, struct space *out);
/* Says truly why a space that Loci makes for its owner is not there: deleted, expired, or its slug belongs to another. */
err space_why_missing(struct ctx *c, const char *what, enum space_kind kind, const char *slug, struct uuid owner_agent_id);
/* The one of that slug that is deleted or expired, past the gate; ERR_NOT_FOUND. */
err space_gone_by_slug(struct ctx *c, enum space_kind kind, const char *slug, struct uuid *id);
/* In the caller's transaction, past the gate: a deleted or expired space that holds the slug gets another one. */
err space_free_slug(struct ctx *c, enum space_kind kind, const char *slug);
/* The namespace `agent:<id>` of the calling agent; ERR_INVALID naming /space_id for anyone else: people name a space. */
err space_own(struct ctx *c, struct uuid *id);
/* The namespace of that agent, past the gate; nil: there is none. */
err space_of_agent(struct ctx *c, struct uuid agent_id, struct uuid *id);

/* For the services that bring namespaces with them; they do not ask the gate and join the caller's transaction.
 * `global`: everyone reads, owners and admins manage. `system`: nobody. agent: the agent owns it. team: the team writes.
 * Each writes its audit event and calls access_changed. */
err space_make_account_namespaces(struct ctx *c, struct uuid account_id);
err space_make_agent_namespace(struct ctx *c, struct uuid agent_id, const char *agent_name);
err space_make_team_namespace(struct ctx *c, struct uuid team_id, const char *team_slug, const char *team_name);
/* Any other space without the gate, in the caller's transaction. *id is made when nil. No grants, no audit. */
err space_make(struct ctx *c, const struct space *in, struct uuid *id);
/* … and it joins the access set of the request that made it. */
void space_widen(struct ctx *c, struct uuid id, enum access_level level);
/* The row with its grants for good, past the gate and inside the caller's transaction, when what was in it is gone: for jobs. */
err space_purge(struct ctx *c, struct uuid id);

#endif
