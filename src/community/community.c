/* Reading communities; see community.h. community_make.c makes them. */
#include "community.h"

#include "access.h"
#include "community_store.h"
#include "knowledge_base.h"

static err community_missing(struct ctx *c)
{
    return fail(c, ERR_NOT_FOUND, "no such community");
}

/* By size, so a cursor is a number of rows that were seen. */
err community_list(struct ctx *c, const struct community_filter *f, struct page *out)
{
    struct uuids spaces;
    int64_t skip = 0;
    struct list rows;

    if (f->cursor && *f->cursor && (!str_to_i64(f->cursor, &skip) || skip < 0 || skip > 1000000))
        return fail_field(c, "/cursor", "the cursor is not one of this list");
    TRY(knowledge_base_readable_spaces(c, f->knowledge_base_id, &spaces));
    TRY(community_store_list(c, f, spaces, skip, &rows));
    *out = (struct page){.items = rows.v, .n = rows.n, .has_more = rows.n > (size_t)f->limit};
    if (!out->has_more)
        return ERR_OK;
    out->n = (size_t)f->limit;
    out->next_cursor = arena_printf(c->arena, "%lld", (long long)(skip + f->limit));
    return ERR_OK;
}

err community_get(struct ctx *c, struct uuid id, struct community_view *out)
{
    struct community x = {0};
    bool found;

    TRY(community_store_get(c, id, &found, &x));
    if (!found)
        return community_missing(c);
    out->community = x;
    return community_store_members(c, id, &out->members);
}

err community_count(struct ctx *c, struct uuids spaces, int64_t *n)
{
    return community_store_count(c, spaces, n);
}

err community_holding(struct ctx *c, const struct uuid *nodes, size_t n, struct list *communities, struct list *members)
{
    *communities = *members = (struct list){0};
    return n ? community_store_holding(c, nodes, n, communities, members) : ERR_OK;
}

err community_due_spaces(struct ctx *c, struct uuid *ids, size_t max, size_t *n)
{
    return community_store_due_spaces(c, ids, max, n);
}

err community_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    return community_store_accounts(c, above, ids, max, n);
}
