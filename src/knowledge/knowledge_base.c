/* Making, reading and changing knowledge bases; see knowledge_base.h. Their status is in knowledge_status.c. */
#include "knowledge_base.h"

#include <stdlib.h>
#include <string.h>

#include "base_model.h"
#include "db.h"
#include "grant.h"
#include "knowledge_base_store.h"
#include "knowledge_room.h"
#include "limit.h"
#include "match.h"
#include "section.h"
#include "space.h"
#include "space_room.h"
#include "thing.h"

ENUMX_DEFINE(knowledge_base_status, KNOWLEDGE_BASE_STATUS);
ENUMX_DEFINE(query_log, QUERY_LOG);
ENUMX_DEFINE(extraction, EXTRACTION);

#define COL_NAMED (COL_CREATE | COL_PATCH | COL_SHOW | COL_AUDIT) /* kept in the space */

static const struct field KNOWLEDGE_BASE_COLUMNS[] = {
    F_ID(struct knowledge_base, "id of the knowledge base, and of its space"),
    F_STR(struct knowledge_base, name, COL_NAMED | COL_UNIQUE | FIELD_REQUIRED, 1, LIMIT_NAME,
        "name, unique among the live bases of the account", .sql = "s.name", .label = "Name"),
    F_STR(struct knowledge_base, slug, COL_SHOW, 0, 0, "slug of the space", .sql = "s.slug"),
    F_STR(struct knowledge_base, description, COL_NAMED | FIELD_NULLABLE, 0, LIMIT_DESCRIPTION, "what is in it", .sql = "s.description",
        .label = "Description"),
    F_STR(struct knowledge_base, live_name, COL_ROW | FIELD_NULLABLE, 0, LIMIT_NAME, "the name while it is not deleted"),
    F_ENUM(struct knowledge_base, status, COL_READ | COL_AUDIT, knowledge_base_status, KB_ACTIVE,
        "active, indexing, paused, error or archived", .shades = "ok info warn bad off"),
    F_ENUM(struct knowledge_base, chunking_strategy, COL_OPEN, chunking_strategy, CHUNKING_RECURSIVE,
        "how texts are cut: by their structure, or where the subject changes", .label = "Chunking"),
    F_INT(struct knowledge_base, chunk_size, COL_OPEN, CHUNK_SIZE_MIN, CHUNK_SIZE_MAX, 1000,
        "characters of a chunk at most, overlap included", .label = "Chunk size"),
    F_INT(struct knowledge_base, chunk_overlap, COL_OPEN, 0, CHUNK_SIZE_MAX / 2, 200,
        "characters that a chunk repeats of the one before at most; at most half of chunk_size", .label = "Overlap"),
    F_STR(struct knowledge_base, embedding_provider, COL_OPEN | FIELD_NULLABLE, 1, 16,
        "provider of the vectors; null: that of the account"),
    F_STR(struct knowledge_base, embedding_model, COL_OPEN | FIELD_NULLABLE, 1, LIMIT_NAME,
        "model of the vectors; null: that of the account"),
    F_BOOL(struct knowledge_base, is_public, COL_OPEN, false, "everyone in the account can read it",
        .label = "Everyone in the account can read it"),
    F_ENUM(struct knowledge_base, log_queries, COL_OPEN, query_log, QUERY_LOG_FULL, "what is kept of the words of queries",
        .label = "Log of queries"),
    F_ENUM(struct knowledge_base, extraction, COL_OPEN, extraction, EXTRACTION_NAMES,
        "names: those in its texts become entities of the graph; rules: facts are read, too, by rules; llm: by a model; off: none of it",
           .label = "Names and facts in texts"),
    F_INT(struct knowledge_base, document_count, COL_SHOW, 0, 0, 0, "number of documents", .sql = "b.document_count"),
    F_INT(struct knowledge_base, chunk_count, COL_SHOW, 0, 0, 0, "number of chunks", .sql = "b.chunk_count"),
    F_INT(struct knowledge_base, total_tokens, COL_SHOW, 0, 0, 0, "tokens of all chunks", .sql = "b.total_tokens"),
    F_INT(struct knowledge_base, storage_bytes, COL_SHOW, 0, 0, 0, "bytes of all texts", .sql = "b.storage_bytes"),
    F_INT(struct knowledge_base, query_count, COL_SHOW, 0, 0, 0, "number of queries that looked here", .sql = "b.query_count"),
    F_TIME(struct knowledge_base, last_indexed_at, COL_SHOW | FIELD_NULLABLE, "when the last document was indexed",
        .sql = "b.last_indexed_at"),
    F_TIME(struct knowledge_base, last_queried_at, COL_SHOW | FIELD_NULLABLE, "when it was last queried", .sql = "b.last_queried_at"),
    F_STR(struct knowledge_base, error_code, COL_READ | FIELD_NULLABLE, 0, 32, "why the status is error"),
    F_STR(struct knowledge_base, error_message, COL_READ | FIELD_NULLABLE, 0, 500, "the same for people"),
    F_UUID(struct knowledge_base, created_by, COL_READ, "principal who created it"),
    F_STR(struct knowledge_base, serving_model, COL_SHOW | FIELD_NULLABLE, 0, 0, "model whose vectors answer; null: that of the account",
          .sql = "NULL"),
    F_BOOL(struct knowledge_base, is_reembedding, COL_SHOW, false, "vectors of another model are being made; the old ones answer meanwhile",
           .sql = "0"),
    F_STR(struct knowledge_base, building_model, COL_SHOW | FIELD_NULLABLE, 0, 0, "that model", .sql = "NULL"),
    F_INT(struct knowledge_base, reembed_total, COL_SHOW, 0, 0, 0, "chunks that need a vector of it", .sql = "0"),
    F_INT(struct knowledge_base, reembed_left, COL_SHOW, 0, 0, 0, "chunks that have none yet", .sql = "0"),
    F_STR(struct knowledge_base, pii, COL_SHOW | FIELD_NULLABLE, 0, 16,
          "private data in texts, as settings.pii of the space says: redact, flag or off; null: flag",
          .sql = "JSON_VALUE(s.settings, '$.pii')"),
    F_ENUM(struct knowledge_base, access, COL_SHOW, access_level, ACCESS_NONE, "what the caller may do: read, write or manage"),
    F_VERSION(struct knowledge_base),
    F_TIMES(struct knowledge_base),
    F_END
};
const struct thing KNOWLEDGE_BASE = THING("knowledge_base", KNOWLEDGE_BASE_COLUMNS, struct knowledge_base, .schema = "KnowledgeBase",
    .alias = "b",
    .from = "knowledge_base b JOIN space s ON s.account_id = b.account_id AND s.id = b.id");

/* ---- reading */

/* Who reads a section of it sees the base, and of what is in it that section. */
static bool knowledge_base_may_see(const struct ctx *c, struct uuid id)
{
    bool may = access_may_read(c, id);

    for (size_t i = 0; i < c->access->n && !may; i++)
        may = uuid_eq(c->access->spaces[i].section_of, id);
    return may;
}

static enum access_level knowledge_base_level(const struct ctx *c, struct uuid id)
{
    enum access_level level = access_level(c->access, id);

    return level == ACCESS_NONE ? ACCESS_READ : level;
}

static err knowledge_base_missing(struct ctx *c)
{
    return fail(c, ERR_NOT_FOUND, "no such knowledge base");
}

static err knowledge_base_read(struct ctx *c, struct uuid id, struct knowledge_base *out)
{
    if (!knowledge_base_may_see(c, id))
        return knowledge_base_missing(c);
    TRY(thing_get(c, &KNOWLEDGE_BASE, id, out));
    out->access = knowledge_base_level(c, id);
    TRY(base_model_show(c, out));
    return section_counts(c, out, 1);
}

err knowledge_base_get(struct ctx *c, struct uuid id, struct knowledge_base *out)
{
    err e = knowledge_base_read(c, id, out);

    if (e != ERR_NOT_FOUND)
        return e;
    ctx_forgive(c);
    return knowledge_base_missing(c);
}

err knowledge_base_get_to_write(struct ctx *c, struct uuid id, struct uuid space_id, struct knowledge_base *out)
{
    TRY(knowledge_base_get(c, id, out));
    if (!access_may_read(c, space_id))
        return fail(c, ERR_FORBIDDEN, "you have access to documents of this knowledge base, not to the base");
    if (out->status == KB_PAUSED || out->status == KB_ARCHIVED)
        return fail_reason(c, ERR_CONFLICT, "base_state", "the knowledge base is %s", enumx_name(&knowledge_base_status_enumx,
            (int)out->status));
    return access_require(c, space_id, ACCESS_WRITE);
}

static int base_id_order(const void *a, const void *b)
{
    return uuid_cmp(*(const struct uuid *)a, *(const struct uuid *)b);
}

/* Spaces that may be bases, and those that have a section of the caller's: the set does not know the kind of those that this request
 * made. Each once. */
static struct uuids bases_readable(struct ctx *c)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, c->access->n + 1);
    size_t n = 0, k = 0;

    for (size_t i = 0; i < c->access->n; i++) {
        const struct space_access *s = &c->access->spaces[i];

        if (s->kind == SPACE_KNOWLEDGE_BASE || s->kind < 0)
            ids[n++] = uuid_is_nil(s->section_of) ? s->space_id : s->section_of;
    }
    if (n)
        qsort(ids, n, sizeof *ids, base_id_order);
    for (size_t i = 0; i < n; i++)
        if (!k || !uuid_eq(ids[k - 1], ids[i]))
            ids[k++] = ids[i];
    return (struct uuids){ids, k};
}

err knowledge_base_list(struct ctx *c, const struct knowledge_base_filter *f, struct page *out)
{
    struct knowledge_base *rows;
    struct uuid before;

    TRY(page_begin(c, f->cursor, &before));
    TRY(knowledge_base_store_list(c, f, bases_readable(c), before, out));
    rows = out->items;
    for (size_t i = 0; i < out->n; i++)
        rows[i].access = knowledge_base_level(c, rows[i].id);
    return section_counts(c, rows, out->n);
}

err knowledge_base_readable(struct ctx *c, struct uuids wanted, struct uuids *out)
{
    struct uuids among = wanted.n ? wanted : bases_readable(c);
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, among.n + 1);
    size_t n;

    for (size_t i = 0; i < wanted.n; i++)
        if (!knowledge_base_may_see(c, wanted.v[i]))
            return knowledge_base_missing(c);
    TRY(knowledge_base_store_among(c, among, wanted.n > 0, ids, among.n, &n));
    if (wanted.n && n < wanted.n)
        return knowledge_base_missing(c);
    *out = (struct uuids){ids, n};
    return ERR_OK;
}

struct uuids knowledge_base_spaces(struct ctx *c, struct uuids bases)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, c->access->n + 1);
    size_t n = 0;

    for (size_t i = 0; i < c->access->n; i++) {
        const struct space_access *s = &c->access->spaces[i];
        struct uuid base = uuid_is_nil(s->section_of) ? s->space_id : s->section_of;

        for (size_t k = 0; k < bases.n; k++)
            if (uuid_eq(bases.v[k], base)) {
                ids[n++] = s->space_id;
                break;
            }
    }
    return (struct uuids){ids, n};
}

err knowledge_base_readable_spaces(struct ctx *c, struct uuid id, struct uuids *out)
{
    struct uuids bases;

    *out = access_spaces(c);
    if (uuid_is_nil(id))
        return ERR_OK;
    TRY(knowledge_base_readable(c, (struct uuids){&id, 1}, &bases));
    *out = knowledge_base_spaces(c, bases);
    return ERR_OK;
}

err knowledge_base_searchable(struct ctx *c, struct uuids *ids, enum query_log *log)
{
    struct uuid *out = ARENA_ARRAY(c->arena, struct uuid, ids->n + 1);
    size_t n;

    TRY(knowledge_base_store_searchable(c, *ids, out, &n, log));
    *ids = (struct uuids){out, n};
    return ERR_OK;
}

/* ---- rules */

static err knowledge_base_check(struct ctx *c, const struct knowledge_base *b)
{
    if (b->chunk_overlap * 2 > b->chunk_size)
        return fail_field(c, "/chunk_overlap", "chunk_overlap must be at most half of chunk_size (%lld)", (long long)b->chunk_size / 2);
    return ERR_OK;
}

static err knowledge_base_open_to_all(struct ctx *c, struct uuid id, bool open)
{
    err e = grant_set(c, &(struct grant){.space_id = id, .grantee_kind = GRANTEE_EVERYONE, .grantee_id = "",
        .level = open ? ACCESS_READ : ACCESS_NONE}, &(struct grant){0});

    if (e == ERR_NOT_FOUND && !open) {
        ctx_forgive(c); /* somebody took the grant away already */
        return ERR_OK;
    }
    return e;
}

/* ---- making */

struct base_making {
    struct knowledge_base row;
    struct uuid model_id;
    struct space space, made;
};

static err knowledge_base_make(struct ctx *c, void *arg)
{
    struct base_making *m = arg;
    int64_t n;

    TRY(knowledge_base_store_count(c, &n));
    if (n >= KNOWLEDGE_BASES)
        return fail_reason(c, ERR_CONFLICT, "quota_exceeded", "an account can have at most %d knowledge bases", KNOWLEDGE_BASES);
    TRY(thing_begin(c, &KNOWLEDGE_BASE, &m->row));
    TRY(knowledge_base_check(c, &m->row));
    TRY(space_create(c, &m->space, &m->made));
    m->row.id = m->made.id;
    m->row.slug = m->made.slug;
    m->row.live_name = m->row.name;
    m->row.created_by = c->who->id;
    m->row.access = ACCESS_MANAGE;
    TRY(thing_insert(c, &KNOWLEDGE_BASE, &m->row));
    TRY(base_model_want(c, &m->row, m->model_id));
    TRY(base_model_show(c, &m->row));
    return m->row.is_public ? knowledge_base_open_to_all(c, m->row.id, true) : ERR_OK;
}

err knowledge_base_create(struct ctx *c, const struct knowledge_base *in, struct knowledge_base *out)
{
    struct base_making m = {.row = *in, .space = {.kind = SPACE_KNOWLEDGE_BASE, .name = in->name, .description = in->description}};

    TRY(base_model_find(c, in->embedding_provider, in->embedding_model, &m.model_id));
    TRY(db_tx(c, knowledge_base_make, &m));
    *out = m.row;
    return ERR_OK;
}

err knowledge_base_make_space(struct ctx *c, const struct space *in, struct space *out)
{
    struct base_making m = {.space = *in};

    thing_defaults(&KNOWLEDGE_BASE, &m.row);
    m.row.name = in->name;
    m.row.description = in->description;
    TRY(db_tx(c, knowledge_base_make, &m));
    *out = m.made;
    return ERR_OK;
}

/* ---- changing */

struct base_updating {
    const struct knowledge_base_change *change;
    struct uuid model_id; /* that is wanted then */
    struct knowledge_base *out;
};

static err knowledge_base_update_tx(struct ctx *c, void *arg)
{
    const struct base_updating *u = arg;
    const struct knowledge_base_change *ch = u->change;
    struct space_change of_space = {.to.id = ch->to.id, .by_room = true};
    struct knowledge_base b, was;
    struct space space;

    TRY(knowledge_base_get(c, ch->to.id, &b));
    TRY(access_require(c, b.id, ACCESS_MANAGE));
    TRY(match_version(c, ch->change.if_version, b.version));
    if (b.status == KB_ARCHIVED)
        return fail_reason(c, ERR_CONFLICT, "base_state", "the knowledge base is archived");
    was = b;
    TRY(thing_apply(c, &KNOWLEDGE_BASE, ch, &b));
    TRY(knowledge_base_check(c, &b));
    b.live_name = b.name;
    if (!str_eq(b.name, was.name))
        change_to(&of_space, name, b.name);
    if (!str_eq(b.description, was.description))
        change_to(&of_space, description, b.description);
    if (field_is_any_given(SPACE.columns, &of_space.change.given, offsetof(struct space_change, to)))
        TRY(space_update(c, &of_space, &space));
    if (b.is_public != was.is_public)
        TRY(knowledge_base_open_to_all(c, b.id, b.is_public));
    TRY(thing_save(c, &KNOWLEDGE_BASE, &ch->change, &was, &b));
    if (changes(ch, embedding_provider) || changes(ch, embedding_model))
        TRY(base_model_want(c, &b, u->model_id));
    return knowledge_base_get(c, b.id, u->out);
}

/* What the change leaves as it is counts as well. */
err knowledge_base_update(struct ctx *c, const struct knowledge_base_change *ch, struct knowledge_base *out)
{
    struct base_updating u = {.change = ch, .out = out};
    struct knowledge_base b;

    if (changes(ch, embedding_provider) || changes(ch, embedding_model)) {
        TRY(knowledge_base_get(c, ch->to.id, &b));
        TRY(access_require(c, b.id, ACCESS_MANAGE));
        TRY(thing_apply(c, &KNOWLEDGE_BASE, ch, &b));
        TRY(base_model_find(c, b.embedding_provider, b.embedding_model, &u.model_id));
    }
    return db_tx(c, knowledge_base_update_tx, &u);
}

static err knowledge_base_delete_tx(struct ctx *c, const struct thing_key *key)
{
    struct knowledge_base b;

    TRY(knowledge_base_get(c, key->id, &b));
    TRY(match_version(c, key->if_version, b.version));
    return space_delete(c, key->id, 0);
}
DB_TX_IN(knowledge_base_delete, struct thing_key)

err knowledge_base_restore(struct ctx *c, const struct thing_key *key, struct knowledge_base *out)
{
    struct knowledge_base b;
    struct space s;
    err e = thing_get(c, &KNOWLEDGE_BASE, key->id, &b); /* a space of another kind is none */

    if (e == ERR_OK)
        e = space_restore(c, key->id, &s);
    if (e == ERR_NOT_FOUND) {
        ctx_forgive(c);
        return knowledge_base_missing(c);
    }
    TRY(e);
    space_widen(c, key->id, ACCESS_MANAGE);
    return knowledge_base_get(c, key->id, out);
}
