/* Making, reading and finding shared knowledge; see knowledge.h. */
#include "knowledge.h"

#include <string.h>

#include "access.h"
#include "alike.h"
#include "content.h"
#include "db.h"
#include "echo.h"
#include "knowledge_impl.h"
#include "knowledge_score.h"
#include "lifecycle.h"
#include "limit.h"
#include "merge.h"
#include "node.h"
#include "recall.h"
#include "served.h"
#include "str.h"
#include "strs_json.h"
#include "tags.h"

ENUMX_DEFINE(knowledge_type, KNOWLEDGE_TYPE);
ENUMX_DEFINE(knowledge_source, KNOWLEDGE_SOURCE);

/* ---- what the files share */

struct knowledge_key knowledge_key(struct ctx *c, struct uuid space_id, const char *content)
{
    return (struct knowledge_key){ content_hash(c->arena, "", content, NULL),
                                   content_hash(c->arena, UUID_STR(space_id), content, NULL) };
}

static double quality_now(struct ctx *c, const struct knowledge *k)
{
    return knowledge_quality(&(struct knowledge_facts){ .structure = k->structure,
                                                        .uses = k->usage_count,
                                                        .rating_sum = k->rating_sum,
                                                        .rating_count = k->rating_count,
                                                        .created_at = k->created_at,
                                                        .last_used_at = k->last_used_at },
                             c->now);
}

void knowledge_judge(struct ctx *c, struct knowledge *k)
{
    k->structure = knowledge_structure(k->content, k->tags.n);
    k->quality_score = quality_now(c, k);
}

void knowledge_present(struct ctx *c, struct knowledge *k, bool whole)
{
    size_t bytes = whole ? strlen(k->content) : str_first_bytes(k->content, KNOWLEDGE_SHOWN);

    k->content_cut = k->content[bytes] != 0;
    if (k->content_cut)
        k->content = arena_strndup(c->arena, k->content, bytes);
    k->quality_score = quality_now(c, k);
    k->rating = k->rating_count ? lifecycle_round((double)k->rating_sum / (double)k->rating_count) : 0;
}

err knowledge_read(struct ctx *c, struct uuid id, struct knowledge *out)
{
    bool found;

    TRY(knowledge_store_get(c, id, LIMIT_NODE_BODY, &found, out));
    if (!found || !access_may_read(c, out->space_id))
        return fail(c, ERR_NOT_FOUND, "no such knowledge");
    knowledge_present(c, out, true);
    return ERR_OK;
}

err knowledge_duplicate(struct ctx *c, struct uuid existing, double similarity)
{
    struct json *value = json_obj(c->arena);
    err e = fail_reason(c, ERR_CONFLICT, "duplicate", "duplicate knowledge exists already: %s",
                        UUID_STR(existing));

    json_set_str(c->arena, value, "existing_id", uuid_text(existing, arena_alloc(c->arena, UUID_TEXT)));
    json_set(c->arena, value, "similarity", json_num(c->arena, lifecycle_round(similarity)));
    c->fault.current_value = value;
    return e;
}

const struct json *knowledge_attrs(struct ctx *c, const struct knowledge *k)
{
    struct json *o = json_obj(c->arena);

    json_set_str(c->arena, o, "content_type", enumx_name(&knowledge_type_enumx, (int)k->content_type));
    json_set(c->arena, o, "tags", strs_to_json(c->arena, k->tags));
    return o;
}

/* ---- making */

struct making {
    struct knowledge k;
    struct knowledge_key key;
};

static err create_body(struct ctx *c, void *arg)
{
    struct making *m = arg;
    struct node_new n = { NODE_NEW_DEFAULTS,
                          .space_id = m->k.space_id,
                          .kind = "knowledge",
                          .title = m->k.title,
                          .body = m->k.content,
                          .attrs = knowledge_attrs(c, &m->k),
                          .source_kind = enumx_name(&principal_kind_enumx, (int)c->who->kind) };
    struct node node;

    n.importance *= m->k.echo_ratio >= ECHO_DOUBTED ? 0.5 : 1;
    TRY(knowledge_store_release(c, m->key.live_key));
    TRY(node_create(c, &n, &node));
    m->k.id = node.id;
    return knowledge_store_insert(c, &m->k, &m->key);
}

/* Of what the caller may read; by the same text, else by what it says. */
static err refuse_duplicate(struct ctx *c, const struct making *m)
{
    struct alike alike;
    struct uuid *spaces, equal;
    size_t n;

    TRY(audience_wider(c, m->k.access_level, m->k.space_id, &spaces, &n));
    TRY(knowledge_store_equal(c, m->key.text_hash, spaces, n, &equal));
    if (!uuid_is_nil(equal))
        return knowledge_duplicate(c, equal, 1);
    TRY(alike_find(c, "knowledge", m->k.title, m->k.content, spaces, n, &alike));
    return uuid_is_nil(alike.id) ? ERR_OK : knowledge_duplicate(c, alike.id, alike.similarity);
}

static err refuse_echo(struct ctx *c, struct making *m)
{
    struct json *value = json_obj(c->arena);
    struct echo echo;
    err e;

    TRY(echo_of(c, m->k.content, m->k.space_id, &echo));
    m->k.echo_ratio = echo.ratio;
    if (echo.ratio < ECHO_REFUSED)
        return ERR_OK;
    e = fail_reason(c, ERR_CONFLICT, "echo", "recall just returned this to you: %s", UUID_STR(echo.of));
    json_set_str(c->arena, value, "of", uuid_text(echo.of, arena_alloc(c->arena, UUID_TEXT)));
    c->fault.current_value = value;
    return e;
}

err knowledge_create(struct ctx *c, const struct knowledge_new *in, struct knowledge *out)
{
    struct making m = { .k = { .title = in->title,
                               .content = in->content,
                               .content_type = in->content_type,
                               .access_level = in->access_level,
                               .provenance = json_obj(c->arena),
                               .creator_id = c->who->id,
                               .source_type =
                                   c->who->kind == PRINCIPAL_AGENT ? KNOWLEDGE_BY_AGENT : KNOWLEDGE_BY_HAND,
                               .created_at = c->now } };
    err e;

    if (in->force)
        TRY(access_permit(c, PERM_MEMORY_MANAGE));
    TRY(tags_clean(c, "/tags", in->tags, &m.k.tags));
    TRY(audience_space(c, in->access_level, in->team_id, &m.k.space_id));
    m.key = knowledge_key(c, m.k.space_id, in->content);
    knowledge_judge(c, &m.k);
    if (!in->force)
        TRY(refuse_echo(c, &m));
    TRY(refuse_duplicate(c, &m));
    e = db_tx(c, create_body, &m);
    if (e == ERR_CONFLICT && db_was_duplicate(c)) { /* somebody wrote the same meanwhile */
        ctx_forgive(c);
        TRY(refuse_duplicate(c, &m));
        return fail(c, ERR_CONFLICT, "the same text is being written concurrently; try again");
    }
    TRY(e);
    return knowledge_read(c, m.k.id, out);
}

err knowledge_insert(struct ctx *c, struct knowledge *k, bool *made)
{
    struct making m = {.k = *k, .key = knowledge_key(c, k->space_id, k->content)};
    struct uuid *spaces, equal;
    size_t n;

    TRY(audience_wider(c, k->access_level, k->space_id, &spaces, &n));
    TRY(knowledge_store_equal(c, m.key.text_hash, spaces, n, &equal));
    *made = uuid_is_nil(equal);
    if (!*made)
        return ERR_OK;
    knowledge_judge(c, &m.k);
    TRY(create_body(c, &m));
    k->id = m.k.id;
    return ERR_OK;
}

/* ---- reading */

err knowledge_get(struct ctx *c, struct uuid id, struct knowledge *out)
{
    struct uuid keeper = {0};

    TRY(knowledge_read(c, id, out));
    if (out->archived_at.us)
        TRY(merge_keeper_of(c, id, &keeper));
    if (!uuid_is_nil(keeper)) {
        *out = (struct knowledge){0};
        TRY(knowledge_read(c, keeper, out));
        out->merged_from = id;
    }
    node_use(c, out->id);
    served_remember(c, &(struct served_text){out->id, out->content}, 1);
    return ERR_OK;
}

err knowledge_look(struct ctx *c, struct uuid id, struct knowledge *out)
{
    return knowledge_read(c, id, out);
}

err knowledge_by_title(struct ctx *c, const char *title, bool *found, struct uuid *id)
{
    return knowledge_store_by_title(c, title, found, id);
}

/* What filters of ours cannot tell the recall is asked of more hits than are wanted. */
static bool is_wanted(const struct knowledge_filter *f, const struct knowledge *k)
{
    return (f->access_level < 0 || (int)k->access_level == f->access_level) &&
           (!f->high_quality || k->quality_score >= QUALITY_HIGH);
}

static err recall(struct ctx *c, const struct knowledge_filter *f, struct recall_out *out)
{
    struct recall_filters filters = {.tags = f->tags};
    struct json *attrs = json_obj(c->arena);
    const char *kind = "knowledge";
    struct recall_in in;

    recall_in_defaults(&in);
    in.query = f->query;
    in.kinds = (struct strs){&kind, 1};
    in.filters = &filters;
    in.limit = f->high_quality || f->access_level >= AUDIENCE_ACCOUNT ? RECALL_LIMIT : f->limit;
    in.touch = false; /* those that are shown are */
    in.body_chars = 0;
    if (f->content_type >= 0) {
        json_set_str(c->arena, attrs, "content_type", enumx_name(&knowledge_type_enumx, f->content_type));
        filters.attrs = attrs;
    }
    *out = (struct recall_out){0};
    if (f->access_level >= 0) {
        TRY(audience_readable(c, (enum audience)f->access_level, &in.spaces.v, &in.spaces.n));
        if (!in.spaces.n)
            return ERR_OK;
    }
    return recall_run(c, &in, out);
}

static const struct knowledge *row_of(const struct knowledge *rows, size_t n, struct uuid id)
{
    for (size_t i = 0; i < n; i++)
        if (uuid_eq(rows[i].id, id))
            return &rows[i];
    return NULL;
}

/* Rows in the order of the hits. */
static err rows_of_hits(struct ctx *c, const struct knowledge_filter *f, const struct recall_out *found,
                        struct page *out)
{
    const struct recall_hit *hits = found->hits.v;
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, found->hits.n + 1);
    struct knowledge *list = ARENA_ARRAY(c->arena, struct knowledge, found->hits.n + 1), *rows;
    size_t n_rows, n = 0;

    for (size_t i = 0; i < found->hits.n; i++)
        ids[i] = hits[i].id;
    TRY(knowledge_store_many(c, ids, found->hits.n, &rows, &n_rows));
    for (size_t i = 0; i < found->hits.n && (int64_t)n < f->limit; i++) {
        const struct knowledge *row = row_of(rows, n_rows, hits[i].id);

        if (!row || !access_may_read(c, row->space_id))
            continue;
        list[n] = *row;
        list[n].score = lifecycle_round(hits[i].score);
        knowledge_present(c, &list[n], false);
        n += is_wanted(f, &list[n]);
    }
    *out = (struct page){.items = list, .n = n};
    return ERR_OK;
}

static void was_shown(struct ctx *c, const struct page *p)
{
    struct served_text *texts = ARENA_ARRAY(c->arena, struct served_text, p->n + 1);
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, p->n + 1);
    const struct knowledge *rows = p->items;

    for (size_t i = 0; i < p->n; i++) {
        ids[i] = rows[i].id;
        texts[i] = (struct served_text){rows[i].id, rows[i].content};
    }
    node_touch(c, ids, p->n);
    served_remember(c, texts, p->n);
}

static err search(struct ctx *c, const struct knowledge_filter *f, struct page *out)
{
    struct recall_out found;

    TRY(recall(c, f, &found));
    *out = (struct page){0};
    if (found.hits.n)
        TRY(rows_of_hits(c, f, &found, out));
    was_shown(c, out);
    return ERR_OK;
}

err knowledge_find(struct ctx *c, const struct knowledge_filter *filter, struct page *out)
{
    struct knowledge_filter f = *filter;
    struct knowledge *rows;
    struct uuid before;
    size_t n;

    TRY(tags_clean(c, "/tags", f.tags, &f.tags));
    if (!str_empty(f.query))
        return search(c, &f, out);
    TRY(page_begin(c, f.cursor, &before));
    TRY(knowledge_store_list(c, &f, before, c->access->readable, c->access->n, &rows, &n));
    for (size_t i = 0; i < n; i++)
        knowledge_present(c, &rows[i], false);
    PAGE_END(c, out, rows, n, f.limit, struct knowledge, id);
    return ERR_OK;
}

err knowledge_health(struct ctx *c, struct knowledge_health *out)
{
    *out = (struct knowledge_health){0};
    TRY(knowledge_store_health(c, c->access->readable, c->access->n, out));
    out->average_quality = lifecycle_round(out->average_quality);
    out->average_rating = lifecycle_round(out->average_rating);
    return ERR_OK;
}
