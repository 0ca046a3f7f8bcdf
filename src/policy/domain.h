/* Memory domains: what a team knows of one field, with a grant for each role that may read or write it. */
#ifndef LOCI_DOMAIN_H
#define LOCI_DOMAIN_H

#include "access.h"
#include "ctx.h"
#include "list.h"
#include "page.h"
#include "thing_table.h"

#define DOMAIN_NAME 64

struct domain {
    struct uuid id; /* of its space */
    const char *name, *label, *description, *created_by_role;
    int64_t facts, policies; /* active ones */
    enum access_level access;
    int64_t version;
    struct instant created_at, updated_at;
};
extern const struct thing DOMAIN; /* read only: from several tables */
extern const struct field DOMAIN_COLUMNS[];

struct domain_change {
    struct given given;
    const char *name, *label, *description;
    int64_t if_version;
};

/* "Pull Requests!" → "pull-requests"; "" where nothing is left. */
const char *domain_name_of(struct arena *a, const char *text);

err domain_list(struct ctx *c, const struct thing_page *in, struct page *out);
/* ERR_NOT_FOUND for one that the caller may not read, as for one that is not there. */
/* name: or the id of its space. */
err domain_get(struct ctx *c, const char *name, struct domain *out);
/* Writing is open to the role of its creator, and to nobody else. */
err domain_create(struct ctx *c, const struct domain *in, struct domain *out);
err domain_update(struct ctx *c, const struct domain_change *in, struct domain *out);
/* ERR_CONFLICT while facts or policies are in it. */
err domain_delete(struct ctx *c, const char *name);
/* The space of a domain, as who may write it; ERR_INVALID (unknown_domain) where the caller cannot even read it. */
err domain_to_write(struct ctx *c, const char *name, struct uuid *id);

/* What a role may do there: none, read or write. */
struct domain_grant {
    struct uuid workspace_id;
    const char *agent_role, *memory_domain;
    enum access_level permission;
};
/* Somebody who gets in by a grant that is no role's. */
struct domain_guest {
    const char *grantee_kind, *grantee_id;
    enum access_level level;
};
struct domain_grants {
    struct list grants, others; /* of struct domain_grant, struct domain_guest */
};
struct domain_granting {
    const char *name, *role;
    enum access_level permission;
    struct uuid workspace_id; /* nil: the caller's account, which it must be */
};
err domain_grants_get(struct ctx *c, const char *name, struct domain_grants *out);
err domain_grant_set(struct ctx *c, const struct domain_granting *in, struct domain_grant *out);

#endif
