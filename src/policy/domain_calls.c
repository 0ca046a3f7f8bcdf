/* Operations on memory domains and their grants. */
#include "domain.h"
#include "policy_calls.h"

#define TAG .tag = "policies"
#define DOMAINS "/api/v1/domains"

struct domain_key {
    const char *name;
};

static const struct field DOMAIN_KEY[] = {
    F_STR(struct domain_key, name, FIELD_REQUIRED | FIELD_SLUG, 1, DOMAIN_NAME, "name of the domain"),
    F_END
};

OP_CALL(DOMAIN_LIST, struct thing_page, struct page, domain_list(c, in, out),
        .name = "domain.list", .method = "GET", .path = DOMAINS, .tool = "list_memory_domains", TAG,
        .summary = "Lists the memory domains that the caller may read, newest first.", .perm = PERM_BELIEF_READ,
        .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST, OP_PAGE, OP_OUT(DOMAIN_COLUMNS, struct domain));

OP_CALL(DOMAIN_GET, struct domain_key, struct domain, domain_get(c, in->name, out),
        .name = "domain.get", .method = "GET", .path = DOMAINS "/:name", TAG, .summary = "Returns one memory domain.",
        .perm = PERM_BELIEF_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_ETAG, OP_IN(DOMAIN_KEY, struct domain_key),
        OP_OUT(DOMAIN_COLUMNS, struct domain));

static const struct field DOMAIN_MAKE[] = {
    F_STR(struct domain, name, FIELD_REQUIRED, 1, LIMIT_NAME, "name; it is put into lower case, with dashes"),
    F_STR(struct domain, label, FIELD_NULLABLE, 1, LIMIT_NAME, "display name; default: the name as given"),
    F_STR(struct domain, description, FIELD_NULLABLE, 0, LIMIT_DESCRIPTION, "what belongs into it"),
    F_END
};

OP_CALL(DOMAIN_CREATE, struct domain, struct domain, domain_create(c, in, out),
        .name = "domain.create", .method = "POST", .path = DOMAINS, TAG, .summary = "Creates a memory domain.",
        .help = "The role of its creator may write it, no other role may read it until it is granted.", .perm = PERM_POLICY_MANAGE,
        .flags = OP_CREATES | OP_ETAG, OP_IN(DOMAIN_MAKE, struct domain), OP_OUT(DOMAIN_COLUMNS, struct domain));

static const struct field DOMAIN_CHANGE_IN[] = {
    F_STR(struct domain_change, name, FIELD_REQUIRED | FIELD_SLUG, 1, DOMAIN_NAME, "name of the domain"),
    F_STR(struct domain_change, label, FIELD_UNSAID, 1, LIMIT_NAME, "display name"),
    F_STR(struct domain_change, description, FIELD_UNSAID | FIELD_NULLABLE, 0, LIMIT_DESCRIPTION, "what belongs into it"),
    F_INT(struct domain_change, if_version, FIELD_UNSAID, 0, 9e15, 0, "expected version; 0: any"),
    F_END
};

OP_CALL(DOMAIN_UPDATE, struct domain_change, struct domain, domain_update(c, in, out),
        .name = "domain.update", .method = "PATCH", .path = DOMAINS "/:name", TAG,
        .summary = "Changes label and description of a memory domain.", .perm = PERM_POLICY_MANAGE,
        .flags = OP_ETAG | OP_MATCH | OP_GIVEN, OP_IN(DOMAIN_CHANGE_IN, struct domain_change), OP_OUT(DOMAIN_COLUMNS, struct domain));

OP_CALL(DOMAIN_DELETE, struct domain_key, void, domain_delete(c, in->name),
        .name = "domain.delete", .method = "DELETE", .path = DOMAINS "/:name", TAG, .summary = "Deletes an empty memory domain.",
        .perm = PERM_POLICY_MANAGE, .flags = OP_DESTRUCTIVE | OP_NO_BODY, OP_IN(DOMAIN_KEY, struct domain_key));

/* ---- grants */

static const struct field DOMAIN_GRANT_OUT[] = {
    F_UUID(struct domain_grant, workspace_id, 0, "the account"),
    F_STR(struct domain_grant, agent_role, 0, 0, 64, "role"),
    F_STR(struct domain_grant, memory_domain, 0, 0, DOMAIN_NAME, "name of the domain"),
    F_ENUM(struct domain_grant, permission, 0, access_level, ACCESS_READ, "none, read or write"),
    F_END
};

static const struct field DOMAIN_GUEST_OUT[] = {
    F_STR(struct domain_guest, grantee_kind, 0, 0, 16, "user, agent, team or role"),
    F_STR(struct domain_guest, grantee_id, 0, 0, 64, "its id, or name of the role"),
    F_ENUM(struct domain_guest, level, 0, access_level, ACCESS_READ, "read, write or manage"),
    F_END
};

static const struct field DOMAIN_GRANTS_OUT[] = {
    F_LIST(struct domain_grants, grants, 0, 2000, DOMAIN_GRANT_OUT, struct domain_grant, "what roles may do"),
    F_LIST(struct domain_grants, others, 0, 2001, DOMAIN_GUEST_OUT, struct domain_guest, "who gets in besides"),
    F_END
};

OP_CALL(DOMAIN_GRANTS, struct domain_key, struct domain_grants, domain_grants_get(c, in->name, out),
        .name = "domain.grants", .method = "GET", .path = DOMAINS "/:name/grants", TAG,
        .summary = "Lists what roles may do in a memory domain, and who else gets in.", .perm = PERM_POLICY_MANAGE,
        .flags = OP_READONLY | OP_IDEMPOTENT, OP_IN(DOMAIN_KEY, struct domain_key), OP_OUT(DOMAIN_GRANTS_OUT, struct domain_grants));

static const struct field DOMAIN_GRANT_IN[] = {
    F_STR(struct domain_granting, name, FIELD_REQUIRED | FIELD_SLUG, 1, DOMAIN_NAME, "name of the domain"),
    F_STR(struct domain_granting, role, FIELD_REQUIRED | FIELD_SLUG, 1, 64, "a work role (coder, reviewer …) or a role"),
    F_ENUM(struct domain_granting, permission, FIELD_REQUIRED, access_level, ACCESS_READ, "none, read or write"),
    F_UUID(struct domain_granting, workspace_id, FIELD_NULLABLE, "the account; default: the caller's"),
    F_END
};

OP_CALL(DOMAIN_GRANT_SET, struct domain_granting, struct domain_grant, domain_grant_set(c, in, out),
        .name = "domain.grant", .method = "PUT", .path = DOMAINS "/:name/grants", TAG,
        .summary = "Sets what a role may do in a memory domain.", .help = "It holds from the next request on, on every path.",
        .perm = PERM_POLICY_MANAGE, .flags = OP_IDEMPOTENT, OP_IN(DOMAIN_GRANT_IN, struct domain_granting),
        OP_OUT(DOMAIN_GRANT_OUT, struct domain_grant));

const struct op *const domain_calls_table[] = {&DOMAIN_LIST, &DOMAIN_GET, &DOMAIN_CREATE, &DOMAIN_UPDATE, &DOMAIN_DELETE, &DOMAIN_GRANTS,
                                               &DOMAIN_GRANT_SET, NULL};
