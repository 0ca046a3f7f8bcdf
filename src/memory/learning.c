/* Making and finding learnings; see learning.h. */
#include "learning.h"

#include <math.h>
#include <string.h>

#include "access.h"
#include "alike.h"
#include "audience.h"
#include "content.h"
#include "db.h"
#include "echo.h"
#include "inert.h"
#include "learning_impl.h"
#include "learning_score.h"
#include "lifecycle.h"
#include "limit.h"
#include "merge.h"
#include "node.h"
#include "recall.h"
#include "served.h"
#include "strs_json.h"
#include "tags.h"

ENUMX_DEFINE(learning_category, LEARNING_CATEGORY);
ENUMX_DEFINE(learning_scope, LEARNING_SCOPE);
ENUMX_DEFINE(learning_status, LEARNING_STATUS);
ENUMX_DEFINE(learning_method, LEARNING_METHOD);

/* ---- what the files share */

struct learning_key learning_key(struct ctx *c, struct uuid space_id, const char *content)
{
    return (struct learning_key){ content_hash(c->arena, "", content, NULL),
                                  content_hash(c->arena, UUID_STR(space_id), content, NULL) };
}

err learning_read(struct ctx *c, struct uuid id, struct learning *out)
{
    bool found;

    TRY(learning_store_get(c, id, &found, out));
    return found && access_may_read(c, out->space_id) ? ERR_OK : fail(c, ERR_NOT_FOUND, "no such learning");
}

err learning_follow(struct ctx *c, struct uuid *id, struct uuid *from)
{
    struct uuid keeper = {{0}};
    struct learning l;

    *from = keeper;
    TRY(learning_read(c, *id, &l));
    if (l.is_archived)
        TRY(merge_keeper_of(c, *id, &keeper));
    if (uuid_is_nil(keeper))
        return ERR_OK;
    *from = *id;
    *id = keeper;
    return ERR_OK;
}

err learning_alike(struct ctx *c, const char *title, const char *content, struct uuid space_id,
                   struct uuid *id)
{
    struct learning_key key = learning_key(c, space_id, content);
    struct alike alike;

    TRY(learning_store_equal(c, &key, space_id, id));
    if (!uuid_is_nil(*id))
        return ERR_OK;
    TRY(alike_find(c, "learning", title, content, &space_id, 1, &alike));
    *id = alike.id;
    return ERR_OK;
}

/* ---- making */

#define TITLE_CHARS 80 /* of a content, where there is no title */

struct making {
    const struct learning_new *in;
    struct uuid space_id;
    const char *title;
    struct strs tags;
    struct learning_key key;
    double echo_ratio;
    struct uuid id;
};

static const struct json *attrs_of(struct ctx *c, const struct making *m)
{
    struct json *o = json_obj(c->arena);

    json_set_str(c->arena, o, "category", enumx_name(&learning_category_enumx, (int)m->in->category));
    json_set(c->arena, o, "tags", strs_to_json(c->arena, m->tags));
    return o;
}

static err learning_create_body(struct ctx *c, void *arg)
{
    struct making *m = arg;
    struct node_new n = { NODE_NEW_DEFAULTS,
                          .space_id = m->space_id,
                          .kind = "learning",
                          .title = m->title,
                          .body = m->in->content,
                          .attrs = attrs_of(c, m),
                          .source_kind = enumx_name(&principal_kind_enumx, (int)c->who->kind) };
    struct learning l = { .category = m->in->category,
                          .scope = m->in->scope,
                          .extraction_method = m->in->method,
                          .source_execution_id = m->in->execution_id,
                          .echo_ratio = m->echo_ratio };
    struct node node;

    n.importance = m->in->importance_score * (m->echo_ratio >= ECHO_DOUBTED ? 0.5 : 1);
    n.confidence = m->in->confidence_score;
    if (c->who->kind == PRINCIPAL_AGENT)
        l.source_agent_id = c->who->id;
    TRY(learning_store_release(c, m->key.live_key));
    TRY(node_create(c, &n, &node));
    l.id = m->id = node.id;
    return learning_store_insert(c, &l, &m->key);
}

static err seen(struct ctx *c, struct uuid id, struct learning_made *out)
{
    out->reason = "duplicate";
    out->of = id;
    return learning_seen_again(c, id, &out->learning);
}

static const char *learning_title_of(struct ctx *c, const struct learning_new *in)
{
    return in->title ? in->title : text_cut(c->arena, in->content, TITLE_CHARS, true);
}

err learning_insert(struct ctx *c, const struct learning_new *in, struct uuid space_id, double echo_ratio,
                    struct uuid *id)
{
    struct making m = { .in = in,
                        .space_id = space_id,
                        .title = learning_title_of(c, in),
                        .key = learning_key(c, space_id, in->content),
                        .echo_ratio = echo_ratio };

    TRY(tags_clean(c, "/tags", in->tags, &m.tags));
    TRY(db_tx(c, learning_create_body, &m));
    *id = m.id;
    return ERR_OK;
}

err learning_write(struct ctx *c, const struct learning_new *in, struct uuid space_id,
                   struct learning_made *out)
{
    struct learning_key key = learning_key(c, space_id, in->content);
    struct uuid alike, id;
    struct echo echo = {0};
    err e;

    *out = (struct learning_made){0};
    if (!in->force)
        TRY(echo_of(c, in->content, space_id, &echo));
    if (echo.ratio >= ECHO_REFUSED) {
        out->reason = "echo";
        out->of = echo.of;
        return ERR_OK;
    }
    TRY(learning_alike(c, learning_title_of(c, in), in->content, space_id, &alike));
    if (!uuid_is_nil(alike))
        return seen(c, alike, out);
    e = learning_insert(c, in, space_id, echo.ratio, &id);
    if (e == ERR_CONFLICT && db_was_duplicate(c)) { /* somebody wrote the same meanwhile */
        ctx_forgive(c);
        TRY(learning_store_equal(c, &key, space_id, &alike));
        return uuid_is_nil(alike) ? fail(c, ERR_CONFLICT, "the same text is being written concurrently; try again")
                                  : seen(c, alike, out);
    }
    TRY(e);
    out->stored = true;
    return learning_read(c, id, &out->learning);
}

err learning_create(struct ctx *c, const struct learning_new *in, struct learning_made *out)
{
    enum audience level = in->scope == LEARNING_GLOBAL ? AUDIENCE_GLOBAL : AUDIENCE_TEAM;
    struct uuid space_id;

    if (in->force)
        TRY(access_permit(c, PERM_MEMORY_MANAGE));
    TRY(audience_space(c, level, in->team_id, &space_id));
    return learning_write(c, in, space_id, out);
}

/* ---- finding */

static bool has_tag(const struct learning *l, const char *tag)
{
    for (size_t i = 0; i < l->tags.n; i++)
        if (strcmp(l->tags.v[i], tag) == 0)
            return true;
    return false;
}

static bool learning_is_wanted(const struct learning_filter *f, const struct learning *l)
{
    bool in_use = l->status == LEARNING_ACTIVE || l->status == LEARNING_VERIFIED;

    return !l->is_archived && (f->status < 0 ? in_use : (int)l->status == f->status) &&
           (f->category < 0 || (int)l->category == f->category) &&
           (f->scope < 0 || (int)l->scope == f->scope) &&
           (uuid_is_nil(f->team_id) || uuid_eq(l->team_id, f->team_id)) && (!f->tag || has_tag(l, f->tag)) &&
           l->importance_score >= f->min_importance;
}

static err learning_recall(struct ctx *c, const struct learning_filter *f, struct recall_out *out)
{
    const char *kind = "learning", *superseded = "superseded";
    struct recall_in in;

    recall_in_defaults(&in);
    in.query = f->query;
    in.kinds = (struct strs){&kind, 1};
    in.limit = RECALL_LIMIT; /* what is not wanted of them is left out afterwards */
    in.touch = false;
    in.body_chars = 0;
    if (f->status > LEARNING_VERIFIED)
        in.include = (struct strs){&superseded, 1};
    return recall_run(c, &in, out);
}

static const struct learning *learning_row_of(const struct learning *rows, size_t n, struct uuid id)
{
    for (size_t i = 0; i < n; i++)
        if (uuid_eq(rows[i].id, id))
            return &rows[i];
    return NULL;
}

static void learning_was_shown(struct ctx *c, const struct page *p)
{
    struct served_text *texts = ARENA_ARRAY(c->arena, struct served_text, p->n + 1);
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, p->n + 1);
    const struct learning *rows = p->items;

    for (size_t i = 0; i < p->n; i++) {
        ids[i] = rows[i].id;
        texts[i] = (struct served_text){rows[i].id, rows[i].content};
    }
    node_touch(c, ids, p->n);
    served_remember(c, texts, p->n);
}

static err learning_search(struct ctx *c, const struct learning_filter *f, struct page *out)
{
    struct recall_out found;
    struct learning *rows, *list;
    size_t n_rows, n = 0;
    struct uuid *ids;

    TRY(learning_recall(c, f, &found));
    list = ARENA_ARRAY(c->arena, struct learning, found.hits.n + 1);
    ids = ARENA_ARRAY(c->arena, struct uuid, found.hits.n + 1);
    for (size_t i = 0; i < found.hits.n; i++)
        ids[i] = ((const struct recall_hit *)found.hits.v)[i].id;
    TRY(learning_store_many(c, ids, found.hits.n, &rows, &n_rows));
    for (size_t i = 0; i < found.hits.n && (int64_t)n < f->limit; i++) {
        const struct learning *row = learning_row_of(rows, n_rows, ids[i]);

        if (!row || !access_may_read(c, row->space_id) || !learning_is_wanted(f, row))
            continue;
        list[n] = *row;
        list[n++].score = lifecycle_round(((const struct recall_hit *)found.hits.v)[i].score);
    }
    *out = (struct page){.items = list, .n = n};
    learning_was_shown(c, out);
    return ERR_OK;
}

err learning_find(struct ctx *c, const struct learning_filter *f, struct page *out)
{
    struct learning *rows;
    struct uuid before;
    size_t n, kept = 0;

    if (f->query && *f->query)
        return learning_search(c, f, out);
    TRY(page_begin(c, f->cursor, &before));
    TRY(learning_store_list(c, f, before, c->access->readable, c->access->n, &rows, &n));
    PAGE_END(c, out, rows, n, f->limit, struct learning, id);
    rows = out->items;
    for (size_t i = 0; i < out->n; i++) /* those that have faded below what was asked for */
        if (learning_is_wanted(f, &rows[i]))
            rows[kept++] = rows[i];
    out->n = kept;
    return ERR_OK;
}

/* ---- how they do together */

err learning_metrics(struct ctx *c, struct learning_metrics *out)
{
    int64_t in_use, categories;

    *out = (struct learning_metrics){0};
    TRY(learning_store_metrics(c, c->access->readable, c->access->n, out, &in_use, &categories));
    for (size_t i = 0; i < out->by_status.n; i++)
        out->total += ((const struct learning_count *)out->by_status.v)[i].n;
    out->compound_score = learning_compound_score(categories, out->average_effectiveness, in_use);
    out->average_importance = lifecycle_round(out->average_importance);
    out->average_confidence = lifecycle_round(out->average_confidence);
    if (!isnan(out->average_effectiveness))
        out->average_effectiveness = lifecycle_round(out->average_effectiveness);
    return ERR_OK;
}
