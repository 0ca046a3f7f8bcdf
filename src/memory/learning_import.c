/* From learnings to shared knowledge; see learning_import.h. */
#include "learning_import.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "alike.h"
#include "audience.h"
#include "echo.h"
#include "edge.h"
#include "learning_impl.h"
#include "limit.h"
#include "near_pairs.h"
#include "node_row.h"

#define LOOKED_AT 5000 /* the most important by themselves, among which the best are chosen */

static enum audience level_of(const struct learning *l)
{
    return l->scope == LEARNING_GLOBAL ? AUDIENCE_ACCOUNT : AUDIENCE_TEAM;
}

static enum knowledge_type learning_import_type_of(enum learning_category category)
{
    switch (category) {
    case LEARNING_PATTERN:
    case LEARNING_ANTI_PATTERN:
    case LEARNING_BEST_PRACTICE: return KNOWLEDGE_PROCEDURE;
    case LEARNING_FACT:
    case LEARNING_DISCOVERY: return KNOWLEDGE_FACT;
    case LEARNING_FAILURE_MODE: return KNOWLEDGE_SNIPPET;
    case LEARNING_REVIEW_FINDING:
    case LEARNING_PERFORMANCE:
    case LEARNING_REFLEXION: break;
    }
    return KNOWLEDGE_TEXT;
}

/* ---- the best */

static int by_worth(const void *a, const void *b)
{
    const struct learning *x = a, *y = b;

    if (fabs(x->effective_importance - y->effective_importance) > 0)
        return x->effective_importance > y->effective_importance ? -1 : 1;
    return uuid_cmp(x->id, y->id);
}

static int learning_import_by_id(const void *a, const void *b)
{
    return uuid_cmp(((const struct learning *)a)->id, ((const struct learning *)b)->id);
}

static bool is_worth_it(const struct learning *l)
{
    return l->effective_importance >= IMPORT_IMPORTANCE && (l->echo_ratio < ECHO_DOUBTED || l->verified_at.us);
}

/* The best come first, then in the order of their ids. */
static size_t learning_import_choose(struct learning *rows, size_t n)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++)
        if (is_worth_it(&rows[i]))
            rows[kept++] = rows[i];
    qsort(rows, kept, sizeof *rows, by_worth);
    if (kept > IMPORT_BEST)
        kept = IMPORT_BEST;
    qsort(rows, kept, sizeof *rows, learning_import_by_id);
    return kept;
}

/* ---- what is there already */

static err places(struct ctx *c, const struct import_row *rows, size_t n, struct near_place **out, size_t *n_out)
{
    size_t cap = 2 * n + 1, k = 0; /* its own namespace, and `global` */

    *out = ARENA_ARRAY(c->arena, struct near_place, cap);
    for (size_t i = 0; i < n; i++) {
        struct uuid *spaces;
        size_t n_spaces;

        TRY(audience_wider(c, level_of(&rows[i].learning), rows[i].learning.space_id, &spaces, &n_spaces));
        for (size_t s = 0; s < n_spaces && k < cap; s++)
            (*out)[k++] = (struct near_place){rows[i].learning.id, spaces[s], "knowledge"};
    }
    *n_out = k;
    return ERR_OK;
}

static struct import_row *learning_import_row_of(struct import_row *rows, size_t n, struct uuid id)
{
    for (size_t i = 0; i < n; i++)
        if (uuid_eq(rows[i].learning.id, id))
            return &rows[i];
    return NULL;
}

/* One of the two is the learning, the other knowledge that is near it. */
static void take_same(struct ctx *c, struct import_row *rows, size_t n, const struct near_pair *p, const struct node_content *a,
                      const struct node_content *b)
{
    struct import_row *row = learning_import_row_of(rows, n, p->a);
    const struct node *there = row ? &b->node : &a->node;

    if (!row)
        row = learning_import_row_of(rows, n, p->b);
    if (!row || !a->found || !b->found || !uuid_is_nil(row->same))
        return;
    if (!alike_differs(c->arena, alike_text(c->arena, row->learning.title, row->learning.content),
                       alike_text(c->arena, there->title, there->body)))
        row->same = there->id;
}

static err find_same(struct ctx *c, struct import_row *rows, size_t n)
{
    struct node_content *a, *b;
    struct near_place *of;
    struct near_pair *pairs;
    struct uuid *ids;
    size_t n_of, n_pairs;

    TRY(places(c, rows, n, &of, &n_of));
    TRY(near_pairs_others(c, of, n_of, ALIKE, &pairs, &n_pairs));
    a = ARENA_ARRAY(c->arena, struct node_content, n_pairs + 1);
    b = ARENA_ARRAY(c->arena, struct node_content, n_pairs + 1);
    ids = ARENA_ARRAY(c->arena, struct uuid, n_pairs + 1);
    for (size_t i = 0; i < n_pairs; i++)
        ids[i] = pairs[i].a;
    TRY(node_contents_read(c, ids, n_pairs, LIMIT_NODE_BODY, a));
    for (size_t i = 0; i < n_pairs; i++)
        ids[i] = pairs[i].b;
    TRY(node_contents_read(c, ids, n_pairs, LIMIT_NODE_BODY, b));
    for (size_t i = 0; i < n_pairs; i++)
        take_same(c, rows, n, &pairs[i], &a[i], &b[i]);
    return ERR_OK;
}

err learning_import_scan(struct ctx *c, struct uuid above, size_t max, struct import_row *rows, size_t *n)
{
    struct learning *all;
    size_t found, kept;

    TRY(learning_store_importable(c, LOOKED_AT, &all, &found));
    kept = learning_import_choose(all, found);
    *n = 0;
    for (size_t i = 0; i < kept && *n < max; i++)
        if (uuid_cmp(all[i].id, above) > 0)
            rows[(*n)++] = (struct import_row){.learning = all[i]};
    return *n ? find_same(c, rows, *n) : ERR_OK;
}

err learning_import_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    return learning_store_importable_accounts(c, above, ids, max, n);
}

/* ---- one of them */

static struct knowledge knowledge_of(struct ctx *c, const struct learning *l)
{
    struct json *origin = json_obj(c->arena);

    json_set_str(c->arena, origin, "learning_id", arena_strdup(c->arena, UUID_STR(l->id)));
    return (struct knowledge){
        .space_id = l->space_id, .title = l->title, .content = l->content, .content_type = learning_import_type_of(l->category),
        .access_level = level_of(l), .source_type = KNOWLEDGE_BY_EXTRACTION, .provenance = origin, .tags = l->tags,
        .echo_ratio = l->verified_at.us ? 0 : l->echo_ratio, .creator_id = l->author_id, .created_at = c->now};
}

static err learning_import_make(struct ctx *c, const struct learning *l, bool *made)
{
    struct knowledge k = knowledge_of(c, l);
    struct edge edge;

    TRY(knowledge_insert(c, &k, made));
    if (!*made)
        return ERR_OK;
    return edge_create_owned(c, &(struct edge_new){EDGE_NEW_DEFAULTS, .source_id = k.id, .target_id = l->id, .relation = "DERIVED_FROM"},
                             &edge);
}

err learning_import_one(struct ctx *c, const struct import_row *row, bool *made)
{
    bool found;

    *made = false;
    TRY(learning_store_lock(c, row->learning.id, &found));
    if (!found)
        return ERR_OK;
    if (uuid_is_nil(row->same))
        TRY(learning_import_make(c, &row->learning, made));
    return learning_store_imported(c, row->learning.id);
}
