/* Tidying up behind knowledge bases; see knowledge_tidy.h. */
#include "knowledge_tidy.h"

#include "knowledge_base_store.h"
#include "node_many.h"
#include "space.h"

#define DOCUMENTS_AT_ONCE 5 /* a document has up to 20,000 chunks */

static struct instant tidy_since(const struct ctx *c, int days)
{
    return (struct instant){c->now.us - days * DAY_US};
}

/* Chunks that a newer text replaced: every process has read by now that they are gone. */
static err tidy_replaced(struct ctx *c, int64_t limit, int64_t *n)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, (size_t)limit + 1);
    size_t k;

    TRY(knowledge_tidy_store_replaced(c, tidy_since(c, 1), ids, (size_t)limit, &k));
    TRY(node_purge_many(c, ids, k));
    *n += (int64_t)k;
    return ERR_OK;
}

static err tidy_documents(struct ctx *c, int64_t *n)
{
    struct uuid ids[DOCUMENTS_AT_ONCE];
    struct uuids chunks;
    size_t k;

    TRY(knowledge_tidy_store_documents(c, tidy_since(c, SPACE_RESTORE_DAYS), ids, DOCUMENTS_AT_ONCE, &k));
    TRY(knowledge_tidy_store_chunks(c, ids, k, &chunks));
    TRY(node_purge_many(c, chunks.v, chunks.n));
    TRY(node_purge_many(c, ids, k));
    *n += (int64_t)k;
    return knowledge_tidy_store_drop_documents(c, ids, k);
}

/* A section without a document, or of a base that goes: node by node, then its space. */
static err tidy_sections(struct ctx *c, int64_t limit, int64_t *n)
{
    struct uuid *nodes = ARENA_ARRAY(c->arena, struct uuid, (size_t)limit + 1), section;
    bool found;
    size_t k;

    TRY(section_store_empty(c, tidy_since(c, SPACE_RESTORE_DAYS), &found, &section));
    if (!found)
        return ERR_OK;
    TRY(node_ids_of_space(c, section, nodes, (size_t)limit, &k));
    TRY(node_purge_many(c, nodes, k));
    *n += (int64_t)k;
    if ((int64_t)k == limit)
        return ERR_OK;
    *n += 1;
    return space_purge(c, section);
}

/* One base at a time, node by node, then its row and its space. */
static err tidy_bases(struct ctx *c, int64_t limit, int64_t *n)
{
    struct uuid *nodes = ARENA_ARRAY(c->arena, struct uuid, (size_t)limit + 1), base;
    size_t one, k;

    TRY(knowledge_tidy_store_bases(c, tidy_since(c, SPACE_RESTORE_DAYS), &base, 1, &one));
    if (!one)
        return ERR_OK;
    TRY(node_ids_of_space(c, base, nodes, (size_t)limit, &k));
    TRY(node_purge_many(c, nodes, k));
    *n += (int64_t)k;
    if ((int64_t)k == limit)
        return ERR_OK;
    *n += 1;
    TRY(knowledge_tidy_store_drop_base(c, base));
    return space_purge(c, base);
}

err knowledge_tidy(struct ctx *c, int64_t limit, int64_t *n)
{
    *n = 0;
    TRY(tidy_replaced(c, limit, n));
    TRY(tidy_documents(c, n));
    TRY(tidy_sections(c, limit, n));
    return tidy_bases(c, limit, n);
}

err knowledge_tidy_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    return knowledge_tidy_store_accounts(c, above, ids, max, n);
}
