/* Merging and undoing it; see merge.h. */
#include "merge.h"

#include <math.h>
#include <string.h>

#include "access.h"
#include "access_log.h"
#include "alike.h"
#include "archive.h"
#include "audit.h"
#include "db.h"
#include "duplicate.h"
#include "governed.h"
#include "merge_kind.h"
#include "merge_store.h"
#include "tags.h"

ENUMX_DEFINE(merge_rule, MERGE_RULE);

#define SAME 1e-9 /* two scores that differ less are one */
#define HOPS 64   /* merges in a row that are followed */

/* Contexts have a log of their own. */
static err say_to_context(struct ctx *c, const struct merge *m, const struct json *what)
{
    if (!merge_kind_is_entry(m->kind))
        return ERR_OK;
    return access_log_change(c, &(struct access_change){.action = LOGGED_MERGE, .context_id = m->space_id, .entry_id = m->keeper_id,
                                                        .metadata = what});
}

static err merge_say(struct ctx *c, const struct merge *m, const char *verb)
{
    struct json *after = json_obj(c->arena);

    json_set_str(c->arena, after, "verb", verb);
    json_set_str(c->arena, after, "merge", arena_strdup(c->arena, UUID_STR(m->id)));
    json_set_str(c->arena, after, "keeper", arena_strdup(c->arena, UUID_STR(m->keeper_id)));
    json_set_str(c->arena, after, "loser", arena_strdup(c->arena, UUID_STR(m->loser_id)));
    TRY(say_to_context(c, m, after));
    return audit_add(c, &(struct audit){.kind = verb, .subject_kind = "node", .subject_id = m->keeper_id, .space_id = m->space_id,
                                        .after = after, .is_news = true});
}

static err finished(struct ctx *c, struct uuid id, struct merge *out)
{
    bool found;

    TRY(merge_store_get(c, id, &found, out));
    return found ? ERR_OK : fail(c, ERR_NOT_FOUND, "no such merge");
}

/* ---- merging */

struct merging {
    const struct merge_wish *wish;
    struct uuid id;
};

static err must_be_live(struct ctx *c, const struct node *n)
{
    if (n->archived_at.us || (strcmp(n->status, NODE_ACTIVE) != 0 && strcmp(n->status, "verified") != 0))
        return fail(c, ERR_CONFLICT, "%s is %s", UUID_STR(n->id), n->archived_at.us ? NODE_ARCHIVED : n->status);
    return ERR_OK;
}

static err must_say(struct ctx *c, const struct node *n, const char *text)
{
    return str_eq(alike_text(c->arena, n->title, n->body), text) ? ERR_OK
           : fail(c, ERR_CONFLICT, "%s was changed meanwhile", UUID_STR(n->id));
}

static err take_two(struct ctx *c, const struct merge_wish *w, struct node *a, struct node *b)
{
    TRY(merge_store_lock_nodes(c, w->a, w->b));
    TRY(node_get(c, w->a, a));
    TRY(node_get(c, w->b, b));
    if (uuid_eq(a->id, b->id) || !uuid_eq(a->space_id, b->space_id) || strcmp(a->kind, b->kind) != 0 || !merge_kind_find(a->kind))
        return fail(c, ERR_CONFLICT, "only two entries, learnings or items of knowledge of the same space can be merged");
    TRY(must_be_live(c, a));
    TRY(must_be_live(c, b));
    if (w->rule == MERGE_REVIEW)
        return ERR_OK;
    TRY(must_say(c, a, w->text_a));
    TRY(must_say(c, b, w->text_b));
    return a->is_pinned && b->is_pinned ? fail(c, ERR_CONFLICT, "both are pinned") : ERR_OK;
}

/* What people pinned is not put away for something else. */
static bool stays(const struct node *x, const struct node *y)
{
    if (x->is_pinned != y->is_pinned)
        return x->is_pinned;
    if (fabs(x->importance_score - y->importance_score) > SAME)
        return x->importance_score > y->importance_score;
    return uuid_cmp(x->id, y->id) < 0;
}

static struct merge_row shares(struct ctx *c, const struct merge_wish *w, const struct node *keeper, const struct node *loser)
{
    struct lifecycle k = node_lifecycle(keeper), l = node_lifecycle(loser);
    double importance = lifecycle_now(&l, c->now);

    return (struct merge_row){
        .merge = {.id = uuid_new(c->now.us), .space_id = keeper->space_id, .keeper_id = keeper->id, .loser_id = loser->id,
                  .kind = keeper->kind, .loser_title = loser->title, .similarity = w->similarity, .rule = w->rule,
                  .actor_kind = enumx_name(&principal_kind_enumx, (int)c->who->kind), .actor_id = c->who->id, .merged_at = c->now},
        .keeper_importance = keeper->importance, .keeper_decayed_at = keeper->decayed_at, .keeper_confidence = keeper->confidence,
        .importance_set = importance > lifecycle_now(&k, c->now) + SAME, .set_importance = importance,
        .confidence_set = loser->confidence > keeper->confidence, .set_confidence = loser->confidence,
        .loser_status = loser->status, .given_uses = loser->access_count,
        .given_tags = tags_without(c->arena, tags_of(c->arena, loser->attrs), tags_of(c->arena, keeper->attrs)),
    };
}

/* More tags than one may have stay with the loser. */
static void bound_tags(const struct node *keeper, struct ctx *c, struct merge_row *m)
{
    size_t had = tags_of(c->arena, keeper->attrs).n, room = had < TAGS_MAX ? TAGS_MAX - had : 0;

    if (m->given_tags.n > room)
        m->given_tags.n = room;
}

static err merge_give(struct ctx *c, const struct merge_row *m, const struct node *keeper)
{
    struct node_patch p = {.set = (m->importance_set ? NODE_SET_IMPORTANCE : 0) | (m->confidence_set ? NODE_SET_CONFIDENCE : 0),
                           .importance = m->set_importance, .confidence = m->set_confidence};

    if (p.set)
        TRY(node_update(c, keeper->id, &p, &(struct node){0}));
    if (m->given_tags.n)
        TRY(merge_kind_find(keeper->kind)->set_tags(c, keeper, tags_with(c->arena, tags_of(c->arena, keeper->attrs), m->given_tags)));
    return node_count_uses(c, keeper->id, m->given_uses, m->given_named);
}

static err merge_merge_body(struct ctx *c, void *arg)
{
    struct merging *h = arg;
    struct node a, b, away;
    const struct node *keeper, *loser;
    struct merge_row m;

    TRY(take_two(c, h->wish, &a, &b));
    keeper = (uuid_is_nil(h->wish->keeper) ? stays(&a, &b) : uuid_eq(h->wish->keeper, a.id)) ? &a : &b;
    loser = keeper == &a ? &b : &a;
    m = shares(c, h->wish, keeper, loser);
    bound_tags(keeper, c, &m);
    TRY(node_named_uses(c, loser, &m.given_named));
    TRY(node_update(c, loser->id, &(struct node_patch){.set = NODE_SET_SUPERSEDED, .superseded_by = keeper->id}, &away));
    TRY(memory_archive(c, loser->id, true, "merged", &away));
    TRY(merge_give(c, &m, keeper));
    TRY(merge_store_insert(c, &m));
    h->id = m.merge.id;
    return merge_say(c, &m.merge, "memory.merge");
}

err merge_nodes(struct ctx *c, const struct merge_wish *w, struct merge *out)
{
    struct merging h = {.wish = w};

    TRY(db_tx(c, merge_merge_body, &h));
    return finished(c, h.id, out);
}

/* ---- undoing it */

/* A node that nobody may see any more; *found false then. */
static err merge_look(struct ctx *c, struct uuid id, bool *found, struct node *out)
{
    err e = node_get(c, id, out);

    *found = e == ERR_OK;
    if (e != ERR_NOT_FOUND)
        return e;
    ctx_forgive(c);
    return ERR_OK;
}

/* Does the keeper still have the score that the merge gave it, faded as such scores do? */
static bool is_untouched(const struct ctx *c, const struct merge_row *m, const struct node *keeper)
{
    struct lifecycle now = node_lifecycle(keeper), then = now;

    then.score = m->set_importance;
    then.decayed_at = m->merge.merged_at;
    return fabs(lifecycle_now(&now, c->now) - lifecycle_now(&then, c->now)) < SAME;
}

static struct node_patch scores_before(const struct ctx *c, const struct merge_row *m, const struct node *keeper)
{
    struct lifecycle before = node_lifecycle(keeper);
    struct node_patch p = {0};

    before.score = m->keeper_importance;
    before.decayed_at = m->keeper_decayed_at;
    if (m->importance_set && is_untouched(c, m, keeper)) {
        p.set |= NODE_SET_IMPORTANCE;
        p.importance = lifecycle_now(&before, c->now);
    }
    if (m->confidence_set && fabs(keeper->confidence - m->set_confidence) < SAME) {
        p.set |= NODE_SET_CONFIDENCE;
        p.confidence = m->keeper_confidence;
    }
    return p;
}

static err merge_take_back(struct ctx *c, const struct merge_row *m)
{
    struct strs tags, left;
    struct node_patch p;
    struct node keeper;
    bool found;

    TRY(merge_look(c, m->merge.keeper_id, &found, &keeper));
    if (!found)
        return ERR_OK;
    p = scores_before(c, m, &keeper);
    if (p.set)
        TRY(node_update(c, keeper.id, &p, &(struct node){0}));
    tags = tags_of(c->arena, keeper.attrs);
    left = tags_without(c->arena, tags, m->given_tags);
    if (left.n != tags.n)
        TRY(merge_kind_find(keeper.kind)->set_tags(c, &keeper, left));
    return node_count_uses(c, keeper.id, -m->given_uses, -m->given_named);
}

static err merge_revive(struct ctx *c, const struct merge_row *m)
{
    struct node_patch p = {.set = NODE_SET_SUPERSEDED | NODE_SET_STATUS, .status = m->loser_status};
    struct node loser;
    bool found;

    TRY(merge_look(c, m->merge.loser_id, &found, &loser));
    if (!found)
        return fail(c, ERR_CONFLICT, "the merged memory was forgotten or has expired meanwhile");
    if (loser.archived_at.us)
        TRY(memory_archive(c, loser.id, false, "unmerged", &loser));
    return node_update(c, loser.id, &p, &loser);
}

static err may_be_undone(struct ctx *c, const struct merge_row *m)
{
    bool covered;

    TRY(access_require(c, m->merge.space_id, ACCESS_WRITE));
    if (m->merge.undone_at.us)
        return fail(c, ERR_CONFLICT, "the merge is already undone");
    TRY(merge_store_is_covered(c, m, &covered));
    return covered ? fail_reason(c, ERR_CONFLICT, "later_merge", "the kept memory was merged again since; undo that merge first") : ERR_OK;
}

static err undo_body(struct ctx *c, void *arg)
{
    const struct merging *h = arg;
    struct merge_row m;
    bool found;

    TRY(merge_store_lock(c, h->id, &found, &m));
    if (!found || !access_may_read(c, m.merge.space_id))
        return fail(c, ERR_NOT_FOUND, "no such merge");
    TRY(may_be_undone(c, &m));
    TRY(merge_store_undone(c, h->id));
    TRY(merge_revive(c, &m));
    TRY(merge_take_back(c, &m));
    TRY(duplicate_decided(c, &(struct duplicate){.space_id = m.merge.space_id, .kind = m.merge.kind, .a_id = m.merge.keeper_id,
                                                 .b_id = m.merge.loser_id, .similarity = m.merge.similarity,
                                                 .reason = DUPLICATE_UNDONE, .state = DUPLICATE_KEPT}));
    return merge_say(c, &m.merge, "memory.unmerge");
}

/* Missing and forbidden look the same. */
static err merge_governed(struct ctx *c, struct uuid space_id)
{
    err e = governed_require(c, space_id, ACCESS_WRITE);

    return e == ERR_NOT_FOUND ? fail(c, ERR_NOT_FOUND, "no such merge") : e;
}

err merge_undo(struct ctx *c, struct uuid id, struct merge *out)
{
    struct merging h = {.id = id};
    struct merge m;

    TRY(finished(c, id, &m));
    TRY(merge_governed(c, m.space_id));
    TRY(db_tx(c, undo_body, &h));
    return finished(c, id, out);
}

err merge_follow(struct ctx *c, const struct uuid *old_ids, const struct uuid *new_ids, size_t n)
{
    return merge_store_follow(c, old_ids, new_ids, n);
}

/* ---- reading */

err merge_list(struct ctx *c, bool include_undone, int64_t limit, const char *cursor, struct page *out)
{
    struct merge *rows;
    struct uuid before, *spaces;
    size_t n;

    TRY(governed_may_list(c));
    TRY(page_begin(c, cursor, &before));
    TRY(merge_store_list(c, include_undone, before, limit, &rows, &n));
    spaces = ARENA_ARRAY(c->arena, struct uuid, n + 1);
    for (size_t i = 0; i < n; i++)
        spaces[i] = rows[i].space_id;
    TRY(governed_note(c, spaces, n));
    PAGE_END(c, out, rows, n, limit, struct merge, id);
    return ERR_OK;
}

/* A keeper that was merged away later leads on. */
err merge_keeper_of(struct ctx *c, struct uuid loser_id, struct uuid *keeper)
{
    struct uuid next = loser_id;

    *keeper = (struct uuid){{0}};
    for (int i = 0; i < HOPS; i++) {
        TRY(merge_store_keeper(c, next, &next));
        if (uuid_is_nil(next))
            break;
        *keeper = next;
    }
    return ERR_OK;
}

err merge_keeper_of_key(struct ctx *c, struct uuid space_id, const char *key, struct uuid *loser, struct uuid *keeper)
{
    struct uuid last;

    TRY(merge_store_keeper_of_key(c, space_id, key, loser, keeper));
    if (uuid_is_nil(*keeper))
        return ERR_OK;
    TRY(merge_keeper_of(c, *keeper, &last));
    if (!uuid_is_nil(last))
        *keeper = last;
    return ERR_OK;
}
