/* Tagging content, what a subject met, and tags that fit a text; see tagging.h. */
#include "tagging.h"

#include <stdlib.h>
#include <string.h>

#include "access.h"
#include "agent.h"
#include "db.h"
#include "edge.h"
#include "node.h"
#include "node_row.h"
#include "plastic_store.h"
#include "recall.h"
#include "space.h"
#include "tag_pattern_store.h"
#include "tag_store.h"

/* ---- subjects */

/* An agent's node has the agent's id; where there is none yet, it is made in the agent's own namespace. */
static err tag_subject_of_agent(struct ctx *c, const struct agent *a, struct uuid *home)
{
    struct node node;
    bool found;

    TRY(space_of_agent(c, a->id, home));
    TRY(node_row_read(c, a->id, &found, &node));
    if (found || uuid_is_nil(*home))
        return ERR_OK;
    return node_create(c, &(struct node_new){NODE_NEW_DEFAULTS, .id = a->id, .space_id = *home, .kind = "agent", .title = a->name}, &node);
}

/* home: where what only this subject knows is kept. */
static err tag_subject(struct ctx *c, struct uuid id, struct uuid *home)
{
    struct node_brief node;
    struct agent agent;
    err e = agent_get(c, id, &agent);

    if (e == ERR_OK) {
        if (c->who->kind == PRINCIPAL_AGENT && !uuid_eq(c->who->id, id))
            TRY(access_permit(c, PERM_GRAPH_MANAGE));
        return tag_subject_of_agent(c, &agent, home);
    }
    if (e != ERR_NOT_FOUND)
        return e;
    ctx_forgive(c);
    TRY(node_briefs(c, &id, 1, &node));
    if (uuid_is_nil(node.id))
        return fail(c, ERR_NOT_FOUND, "no such subject");
    *home = node.space_id;
    return access_require(c, *home, ACCESS_WRITE);
}

static err tag_reinforce_tx(struct ctx *c, const struct tag_meeting *in, struct tag_met *out)
{
    struct uuid subject = uuid_is_nil(in->subject_id) ? c->who->id : in->subject_id, home;
    const char *name = in->tag;
    struct plastic_edge edge;
    struct tag tag;

    TRY(tag_subject(c, subject, &home));
    if (uuid_is_nil(home))
        return fail(c, ERR_CONFLICT, "the agent has no namespace to keep its tags in");
    TRY(tag_of_content(c, home, TAG_PLAIN, (struct strs){&name, 1}, &tag));
    TRY(plastic_meet(c, subject, tag.id, &edge));
    if (edge.is_new)
        TRY(tag_store_use(c, &tag.id, 1, true));
    *out = (struct tag_met){.subject_id = subject, .tag_id = tag.id, .slug = tag.slug, .weight = edge.weight, .hits = edge.hits,
                            .hits_today = edge.hits_today, .counted = edge.counted};
    return ERR_OK;
}
DB_TX(tag_reinforce, struct tag_meeting, struct tag_met)

err tag_holdings(struct ctx *c, struct uuid subject_id, struct tag_holdings *out)
{
    struct node_brief node;

    out->subject_id = subject_id;
    TRY(node_briefs(c, &subject_id, 1, &node));
    if (uuid_is_nil(node.id))
        return fail(c, ERR_NOT_FOUND, "no such subject, or it has met no tag");
    return plastic_store_of_subject(c, subject_id, TAGS_AT_ONCE * 10, &out->tags);
}

/* ---- content */

static err tag_content_meet(struct ctx *c, const struct tag *tags, size_t n)
{
    struct plastic_edge edge;
    struct agent agent;
    struct uuid home;

    TRY(agent_get(c, c->who->id, &agent));
    TRY(tag_subject_of_agent(c, &agent, &home));
    for (size_t i = 0; i < n && !uuid_is_nil(home); i++) {
        TRY(plastic_meet(c, agent.id, tags[i].id, &edge));
        if (edge.is_new)
            TRY(tag_store_use(c, &tags[i].id, 1, true));
    }
    return ERR_OK;
}

static bool uuid_among(const struct edge *v, size_t n, struct uuid id)
{
    for (size_t i = 0; i < n; i++)
        if (uuid_eq(v[i].target_id, id))
            return true;
    return false;
}

/* Edges to those that it does not have. */
static err tag_content_join(struct ctx *c, struct uuid node_id, const struct tag *tags, size_t n, int64_t *added)
{
    struct edge_new *edges = ARENA_ARRAY(c->arena, struct edge_new, n + 1);
    struct uuid *fresh = ARENA_ARRAY(c->arena, struct uuid, n + 1);
    struct list there;
    size_t m = 0;

    TRY(edge_owned_of(c, "HAS_TAG", &node_id, 1, &there));
    for (size_t i = 0; i < n; i++) {
        bool twice = false;

        for (size_t k = 0; k < m; k++)
            twice = twice || uuid_eq(fresh[k], tags[i].id);
        if (twice || uuid_among(there.v, there.n, tags[i].id) || uuid_eq(node_id, tags[i].id))
            continue;
        edges[m] = (struct edge_new){EDGE_NEW_DEFAULTS, .source_id = node_id, .target_id = tags[i].id, .relation = "HAS_TAG"};
        fresh[m++] = tags[i].id;
    }
    *added = (int64_t)m;
    TRY(edge_put_many(c, edges, m));
    return tag_store_use(c, fresh, m, false);
}

static err tag_content_tx(struct ctx *c, const struct tagging *in, struct tagged *out)
{
    struct tag *tags = ARENA_ARRAY(c->arena, struct tag, in->tags.n + 1);
    struct node_brief node;

    TRY(node_briefs(c, &in->node_id, 1, &node));
    if (uuid_is_nil(node.id))
        return fail(c, ERR_NOT_FOUND, "no node %s", UUID_STR(in->node_id));
    TRY(access_require(c, node.space_id, ACCESS_WRITE));
    TRY(tag_of_content(c, node.space_id, in->tag_type, in->tags, tags));
    TRY(tag_content_join(c, node.id, tags, in->tags.n, &out->added));
    if (c->who->kind == PRINCIPAL_AGENT)
        TRY(tag_content_meet(c, tags, in->tags.n));
    out->node_id = node.id;
    out->tags = (struct list){tags, in->tags.n};
    return ERR_OK;
}
DB_TX(tag_content, struct tagging, struct tagged)

/* ---- texts */

static struct tag_fit *tag_fit_of(struct tag_fit *v, size_t *n, const struct tag *t)
{
    for (size_t i = 0; i < *n; i++)
        if (uuid_eq(v[i].id, t->id))
            return &v[i];
    v[*n] = (struct tag_fit){.id = t->id, .slug = t->slug, .display = t->display,
                             .tag_type = enumx_name(&tag_type_enumx, (int)t->tag_type)};
    return &v[(*n)++];
}

static int tag_fit_order(const void *a, const void *b)
{
    const struct tag_fit *x = a, *y = b;

    return x->score != y->score ? (x->score < y->score ? 1 : -1) : strcmp(x->slug, y->slug);
}

static err tag_classify_recall(struct ctx *c, const struct tag_question *in, struct recall_out *out)
{
    static const char *KINDS[] = {"tag", "super_concept"};
    struct recall_in r;

    recall_in_defaults(&r);
    r.query = in->text;
    r.kinds = (struct strs){KINDS, 2};
    r.limit = in->top * 2;
    r.touch = false;
    r.lifecycle = SWITCH_OFF;
    r.body_chars = 0;
    return recall_run(c, &r, out);
}

err tag_classify(struct ctx *c, const struct tag_question *in, struct tag_fits *out)
{
    const struct recall_hit *hits;
    const struct tag *rows;
    struct recall_out found;
    struct tag_fit *fits;
    struct uuid *ids;
    struct list list;
    size_t n = 0;

    TRY(tag_classify_recall(c, in, &found));
    hits = found.hits.v;
    ids = ARENA_ARRAY(c->arena, struct uuid, found.hits.n + 1);
    for (size_t i = 0; i < found.hits.n; i++)
        ids[i] = hits[i].id;
    TRY(tag_store_many(c, ids, found.hits.n, &list));
    rows = list.v;
    fits = ARENA_ARRAY(c->arena, struct tag_fit, list.n + 1);
    for (size_t i = 0; i < found.hits.n; i++)
        for (size_t k = 0; k < list.n; k++)
            if (uuid_eq(rows[k].id, hits[i].id) && rows[k].status == TAG_ACTIVE && rows[k].tier != TAG_TRANSITIONAL)
                tag_fit_of(fits, &n, &rows[k])->score = hits[i].relevance;
    qsort(fits, n, sizeof *fits, tag_fit_order);
    out->tags = (struct list){fits, n < (size_t)in->top ? n : (size_t)in->top};
    return ERR_OK;
}

/* ---- mining */

static err mining_choose_tx(struct ctx *c, const struct mining_choice *in, struct mining_choice *out)
{
    struct uuid owner = uuid_is_nil(in->owner_id) ? c->who->id : in->owner_id;
    struct agent agent;

    if (!uuid_eq(owner, c->who->id) && access_level(c->access, owner) < ACCESS_MANAGE) {
        TRY(agent_get(c, owner, &agent));
        TRY(access_permit(c, PERM_GRAPH_MANAGE));
    }
    *out = (struct mining_choice){owner, in->opt_out};
    return tag_pattern_store_opt(c, owner, in->opt_out);
}
DB_TX(mining_choose, struct mining_choice, struct mining_choice)
