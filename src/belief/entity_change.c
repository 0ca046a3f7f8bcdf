/* What a person corrects of entities: names, types, and what was taken for one thing and is two; see entity.h. */
#include "access.h"
#include "audit.h"
#include "db.h"
#include "edge.h"
#include "entity_root.h"
#include "entity_store.h"
#include "match.h"
#include "node.h"
#include "sanitize_direct.h"

/* ---- corrections */

static const char *const *norms_of(struct ctx *c, struct strs names)
{
    const char **v = ARENA_ARRAY(c->arena, const char *, names.n + 1);

    for (size_t i = 0; i < names.n; i++)
        v[i] = entity_norm(c->arena, names.v[i]);
    return v;
}

static err add_names(struct ctx *c, const struct entity *e, struct strs names)
{
    struct entity_alias *rows = ARENA_ARRAY(c->arena, struct entity_alias, names.n + 1);
    const char *const *norms = norms_of(c, names);
    size_t n = 0;

    for (size_t i = 0; i < names.n; i++) {
        const char *clean;

        TRY(sanitize_direct(c, names.v[i], &clean, NULL));
        if (*norms[i])
            rows[n++] = (struct entity_alias){.norm = norms[i], .surface = clean, .source = "given", .entity_id = e->id};
    }
    return entity_store_met(c, e->space_id, rows, n);
}

static err change_names(struct ctx *c, const struct entity_changing *in, const struct entity *e)
{
    const char *name = in->canonical_name, *own = entity_norm(c->arena, name ? name : e->canonical_name);
    const char *const *gone = norms_of(c, in->remove_aliases);
    struct uuids members;
    int64_t n;

    if (name)
        TRY(add_names(c, e, (struct strs){&name, 1}));
    TRY(add_names(c, e, in->add_aliases));
    for (size_t i = 0; i < in->remove_aliases.n; i++)
        if (str_eq(gone[i], own))
            return fail_field(c, "/remove_aliases", "its own name stays; give it another canonical_name first");
    TRY(entity_members(c, &e->id, 1, &members));
    return entity_store_alias_move(c, members, gone, in->remove_aliases.n, (struct uuid){{0}}, &n);
}

static err change_node(struct ctx *c, const struct entity_changing *in, const struct entity *e)
{
    struct node_patch p = {.set = NODE_SET_ATTRS};
    struct json *attrs = json_obj(c->arena);
    struct node node;

    if (in->canonical_name)
        TRY(sanitize_direct(c, in->canonical_name, &p.title, NULL));
    if (in->description)
        TRY(sanitize_direct(c, in->description, &p.body, NULL));
    if (in->entity_type)
        json_set_str(c->arena, attrs, "entity_type", in->entity_type);
    if (in->attributes)
        json_set(c->arena, attrs, "attributes", json_raw(c->arena, json_text(c->arena, in->attributes)));
    p.set |= (in->canonical_name ? NODE_SET_TITLE : 0) | (in->description ? NODE_SET_BODY : 0);
    p.attrs = attrs;
    return node_update(c, e->id, &p, &node);
}

static err entity_update_tx(struct ctx *c, const struct entity_changing *in, struct entity *out)
{
    TRY(entity_get(c, in->id, out));
    TRY(access_require(c, out->space_id, ACCESS_WRITE));
    TRY(match_version(c, in->if_version, out->version));
    TRY(change_names(c, in, out));
    TRY(change_node(c, in, out));
    return entity_get(c, out->id, out);
}
DB_TX(entity_update, struct entity_changing, struct entity)

/* ---- one that was two */

static err new_entity(struct ctx *c, const struct entity_splitting *in, const struct entity *e, struct uuid *id)
{
    struct entity_name name = {.surface = in->name ? in->name : in->aliases.n ? in->aliases.v[0] : NULL, .type = e->entity_type};

    if (!name.surface)
        return fail_field(c, "/name", "give the new entity a name, or one of the aliases");
    TRY(sanitize_direct(c, name.surface, &name.surface, NULL));
    TRY(entity_mint(c, e->space_id, &name, true));
    *id = name.id;
    return ERR_OK;
}

static err move_mentions(struct ctx *c, const struct entity_splitting *in, const struct entity *e, struct uuid to)
{
    for (size_t i = 0; i < in->episode_ids.n; i++) {
        struct edge_new edge = {EDGE_NEW_DEFAULTS, .source_id = in->episode_ids.v[i], .target_id = to, .relation = "MENTIONS"};

        TRY(edge_retire_between(c, in->episode_ids.v[i], e->id, "MENTIONS"));
        TRY(edge_record(c, &edge, 1, e->space_id));
    }
    return ERR_OK;
}

/* Only episodes of the same space say something of it. */
static err check_episodes(struct ctx *c, const struct entity_splitting *in, const struct entity *e)
{
    struct node_brief *there = ARENA_ARRAY(c->arena, struct node_brief, in->episode_ids.n + 1);

    TRY(node_briefs(c, in->episode_ids.v, in->episode_ids.n, there));
    for (size_t i = 0; i < in->episode_ids.n; i++)
        if (uuid_is_nil(there[i].id) || !uuid_eq(there[i].space_id, e->space_id))
            return fail(c, ERR_NOT_FOUND, "no such episode in the space of the entity");
    return ERR_OK;
}

static err note_split(struct ctx *c, const struct entity *e, const struct entity_split *s)
{
    struct json *o = json_obj(c->arena);

    json_set_str(c->arena, o, "entity_id", arena_strdup(c->arena, UUID_STR(s->id)));
    json_set_int(c->arena, o, "claims", s->claims);
    json_set_int(c->arena, o, "facts", s->facts);
    return audit_add(c, &(struct audit){.kind = "entity_split", .subject_kind = "node", .subject_id = e->id, .space_id = e->space_id,
                                        .after = o, .is_news = true});
}

static err entity_split_tx(struct ctx *c, const struct entity_splitting *in, struct entity_split *out)
{
    const char *const *norms = norms_of(c, in->aliases), *name = in->name;
    struct uuids members;
    struct entity e;

    *out = (struct entity_split){.is_dry_run = in->dry_run};
    TRY(entity_get(c, in->id, &e));
    TRY(access_require(c, e.space_id, ACCESS_WRITE));
    TRY(check_episodes(c, in, &e));
    TRY(entity_members(c, &e.id, 1, &members));
    TRY(entity_store_claims_move(c, members, in->fact_ids, in->episode_ids, out->id, &out->claims));
    if (!out->claims && !in->aliases.n)
        return fail(c, ERR_CONFLICT, "nothing of this was said of it");
    if (in->dry_run)
        return ERR_OK;
    TRY(new_entity(c, in, &e, &out->id));
    TRY(entity_store_alias_move(c, members, norms, in->aliases.n, out->id, &out->aliases));
    TRY(add_names(c, &(struct entity){.id = out->id, .space_id = e.space_id}, name ? (struct strs){&name, 1} : in->aliases));
    TRY(entity_store_claims_move(c, members, in->fact_ids, in->episode_ids, out->id, &out->claims));
    TRY(entity_store_facts_move(c, members, out->id, &out->facts));
    TRY(entity_claims_to(c, &out->id, 1, out->id, true));
    TRY(move_mentions(c, in, &e, out->id));
    return note_split(c, &e, out);
}
DB_TX(entity_split, struct entity_splitting, struct entity_split)
