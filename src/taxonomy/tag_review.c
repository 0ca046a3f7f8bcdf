/* What reviewers decide about tags; see tag.h. */
#include "access.h"
#include "db.h"
#include "edge.h"
#include "node.h"
#include "plastic_store.h"
#include "tag.h"
#include "tag_store.h"
#include "thing.h"

#define ALIASES_MAX 64

static err tag_take(struct ctx *c, struct uuid id, int64_t if_version, struct tag *out)
{
    bool found;

    TRY(tag_get(c, id, out));
    TRY(access_require(c, out->space_id, ACCESS_WRITE));
    TRY(tag_store_get(c, id, true, &found, out));
    return if_version > 0 && if_version != out->version ? fail(c, ERR_PRECONDITION, "the tag was changed meanwhile") : ERR_OK;
}

static err tag_save(struct ctx *c, const char *verb, const struct tag *was, struct tag *now)
{
    return thing_save(c, &TAG, &(struct thing_change){.verb = verb}, was, now);
}

err tag_set_status(struct ctx *c, const struct tag *t, enum tag_status to, struct uuid merged_into)
{
    static const char *const VERBS[] = {"reopen", "approve", "reject", "merge", "archive"};
    struct tag now = *t;
    struct node node;

    now.status = to;
    now.merged_into = merged_into;
    TRY(node_update(c, t->id, &(struct node_patch){.set = NODE_SET_STATUS, .status = enumx_name(&tag_status_enumx, (int)to)}, &node));
    return tag_save(c, VERBS[to], t, &now);
}

static err tag_decide(struct ctx *c, const struct thing_key *key, enum tag_status to, struct tag *out)
{
    struct tag was;

    TRY(tag_take(c, key->id, key->if_version, &was));
    if (was.status == to) {
        *out = was;
        return ERR_OK;
    }
    if (was.status == TAG_MERGED || (to == TAG_REJECTED && was.status != TAG_PENDING))
        return fail_reason(c, ERR_CONFLICT, "tag_state", "the tag is %s", enumx_name(&tag_status_enumx, (int)was.status));
    TRY(tag_set_status(c, &was, to, (struct uuid){{0}}));
    return tag_get(c, key->id, out);
}

static err tag_approve_tx(struct ctx *c, const struct thing_key *key, struct tag *out)
{
    return tag_decide(c, key, TAG_ACTIVE, out);
}
DB_TX(tag_approve, struct thing_key, struct tag)

static err tag_reject_tx(struct ctx *c, const struct thing_key *key, struct tag *out)
{
    return tag_decide(c, key, TAG_REJECTED, out);
}
DB_TX(tag_reject, struct thing_key, struct tag)

static void tag_add_alias(struct ctx *c, struct tag *t, const char *slug)
{
    const char **v = ARENA_ARRAY(c->arena, const char *, t->aliases.n + 1);
    size_t n = 0;

    for (size_t i = 0; i < t->aliases.n && n + 1 < ALIASES_MAX; i++)
        if (!str_eq(t->aliases.v[i], slug))
            v[n++] = t->aliases.v[i];
    v[n++] = slug;
    t->aliases = (struct strs){v, n};
}

/* What ended at the one ends at the other, with the same weight. */
static err tag_move_ends(struct ctx *c, struct uuid from, struct uuid to)
{
    struct edge_new *edges;
    const struct edge *v;
    struct list ends;

    TRY(plastic_store_ends(c, from, &ends));
    edges = ARENA_ARRAY(c->arena, struct edge_new, ends.n + 1);
    v = ends.v;
    for (size_t i = 0; i < ends.n; i++)
        edges[i] = (struct edge_new){.source_id = v[i].source_id, .target_id = to, .relation = v[i].relation, .weight = v[i].weight,
                                     .confidence = v[i].confidence};
    TRY(edge_put_many(c, edges, ends.n));
    TRY(plastic_store_copy(c, from, to));
    return edge_drop_ends(c, &from, 1);
}

static err tag_merge_tx(struct ctx *c, const struct tag_merge *in, struct tag *out)
{
    struct tag from, into, was;

    TRY(tag_take(c, in->id, 0, &from));
    TRY(tag_take(c, in->into, 0, &into));
    if (uuid_eq(from.id, into.id))
        return fail_field(c, "/into", "a tag cannot be merged into itself");
    if (from.tag_type != into.tag_type || !uuid_eq(from.space_id, into.space_id))
        return fail_field(c, "/into", "both tags must be of one type and one space");
    if (from.status == TAG_MERGED || into.status != TAG_ACTIVE)
        return fail_reason(c, ERR_CONFLICT, "tag_state", "only a tag that is active can take another's place");
    TRY(tag_move_ends(c, from.id, into.id));
    was = into;
    into.usage_count += from.usage_count;
    into.holder_count += from.holder_count;
    for (size_t i = 0; i < from.aliases.n; i++)
        tag_add_alias(c, &into, from.aliases.v[i]);
    tag_add_alias(c, &into, from.slug);
    TRY(tag_save(c, "absorb", &was, &into));
    TRY(tag_set_status(c, &from, TAG_MERGED, into.id));
    return tag_get(c, into.id, out);
}
DB_TX(tag_merge, struct tag_merge, struct tag)

static err tag_rename_tx(struct ctx *c, const struct tag_rename *in, struct tag *out)
{
    struct tag was, now;
    struct node node;

    TRY(tag_take(c, in->id, 0, &was));
    now = was;
    now.slug = tag_slug_of(c->arena, in->display);
    if (!*now.slug)
        return fail_field(c, "/display", "the name has no letter");
    TRY(node_update(c, was.id, &(struct node_patch){.set = NODE_SET_TITLE, .title = in->display}, &node));
    now.display = in->display;
    if (!str_eq(now.slug, was.slug))
        tag_add_alias(c, &now, was.slug);
    TRY(tag_save(c, "rename", &was, &now));
    return tag_get(c, was.id, out);
}
DB_TX(tag_rename, struct tag_rename, struct tag)
