/* Texts into entities and facts; see graph_extract.h. */
#include "graph_extract.h"

#include <string.h>

#include "access.h"
#include "capture.h"
#include "db.h"
#include "document.h"
#include "fact_put.h"
#include "graph.h"
#include "graph_extract_read.h"
#include "graph_extract_store.h"
#include "knowledge_base.h"
#include "names.h"
#include "portion.h"
#include "task.h"
#include "voice.h"

#define CHUNKS_AT_ONCE 100
#define SOURCE_TRUST 0.5 /* of what a text of others says */

ENUMX_DEFINE(extract_method, EXTRACT_METHOD);

/* ---- what is answered */

static void found_relation(struct ctx *c, struct graph_extract_out *out, const struct extract_said *s, struct uuid chunk, struct uuid fact)
{
    struct graph_relation_found *v = (struct graph_relation_found *)out->relations.v;

    if (!v)
        out->relations.v = v = ARENA_ARRAY(c->arena, struct graph_relation_found, EXTRACT_RELATIONS);
    if (out->relations.n < EXTRACT_RELATIONS)
        v[out->relations.n++] = (struct graph_relation_found){
            arena_strdup(c->arena, s->subject), arena_strdup(c->arena, s->relation), arena_strdup(c->arena, s->object),
            arena_strdup(c->arena, s->quote), s->confidence, chunk, fact, true};
}

/* Whether it is the first time that the answer names it. */
static bool found_entity(struct ctx *c, struct graph_extract_out *out, const struct graph_node_view *e)
{
    struct graph_entity_found *v = (struct graph_entity_found *)out->entities.v;

    if (!v)
        out->entities.v = v = ARENA_ARRAY(c->arena, struct graph_entity_found, EXTRACT_ENTITIES);
    for (size_t i = 0; i < out->entities.n; i++)
        if (uuid_eq(v[i].id, e->id))
            return false;
    if (out->entities.n < EXTRACT_ENTITIES)
        v[out->entities.n++] = (struct graph_entity_found){arena_strdup(c->arena, e->name), arena_strdup(c->arena, e->entity_type), e->id,
                                                           e->created, true};
    return true;
}

/* ---- one chunk */

struct extracting {
    struct ctx *whole; /* whose arena the answer is in */
    const struct chunk *chunk;
    const struct extract_said *said;
    size_t n;
    const char *method;
    struct instant at;
    struct graph_extract_out *out;
};

static err extract_entity(struct ctx *c, struct extracting *x, const char *name, const char *type, struct uuid *id)
{
    struct graph_node_new in = {.knowledge_base_id = x->chunk->knowledge_base_id, .name = name, .node_type = GRAPH_ENTITY};
    struct graph_node_view e;

    if (strlen(name) > 120) {
        *id = (struct uuid){0};
        return ERR_OK;
    }
    in.entity_type = type && *type ? type : name_type(name_norm(c->arena, name));
    TRY(graph_node_named(c, &in, &e));
    if (found_entity(x->whole, x->out, &e)) {
        x->out->created += e.created;
        x->out->merged += !e.created;
    }
    *id = e.id;
    return ERR_OK;
}

static err extract_put(struct ctx *c, struct extracting *x, const struct extract_said *s)
{
    struct fact_saying say = {
        FACT_SAYING_DEFAULTS, .space_id = x->chunk->knowledge_base_id, .subject = s->subject, .predicate = s->relation,
        .object = json_str(c->arena, s->object), .object_is_entity = s->object_is_entity, .statement = s->quote, .negative = s->negative,
        .modality = (enum fact_modality)s->modality, .at = s->at.us ? s->at : x->at, .until = s->until, .source_id = x->chunk->id,
        .span_start = (int64_t)s->start, .span_end = (int64_t)s->end, .role = ROLE_TOOL, .veracity = FACT_TOOL, .rule_id = s->rule_id};
    struct fact_said said;

    say.confidence = s->confidence;
    say.trust = SOURCE_TRUST;
    TRY(extract_entity(c, x, s->subject, s->subject_type, &say.subject_id));
    if (uuid_is_nil(say.subject_id))
        return ERR_OK;
    if (s->object_is_entity)
        TRY(extract_entity(c, x, s->object, s->object_type, &say.object_id));
    TRY(fact_put(c, &say, &said));
    x->out->facts += !said.was_there;
    found_relation(x->whole, x->out, s, x->chunk->id, said.fact_id);
    return ERR_OK;
}

static err extract_chunk_body(struct ctx *c, void *arg)
{
    struct extracting *x = arg;

    for (size_t i = 0; i < x->n; i++)
        TRY(extract_put(c, x, &x->said[i]));
    return extract_store_mark(c, x->chunk->id, x->method);
}

static err extract_chunk(struct ctx *c, struct extracting *x, struct extract_reading *r, bool is_dry)
{
    struct graph_extract_out was = *x->out;
    struct extract_said *said = NULL;
    err e;

    TRY(extract_read(c, r, x->chunk->content, x->at, &said, &x->n));
    x->said = said;
    x->out->chunks++;
    for (size_t i = 0; is_dry && i < x->n; i++)
        found_relation(x->whole, x->out, &said[i], x->chunk->id, (struct uuid){0});
    if (is_dry)
        return ERR_OK;
    e = db_tx(c, extract_chunk_body, x);
    if (e != ERR_OK)
        *x->out = was;
    return e;
}

/* ---- a document */

static const char *method_stored(enum extract_method m)
{
    return m == EXTRACT_BY_LLM ? "llm" : "rules";
}

struct extract_document {
    struct document document;
    struct extract_reading reading;
    bool is_dry, is_now;
    bool (*should_stop)(void *arg);
    void *arg;
    struct graph_extract_out *out;
};

/* Chunks that were not read yet, each in a transaction of its own. */
static err extract_document(struct ctx *c, struct ctx *part, struct extract_document *d)
{
    struct extracting x = {.whole = c, .method = method_stored(d->reading.method), .at = d->document.created_at, .out = d->out};
    struct uuids unread;

    for (bool more = true; more;) {
        TRY(extract_store_unread(c, d->document.id, d->is_dry ? "" : x.method, CHUNKS_AT_ONCE, &unread));
        more = unread.n == CHUNKS_AT_ONCE && !d->is_dry;
        for (size_t i = 0; i < unread.n; i++) {
            struct chunk_view v;

            if (d->should_stop && d->should_stop(d->arg))
                return fail(c, ERR_UNAVAILABLE, "the scheduler stops");
            if (d->is_now && d->reading.method == EXTRACT_BY_LLM && d->reading.calls >= d->reading.most_calls) {
                d->out->pending = (int64_t)(unread.n - i);
                return ERR_OK;
            }
            TRY(chunk_get(part, unread.v[i], 0, &v));
            x.chunk = &v.chunk;
            TRY(extract_chunk(part, &x, &d->reading, d->is_dry));
            portion_next(part);
        }
    }
    return ERR_OK;
}

static err extract_run(struct ctx *c, struct extract_document *d)
{
    struct ctx part;

    portion_begin(c, &part);
    return portion_end(c, &part, extract_document(c, &part, d));
}

err graph_extract_work(struct ctx *c, struct uuid document_id, enum extract_method method, bool (*should_stop)(void *arg), void *arg)
{
    struct graph_extract_out out = {0};
    struct extract_document d = {.should_stop = should_stop, .arg = arg, .out = &out};
    err e = document_get(c, document_id, &d.document);

    if (e == ERR_NOT_FOUND) {
        ctx_forgive(c);
        return ERR_OK; /* it was deleted */
    }
    TRY(e);
    TRY(extract_begin(c, method, EXTRACT_CALLS, &d.reading));
    e = extract_run(c, &d);
    if (e != ERR_NOT_FOUND)
        return e;
    ctx_forgive(c);
    return ERR_OK; /* its chunks became others meanwhile: they have a task of their own */
}

/* ---- the call */

static err extract_method_of(struct ctx *c, const struct graph_extract_in *in, struct uuid base, enum extract_method *out)
{
    static const enum extract_method OF_BASE[] = {EXTRACT_NAMES, EXTRACT_NAMES, EXTRACT_BY_RULES, EXTRACT_BY_LLM};
    struct knowledge_base b;

    *out = in->method == EXTRACT_AUTO ? EXTRACT_BY_RULES : in->method;
    if (in->method != EXTRACT_AUTO || uuid_is_nil(base))
        return ERR_OK;
    TRY(knowledge_base_get(c, base, &b));
    *out = OF_BASE[b.extraction];
    return ERR_OK;
}

/* A text that nothing is stored of, or that belongs to no base: it is read as a whole. */
static err extract_text(struct ctx *c, const struct graph_extract_in *in, struct extract_reading *r, struct graph_extract_out *out)
{
    struct extract_said *said = NULL;
    struct captured kept;
    size_t n;

    extract_names(c, in->text, &out->entities);
    TRY(extract_read(c, r, in->text, c->now, &said, &n));
    for (size_t i = 0; i < n; i++)
        found_relation(c, out, &said[i], (struct uuid){0}, (struct uuid){0});
    if (in->dry_run)
        return ERR_OK;
    TRY(capture(c, &(struct capture_in){.content = in->text, .role = ROLE_EVENT, .trust = 1}, &kept));
    out->episode_id = kept.episode_id;
    return ERR_OK;
}

/* It becomes a document of the base, whose chunks are there at once. */
static err extract_add(struct ctx *c, const struct graph_extract_in *in, struct uuid *document_id)
{
    struct document_new add = {.knowledge_base_id = in->knowledge_base_id, .name = in->source_label, .content = in->text,
                               .content_type = "text/plain", .process = true};
    struct document d;
    err e = document_add(c, &add, &d);

    TRY(e);
    *document_id = d.id;
    return document_work(c, d.id);
}

static err extract_promise(struct ctx *c, void *arg)
{
    const struct extract_document *d = arg;

    return document_promise_extraction(c, d->document.id, d->document.generation,
                                       enumx_name(&extract_method_enumx, (int)d->reading.method));
}

err graph_extract(struct ctx *c, const struct graph_extract_in *in, struct graph_extract_out *out)
{
    struct extract_document d = {.is_dry = in->dry_run, .is_now = true, .out = out};
    struct uuid id = in->document_id, base = in->knowledge_base_id;
    enum extract_method method;
    struct uuids bases;

    *out = (struct graph_extract_out){0};
    if (!uuid_is_nil(base))
        TRY(knowledge_base_readable(c, (struct uuids){&base, 1}, &bases));
    if (!uuid_is_nil(id)) {
        TRY(document_get(c, id, &d.document));
        base = d.document.knowledge_base_id;
    }
    if (uuid_is_nil(id) == !in->text)
        return fail_field(c, "/text", "give either text or document_id");
    if (!uuid_is_nil(base) && !in->dry_run)
        TRY(access_require(c, base, ACCESS_WRITE));
    if (uuid_is_nil(base) && !in->dry_run && c->who->kind != PRINCIPAL_AGENT)
        return fail_field(c, "/knowledge_base_id", "only agents have episodes of their own: name a knowledge base");
    TRY(extract_method_of(c, in, base, &method));
    TRY(extract_begin(c, method, EXTRACT_CALLS_NOW, &d.reading));
    if (uuid_is_nil(id) && (in->dry_run || uuid_is_nil(base)))
        TRY(extract_text(c, in, &d.reading, out));
    else {
        if (uuid_is_nil(id))
            TRY(extract_add(c, in, &id));
        TRY(document_get(c, id, &d.document));
        out->document_id = id;
        if (method != EXTRACT_NAMES)
            TRY(extract_run(c, &d));
        if (out->pending)
            TRY(db_tx(c, extract_promise, &d));
    }
    out->method = enumx_name(&extract_method_enumx, (int)method);
    out->tokens = d.reading.tokens;
    if (d.reading.degraded) {
        const char *why = arena_printf(c->arena, "llm: %s; rules were used", d.reading.degraded);

        out->degraded = (struct strs){arena_memdup(c->arena, &why, sizeof why), 1};
    }
    return ERR_OK;
}
