/* The nights of tags; see tag_upkeep.h. */
#include "tag_upkeep.h"

#include <stdlib.h>
#include <string.h>

#include "db.h"
#include "edge.h"
#include "near_pairs.h"
#include "plastic.h"
#include "tag_store.h"
#include "tag_upkeep_store.h"

/* ---- pairs */

#define PAIRS_AT_ONCE 1000

static int pair_order(const void *a, const void *b)
{
    const struct plastic_pair *x = a, *y = b;
    int order = uuid_cmp(x->a, y->a);

    return order ? order : uuid_cmp(x->b, y->b);
}

/* Equal ones become one that counts more. */
static size_t pairs_fold(struct plastic_pair *v, size_t n)
{
    size_t kept = 0;

    qsort(v, n, sizeof *v, pair_order);
    for (size_t i = 0; i < n; i++)
        if (kept && pair_order(&v[kept - 1], &v[i]) == 0)
            v[kept - 1].times++;
        else
            v[kept++] = v[i];
    return kept;
}

/* Tags come by node, the rarest first. */
static size_t pairs_of(const struct tag_of_node *v, size_t n, struct plastic_pair *out)
{
    size_t m = 0;

    for (size_t from = 0, to; from < n; from = to) {
        for (to = from; to < n && uuid_eq(v[to].node_id, v[from].node_id);)
            to++;
        for (size_t i = from; i < to && i < from + TAGS_AT_ONCE; i++)
            for (size_t k = i + 1; k < to && k < from + TAGS_AT_ONCE; k++) {
                bool first = uuid_cmp(v[i].tag_id, v[k].tag_id) < 0;

                out[m++] = (struct plastic_pair){first ? v[i].tag_id : v[k].tag_id, first ? v[k].tag_id : v[i].tag_id, 1};
            }
    }
    return m;
}

err tag_upkeep_pairs(struct ctx *c, int64_t limit, struct tag_pairing *out)
{
    const struct tag_node *nodes;
    struct plastic_pair *pairs;
    struct list list, tags;
    struct uuid *ids;
    size_t n;

    *out = (struct tag_pairing){0};
    TRY(tag_upkeep_store_uncounted(c, limit, &list));
    nodes = list.v;
    if (!list.n)
        return ERR_OK;
    ids = ARENA_ARRAY(c->arena, struct uuid, list.n);
    for (size_t i = 0; i < list.n; i++)
        ids[i] = nodes[i].id;
    TRY(tag_upkeep_store_tags(c, ids, list.n, &tags));
    pairs = ARENA_ARRAY(c->arena, struct plastic_pair, tags.n * TAGS_AT_ONCE + 1);
    n = pairs_fold(pairs, pairs_of(tags.v, tags.n, pairs));
    for (size_t i = 0; i < n; i += PAIRS_AT_ONCE)
        TRY(plastic_together(c, pairs + i, n - i < PAIRS_AT_ONCE ? n - i : PAIRS_AT_ONCE, PLASTIC_NIGHT));
    out->nodes = (int64_t)list.n;
    out->pairs = (int64_t)n;
    return tag_upkeep_store_count(c, nodes, list.n);
}

/* ---- review */

/* Words that are the same but for a plural: at most three. */
static struct strs tag_plurals(struct arena *a, const char *slug)
{
    const char **v = ARENA_ARRAY(a, const char *, 3);
    size_t n = strlen(slug), m = 0;

    v[m++] = arena_printf(a, "%ss", slug);
    if (n > 3 && slug[n - 1] == 's')
        v[m++] = arena_strndup(a, slug, n - 1);
    if (n > 4 && str_eq(slug + n - 3, "ies"))
        v[m++] = arena_printf(a, "%.*sy", (int)(n - 3), slug);
    return (struct strs){v, m};
}

/* By vectors of the database: the scheduler has no index. */
static err tag_near(struct ctx *c, const struct tag *t, const char *kind, double least, struct near_pair **pairs, size_t *n)
{
    return near_pairs_others(c, &(struct near_place){.id = t->id, .space_id = t->space_id, .kind = kind}, 1, least, pairs, n);
}

static struct uuid near_other(const struct near_pair *pair, struct uuid id)
{
    return uuid_eq(pair->a, id) ? pair->b : pair->a;
}

static bool tag_may_absorb(const struct tag *t, const struct tag *other)
{
    return other->status == TAG_ACTIVE && other->tier == TAG_UNIVERSE && other->tag_type == t->tag_type && !uuid_eq(other->id, t->id) &&
           uuid_eq(other->space_id, t->space_id);
}

/* The active tag that it says again; its id is nil: none. */
static err tag_same(struct ctx *c, const struct tag *t, struct uuid *same)
{
    struct strs plurals = tag_plurals(c->arena, t->slug);
    struct near_pair *pairs;
    struct tag other;
    bool found;
    size_t n;

    *same = (struct uuid){{0}};
    for (size_t i = 0; i < plurals.n; i++) {
        TRY(tag_store_shared(c, t->space_id, t->tag_type, plurals.v[i], &found, &other));
        if (found && tag_may_absorb(t, &other)) {
            *same = other.id;
            return ERR_OK;
        }
    }
    TRY(tag_near(c, t, "tag", TAG_SAME, &pairs, &n));
    for (size_t i = 0; i < n && uuid_is_nil(*same); i++) {
        TRY(tag_store_get(c, near_other(&pairs[i], t->id), false, &found, &other));
        if (found && tag_may_absorb(t, &other))
            *same = other.id;
    }
    return ERR_OK;
}

static err tag_join_concepts(struct ctx *c, const struct tag *t, int64_t *joined)
{
    struct edge_new edges[CONCEPTS_OF_TAG];
    struct near_pair *pairs;
    size_t n = 0, found;

    TRY(tag_near(c, t, "super_concept", CONCEPT_NEAR, &pairs, &found));
    for (; n < found && n < CONCEPTS_OF_TAG; n++)
        edges[n] = (struct edge_new){.source_id = t->id, .target_id = near_other(&pairs[n], t->id), .relation = "MAPS_TO_CONCEPT",
                                     .confidence = 1, .weight = pairs[n].similarity > 1 ? 1 : pairs[n].similarity};
    *joined += (int64_t)n;
    return edge_put_many(c, edges, n);
}

struct tag_to_archive {
    const struct tag *tag;
};
static err tag_archive_tx(struct ctx *c, const struct tag_to_archive *in)
{
    return tag_set_status(c, in->tag, TAG_ARCHIVED, (struct uuid){{0}});
}
DB_TX_IN_INNER(tag_archive, struct tag_to_archive)

static err tag_review_one(struct ctx *c, const struct tag *t, struct tag_reviewing *out)
{
    struct uuid same;
    struct tag now;

    TRY(tag_same(c, t, &same));
    if (!uuid_is_nil(same)) {
        out->merged++;
        return tag_merge(c, &(struct tag_merge){t->id, same}, &now);
    }
    if (t->usage_count >= 2 || t->holder_count >= 2) {
        out->approved++;
        TRY(tag_approve(c, &(struct thing_key){.id = t->id}, &now));
        return tag_join_concepts(c, t, &out->concepts);
    }
    if (c->now.us - t->updated_at.us <= PENDING_DAYS * (int64_t)DAY_US)
        return ERR_OK;
    out->archived++;
    return tag_archive(c, &(struct tag_to_archive){t});
}

err tag_upkeep_review(struct ctx *c, struct uuid behind, int64_t limit, struct tag_reviewing *out)
{
    const struct tag *v;
    struct list list;

    *out = (struct tag_reviewing){.last = behind};
    TRY(tag_store_pending(c, behind, limit, &list));
    v = list.v;
    for (size_t i = 0; i < list.n; i++) {
        TRY(tag_review_one(c, &v[i], out));
        out->looked++;
        out->last = v[i].id;
    }
    out->more = (int64_t)list.n == limit;
    return ERR_OK;
}

err tag_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    return tag_upkeep_store_accounts(c, above, ids, max, n);
}
