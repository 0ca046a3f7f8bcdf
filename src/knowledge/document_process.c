/* Asking for the processing of documents: again, not any more, after a look, and what it would cost; see document.h. */
#include <stdlib.h>
#include <string.h>

#include "chunker.h"
#include "content.h"
#include "db.h"
#include "document_impl.h"
#include "document_store.h"
#include "match.h"

#define PROVIDER_BATCH 64

const struct json *document_errors_with(struct ctx *c, const struct document *d, const char *stage, const char *code, const char *message)
{
    const struct json *old = json_opened(c->arena, d->processing_errors);
    struct json *list = json_arr(c->arena), *e = json_obj(c->arena);
    int n = 1;

    json_set_str(c->arena, e, "at", arena_strdup(c->arena, instant_text(c->now, (char[INSTANT_TEXT]){0})));
    json_set_str(c->arena, e, "stage", stage);
    json_set_str(c->arena, e, "code", code);
    json_set_str(c->arena, e, "message", message);
    json_push(list, e);
    for (const struct json *m = old ? old->first : NULL; m && n < DOCUMENT_ERRORS; m = m->next, n++)
        json_push(list, json_raw(c->arena, json_text(c->arena, m)));
    return list;
}

static bool document_is_promised(const struct document *d)
{
    return d->wants_processing && (d->status == DOCUMENT_PENDING || d->status == DOCUMENT_PROCESSING);
}

static err document_process_tx(struct ctx *c, const struct document_process *key, struct document *out)
{
    struct knowledge_base base;
    struct document d;
    bool found;

    TRY(document_get(c, key->id, &d));
    TRY(knowledge_base_get_to_write(c, d.knowledge_base_id, d.space_id, &base));
    TRY(document_store_lock(c, key->id, &found, &d));
    if (!found)
        return document_missing(c);
    TRY(match_version(c, key->if_version, d.version));
    *out = d;
    if (document_is_promised(&d))
        return ERR_OK;
    if (d.is_quarantined)
        return fail_reason(c, ERR_CONFLICT, "quarantined", "its text waits for a person: release the document first");
    if (key->reextract && !d.original_bytes)
        return fail_reason(c, ERR_CONFLICT, "no_file", "the document came as text: there is no file to read again");
    if (key->reextract)
        TRY(document_store_copy_original(c, d.id, d.source_version, ++out->source_version));
    out->status = DOCUMENT_PENDING;
    out->wants_processing = true;
    TRY(document_save(c, "process", &d, out));
    return document_promise(c, out, 0);
}
DB_TX(document_process, struct document_process, struct document)

static err document_release_tx(struct ctx *c, const struct thing_key *key, struct document *out)
{
    struct knowledge_base base;
    struct document d;
    bool found;

    TRY(document_get(c, key->id, &d));
    TRY(knowledge_base_get_to_write(c, d.knowledge_base_id, d.space_id, &base));
    TRY(access_require(c, d.space_id, ACCESS_MANAGE));
    TRY(document_store_lock(c, key->id, &found, &d));
    if (!found)
        return document_missing(c);
    TRY(match_version(c, key->if_version, d.version));
    *out = d;
    if (!d.is_quarantined)
        return ERR_OK;
    out->is_quarantined = false;
    out->wants_processing = true;
    out->stage = NULL;
    TRY(document_save(c, "release", &d, out));
    return document_promise(c, out, 0);
}
DB_TX(document_release, struct thing_key, struct document)

static err document_cancel_tx(struct ctx *c, const struct thing_key *key, struct document *out)
{
    struct knowledge_base base;
    struct document was;
    bool found;

    TRY(document_get(c, key->id, &was));
    TRY(knowledge_base_get_to_write(c, was.knowledge_base_id, was.space_id, &base));
    TRY(document_store_lock(c, key->id, &found, &was));
    if (!found)
        return document_missing(c);
    TRY(match_version(c, key->if_version, was.version));
    *out = was;
    if (!was.wants_processing)
        return ERR_OK;
    out->wants_processing = out->wants_fetch = false;
    out->status = was.generation ? DOCUMENT_INDEXED : DOCUMENT_FAILED;
    out->stage = NULL;
    out->processing_errors = document_errors_with(c, &was, was.stage ? was.stage : "pending", "cancelled",
                                                 "it was ended before it was done");
    TRY(document_save(c, "cancel", &was, out));
    return knowledge_base_complete_indexing(c, was.knowledge_base_id);
}
DB_TX(document_cancel, struct thing_key, struct document)

/* ---- what it would cost */

static int estimate_hash_order(const void *a, const void *b)
{
    const struct chunk_kept *x = a, *y = b;

    return memcmp(x->embed_hash.p, y->embed_hash.p, x->embed_hash.n < y->embed_hash.n ? x->embed_hash.n : y->embed_hash.n);
}

static err estimate_chunks(struct ctx *c, const struct document *d, const struct knowledge_base *b, const char *text,
                           struct document_estimate *out)
{
    struct chunk_settings s = {.strategy = b->chunking_strategy, .size = b->chunk_size, .overlap = b->chunk_overlap,
                               .is_markdown = d->is_markdown};
    struct chunk_kept *kept = NULL;
    const struct chunk_cut *cut;
    struct list cuts;
    size_t n = 0;

    if (!uuid_is_nil(d->id))
        TRY(chunk_store_kept(c, d->id, &kept, &n));
    if (n)
        qsort(kept, n, sizeof *kept, estimate_hash_order);
    TRY(chunker_cut(c, text, strlen(text), &s, &cuts));
    cut = cuts.v;
    for (const char *p = text; *p; p++)
        out->characters += ((unsigned char)*p & 0xc0) != 0x80;
    out->chunks = (int64_t)cuts.n;
    for (size_t i = 0; i < cuts.n; i++) {
        struct chunk_text t = chunk_text_of(c, d->name, text, &cut[i]);
        struct chunk_kept key = {.embed_hash = t.hash};

        if (n && bsearch(&key, kept, n, sizeof key, estimate_hash_order)) {
            out->chunks_kept++;
            continue;
        }
        out->chunks_new++;
        out->tokens_to_embed += content_tokens(t.title) + content_tokens(t.body);
    }
    out->provider_calls = (out->chunks_new + PROVIDER_BATCH - 1) / PROVIDER_BATCH;
    return ctx_check_size(c);
}

err document_estimate(struct ctx *c, const struct document_estimate_in *in, struct document_estimate *out)
{
    struct document_new with = {.knowledge_base_id = in->knowledge_base_id, .name = in->name, .content = in->content,
                                .content_type = in->content_type};
    struct document d = {.flags = json_arr(c->arena)};
    struct knowledge_base base;
    struct buf stored;
    const char *text;
    int64_t at;

    *out = (struct document_estimate){0};
    if (!uuid_is_nil(in->document_id)) {
        TRY(document_get(c, in->document_id, &d));
        with.knowledge_base_id = d.knowledge_base_id;
    }
    TRY(knowledge_base_get(c, with.knowledge_base_id, &base));
    if (in->content) {
        TRY(document_judge_text(c, &with, &base, &d, &text));
    } else {
        if (uuid_is_nil(d.id))
            return fail_field(c, "/content", "give content, or the document_id of a document that is there");
        buf_init(&stored, c->arena, (size_t)d.content_size_bytes + 1);
        TRY(document_store_text(c, d.id, d.source_version, 0, INT64_MAX, &stored, &at));
        text = buf_str(&stored);
    }
    TRY(estimate_chunks(c, &d, &base, text, out));
    out->flags = d.flags;
    out->injection_score = d.injection_score;
    out->would_quarantine = d.is_quarantined;
    return ERR_OK;
}
