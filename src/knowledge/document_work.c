/* A document becomes chunks: cut outside a transaction, published in one; see document.h. */
#include <string.h>

#include "app.h"
#include "audit.h"
#include "base_model.h"
#include "chunker.h"
#include "content.h"
#include "db.h"
#include "document_impl.h"
#include "document_store.h"
#include "limit.h"
#include "names.h"

struct document_work {
    struct uuid id;
    struct document document;
    struct knowledge_base base;
    bool is_idle; /* there is nothing to do */
    bool is_gone; /* its address says that it is gone */
    const char *text;
    struct chunk *chunks;
    struct node_new *nodes;
    size_t n;
    struct chunk_diff diff;
    struct uuids names;                 /* entities that are new */
    const char *stage, *code, *message; /* of a failure */
};

/* ---- beginning */

static err work_begin(struct ctx *c, void *arg)
{
    struct document_work *w = arg;
    struct document was;
    bool found;

    TRY(document_store_lock(c, w->id, &found, &w->document));
    w->is_idle = !found || !w->document.wants_processing;
    if (w->is_idle)
        return ERR_OK;
    TRY(knowledge_base_get(c, w->document.knowledge_base_id, &w->base));
    w->is_idle = w->base.status == KB_PAUSED || w->base.status == KB_ARCHIVED; /* resuming promises it again */
    if (w->is_idle || w->document.status == DOCUMENT_PROCESSING)
        return ERR_OK;
    was = w->document;
    w->document.status = DOCUMENT_PROCESSING;
    w->document.stage = w->document.wants_fetch ? "fetch" : w->document.original_bytes ? "extract" : "chunk";
    TRY(knowledge_base_start_indexing(c, w->base.id));
    return document_save(c, "start_processing", &was, &w->document);
}

/* ---- cutting */

/* Attributes name the document, so that a search can be limited to it; the place is kept in the row, so that a chunk may move. */
static const struct json *chunk_attrs(struct ctx *c, const struct document *d)
{
    struct json *o = json_obj(c->arena);

    json_set_str(c->arena, o, "document_id", arena_strdup(c->arena, UUID_STR(d->id)));
    return o;
}

/* Form feeds stand between pages. */
static int64_t pages_until(const char *text, size_t *at, size_t to, int64_t page)
{
    for (; *at < to; ++*at)
        page += text[*at] == '\f';
    return page;
}

static void work_fill_pages(struct document_work *w)
{
    size_t at = 0;
    int64_t page = 1;

    for (size_t i = 0; i < w->n && w->document.page_count; i++) {
        size_t from = (size_t)w->chunks[i].start_offset, behind;
        int64_t last;

        if (from < at) { /* it repeats the end of the one before */
            for (size_t p = from; p < at; p++)
                page -= w->text[p] == '\f';
            at = from;
        }
        page = pages_until(w->text, &at, from, page);
        behind = at;
        last = pages_until(w->text, &behind, (size_t)w->chunks[i].end_offset, page);
        w->chunks[i].page_from = page;
        w->chunks[i].page_to = last;
    }
}

static void work_fill(struct ctx *c, struct document_work *w, const struct chunk_cut *cuts)
{
    struct bytes *hashes = ARENA_ARRAY(c->arena, struct bytes, w->n + 1);
    const struct json *attrs = chunk_attrs(c, &w->document);

    w->diff = (struct chunk_diff){.nodes = w->nodes, .hashes = hashes, .n = w->n};
    for (size_t i = 0; i < w->n; i++) {
        const struct chunk_cut *cut = &cuts[i];
        struct chunk_text t = chunk_text_of(c, w->document.name, w->text, cut);

        hashes[i] = t.hash;
        w->nodes[i] = (struct node_new){NODE_NEW_DEFAULTS, .space_id = w->document.space_id, .kind = "chunk", .body = t.body,
                                        .title = t.title, .attrs = attrs};
        w->chunks[i] = (struct chunk){.document_id = w->id, .sequence_number = (int64_t)i, .start_offset = (int64_t)cut->start,
                                      .end_offset = (int64_t)cut->end, .overlap = (int64_t)cut->overlap, .heading_path = cut->heading_path,
                                      .tokens = content_tokens(t.body), .embed_hash = t.hash};
    }
}

static err work_cut(struct ctx *c, struct document_work *w)
{
    struct chunk_settings s = {.strategy = w->base.chunking_strategy, .size = w->base.chunk_size, .overlap = w->base.chunk_overlap,
                               .is_markdown = w->document.is_markdown};
    struct list cuts;
    struct buf text;
    int64_t at;

    w->stage = "chunk";
    buf_init(&text, c->arena, (size_t)w->document.content_size_bytes + 1);
    TRY(document_store_text(c, w->id, w->document.source_version, 0, INT64_MAX, &text, &at));
    w->text = buf_str(&text);
    TRY(chunker_cut(c, w->text, text.len, &s, &cuts));
    w->n = cuts.n;
    w->nodes = ARENA_ARRAY(c->arena, struct node_new, w->n + 1);
    w->chunks = ARENA_ARRAY(c->arena, struct chunk, w->n + 1);
    work_fill(c, w, cuts.v);
    work_fill_pages(w);
    return ctx_check_size(c);
}

/* ---- publishing */

/* Equal chunks keep their node, vector and edges; only their place moves. */
static err put_chunks(struct ctx *c, struct document_work *w)
{
    struct chunk_kept *old;

    TRY(chunk_store_kept(c, w->id, &old, &w->diff.n_old));
    w->diff.old = old;
    TRY(chunk_diff_put(c, w->document.space_id, &w->diff));
    for (size_t i = 0; i < w->n; i++)
        w->chunks[i].id = w->diff.ids[i];
    return chunk_store_replace(c, w->id, w->chunks, w->n);
}

/* The names of chunks that are new, and of those that are gone. */
static err work_names(struct ctx *c, struct document_work *w)
{
    struct names_chunk *added = ARENA_ARRAY(c->arena, struct names_chunk, w->diff.n_made + 1);
    struct names_change ch = {.space_id = w->document.space_id, .title = w->document.name, .added = added, .removed = w->diff.gone,
                              .n_removed = w->diff.n_gone};

    for (size_t i = 0; i < w->n && w->base.extraction != EXTRACTION_OFF; i++)
        if (!uuid_is_nil(w->nodes[i].id))
            added[ch.n_added++] = (struct names_chunk){w->nodes[i].id, w->chunks[i].heading_path, w->nodes[i].body, !i};
    return names_follow(c, &ch, &w->names);
}

static err tell_indexed(struct ctx *c, const struct document_work *w)
{
    struct json *said = json_obj(c->arena), *chunks = json_set(c->arena, said, "chunks", json_obj(c->arena));

    json_set_int(c->arena, said, "generation", w->document.generation);
    json_set_int(c->arena, chunks, "kept", (int64_t)(w->n - w->diff.n_made));
    json_set_int(c->arena, chunks, "added", (int64_t)w->diff.n_made);
    json_set_int(c->arena, chunks, "removed", (int64_t)w->diff.n_gone);
    return audit_add(c, &(struct audit){.kind = "document_indexed", .subject_kind = "document", .subject_id = w->id,
                                        .space_id = w->document.space_id, .payload = said, .is_news = true});
}

static int64_t tokens_of_chunks(const struct document_work *w)
{
    int64_t sum = 0;

    for (size_t i = 0; i < w->n; i++)
        sum += w->chunks[i].tokens;
    return sum;
}

static err work_publish(struct ctx *c, void *arg)
{
    struct document_work *w = arg;
    struct document was, d;
    bool found;

    TRY(document_store_lock(c, w->id, &found, &was));
    w->is_idle = !found || !was.wants_processing || was.source_version != w->document.source_version || !str_eq(was.name, w->document.name);
    if (w->is_idle)
        return ERR_OK;                   /* its newer text has a task of its own */
    w->document.space_id = was.space_id; /* it may have moved meanwhile */
    for (size_t i = 0; i < w->n; i++)
        w->nodes[i].space_id = was.space_id;
    TRY(put_chunks(c, w));
    TRY(work_names(c, w));
    if (w->diff.n_made && w->base.extraction > EXTRACTION_NAMES)
        TRY(document_promise_extraction(c, w->id, was.generation + 1, enumx_name(&extraction_enumx, (int)w->base.extraction)));
    d = was;
    d.status = DOCUMENT_INDEXED;
    d.wants_processing = false;
    d.stage = NULL;
    d.generation++;
    d.served_version = d.source_version;
    d.chunk_count = (int64_t)w->n;
    d.token_count = tokens_of_chunks(w);
    d.processed_at = c->now;
    TRY(document_save(c, "complete_indexing", &was, &d));
    w->document = d;
    TRY(document_store_drop_texts(c, d.id, d.served_version - 1)); /* the one before can be brought back */
    TRY(tell_indexed(c, w));
    if (w->diff.n_made)
        TRY(base_model_promise(c, d.knowledge_base_id, d.id, d.generation));
    TRY(knowledge_base_update_stats(c, d.space_id,
                                    &(struct knowledge_base_counts){.chunks = d.chunk_count - was.chunk_count,
                                                                    .tokens = d.token_count - was.token_count}));
    return knowledge_base_complete_indexing(c, d.knowledge_base_id);
}

/* ---- failing */

static err work_fail(struct ctx *c, void *arg)
{
    struct document_work *w = arg;
    struct json *said = json_obj(c->arena);
    struct document was, d;
    bool found;

    TRY(document_store_lock(c, w->id, &found, &was));
    if (!found || !was.wants_processing)
        return ERR_OK;
    d = was;
    d.status = DOCUMENT_FAILED;
    d.wants_processing = d.wants_fetch = false;
    d.stage = NULL;
    d.processing_errors = document_errors_with(c, &was, w->stage, w->code, w->message);
    TRY(document_save(c, "mark_failed", &was, &d));
    json_set_str(c->arena, said, "code", w->code);
    TRY(audit_add(c, &(struct audit){.kind = "document_failed", .subject_kind = "document", .subject_id = w->id,
                                     .space_id = d.space_id, .payload = said, .is_news = true}));
    return knowledge_base_complete_indexing(c, d.knowledge_base_id);
}

/* A person has to look at it first; what was served before is served. */
static err work_hold(struct ctx *c, void *arg)
{
    struct document_work *w = arg;
    struct document was, d;
    bool found;

    TRY(document_store_lock(c, w->id, &found, &was));
    if (!found || !was.wants_processing || !was.is_quarantined)
        return ERR_OK;
    d = was;
    d.status = DOCUMENT_PENDING;
    d.wants_processing = false;
    d.stage = "quarantined";
    TRY(document_save(c, "quarantine", &was, &d));
    return knowledge_base_complete_indexing(c, d.knowledge_base_id);
}

/* A page that is gone: out of recall, and still there to be looked at. */
static err document_gone(struct ctx *c, struct uuid id)
{
    struct document d;

    return document_archive(c, &(struct thing_key){.id = id}, &d);
}

/* What no further try would change. */
static bool is_permanent(const struct ctx *c, err e)
{
    return e == ERR_TOO_LARGE || e == ERR_INVALID || (e == ERR_CONFLICT && c->fault.reason);
}

err document_work(struct ctx *c, struct uuid id)
{
    struct document_work w = {.id = id};
    err e;

    TRY(db_tx(c, work_begin, &w));
    if (w.is_idle)
        return ERR_OK;
    e = document_source_ready(c, &w.document, &w.stage, &w.is_gone);
    if (e == ERR_OK && w.is_gone)
        return document_gone(c, id);
    if (e == ERR_OK && w.document.is_quarantined)
        return db_tx(c, work_hold, &w);
    if (e == ERR_OK)
        e = work_cut(c, &w);
    if (e != ERR_OK && is_permanent(c, e)) {
        w.code = c->fault.reason ? c->fault.reason : "too_large";
        w.message = c->fault.message;
        ctx_forgive(c);
        return db_tx(c, work_fail, &w);
    }
    TRY(e);
    TRY(db_tx(c, work_publish, &w));
    if (!w.is_idle && w.diff.n_made && c->app->nodes_written)
        c->app->nodes_written(c, w.diff.made, w.diff.n_made);
    if (!w.is_idle && w.names.n && c->app->nodes_written)
        c->app->nodes_written(c, w.names.v, w.names.n);
    return ERR_OK;
}

err document_gave_up(struct ctx *c, struct uuid id, const char *why)
{
    struct document_work w = {.id = id, .stage = "process", .code = "internal", .message = why};

    return db_tx(c, work_fail, &w);
}

/* ---- promising again */

static err document_promise_waiting(struct ctx *c, struct instant since, struct uuid base, int64_t limit, int64_t *n)
{
    struct document *rows = ARENA_ARRAY(c->arena, struct document, (size_t)limit + 1);
    size_t k;

    TRY(document_store_waiting(c, since, base, rows, (size_t)limit, &k));
    for (size_t i = 0; i < k; i++)
        TRY(document_promise(c, &rows[i], c->now.us / SWEEP_AFTER_US));
    *n = (int64_t)k;
    return ERR_OK;
}

err document_sweep(struct ctx *c, int64_t limit, int64_t *n)
{
    return document_promise_waiting(c, (struct instant){c->now.us - SWEEP_AFTER_US}, (struct uuid){0}, limit, n);
}

err document_sweep_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    return document_store_waiting_accounts(c, above, ids, max, n);
}

err document_resume(struct ctx *c, struct uuid knowledge_base_id)
{
    int64_t n;

    return document_promise_waiting(c, (struct instant){c->now.us + SECOND_US}, knowledge_base_id, 1000, &n);
}
