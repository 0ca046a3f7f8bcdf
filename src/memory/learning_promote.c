/* Learnings of teams for everyone: by call, or by night; see learning.h. */
#include "access.h"
#include "account.h"
#include "alike.h"
#include "audience.h"
#include "db.h"
#include "echo.h"
#include "edge.h"
#include "learning_impl.h"
#include "near_pairs.h"

#define PROMOTE_IMPORTANCE 0.7
#define PROMOTE_ACCESSES 2

struct promotion {
    struct uuid id, space_id, copy_id;
    const struct learning_new *copy;
};

static err learning_promote_body(struct ctx *c, void *arg)
{
    struct promotion *m = arg;
    struct edge edge;

    TRY(learning_insert(c, m->copy, m->space_id, 0, &m->copy_id));
    TRY(learning_mark_promoted(c, m->id));
    return edge_create_owned(c, &(struct edge_new){EDGE_NEW_DEFAULTS, .source_id = m->id, .target_id = m->copy_id,
                                                   .relation = "PROMOTED_TO"}, &edge);
}

static err may_be_promoted(struct ctx *c, const struct learning *l)
{
    TRY(learning_must_be_in_use(c, l));
    if (l->scope == LEARNING_GLOBAL || l->promoted_at.us)
        return fail(c, ERR_CONFLICT, "it is shared with everyone already");
    if (l->echo_ratio >= ECHO_DOUBTED && !l->verified_at.us)
        return fail(c, ERR_CONFLICT, "much of it repeats text that recall returned to its author; verify it first");
    if (l->effective_importance < PROMOTE_IMPORTANCE)
        return fail(c, ERR_CONFLICT, "its effective importance is %.2f; 0.7 is needed", l->effective_importance);
    if (l->access_count < PROMOTE_ACCESSES)
        return fail(c, ERR_CONFLICT, "it was used %lld times; 2 are needed", (long long)l->access_count);
    return ERR_OK;
}

static err learning_promote_promote(struct ctx *c, const struct learning *l, struct uuid global, struct uuid *copy_id)
{
    struct learning_new copy = {.title = l->title, .content = l->content, .category = l->category, .scope = LEARNING_GLOBAL,
                                .method = l->extraction_method, .importance_score = l->importance_score,
                                .confidence_score = l->confidence_score, .tags = l->tags, .execution_id = l->source_execution_id};
    struct promotion m = {.id = l->id, .space_id = global, .copy = &copy};

    TRY(db_tx(c, learning_promote_body, &m));
    *copy_id = m.copy_id;
    return ERR_OK;
}

err learning_promote(struct ctx *c, struct uuid id, struct learning *out)
{
    struct uuid there, global, copy_id;
    struct learning l;

    TRY(learning_read(c, id, &l));
    TRY(may_be_promoted(c, &l));
    TRY(audience_space(c, AUDIENCE_GLOBAL, (struct uuid){{0}}, &global));
    TRY(access_require(c, l.space_id, ACCESS_WRITE));
    TRY(learning_alike(c, l.title, l.content, global, &there));
    if (!uuid_is_nil(there))
        return fail_reason(c, ERR_CONFLICT, "duplicate", "a duplicate is shared with everyone already: %s", UUID_STR(there));
    TRY(learning_promote_promote(c, &l, global, &copy_id));
    return learning_read(c, copy_id, out);
}

/* ---- by night, for accounts that want it */

err learning_promotable(struct ctx *c, struct uuid after, size_t max, struct learning **rows, size_t *n)
{
    const struct json *settings;
    struct account account;

    *n = 0;
    TRY(account_get(c, &account));
    settings = json_get(account.settings, "learning");
    if (!settings || !json_get_bool(settings, "auto_global", false))
        return ERR_OK;
    return learning_store_promotable(c, after, PROMOTE_IMPORTANCE, PROMOTE_ACCESSES, max, rows, n);
}

/* Whether one of the neighbours, which are everyone's, says the same as this. */
static err is_known(struct ctx *c, const struct learning *l, struct uuid global, const struct near_pair *pairs, size_t n, bool *known)
{
    struct learning_key key = learning_key(c, global, l->content);
    const char *text = alike_text(c->arena, l->title, l->content);
    struct learning *there;
    struct uuid equal;
    size_t found;

    TRY(learning_store_equal(c, &key, global, &equal));
    *known = !uuid_is_nil(equal);
    for (size_t i = 0; i < n && !*known; i++) {
        struct uuid other = uuid_eq(pairs[i].a, l->id) ? pairs[i].b : pairs[i].a;

        if (!uuid_eq(pairs[i].a, l->id) && !uuid_eq(pairs[i].b, l->id))
            continue;
        TRY(learning_store_many(c, &other, 1, &there, &found));
        *known = found && similar_enough(c->arena, pairs[i].similarity, text, alike_text(c->arena, there->title, there->content));
    }
    return ERR_OK;
}

err learning_auto_promote(struct ctx *c, const struct learning *rows, size_t n, struct learning_promoted *out)
{
    struct near_place *places = ARENA_ARRAY(c->arena, struct near_place, n + 1);
    struct uuid global, copy_id;
    struct near_pair *pairs;
    size_t n_pairs;

    *out = (struct learning_promoted){0};
    TRY(audience_space(c, AUDIENCE_GLOBAL, (struct uuid){{0}}, &global));
    for (size_t i = 0; i < n; i++)
        places[i] = (struct near_place){rows[i].id, global, "learning"};
    TRY(near_pairs_others(c, places, n, ALIKE, &pairs, &n_pairs));
    for (size_t i = 0; i < n; i++) {
        bool known;

        if (may_be_promoted(c, &rows[i]) != ERR_OK) {
            ctx_forgive(c);
            continue;
        }
        TRY(is_known(c, &rows[i], global, pairs, n_pairs, &known));
        out->duplicates += known;
        out->promoted += !known;
        if (!known)
            TRY(learning_promote_promote(c, &rows[i], global, &copy_id));
    }
    return ERR_OK;
}
