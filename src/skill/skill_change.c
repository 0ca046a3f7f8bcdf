/* Changing skills: their settings and text, and the moves from one status to another; see skill.h. */
#include "db.h"
#include "match.h"
#include "node.h"
#include "skill_impl.h"
#include "skill_store.h"
#include "skill_version_store.h"
#include "tags.h"
#include "thing.h"

err skill_take(struct ctx *c, struct uuid id, int64_t if_version, struct skill *out)
{
    bool found;

    TRY(skill_get(c, id, out));
    TRY(access_require(c, out->space_id, ACCESS_WRITE));
    TRY(skill_store_lock(c, id, &found, out));
    if (!found)
        return skill_missing(c);
    return match_version(c, if_version, out->version);
}

/* ---- settings and text */

static err skill_update_body(struct ctx *c, const struct skill_change *ch, const struct skill *s, const char *old)
{
    const char *body = s->body ? s->body : s->system_prompt;
    struct skill_version v;

    if (!body || str_eq(body, old))
        return ERR_OK;
    return skill_version_add(c, &(struct skill_version_new){.skill_id = s->id, .body = body, .change_type = s->change_type,
        .origin = ch->origin, .change_reason = s->change_reason,
        .activate = changes(ch, activate) ? s->activate : s->change_type != CHANGE_EXPERIMENTAL}, &v);
}

err skill_refresh_node(struct ctx *c, const struct skill *s)
{
    struct node_patch p = {.set = NODE_SET_TITLE | NODE_SET_BODY | NODE_SET_ATTRS, .title = s->name,
                           .body = skill_node_body(c, s, s->body ? s->body : ""), .attrs = skill_node_attrs(c, s)};
    struct node node;

    return node_update(c, s->id, &p, &node);
}

/* What is served is not made doubtful by who may not review it. */
static err skill_update_flags(struct ctx *c, const struct skill *was, struct skill *s, const char *old)
{
    const char *body = s->body ? s->body : s->system_prompt ? s->system_prompt : old;
    bool is_new = !str_eq(body, old) || !str_eq(s->description, was->description);

    s->flags = skill_flags_of(c, s->description, body ? body : "");
    if (s->flags.n && is_new && s->status == SKILL_ACTIVE && !permissions_have(c->who->perms, PERM_SKILLS_REVIEW))
        return fail_reason(c, ERR_CONFLICT, "flagged", "the new text is flagged (%s): a reviewer must make this change", s->flags.v[0]);
    return ERR_OK;
}

static err skill_update_tx(struct ctx *c, const struct skill_change *ch, struct skill *out)
{
    struct skill s, was, whole;
    const char *ref = arena_strdup(c->arena, UUID_STR(ch->to.id));

    TRY(skill_take(c, ch->to.id, ch->change.if_version, &s));
    if (s.status == SKILL_ARCHIVED)
        return fail_reason(c, ERR_CONFLICT, "skill_state", "the skill is archived");
    TRY(skill_get_whole(c, ref, &whole));
    was = s;
    s.change_type = CHANGE_PATCH;
    TRY(thing_apply(c, &SKILL, ch, &s));
    TRY(skill_category_check(c, "/category", s.category));
    TRY(tags_clean(c, "/tags", s.tags, &s.tags));
    TRY(skill_update_flags(c, &was, &s, whole.body));
    TRY(thing_save(c, &SKILL, &ch->change, &was, &s));
    TRY(skill_update_body(c, ch, &s, whole.body));
    whole = s;
    TRY(skill_get_whole(c, ref, out));
    whole.body = out->body;
    TRY(skill_refresh_node(c, &whole));
    return skill_get_whole(c, ref, out);
}
DB_TX(skill_update, struct skill_change, struct skill)

/* ---- status */

static bool skill_move_is_allowed(enum skill_status from, enum skill_status to)
{
    switch (from) {
    case SKILL_DRAFT: return to == SKILL_ACTIVE || to == SKILL_ARCHIVED;
    case SKILL_ACTIVE: return to == SKILL_DEPRECATED || to == SKILL_ARCHIVED;
    case SKILL_DEPRECATED: return to == SKILL_ACTIVE || to == SKILL_ARCHIVED;
    case SKILL_ARCHIVED: return to == SKILL_DEPRECATED;
    }
    return false;
}

/* The status stands in the node; archiving has a call of its own there. */
static err skill_move_node(struct ctx *c, const struct skill *s, enum skill_status to)
{
    struct node node;

    if (to == SKILL_ARCHIVED)
        return node_archive(c, s->id, 0, &node);
    if (s->status == SKILL_ARCHIVED)
        TRY(node_unarchive(c, s->id, 0, &node));
    return node_update(c, s->id, &(struct node_patch){.set = NODE_SET_STATUS, .status = enumx_name(&skill_status_enumx, (int)to)}, &node);
}

static err skill_move_check(struct ctx *c, const struct skill_move *in, const struct skill *s)
{
    struct skill other;

    if (!skill_move_is_allowed(s->status, in->to))
        return fail_reason(c, ERR_CONFLICT, "skill_state", "a skill that is %s cannot become %s",
            enumx_name(&skill_status_enumx, (int)s->status), enumx_name(&skill_status_enumx, (int)in->to));
    if (in->to == SKILL_ACTIVE && s->flags.n && !permissions_have(c->who->perms, PERM_SKILLS_REVIEW))
        return fail_reason(c, ERR_CONFLICT, "flagged", "the text is flagged (%s): a reviewer must activate it", s->flags.v[0]);
    if (uuid_is_nil(in->replaced_by))
        return ERR_OK;
    if (uuid_eq(in->replaced_by, in->id))
        return fail_field(c, "/replaced_by", "a skill cannot replace itself");
    return skill_get(c, in->replaced_by, &other);
}

static err skill_move_tx(struct ctx *c, const struct skill_move *in, struct skill *out)
{
    struct skill s, was;

    TRY(skill_take(c, in->id, in->if_version, &s));
    TRY(skill_move_check(c, in, &s));
    was = s;
    TRY(skill_move_node(c, &s, in->to));
    s.status = in->to;
    if (in->to == SKILL_DEPRECATED)
        s.deprecated_at = c->now;
    s.replaced_by = in->to == SKILL_ACTIVE ? (struct uuid){{0}} : uuid_is_nil(in->replaced_by) ? s.replaced_by : in->replaced_by;
    TRY(thing_save(c, &SKILL, &(struct thing_change){.verb = arena_printf(c->arena, "to_%s", enumx_name(&skill_status_enumx,
        (int)in->to))}, &was, &s));
    return skill_get(c, in->id, out);
}
DB_TX(skill_move, struct skill_move, struct skill)

struct skill_toggling {
    struct thing_key key;
    bool enabled;
};

static err skill_toggle_it_tx(struct ctx *c, const struct skill_toggling *in, struct skill *out)
{
    struct skill s, was;

    TRY(skill_take(c, in->key.id, in->key.if_version, &s));
    *out = was = s;
    if (s.is_enabled == in->enabled)
        return ERR_OK;
    s.is_enabled = in->enabled;
    TRY(thing_save(c, &SKILL, &(struct thing_change){.verb = in->enabled ? "enable" : "disable"}, &was, &s));
    return skill_get(c, s.id, out);
}
DB_TX_INNER(skill_toggle_it, struct skill_toggling, struct skill)

err skill_toggle(struct ctx *c, const struct thing_key *key, bool enabled, struct skill *out)
{
    return skill_toggle_it(c, &(struct skill_toggling){*key, enabled}, out);
}

err skill_refresh(struct ctx *c, struct uuid id, bool *changed)
{
    struct node before, after;
    struct skill s;

    TRY(skill_get_whole(c, arena_strdup(c->arena, UUID_STR(id)), &s));
    TRY(node_get(c, id, &before));
    TRY(skill_refresh_node(c, &s));
    TRY(node_get(c, id, &after));
    *changed = before.version != after.version;
    return ERR_OK;
}
