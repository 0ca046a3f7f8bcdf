/* Policies: read, made and changed by whoever has the role for it; see policy.h. */
#include "policy.h"

#include <string.h>

#include "access.h"
#include "audit.h"
#include "db.h"
#include "domain.h"
#include "edge.h"
#include "fact_read.h"
#include "inert.h"
#include "limit.h"
#include "match.h"
#include "node.h"
#include "policy_store.h"
#include "sanitize_direct.h"
#include "space.h"
#include "thing.h"

#define COL_IN_NODE (COL_CREATE | COL_PATCH | COL_SHOW | COL_AUDIT)
#define LIVE_SOURCES \
    "FROM edge e JOIN node x ON x.account_id = e.account_id AND x.id = e.target_id WHERE e.account_id = p.account_id AND " \
    "e.source_id = p.id AND e.relation = 'DERIVED_FROM' AND e.retired_at IS NULL"
#define SUGGESTIONS 50
#define SUPERSEDED "superseded"

static const struct field POLICY_COLUMNS[] = {
    F_ID(struct policy, "id of the policy, and of its node"),
    F_UUID(struct policy, space_id, COL_READ, "space of its domain"),
    F_STR(struct policy, domain, COL_CREATE | COL_SHOW | FIELD_REQUIRED | FIELD_SLUG, 1, DOMAIN_NAME, "name of its memory domain",
          .sql = "s.slug", .label = "Domain"),
    F_STR(struct policy, rule, COL_CREATE | COL_PATCH | COL_SHOW | FIELD_REQUIRED, 1, POLICY_RULE, "what is to be done, or not to be done",
          .sql = "n.body", .label = "Rule"),
    F_UUIDS(struct policy, source_fact_ids, COL_CREATE | COL_PATCH | COL_SHOW, POLICY_SOURCES, "facts that it was derived from",
            .sql = "(SELECT COALESCE(JSON_ARRAYAGG(e.target_id), '[]') " LIVE_SOURCES ")"),
    F_STR(struct policy, required_role, COL_OPEN | FIELD_NULLABLE | FIELD_SLUG, 1, 64, "role that a writer needs besides write access",
          .label = "Required role"),
    F_BOOL(struct policy, active, COL_OPEN, true, "is told to agents", .label = "Active"),
    F_BOOL(struct policy, always, COL_OPEN, false, "is told whatever the task is", .label = "Told whatever the task is"),
    F_INT(struct policy, priority, COL_OPEN, 0, 100, 50, "0 to 100; higher ones come first", .label = "Priority"),
    F_OBJECT(struct policy, applies, COL_OPEN | FIELD_NULLABLE, 4096, "{roles, agents, keywords}, lists of texts; null: to everything"),
    F_INT(struct policy, source_count, COL_ROW, 0, POLICY_SOURCES, 0, "facts that it had when it was written"),
    F_BOOL(struct policy, stale_source, COL_SHOW, false, "one of its facts no longer holds; to be reviewed",
           .sql = "p.source_count > (SELECT COUNT(*) " LIVE_SOURCES " AND x.status = 'active' AND x.forgotten_at IS NULL)"),
    F_STRS(struct policy, flags, COL_READ | COL_AUDIT, 16, "what a reviewer should look at"),
    F_STR(struct policy, status, COL_SHOW, 0, 16, "active or superseded", .sql = "n.status"),
    F_UUID(struct policy, superseded_by, COL_SHOW | FIELD_NULLABLE, "policy that took its place", .sql = "n.superseded_by"),
    F_UUID(struct policy, author_id, COL_SHOW, "who wrote it", .sql = "n.author_id"),
    F_VERSION(struct policy),
    F_TIMES(struct policy),
    F_END
};
const struct thing POLICY = THING("policy", POLICY_COLUMNS, struct policy, .schema = "Policy", .alias = "p",
    .from = "policy p JOIN node n ON n.account_id = p.account_id AND n.id = p.id JOIN space s ON s.account_id = p.account_id AND "
            "s.id = p.space_id");

/* ---- reading */

err policy_get(struct ctx *c, struct uuid id, struct policy *out)
{
    bool found;

    TRY(policy_store_get(c, id, &found, out));
    return found && access_may_read(c, out->space_id) ? ERR_OK : fail(c, ERR_NOT_FOUND, "no such policy");
}

err policy_list(struct ctx *c, const struct policy_filter *f, struct page *out)
{
    struct uuids spaces = access_spaces(c);
    struct domain d;
    struct uuid before;

    TRY(page_begin(c, f->cursor, &before));
    if (f->domain) {
        TRY(domain_get(c, f->domain, &d));
        spaces = (struct uuids){arena_memdup(c->arena, &d.id, sizeof d.id), 1};
    }
    return policy_store_list(c, f, spaces, before, out);
}

err policy_suggest(struct ctx *c, struct policy_suggestions *out)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, c->access->n + 1);
    size_t n = 0;

    for (size_t i = 0; i < c->access->n; i++)
        if (c->access->spaces[i].kind == SPACE_DOMAIN)
            ids[n++] = c->access->spaces[i].space_id;
    return policy_store_suggestions(c, (struct uuids){ids, n}, SUGGESTIONS, &out->suggestions);
}

/* ---- who may write */

static bool policy_has_role(const struct strs *roles, const char *role)
{
    for (size_t i = 0; i < roles->n; i++)
        if (str_eq(roles->v[i], role))
            return true;
    return false;
}

static err policy_check_role(struct ctx *c, const struct policy *p)
{
    struct strs roles;

    if (!p->required_role || permissions_have(c->who->perms, PERM_POLICY_MANAGE))
        return ERR_OK;
    TRY(access_roles(c, &roles));
    if (policy_has_role(&roles, p->required_role))
        return ERR_OK;
    audit_refusal(c, "access.refuse", "policy", p->id, p->required_role);
    return fail_reason(c, ERR_FORBIDDEN, "insufficient_memory_permission", "the policy requires the role %s", p->required_role);
}

/* ---- what it says */

static err policy_check_applies(struct ctx *c, const struct json *applies)
{
    static const char *const MEMBERS[] = {"roles", "agents", "keywords"};

    for (const struct json *m = applies ? json_opened(c->arena, applies)->first : NULL; m; m = m->next) {
        bool known = json_is(m, JSON_ARR);

        for (size_t i = 0; known && i < 3; i++)
            if (str_eq(m->key, MEMBERS[i]))
                goto next;
        return fail_field(c, "/applies", "applies is {roles, agents, keywords}, each a list of texts");
    next:
        for (const struct json *v = m->first; v; v = v->next)
            if (!json_is(v, JSON_STR))
                return fail_field(c, "/applies", "applies is {roles, agents, keywords}, each a list of texts");
    }
    return ERR_OK;
}

static err policy_clean(struct ctx *c, struct policy *p)
{
    TRY(sanitize_direct(c, p->rule, &p->rule, &p->flags));
    return policy_check_applies(c, p->applies);
}

static const char *policy_title(struct ctx *c, const char *rule)
{
    return text_cut(c->arena, rule, 80, true);
}

/* The facts become its ground, in the place of those before. */
static err policy_join(struct ctx *c, struct policy *p, struct uuids facts)
{
    struct edge_new *e = ARENA_ARRAY(c->arena, struct edge_new, facts.n + 1);
    struct fact f;
    size_t n = 0;

    TRY(edge_retire_of(c, p->id, "DERIVED_FROM"));
    for (size_t i = 0; i < facts.n; i++) {
        bool twice = false;

        for (size_t k = 0; k < i; k++)
            twice |= uuid_eq(facts.v[k], facts.v[i]);
        if (twice)
            continue;
        TRY(fact_get(c, facts.v[i], &f));
        e[n++] = (struct edge_new){EDGE_NEW_DEFAULTS, .source_id = p->id, .target_id = f.id, .relation = "DERIVED_FROM"};
    }
    p->source_count = (int64_t)n;
    return edge_record(c, e, n, p->space_id);
}

/* ---- making */

static err policy_make(struct ctx *c, const struct policy *in, struct policy *out)
{
    struct policy p = *in;
    struct node node;
    int64_t n;

    TRY(access_require(c, p.space_id, ACCESS_WRITE));
    TRY(policy_check_role(c, &p));
    TRY(policy_store_count(c, p.space_id, &n));
    if (n >= POLICIES_OF_DOMAIN)
        return fail_reason(c, ERR_CONFLICT, "quota_exceeded", "a domain can have at most %d policies", POLICIES_OF_DOMAIN);
    TRY(thing_begin(c, &POLICY, &p));
    TRY(policy_clean(c, &p));
    TRY(node_create(c, &(struct node_new){NODE_NEW_DEFAULTS, .id = p.id, .space_id = p.space_id, .kind = "policy", .by_room = true,
                                          .title = policy_title(c, p.rule), .body = p.rule}, &node));
    TRY(policy_join(c, &p, in->source_fact_ids));
    TRY(thing_insert(c, &POLICY, &p));
    return policy_get(c, p.id, out);
}

static err policy_create_tx(struct ctx *c, const struct policy *in, struct policy *out)
{
    struct policy p = *in;

    TRY(domain_to_write(c, in->domain, &p.space_id));
    return policy_make(c, &p, out);
}
DB_TX(policy_create, struct policy, struct policy)

static err policy_derive_tx(struct ctx *c, const struct policy_derivation *in, struct policy *out)
{
    struct policy p = {.rule = in->rule, .required_role = in->required_role, .always = in->always, .priority = in->priority,
                       .active = true, .source_fact_ids = in->fact_ids};
    struct fact f;

    for (size_t i = 0; i < in->fact_ids.n; i++) {
        TRY(fact_get(c, in->fact_ids.v[i], &f));
        if (!f.domain || (i && !str_eq(f.domain, p.domain)))
            return fail_field(c, "/fact_ids", "the facts must be of one memory domain");
        p.domain = f.domain;
        p.space_id = f.space_id;
    }
    return policy_make(c, &p, out);
}
DB_TX(policy_derive, struct policy_derivation, struct policy)

/* ---- changing */

static err policy_take(struct ctx *c, struct uuid id, int64_t if_version, struct policy *out)
{
    bool found;

    TRY(policy_get(c, id, out));
    TRY(access_require(c, out->space_id, ACCESS_WRITE));
    TRY(policy_check_role(c, out));
    TRY(policy_store_lock(c, id, &found, out));
    if (!found)
        return fail(c, ERR_NOT_FOUND, "no such policy");
    return match_version(c, if_version, out->version);
}

static err policy_update_tx(struct ctx *c, const struct policy_change *ch, struct policy *out)
{
    struct policy was, p;
    struct node node;

    TRY(policy_take(c, ch->to.id, ch->change.if_version, &was));
    if (str_eq(was.status, SUPERSEDED))
        return fail_reason(c, ERR_CONFLICT, "policy_state", "the policy is superseded");
    p = was;
    TRY(thing_apply(c, &POLICY, ch, &p));
    TRY(policy_check_role(c, &p));
    TRY(policy_clean(c, &p));
    if (changes(ch, source_fact_ids))
        TRY(policy_join(c, &p, ch->to.source_fact_ids));
    TRY(thing_save(c, &POLICY, &ch->change, &was, &p));
    if (!str_eq(p.rule, was.rule))
        TRY(node_update(c, p.id, &(struct node_patch){.set = NODE_SET_TITLE | NODE_SET_BODY, .title = policy_title(c, p.rule),
                                                      .body = p.rule}, &node));
    return policy_get(c, p.id, out);
}
DB_TX(policy_update, struct policy_change, struct policy)

/* Does the way from there lead back? */
static err policy_check_circle(struct ctx *c, struct uuid from, struct uuid to)
{
    struct policy p;

    for (int i = 0; i < 64 && !uuid_is_nil(from); i++) {
        if (uuid_eq(from, to))
            return fail(c, ERR_CONFLICT, "a policy cannot be superseded by itself or by what it supersedes");
        TRY(policy_get(c, from, &p));
        from = p.superseded_by;
    }
    return ERR_OK;
}

static err policy_successor(struct ctx *c, const struct policy_superseding *in, const struct policy *old, struct policy *by)
{
    struct policy p = *old;

    if (!uuid_is_nil(in->by)) {
        TRY(policy_check_circle(c, in->by, old->id));
        return policy_take(c, in->by, 0, by);
    }
    if (!in->rule)
        return fail_field(c, "/by", "give by or rule");
    p.id = (struct uuid){{0}};
    p.rule = in->rule;
    p.active = true;
    return policy_make(c, &p, by);
}

static err policy_supersede_tx(struct ctx *c, const struct policy_superseding *in, struct policy *out)
{
    struct edge_new e = {EDGE_NEW_DEFAULTS, .source_id = in->id, .relation = "SUPERSEDED_BY"};
    struct json *m = json_obj(c->arena);
    struct policy was, by, p;
    struct node node;

    TRY(policy_take(c, in->id, 0, &was));
    if (str_eq(was.status, SUPERSEDED))
        return fail_reason(c, ERR_CONFLICT, "policy_state", "the policy is superseded already");
    TRY(policy_successor(c, in, &was, &by));
    p = was;
    p.active = false;
    TRY(thing_save(c, &POLICY, &(struct thing_change){.verb = "supersede"}, &was, &p));
    TRY(node_update(c, in->id, &(struct node_patch){.set = NODE_SET_STATUS | NODE_SET_SUPERSEDED, .status = SUPERSEDED,
                                                    .superseded_by = by.id}, &node));
    json_set_str(c->arena, m, "reason", "manual");
    json_set_str(c->arena, m, "why", in->reason);
    e.target_id = by.id;
    e.metadata = m;
    TRY(edge_record(c, &e, 1, was.space_id));
    return policy_get(c, in->id, out);
}
DB_TX(policy_supersede, struct policy_superseding, struct policy)

/* ---- in force */

static bool policy_names(const struct json *list, const struct strs *words)
{
    for (const struct json *v = list ? list->first : NULL; v; v = v->next)
        if (policy_has_role(words, v->s))
            return true;
    return false;
}

static bool policy_is_about(struct ctx *c, const struct json *keywords, const char *text)
{
    for (const struct json *v = keywords->first; v; v = v->next)
        if (strcasestr(text ? text : "", v->s))
            return true;
    (void)c;
    return false;
}

static bool policy_applies(struct ctx *c, const struct policy *p, const struct strs *roles, const char *text)
{
    const struct json *a = p->applies ? json_opened(c->arena, p->applies) : NULL;
    const char *id = arena_strdup(c->arena, UUID_STR(c->who->id));
    const struct json *of_roles = a ? json_get(a, "roles") : NULL, *agents = a ? json_get(a, "agents") : NULL;
    const struct json *keywords = a ? json_get(a, "keywords") : NULL;

    if (of_roles && of_roles->first && !policy_names(of_roles, roles))
        return false;
    if (agents && agents->first && !policy_names(agents, &(struct strs){&id, 1}))
        return false;
    return p->always || !keywords || !keywords->first || policy_is_about(c, keywords, text);
}

err policy_in_force(struct ctx *c, const char *text, size_t max, struct list *out)
{
    struct strs roles;
    struct policy *v;
    struct list all;

    TRY(access_roles(c, &roles));
    TRY(policy_store_active(c, access_spaces(c), POLICIES_OF_DOMAIN, &all));
    v = all.v;
    *out = (struct list){v, 0};
    for (size_t i = 0; i < all.n && out->n < max; i++)
        if (policy_applies(c, &v[i], &roles, text))
            v[out->n++] = v[i];
    return ERR_OK;
}
