/* The status of a knowledge base: which move is allowed from where, and what goes with it; see knowledge_base.h. */
#include "db.h"
#include "document.h"
#include "knowledge_base.h"
#include "knowledge_base_store.h"
#include "match.h"
#include "section.h"
#include "space.h"
#include "thing.h"

struct base_move {
    const char *verb; /* of the audit event */
    size_t n_from;
    enum knowledge_base_status from[3], to;
};

static const struct base_move BASE_STARTS = {"start_indexing", 3, {KB_ACTIVE, KB_ERROR, KB_INDEXING}, KB_INDEXING};
static const struct base_move BASE_FAILS = {"mark_error", 2, {KB_INDEXING, KB_ACTIVE}, KB_ERROR};
static const struct base_move BASE_MENDS = {"complete_indexing", 1, {KB_ERROR}, KB_ACTIVE};
static const struct base_move BASE_PAUSES = {"pause", 3, {KB_ACTIVE, KB_INDEXING, KB_ERROR}, KB_PAUSED};
static const struct base_move BASE_RESUMES = {"resume", 1, {KB_PAUSED}, KB_ACTIVE};

static bool move_starts_at(const struct base_move *m, enum knowledge_base_status at)
{
    for (size_t i = 0; i < m->n_from; i++)
        if (m->from[i] == at)
            return true;
    return false;
}

static err base_note(struct ctx *c, const char *verb, struct uuid id, enum knowledge_base_status from, enum knowledge_base_status to)
{
    struct json *before = json_obj(c->arena), *after = json_obj(c->arena);

    json_set_str(c->arena, before, "status", enumx_name(&knowledge_base_status_enumx, (int)from));
    json_set_str(c->arena, after, "status", enumx_name(&knowledge_base_status_enumx, (int)to));
    return thing_note(c, &KNOWLEDGE_BASE, verb, id, before, after);
}

/* Compare and set: what changed meanwhile is not overwritten. */
static err base_move(struct ctx *c, const struct base_move *m, struct uuid id, const char *code, const char *message)
{
    struct knowledge_base b;
    int64_t changed = 0;

    TRY(thing_get(c, &KNOWLEDGE_BASE, id, &b));
    if (b.status == m->to && move_starts_at(m, b.status))
        return ERR_OK;
    if (move_starts_at(m, b.status))
        TRY(knowledge_base_store_move(c, id, m->from, m->n_from, m->to, code, message, &changed));
    if (!changed)
        return fail_reason(c, ERR_CONFLICT, "base_state", "the knowledge base is %s", enumx_name(&knowledge_base_status_enumx,
            (int)b.status));
    return base_note(c, m->verb, id, b.status, m->to);
}

/* ---- by the room */

err knowledge_base_start_indexing(struct ctx *c, struct uuid id)
{
    return base_move(c, &BASE_STARTS, id, NULL, NULL);
}

err knowledge_base_complete_indexing(struct ctx *c, struct uuid id)
{
    int64_t changed;

    TRY(knowledge_base_store_complete(c, id, &changed));
    return changed ? base_note(c, "complete_indexing", id, KB_INDEXING, KB_ACTIVE) : ERR_OK;
}

err knowledge_base_mark_error(struct ctx *c, struct uuid id, const char *code, const char *message)
{
    struct knowledge_base b;

    TRY(thing_get(c, &KNOWLEDGE_BASE, id, &b));
    return move_starts_at(&BASE_FAILS, b.status) ? base_move(c, &BASE_FAILS, id, code, message) : ERR_OK;
}

err knowledge_base_mend(struct ctx *c, struct uuid id)
{
    struct knowledge_base b;

    TRY(thing_get(c, &KNOWLEDGE_BASE, id, &b));
    return b.status == KB_ERROR ? base_move(c, &BASE_MENDS, id, NULL, NULL) : ERR_OK;
}

err knowledge_base_update_stats(struct ctx *c, struct uuid space_id, const struct knowledge_base_counts *more)
{
    TRY(knowledge_base_store_add(c, space_id, more));
    return more->documents ? section_settle(c, space_id) : ERR_OK;
}

err knowledge_base_record_query(struct ctx *c, const struct uuid *ids, size_t n)
{
    return n ? knowledge_base_store_queried(c, ids, n) : ERR_OK;
}

/* ---- by people and agents who manage it */

static err base_to_manage(struct ctx *c, const struct thing_key *key, struct knowledge_base *out)
{
    TRY(knowledge_base_get(c, key->id, out));
    TRY(access_require(c, key->id, ACCESS_MANAGE));
    return match_version(c, key->if_version, out->version);
}

static err knowledge_base_pause_tx(struct ctx *c, const struct thing_key *key, struct knowledge_base *out)
{
    TRY(base_to_manage(c, key, out));
    TRY(base_move(c, &BASE_PAUSES, key->id, NULL, NULL));
    return knowledge_base_get(c, key->id, out);
}
DB_TX(knowledge_base_pause, struct thing_key, struct knowledge_base)

static err knowledge_base_resume_tx(struct ctx *c, const struct thing_key *key, struct knowledge_base *out)
{
    TRY(base_to_manage(c, key, out));
    TRY(base_move(c, &BASE_RESUMES, key->id, NULL, NULL));
    TRY(document_resume(c, key->id));
    return knowledge_base_get(c, key->id, out);
}
DB_TX(knowledge_base_resume, struct thing_key, struct knowledge_base)

/* The space is archived with it; its room (knowledge_room.c) makes the status follow, whichever door was used. */
static err knowledge_base_archive_tx(struct ctx *c, const struct thing_key *key, struct knowledge_base *out)
{
    struct space s;

    TRY(base_to_manage(c, key, out));
    TRY(space_archive(c, key->id, 0, &s));
    return knowledge_base_get(c, key->id, out);
}
DB_TX(knowledge_base_archive, struct thing_key, struct knowledge_base)

static err knowledge_base_unarchive_tx(struct ctx *c, const struct thing_key *key, struct knowledge_base *out)
{
    struct space s;

    TRY(base_to_manage(c, key, out));
    TRY(space_unarchive(c, key->id, 0, &s));
    return knowledge_base_get(c, key->id, out);
}
DB_TX(knowledge_base_unarchive, struct thing_key, struct knowledge_base)
