/* The rules about what is the same; see dedup.h. */
#include "dedup.h"

#include <stdlib.h>
#include <string.h>

#include "alike.h"
#include "context.h"
#include "context_store.h"
#include "entry_store.h"
#include "limit.h"
#include "merge_kind.h"
#include "near_pairs.h"
#include "node_row.h"
#include "retention.h"

/* ---- what the spaces say */

struct policy {
    struct uuid space_id;
    enum dedup dedup;
};

static int by_space(const void *x, const void *y)
{
    return uuid_cmp(((const struct policy *)x)->space_id, ((const struct policy *)y)->space_id);
}

/* Namespaces have no policy: what is the same there is merged. */
static err read_policies(struct ctx *c, const struct node_content *of, size_t n, struct policy **out, size_t *n_out)
{
    struct policy *all = ARENA_ARRAY(c->arena, struct policy, n + 1);
    size_t kept = 0;

    for (size_t i = 0; i < n; i++)
        if (of[i].found)
            all[kept++].space_id = of[i].node.space_id;
    qsort(all, kept, sizeof *all, by_space);
    *n_out = 0;
    for (size_t i = 0; i < kept; i++) {
        struct context x = {0};
        struct retention r;
        bool found;

        if (i && uuid_eq(all[i].space_id, all[i - 1].space_id))
            continue;
        TRY(context_store_get(c, all[i].space_id, NULL, &found, &x));
        retention_read(found ? json_opened(c->arena, x.retention_policy) : json_obj(c->arena), &r);
        all[(*n_out)++] = (struct policy){all[i].space_id, r.dedup};
    }
    *out = all;
    return ERR_OK;
}

/* ---- what is said of a pair */

/* The key of an entry is a name: it is no part of what the entry says. */
static const char *dedup_text_of(struct ctx *c, const struct node *n)
{
    return merge_kind_is_entry(n->kind) ? n->body : alike_text(c->arena, n->title, n->body);
}

/* `retries` is 3 and `workers` is 3: a bare value says something only together with the key that somebody chose for it. */
static bool is_bare_value(const struct node *n)
{
    return merge_kind_is_entry(n->kind) && !entry_key_is_made(n->title) && !alike_says_something(n->body);
}

/* Working memory that was persisted is state by its key, not knowledge. */
static bool is_working(struct ctx *c, const struct node *n)
{
    return str_eq(json_get_str(json_opened(c->arena, n->attrs), "memory_type"), "working");
}

static void doubt(struct dedup_pair *p, enum duplicate_reason why)
{
    p->verdict = DEDUP_DOUBT;
    p->reason = why;
}

static void dedup_judge_body(struct ctx *c, struct dedup_pair *p, const struct node *a, const struct node *b, enum dedup policy)
{
    p->space_id = a->space_id;
    p->kind = a->kind;
    p->text_a = alike_text(c->arena, a->title, a->body);
    p->text_b = alike_text(c->arena, b->title, b->body);
    p->verdict = DEDUP_LEAVE;
    if (policy == DEDUP_OFF || is_working(c, a) || is_working(c, b) || is_bare_value(a) || is_bare_value(b))
        return;
    p->verdict = DEDUP_SAME;
    if (alike_differs(c->arena, dedup_text_of(c, a), dedup_text_of(c, b)))
        doubt(p, DUPLICATE_DETAILS);
    else if (a->is_pinned && b->is_pinned)
        doubt(p, DUPLICATE_PINNED);
    else if (policy == DEDUP_REVIEW)
        doubt(p, DUPLICATE_POLICY);
}

/* ---- some pairs */

struct portion {
    struct uuid *a, *b;
    struct node_content *of_a, *of_b;
    bool *known;
};

static err dedup_read_portion(struct ctx *c, const struct near_pair *near, size_t n, struct portion *r)
{
    r->a = ARENA_ARRAY(c->arena, struct uuid, n + 1);
    r->b = ARENA_ARRAY(c->arena, struct uuid, n + 1);
    r->of_a = ARENA_ARRAY(c->arena, struct node_content, n + 1);
    r->of_b = ARENA_ARRAY(c->arena, struct node_content, n + 1);
    r->known = ARENA_ARRAY(c->arena, bool, n + 1);
    for (size_t i = 0; i < n; i++) {
        r->a[i] = near[i].a;
        r->b[i] = near[i].b;
    }
    TRY(node_contents_read(c, r->a, n, LIMIT_NODE_BODY, r->of_a));
    TRY(node_contents_read(c, r->b, n, LIMIT_NODE_BODY, r->of_b));
    return duplicate_known(c, r->a, r->b, n, r->known);
}

/* Of what was found near some may have been merged since. */
static bool dedup_is_there(const struct node_content *n)
{
    return n->found && !n->node.archived_at.us && !n->node.forgotten_at.us;
}

err dedup_judge(struct ctx *c, const struct dedup_portion *d, size_t from, struct dedup_pair *out, size_t *n_out)
{
    size_t n = d->n - from < DEDUP_AT_ONCE ? d->n - from : DEDUP_AT_ONCE, n_policies;
    const struct near_pair *near = d->near + from;
    struct policy *policies;
    struct portion r;

    TRY(dedup_read_portion(c, near, n, &r));
    TRY(read_policies(c, r.of_a, n, &policies, &n_policies));
    *n_out = 0;
    for (size_t i = 0; i < n; i++) {
        const struct node *a = &r.of_a[i].node, *b = &r.of_b[i].node;
        struct dedup_pair *p = &out[*n_out];
        const struct policy *policy;

        if (r.known[i] || !dedup_is_there(&r.of_a[i]) || !dedup_is_there(&r.of_b[i]))
            continue;
        policy = bsearch(&(struct policy){.space_id = a->space_id}, policies, n_policies, sizeof *policies, by_space);
        *p = (struct dedup_pair){.a = a->id, .b = b->id, .similarity = near[i].similarity};
        dedup_judge_body(c, p, a, b, policy->dedup);
        *n_out += p->verdict != DEDUP_LEAVE;
    }
    return ERR_OK;
}

static bool dedup_is_among(const struct near_pair *pairs, size_t n, const struct near_pair *p)
{
    for (size_t i = 0; i < n; i++)
        if (uuid_eq(pairs[i].a, p->a) && uuid_eq(pairs[i].b, p->b))
            return true;
    return false;
}

/* Entries with equal content are found by its hash, whatever their vectors are; they come first. */
static err add_equals(struct ctx *c, const struct near_sweep *s, struct dedup_portion *d)
{
    struct near_pair *all = ARENA_ARRAY(c->arena, struct near_pair, (size_t)s->looked + s->n + 1);
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, 2 * (size_t)s->looked + 1);
    size_t n = 0;

    if (s->looked)
        TRY(entry_store_equals(c, s->ids, (size_t)s->looked, ids, &n));
    for (size_t i = 0; i < n; i++)
        all[i] = (struct near_pair){ids[2 * i], ids[2 * i + 1], 1};
    d->n = n;
    for (size_t i = 0; i < s->n; i++)
        if (!dedup_is_among(all, n, &s->pairs[i]))
            all[d->n++] = s->pairs[i];
    d->near = all;
    return ERR_OK;
}

err dedup_find(struct ctx *c, struct dedup_portion *d)
{
    struct near_sweep s = {.kinds = merge_kinds(c->arena), .since = d->since, .least = ALIKE, .limit = d->limit, .position = d->position};

    s.by_body = (struct strs){ARENA_ARRAY(c->arena, const char *, s.kinds.n + 1), 0};
    for (size_t i = 0; i < s.kinds.n; i++)
        if (merge_kind_is_entry(s.kinds.v[i]))
            s.by_body.v[s.by_body.n++] = s.kinds.v[i];
    TRY(near_pairs_find(c, &s));
    TRY(add_equals(c, &s, d));
    d->position = s.position;
    d->looked = s.looked;
    d->more = s.more;
    d->crowded = s.crowded;
    d->began = s.began;
    return ERR_OK;
}

err dedup_merge(struct ctx *c, const struct dedup_pair *p, bool *done)
{
    struct merge merge;
    err e = merge_nodes(c, &(struct merge_wish){.a = p->a, .b = p->b, .similarity = p->similarity, .rule = MERGE_SIMILAR,
                                                .text_a = p->text_a, .text_b = p->text_b}, &merge);

    *done = e == ERR_OK;
    if (e != ERR_CONFLICT && e != ERR_NOT_FOUND)
        return e;
    ctx_forgive(c);
    return ERR_OK;
}

err dedup_note(struct ctx *c, const struct dedup_pair *pairs, size_t n)
{
    struct duplicate *rows = ARENA_ARRAY(c->arena, struct duplicate, n + 1);
    size_t k = 0;

    for (size_t i = 0; i < n; i++)
        if (pairs[i].verdict == DEDUP_DOUBT)
            rows[k++] = (struct duplicate){.space_id = pairs[i].space_id, .kind = pairs[i].kind, .a_id = pairs[i].a, .b_id = pairs[i].b,
                                           .similarity = pairs[i].similarity, .reason = pairs[i].reason};
    return duplicate_note(c, rows, k);
}

err dedup_due(struct ctx *c, const char *job, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    return near_pairs_due(c, job, above, ids, max, n);
}
