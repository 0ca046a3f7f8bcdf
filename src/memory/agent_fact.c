/* Facts of an agent as entries, which are beliefs; see agent_fact.h. */
#include "agent_fact.h"

#include "context_copy.h"
#include "node.h"
#include "subject.h"

static err agent_fact_open_memory(struct ctx *c, struct uuid agent_id, enum access_level level, struct context *out)
{
    struct uuid id;

    TRY(subject_or_self(c, agent_id, level, &id));
    return context_ensure(c, id, CONTEXT_FACTUAL, out);
}

static struct agent_fact fact_of(struct ctx *c, const struct entry *e)
{
    const struct json *metadata = json_opened(c->arena, e->metadata), *category = json_get(metadata, "category");

    return (struct agent_fact){
        .id = e->id, .key = e->entry_key, .value = e->content,
        .category = category && category->type == JSON_STR ? category->s : NULL, .tags = e->context_tags, .metadata = e->metadata,
        .importance_score = e->importance_score, .confidence_score = e->confidence_score, .source_type = e->source_type,
        .source_id = e->source_id, .status = e->status, .author_kind = e->author_kind, .author_id = e->author_id,
        .access_count = e->access_count, .version = e->version, .created_at = e->created_at, .updated_at = e->updated_at,
        .expires_at = e->expires_at, .archived_at = e->archived_at, .created = e->created, .changed = e->changed,
        .evicted = e->evicted};
}

/* ---- writing */

static const struct json *agent_fact_metadata_of(struct ctx *c, const struct agent_fact_new *in)
{
    struct json *said;

    if (!in->category)
        return in->metadata;
    said = json_obj(c->arena);
    json_set_str(c->arena, said, "category", in->category);
    return in->metadata ? json_merge_patch(c->arena, in->metadata, said) : said;
}

static struct entry_new agent_fact_entry_of(struct ctx *c, const struct agent_fact_new *in)
{
    return (struct entry_new){
        .entry_key = in->key, .entry_type = ENTRY_FACT, .memory_type = MEMORY_FACTUAL, .content = in->value,
        .source_type = in->source_type, .source_id = in->source_id, .context_tags = in->tags, .metadata = agent_fact_metadata_of(c, in),
        .importance_score = in->importance, .confidence_score = in->confidence, .expires_at = in->expires_at};
}

err agent_fact_put(struct ctx *c, struct uuid agent_id, const struct agent_fact_new *in, struct agent_fact *out)
{
    struct entry_new n = agent_fact_entry_of(c, in);
    struct context x;
    struct entry e;

    TRY(agent_fact_open_memory(c, agent_id, ACCESS_WRITE, &x));
    TRY(entry_put(c, x.context_id, &n, &e));
    *out = fact_of(c, &e);
    return ERR_OK;
}

err agent_fact_update(struct ctx *c, struct uuid agent_id, const char *key, const struct entry_patch *p, struct agent_fact *out)
{
    struct context x;
    struct entry e;

    TRY(agent_fact_open_memory(c, agent_id, ACCESS_WRITE, &x));
    TRY(entry_update(c, x.context_id, key, p, &e));
    *out = fact_of(c, &e);
    return ERR_OK;
}

err agent_fact_remove(struct ctx *c, struct uuid agent_id, const char *key, int64_t if_version, struct agent_fact *out)
{
    struct context x;
    struct entry e;

    TRY(agent_fact_open_memory(c, agent_id, ACCESS_WRITE, &x));
    TRY(entry_archive(c, x.context_id, key, true, if_version, &e));
    *out = fact_of(c, &e);
    return ERR_OK;
}

err agent_fact_clear(struct ctx *c, struct uuid agent_id, const struct entry_filter *f, int64_t *archived, bool *remaining)
{
    struct entry_filter first = *f;
    const struct entry *rows;
    struct uuid *ids;
    struct page page;
    struct context x;

    first.limit = FACTS_CLEARED;
    first.is_light = true;
    TRY(agent_fact_open_memory(c, agent_id, ACCESS_WRITE, &x));
    TRY(entry_list(c, x.context_id, &first, &page));
    rows = page.items;
    ids = ARENA_ARRAY(c->arena, struct uuid, page.n + 1);
    for (size_t i = 0; i < page.n; i++)
        ids[i] = rows[i].id;
    TRY(entry_archive_many(c, x.context_id, ids, page.n));
    *archived = (int64_t)page.n;
    *remaining = page.next_cursor != NULL;
    return ERR_OK;
}

/* ---- reading */

err agent_fact_get(struct ctx *c, struct uuid agent_id, const char *key, struct agent_fact *out)
{
    struct context x;
    struct entry e;

    TRY(agent_fact_open_memory(c, agent_id, ACCESS_READ, &x));
    TRY(entry_get(c, x.context_id, key, &e));
    node_touch(c, &e.id, 1);
    *out = fact_of(c, &e);
    return ERR_OK;
}

err agent_fact_list(struct ctx *c, struct uuid agent_id, const struct entry_filter *f, struct page *out)
{
    const struct entry *rows;
    struct agent_fact *list;
    struct context x;

    TRY(agent_fact_open_memory(c, agent_id, ACCESS_READ, &x));
    TRY(entry_list(c, x.context_id, f, out));
    rows = out->items;
    list = ARENA_ARRAY(c->arena, struct agent_fact, out->n + 1);
    for (size_t i = 0; i < out->n; i++)
        list[i] = fact_of(c, &rows[i]);
    out->items = list;
    return ERR_OK;
}

err agent_fact_search(struct ctx *c, struct uuid agent_id, const char *query, int64_t limit, struct agent_fact_hits *out)
{
    const struct entry_hit *found;
    struct agent_fact_hit *list;
    struct entry_hits hits;
    struct agent_fact *facts;
    struct context x;

    TRY(agent_fact_open_memory(c, agent_id, ACCESS_READ, &x));
    TRY(entry_search(c, &(struct entry_search){.context = x.context_id, .query = query, .search_type = SEARCH_KEYWORD,
                                               .limit = limit}, &hits));
    found = hits.hits.v;
    facts = ARENA_ARRAY(c->arena, struct agent_fact, hits.hits.n + 1);
    list = ARENA_ARRAY(c->arena, struct agent_fact_hit, hits.hits.n + 1);
    for (size_t i = 0; i < hits.hits.n; i++) {
        facts[i] = fact_of(c, found[i].entry);
        list[i] = (struct agent_fact_hit){&facts[i], found[i].score};
    }
    *out = (struct agent_fact_hits){{list, hits.hits.n}, hits.degraded};
    return ERR_OK;
}

err agent_fact_stats(struct ctx *c, struct uuid agent_id, struct context_stats *out)
{
    struct context x;

    TRY(agent_fact_open_memory(c, agent_id, ACCESS_READ, &x));
    return context_stats(c, x.context_id, out);
}

/* ---- many */

/* The live entry of that very key. */
static err agent_fact_is_there(struct ctx *c, const char *context, const char *key, bool *yes)
{
    struct entry e;
    err r = entry_get(c, context, key, &e);

    *yes = r == ERR_OK && str_eq(e.entry_key, key) && !e.archived_at.us;
    if (r != ERR_NOT_FOUND)
        return r;
    ctx_forgive(c);
    return ERR_OK;
}

static err sync_one(struct ctx *c, const char *context, const struct entry_new *in, bool overwrite, struct agent_fact_synced *out)
{
    struct entry e;
    bool kept = false;

    if (!overwrite)
        TRY(agent_fact_is_there(c, context, in->entry_key, &kept));
    if (kept) {
        out->kept++;
        return ERR_OK;
    }
    TRY(entry_put(c, context, in, &e));
    out->created += e.created;
    out->updated += !e.created && e.changed;
    out->unchanged += !e.changed;
    return ERR_OK;
}

err agent_fact_sync_begin(struct ctx *c, struct uuid agent_id, const char **context)
{
    struct context x;

    TRY(agent_fact_open_memory(c, agent_id, ACCESS_WRITE, &x));
    *context = x.context_id;
    return ERR_OK;
}

err agent_fact_sync_one(struct ctx *c, const char *context, const struct agent_fact_new *in, bool overwrite, struct agent_fact_synced *out)
{
    struct entry_new n = agent_fact_entry_of(c, in);

    return sync_one(c, context, &n, overwrite, out);
}

err agent_fact_sync_from(struct ctx *c, const char *context, const char *source, double min_importance, bool overwrite,
                         struct agent_fact_synced *out)
{
    struct imported done = {0};

    TRY(context_copy_facts(c, context, source,
                           &(struct facts_wanted){.min_importance = min_importance, .limit = FACTS_AT_ONCE, .overwrite = overwrite}, &done));
    *out = (struct agent_fact_synced){.created = done.created, .updated = done.updated, .unchanged = overwrite ? done.unchanged : 0,
                                      .kept = overwrite ? 0 : done.unchanged};
    return ERR_OK;
}
