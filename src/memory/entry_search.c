/* Entries by recall; see entry_search.h. */
#include "entry_search.h"

#include "context_store.h"
#include "entry_impl.h"
#include "recall.h"
#include "served.h"
#include "tags.h"

ENUMX_DEFINE(search_type, SEARCH_TYPE);

#define ANY_MAX 3

static err check_words(struct ctx *c, const char *pointer, const struct enumx *e, struct strs words)
{
    int v;

    for (size_t i = 0; i < words.n; i++)
        if (!enumx_parse(e, words.v[i], &v))
            return fail_field(c, arena_printf(c->arena, "%s/%zu", pointer, i), "'%s' is not a valid %s", words.v[i], e->type);
    return ERR_OK;
}

static bool names_working(struct strs words)
{
    for (size_t i = 0; i < words.n; i++)
        if (str_eq(words.v[i], "working"))
            return true;
    return false;
}

static err filters_of(struct ctx *c, const struct entry_search *in, struct recall_filters *out)
{
    struct recall_any *any = ARENA_ARRAY(c->arena, struct recall_any, ANY_MAX);
    size_t n = 0;

    TRY(check_words(c, "/entry_types", &entry_type_enumx, in->entry_types));
    TRY(check_words(c, "/memory_types", &memory_type_enumx, in->memory_types));
    *out = (struct recall_filters){.min_importance = in->min_importance, .aside = names_working(in->memory_types)};
    TRY(tags_clean(c, "/tags", in->tags, &out->tags));
    if (in->entry_types.n)
        any[n++] = (struct recall_any){"entry_type", in->entry_types};
    if (in->memory_types.n)
        any[n++] = (struct recall_any){"memory_type", in->memory_types};
    if (in->outcome != OUTCOME_UNKNOWN) {
        const char **word = ARENA_ARRAY(c->arena, const char *, 1);

        *word = enumx_name(&outcome_enumx, (int)in->outcome);
        any[n++] = (struct recall_any){"outcome", {word, 1}};
    }
    out->any = (struct list){any, n};
    return ERR_OK;
}

static const struct entry_row *entry_search_row_of(const struct entry_row *rows, size_t n, struct uuid id)
{
    for (size_t i = 0; i < n; i++)
        if (uuid_eq(rows[i].entry.id, id))
            return &rows[i];
    return NULL;
}

/* What the caller is shown here is no new memory when it writes it down again. */
static void entry_search_note_served(struct ctx *c, const struct entry_hit *hits, size_t n)
{
    struct served_text *texts = ARENA_ARRAY(c->arena, struct served_text, n + 1);

    for (size_t i = 0; i < n; i++)
        texts[i] = (struct served_text){hits[i].entry->id, hits[i].entry->content_text};
    served_remember(c, texts, n);
}

/* What was forgotten since the index was read is left out. */
static err entry_search_fill(struct ctx *c, const struct recall_out *found, struct entry_hits *out)
{
    const struct recall_hit *hits = found->hits.v;
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, found->hits.n + 1);
    struct entry_hit *list = ARENA_ARRAY(c->arena, struct entry_hit, found->hits.n + 1);
    struct entry_row *rows;
    size_t n, k = 0;

    for (size_t i = 0; i < found->hits.n; i++)
        ids[i] = hits[i].id;
    TRY(entry_store_many(c, ids, found->hits.n, &rows, &n));
    for (size_t i = 0; i < n; i++)
        entry_present(c, &rows[i]);
    for (size_t i = 0; i < found->hits.n; i++) {
        const struct entry_row *e = entry_search_row_of(rows, n, hits[i].id);

        if (e && entry_is_there(c, e))
            list[k++] = (struct entry_hit){&e->entry, hits[i].score, hits[i].similarity < 0 ? -1 : hits[i].similarity};
    }
    entry_search_note_served(c, list, k);
    out->hits = (struct list){list, k};
    out->degraded = found->degraded;
    return ERR_OK;
}

static int64_t entry_search_count(const struct uuid *ids, size_t n, struct uuid id)
{
    int64_t k = 0;

    while (n)
        k += uuid_eq(ids[--n], id);
    return k;
}

err entry_search_log(struct ctx *c, const char *query, const struct uuid *asked, const struct uuid *contexts, size_t n_hits)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, n_hits + 1), *with_text;
    size_t n = 0, n_with_text;

    if (asked)
        ids[n++] = *asked;
    for (size_t i = 0; i < n_hits && !asked; i++)
        if (!entry_search_count(ids, n, contexts[i]))
            ids[n++] = contexts[i];
    TRY(context_store_log_queries(c, ids, n, &with_text, &n_with_text));
    for (size_t i = 0; i < n; i++)
        access_log_read(c, &(struct access_read){.action = LOGGED_SEARCH, .context_id = ids[i], .query = query,
                                                 .keeps_query = entry_search_count(with_text, n_with_text, ids[i]) != 0,
                                                 .hits = entry_search_count(contexts, n_hits, ids[i])});
    return ERR_OK;
}

static err log_search(struct ctx *c, const struct entry_search *in, const struct context *asked, const struct entry_hits *out)
{
    const struct entry_hit *hits = out->hits.v;
    struct uuid *contexts = ARENA_ARRAY(c->arena, struct uuid, out->hits.n + 1);

    for (size_t i = 0; i < out->hits.n; i++)
        contexts[i] = hits[i].entry->context_id;
    return entry_search_log(c, in->query, asked ? &asked->id : NULL, contexts, out->hits.n);
}

static err check_asked(struct ctx *c, const struct entry_search *in)
{
    if (!in->query && !in->query_embedding.n)
        return fail_field(c, "/query", "give query, or query_embedding with model");
    if (in->query_embedding.n && in->search_type == SEARCH_KEYWORD)
        return fail_field(c, "/search_type", "keyword search is not possible with query_embedding");
    if (in->query_embedding.n && str_empty(in->model))
        return fail_field(c, "/model", "model is required with query_embedding");
    return ERR_OK;
}

err entry_search(struct ctx *c, const struct entry_search *in, struct entry_hits *out)
{
    static const enum recall_mode MODES[] = {MODE_HYBRID, MODE_VECTOR, MODE_KEYWORD};
    static const char *KINDS[] = {"entry", "fact"};
    struct recall_filters filters;
    struct recall_out found;
    struct recall_in ask;
    struct context x;

    recall_in_defaults(&ask);
    ask.query = in->query ? in->query : "";
    ask.embedding = in->query_embedding;
    ask.model = in->model;
    ask.mode = in->query ? MODES[in->search_type] : MODE_VECTOR;
    ask.kinds = (struct strs){KINDS, 2};
    ask.limit = in->limit;
    ask.min_score = in->min_score;
    ask.keeps_words = true;
    ask.body_chars = 0;
    ask.touch = !in->peek;
    if (in->context) {
        TRY(context_find(c, in->context, &x));
        ask.spaces = (struct uuids){&x.id, 1};
    }
    TRY(check_asked(c, in));
    TRY(filters_of(c, in, &filters));
    ask.filters = &filters;
    TRY(recall_run(c, &ask, &found));
    TRY(entry_search_fill(c, &found, out));
    return log_search(c, in, in->context ? &x : NULL, out);
}
