/* Accounts: made with their namespaces and first owner, changed, suspended. */
#include "account.h"

#include <string.h>

#include "access.h"
#include "account_store.h"
#include "audit.h"
#include "db.h"
#include "input_check.h"
#include "limit.h"
#include "match.h"
#include "role.h"
#include "space.h"

ENUMX_DEFINE(account_status, ACCOUNT_STATUS);

static struct json *account_json(struct arena *a, const struct account *acc)
{
    struct json *o = json_obj(a);

    json_set_str(a, o, "slug", acc->slug);
    json_set_str(a, o, "name", acc->name);
    json_set_str(a, o, "status", enumx_name(&account_status_enumx, (int)acc->status));
    json_set(a, o, "settings", json_raw(a, json_text(a, acc->settings))); /* a tree has one parent */
    return o;
}

static err account_note(struct ctx *c, const char *kind, const struct account *before, const struct account *after)
{
    TRY(audit_add(c, &(struct audit){.kind = kind, .subject_kind = "account", .subject_id = after->id,
                                     .before = before ? account_json(c->arena, before) : NULL,
                                     .after = account_json(c->arena, after)}));
    return access_changed(c);
}

/* ---- making */

struct making {
    struct account account;
    const char *actor;
    const struct user *owner;
};

static err account_create_body(struct ctx *c, void *arg)
{
    const struct making *m = arg;
    struct user owner;
    err e = account_store_insert(c, &m->account);

    if (e != ERR_OK && db_was_duplicate(c)) {
        ctx_forgive(c);
        return fail(c, ERR_CONFLICT, "account '%s' exists already", m->account.slug);
    }
    TRY(e);
    TRY(access_as_system(c, m->account.id, m->actor));
    TRY(account_note(c, "account.create", NULL, &m->account));
    TRY(space_make_account_namespaces(c, m->account.id));
    return m->owner ? user_create(c, m->owner, &owner) : ERR_OK;
}

err account_create(struct ctx *c, const char *slug, const char *name, const char *actor, const struct user *owner,
                   struct account *out)
{
    struct making m = {.account = {.slug = slug, .name = name, .settings = json_obj(c->arena), .version = 1,
                                   .created_at = c->now, .updated_at = c->now},
                       .actor = actor};
    struct user first;

    TRY(check_slug(c, "/slug", slug));
    TRY(check_name(c, "/name", name));
    if (owner) {
        first = *owner;
        first.role = ROLE_OWNER;
        m.owner = &first;
    }
    m.account.id = uuid_new(c->now.us);
    TRY(db_tx(c, account_create_body, &m));
    *out = m.account;
    return access_as_system(c, m.account.id, actor); /* now with the namespaces */
}

/* ---- reading */

static err found_or_not(struct ctx *c, bool found)
{
    return found ? ERR_OK : fail(c, ERR_NOT_FOUND, "no such account");
}

err account_by_slug(struct ctx *c, const char *slug, struct account *out)
{
    bool found = false;

    TRY(account_store_by_slug(c, slug, &found, out));
    return found_or_not(c, found);
}

err account_list(struct ctx *c, struct account **out, size_t *n)
{
    return account_store_list(c, out, n);
}

err account_get(struct ctx *c, struct account *out)
{
    bool found = false;

    TRY(account_store_get(c, c->account_id, &found, out));
    return found_or_not(c, found);
}

/* ---- changing */

struct change {
    const struct account_patch *patch;
    enum account_status status;
};

static err account_merge_settings(struct ctx *c, struct account *a, const struct json *patch)
{
    a->settings = json_merge_patch(c->arena, a->settings, patch);
    if (strlen(json_text(c->arena, a->settings)) > LIMIT_SETTINGS)
        return fail_field(c, "/settings", "settings must be at most %d bytes in total", LIMIT_SETTINGS);
    return ERR_OK;
}

static err account_update_body(struct ctx *c, void *arg)
{
    const struct change *ch = arg;
    const struct account_patch *p = ch->patch;
    struct account was, a;
    int64_t changed;

    TRY(account_get(c, &was));
    a = was;
    if (p) {
        TRY(match_version(c, p->if_version, was.version));
        if (p->set & ACCOUNT_SET_NAME)
            a.name = p->name;
        if (p->set & ACCOUNT_SET_SETTINGS)
            TRY(account_merge_settings(c, &a, p->settings));
    } else {
        a.status = ch->status;
    }
    TRY(account_store_update(c, &a, &changed));
    if (!changed)
        return match_lost(c, p ? p->if_version : 0);
    if (p && p->set & ACCOUNT_SET_NAME) /* who is signed in is told it with each page */
        TRY(access_changed(c));
    return account_note(c, p ? "account.update" : a.status == ACCOUNT_ACTIVE ? "account.resume" : "account.suspend", &was, &a);
}

err account_update(struct ctx *c, const struct account_patch *p, struct account *out)
{
    struct change ch = {.patch = p};

    if (p->set & ACCOUNT_SET_NAME)
        TRY(check_name(c, "/name", p->name));
    if (p->set & ACCOUNT_SET_SETTINGS && !json_is(p->settings, JSON_OBJ))
        return fail_field(c, "/settings", "settings must be an object");
    TRY(db_tx(c, account_update_body, &ch));
    return account_get(c, out);
}

err account_set_status(struct ctx *c, enum account_status status, struct account *out)
{
    struct change ch = {.status = status};

    TRY(db_tx(c, account_update_body, &ch));
    return account_get(c, out);
}

err account_is_held(struct ctx *c, bool *held)
{
    struct account account;

    TRY(account_get(c, &account));
    *held = json_get_bool(account.settings, "legal_hold", false);
    return ERR_OK;
}
